package storm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
)

// What ends a transaction early, beside workload.ErrRollback.
var (
	errAborted = errors.New("the database rolled back")
	errBroken  = errors.New("the connection broke")
)

// session runs transactions over one connection.
type session struct {
	*storm
	id       int
	conn     *exec.Session
	sink     Sink
	rng      *rand.Rand
	memory   workload.SessionMemory
	record   recorder
	hit      atomic.Bool // a nemesis has ended the connection
	openedAt int64       // of the connection, ns

	txn         int64       // number of the open transaction, unique in the storm
	wrote       bool        // it has written
	open        bool        // the database has said that it is, and what would end it has not been sent
	branch      branch      // it is one of XA's
	interrupted bool        // it was ended by something outside the database's doing
	version     int64       // the last one that was used
	begun       int64       // ns
	committing  int64       // when COMMIT was sent; 0: not yet
	stamps      exec.Stamps // of the last transaction
	snapshot    history.Snapshot
	failedAt    int64 // start of the statement that ended the transaction
	op          history.Operation
	activity    activity
	delays      delays
	// held says that an operation that began before the statement being sent is still to be emitted.
	held bool

	transactions, committed, aborted, rolledBack, unknown, settled, statements, resent, retired int64

	errors map[int]int64
}

// loop runs transactions until the storm is over.
func (s *session) loop(ctx context.Context) {
	for !s.stop.Load() && !s.enough() {
		s.activity.set("waits for the verifier", s.txn, s.now())
		s.sink.Ready(s.now)
		program, across := s.across()
		if !across {
			program = s.opt.Workload.Next(s.rng, &s.memory)
		}
		if err := s.limited(ctx, func() error { return s.transaction(ctx, program) }); err != nil && !s.again(ctx, err) {
			return
		}
	}
}

// enough says whether as many transactions have committed as there are to be, and ends the storm then.
func (s *session) enough() bool {
	enough := s.opt.Transactions > 0 && s.acknowledged.Load() >= int64(s.opt.Transactions)
	if enough {
		s.stop.Store(true)
	}
	return enough
}

// again makes a new connection where the old one broke and the database lives.
func (s *session) again(ctx context.Context, err error) bool {
	if !errors.Is(err, errBroken) {
		s.fail(err)
		return false
	}
	s.conn.Close()
	var conn *exec.Session
	for since := s.now(); conn == nil; {
		if !s.struck() && !s.lost(ctx, s.openedAt, err) {
			return false
		}
		s.activity.set("opens a new connection", s.txn, s.now())
		if s.away.Load() > 0 { // it is being started again, which takes as long as it takes
			since = s.now()
		}
		var oerr error
		switch conn, oerr = s.connect(ctx); {
		case oerr == nil:
		case s.opt.receipts() && s.now()-since < int64(reopenTime): // what is done to the database was done to it again
			time.Sleep(pause)
		default:
			s.fail(oerr)
			return false
		}
	}
	s.mu.Lock() // the watch looks at it
	s.conn = conn
	s.mu.Unlock()
	s.openedAt = s.now()
	return true
}

// final reads every table, so that what was written last is read once: again, where a nemesis had ended the connection,
// or what ran on it, and that is noticed only now.
func (s *session) final(ctx context.Context) {
	for range finals {
		s.interrupted = false
		err := s.transaction(ctx, s.readAll)
		if err == nil && !s.interrupted && s.opt.Workload.Audit != nil {
			err = s.transaction(ctx, s.opt.Workload.Audit)
		}
		if err != nil && !s.again(ctx, err) || err == nil && !s.interrupted {
			return
		}
	}
}

// finals is how often the last read is tried: nemeses have ended by then, so what they left strikes once or twice.
const finals = 4

// readAll is a transaction that reads every table, where there is an index over that, too.
func (s *session) readAll(t workload.Tx) error {
	for i := range s.opt.Workload.Tables {
		if _, err := t.Scan(i, 0, maxKey, workload.Where{}, false); err != nil {
			return err
		}
		if !s.opt.receipts() {
			continue
		}
		if err := t.(*tx).scanIndex(i); err != nil {
			return err
		}
	}
	return nil
}

// maxKey is above all keys.
const maxKey = 1 << 50

// unique returns a number that no session has used for this purpose.
func (s *session) unique(last int64) int64 {
	if last == 0 {
		return int64(s.id) + 1
	}
	return last + int64(s.opt.Sinks())
}

