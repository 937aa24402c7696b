package interleave

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"txweave/instrument"
)

// drawPlan draws transactions with nothing in them, some of which share a session, and a schedule.
func drawPlan(t *rapid.T) *instrument.Plan {
	p := &instrument.Plan{}
	sessions := rapid.IntRange(1, 3).Draw(t, "sessions")
	last := map[int]int{}
	for i := range rapid.IntRange(sessions, 4).Draw(t, "transactions") {
		txn := instrument.TxnPlan{Session: i, After: -1, Begin: "BEGIN", End: "COMMIT"}
		if i >= sessions {
			txn.Session = rapid.IntRange(0, sessions-1).Draw(t, "session")
			txn.After = last[txn.Session]
		}
		last[txn.Session] = i
		if rapid.Bool().Draw(t, "statement") {
			txn.Blocks = []*instrument.Block{{Txn: i}}
		}
		p.Txns = append(p.Txns, txn)
		for _, unit := range unitsOf(p, i) {
			p.Steps = append(p.Steps, instrument.Step{Txn: i, Unit: unit})
		}
	}
	return p
}

// TestSchedules holds the search to its promise: without independence it finds each schedule once, and else exactly one
// of each class.
func TestSchedules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		every := slices.Collect(All(p))
		if n := Count(p); !n.IsInt64() || n.Int64() != int64(len(every)) {
			t.Fatalf("%d schedules, counted %s", len(every), n)
		}
		apart := map[[2]instrument.Step]bool{}
		for i, a := range p.Steps {
			for _, b := range p.Steps[:i] {
				if p.Txns[a.Txn].Session != p.Txns[b.Txn].Session && rapid.Bool().Draw(t, "apart") {
					apart[[2]instrument.Step{a, b}], apart[[2]instrument.Step{b, a}] = true, true
				}
			}
		}
		depends := func(a, b instrument.Step) bool { return !apart[[2]instrument.Step{a, b}] }
		want := map[string]bool{}
		for _, s := range every {
			want[Class(s, depends)] = true
		}
		got := map[string]bool{}
		for s := range newSearch(p, depends, 1<<20).schedules() {
			c := Class(s, depends)
			if got[c] {
				t.Fatalf("class %x twice", c)
			}
			got[c] = true
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%d classes, %d found", len(want), len(got))
		}
	})
}

// TestClass says that neighbours which do not depend on each other may change places within a class, and those that do
// may not.
func TestClass(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		limit := rapid.IntRange(0, 3).Draw(t, "unit")
		depends := func(a, b instrument.Step) bool {
			return p.Txns[a.Txn].Session == p.Txns[b.Txn].Session || (a.Txn+b.Txn+limit)%3 > 0
		}
		s := rapid.SampledFrom(slices.Collect(All(p))).Draw(t, "schedule")
		if len(s) < 2 {
			return
		}
		i := rapid.IntRange(0, len(s)-2).Draw(t, "at")
		if p.Txns[s[i].Txn].Session == p.Txns[s[i+1].Txn].Session { // they have one order
			return
		}
		o := slices.Clone(s)
		o[i], o[i+1] = o[i+1], o[i]
		if same := Class(s, depends) == Class(o, depends); same == depends(s[i], s[i+1]) {
			t.Fatalf("%v and %v: one class: %v", s, o, same)
		}
	})
}
