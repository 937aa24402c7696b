package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// random makes a graph of few nodes, without edges from a node to itself.
func random(rng *rand.Rand, n, edges int) Lists {
	g := make(Lists, n)
	for range edges {
		if a, b := int32(rng.IntN(n)), int32(rng.IntN(n)); a != b && !slices.Contains(g[a], b) {
			g[a] = append(g[a], b)
		}
	}
	return g
}

// labelled gives each edge its ends as a label.
func (l Lists) labelled(node int32, add func(to int32, label [2]int32)) {
	for _, to := range l[node] {
		add(to, [2]int32{node, to})
	}
}

// TestShortCycle compares with a search from every node in random graphs: a cycle is found if there is one, it is one,
// and in graphs this small it is a shortest one, where some edges have no length too.
func TestShortCycle(t *testing.T) {
	cyclic, free := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := 2 + rng.IntN(9)
		g := random(rng, n, rng.IntN(2*n))
		hidden := int32(rng.IntN(2 * n)) // a node that the filter takes out, or none
		share := rng.Int32N(3)           // of edges without length
		measure := func(e [2]int32) (length, weight int) {
			if (e[0]+e[1])%4 < share {
				return 0, 0
			}
			return 1, int(e[1] % 2)
		}
		filter := func(v int32) bool { return v != hidden }
		cycle := ShortCycle(n, filter, g.labelled, measure)
		length := 0
		for i, s := range cycle {
			if next := cycle[(i+1)%len(cycle)]; s.To != next.From || !filter(s.From) || s.Label != [2]int32{s.From, s.To} ||
				!slices.Contains(g[s.From], s.To) {
				t.Fatalf("seed %d: not a cycle: %v", seed, cycle)
			}
			l, _ := measure(s.Label)
			length += l
		}
		want, any := shortest(n, filter, g, measure)
		if any != (cycle != nil) || any && share == 0 && length != want {
			t.Fatalf("seed %d: cycle %v of length %d, the shortest has %d: %v without %d", seed, cycle, length, want, g, hidden)
		}
		if any && share > 0 && length < want {
			t.Fatalf("seed %d: cycle %v of length %d is shorter than the shortest, %d", seed, cycle, length, want)
		}
		if any {
			cyclic++
			if length < len(cycle) {
				free++
			}
		}
	}
	if cyclic < 500 || cyclic > 2500 || free < 100 {
		t.Errorf("%d of 3000 graphs have a cycle, %d one with an edge without length", cyclic, free)
	}
}

// shortest returns the length of a shortest cycle, by the lengths of all paths (Floyd 1962); false if there is none.
func shortest(n int, filter func(int32) bool, g Lists, measure Measure[[2]int32]) (best int, any bool) {
	const far = 1 << 20
	dist := slices.Repeat([]int{far}, n*n)
	for u := range int32(n) {
		for _, v := range g[u] {
			if filter(u) && filter(v) {
				dist[int(u)*n+int(v)], _ = measure([2]int32{u, v})
			}
		}
	}
	for k := range n {
		for u := range n {
			for v := range n {
				dist[u*n+v] = min(dist[u*n+v], dist[u*n+k]+dist[k*n+v])
			}
		}
	}
	best = far
	for v := range n {
		best = min(best, dist[v*n+v])
	}
	return best, best < far
}

// TestShortestPath compares the length of paths with the number of steps in which layers reach the goal.
func TestShortestPath(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(9)
		g := random(rng, n, rng.IntN(3*n))
		from, to := int32(0), int32(n-1)
		path := ShortestPath(n, from, func(v int32) bool { return v == to }, g.labelled)
		want := -1
		layer := map[int32]bool{from: true}
		for d := 1; d < n && want < 0; d++ {
			next := map[int32]bool{}
			for u := range layer {
				for _, v := range g[u] {
					next[v] = true
				}
			}
			if layer = next; layer[to] {
				want = d
			}
		}
		if want < 0 {
			if path != nil {
				t.Fatalf("seed %d: %v is a path in %v", seed, path, g)
			}
			continue
		}
		found++
		if len(path) != want || path[0].From != from || path[want-1].To != to {
			t.Fatalf("seed %d: %v, want %d steps in %v", seed, path, want, g)
		}
		for i, s := range path {
			if !slices.Contains(g[s.From], s.To) || i > 0 && path[i-1].To != s.From {
				t.Fatalf("seed %d: %v is no path in %v", seed, path, g)
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d paths", found)
	}
}
