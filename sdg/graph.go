package sdg

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"txweave/fault"
	"txweave/history"
	"txweave/internal/graph"
)

// Witness is one reason for an edge: one item, and the state of it that binds the two statements.
type Witness struct {
	history.Item
	// State is, where Reads is true, the state that Edge.From wrote and Edge.To depends on; where it is
	// false, the state that Edge.To wrote over the one that Edge.From saw.
	State history.State
	// Seen is the state of the item that the depending statement saw: Edge.To where Reads is true, else
	// Edge.From. It differs from State's neighbour only where a window is longer than one state.
	Seen history.State
	// Reads tells the direction: true for Edge.To saw what Edge.From had written, false for Edge.To
	// overwrote what Edge.From had seen.
	Reads bool
	// Labels are the kinds of dependency that this witness shows.
	Labels Label
}

// Edge says that Stmts[From] must stay before Stmts[To] in every replay.
type Edge struct {
	From, To  int
	Labels    Label     // union of the witnesses' labels
	Witnesses []Witness // at least one; sorted by item
}

// Why an entry of Graph.Unexplained is there.
const (
	// the statement saw a version that is neither initial nor written by a node
	UnknownVersion = fault.UnwrittenVersion
	MissingRow     = fault.MissingRow // an initial row was not visible although no node deleted it
	// the statement overwrote a state that is neither initial nor written by a node
	BrokenChain = fault.OverwroteUncommitted
	TwoWriters  = fault.P4 // two nodes overwrote the same state of an item
	// the statement wrote over another state of the item than its version-set read saw
	SawOther      = fault.OverwroteUnseen
	PrintedUnseen = fault.PrintedUnseen // the result holds a version that the version-set read did not see
)

// Unexplained is a statement whose reads or writes no order of the nodes can explain.
type Unexplained struct {
	Stmt int
	history.Item
	State  history.State // the state that was seen or overwritten (absent where a row was missed)
	Reason fault.Kind
}

// Graph is a statement-dependency graph (Definition 1). Node i is Stmts[i].
type Graph struct {
	Stmts       []Node
	Edges       []Edge // sorted by (From, To), at most one for each pair, never From == To
	Unexplained []Unexplained

	succ graph.Lists // adjacency: ends of the edges that leave a node, ascending
	pred graph.Lists
}

// link fills the adjacency lists from the sorted edges.
func (g *Graph) link() {
	n := len(g.Stmts)
	g.succ, g.pred = make(graph.Lists, n), make(graph.Lists, n)
	flat := make([]int32, 2*len(g.Edges))
	out, in := make([]int, n), make([]int, n)
	for i := range g.Edges {
		out[g.Edges[i].From]++
		in[g.Edges[i].To]++
	}
	for i := range n {
		g.succ[i], flat = flat[:0:out[i]], flat[out[i]:]
		g.pred[i], flat = flat[:0:in[i]], flat[in[i]:]
	}
	for i := range g.Edges {
		f, t := g.Edges[i].From, g.Edges[i].To
		g.succ[f] = append(g.succ[f], int32(t))
		g.pred[t] = append(g.pred[t], int32(f))
	}
}

// Acyclic says whether the graph has a topological order.
func (g *Graph) Acyclic() bool { return len(g.Cycles()) == 0 }

// Cycles returns the strongly connected components with more than one node, as SCCs does.
func (g *Graph) Cycles() [][]int {
	var cs [][]int
	for _, c := range g.SCCs() {
		if len(c) > 1 {
			cs = append(cs, c)
		}
	}
	return cs
}

// SCCs returns the strongly connected components, each ascending, in reverse topological order of the condensed graph.
func (g *Graph) SCCs() [][]int {
	return graph.Members(graph.Components(len(g.Stmts), nil, g.succ.Next))
}

// CrossEdges counts the edges between different transactions for each single label. An edge with several
// labels counts once for each of them.
func (g *Graph) CrossEdges() map[Label]int {
	counts := make(map[Label]int)
	for i := range g.Edges {
		e := &g.Edges[i]
		if g.Stmts[e.From].Txn == g.Stmts[e.To].Txn {
			continue
		}
		for _, l := range e.Labels.Split() {
			counts[l]++
		}
	}
	return counts
}

// ErrCyclic says that a graph has no topological order.
var ErrCyclic = errors.New("sdg: the graph is cyclic")

// Order returns a random topological order of the nodes: at each step one of those without an unplaced
// predecessor is drawn (Section 4 of the paper, "Topological Sorting").
func (g *Graph) Order(rng *rand.Rand) ([]int, error) {
	n := len(g.Stmts)
	placed := graph.RandomOrder(g.succ.InDegrees(), g.succ.Next, rng)
	if len(placed) < n {
		return nil, fmt.Errorf("%w: %d of %d statements have no place", ErrCyclic, n-len(placed), n)
	}
	order := make([]int, n)
	for i, v := range placed {
		order[i] = int(v)
	}
	return order, nil
}
