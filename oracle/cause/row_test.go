package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/oracle/snapshot"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestOfRow: of several reads of a statement that are wrong the one is the cause which is of the row that the finding
// names, and none where a count is wrong by a row that no such read is of.
func TestOfRow(t *testing.T) {
	insert := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", VKey: 2, Affected: 1}
	change := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update}, Target: "t", VKey: 2, Affected: 1}
	count := finding.Difference{What: fault.Affected}
	names := func(pkey int64) finding.Difference {
		return finding.Difference{What: fault.OverwroteUnseen,
			Steps: finding.Sentences{finding.Say("it overwrote %v", row(pkey))}}
	}
	thinAir := snapshot.WrongRead{What: fault.ThinAirRead, Row: row(1)}
	newer := snapshot.WrongRead{What: fault.NewerRead, Row: row(2)}
	for _, c := range []struct {
		name  string
		d     finding.Difference
		s     *observe.ObservedStmt
		final map[string]*history.Rows
		reads []snapshot.WrongRead
		want  finding.Cause
	}{
		{"a row that was inserted, and another one that was read wrongly", count, insert, ends(1, 1, 3, 2),
			[]snapshot.WrongRead{thinAir}, finding.CauseOwn},
		{"… that is not there in the end", count, insert, ends(1, 1), []snapshot.WrongRead{thinAir}, finding.CauseThinAir},
		{"a row that was changed and read wrongly", count, change, ends(1, 2), []snapshot.WrongRead{thinAir},
			finding.CauseThinAir},
		{"the first of two rows that were read wrongly", names(1), change, ends(1, 2, 2, 1),
			[]snapshot.WrongRead{newer, thinAir}, finding.CauseThinAir},
		{"the second one", names(2), change, ends(1, 2, 2, 1), []snapshot.WrongRead{thinAir, newer}, finding.CauseNewer},
		{"neither", names(3), change, ends(1, 2), []snapshot.WrongRead{thinAir, newer}, finding.CauseThinAir},
	} {
		o := &observe.Observation{Stmts: []*observe.ObservedStmt{c.s}, Initial: map[string]map[int64]int64{"t": {1: 1}},
			Txns: []observe.ObservedTxn{{Outcome: history.Committed}}, Promise: &dbms.Profile{}}
		r := &run{Facts: Facts{Observation: o, Final: c.final}}
		for _, w := range c.reads {
			w.Stmt = c.s.Name
			r.reads = append(r.reads, w)
		}
		r.compare()
		c.d.Stmt = c.s.Name
		if got := r.write(&c.d); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
