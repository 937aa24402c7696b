package graph

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestComponents compares with the transitive closure: two nodes are in one component if each reaches the other, and
// components are numbered in reverse topological order. Small finds a cycle where there is one.
func TestComponents(t *testing.T) {
	several := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(20)
		g := random(rng, n, rng.IntN(2*n))
		closed, added, small := NewClosure(n), NewClosure(n), new(Small)
		for u := range g {
			for _, v := range g[u] {
				closed.Edge(u, int(v))
				added.Insert(u, int(v))
				small.Edge(u, int(v))
			}
		}
		closed.Close()
		of, sizes := Components(n, nil, g.Next)
		members := Members(of, sizes)
		cyclic := uint64(0)
		for u := range n {
			if !slices.Contains(members[of[u]], u) || len(members[of[u]]) != sizes[of[u]] || !slices.IsSorted(members[of[u]]) {
				t.Fatalf("seed %d: %d is not among %v", seed, u, members)
			}
			for v := range n {
				if closed.Reaches(u, v) != added.Reaches(u, v) {
					t.Fatalf("seed %d: closed and inserted differ", seed)
				}
				together := u == v || closed.Reaches(u, v) && closed.Reaches(v, u)
				if together != (of[u] == of[v]) || !together && closed.Reaches(u, v) && of[u] < of[v] {
					t.Fatalf("seed %d: components %v of %v", seed, of, g)
				}
			}
			if closed.Reaches(u, u) {
				cyclic |= 1 << u
			}
		}
		if len(sizes) > 1 && slices.Max(sizes) > 1 {
			several++
		}
		all := uint64(1)<<n - 1
		if trimmed := small.Trim(all); trimmed&cyclic != cyclic || (trimmed == 0) != (cyclic == 0) {
			t.Fatalf("seed %d: trimmed to %b, on cycles are %b", seed, trimmed, cyclic)
		}
		want, _ := shortest(n, func(int32) bool { return true }, g, func([2]int32) (int, int) { return 1, 0 })
		if cycle := small.ShortestCycle(all); cyclic == 0 && cycle != 0 || cyclic != 0 &&
			(bits.OnesCount64(cycle) != want || cycle&^cyclic != 0) {
			t.Fatalf("seed %d: cycle %b, want one of %d nodes of %v", seed, cycle, want, g)
		}
	}
	if several < 300 {
		t.Errorf("only %d graphs with several components, one of them a cycle", several)
	}
}

// TestComponentsOfSome leaves nodes out.
func TestComponentsOfSome(t *testing.T) {
	g := Lists{{1}, {2}, {0, 3}, {2}}
	in := func(v int32) bool { return v != 1 }
	of, sizes := Components(4, in, func(v int32, buf []int32) []int32 {
		for _, w := range g[v] {
			if in(w) {
				buf = append(buf, w)
			}
		}
		return buf
	})
	if !slices.Equal(of, []int32{0, NoComponent, 1, 1}) || !slices.Equal(sizes, []int{1, 2}) {
		t.Errorf("components %v of sizes %v", of, sizes)
	}
}

// TestOrders checks that orders have every node behind its predecessors, and what is left where there is a cycle.
func TestOrders(t *testing.T) {
	acyclic, differ := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 1 + rng.IntN(12)
		g := random(rng, n, rng.IntN(n+1))
		closed := NewClosure(n)
		pred := make([][]int32, n)
		for u := range g {
			for _, v := range g[u] {
				closed.Insert(u, int(v))
				pred[v] = append(pred[v], int32(u))
			}
		}
		behind := func(u int) bool { // is on a cycle, or after one
			for v := range n {
				if closed.Reaches(v, v) && (u == v || closed.Reaches(v, u)) {
					return true
				}
			}
			return false
		}
		free := 0
		for u := range n {
			if !behind(u) {
				free++
			}
		}
		degree := g.InDegrees()
		order := Order(degree, g.Next)
		shuffled := RandomOrder(g.InDegrees(), g.Next, rng)
		near := OrderNear(pred, shuffled)
		if free < n {
			if len(order) != free || len(shuffled) != free {
				t.Fatalf("seed %d: %v and %v, want %d nodes of %v", seed, order, shuffled, free, g)
			}
			all := make([]int32, n)
			for i := range all {
				all[i] = int32(i)
			}
			if x := OrderNear(pred, all); x != nil {
				t.Fatalf("seed %d: order %v of a cyclic graph", seed, x)
			}
			for u := range n {
				want := int32(0)
				for _, p := range pred[u] {
					if behind(int(p)) {
						want++
					}
				}
				if behind(u) && degree[u] != want {
					t.Fatalf("seed %d: degree %v of %v", seed, degree, g)
				}
			}
			continue
		}
		acyclic++
		if !slices.Equal(near, shuffled) {
			t.Fatalf("seed %d: near %v is %v", seed, shuffled, near)
		}
		if !slices.Equal(order, shuffled) {
			differ++
		}
		for _, o := range [][]int32{order, shuffled} {
			for i, u := range o {
				for _, v := range g[u] {
					if slices.Index(o, v) <= i {
						t.Fatalf("seed %d: order %v of %v", seed, o, g)
					}
				}
			}
			if len(o) != n {
				t.Fatalf("seed %d: order %v of %d nodes", seed, o, n)
			}
		}
	}
	if acyclic < 500 || differ < 300 {
		t.Errorf("%d acyclic graphs, %d random orders that differ", acyclic, differ)
	}
}

// TestAncestors compares both representations of reachability, and what they count, with the transitive closure.
func TestAncestors(t *testing.T) {
	const far = 1 << 30
	never := func() bool { return false }
	tracked := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n := 1 + rng.IntN(90)
		order := make([]int32, n)
		for i, v := range rng.Perm(n) {
			order[i] = int32(v)
		}
		pred := make([][]int32, n)
		closed := NewClosure(n)
		for range rng.IntN(3 * n) {
			if a, b := rng.IntN(n), rng.IntN(n); a < b {
				u, v := order[a], order[b]
				pred[v] = append(pred[v], u)
				closed.Edge(int(u), int(v))
			}
		}
		closed.Close()
		copied := func() [][]int32 {
			c := make([][]int32, n)
			for i := range pred {
				c[i] = slices.Clone(pred[i])
			}
			return c
		}
		dense, tracks := newBits(copied(), order, (n+63)/64, never), newTracks(copied(), order, int32(n), far, never)
		for _, r := range []*Ancestors{dense, tracks} {
			before, after := r.Counts()
			wantBefore, wantAfter := make([]int32, n), make([]int32, n)
			for u := range n {
				for v := range n {
					if closed.Reaches(u, v) {
						wantBefore[v]++
						wantAfter[u]++
					}
					if r.Has(int32(u), int32(v)) != closed.Reaches(u, v) {
						t.Fatalf("seed %d: %d reaches %d: %v", seed, u, v, !closed.Reaches(u, v))
					}
				}
			}
			if !slices.Equal(before, wantBefore) || !slices.Equal(after, wantAfter) {
				t.Fatalf("seed %d: counts %v and %v, want %v and %v", seed, before, after, wantBefore, wantAfter)
			}
		}
		if r := NewAncestors(copied(), order, int32(n), far, never); r.bits == nil {
			tracked++
		}
		if NewAncestors(copied(), order, int32(n), -1, never) != nil {
			t.Fatal("reachability without memory")
		}
		if NewAncestors(copied(), order, int32(n), far, func() bool { return true }) != nil {
			t.Fatal("reachability that was to stop")
		}
	}
	if tracked < 5 || tracked > 195 {
		t.Errorf("tracks in %d of 200 graphs", tracked)
	}
}
