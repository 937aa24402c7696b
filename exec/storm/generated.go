package storm

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/oracle/replay"
	"txweave/sql/sqltext"
)

// How often a query of the generator's is followed by others: one in so many.
const (
	setShare  = 2 // by a read of the versions of its tables
	copyShare = 3 // by the same of copies of its tables
	// opaqueReferences is how many tables a query may read for its conditions to be hidden: no index helps to join them
	// then.
	opaqueReferences = 2
	lockingCopies    = 8 // by that where it locks all rows of them
	matchingShare    = 2 // an UPDATE by a query for the rows that its condition holds of
)

// slowQuery is how long a query may take that is to be sent again: a join of joins over all rows, beside which nothing
// else is done.
const slowQuery = 250 * time.Millisecond

// endless is when a query is ended that runs inside this process, and takes the time of all others.
const endless = time.Second

// generated is a request of a statement of the generator's, or of a query about it.
func generated(s *workload.Generated, sql string, query bool) *request {
	q := plain(sql, query)
	if !query {
		q.act = writes
	}
	if s.Keyed {
		q.table, q.lo, q.hi = s.Table, s.Key, s.Key
	}
	return q
}

// hurried sends a query of the generator's, which is ended where it does not end soon, and is sent no more then.
func (t *tx) hurried(s *workload.Generated, sql string) (a history.Answer, start, end int64, err error) {
	if !t.profile.Embedded {
		return t.send(t.ctx, generated(s, sql, true))
	}
	var mu sync.Mutex // what comes behind the query is not ended in its place
	conn, answered := t.conn, false
	timer := time.AfterFunc(endless, func() {
		mu.Lock()
		defer mu.Unlock()
		if !answered {
			t.retire(s.TooLong())
			_ = t.target.Kill(t.ctx, conn)
		}
	})
	defer timer.Stop()
	a, start, end, err = t.send(t.ctx, generated(s, sql, true))
	mu.Lock()
	defer mu.Unlock()
	answered = true
	return a, start, end, err
}

// Send sends a statement of the generator's and learns what it did from reads of its transaction, or, where the
// transaction keeps what it reads, from the same query of copies of its tables, in which no index takes part.
func (t *tx) Send(s *workload.Generated) error {
	switch {
	case s.Info.Kind == sqltext.Select && !s.Info.Locking:
		return t.ask(s)
	case s.Info.Kind == sqltext.Select:
		return t.askLocking(s)
	case s.Info.Kind == sqltext.Delete:
		return t.remove(s)
	}
	return t.change(s)
}

// opens notes that a statement may have taken the transaction's snapshot: a query that failed, one in which some part
// locks nothing, one whose condition nothing can meet, so that no row is looked at.
func (t *tx) opens(start, end int64) error {
	return t.emit(history.Operation{Kind: history.OpRead, Outcome: history.OpFailed, Start: start, End: end})
}

// failed notes a statement that the database answered with an error of the statement and its data; ran says that it has
// been answered without one before.
func (t *tx) failed(ran bool, sql string, a history.Answer, start, end int64) error {
	if t.profile.Errors.Impossible.Has(a.Err.Code, a.Err.Message) || ran && t.profile.Errors.Malformed.Has(a.Err.Code,
		a.Err.Message) {
		return t.unexpected(sql, a)
	}
	if err := t.opens(start, end); err != nil {
		return err
	}
	if t.profile.Transactions.Loss == dbms.ErrorsEnd {
		t.failedAt = start
		return errAborted
	}
	return nil
}

// ask sends a query that locks nothing, unless all do.
func (t *tx) ask(s *workload.Generated) error {
	a, start, end, err := t.hurried(s, s.SQL)
	if err != nil {
		return err
	}
	keeps := t.profile.SnapshotScope() == dbms.PerTransaction && t.profile.ReadModes.SelectView == dbms.Snapshot
	if a.Err != nil {
		return t.failed(s.Ran.Load(), s.SQL, a, start, end)
	}
	s.Ran.Store(true)
	intent, _ := t.readLock(false)
	if intent == history.LockNone { // it waits for nobody
		t.retire(s.Took(time.Duration(end-start) > slowQuery))
	}
	if len(s.Reads) == 0 {
		return nil
	}
	if intent == history.LockNone {
		if err := t.opens(start, end); err != nil {
			return err
		}
	}
	switch {
	case !keeps && intent == history.LockNone:
	case len(t.born) > 0: // or rows may be there twice
	case t.rng.IntN(copyShare) == 0 && (keeps || t.rng.IntN(lockingCopies) == 0):
		if err := t.askAgain(s, a.Rows); err != nil {
			return err
		}
	}
	if intent == history.LockNone && t.rng.IntN(setShare) == 0 {
		return t.versions(s.Reads)
	}
	return nil
}