// transaction runs one from BEGIN to its end. The error is a broken connection, or ours.
func (s *session) transaction(ctx context.Context, program workload.Program) error {
	s.txn = s.unique(s.txn)
	tx := &tx{session: s, ctx: ctx}
	open := &request{sql: "BEGIN", act: begins}
	s.branch, s.open = branch{}, false
	if s.byBranch() {
		s.branch.id = fmt.Sprintf("'txweave-%d'", s.txn)
		open = plain("XA START "+s.branch.id, false)
	}
	a, start, end, err := s.send(ctx, open)
	if err == nil && a.Err != nil && s.branch.id != "" {
		return fmt.Errorf("%s: %s", open.sql, a.Err)
	}
	if err != nil {
		if errors.Is(err, errAborted) {
			return nil // nothing was begun
		}
		return err
	}
	s.begun, s.committing, s.stamps, s.snapshot, s.wrote, s.interrupted = start, 0, exec.Stamps{},
		history.Snapshot{}, false, false
	s.open = s.branch.id == "" && s.conn.TxnState() == exec.TxnOpen
	s.record.begin()
	if err := s.emit(history.Operation{Kind: history.OpBegin, Start: start, End: end}); err != nil {
		return err
	}
	if s.opt.Workload.Together && s.id < s.opt.Sessions && !s.stop.Load() {
		s.meeting.meet()
	}
	if err = program(tx); err == nil {
		err = s.leaveReceipt(ctx)
	}
	if err == nil && s.opt.Snapshots {
		err = tx.see()
	}
	committed := s.committed
	switch {
	case err == nil:
		commit := s.commit
		if s.branch.id != "" {
			commit = s.commitBranch
		}
		if err = commit(ctx); s.committed > committed {
			tx.tell()
		}
		return err
	case errors.Is(err, workload.ErrRollback):
		s.rolledBack++
		return s.rollback(ctx, s.now())
	case errors.Is(err, errAborted):
		s.aborted++
		return s.rollback(ctx, s.failedAt)
	case errors.Is(err, errBroken): // without COMMIT it is rolled back, at some time
		s.aborted++
		return errors.Join(s.ended(history.Aborted, history.Operation{Kind: history.OpAbort, Outcome: history.OpUnknown,
			Start: s.failedAt, End: s.now()}), err)
	default:
		return err
	}
}

func (s *session) commit(ctx context.Context) error {
	s.open = false
	_, start, end, err := s.send(ctx, &request{sql: "COMMIT", act: commits})
	s.committing = start
	switch {
	case err == nil:
		s.committed++
		s.acknowledged.Add(1)
		status := history.Committed
		if s.opt.Record && s.opt.Stamps {
			if s.stamps, err = s.conn.Stamps(ctx); err != nil { // nothing can be said of its place, so the record claims no more
				status, err = history.Unknown, fmt.Errorf("%w: %w", errBroken, err)
			}
		}
		return errors.Join(s.ended(status, history.Operation{Kind: history.OpCommit, Start: start, End: end}), err)
	case errors.Is(err, errAborted) && s.opt.receipts() && s.interrupted: // before it had committed, or after
		return s.settle(ctx, start, nil)
	case errors.Is(err, errAborted):
		s.aborted++
		return s.rollback(ctx, s.failedAt)
	default:
		return s.settle(ctx, s.failedAt, err)
	}
}

// rollback ends a transaction that has been given up since a moment. Where the database has rolled it back already
// ROLLBACK does nothing.
func (s *session) rollback(ctx context.Context, since int64) error {
	s.sink.Sending(since)
	s.held, s.open = true, false
	if s.branch.id != "" { // one that the database has rolled back is ended as one that it has not
		_, _, _, _ = s.send(ctx, plain("XA END "+s.branch.id, false))
	}
	_, _, end, err := s.send(ctx, &request{sql: s.branch.rollback(), act: rollsBack})
	s.held = false
	switch {
	case errors.Is(err, errAborted) && s.excused(): // the connection's end rolls it back
		s.hit.Store(true)
		err = fmt.Errorf("%w: ROLLBACK was refused", errBroken)
	case errors.Is(err, errAborted):
		err = fmt.Errorf("session %d: ROLLBACK failed: %w", s.id, err)
	}
	op := history.Operation{Kind: history.OpAbort, Start: since, End: max(end, since)}
	if err != nil || s.opt.receipts() && s.interrupted {
		op.Outcome = history.OpUnknown // whoever ended the connection may have done so before the last statement was sent
	}
	return errors.Join(s.ended(history.Aborted, op), err)
}

