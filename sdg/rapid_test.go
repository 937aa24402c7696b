package sdg

import (
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"txweave/history"
	"txweave/internal/graph"
)

// drawGraph draws a directed graph without loops.
func drawGraph(t *rapid.T, most int) *Graph {
	n := rapid.IntRange(0, most).Draw(t, "n")
	g := &Graph{Stmts: make([]Node, n)}
	share := rapid.IntRange(1, 6).Draw(t, "share")
	for i := range n {
		for j := range n {
			if i != j && rapid.IntRange(0, share).Draw(t, "edge") == 0 {
				g.Edges = append(g.Edges, Edge{From: i, To: j})
			}
		}
	}
	g.link()
	return g
}

// drawRun draws a case of the model, runs it and returns what inference gets.
func drawRun(t *rapid.T) (*Input, uint64) {
	seed := rapid.Uint64().Draw(t, "seed")
	m := mode(rapid.IntRange(0, int(modes)-1).Draw(t, "mode"))
	in, _ := runCase(generate(rand.New(rand.NewPCG(seed, 0)), m), nil).emit()
	return in, seed
}

// acyclicWithout says whether the graph without the nodes in drop (a bit mask) has no cycle.
func acyclicWithout(g *Graph, drop uint64) bool {
	left := len(g.Stmts) - bits.OnesCount64(drop)
	for again := true; again; {
		again = false
		for v := range g.Stmts {
			if drop&(1<<v) == 0 && !slices.ContainsFunc(g.pred[v], func(u int32) bool { return drop&(1<<u) == 0 }) {
				drop |= 1 << v
				left--
				again = true
			}
		}
	}
	return left == 0
}

// TestFeedbackSetMinimum compares FeedbackSet with brute force: it breaks every cycle, and no smaller set does.
func TestFeedbackSetMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		set := g.FeedbackSet(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		var mask uint64
		for _, v := range set {
			mask |= 1 << v
		}
		if !acyclicWithout(g, mask) {
			t.Fatalf("%v leaves a cycle", set)
		}
		for other := range uint64(1) << len(g.Stmts) {
			if bits.OnesCount64(other) < len(set) && acyclicWithout(g, other) {
				t.Fatalf("%v is not a minimum: %b", set, other)
			}
		}
	})
}

// TestFeedbackSetLarge checks the greedy part: components of more than exactLimit nodes.
func TestFeedbackSetLarge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(exactLimit+1, 60).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		g := &Graph{Stmts: make([]Node, n)}
		for i := range n {
			for j := range n {
				if i != j && (j == (i+1)%n || rng.IntN(n) < 3) {
					g.Edges = append(g.Edges, Edge{From: i, To: j})
				}
			}
		}
		g.link()
		var mask uint64
		for _, v := range g.FeedbackSet(rng) {
			mask |= 1 << v
		}
		if !acyclicWithout(g, mask) {
			t.Fatalf("%b leaves a cycle", mask)
		}
	})
}

// TestOrderRespectsEdges checks that every order places each node once and follows every edge, and that
// Order fails exactly on cyclic graphs.
func TestOrderRespectsEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 8)
		order, err := g.Order(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		if (err == nil) != g.Acyclic() || g.Acyclic() != acyclicWithout(g, 0) {
			t.Fatalf("order: %v, acyclic: %v", err, g.Acyclic())
		}
		if err != nil {
			return
		}
		place := make([]int, len(g.Stmts))
		for i := range place {
			place[i] = -1
		}
		for k, v := range order {
			if place[v] >= 0 {
				t.Fatalf("node %d twice in %v", v, order)
			}
			place[v] = k
		}
		for i := range g.Edges {
			if e := &g.Edges[i]; place[e.From] > place[e.To] {
				t.Fatalf("%v breaks %d -> %d", order, e.From, e.To)
			}
		}
	})
}

// TestSCCs checks the components against reachability.
func TestSCCs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9)
		reach := graph.NewClosure(len(g.Stmts))
		for i := range g.Edges {
			reach.Insert(g.Edges[i].From, g.Edges[i].To)
		}
		component := make([]int, len(g.Stmts))
		for k, c := range g.SCCs() {
			for _, v := range c {
				component[v] = k
			}
		}
		for u := range g.Stmts {
			for v := range g.Stmts {
				together := u == v || reach.Reaches(u, v) && reach.Reaches(v, u)
				if together != (component[u] == component[v]) {
					t.Fatalf("%d and %d", u, v)
				}
				if !together && reach.Reaches(u, v) && component[u] < component[v] {
					t.Fatalf("not in reverse topological order: %d and %d", u, v)
				}
			}
		}
	})
}

// TestWindowsWiden checks that the window that holds the state really seen only grows with precision.
func TestWindowsWiden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawRun(t)
		b := &builder{in: in}
		if err := b.collectTables(); err != nil {
			t.Fatal(err)
		}
		for j := range in.Stmts {
			for r := range in.Stmts[j].Reads {
				checkWiden(t, b, j, &in.Stmts[j].Reads[r])
			}
		}
	})
}

