package certificate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/notation"
)

// TestRepeatableGenerated: without searches the verdict at RR is the one of the check without a certificate, which is
// complete, for valid histories and for such with an anomaly planted in them. The engines install versions as their
// transactions end.
func TestRepeatableGenerated(t *testing.T) {
	outcomes := map[checker.Validity]int{}
	rapid.Check(t, func(t *rapid.T) {
		cfg := histories.Config{
			Level: rapid.SampledFrom([]dbms.Level{dbms.SSER, dbms.SER, dbms.SI}).Draw(t, "level"),
			Shape: rapid.SampledFrom([]histories.Shape{histories.Mini, histories.Blind, histories.General}).Draw(t, "shape"),
			Txns:  rapid.IntRange(1, 60).Draw(t, "transactions"), Keys: rapid.IntRange(3, 12).Draw(t, "keys"),
			Sessions: rapid.IntRange(4, 8).Draw(t, "sessions"), Ops: rapid.IntRange(1, 6).Draw(t, "operations"),
			NoInitial: rapid.Bool().Draw(t, "no initial transaction")}
		planted := histories.Anomalies()
		if n := rapid.IntRange(0, len(planted)).Draw(t, "anomaly"); n > 0 && planted[n-1].Fits(cfg.Shape) {
			cfg.Anomaly = planted[n-1].Kind
		}
		h, err := histories.Generate(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), cfg)
		if err != nil {
			t.Fatal(err)
		}
		opt := checker.Options{SessionOrder: rapid.Bool().Draw(t, "session order")}
		want := blackbox.Check(t.Context(), h, dbms.RR, opt)
		got := Check(t.Context(), h, &Certificate{Order: asEnded(h)}, dbms.RR, opt, nil)
		// Without it another order of blind writes may do, unless that in which they ended does.
		other := cfg.Shape != histories.Mini && cfg.Level == dbms.SI && got.Outcome == checker.Invalid
		if got.Outcome != want.Outcome && !(other && want.Outcome == checker.Valid) || got.Level != dbms.RR {
			t.Errorf("%+v: with its certificate %v, without it %v\n%s", cfg, got, want, notation.Format(h))
		}
		outcomes[got.Outcome]++
	})
	if t.Log(outcomes); outcomes[checker.Valid] == 0 || outcomes[checker.Invalid] == 0 {
		t.Errorf("%v: the histories are one-sided", outcomes)
	}
}

// TestRepeatableByDefinition: with searches a history is valid at RR if and only if every read and search returned what
// it must of its versions, and no cycle of Adya's direct serialization graph is without an anti-dependency of a search.
// The graph is made here as it is defined, without what the checker leaves out.
func TestRepeatableByDefinition(t *testing.T) {
	valid, weaker, judged := 0, 0, 0
	judge := func(seed int, h *register.History, c *Certificate) {
		got := Check(t.Context(), h, c, dbms.RR, checker.Options{}, below{})
		ser := Check(t.Context(), h, c, dbms.SER, checker.Options{}, below{})
		judged++
		if len(got.Counterexample) == 1 { // of no cycle: the same as at SER, which is compared with executions
			if ser.Outcome != checker.Invalid || ser.Anomaly != got.Anomaly && len(ser.Counterexample) == 1 {
				t.Fatalf("seed %d: %v at rr, %v at ser\n%s", seed, got, ser, notation.Format(h))
			}
			return
		}
		want := !cyclic(dsg(h, c))
		if got.Outcome == checker.Unknown || (got.Outcome == checker.Valid) != want {
			t.Fatalf("seed %d: by the definition valid %v, got %v\n%s%+v %v", seed, want, got, notation.Format(h),
				c.Predicates, c.Order)
		}
		if got.Outcome == checker.Invalid {
			checkCounterexample(t, h, got)
			return
		}
		if valid++; ser.Outcome == checker.Invalid {
			weaker++
		}
	}
	for i := range *cases {
		rng := rand.New(rand.NewPCG(uint64(i), 22))
		h := brute.Random(rng, brute.Bounds{Txns: 4, Keys: 2, Sessions: 3, Ops: 3, NoAborts: true})
		tables, predicates := searches(rng, h)
		certificates(h, func(c *Certificate) bool {
			c.Tables, c.Predicates = tables, predicates
			versionSets(h, c, 0, func() bool {
				judge(i, h, c)
				return judged%50 != 0
			})
			return judged%500 != 0
		})
	}
	t.Logf("%d judged, %d valid, of which %d not serializable", judged, valid, weaker)
	if valid == 0 || weaker == 0 || valid > judged*9/10 {
		t.Error("the histories are one-sided")
	}
}

