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
	"txweave/oracle/snapshot"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestKept: what is seen of a transaction after its ROLLBACK was answered was kept; before that it is what was not
// committed.
func TestKept(t *testing.T) {
	f := finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{{What: fault.G1a,
		Steps: said.Steps("T1 read version 2; T0 rolled back")}}}
	for name, c := range map[string]struct {
		began    int64 // T1; T0 was rolled back at 20
		contents bool
		want     finding.Cause
	}{
		"after it":                    {30, false, finding.CauseKept},
		"before it":                   {10, false, finding.CauseDirty},
		"rows named by what they are": {30, true, finding.CauseDirty},
	} {
		first, second := update("T0.S0", 0, 1, 2), update("T1.S0", 1, 2, 3)
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: make([]observe.ObservedTxn, 2),
			Promise: &dbms.Profile{},
			Stmts:   []*observe.ObservedStmt{first, second}, Contents: map[string]bool{"t": c.contents}}
		o.Name = func(string) func(*history.Rows, int) (history.Version, bool) {
			return func(*history.Rows, int) (history.Version, bool) { return history.Version{}, false }
		}
		o.Txns[0] = observe.ObservedTxn{Outcome: history.RolledBack, Done: 20}
		o.Txns[1] = observe.ObservedTxn{Outcome: history.Committed, Began: c.began}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 3)}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWritesNone: an INSERT that says that it wrote the rows which it spells and wrote none is one bug, whatever finds
// it; one that wrote them and counts otherwise is another.
func TestWritesNone(t *testing.T) {
	inconsistent := func(what fault.Kind) finding.Finding {
		return finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
			{Stmt: "T0.S0", Kind: "INSERT", What: what}}}
	}
	replayed := func(d ...finding.Difference) finding.Finding {
		return finding.Finding{Class: finding.ClassReplay, Differences: d}
	}
	count, final := finding.Difference{Stmt: "T0.S0", Kind: "INSERT", What: fault.AffectedRows},
		finding.Difference{What: fault.Final, Table: "t"}
	for _, c := range []struct {
		name   string
		f      finding.Finding
		change func(*observe.ObservedStmt, *observe.Observation)
		want   finding.Cause
	}{
		{"as many as it says", inconsistent("affected-versus-written"), nil, finding.CauseNone},
		{"as many as it spells", inconsistent("affected-versus-spelled"), nil, finding.CauseNone},
		{"as many as the replay", replayed(count, final), nil, finding.CauseNone},
		{"the contents of another table", replayed(finding.Difference{What: fault.Final, Table: "u"}), nil, finding.Cause{}},
		{"it need not write them", inconsistent("affected-versus-written"), func(s *observe.ObservedStmt,
			_ *observe.Observation) {
			s.Run.Block.Info.Spells = 0
		}, finding.Cause{}},
		{"it says none", inconsistent("affected-versus-spelled"), func(s *observe.ObservedStmt, _ *observe.Observation) {
			s.Affected = 0
		}, finding.Cause{}},
		{"it wrote them", inconsistent("affected-versus-spelled"), func(s *observe.ObservedStmt, _ *observe.Observation) {
			s.Writes = []history.Write{{Item: row(2), From: history.Unborn, To: 3}}
		}, finding.CauseMiscount},
		{"a row that stays as it was", inconsistent("affected-versus-spelled"), func(s *observe.ObservedStmt,
			o *observe.Observation) {
			s.Replaces, o.Contents = true, map[string]bool{"t": true}
		}, finding.Cause{}},
	} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1}}}}, Target: "t", VKey: 3, Affected: 1,
			Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Spells: 1}}}}
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: []observe.ObservedTxn{
			{Outcome: history.Committed}}, Promise: &dbms.Profile{},
			Stmts: []*observe.ObservedStmt{s}}
		o.Name = func(string) func(*history.Rows, int) (history.Version, bool) {
			return func(*history.Rows, int) (history.Version, bool) { return history.Version{VKey: 1}, true }
		}
		if c.change != nil {
			c.change(s, o)
		}
		if got := Of(&c.f, Facts{Observation: o, Final: ends(1, 1)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLostSavepoint: a savepoint that is gone goes with what else its transaction shows: that it was committed, or
// undone, before its end.
func TestLostSavepoint(t *testing.T) {
	f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T0.S1", Kind: "ROLLBACK TO", What: "lost-savepoint"}}}
	for name, c := range map[string]struct {
		outcome history.Outcome
		end     int64 // version that the table ends with: T0 wrote 2
		want    finding.Cause
	}{
		"nothing else":         {history.Committed, 2, finding.CauseGone},
		"rolled back and kept": {history.RolledBack, 2, finding.CauseKept},
		"rolled back":          {history.RolledBack, 1, finding.CauseGone},
		"committed and lost":   {history.Committed, 1, finding.CauseLost},
	} {
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: []observe.ObservedTxn{
			{Outcome: c.outcome}}, Promise: &dbms.Profile{},
			Stmts: []*observe.ObservedStmt{update("T0.S0", 0, 1, 2)}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, c.end)}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	r := &run{Facts: Facts{Observation: &observe.Observation{}}, reads: []snapshot.WrongRead{{What: fault.DirtyRead,
		Txn: 1, Why: said.Steps("it saw version 2 of (t, 1): T0 had not committed it")}}}
	if got := r.savepoint(&f, &f.Differences[0]); got != finding.CauseDirty {
		t.Errorf("read by another: %q", got)
	}
}

// TestUndone: what a ROLLBACK TO undid is no write that is lost where the contents lack it, and one that is kept where
// they have it.
func TestUndone(t *testing.T) {
	f := finding.Finding{Class: finding.ClassReplay, Differences: []finding.Difference{{What: fault.Final, Table: "t"}}}
	for name, c := range map[string]struct {
		undone bool
		end    int64 // version that the table ends with: T0 wrote 2
		want   finding.Cause
	}{
		"undone":             {true, 1, finding.Cause{}},
		"undone and kept":    {true, 2, finding.CauseKeptTo},
		"committed":          {false, 2, finding.Cause{}},
		"committed and lost": {false, 1, finding.CauseLost},
	} {
		s := update("T0.S0", 0, 1, 2)
		s.Undone, s.VKey = c.undone, 2
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: []observe.ObservedTxn{
			{Outcome: history.Committed}}, Promise: &dbms.Profile{},
			Stmts: []*observe.ObservedStmt{s}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, c.end)}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWriteLock: a write lock that is given to a second transaction goes with what the first one left, and not with
// what the second one did.
func TestWriteLock(t *testing.T) {
	f := finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{{What: fault.WriteLock,
		Steps: said.Steps("T0 had the database's write lock from its BEGIN on, and T1 was given it before T0 had ended")}}}
	for writer, want := range []finding.Cause{finding.CauseKept, finding.Cause{}} {
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: []observe.ObservedTxn{
			{Outcome: history.RolledBack}, {Outcome: history.RolledBack}},
			Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{update("T0.S0", writer, 1, 2)}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 2)}); got != want {
			t.Errorf("T%d wrote what was kept: %q, want %q", writer, got, want)
		}
	}
}