func checkWiden(t *rapid.T, b *builder, j int, r *TableRead) {
	table := &b.tables[b.index[r.Table]]
	for i := range table.chains {
		c := &table.chains[i]
		if c.written(j) >= 0 {
			continue
		}
		pos := c.seenPosition(j, history.Dead)
		if v, ok := r.Seen[c.pkey]; ok {
			pos = c.position(history.State(v))
		}
		var last run
		for b.p = Exact; b.p <= Match; b.p++ {
			v := b.newView(j, r)
			runs, first := b.windows(&v, c, c.states[pos], pos)
			w := runs[first]
			if w.lo > pos || w.hi < pos || b.p > Exact && (w.lo > last.lo || w.hi < last.hi) {
				t.Fatalf("statement %d, item %d: %v at %s, before %v", j, c.pkey, w, b.p, last)
			}
			last = w
		}
	}
}

// TestInferInvariants checks what holds for the graph of any correct run: sorted edges without loops,
// witnesses of nodes that really saw and wrote what they say, equal graphs on equal input, nothing
// unexplained, and InferUpTo stopping at the first acyclic precision.
func TestInferInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawRun(t)
		acyclic := Match
		for p := Match; ; p-- {
			g, err := Infer(in, p)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := Infer(in, p)
			if !reflect.DeepEqual(g, again) {
				t.Fatal("two graphs of one input")
			}
			if len(g.Unexplained) > 0 {
				t.Fatalf("unexplained: %v", g.Unexplained)
			}
			checkEdges(t, g)
			if g.Acyclic() {
				acyclic = p
			}
			if p == Exact {
				break
			}
		}
		if _, p, err := InferUpTo(in, Match); err != nil || p != acyclic {
			t.Fatalf("InferUpTo stops at %s, %v; acyclic from %s", p, err, acyclic)
		}
	})
}

func checkEdges(t *rapid.T, g *Graph) {
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.From == e.To || len(e.Witnesses) == 0 || g.edge(e.From, e.To) != e {
			t.Fatalf("edge %+v", e)
		}
		if i > 0 && (g.Edges[i-1].From > e.From || g.Edges[i-1].From == e.From && g.Edges[i-1].To >= e.To) {
			t.Fatal("edges are not sorted")
		}
		var labels Label
		for _, w := range e.Witnesses {
			labels |= w.Labels
			writer := e.From
			if !w.Reads {
				writer = e.To
			}
			if !slices.ContainsFunc(g.Stmts[writer].Writes, func(x history.Write) bool {
				return x.Item == w.Item && x.To == w.State
			}) {
				t.Fatalf("%s: the writer did not leave state %s", g.Explain(e), w.State)
			}
		}
		if labels != e.Labels || labels == 0 {
			t.Fatalf("labels %s, of the witnesses %s", e.Labels, labels)
		}
	}
}

// TestLostWriterIsUnexplained removes a writer from a run: whoever saw what it wrote cannot be explained.
func TestLostWriterIsUnexplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawRun(t)
		var gone []int
		for i := range in.Stmts {
			if len(in.Stmts[i].Writes) > 0 {
				gone = append(gone, i)
			}
		}
		if len(gone) == 0 {
			return
		}
		k := rapid.SampledFrom(gone).Draw(t, "gone")
		lost := map[history.Version]bool{}
		for _, w := range in.Stmts[k].Writes {
			if w.To != history.Dead {
				lost[history.Version{Item: w.Item, VKey: int64(w.To)}] = true
			}
		}
		in.Stmts = slices.Delete(in.Stmts, k, k+1)
		in.Matches = nil
		g, err := Infer(in, Exact)
		if err != nil {
			t.Fatal(err)
		}
		for j := range in.Stmts {
			for _, r := range in.Stmts[j].Reads {
				for pkey, vkey := range r.Seen {
					if !lost[history.Version{Item: history.Item{Table: r.Table, PKey: pkey}, VKey: vkey}] {
						continue
					}
					if !slices.ContainsFunc(g.Unexplained, func(u Unexplained) bool { return u.Stmt == j && u.PKey == pkey }) {
						t.Fatalf("%s saw (%s, %d, %d), which nobody wrote", in.Stmts[j].Name, r.Table, pkey, vkey)
					}
				}
			}
		}
	})
}

// edge returns the edge i → j, nil if there is none.
func (g *Graph) edge(i, j int) *Edge {
	lo, hi := 0, len(g.Edges)
	for lo < hi {
		m := (lo + hi) / 2
		if e := &g.Edges[m]; e.From < i || e.From == i && e.To < j {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(g.Edges) && g.Edges[lo].From == i && g.Edges[lo].To == j {
		return &g.Edges[lo]
	}
	return nil
}
