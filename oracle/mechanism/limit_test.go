package mechanism

import (
	"testing"

	"txweave/fault"
)

// However often one kind of violation is found, another one that is found later is kept; what it is called by whoever
// is told of it counts.
func TestLimitOfEachKind(t *testing.T) {
	const limit = 3
	v := New(Options{Limit: limit, Partitions: 1, Found: func(v *Violation) {
		if v.Item == "t1:1" {
			v.What = v.What.With(fault.AfterKill)
		}
	}})
	f := findings{v: v}
	for i := range 1000 {
		f.add(Violation{Mechanism: CR, What: "missing-row", Item: "t1:1", At: int64(i)})
	}
	f.add(Violation{Mechanism: CR, What: "missing-row", Item: "t0:1", At: 1000})
	f.add(Violation{Mechanism: ME, What: "two-locks", Item: "t0:1", At: 1001})
	sortViolations(f.violations)
	kept, over := cut(f.violations, limit)
	got := map[fault.Kind]int{}
	for _, v := range kept {
		got[v.What]++
	}
	if got["missing-row-after-kill"] != limit || got["missing-row"] != 1 || got["two-locks"] != 1 || len(kept)+over+
		f.dropped != 1002 || v.found.Load() != 1002 {
		t.Errorf("%v, %d cut, %d dropped, %d found", got, over, f.dropped, v.found.Load())
	}
}
