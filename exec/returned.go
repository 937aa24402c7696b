package exec

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sql/sqltext"
)

// file files the answer to the unit's current action.
func (s *runState) file(t *track, e *history.Event) {
	act := t.unit.actions[t.unit.at]
	if e.Role == history.Target && e.Err == nil {
		t.mark(t.unit.block, s.profile)
	}
	if act.snapshot {
		s.out.Snapshots[t.txn] = append(s.out.Snapshots[t.txn], e)
	} else {
		s.keep(t.unit, e)
	}
	if act.returning {
		s.keepReturned(t, e)
	}
	if e.Err != nil && e.Role == history.Target && s.profile.Transactions.Loss == dbms.ErrorsEnd &&
		!s.plan.Txns[t.txn].Autocommit() {
		// until the transaction goes back to a savepoint no read is answered: this was the last
		t.unit.at = len(t.unit.actions) - 1
	}
}

// keepReturned makes an after-write read of the rows that a write returned, and leaves the write what it would have
// answered without them.
func (s *runState) keepReturned(t *track, e *history.Event) {
	rows := e.Rows
	e.Rows = nil
	e.Text = t.unit.block.SQL
	a := &history.Event{Session: e.Session, Txn: e.Txn, Stmt: e.Stmt, Role: history.AWR, Text: t.unit.block.AWR.SQL,
		Answer: history.Answer{Rows: rows, Affected: -1}}
	if rows == nil { // it failed
		a.Rows = &history.Rows{}
	}
	s.record(a)
	s.keep(t.unit, a)
}

// fatal says whether an error ends a transaction for good: where any error does, unless a savepoint that is there is
// gone back to later.
func (s *runState) fatal(t *track, e *history.Event) bool {
	if s.profile.Transactions.Loss != dbms.ErrorsEnd || e.Role == history.End || s.plan.Txns[t.txn].Autocommit() {
		return false
	}
	for i, b := range s.plan.Txns[t.txn].Blocks {
		if i <= e.Stmt || b.Info.Kind != sqltext.RollbackTo || !slices.Contains(s.steps,
			instrument.Step{Txn: t.txn, Unit: i}) {
			continue
		}
		if t.marks.Known(s.profile.Read(b.SQL)) {
			return false
		}
	}
	return true
}

// mark notes a statement about a savepoint that succeeded.
func (t *track) mark(b *instrument.Block, p *dbms.Profile) {
	if b.Info.Kind.IsSavepoint() {
		t.marks.Hide = p.Transactions.SavepointsHide
		t.marks.Apply(p.Read(b.SQL), 0)
	}
}

// readsOn says whether a transaction that is lost to another one has something left to read before it is rolled back:
// what it reads is its snapshot still, where the database leaves it open
// (dbms.LostStaysOpen).
func (s *runState) readsOn(t *track) bool {
	txn, u := &s.plan.Txns[t.txn], t.unit
	if s.profile.Transactions.Loss != dbms.LostStaysOpen || t.lost || u.block == nil || txn.Autocommit() {
		return false
	}
	for i := u.step.Unit + 1; i < len(txn.Blocks); i++ {
		if readsOnly(txn.Blocks[i]) && slices.Contains(s.steps, instrument.Step{Txn: t.txn, Unit: i}) {
			return true
		}
	}
	return false
}

// lose leaves out the statement for which a transaction is lost. Of what follows it only what reads is sent, and a
// ROLLBACK in the place of its end.
func (s *runState) lose(t *track) error {
	t.lost, t.unit.run = true, nil
	return s.finish(t)
}

// leavesOut says whether a step is not run as it stands, and notes it at its turn: its transaction has been rolled
// back, or is lost, and ends in a ROLLBACK.
func (s *runState) leavesOut(t *track, st instrument.Step) (bool, error) {
	switch {
	case t.aborted || t.ended:
	case !t.lost:
		return false, nil
	case st.Unit == instrument.EndUnit:
		t.unit = &unit{step: st}
		return true, s.abort(t)
	case readsOnly(s.plan.Txns[t.txn].Blocks[st.Unit]):
		return false, nil
	}
	s.out.Order = append(s.out.Order, st)
	return true, nil
}

// readsOnly says whether a statement needs no lock and changes nothing.
func readsOnly(b *instrument.Block) bool {
	return b.Info.Kind == sqltext.Select && !b.Info.Locking && b.Redefines == nil && b.Advisory == nil && b.Locks == nil
}
