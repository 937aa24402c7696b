package storm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// receiptTable holds for each session the last of its transactions that committed: what is in it tells the outcome of a
// COMMIT to which no answer came, for a transaction is there whole or not at all.
const receiptTable = "receipts"

// receipts says whether transactions leave receipts.
func (o *Options) receipts() bool { return len(o.Nemeses) > 0 }

// settle finds out how a transaction ended to whose COMMIT no answer came, and ends it in the trace.
func (s *session) settle(ctx context.Context, start int64, err error) error {
	if !s.opt.receipts() || !s.wrote {
		s.unknown++
		return errors.Join(s.ended(history.Unknown, history.Operation{Kind: history.OpCommit, Outcome: history.OpUnknown,
			Start: start, End: s.now()}), err)
	}
	s.activity.set("asks how its transaction ended", s.txn, s.now())
	for {
		if errors.Is(err, errLocked) || err != nil && !s.again(ctx, err) {
			s.unknown++
			return s.ended(history.Unknown, history.Operation{Kind: history.OpCommit, Outcome: history.OpUnknown, Start: start,
				End: s.now()})
		}
		var committed bool
		if committed, err = s.receipt(ctx); err != nil {
			continue
		}
		end := s.now()
		if k := s.killedAt.Load(); k > start {
			end = k // a process that is gone commits nothing
		}
		s.settled++
		if committed {
			s.committed++
			return s.ended(history.Committed, history.Operation{Kind: history.OpCommit, Start: start, End: end})
		}
		s.aborted++
		return s.ended(history.Aborted, history.Operation{Kind: history.OpAbort, Outcome: history.OpUnknown,
			Start: start, End: end})
	}
}

// leaveReceipt writes into the open transaction that it is the session's last one, if it has written anything.
func (s *session) leaveReceipt(ctx context.Context) error {
	if !s.opt.receipts() || !s.wrote {
		return nil
	}
	sql := fmt.Sprintf("UPDATE %s SET txn = %d WHERE session = %d", receiptTable, s.txn, s.id)
	a, _, _, err := s.send(ctx, plain(sql, false))
	if err == nil && (a.Err != nil || a.Affected != 1) {
		err = (&tx{session: s, ctx: ctx}).wrong(fault.Receipt, sql, fmt.Sprintf("%d rows affected, %v", a.Affected, a.Err))
	}
	return err
}

// receipt says whether the last transaction committed, once whoever still runs it on the other side has ended. The
// error is a broken connection's.
func (s *session) receipt(ctx context.Context) (committed bool, err error) {
	ask := []string{"ROLLBACK", fmt.Sprintf("SELECT txn FROM %s WHERE session = %d", receiptTable, s.id), "COMMIT"}
	begin, clause := s.locks()
	ask[1] += clause
	if begin != "" {
		ask = slices.Insert(ask, 1, begin)
	}
	if s.profile.Transactions.LockingBegin != "" { // what locks nothing before its COMMIT is refused by it from then on
		ask = slices.Insert(ask, 2, fmt.Sprintf("UPDATE %s SET asked = asked + 1 WHERE session = %d", receiptTable, s.id))
	}
	for since := s.now(); ; time.Sleep(pause) {
		value, refused, err := s.script(ctx, ask)
		switch {
		case err != nil:
			return false, fmt.Errorf("%w: %w", errBroken, err)
		case refused == nil:
			return value == s.txn, nil
		case s.now()-since > int64(s.opt.KeptTime):
			s.fault(WrongAnswer{Class: finding.ClassHang, What: fault.LockKept, Statement: ask[len(ask)-2], Txn: s.txn,
				Detail: fmt.Sprintf("the transaction's connection is gone, and %s later its locks are held: %s",
					s.opt.KeptTime, refused)})
			return false, errLocked
		}
	}
}

// locks is how a session's own reads lock rows, at any level: the statement that begins a transaction in which nobody
// else writes, or a clause.
func (s *session) locks() (begin, clause string) {
	if s.profile.Order == dbms.OneWriterAtOnce {
		return "BEGIN IMMEDIATE", ""
	}
	return s.profile.Transactions.LockingBegin, " FOR UPDATE"
}

// script sends statements of our own and returns the number that a query among them answers. refused is what the
// database says against one of them.
func (s *session) script(ctx context.Context, sqls []string) (value int64, refused *history.DBError, err error) {
	for i, sql := range sqls {
		send := s.conn.Exec
		if strings.HasPrefix(sql, "SELECT") {
			send = s.conn.Query
		}
		a, err := send(ctx, sql)
		if err != nil {
			return 0, nil, err
		}
		if a.Err != nil && i > 0 { // a ROLLBACK may have nothing to roll back
			return 0, a.Err, nil
		}
		if a.Rows != nil && a.Rows.Len() > 0 {
			value, _ = a.Rows.Cell(0, 0).Int64()
		}
	}
	return value, nil, nil
}
