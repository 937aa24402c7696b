package graph

import (
	"cmp"
	"slices"
)

// Arc is one edge with its label.
type Arc[L any] struct {
	From, To int32
	Label    L
}

// Successors calls add for every edge out of a node, in a fixed order. No edge leads back to its own node.
type Successors[L any] func(node int32, add func(to int32, label L))

// Measure says what an edge counts: its length, 0 or 1, and by how much it makes a cycle worse than another one of the
// same length.
type Measure[L any] func(label L) (length, weight int)

// cycleBudget bounds how many edges the search for a short cycle looks at, once one is known.
const cycleBudget = 20_000_000

// ShortCycle returns a cycle through nodes below n that pass the filter, or nil if there is none. It is a shortest one
// of the graph unless that is very large: it is then a shortest one among those through the nodes that its budget
// allows it to start from, those of small strongly connected components first. Its time is linear in the number of
// edges that leave the nodes, but for the budget.
func ShortCycle[L any](n int, filter func(node int32) bool, succ Successors[L], measure Measure[L]) []Arc[L] {
	f := &cycleFinder[L]{succ: succ, measure: measure, budget: cycleBudget}
	f.components(n, filter)
	var nodes []int32
	for v := range int32(n) {
		if c := f.component[v]; c != NoComponent && f.sizes[c] > 1 {
			nodes = append(nodes, v)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	slices.SortStableFunc(nodes, func(a, b int32) int {
		return cmp.Compare(f.sizes[f.component[a]], f.sizes[f.component[b]])
	})
	f.dist = slices.Repeat([]int32{-1}, n)
	f.via = make([]Arc[L], n)
	cycle := f.through(nodes[0])
	for _, v := range nodes[1:] {
		if f.length(cycle) <= 2 || f.budget <= cycleBudget/2 {
			break
		}
		cycle = f.shorter(cycle, f.through(v))
	}
	for improved := true; improved && f.budget > 0; {
		improved = false
		for _, s := range cycle {
			if c := f.through(s.From); f.length(c) < f.length(cycle) {
				cycle, improved = c, true
				break
			}
		}
	}
	return cycle
}

type cycleFinder[L any] struct {
	succ      Successors[L]
	measure   Measure[L]
	component []int32 // by node; NoComponent of those that were filtered out
	sizes     []int   // by component: how many nodes it has
	dist      []int32
	via       []Arc[L]
	budget    int
}

func (f *cycleFinder[L]) components(n int, filter func(int32) bool) {
	var found []int32
	add := func(to int32, _ L) {
		if filter(to) {
			found = append(found, to)
		}
	}
	f.component, f.sizes = Components(n, filter, func(v int32, buf []int32) []int32 {
		found = buf
		f.succ(v, add)
		return found
	})
}

// length is how long a cycle is.
func (f *cycleFinder[L]) length(cycle []Arc[L]) int {
	length, _ := f.sum(cycle)
	return length
}

func (f *cycleFinder[L]) sum(cycle []Arc[L]) (length, weight int) {
	for _, s := range cycle {
		l, w := f.measure(s.Label)
		length, weight = length+l, weight+w
	}
	return length, weight
}

// shorter returns the shorter cycle; of two equal ones that which weighs less.
func (f *cycleFinder[L]) shorter(a, b []Arc[L]) []Arc[L] {
	if b == nil {
		return a
	}
	la, wa := f.sum(a)
	lb, wb := f.sum(b)
	if lb < la || lb == la && wb < wa {
		return b
	}
	return a
}

// through returns a shortest cycle through the node within the component: breadth first, edges without length first.
func (f *cycleFinder[L]) through(start int32) []Arc[L] {
	s := breadthFirst[L]{cycleFinder: f, start: start, seen: []int32{start}, now: []int32{start}}
	defer s.forget()
	f.dist[start] = 0
	for d := int32(0); len(s.now) > 0; d++ {
		for len(s.now) > 0 {
			u := s.now[len(s.now)-1]
			s.now = s.now[:len(s.now)-1]
			if f.dist[u] != d {
				continue // a shorter way was found later
			}
			if last := s.expand(u, d); last != nil {
				return append(back(f.via, start, u), *last)
			}
		}
		s.now, s.later = s.later, s.now[:0]
	}
	return nil
}

// breadthFirst is a search for the way from a node back to it.
type breadthFirst[L any] struct {
	*cycleFinder[L]
	start      int32
	seen       []int32
	now, later []int32 // nodes at the distance at hand, and at the next one
}

// expand goes on from a node at a distance; it returns the arc that closes the cycle, or nil.
func (s *breadthFirst[L]) expand(u, d int32) (last *Arc[L]) {
	s.succ(u, func(to int32, label L) {
		s.budget--
		if s.component[to] != s.component[s.start] || last != nil {
			return
		}
		step := Arc[L]{u, to, label}
		if to == s.start {
			last = &step
			return
		}
		length, _ := s.measure(label)
		s.reach(to, d, d+int32(length), step)
	})
	return last
}

// reach notes that a step from distance d leads to a node at distance nd, unless there is a way that is as short.
func (s *breadthFirst[L]) reach(to, d, nd int32, step Arc[L]) {
	if old := s.dist[to]; old >= 0 && old <= nd {
		return
	} else if old < 0 {
		s.seen = append(s.seen, to)
	}
	s.dist[to], s.via[to] = nd, step
	if nd == d {
		s.now = append(s.now, to)
	} else {
		s.later = append(s.later, to)
	}
}

// forget takes back what it has noted of distances.
func (s *breadthFirst[L]) forget() {
	for _, v := range s.seen {
		s.dist[v] = -1
	}
}

// back returns the path that led from one node to another; via is the step that led to each.
func back[L any](via []Arc[L], from, to int32) []Arc[L] {
	var path []Arc[L]
	for u := to; u != from; u = via[u].From {
		path = append(path, via[u])
	}
	slices.Reverse(path)
	return path
}

// ShortestPath returns a path with the fewest steps, at least one, from a node below n to one that is a goal, or nil if
// there is none. Of several it is the first one, breadth first. The first node is no goal.
func ShortestPath[L any](n int, from int32, goal func(node int32) bool, succ Successors[L]) []Arc[L] {
	via := make([]Arc[L], n)
	seen := make([]bool, n)
	seen[from] = true
	queue := []int32{from}
	end := int32(-1)
	var u int32
	add := func(to int32, label L) {
		if seen[to] || end >= 0 {
			return
		}
		seen[to], via[to] = true, Arc[L]{u, to, label}
		if queue = append(queue, to); goal(to) {
			end = to
		}
	}
	for i := 0; i < len(queue); i++ {
		u = queue[i]
		if succ(u, add); end >= 0 {
			return back(via, from, end)
		}
	}
	return nil
}
