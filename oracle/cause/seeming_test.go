package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/said"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestNotTaken: a row that a DELETE seems to have taken away without having found it, and that is there in the end, was
// missed by the read after it: who sees it sees right. One that it found was taken away, and lost that; one that is
// gone was.
func TestNotTaken(t *testing.T) {
	for _, c := range []struct {
		name    string
		matched map[int64]int64
		end     map[string]*history.Rows
		want    finding.Cause
	}{
		{"not found, and there", map[int64]int64{}, ends(1, 1), finding.CauseMissing},
		{"found, and there", map[int64]int64{1: 1}, ends(1, 1), finding.CauseLost},
		{"not found, and gone", map[int64]int64{}, ends(), finding.CauseStale},
	} {
		gone := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Delete,
			Writes: []history.Write{{Item: row(1), From: 1, To: history.Dead}}}, Target: "t", Affected: 1,
			Matched: c.matched, Sent: 1, Done: 2}
		read := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Select,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1}}}}, Sent: 3, Done: 4}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{gone, read},
			Txns:    []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
			{Stmt: "T1.S0", What: "stale-read", Steps: said.Steps("T0 had committed that")}}}
		if got := Of(&f, Facts{Observation: o, Final: c.end}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOutOfThinAir: a version that a statement seems to have written, and that nobody gives rows, is no write that is
// lost where the contents lack it; one that another statement gives is.
func TestOutOfThinAir(t *testing.T) {
	for given, want := range map[int64]finding.Cause{5: finding.CauseThinAir, 500002: finding.CauseLost} {
		wrote, other := update("T0.S0", 0, 1, 500002), update("T1.S0", 1, 7, 8)
		wrote.VKey, other.VKey = 2, given
		other.Writes = nil
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{wrote, other},
			Txns:    []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
			{Stmt: "T1.S0", What: "thin-air-read", Steps: said.Steps("it saw version 500002 of (t, 1): T0 had not")}}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 1)}); got != want {
			t.Errorf("with version %d given: %q, want %q", given, got, want)
		}
	}
}
