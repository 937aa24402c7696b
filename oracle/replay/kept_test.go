package replay

import (
	"testing"

	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// TestKept: of what a table holds in the end it is told that a transaction which was rolled back wrote it, and what had
// failed in that before.
func TestKept(t *testing.T) {
	failed := &history.Event{Txn: 0, Stmt: 0, Role: history.Target, Start: 1,
		Answer: history.Answer{Err: &history.DBError{Code: 1467, Message: "no value"}}}
	run := func(outcome history.Outcome, vkey int64, events ...*history.Event) *observe.Run {
		wrote := &observe.BlockRun{Block: &instrument.Block{Txn: 0, Stmt: 1, Info: &sqltext.Analysis{VKey: 7}},
			Target: &history.Event{Txn: 0, Stmt: 1, Start: 5}}
		return &observe.Run{Trace: &history.Trace{Events: events}, Blocks: []*observe.BlockRun{wrote},
			Txns: []history.Outcome{outcome},
			Final: map[string]*history.Rows{"t": {Columns: []string{"pkey", "vkey"}, Cells: []history.Value{history.IntValue(1),
				history.IntValue(vkey)}}}}
	}
	later := *failed
	later.Start = 6
	for _, c := range []struct {
		name string
		run  *observe.Run
		want string
	}{
		{"kept", run(history.RolledBack, 7), "what T0.S1 wrote is there, and T0 was rolled back"},
		{"kept, after a failure", run(history.RolledBack, 7, failed),
			"what T0.S1 wrote is there, and T0 was rolled back; T0.S0 had failed before: error 1467: no value"},
		{"kept, before a failure", run(history.RolledBack, 7, &later), "what T0.S1 wrote is there, and T0 was rolled back"},
		{"committed", run(history.Committed, 7, failed), ""},
		{"another version", run(history.RolledBack, 3, failed), ""},
	} {
		why, failed := kept(c.run, "t")
		if d := (finding.Difference{Steps: why, Failed: failed}); d.Detail() != c.want {
			t.Errorf("%s: %q, want %q", c.name, d.Detail(), c.want)
		}
	}
	if why, failed := kept(run(history.RolledBack, 7), "u"); why != nil || failed != nil {
		t.Errorf("of another table: %v", why)
	}
}