// excused says whether a nemesis explains that ROLLBACK was refused: it was interrupted, or is XA's, which waits for
// who locks all tables.
func (s *session) excused() bool {
	return s.opt.receipts() && s.interrupted || s.branch.id != "" && slices.Contains(s.opt.Nemeses, Locks)
}

// ended notes the end of the transaction.
func (s *session) ended(status history.Outcome, op history.Operation) error {
	s.transactions++
	s.finished.Add(1)
	if s.opt.Record {
		s.record.end(recorded{id: s.txn, start: s.begun, end: op.End, committing: s.committing, stamps: s.stamps,
			snapshot: s.snapshot, status: status})
	}
	return s.emit(op)
}

// emit hands an operation of the open transaction on.
func (s *session) emit(op history.Operation) error {
	s.op = op
	s.op.Session, s.op.Txn = int32(s.id), s.txn
	if len(op.Writes) > 0 {
		s.wrote = true
	}
	if s.branch.id != "" {
		s.branch.loosen(&s.op)
	}
	return s.sink.Append(&s.op)
}

// pause is how long a session waits before it sends a refused statement again.
const pause = 200 * time.Microsecond

// act is what a statement does to the transaction. Those that begin or end it are the last ones.
type act uint8

const (
	asks act = iota // or does what nobody waits for
	writes
	begins
	rollsBack
	commits
)

// request is one statement, and what is known of it without its text.
type request struct {
	sql    string
	query  bool // its answer is rows
	act    act
	table  int
	lo, hi int64 // the keys of the table's rows that it names; none where hi < lo
	padded bool  // its answer ends in the rows' texts: see padding
}

// plain is a request of which no more is known.
func plain(sql string, query bool) *request { return &request{sql: sql, query: query, hi: -1} }

// sent sends a request once.
func (s *session) sent(ctx context.Context, q *request) (history.Answer, error) {
	if q.query {
		return s.conn.Query(ctx, q.sql)
	}
	return s.conn.Exec(ctx, q.sql)
}

// send sends one statement and sorts what the database says: errAborted if the transaction cannot go on, errBroken if
// the connection cannot. An error that comes from the statement and its data is in the answer.
func (s *session) send(ctx context.Context, q *request) (a history.Answer, start, end int64, err error) {
	s.perturb(q)
	sql := q.sql
	first := s.now()
	s.activity.set(sql, s.txn, first)
	if !s.held {
		s.sink.Sending(first)
	}
	for start = first; ; start = s.now() {
		a, err = s.sent(ctx, q)
		end = s.now()
		s.activity.answered.Store(end)
		if err != nil {
			s.answered(q, false)
			s.failedAt = first
			return a, start, end, fmt.Errorf("%w: %w", errBroken, err)
		}
		s.statements++
		if a.Err == nil {
			s.answered(q, true)
			break
		}
		class := s.profile.Errors.Classify(a.Err.Code, a.Err.Message)
		if class == dbms.WouldBlock && end-first < int64(s.opt.WaitLimit) && !s.stop.Load() {
			s.resent++
			time.Sleep(pause)
			continue
		}
		s.errors[a.Err.Code]++
		if class == dbms.Deterministic && (s.profile.Transactions.Loss != dbms.ErrorsEnd ||
			!slices.Contains(s.profile.Errors.Duplicate, a.Err.Code)) {
			break
		}
		s.answered(q, false)
		s.failedAt, s.interrupted = first, class == dbms.Environment
		return a, start, end, errAborted
	}
	if start > first && !s.held { // what was refused may have taken the transaction's snapshot
		if err := s.emit(history.Operation{Kind: history.OpWrite, Outcome: history.OpFailed, Start: first,
			End: start}); err != nil {
			return a, start, end, err
		}
		s.sink.Sending(start)
	}
	if a.Err == nil && s.open && s.conn.TxnState() == exec.TxnNone {
		s.fault(WrongAnswer{Class: finding.ClassInconsistent, What: fault.Gone, Statement: sql,
			Detail: "the database says with its answer that no transaction is open, which nothing had ended", Txn: s.txn})
		s.failedAt = first
		return a, start, end, errAborted
	}
	return a, start, end, nil
}
