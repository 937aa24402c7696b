package cause

import (
	"cmp"
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

// update is an UPDATE of row 1 of t that overwrote one version with another.
func update(name string, txn int, from, to int64) *observe.ObservedStmt {
	return &observe.ObservedStmt{Node: sdg.Node{Name: name, Txn: txn, Kind: sqltext.Update,
		Writes: []history.Write{{Item: row(1), From: history.State(from), To: history.State(to)}}},
		Target: "t", VKey: to, Affected: 1}
}

func row(pkey int64) history.Item { return history.Item{Table: "t", PKey: pkey} }

// ends are contents of t: pkey, vkey, pkey, vkey, …
func ends(keys ...int64) map[string]*history.Rows {
	rows := &history.Rows{Columns: []string{sqltext.PKey, sqltext.VKey}}
	for _, k := range keys {
		rows.Cells = append(rows.Cells, history.IntValue(k))
	}
	return map[string]*history.Rows{"t": rows}
}

// TestOf checks causes that more than one kind of finding shows, and beside each what must not be taken for it.
func TestOf(t *testing.T) {
	stale := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
		{Stmt: "T1.S0", What: "stale-read", Steps: said.Steps("T0 had committed that")}}}
	replay := func(what ...fault.Kind) finding.Finding {
		f := finding.Finding{Class: finding.ClassReplay}
		for _, w := range what {
			f.Differences = append(f.Differences, finding.Difference{Stmt: "T0.S0", Kind: "UPDATE", What: w})
		}
		return f
	}
	refused := func(transaction, replay finding.Side) finding.Finding {
		return finding.Finding{Class: finding.ClassReplay, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "UPDATE",
			What:        fault.Error,
			Transaction: transaction, Replay: replay}}}
	}
	count := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T0.S0", Kind: "DELETE", What: "affected-versus-written"}}}
	erased := func(seen map[int64]int64) *observe.ObservedStmt {
		return &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Delete,
			Reads: []sdg.TableRead{{Table: "t", Seen: seen}}}, Target: "t", Affected: 1}
	}
	// What is told of one row by its contents: an INSERT or UPDATE that says that it wrote.
	told := func(kind sqltext.Kind, name string, sent int64, writes ...history.Write) *observe.ObservedStmt {
		return &observe.ObservedStmt{Node: sdg.Node{Name: name, Kind: kind, Writes: writes}, Target: "t", Affected: 1,
			Sent: sent, Done: sent + 1}
	}
	unseen := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update}, Target: "t", VKey: 2, Affected: 1}
	// An UPDATE whose search finds a row that it does not write.
	passes := func(affected int64) *observe.ObservedStmt {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update}, Target: "t", VKey: 2,
			Affected: affected}
		s.Matched = map[int64]int64{1: 1}
		return s
	}
	for _, c := range []struct {
		name  string
		f     finding.Finding
		stmts []*observe.ObservedStmt
		final map[string]*history.Rows
		want  finding.Cause
	}{
		{"two commits lost, one after the other", stale, []*observe.ObservedStmt{update("T0.S0", 0, 1, 3),
			update("T1.S0", 1, 1, 2)}, ends(1, 1), finding.CauseLost},
		{"an update lost, by a stale read", stale, []*observe.ObservedStmt{update("T0.S0", 0, 1, 3),
			update("T1.S0", 1, 1, 2)}, ends(1, 2), finding.CauseStale},
		{"the later commit lost", stale, []*observe.ObservedStmt{update("T0.S0", 0, 1, 3), update("T1.S0", 1, 3, 2)},
			ends(1, 3), finding.CauseStale},
		{"a replay that differs in counts", replay(fault.AffectedRows), []*observe.ObservedStmt{update("T0.S0", 0, 1, 2)},
			ends(1, 2), finding.CauseMiscount},
		{"… and in rows", replay(fault.AffectedRows, fault.Rows), []*observe.ObservedStmt{update("T0.S0", 0, 1, 2)},
			ends(1, 2), finding.Cause{}},
		{"… and in what an UPDATE left that passes over a row", replay(fault.AffectedRows, fault.Final),
			[]*observe.ObservedStmt{passes(0)}, ends(1, 1), finding.Cause{Kind: fault.PassesOver, Of: "UPDATE"}},
		{"… that counts it", replay(fault.AffectedRows, fault.Final), []*observe.ObservedStmt{passes(1)}, ends(1, 1),
			finding.Cause{}},
		{"a replay beside a write that the reads missed", replay(fault.Rows), []*observe.ObservedStmt{unseen}, ends(1, 2),
			finding.CauseOwn},
		{"a key that is there to one of them",
			refused(finding.Answered(&history.DBError{Code: 2067, Message: "UNIQUE constraint failed: t.c0"}),
				finding.Answered(nil)),
			[]*observe.ObservedStmt{update("T0.S0", 0, 1, 2)}, ends(1, 2), finding.CauseKey},
		{"… to the other, by another index", refused(finding.Answered(nil), finding.Answered(&history.DBError{Code: 1555,
			Message: "UNIQUE constraint failed: t.pkey"})),
			[]*observe.ObservedStmt{update("T0.S0", 0, 1, 2)}, ends(1, 2), finding.CauseKey},
		{"… as a commit was lost", refused(finding.Answered(nil), finding.Answered(&history.DBError{Code: 2067,
			Message: "x"})), []*observe.ObservedStmt{update("T0.S0", 0, 1, 2)}, ends(1, 1),
			finding.CauseLost},
		{"two keys that are there", refused(finding.Answered(&history.DBError{Code: 1555, Message: "x"}),
			finding.Answered(&history.DBError{Code: 2067, Message: "x"})),
			[]*observe.ObservedStmt{update("T0.S0", 0, 1, 2)}, ends(1, 2), finding.Cause{}},
		{"another error", refused(finding.Answered(&history.DBError{Code: 787, Message: "FOREIGN KEY constraint failed"}),
			finding.Answered(nil)), []*observe.ObservedStmt{update("T0.S0", 0, 1, 2)},
			ends(1, 2), finding.Cause{}},
		{"an UPDATE whose change the reads missed", replay(fault.Rows), []*observe.ObservedStmt{told(sqltext.Update, "T0.S0",
			1)}, ends(1, 2), finding.CauseOwn},
		{"… that changed nothing", replay(fault.Rows), []*observe.ObservedStmt{told(sqltext.Update, "T0.S0", 1)}, ends(1, 1),
			finding.Cause{}},
		{"a DELETE that had nothing to delete", count, []*observe.ObservedStmt{erased(map[int64]int64{})}, ends(),
			finding.CauseMiscount},
		{"a DELETE that the read after it missed", count, []*observe.ObservedStmt{erased(map[int64]int64{1: 1})}, ends(),
			finding.CauseOwn},
		{"a DELETE that left what it had to delete", count, []*observe.ObservedStmt{erased(map[int64]int64{1: 1})},
			ends(1, 1), finding.Cause{}},
	} {
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: make([]observe.ObservedTxn, 2),
			Stmts:   c.stmts,
			Promise: &dbms.Profile{Errors: dbms.Errors{Duplicate: []int{1555, 2067}}}, Matches: func(int, history.Version) (
				match, known bool) {
				return true, true
			}}
		for i := range o.Txns {
			o.Txns[i].Outcome = history.Committed
		}
		if got := Of(&c.f, Facts{Observation: o, Final: c.final}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestUnseenByWriters: a write that the reads around it missed, and that somebody reads or overwrites later, was made,
// whatever is there in the end; one that nobody has seen was not.
func TestUnseenByWriters(t *testing.T) {
	insert := func() *observe.ObservedStmt {
		return &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", VKey: 2,
			Affected: 1, Done: 1,
			Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Spells: 1}}}}
	}
	after := func(s *observe.ObservedStmt, sent int64) *observe.ObservedStmt {
		s.Sent, s.Done = sent, sent+1
		return s
	}
	reader := func(vkey int64) *observe.ObservedStmt {
		return &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Select,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: vkey}}}}}
	}
	eraser := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Delete,
		Writes: []history.Write{{Item: row(1), From: 2, To: history.Dead}}}, Target: "t"}
	none := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T0.S0", Kind: "INSERT", What: "affected-versus-written"}}}
	for _, c := range []struct {
		name  string
		f     finding.Finding
		stmts []*observe.ObservedStmt
		want  finding.Cause
	}{
		{"read by another one", none, []*observe.ObservedStmt{insert(), after(reader(2), 5)}, finding.CauseOwn},
		{"deleted by another one", none, []*observe.ObservedStmt{insert(), after(eraser, 5)}, finding.CauseOwn},
		{"another row", none, []*observe.ObservedStmt{insert(), after(reader(7), 5)}, finding.CauseNone},
		{"read before", none, []*observe.ObservedStmt{insert(), after(reader(2), 0)}, finding.CauseNone},
	} {
		o := &observe.Observation{Txns: make([]observe.ObservedTxn, 2), Stmts: c.stmts, Promise: &dbms.Profile{}}
		for i := range o.Txns {
			o.Txns[i].Outcome = history.Committed
		}
		if got := Of(&c.f, Facts{Observation: o, Final: ends()}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCounted: a COUNT of a table that is another number than a read beside it finds is wrong by itself; an answer that
// has a row for each is not.
func TestCounted(t *testing.T) {
	f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T0.S0", Kind: "SELECT", What: "count-versus-seen"}}}
	for _, c := range []struct {
		counts bool
		want   finding.Cause
	}{{true, finding.CauseCount}, {false, finding.Cause{}}} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Select,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1, 2: 2}}}},
			Search: []observe.PredicateRead{{Table: "t"}}}
		s.Run = &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{RowCount: sqltext.RowCount{Told: true,
			Counts: c.counts}}}}
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1, 2: 2}}, Txns: make([]observe.ObservedTxn,
			1), Stmts: []*observe.ObservedStmt{s}, Promise: &dbms.Profile{}}
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 1, 2, 2)}); got != c.want {
			t.Errorf("counts %v: %q, want %q", c.counts, got, c.want)
		}
	}
}

