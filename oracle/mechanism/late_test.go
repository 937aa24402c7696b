package mechanism

import (
	"testing"

	"txweave/dbms"
	"txweave/oracle/observe"
)

// TestLateKeys: of transactions that are told of duplicate keys when they end no mechanism is judged: what they read
// before says nothing.
func TestLateKeys(t *testing.T) {
	p, err := dbms.Lookup("tidb", "optimistic")
	if err != nil {
		t.Fatal(err)
	}
	for _, late := range []bool{false, true} {
		q := p
		if late {
			q = p.Under(p.PlanSetting("late-keys"))
		}
		if v, err := (Oracle{}).Judge(&observe.Observation{Promise: q}); err != nil || (v.Unchecked != "") != late {
			t.Errorf("late %v: unchecked for %q, %v", late, v.Unchecked, err)
		}
	}
}
