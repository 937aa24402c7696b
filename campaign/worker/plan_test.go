package worker

import (
	"math/rand/v2"
	"testing"

	"txweave/dbms"
)

// TestDrawPlan: every setting is drawn, and one that reads copies as often as all others together; a DBMS may have none.
func TestDrawPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		plans []dbms.PlanSetting
		want  map[string]int // of 1,000
	}{
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "copies", Copies: "x"}, {Name: "b"}, {Name: "c"}}, map[string]int{"a": 125, "b": 125, "c": 125, "copies": 625}},
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "b"}}, map[string]int{"a": 500, "b": 500}},
		{[]dbms.PlanSetting{{Name: "copies", Copies: "x"}}, map[string]int{"copies": 1000}},
	} {
		got := map[string]int{}
		for range 1000 {
			got[drawPlan(rng, c.plans)]++
		}
		for name, want := range c.want {
			if d := got[name] - want; d*d > 60*60 {
				t.Errorf("%v: %s drawn %d times of 1000, want about %d", c.plans, name, got[name], want)
			}
		}
	}
}