// TestUnknownSearch: where a SELECT and a write with one WHERE clause find other rows, and the database cannot say of
// which it is true, an index may be why; where there is none, or the database says that it is true for neither, the
// write is to blame.
func TestUnknownSearch(t *testing.T) {
	f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T0.S0", Kind: "UPDATE", What: "matched-versus-written"}}}
	for _, c := range []struct {
		indexed, known bool
		want           finding.Cause
	}{{true, false, finding.CauseSearch}, {false, false, finding.Cause{Kind: fault.WritesOthers, Of: "UPDATE"}},
		{true, true, finding.Cause{Kind: fault.WritesOthers, Of: "UPDATE"}}} {
		s := update("T0.S0", 0, 1, 2)
		s.Matched = map[int64]int64{}
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: make([]observe.ObservedTxn, 1),
			Stmts:   []*observe.ObservedStmt{s},
			Promise: &dbms.Profile{}, Matches: func(int, history.Version) (match, known bool) { return false, c.known }}
		o.Txns[0].Outcome = history.Committed
		if got := Of(&f, Facts{Observation: o, Final: ends(1, 2), Indexed: c.indexed}); got != c.want {
			t.Errorf("indexes %v, known %v: %q, want %q", c.indexed, c.known, got, c.want)
		}
	}
}

