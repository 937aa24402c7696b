package checker

import (
	"cmp"
	"slices"
	"txweave/history"
)

// Step is one edge of a graph whose nodes are numbers. A step without a kind joins nodes that are one transaction, or
// stand for moments in time; it counts as nothing in the length of a cycle.
type Step struct {
	From, To int32
	Kind     history.EdgeKind
	Key      int32 // of WR, WW and RW; else -1
}

// Successors calls add for every step out of a node, in a fixed order. No step leads back to its own node.
type Successors func(node int32, add func(to int32, kind history.EdgeKind, key int32))

// cycleBudget bounds how many steps the search for a short cycle looks at, once one is known.
const cycleBudget = 20_000_000

// ShortCycle returns a cycle through nodes below n that pass the filter, or nil if there is none. It is a shortest one of
// the graph unless that is very large: it is then a shortest one among those through the nodes that its budget allows it
// to start from, those of small strongly connected components first.
func ShortCycle(n int, filter func(int32) bool, succ Successors) []Step {
	f := &cycleFinder{succ: succ, scc: make([]int32, n), budget: cycleBudget}
	f.components(n, filter)
	var nodes []int32
	for v := range int32(n) {
		if c := f.scc[v]; c >= 0 && f.sizes[c] > 1 {
			nodes = append(nodes, v)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	slices.SortStableFunc(nodes, func(a, b int32) int { return cmp.Compare(f.sizes[f.scc[a]], f.sizes[f.scc[b]]) })
	f.dist = slices.Repeat([]int32{-1}, n)
	f.via = make([]Step, n)
	cycle := f.through(nodes[0])
	for _, v := range nodes[1:] {
		if length(cycle) <= 2 || f.budget <= cycleBudget/2 {
			break
		}
		cycle = shorter(cycle, f.through(v))
	}
	for improved := true; improved && f.budget > 0; {
		improved = false
		for _, s := range cycle {
			if c := f.through(s.From); length(c) < length(cycle) {
				cycle, improved = c, true
				break
			}
		}
	}
	return cycle
}

func length(cycle []Step) int {
	n := 0
	for _, s := range cycle {
		if s.Kind != "" {
			n++
		}
	}
	return n
}

// shorter returns the cycle with fewer edges; of two equal ones that with fewer anti-dependencies, which says more.
func shorter(a, b []Step) []Step {
	if b == nil {
		return a
	}
	rw := func(c []Step) (n int) {
		for _, s := range c {
			if s.Kind == history.RW {
				n++
			}
		}
		return n
	}
	if d := length(b) - length(a); d < 0 || d == 0 && rw(b) < rw(a) {
		return b
	}
	return a
}

type cycleFinder struct {
	succ   Successors
	scc    []int32 // by node: its strongly connected component; -1 of those that were filtered out
	sizes  []int   // by component: how many nodes it has
	dist   []int32
	via    []Step
	budget int
}

// components finds the strongly connected components (Tarjan's algorithm, with its stack in slices).
func (f *cycleFinder) components(n int, filter func(int32) bool) {
	const unseen = -2
	index := slices.Repeat([]int32{unseen}, n)
	low := make([]int32, n)
	type frame struct {
		node     int32
		at, from int // next and first of its successors in buf
	}
	var stack []int32
	var frames []frame
	var buf []int32
	next := int32(0)
	push := func(v int32) {
		index[v], low[v] = next, next
		next++
		f.scc[v] = -1
		stack = append(stack, v)
		from := len(buf)
		f.succ(v, func(to int32, _ history.EdgeKind, _ int32) {
			if filter(to) {
				buf = append(buf, to)
			}
		})
		frames = append(frames, frame{v, from, from})
	}
	for root := range int32(n) {
		if !filter(root) {
			f.scc[root] = -1
			continue
		}
		if index[root] != unseen {
			continue
		}
		push(root)
		for len(frames) > 0 {
			fr := &frames[len(frames)-1]
			v := fr.node
			if fr.at < len(buf) {
				w := buf[fr.at]
				fr.at++
				if index[w] == unseen {
					push(w)
				} else if f.scc[w] == -1 {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			buf = buf[:fr.from]
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			i := len(stack) - 1
			for ; stack[i] != v; i-- {
				f.scc[stack[i]] = int32(len(f.sizes))
			}
			f.scc[v] = int32(len(f.sizes))
			f.sizes = append(f.sizes, len(stack)-i)
			stack = stack[:i]
		}
	}
}

// through returns a shortest cycle through the node within the component: breadth first, free steps first.
func (f *cycleFinder) through(start int32) []Step {
	var seen []int32
	defer func() {
		for _, v := range seen {
			f.dist[v] = -1
		}
	}()
	now, later := []int32{start}, []int32(nil)
	f.dist[start] = 0
	seen = append(seen, start)
	for d := int32(0); len(now) > 0; d++ {
		for len(now) > 0 {
			u := now[len(now)-1]
			now = now[:len(now)-1]
			if f.dist[u] != d {
				continue // a shorter way was found later
			}
			var last *Step
			f.succ(u, func(to int32, kind history.EdgeKind, key int32) {
				f.budget--
				if f.scc[to] != f.scc[start] || last != nil {
					return
				}
				step := Step{u, to, kind, key}
				if to == start {
					last = &step
					return
				}
				nd := d
				if kind != "" {
					nd++
				}
				if old := f.dist[to]; old >= 0 && old <= nd {
					return
				} else if old < 0 {
					seen = append(seen, to)
				}
				f.dist[to], f.via[to] = nd, step
				if nd == d {
					now = append(now, to)
				} else {
					later = append(later, to)
				}
			})
			if last != nil {
				return f.path(start, *last)
			}
		}
		now, later = later, now[:0]
	}
	return nil
}

// path returns the cycle that ends with the step last, into start.
func (f *cycleFinder) path(start int32, last Step) []Step {
	cycle := []Step{last}
	for u := last.From; u != start; {
		s := f.via[u]
		cycle = append(cycle, s)
		u = s.From
	}
	slices.Reverse(cycle)
	return cycle
}