// TestReaderKept: a read goes with what became of the writes that it saw, and not with what became of its own
// transaction's.
func TestReaderKept(t *testing.T) {
	f := finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{{What: fault.DirtyRead,
		Steps: said.Steps("T1 read version (t, 1, 2); T0, which wrote it, began to commit after that")}}}
	for writer, want := range []finding.Cause{finding.CauseKept, finding.CauseDirty} {
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: []observe.ObservedTxn{
			{Outcome: history.RolledBack}, {Outcome: history.RolledBack}},
			Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{update("T0.S0", writer, 1, 2)}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 2)}); got != want {
			t.Errorf("T%d wrote what was kept: %q, want %q", writer, got, want)
		}
	}
}

// TestKeptTo: what a ROLLBACK TO should have undone was kept where the table ends with it, whoever sees it; where it
// does not, the reads that show it are wrong.
func TestKeptTo(t *testing.T) {
	undone := update("T0.S0", 0, 1, 2)
	undone.Undone, undone.Done = true, 10
	erased := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Delete,
		Writes: []history.Write{{Item: row(1), From: 1, To: history.Dead}}}, Target: "t", Undone: true, Done: 10}
	beside := update("T0.S2", 0, 1, 3)
	beside.Sent = 20
	for name, c := range map[string]struct {
		what  fault.Kind
		stmts []*observe.ObservedStmt
		final map[string]*history.Rows
		want  finding.Cause
	}{
		"there in the end": {fault.UndoneWrite, []*observe.ObservedStmt{undone}, ends(1, 2), finding.CauseKeptTo},
		"seen alone": {fault.UndoneWrite, []*observe.ObservedStmt{undone, beside}, ends(1, 3),
			finding.Cause{}},
		"a row erased, by others":    {fault.MissingRow, []*observe.ObservedStmt{erased}, ends(), finding.CauseKeptTo},
		"a row that is there, later": {fault.MissingRow, []*observe.ObservedStmt{erased}, ends(1, 1), finding.CauseMissing},
	} {
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: make([]observe.ObservedTxn, 2),
			Promise: &dbms.Profile{}, Stmts: c.stmts}
		for i := range o.Txns {
			o.Txns[i].Outcome = history.Committed
		}
		reader := "T0.S2"
		if len(c.stmts) == 1 {
			reader = "T1.S0"
		}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: reader, What: c.what}}}
		if got := Of(&f, Facts{Observation: o, Final: c.final}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestNotKept: a row as it was from the start, which the read before an INSERT missed and the one after it did not, is
// none that the INSERT, rolled back, has left; whatever seems to have become of it later.
func TestNotKept(t *testing.T) {
	born := func(txn int) *observe.ObservedStmt {
		return &observe.ObservedStmt{Node: sdg.Node{Name: history.SessionName(txn) + ".S0", Txn: txn, Kind: sqltext.Insert,
			Writes: []history.Write{{Item: row(1), From: history.Unborn, To: 2}}},
			Target: "t", VKey: 2, Affected: 1}
	}
	dead := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S1", Txn: 1, Kind: sqltext.Delete,
		Writes: []history.Write{{Item: row(1), From: 2, To: history.Dead}}}, Target: "t", Affected: 1}
	for _, c := range []struct {
		initial int64
		stmts   []*observe.ObservedStmt
		want    finding.Cause
	}{
		{2, []*observe.ObservedStmt{born(0)}, finding.CauseMissing},
		{2, []*observe.ObservedStmt{born(0), born(1), dead}, finding.CauseMissing},
		{2, []*observe.ObservedStmt{dead, born(0)}, finding.CauseKept}, // it had been deleted
		{3, []*observe.ObservedStmt{born(0)}, finding.CauseKept},
	} {
		o := &observe.Observation{Promise: &dbms.Profile{}, Txns: []observe.ObservedTxn{{Outcome: history.RolledBack},
			{Outcome: history.Committed}}, Stmts: c.stmts,
			Initial: map[string]map[int64]int64{"t": {1: c.initial}}}
		f := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
			{Stmt: "T0.S0", What: fault.MissingRow, Steps: said.Steps("it saw nothing of (t, 1): nobody had changed it")}}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 2)}); got != c.want {
			t.Errorf("version %d at the start, %d statements: %q, want %q", c.initial, len(c.stmts), got, c.want)
		}
	}
}