// TestLetIn: who is given the database's one write lock while another one has written and not ended, and sees what that
// wrote, does not read what is newer than its snapshot: the other one's lock was gone, and its writes there for all.
func TestLetIn(t *testing.T) {
	newer := finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
		{Stmt: "T1.S0", What: fault.NewerRead, Steps: said.Steps("T0 committed it after")}}}
	for _, c := range []struct {
		name           string
		order          dbms.OrderSource
		written, ended int64 // by T0
		locks          bool  // T1's BEGIN takes the lock, which was answered at 20
		want           finding.Cause
	}{
		{"beside one that has written", dbms.OneWriterAtOnce, 10, 30, true, finding.CauseDirty},
		{"beside one that writes later", dbms.OneWriterAtOnce, 25, 30, true, finding.CauseNewer},
		{"after one", dbms.OneWriterAtOnce, 10, 15, true, finding.CauseNewer},
		{"without the lock", dbms.OneWriterAtOnce, 10, 30, false, finding.CauseNewer},
		{"where several write at once", dbms.BinaryLog, 10, 30, true, finding.CauseNewer},
	} {
		w := update("T0.S0", 0, 1, 2)
		w.Done = c.written
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: make([]observe.ObservedTxn, 2),
			Promise: &dbms.Profile{Order: c.order},
			Stmts:   []*observe.ObservedStmt{w}, Events: []observe.Moment{{Kind: observe.Begin, Txn: 1,
				Snapshot: c.locks, End: 20}}}
		o.Txns[0].Sent, o.Txns[0].Outcome, o.Txns[1].Sent = c.ended, history.Committed, 99
		if got := Of(&newer, Facts{Observation: o, Final: ends(1, 2)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOvertaken: a write that seems to have done what another transaction had done before it was read around by reads
// of which one was late or early; which of them, when that transaction had ended tells.
func TestOvertaken(t *testing.T) {
	odd := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T1.S0", Kind: "UPDATE", What: "affected-versus-written"}}}
	for _, c := range []struct {
		name        string
		ended       int64 // T0, at
		began, from int64 // T1, at; from which version
		want        finding.Cause
	}{
		{"missed before", 20, 30, 1, finding.CauseStale},
		{"seen too early after", 40, 30, 1, finding.CauseNewer},
		{"of another version", 20, 30, 5, finding.CauseMiscount},
	} {
		first, second := update("T0.S0", 0, 1, 2), update("T1.S0", 1, c.from, 2)
		first.Done, second.Sent, second.VKey = 10, 50, 2
		o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1}}, Txns: make([]observe.ObservedTxn, 2),
			Promise: &dbms.Profile{},
			Stmts:   []*observe.ObservedStmt{first, second}}
		for i := range o.Txns {
			o.Txns[i].Outcome = history.Committed
		}
		o.Txns[0].Done, o.Txns[1].Began = c.ended, c.began
		if got := Of(&odd, Facts{Observation: o, Final: ends(1, 2)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestEnded: where a COMMIT and the ROLLBACK after it both find no transaction, it had ended before; a COMMIT that is
// refused and rolled back, or another transaction's ROLLBACK, says nothing of that.
func TestEnded(t *testing.T) {
	f := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Kind: "COMMIT", What: "failed-commit", Steps: said.Steps("COMMIT of T1: error 1: x")}}}
	failed := func(txn int, sql string) *history.Event {
		return &history.Event{Txn: txn, Role: history.End, Text: sql, Answer: history.Answer{Err: &history.DBError{Code: 1}}}
	}
	for _, c := range []struct {
		errors []*history.Event
		want   finding.Cause
	}{
		{[]*history.Event{failed(1, "COMMIT"), failed(1, "ROLLBACK")}, finding.CauseEnded},
		{[]*history.Event{failed(1, "COMMIT")}, finding.Cause{}},
		{[]*history.Event{failed(1, "COMMIT"), failed(0, "ROLLBACK")}, finding.Cause{}},
	} {
		o := &observe.Observation{Txns: make([]observe.ObservedTxn, 2), Errors: c.errors, Promise: &dbms.Profile{}}
		if got := Of(&f, Facts{Observation: o}); got != c.want {
			t.Errorf("%d errors: %q, want %q", len(c.errors), got, c.want)
		}
		lost := finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
			{Stmt: "T1.S1", Kind: "ROLLBACK TO", What: "lost-savepoint"}}}
		if got := Of(&lost, Facts{Observation: o}); got != cmp.Or(c.want, finding.CauseGone) {
			t.Errorf("a savepoint, %d errors: %q, want %q", len(c.errors), got, c.want)
		}
	}
}