// retire counts a query that is sent no more.
func (t *tx) retire(was bool) {
	if was {
		t.retired++
	}
}

// askAgain asks the same of copies of the tables, whose rows are those that the transaction saw a moment ago, or with
// conditions of which the planner learns nothing.
func (t *tx) askAgain(s *workload.Generated, before *history.Rows) error {
	setting, never := t.profile.PlanSetting("copies"), &s.NoCopies
	if (never.Load() || t.rng.IntN(2) == 0) && s.References <= opaqueReferences {
		setting, never = t.profile.PlanSetting(dbms.OpaqueName), &s.NoOpaque
	}
	sql := setting.Query(s.SQL)
	if sql == s.SQL || never.Load() {
		return nil
	}
	a, start, end, err := t.hurried(s, sql)
	switch {
	case err != nil:
		return err
	case a.Err != nil:
		// a recursion or a hint that copies cannot have, a column that depends on others by an equality which is hidden
		never.Store(true)
		return t.failed(s.Ran.Load(), sql, a, start, end)
	}
	if time.Duration(end-start) > 4*slowQuery {
		never.Store(true)
	}
	if d, same := replay.SameRows(before, a.Rows); !same {
		return t.contradicted(WrongAnswer{Class: finding.ClassPlan, What: fault.Rows, Shape: differs(s), Statement: s.SQL,
			Detail: fmt.Sprintf("it answered %s; %s answered, in the same transaction, %s", d.Transaction, sql, d.Replay)})
	}
	return nil
}

// differs names a difference between a query and the same of copies by what in it optimizers are known to get wrong, so
// that one bug which comes all the time does not stand in the place of others.
func differs(s *workload.Generated) string {
	var has []string
	if s.Rollup {
		has = append(has, "with rollup")
	}
	if s.Windows {
		has = append(has, "of windows")
	}
	return strings.Join(has, ", ")
}

// versions reads the versions of all rows of tables.
func (t *tx) versions(tables []int) error {
	for _, table := range tables {
		if _, err := t.read(table, 0, maxKey, workload.Where{}, false); err != nil {
			return err
		}
	}
	return nil
}

// askLocking sends a query that locks what it reads; which rows these are is not known.
func (t *tx) askLocking(s *workload.Generated) error {
	a, start, end, err := t.send(t.ctx, generated(s, s.SQL, true))
	switch {
	case err != nil:
		return err
	case a.Err != nil:
		return t.failed(s.Ran.Load(), s.SQL, a, start, end)
	}
	if s.Info.LocksSome || s.Info.LockedBlocks < s.Info.Blocks {
		return t.opens(start, end)
	}
	return t.emit(history.Operation{Kind: history.OpWrite, Start: start, End: end})
}

