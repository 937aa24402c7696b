package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/said"
	"txweave/observe"
	"txweave/sdg"
	"txweave/sqltext"
)

// TestNotTaken: a row that a DELETE seems to have taken away without having found it, and that is there in the end, was missed by the read after it: who sees
// it sees right. One that it found was taken away, and lost that; one that is gone was.
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
		gone := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Delete, Writes: []history.Write{{Item: row(1), From: 1, To: history.Dead}}}, Target: "t", Affected: 1,
			Matched: c.matched, Sent: 1, Done: 2}
		read := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Select, Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1}}}}, Sent: 3, Done: 4}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{gone, read}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S0", What: "stale-read", Steps: said.Steps("T0 had committed that")}}}
		if got := Of(&f, Facts{Observation: o, Final: c.end}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOutOfThinAir: a version that a statement seems to have written, and that nobody gives rows, is no write that is lost where the contents lack it; one that
// another statement gives is.
func TestOutOfThinAir(t *testing.T) {
	for given, want := range map[int64]finding.Cause{5: finding.CauseThinAir, 500002: finding.CauseLost} {
		wrote, other := update("T0.S0", 0, 1, 500002), update("T1.S0", 1, 7, 8)
		wrote.VKey, other.VKey = 2, given
		other.Writes = nil
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{wrote, other}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S0", What: "thin-air-read", Steps: said.Steps("it saw version 500002 of (t, 1): T0 had not")}}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 1)}); got != want {
			t.Errorf("with version %d given: %q, want %q", given, got, want)
		}
	}
}

// TestSawThinAir: nor is such a version dirty for who reads it before its seeming writer has committed.
func TestSawThinAir(t *testing.T) {
	for given, want := range map[int64]finding.Cause{5: finding.CauseThinAir, 500002: finding.CauseDirty} {
		wrote := update("T0.S0", 0, 1, 500002)
		wrote.VKey = 2
		read := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Select, Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 500002}}}}, VKey: given, Sent: 3, Done: 4}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{wrote, read}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}}}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S0", What: "dirty-read", Steps: said.Steps("T0 had not committed it")}}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 500002)}); got != want {
			t.Errorf("with version %d given: %q, want %q", given, got, want)
		}
	}
}

// TestSawOver: a version that was written over what had not been committed then is no stale one for who does not see the other; one that was written before
// that, or over it once it was committed, is.
func TestSawOver(t *testing.T) {
	for _, c := range []struct {
		name       string
		from, sent int64 // what the second transaction wrote over, when the first one's COMMIT was sent: it wrote at 3
		again      bool  // the second transaction writes once more
		want       finding.Cause
	}{
		{"before its COMMIT", 2, 5, false, finding.CauseDirty},
		{"… and once more", 2, 9, true, finding.CauseDirty},
		{"behind it", 2, 2, false, finding.CauseStale},
		{"of what was there before", 1, 5, false, finding.CauseStale},
	} {
		first, second := update("T0.S0", 0, 1, 2), update("T1.S0", 1, c.from, 3)
		first.Done, second.Sent, second.Done = 1, 3, 4
		read := &observe.ObservedStmt{Node: sdg.Node{Name: "T2.S0", Txn: 2, Kind: sqltext.Select, Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 3}}}}, Sent: 8, Done: 9}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{first, second, read}, Txns: []observe.ObservedTxn{
			{Outcome: history.Committed, Sent: c.sent, Done: c.sent + 1}, {Outcome: history.Committed, Sent: 4, Done: 5}, {Outcome: history.Committed, Began: 7}}}
		if c.again {
			third := update("T1.S1", 1, 3, 4)
			third.Sent, third.Done = 5, 6
			o.Stmts, read.Reads[0].Seen[1] = append(o.Stmts, third), 4
		}
		r := &run{Facts: Facts{Observation: o, Final: ends(1, 3)}}
		if got := r.wrongRead("stale-read", "T2.S0"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMissedBefore: a DELETE that counts more rows than are seen to go, behind an INSERT that seems to have made a row which was there from the start: reads
// miss rows. Where that row is the INSERT's, it is miscounted.
func TestMissedBefore(t *testing.T) {
	for made, want := range map[int64]finding.Cause{1: finding.CauseMissing, 2: finding.CauseMiscount} {
		insert := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert, Writes: []history.Write{{Item: row(made), From: history.Unborn, To: history.State(made)}}}, Target: "t",
			VKey: 2, Affected: 1, Sent: 1, Done: 2}
		gone := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S1", Kind: sqltext.Delete, Writes: []history.Write{{Item: row(made), From: history.State(made), To: history.Dead}},
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{made: made}}}}, Target: "t", Affected: 2, Sent: 3, Done: 4}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{insert, gone}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{{Stmt: "T0.S1", Kind: "DELETE", What: "affected-versus-written"}}}
		if got := Of(&f, Facts{Observation: o, Final: ends()}); got != want {
			t.Errorf("the INSERT seems to make row %d: %q, want %q", made, got, want)
		}
	}
}

// TestUpdatedUnseen: an UPDATE makes no rows. One that seems to have made a row shows it to be an INSERT's before it, which counts more rows than are seen.
func TestUpdatedUnseen(t *testing.T) {
	for kind, want := range map[sqltext.Kind]finding.Cause{sqltext.Update: finding.CauseOwn, sqltext.Insert: finding.CauseMiscount} {
		first := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert, Writes: []history.Write{{Item: row(1), From: history.Unborn, To: 5}}}, Target: "t", Affected: 2, Sent: 1, Done: 2,
			Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Spells: 2}}}}
		next := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: kind, Writes: []history.Write{{Item: row(2), From: history.Unborn, To: 6}}}, Target: "t", Affected: 1, Sent: 3, Done: 4}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{first, next}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}},
			Contents: map[string]bool{"t": true}}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "INSERT", What: "affected-versus-written"}}}
		if got := Of(&f, Facts{Observation: o}); got != want {
			t.Errorf("%v: %q, want %q", kind, got, want)
		}
	}
}
