package sdg

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"txweave/internal/graph"
)

// exactLimit is the size of the largest cyclic component for which FeedbackSet searches a true minimum.
const exactLimit = 30

// FeedbackSet returns a set of nodes, ascending, without which the graph is acyclic; it is empty for an
// acyclic graph. In every strongly connected component of at most 30 nodes it is a minimum; from a larger
// one, the node with the most pairs of edges in and out is taken until its components are that small. Ties
// are broken by rng.
func (g *Graph) FeedbackSet(rng *rand.Rand) []int {
	var set []int
	work := g.Cycles()
	gone := make([]bool, len(g.Stmts))
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if len(c) <= exactLimit {
			set = append(set, g.minimumFeedback(c, rng)...)
			continue
		}
		v := g.busiest(c, rng)
		gone[v] = true
		set = append(set, v)
		work = append(work, g.componentsOf(c, gone)...)
	}
	slices.Sort(set)
	return set
}

// busiest returns the node of component c with the largest product of degrees inside c.
func (g *Graph) busiest(c []int, rng *rand.Rand) int {
	inside := make([]bool, len(g.Stmts))
	for _, v := range c {
		inside[v] = true
	}
	count := func(list []int32) (n int) {
		for _, w := range list {
			if inside[w] {
				n++
			}
		}
		return n
	}
	best, bestScore, ties := c[0], -1, 0
	for _, v := range c {
		score := count(g.succ[v]) * count(g.pred[v])
		switch {
		case score > bestScore:
			best, bestScore, ties = v, score, 1
		case score == bestScore:
			if ties++; rng.IntN(ties) == 0 {
				best = v
			}
		}
	}
	return best
}

// componentsOf returns the cyclic components that are left of c without the nodes that are gone.
func (g *Graph) componentsOf(c []int, gone []bool) [][]int {
	sub := &Graph{Stmts: make([]Node, len(c))}
	at := make(map[int]int, len(c))
	for i, v := range c {
		at[v] = i
	}
	for i, v := range c {
		for _, w := range g.succ[v] {
			if j, ok := at[int(w)]; ok && !gone[v] && !gone[w] {
				sub.Edges = append(sub.Edges, Edge{From: i, To: j})
			}
		}
	}
	sub.link()
	cycles := sub.Cycles()
	for _, cy := range cycles {
		for i := range cy {
			cy[i] = c[cy[i]]
		}
	}
	return cycles
}

// feedbackSearch is an iterative-deepening search for a minimum feedback vertex set of at most 64 nodes.
type feedbackSearch struct{ graph.Small }

// minimumFeedback returns a minimum feedback vertex set of component c, drawn by a random order of nodes.
func (g *Graph) minimumFeedback(c []int, rng *rand.Rand) []int {
	nodes := slices.Clone(c)
	rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	at := make(map[int]int, len(nodes))
	for i, v := range nodes {
		at[v] = i
	}
	var f feedbackSearch
	for i, v := range nodes {
		for _, w := range g.succ[v] {
			if j, ok := at[int(w)]; ok {
				f.Edge(i, j)
			}
		}
	}
	all := uint64(1)<<len(nodes) - 1
	for k := 0; ; k++ {
		if drop, ok := f.search(all, all, k); ok {
			var set []int
			for ; drop != 0; drop &= drop - 1 {
				set = append(set, nodes[bits.TrailingZeros64(drop)])
			}
			return set
		}
	}
}

// search finds at most k of the allowed nodes whose removal from alive leaves no cycle. Some node of every
// cycle must go, so it branches over the nodes of a shortest one; a node whose branch failed stays.
func (f *feedbackSearch) search(alive, allowed uint64, k int) (uint64, bool) {
	alive = f.Trim(alive)
	if alive == 0 {
		return 0, true
	}
	if k == 0 {
		return 0, false
	}
	for cycle := f.ShortestCycle(alive) & allowed; cycle != 0; cycle &= cycle - 1 {
		v := cycle & -cycle
		if drop, ok := f.search(alive&^v, allowed, k-1); ok {
			return drop | v, true
		}
		allowed &^= v
	}
	return 0, false
}