// change sends an INSERT or UPDATE. The rows that it wrote bear its version, and the one that they had before.
func (t *tx) change(s *workload.Generated) error {
	n := t.next()
	sql := strings.ReplaceAll(s.SQL, s.Mark, strconv.FormatInt(n, 10))
	a, start, end, err := t.send(t.ctx, generated(s, sql, false))
	if err != nil {
		return err
	}
	if a.Err != nil {
		return t.failed(s.Ran.Load(), sql, a, start, end)
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	if s.Adds > 0 && a.Affected != int64(s.Adds) {
		return t.wrong(fault.Affected, sql, fmt.Sprintf("%d rows affected", a.Affected))
	}
	if a.Affected == 0 {
		if err := t.emit(op); err != nil {
			return err
		}
		return t.complete(s, sql, n)
	}
	t.held = true
	seen, err := t.written(s, n, &op)
	t.held = false
	if err != nil {
		return err
	}
	if err := t.emit(op); err != nil {
		return err
	}
	if len(s.Writes) == 1 && (s.Info.Kind == sqltext.Update || s.Info.Plain) && int64(len(op.Writes)) != a.Affected {
		return t.wrong(fault.Affected, sql, fmt.Sprintf("%d rows affected, and then %d have its version", a.Affected,
			len(op.Writes)))
	}
	intent, _ := t.readLock(false)
	if err := t.emit(history.Operation{Kind: history.OpRead, Lock: intent, Start: seen.Start, End: seen.End,
		Reads: op.Writes}); err != nil {
		return err
	}
	return t.complete(s, sql, n)
}

// written reads the rows that bear the version of a write, notes in its operation what it wrote and overwrote, and
// returns when it was read.
func (t *tx) written(s *workload.Generated, n int64, op *history.Operation) (seen history.Operation, err error) {
	for _, table := range s.Writes {
		after := fmt.Sprintf("SELECT pkey, vkey, v, pvkey FROM %s WHERE vkey = %d", t.table(table), n)
		rows, replaced, start, end, err := t.query(plain(after, true), 0, maxKey)
		if err != nil {
			return seen, err
		}
		if seen.Start == 0 {
			seen.Start = start
		}
		seen.End = end
		for i, r := range rows {
			op.Writes = append(op.Writes, holding(table, r.Key, n, r.Value))
			t.wrote(table, r.Key, n, r.Value, op.End)
			switch old := replaced[i]; {
			case s.Info.Kind == sqltext.Update || old > 0 && old != n:
				before := access(table, r.Key, old)
				before.Payload = history.PayloadOf(r.Value) // which none of these statements changes
				op.Reads = append(op.Reads, before)
			case t.profile.KeysReborn:
				t.reborn(table, r.Key, n)
			case s.Info.Plain:
				op.Reads = append(op.Reads, access(table, r.Key, history.Absent))
			}
		}
	}
	return seen, nil
}

// complete asks which rows the condition of an UPDATE holds of when it has ended. Where nobody else could change or add
// a row that it was to look at, each of them bears its version: what it did not write is as it was, and met the
// condition then, too.
func (t *tx) complete(s *workload.Generated, sql string, version int64) error {
	if s.Matching == "" || !t.profile.GapLocks && !t.profile.FixedViews() || t.rng.IntN(matchingShare) > 0 {
		return nil
	}
	a, start, end, err := t.send(t.ctx, generated(s, s.Matching, true))
	if err != nil {
		return err
	}
	if a.Err != nil {
		return t.failed(true, s.Matching, a, start, end)
	}
	rows, _, err := t.rows(a, s.Matching, 0, maxKey)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Version != version {
			return t.wrong(fault.PassedOver, sql,
				fmt.Sprintf("row %d of version %d is not written; right after it %s finds the row", r.Key, r.Version, s.Matching))
		}
	}
	if t.profile.DMLView == dbms.Current {
		return t.emit(history.Operation{Kind: history.OpWrite, Start: start, End: end})
	}
	return t.opens(start, end)
}

// remove sends a DELETE after a read of the rows that it is about to remove, and asks which of them are there still.
// Where it removed others, too, as it may where nothing keeps rows from coming, nobody knows what the transaction did:
// it is given up.
func (t *tx) remove(s *workload.Generated) error {
	table := s.Writes[0]
	a, start, end, err := t.send(t.ctx, generated(s, s.Before, true))
	if err != nil {
		return err
	}
	if a.Err != nil {
		return t.failed(s.Ran.Load(), s.Before, a, start, end)
	}
	rows, _, err := t.rows(a, s.Before, 0, maxKey)
	if err != nil {
		return err
	}
	intent, _ := t.readLock(true)
	if s.Info.Subquery {
		if err := t.opens(start, start); err != nil {
			return err
		}
	}
	before := history.Operation{Kind: history.OpRead, Lock: intent, Start: start, End: end}
	for _, r := range rows {
		before.Reads = append(before.Reads, access(table, r.Key, r.Version))
	}
	if err := t.emit(before); err != nil {
		return err
	}
	a, start, end, err = t.send(t.ctx, generated(s, s.SQL, false))
	if err != nil {
		return err
	}
	if a.Err != nil {
		return t.failed(s.Ran.Load(), s.SQL, a, start, end)
	}
	s.Ran.Store(true)
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	if a.Affected != int64(len(rows)) {
		return workload.ErrRollback
	}
	if len(rows) == 0 {
		return t.emit(op)
	}
	keys := make([]string, len(rows))
	var gone []history.Access
	for i, r := range rows {
		keys[i] = strconv.FormatInt(r.Key, 10)
		op.Reads = append(op.Reads, access(table, r.Key, r.Version))
		gone = append(gone, access(table, r.Key, history.Absent))
		t.wrote(table, r.Key, -t.next(), 0, end)
	}
	op.Writes = gone
	t.held = true
	left, _, start, end, err := t.query(plain(fmt.Sprintf("SELECT pkey, vkey, v FROM %s WHERE pkey IN (%s)",
		t.table(table),
		strings.Join(keys, ", ")), true), 0, maxKey)
	t.held = false
	switch {
	case err != nil:
		return err
	case len(left) > 0:
		return workload.ErrRollback
	}
	if err := t.emit(op); err != nil {
		return err
	}
	intent, _ = t.readLock(false)
	return t.emit(history.Operation{Kind: history.OpRead, Lock: intent, Start: start, End: end, Reads: gone})
}
