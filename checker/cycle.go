package checker

import (
	"txweave/history"
	"txweave/internal/graph"
)

// Dependency is one edge of a graph of transactions, by number. An edge without a kind joins nodes that are one
// transaction, or stand for moments in time; it counts as nothing in the length of a cycle.
type Dependency struct {
	From, To int32
	Kind     history.EdgeKind
	Key      int32 // of WR, WW and RW; else -1
}

// Adjacency calls add for every edge out of a node, in a fixed order. No edge leads back to its own node.
type Adjacency func(node int32, add func(to int32, kind history.EdgeKind, key int32))

// label is what a step carries.
type label struct {
	kind history.EdgeKind
	key  int32
}

// measure counts the steps that have a kind. Of two cycles of one length that with fewer anti-dependencies says more.
func measure(l label) (length, weight int) {
	switch l.kind {
	case history.NoEdge:
		return 0, 0
	case history.RW:
		return 1, 1
	}
	return 1, 0
}

// labelled gives steps their labels. One node is asked for at a time.
func (succ Adjacency) labelled() graph.Successors[label] {
	var add func(int32, label)
	pass := func(to int32, kind history.EdgeKind, key int32) { add(to, label{kind, key}) }
	return func(node int32, to func(int32, label)) {
		add = to
		succ(node, pass)
	}
}

func steps(path []graph.Arc[label]) []Dependency {
	var out []Dependency
	for _, s := range path {
		out = append(out, Dependency{s.From, s.To, s.Label.kind, s.Label.key})
	}
	return out
}

// ShortCycle returns a cycle through nodes below n that pass the filter, a shortest one unless the graph is very large
// (graph.ShortCycle); nil if there is none.
func ShortCycle(n int, filter func(int32) bool, succ Adjacency) []Dependency {
	return steps(graph.ShortCycle(n, filter, succ.labelled(), measure))
}

// ShortestPath returns a path with the fewest steps from a node below n to another one, nil if there is none.
func ShortestPath(n int, from, to int32, succ Adjacency) []Dependency {
	return steps(graph.ShortestPath(n, from, func(v int32) bool { return v == to }, succ.labelled()))
}
