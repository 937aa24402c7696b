package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/observe"
	"txweave/oracle/snapshot"
	"txweave/sdg"
	"txweave/sqltext"
)

// TestOwedUnseen: a COMMIT that is refused for a row which no read found is told by the reads where a statement before it says that it wrote more than
// they show; where none does, nothing is known.
func TestOwedUnseen(t *testing.T) {
	for affected, want := range map[int64]finding.Cause{1: finding.CauseOwn, 0: {}} {
		o := &observe.Observation{Promise: &dbms.Profile{}, Txns: []observe.ObservedTxn{{Outcome: history.RolledBack}}, Stmts: []*observe.ObservedStmt{
			{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", Affected: affected, Sent: 1, Done: 2}}}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{finding.OfCommit(0, fault.RefusedOwed, finding.Say("error 787"))}}
		if got := Of(&f, Facts{Observation: o}); got != want {
			t.Errorf("%d rows: %q, want %q", affected, got, want)
		}
	}
}

// TestOwedRead: the reads right before a COMMIT go by what another read of its transaction missed, or saw too soon.
func TestOwedRead(t *testing.T) {
	for _, c := range []struct {
		name string
		what fault.Kind
		read snapshot.WrongRead
		want finding.Cause
	}{
		{"a row that nobody had touched", fault.RefusedOwed, snapshot.WrongRead{What: fault.MissingRow, Txn: 0, Stmt: "T0.S0"}, finding.CauseMissing},
		{"a row of its own", fault.RefusedOwed, snapshot.WrongRead{What: fault.OwnWriteMissed, Txn: 0, Stmt: "T0.S0"}, finding.CauseOwn},
		{"another transaction missed one", fault.RefusedOwed, snapshot.WrongRead{What: fault.MissingRow, Txn: 1, Stmt: "T1.S0"}, finding.Cause{}},
		{"it saw another state, and no row less", fault.RefusedOwed, snapshot.WrongRead{What: fault.StaleRead, Txn: 0, Stmt: "T0.S0"}, finding.Cause{}},
		{"by a search", fault.RefusedOwed, snapshot.WrongRead{What: fault.MissingRow, Txn: 0, Stmt: "T0.S0", Search: true}, finding.Cause{}},
		{"what another had not committed", fault.CommittedOwed, snapshot.WrongRead{What: fault.DirtyRead, Txn: 0, Stmt: "T0.S0"}, finding.CauseDirty},
		{"another transaction saw it", fault.CommittedOwed, snapshot.WrongRead{What: fault.DirtyRead, Txn: 1, Stmt: "T1.S0"}, finding.Cause{}},
		{"what another had not committed, and the COMMIT is refused", fault.RefusedOwed, snapshot.WrongRead{What: fault.DirtyRead, Txn: 0, Stmt: "T0.S0"}, finding.Cause{}},
	} {
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{finding.OfCommit(0, c.what, finding.Say("error 787"))}}
		r := &run{Facts: Facts{Observation: &observe.Observation{Promise: &dbms.Profile{}, Txns: make([]observe.ObservedTxn, 2)}}, reads: []snapshot.WrongRead{c.read}}
		if got := r.of(&f, &f.Differences[0]); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOwedLost: a COMMIT that succeeds though its transaction has deleted what another row refers to, and after which the row is there, may have lost the DELETE,
// or have been refused without a word: these are two bugs.
func TestOwedLost(t *testing.T) {
	f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{finding.OfCommit(0, fault.CommittedOwed, finding.Say("it succeeded"))}}
	for _, c := range []struct {
		end  map[string]*history.Rows
		want finding.Cause
	}{{ends(1, 1), finding.Cause{}}, {ends(), finding.Cause{}}} {
		gone := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Delete, Writes: []history.Write{{Item: row(1), From: 1, To: history.Dead}}}, Target: "t", Affected: 1}
		o := &observe.Observation{Promise: &dbms.Profile{}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}}, Stmts: []*observe.ObservedStmt{gone},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		if got := Of(&f, Facts{Observation: o, Final: c.end}); got != c.want {
			t.Errorf("%d rows at the end: %q, want %q", c.end["t"].Len(), got, c.want)
		}
	}
}

// TestOwes: an INSERT that no read shows wrote all the same where its transaction's COMMIT is refused for a row that refers to none.
func TestOwes(t *testing.T) {
	const key = 787
	for _, c := range []struct {
		name string
		txn  observe.ObservedTxn
		want finding.Cause
	}{
		{"refused", observe.ObservedTxn{Err: &history.DBError{Code: key}, Owed: observe.Owed{Checked: true, Known: true}}, finding.CauseOwn},
		{"refused for rows that were found", observe.ObservedTxn{Err: &history.DBError{Code: key}, Owed: observe.Owed{Checked: true, Known: true, Rows: 1}}, finding.CauseNone},
		{"refused for something else", observe.ObservedTxn{Err: &history.DBError{Code: 5}, Owed: observe.Owed{Checked: true, Known: true}}, finding.CauseNone},
		{"committed", observe.ObservedTxn{Owed: observe.Owed{Checked: true, Known: true}}, finding.CauseNone},
	} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", VKey: 3, Affected: 1, Sent: 1, Done: 2,
			Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Spells: 1}}}}
		o := &observe.Observation{Promise: &dbms.Profile{ForeignKey: []int{key}}, Txns: []observe.ObservedTxn{c.txn}, Stmts: []*observe.ObservedStmt{s}}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "INSERT", What: "affected-versus-written"}}}
		if got := Of(&f, Facts{Observation: o}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOwedMade: a COMMIT that succeeds though a read before it found rows that refer to none goes by a write of its transaction which no read around it showed, and
// which is there in the end; where all is seen, it is the COMMIT.
func TestOwedMade(t *testing.T) {
	for seen, want := range map[bool]finding.Cause{false: finding.CauseOwn, true: {}} {
		s := update("T0.S0", 0, 1, 2)
		if !seen {
			s.Writes = nil
		}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{s}, Txns: []observe.ObservedTxn{{Outcome: history.Committed}}, Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{finding.OfCommit(0, fault.CommittedOwed, finding.Say("it succeeded"))}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 2)}); got != want {
			t.Errorf("seen %v: %q, want %q", seen, got, want)
		}
	}
}
