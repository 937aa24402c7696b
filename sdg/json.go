package sdg

import (
	"encoding/json"
	"fmt"
	"io"

	"txweave/fault"
)

// GraphDocument is a graph as sdg.json holds it: the statements in their real order, the edges with labels, witness
// versions and a sentence that explains each, and the order in which the statements were replayed. Statements are
// named as Stmt.Name does.
type GraphDocument struct {
	Statements  []DocStmt        `json:"statements"`
	Edges       []DocEdge        `json:"edges"`
	Unexplained []DocUnexplained `json:"unexplained,omitempty"`
	// Order is the topological order that was replayed; empty where there was no replay.
	Order []string `json:"order,omitempty"`
}

// DocStmt is one node.
type DocStmt struct {
	Name string `json:"name"`
	Txn  int    `json:"txn"`
	Kind string `json:"kind"` // "select", "insert", "update", "delete"
}

// DocEdge is one edge: From must stay before To in every replay.
type DocEdge struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Labels    []string     `json:"labels"`
	Why       string       `json:"why"` // what Graph.Explain says
	Witnesses []DocWitness `json:"witnesses"`
}

// DocWitness is one reason for an edge. State and Seen are version keys, "unborn" or "dead"; see Witness.
type DocWitness struct {
	Table  string   `json:"table"`
	PKey   int64    `json:"pkey"`
	State  string   `json:"state"`
	Seen   string   `json:"seen"`
	Reads  bool     `json:"reads"`
	Labels []string `json:"labels"`
}

// DocUnexplained is a read or write that no order of the statements explains.
type DocUnexplained struct {
	Stmt   string     `json:"stmt"`
	Table  string     `json:"table"`
	PKey   int64      `json:"pkey"`
	State  string     `json:"state"`
	Reason fault.Kind `json:"reason"`
}

// Document returns the graph as data; order are the names of the statements as they were replayed.
func (g *Graph) Document(order []string) *GraphDocument {
	d := &GraphDocument{Statements: []DocStmt{}, Edges: []DocEdge{}, Order: order}
	for i := range g.Stmts {
		d.Statements = append(d.Statements, DocStmt{Name: g.name(i), Txn: g.Stmts[i].Txn, Kind: g.Stmts[i].Kind.String()})
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		out := DocEdge{From: g.name(e.From), To: g.name(e.To), Labels: e.Labels.Names(), Why: g.Explain(e)}
		for _, w := range e.Witnesses {
			out.Witnesses = append(out.Witnesses, DocWitness{Table: w.Table, PKey: w.PKey, State: w.State.String(),
				Seen: w.Seen.String(), Reads: w.Reads, Labels: w.Labels.Names()})
		}
		d.Edges = append(d.Edges, out)
	}
	for _, u := range g.Unexplained {
		d.Unexplained = append(d.Unexplained, DocUnexplained{Stmt: g.name(u.Stmt), Table: u.Table, PKey: u.PKey,
			State: u.State.String(), Reason: u.Reason})
	}
	return d
}

// Write writes the document as indented JSON.
func (d *GraphDocument) Write(out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(d)
}

// ReadDocument reads what Write wrote.
func ReadDocument(in io.Reader) (*GraphDocument, error) {
	d := new(GraphDocument)
	if err := json.NewDecoder(in).Decode(d); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return d, nil
}
