package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/said"
	"txweave/oracle/observe"
)

// TestOldWriter: where one writes at a time, what a transaction shows that wrote behind another one's commit, in a
// snapshot from before it, comes down to that; not what shows without, nor a fault that it does not explain.
func TestOldWriter(t *testing.T) {
	const conflict = fault.ConcurrentUpdate
	for _, c := range []struct {
		name   string
		what   fault.Kind
		change func(o *observe.Observation)
		want   finding.Cause
	}{
		{"two writers", conflict, nil, finding.CauseOldWriter},
		{"it saw what is newer", "P2", nil, finding.CauseOldWriter},
		{"it writes no row", conflict, func(o *observe.Observation) { o.Stmts[1].Writes = nil }, finding.CauseOldWriter},
		{"it is refused for a key", conflict, func(o *observe.Observation) {
			o.Stmts[1].Writes, o.Stmts[1].Err = nil, &history.DBError{Code: 2067}
		}, finding.CauseOldWriter},
		{"it fails before it has the lock", conflict, func(o *observe.Observation) {
			o.Stmts[1].Writes, o.Stmts[1].Err = nil, &history.DBError{Code: 1}
		}, finding.Cause{}},
		{"several may write", conflict, func(o *observe.Observation) { o.Promise = &dbms.Profile{} }, finding.Cause{}},
		{"a snapshot from after the commit", conflict, func(o *observe.Observation) {
			o.Events[0].Start, o.Events[0].End = 45,
				46
		}, finding.Cause{}},
		{"… which may be from before", "P2", func(o *observe.Observation) { o.Events[0].End = 46 }, finding.CauseNewer},
		{"it wrote before the commit", conflict, func(o *observe.Observation) { o.Stmts[1].Done = 35 }, finding.Cause{}},
		{"the other one rolled back", conflict, func(o *observe.Observation) { o.Txns[0].Outcome = history.RolledBack },
			finding.Cause{}},
		{"a dirty read", "G1a", nil, finding.CauseDirty},
	} {
		first, second := update("T0.S0", 0, 1, 2), update("T1.S0", 1, 2, 3)
		first.Done, second.Done = 30, 60
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Stmts: []*observe.ObservedStmt{
			first, second},
			Promise: &dbms.Profile{Order: dbms.OneWriterAtOnce, Errors: dbms.Errors{Duplicate: []int{2067}}},
			Events:  []observe.Moment{{Kind: observe.Look, Txn: 1, Snapshot: true, Start: 10, End: 20}},
			Txns: []observe.ObservedTxn{{Outcome: history.Committed, Sent: 35, Done: 40}, {Outcome: history.Committed,
				Began: 5, Sent: 70, Done: 80}}}
		if c.change != nil {
			c.change(o)
		}
		f := finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{
			{What: c.what, Steps: said.Steps("T0 and T1")}}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 3)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
