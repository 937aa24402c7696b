package checker

import (
	"math/rand/v2"
	"testing"
	"txweave/history"
)

// TestShortCycle compares with a search from every node in random graphs: a cycle is found if there is one, it is one, and
// in graphs this small it is a shortest one.
func TestShortCycle(t *testing.T) {
	cyclic := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := 2 + rng.IntN(9)
		edges := make([][]int32, n)
		for range rng.IntN(2 * n) {
			if a, b := rng.IntN(n), rng.IntN(n); a != b {
				edges[a] = append(edges[a], int32(b))
			}
		}
		hidden := int32(rng.IntN(2 * n)) // a node that the filter takes out, or none
		filter := func(v int32) bool { return v != hidden }
		cycle := ShortCycle(n, filter, func(u int32, add func(int32, history.EdgeKind, int32)) {
			for _, v := range edges[u] {
				add(v, history.WR, 0)
			}
		})
		want := shortest(n, filter, edges)
		if len(cycle) != want {
			t.Fatalf("seed %d: cycle %v, the shortest has %d steps: %v without %d", seed, cycle, want, edges, hidden)
		}
		if want > 0 {
			cyclic++
		}
		for i, s := range cycle {
			if next := cycle[(i+1)%len(cycle)]; s.To != next.From || !filter(s.From) {
				t.Fatalf("seed %d: not a cycle: %v", seed, cycle)
			}
		}
	}
	if cyclic < 500 || cyclic > 2500 {
		t.Errorf("%d of 3000 graphs have a cycle", cyclic)
	}
}

// shortest returns the length of a shortest cycle, 0 if there is none.
func shortest(n int, filter func(int32) bool, edges [][]int32) int {
	best := 0
	for start := range int32(n) {
		dist := map[int32]int{start: 0}
		for queue := []int32{start}; len(queue) > 0 && filter(start); queue = queue[1:] {
			for _, v := range edges[queue[0]] {
				d := dist[queue[0]] + 1
				if v == start && (best == 0 || d < best) {
					best = d
				}
				if _, seen := dist[v]; !seen && filter(v) {
					dist[v] = d
					queue = append(queue, v)
				}
			}
		}
	}
	return best
}
