package casesource

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"txweave/dbms"
	"txweave/sql/respell"
	"txweave/testcase"
)

// TestDrawPlan: every setting is drawn, and one that reads copies, or hides conditions, as often as all others
// together; of a case with triggers mostly the one that says them otherwise; what is rare gives way to the one before
// it; a DBMS may have none.
func TestDrawPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	fires := &testcase.Case{Schema: []testcase.Stmt{{SQL: "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM s; END"}}}
	for _, c := range []struct {
		plans []dbms.PlanSetting
		want  map[string]int // of 1,000
		of    *testcase.Case
	}{
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "copies", Copies: &respell.Copies{}}, {Name: "b"}, {Name: "c"}},
			map[string]int{"a": 125, "b": 125, "c": 125, "copies": 625}, nil},
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "copies", Copies: &respell.Copies{}}, {Name: "opaque", Opaque: true},
			{Name: "c"}}, map[string]int{"a": 125, "c": 125, "copies": 458, "opaque": 292}, nil},
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "b"}}, map[string]int{"a": 500, "b": 500}, nil},
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "b", Rare: 4}}, map[string]int{"a": 875, "b": 125}, nil},
		{[]dbms.PlanSetting{{Name: "a"}, {Name: "copies", Copies: &respell.Copies{}, Unfired: true}}, map[string]int{"a": 31,
			"copies": 969}, fires},
		{[]dbms.PlanSetting{{Name: "copies", Copies: &respell.Copies{}}}, map[string]int{"copies": 1000}, fires},
	} {
		c.of = cmp.Or(c.of, &testcase.Case{})
		got := map[string]int{}
		for range 1000 {
			got[drawPlan(rng, c.plans, c.of)]++
		}
		for name, want := range c.want {
			if d := got[name] - want; d*d > 60*60 {
				t.Errorf("%v: %s drawn %d times of 1000, want about %d", c.plans, name, got[name], want)
			}
		}
	}
}