// TestChangedBefore: what a statement seems to have written and does not count is what a write before it in its
// transaction counts, and is not seen to have written; where that one counts what is seen, is another transaction's, or
// was undone, the statement is miscounted.
func TestChangedBefore(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(before, s *observe.ObservedStmt)
		want   finding.Cause
	}{
		{"it says that it wrote nothing", nil, finding.CauseOwn},
		{"it wrote one of two", func(before, s *observe.ObservedStmt) {
			s.Affected, s.Writes = 1, append(s.Writes, history.Write{Item: row(3), From: history.Unborn, To: 4})
		}, finding.CauseOwn},
		{"two more than it says", func(before, s *observe.ObservedStmt) {
			s.Writes = append(s.Writes, history.Write{Item: row(3), From: history.Unborn, To: 4})
		}, finding.CauseMiscount},
		{"all is seen", func(before, s *observe.ObservedStmt) { before.Affected = 0 }, finding.CauseMiscount},
		{"a row that it changes counts twice", func(before, s *observe.ObservedStmt) {
			before.Affected, before.Replaces, before.Writes = 2, true, []history.Write{{Item: row(1), From: 1, To: 9}}
		}, finding.CauseMiscount},
		{"another transaction's", func(before, s *observe.ObservedStmt) { before.Txn = 1 }, finding.CauseMiscount},
		{"undone", func(before, s *observe.ObservedStmt) { before.Undone = true }, finding.CauseMiscount},
	} {
		before := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", Affected: 1,
			Sent: 1, Done: 2}
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S1", Kind: sqltext.Insert,
			Writes: []history.Write{{Item: row(2), From: history.Unborn, To: 3}}}, Target: "t", Sent: 3, Done: 4}
		if c.change != nil {
			c.change(before, s)
		}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{before, s},
			Txns:     []observe.ObservedTxn{{Outcome: history.Committed}, {Outcome: history.Committed}},
			Contents: map[string]bool{"t": true}, Initial: map[string]map[int64]int64{"t": {1: 1}}}
		o.Name = func(string) func(*history.Rows, int) (history.Version, bool) {
			return func(*history.Rows, int) (history.Version, bool) { return history.Version{}, false }
		}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
			{Stmt: "T0.S1", Kind: "INSERT", What: "affected-versus-written"}}}
		if got := Of(&f, Facts{Observation: o}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMadeLater: an INSERT whose row no read shows before a DELETE of all rows seems to make it has written it; the
// reads missed it.
func TestMadeLater(t *testing.T) {
	for made, want := range map[int64]finding.Cause{3: finding.CauseOwn, 4: finding.CauseNone} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", VKey: 3, Affected: 1,
			Sent: 1, Done: 2,
			Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Spells: 1}}}}
		all := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S1", Kind: sqltext.Delete,
			Writes: []history.Write{{Item: row(2), From: history.Unborn, To: history.State(made)}}}, Target: "t",
			Affected: 2, Sent: 3, Done: 4}
		o := &observe.Observation{Promise: &dbms.Profile{}, Stmts: []*observe.ObservedStmt{s, all},
			Txns:    []observe.ObservedTxn{{Outcome: history.Committed}},
			Initial: map[string]map[int64]int64{"t": {1: 1}}}
		f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
			{Stmt: "T0.S0", Kind: "INSERT", What: "affected-versus-written"}}}
		if got := Of(&f, Facts{Observation: o, Final: ends()}); got != want {
			t.Errorf("version %d: %q, want %q", made, got, want)
		}
	}
}