// TestDamage: what the database says of itself, in answer to a statement or asked for it, is one cause for an index
// that disagrees with its table and one for all other damage; what says nothing of damage is neither.
func TestDamage(t *testing.T) {
	whole := func(shape, said string) finding.Difference {
		return finding.Difference{What: fault.Integrity, Shape: shape, Transaction: finding.Side{Said: said}}
	}
	answered := func(sql string, code int, message string) finding.Difference {
		return finding.Difference{What: fault.UnexpectedError, Code: code,
			Steps: finding.Sentences{finding.Say("%v: %v", finding.Query(sql), &history.DBError{Code: code, Message: message})}}
	}
	unlike := func(of string) finding.Cause { return finding.Cause{Kind: fault.UnexpectedError, Of: of} }
	for _, c := range []struct {
		class string
		d     finding.Difference
		want  finding.Cause
	}{
		{finding.ClassCorruption, whole("row N missing from index N", "row 3 missing from index i0"), finding.CauseIndex},
		{finding.ClassCorruption, whole("a foreign key of N names a row that N does not have",
			"a foreign key of t1 names a row that t0 does not have"), finding.CauseOrphan},
		{finding.ClassCorruption, whole("Page N: never used", "Page 5: never used"), finding.CauseDamaged},
		{finding.ClassCorruption, whole("N Corrupt: InnoDB: Index N is marked as corrupted",
			"d.t0: Corrupt: InnoDB: Index t0_v is marked as corrupted"), finding.CauseIndex},
		{finding.ClassCorruption, answered("SELECT * FROM t", 11, "database disk image is malformed (11)"),
			finding.CauseDamaged},
		{finding.ClassCorruption, answered("CREATE INDEX i ON t (a)", 1, "table t already exists (1)"),
			unlike("1 table t already exists (N)")},
		{finding.ClassUnexpected, answered("UPDATE t SET a = 1", 779, "database disk image is malformed (779)"),
			finding.CauseIndex},
		{finding.ClassUnexpected, answered("UPDATE t SET a = 1", 8223, "data inconsistency in table: t, index: i, handle: 1"),
			finding.CauseIndex},
		{finding.ClassUnexpected, answered("SELECT 1 FROM t", 1, "no such table: t (1)"), unlike("1 no such table: t (N)")},
		{finding.ClassUnexpected, answered("DELETE r0, r1 FROM t AS r0 JOIN u AS r1", 1105,
			"runtime error: index out of range [9] with length 8"),
			unlike("1105 runtime error: index out of range [N] with length N")},
		{finding.ClassCorruption, answered("SELECT * FROM t ORDER BY pkey", 1, "no such table: t (1)"),
			unlike("1 no such table: t (N)")},
	} {
		f := finding.Finding{Class: c.class, Differences: []finding.Difference{c.d}}
		if got := Of(&f, Facts{}); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.class, c.d.Told(), got, c.want)
		}
	}
	plan := finding.Finding{Class: finding.ClassPlan, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "SELECT",
		What: fault.Rows}}}
	for indexed, want := range map[bool]finding.Cause{true: finding.CauseSearch, false: {}} {
		o := &observe.Observation{Promise: &dbms.Profile{}}
		if got := Of(&plan, Facts{Observation: o, Indexed: indexed}); got != want {
			t.Errorf("another plan finds other rows, indexes %v: %q, want %q", indexed, got, want)
		}
	}
}
