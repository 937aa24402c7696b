package guide

import (
	"math/rand/v2"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/testcase"
)

// TestStepsStay: whatever is done to a case, and to what came of it, its schedule has each step of each transaction,
// once; an operator that gives up leaves the case as it was.
func TestStepsStay(t *testing.T) {
	g, src := aimAt(t, "sqlite", "serializable")
	weights := []func(*operator) int{func(o *operator) int { return o.weight }, func(o *operator) int { return o.meets }}
	for n := range effort.Cases(300) {
		c, err := src.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(11, uint64(n)))
		related := func() *testcase.Case { k, _ := src.Again(c.Seed, rng.Uint64()|1); return k }
		if n%2 == 0 { // whatever there is to be had is in the case
			related = func() *testcase.Case { return nil }
		}
		m := &mutator{rng: rng, profile: g.profile, levels: g.levels, parser: g.parser, c: c,
			schema: c.ReadSchema(), related: related}
		for range 12 {
			before := string(m.c.Print())
			name := m.draw(weights[rng.IntN(2)])
			if name == "" && string(m.c.Print()) != before {
				t.Fatalf("case %d: what gave up changed\n%s\nto\n%s", n, before, m.c.Print())
			}
			for i := range m.c.Txns {
				if got := len(m.c.StepsOf(i)); got != m.c.Txns[i].Steps() {
					t.Fatalf("case %d: %s: T%d has %d steps, the schedule %d\n%s", n, name, i, m.c.Txns[i].Steps(), got, m.c.Print())
				}
			}
		}
	}
}
