package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/said"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestPassedOver: a write that the next one, of a transaction that began behind it, did not find was lost; where that
// one had begun before, it may have written from an old snapshot, and where the reads alone tell what it overwrote,
// they may be wrong.
func TestPassedOver(t *testing.T) {
	info := func(s *observe.ObservedStmt, diff bool) *observe.ObservedStmt {
		s.Run = &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Kind: sqltext.Update, Diff: diff}}}
		return s
	}
	for _, c := range []struct {
		name  string
		began int64 // the second transaction
		diff  bool
		first history.State // what the first one wrote
		want  finding.Cause
	}{
		{"it began behind the COMMIT", 30, false, 2, finding.CauseLost},
		{"it began before", 5, false, 2, finding.CauseStale},
		{"the row does not name what it was", 30, true, 2, finding.CauseStale},
		{"it began behind the COMMIT of a DELETE", 30, false, history.Dead, finding.CauseLost},
		{"it began before that of a DELETE", 5, false, history.Dead, finding.CauseStale},
	} {
		o := &observe.Observation{Promise: &dbms.Profile{},
			Stmts: []*observe.ObservedStmt{info(update("T0.S0", 0, 1, 2), false), info(update("T1.S0", 1, 1, 3), c.diff)},
			Txns: []observe.ObservedTxn{{Outcome: history.Committed, Began: 1, Done: 20}, {Outcome: history.Committed,
				Began: c.began, Done: 40}},
		}
		o.Stmts[0].Writes[0].To = c.first
		stale := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
			{Stmt: "T1.S0", What: "stale-read", Steps: said.Steps("T0 had committed that")}}}
		if got := Of(&stale, Facts{Observation: o, Final: ends(1, 3)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPassedOverUndone: what a ROLLBACK TO undid behind a write is not its transaction's last.
func TestPassedOverUndone(t *testing.T) {
	for _, undone := range []bool{true, false} {
		second, next := update("T0.S1", 0, 2, 3), update("T1.S0", 1, 1, 4)
		second.Undone = undone
		next.Run = &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Kind: sqltext.Update}}}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{update("T0.S0", 0, 1, 2),
			second, next},
			Txns: []observe.ObservedTxn{{Outcome: history.Committed, Began: 1, Done: 20}, {Outcome: history.Committed,
				Began: 30, Done: 40}}}
		r := &run{Facts: Facts{Observation: o, Final: ends(1, 4)}}
		r.compare()
		// Where it was not undone, its transaction wrote once more, and that is what the next one did not find.
		if got := r.data([]int{0}); got != finding.CauseLost || len(r.lost) != 1 {
			t.Errorf("undone %v: %v of %v, want %v of T0", undone, got, r.lost, finding.CauseLost)
		}
	}
}

// TestSawLater: a version that a read saw and that a later statement of its own transaction gives rows is read too
// soon; one that nobody gives, that another transaction does, or that the transaction gave before, is another matter.
func TestSawLater(t *testing.T) {
	for _, c := range []struct {
		name    string
		printed bool // by the statement itself, not by the read beside it
		change  func(o *observe.Observation)
		want    finding.Cause
	}{
		{"printed", true, nil, finding.CauseLater},
		{"read beside it", false, nil, finding.CauseLater},
		{"nobody's", true, func(o *observe.Observation) { o.Stmts[1].VKey = 3 }, finding.CauseThinAir},
		{"another transaction's", true, func(o *observe.Observation) { o.Stmts[1].Txn = 1 }, finding.CauseThinAir},
		{"another table's", true, func(o *observe.Observation) { o.Stmts[1].Target = "u" }, finding.CauseThinAir},
		{"of before", true, func(o *observe.Observation) { o.Stmts[1].Sent, o.Stmts[1].Done = 1, 2 }, finding.CauseThinAir},
	} {
		read := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Select}, Sent: 3, Done: 4}
		if read.Out = []history.Version{{Item: row(1), VKey: 2}}; !c.printed {
			read.Out, read.Reads = nil, []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 2}}}
		}
		write := update("T0.S1", 0, 1, 2)
		write.VKey, write.Target, write.Sent, write.Done = 2, "t", 5, 6
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{read, write},
			Txns: []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}}}
		if c.change != nil {
			c.change(o)
		}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
			{Stmt: "T0.S0", What: "thin-air-read", Steps: said.Steps("it saw version 2 of (t, 1)")}}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 2)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestNamesNone: contents at the end that name as what a changed row was a version which nobody wrote; one that was
// there at the start is none such.
func TestNamesNone(t *testing.T) {
	for pvkey, want := range map[int64]finding.Cause{100001: finding.CauseUnwritten, 1: {}, 0: {}} {
		rows := &history.Rows{Columns: []string{sqltext.PKey, sqltext.VKey, sqltext.PVKey},
			Cells: []history.Value{history.IntValue(1), history.IntValue(2), history.IntValue(pvkey)}}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{update("T0.S0", 0, 1, 2)},
			Txns:    []observe.ObservedTxn{{Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassReplay, Differences: []finding.Difference{{What: fault.Final, Table: "t"}}}
		if got := Of(&f, Facts{Observation: o, Final: map[string]*history.Rows{"t": rows}}); got != want {
			t.Errorf("pvkey %d: %q, want %q", pvkey, got, want)
		}
	}
}