// definedGraph is a direct serialization graph as it is defined.
type definedGraph struct {
	h     *register.History
	c     *Certificate
	by    map[KeyVersion]int // who wrote each version
	edges map[[2]int]bool
}

// dsg is the direct serialization graph of a history without aborted transactions, but for the anti-dependencies of
// searches, which look for values below a limit.
func dsg(h *register.History, c *Certificate) map[[2]int]bool {
	g := &definedGraph{h, c, map[KeyVersion]int{}, map[[2]int]bool{}}
	for t := range h.Txns {
		g.edge(h.Initial, t)
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write {
				g.by[KeyVersion{op.Key, op.Value}] = t
			}
		}
	}
	for key := range int32(len(c.Order)) {
		for place := range c.Order[key] {
			g.edge(g.writer(key, place-1), g.writer(key, place))
		}
	}
	for t := range h.Txns {
		g.reads(t)
	}
	for i := range c.Predicates {
		g.search(&c.Predicates[i])
	}
	return g.edges
}

func (g *definedGraph) edge(from, to int) {
	if from >= 0 && to >= 0 && from != to {
		g.edges[[2]int{from, to}] = true
	}
}

// writer is who wrote the version at a place of the order; place -1 is the initial state.
func (g *definedGraph) writer(key int32, place int) int {
	if place < 0 || place >= len(g.c.Order[key]) {
		return -1
	}
	return g.by[KeyVersion{key, g.c.Order[key][place]}]
}

func (g *definedGraph) reads(t int) {
	wrote := map[int32]bool{}
	for _, op := range g.h.TxnOps(t) {
		if op.Kind == register.Write {
			wrote[op.Key] = true
		} else if !wrote[op.Key] {
			place := slices.Index(g.c.Order[op.Key], op.Value)
			if op.Nil {
				place = -1
			}
			g.edge(g.writer(op.Key, place), t)
			g.edge(t, g.writer(op.Key, place+1))
		}
	}
}

func (g *definedGraph) search(p *Predicate) {
	limit, _ := strconv.ParseInt(strings.TrimPrefix(p.Where, "value < "), 10, 64)
	matches := func(key int32, place int) bool {
		if place < 0 {
			return g.h.HasInitialValue && g.h.InitialValue < limit
		}
		return g.c.Order[key][place] < limit
	}
	for key, v := range p.Seen {
		place := slices.Index(g.c.Order[key], v)
		if place >= 0 && g.writer(key, place) == p.Txn {
			continue
		}
		for ; place >= 0; place-- { // the latest one that changed what matches
			if matches(key, place) != matches(key, place-1) {
				g.edge(g.writer(key, place), p.Txn)
				break
			}
		}
	}
}

// cyclic says whether a small graph has a cycle.
func cyclic(edges map[[2]int]bool) bool {
	for changed := true; changed; {
		changed = false
		for a := range edges {
			for b := range edges {
				if e := [2]int{a[0], b[1]}; a[1] == b[0] && !edges[e] {
					edges[e], changed = true, true
				}
			}
		}
	}
	for e := range edges {
		if e[0] == e[1] {
			return true
		}
	}
	return false
}
