// Package graph holds the algorithms on directed graphs that the rest builds on: strongly connected components, short
// cycles and paths, topological orders and reachability. Nodes are numbers from 0. Package draw draws graphs.
//
// A graph need not be stored. Where it may have millions of nodes its edges are asked for node by node, by a Next or by
// Successors; small ones are Lists, a Closure, or a Small.
//
// What is not here: the graph of package oracle/mechanism keeps its order while it grows and forgets what is old
// (Pearce and Kelly), and the search of package checker/polygraph looks for cycles with the fewest choices in arrays
// that it keeps from one round to the next. Both are algorithms of their own.
package graph

import "slices"

// Next appends the successors of a node to buf and returns it, in a fixed order. A successor may be there several
// times.
type Next func(node int32, buf []int32) []int32

// Lists is a graph as the successors of each node.
type Lists [][]int32

// Next appends the successors of a node.
func (l Lists) Next(node int32, buf []int32) []int32 { return append(buf, l[node]...) }

// InDegrees counts the edges that lead to each node.
func (l Lists) InDegrees() []int32 {
	degree := make([]int32, len(l))
	for _, successors := range l {
		for _, to := range successors {
			degree[to]++
		}
	}
	return degree
}

// NoComponent is the component of a node that is not looked at.
const NoComponent = -1

// Components finds the strongly connected components of the nodes below n that are in it (Tarjan, "Depth-first search
// and linear graph algorithms", SIAM J. Comput. 1972, with its stack in slices). They are numbered in reverse
// topological order; of returns the number of each node's, NoComponent of those that are not in it, and sizes how many
// nodes each one has. in may be nil: all are. next must not return nodes that are not in it.
func Components(n int, in func(node int32) bool, next Next) (of []int32, sizes []int) {
	const unseen = -1
	t := tarjan{next: next, of: make([]int32, n), index: slices.Repeat([]int32{unseen}, n), low: make([]int32, n)}
	for v := range t.of {
		t.of[v] = NoComponent
	}
	for root := range int32(n) {
		if t.index[root] != unseen || in != nil && !in(root) {
			continue
		}
		t.enter(root)
		for len(t.frames) > 0 {
			f := &t.frames[len(t.frames)-1]
			if f.at == len(t.buf) {
				t.leave(f.node, f.from)
				continue
			}
			w := t.buf[f.at]
			f.at++
			switch {
			case t.index[w] == unseen:
				t.enter(w)
			case t.of[w] == NoComponent: // on the stack
				t.low[f.node] = min(t.low[f.node], t.index[w])
			}
		}
	}
	return t.of, t.sizes
}

type tarjan struct {
	next   Next
	of     []int32
	sizes  []int
	index  []int32
	low    []int32
	count  int32
	stack  []int32
	frames []frame
	buf    []int32 // successors of the frames' nodes
}

// frame is a node that has been entered. at and from are the next and the first of its successors in buf.
type frame struct {
	node     int32
	at, from int
}

func (t *tarjan) enter(v int32) {
	t.index[v], t.low[v] = t.count, t.count
	t.count++
	t.stack = append(t.stack, v)
	from := len(t.buf)
	t.buf = t.next(v, t.buf)
	t.frames = append(t.frames, frame{v, from, from})
}

// leave takes the last frame away, and the component whose root its node is, if it is one.
func (t *tarjan) leave(v int32, from int) {
	t.buf = t.buf[:from]
	t.frames = t.frames[:len(t.frames)-1]
	if len(t.frames) > 0 {
		p := t.frames[len(t.frames)-1].node
		t.low[p] = min(t.low[p], t.low[v])
	}
	if t.low[v] != t.index[v] {
		return
	}
	i := len(t.stack) - 1
	for ; t.stack[i] != v; i-- {
		t.of[t.stack[i]] = int32(len(t.sizes))
	}
	t.of[v] = int32(len(t.sizes))
	t.sizes = append(t.sizes, len(t.stack)-i)
	t.stack = t.stack[:i]
}

// Members lists the nodes of each component, ascending.
func Members(of []int32, sizes []int) [][]int {
	members := make([][]int, len(sizes))
	flat := make([]int, len(of))
	for c, n := range sizes {
		members[c], flat = flat[:0:n], flat[n:]
	}
	for v, c := range of {
		if c != NoComponent {
			members[c] = append(members[c], v)
		}
	}
	return members
}
