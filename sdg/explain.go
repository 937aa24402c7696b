package sdg

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/internal/graph/draw"
)

// describe names one state of an item.
func describe(item history.Item, s history.State) string {
	if s.Absent() {
		return fmt.Sprintf("no %s", item)
	}
	return history.Version{Item: item, VKey: int64(s)}.String()
}

// name returns the name of node i.
func (g *Graph) name(i int) string {
	if n := g.Stmts[i].Name; n != "" {
		return n
	}
	return "S" + strconv.Itoa(i)
}

// Explain says in words why the edge is there, one sentence for each witness, such as
// "T1.S3 read version 17 of row 4 of t1, which T2.S1 overwrote".
func (g *Graph) Explain(e *Edge) string {
	lines := make([]string, len(e.Witnesses))
	for i := range e.Witnesses {
		lines[i] = g.explainWitness(e, &e.Witnesses[i])
	}
	return strings.Join(lines, "; ")
}

// explainWitness says what one witness shows.
func (g *Graph) explainWitness(e *Edge, w *Witness) string {
	from, to := g.name(e.From), g.name(e.To)
	if !w.Reads {
		return fmt.Sprintf("%s %s %s, %s", from, g.verb(e.From, w), describe(w.Item, w.Seen), g.overwrote(w, to))
	}
	if w.Labels&ItemWrite != 0 && w.State != w.Seen && !(w.State.Absent() && w.Seen.Absent()) {
		return fmt.Sprintf("%s overwrote %s after %s had left %s", to, describe(w.Item, w.Seen), from,
			describe(w.Item, w.State))
	}
	if w.State == history.Dead {
		if w.Labels&ItemWrite != 0 {
			return fmt.Sprintf("%s inserted %s again, which %s had deleted", to, w.Item, from)
		}
		if w.Seen.Absent() {
			return fmt.Sprintf("%s saw no %s, which %s had deleted", to, w.Item, from)
		}
		return fmt.Sprintf("%s saw %s, which is to it as if %s had deleted it", to, describe(w.Item, w.Seen), from)
	}
	if w.State == w.Seen {
		return fmt.Sprintf("%s %s %s, which %s had written", to, g.verb(e.To, w), describe(w.Item, w.Seen), from)
	}
	return fmt.Sprintf("%s %s %s, which is to it the same as %s, which %s had written",
		to, g.verb(e.To, w), describe(w.Item, w.Seen), describe(w.Item, w.State), from)
}

// overwrote ends the sentence about a statement whose view node to changed.
func (g *Graph) overwrote(w *Witness, to string) string {
	switch {
	case w.Seen.Absent():
		return fmt.Sprintf("which %s inserted as %s", to, describe(w.Item, w.State))
	case w.State == history.Dead:
		return fmt.Sprintf("which %s deleted", to)
	}
	return fmt.Sprintf("which %s overwrote", to)
}

// verb says how node i came to see the item.
func (g *Graph) verb(i int, w *Witness) string {
	switch {
	case w.Labels&(ItemRead|ItemAnti) != 0:
		return "read"
	case w.Labels&ItemWrite != 0:
		if slices.ContainsFunc(g.Stmts[i].Writes, func(x history.Write) bool {
			return x.Item == w.Item && x.To == history.Dead
		}) {
			return "deleted"
		}
		return "overwrote"
	}
	return "saw"
}

// String says what is unexplained, without the name of the statement.
func (u Unexplained) String() string {
	return fmt.Sprintf("%s: %s in state %s", u.Reason, u.Item, u.State)
}

// DOT writes the graph in the language of Graphviz: a cluster for each transaction, the nodes in their
// real order, edges with their labels; those on a cycle are red.
func (g *Graph) DOT(out io.Writer) error {
	component := make([]int, len(g.Stmts))
	for k, c := range g.SCCs() {
		for _, v := range c {
			component[v] = k
		}
	}
	d := draw.Diagram{Name: "sdg", Attributes: []string{"shape=box"}}
	id := func(i int) string { return fmt.Sprintf("n%d", i) }
	var txns []int
	for i := range g.Stmts {
		txns = append(txns, g.Stmts[i].Txn)
	}
	slices.Sort(txns)
	for _, t := range slices.Compact(txns) {
		c := draw.Cluster{ID: t, Label: fmt.Sprintf("T%d", t)}
		for i := range g.Stmts {
			if s := &g.Stmts[i]; s.Txn == t {
				c.Nodes = append(c.Nodes, draw.LabelledNode{ID: id(i), Label: fmt.Sprintf("%s %s", g.name(i), s.Kind)})
			}
		}
		d.Clusters = append(d.Clusters, c)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		arrow := draw.LabelledEdge{From: id(e.From), To: id(e.To), Label: e.Labels.String()}
		if component[e.From] == component[e.To] {
			arrow.Color = "red"
		}
		d.Edges = append(d.Edges, arrow)
	}
	return d.DOT(out)
}
