package storm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// branch is a transaction of XA's: it is prepared, and then committed by the connection that made it or by another one.
type branch struct {
	id       string // as statements name it; "" for other transactions
	prepared bool   // the database said so
}

// rollback is the statement that ends the transaction without effect.
func (b *branch) rollback() string {
	if b.id == "" {
		return "ROLLBACK"
	}
	return "XA ROLLBACK " + b.id
}

// loosen takes from an operation what it says of locks that XA PREPARE lets go (lock0lock.cc,
// lock_release_on_prepare): those of gaps, and of rows that were read. A transaction that is prepared reads nothing
// more, so that it is no less isolated. What it has written stays locked until its end.
func (b *branch) loosen(op *history.Operation) {
	switch {
	case op.Lock == history.LockNone:
	case len(op.Writes) == 0:
		op.Kind, op.Lock = history.OpWrite, history.LockNone // a read of current rows
	default:
		op.Ranges = nil
	}
}

// branchShare: one transaction in so many is one of XA's, where a nemesis wants that.
const branchShare = 3

// byBranch says whether the next transaction is one of XA's.
func (s *session) byBranch() bool {
	return slices.Contains(s.opt.Nemeses, Locks) && s.id < s.opt.Sessions && exec.DisruptionOf(s.target).Prepared &&
		s.rng.IntN(branchShare) == 0
}

// commitBranch prepares the open transaction and commits it, half of the times over another connection.
func (s *session) commitBranch(ctx context.Context) error {
	start := s.now()
	for _, sql := range []string{"XA END " + s.branch.id, "XA PREPARE " + s.branch.id} {
		a, _, _, err := s.send(ctx, plain(sql, false))
		switch {
		case errors.Is(err, errAborted) && s.interrupted, err == nil && a.Err != nil && sql[3] == 'P':
			return s.settleBranch(ctx, start, fmt.Errorf("%w: %s was not answered", errBroken, sql))
		case errors.Is(err, errAborted), err == nil && a.Err != nil: // rolled back by the database
			s.aborted++
			return s.rollback(ctx, s.now())
		case err != nil:
			return s.settleBranch(ctx, start, err)
		}
	}
	s.branch.prepared = true
	if s.rng.IntN(2) == 0 {
		s.conn.Close()
		return s.settleBranch(ctx, start, fmt.Errorf("%w: on purpose", errBroken))
	}
	a, _, end, err := s.send(ctx, plain("XA COMMIT "+s.branch.id, false))
	if err != nil || a.Err != nil {
		return s.settleBranch(ctx, start, fmt.Errorf("%w: %v %v", errBroken, err, a.Err))
	}
	s.committed++
	s.acknowledged.Add(1)
	return s.ended(history.Committed, history.Operation{Kind: history.OpCommit, Start: start, End: end})
}

// endedUnknown notes a transaction of which nobody says how it ended.
func (s *session) endedUnknown(start int64) error {
	s.unknown++
	return s.ended(history.Unknown, history.Operation{Kind: history.OpCommit, Outcome: history.OpUnknown, Start: start,
		End: s.now()})
}

// hadCommitted says of a transaction whose XA COMMIT was refused whether it had been committed before, or is kept
// still: for a while after begun that is as it may be.
func (s *session) hadCommitted(ctx context.Context, refused *history.DBError, begun int64) (committed,
	kept bool, err error) {
	committed, err = s.tryReceipt(ctx)
	switch {
	case err == nil, errors.Is(err, errBroken):
		return committed, false, err
	case s.now()-begun < int64(s.opt.KeptTime):
		time.Sleep(pause)
		return false, true, nil
	}
	s.fault(WrongAnswer{Class: finding.ClassHang, What: fault.LockKept, Statement: "XA COMMIT " + s.branch.id, Txn: s.txn,
		Detail: fmt.Sprintf("%s, and its locks are held %s after its connection had gone", refused, s.opt.KeptTime)})
	return false, false, err
}

// settleBranch ends, over another connection, a transaction that may have been prepared, and says how it ended. One
// that the database said was prepared is there until somebody ends it, whatever happens to the database.
func (s *session) settleBranch(ctx context.Context, start int64, err error) error {
	s.branches.Add(1)
	defer s.detached.Add(-1)
	s.detached.Add(1)
	killed := s.killedAt.Load()
	s.hit.Store(true) // that the connection is gone is as it should be
	for begun := s.now(); ; {
		if err != nil && !s.again(ctx, err) {
			return s.endedUnknown(start)
		}
		var a history.Answer
		if a, err = s.conn.Exec(ctx, "XA COMMIT "+s.branch.id); err != nil {
			err = fmt.Errorf("%w: %w", errBroken, err)
			continue
		}
		// It is not known as long as the connection that made it has not ended, or not at all.
		var committed bool
		switch {
		case a.Err == nil:
			committed = true
		case !s.wrote:
			return s.endedUnknown(start)
		default:
			var kept bool
			if committed, kept, err = s.hadCommitted(ctx, a.Err, begun); kept || errors.Is(err, errBroken) {
				continue
			}
			if err != nil {
				return s.endedUnknown(start)
			}
		}
		end := s.now()
		s.settled++
		if committed {
			s.committed++
			return s.ended(history.Committed, history.Operation{Kind: history.OpCommit, Start: start, End: end})
		}
		if s.branch.prepared {
			s.fault(WrongAnswer{Class: finding.ClassInconsistent, What: fault.ForgottenBranch,
				Statement: "XA PREPARE " + s.branch.id, Txn: s.txn,
				Detail: fmt.Sprintf("it was answered, and now the transaction is rolled back (%s); the server was killed since: %v",
					a.Err, s.killedAt.Load() > killed)})
		}
		s.aborted++
		return s.ended(history.Aborted, history.Operation{Kind: history.OpAbort, Outcome: history.OpUnknown,
			Start: start, End: end})
	}
}

// errLocked says that a transaction's locks are held.
var errLocked = errors.New("its locks are held")

// tryReceipt is receipt without waiting.
func (s *session) tryReceipt(ctx context.Context) (committed bool, err error) {
	_, clause := s.locks()
	value, refused, err := s.script(ctx, slices.Concat([]string{"ROLLBACK"}, s.profile.Sessions.NoWait,
		[]string{fmt.Sprintf("SELECT txn FROM %s WHERE session = %d%s", receiptTable, s.id, clause), "COMMIT"}))
	if refused != nil || err == nil {
		_, _, err = s.script(ctx, append([]string{"ROLLBACK"}, s.profile.Sessions.Setup...))
	}
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: %w", errBroken, err)
	case refused != nil:
		return false, errLocked
	}
	return value == s.txn, nil
}
