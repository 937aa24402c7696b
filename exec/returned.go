package exec

import (
	"slices"

	"txweave/history"
	"txweave/instrument"
	"txweave/sqltext"
)

// file files the answer to the unit's current action.
func (s *runState) file(t *track, e *history.Event) {
	act := t.unit.actions[t.unit.at]
	if e.Role == history.Target && e.Err == nil {
		t.mark(t.unit.block, s.profile.SavepointsHide)
	}
	if act.snapshot {
		s.out.Snapshots[t.txn] = append(s.out.Snapshots[t.txn], e)
	} else {
		s.keep(t.unit, e)
	}
	if act.returning {
		s.keepReturned(t, e)
	}
	if e.Err != nil && e.Role == history.Target && s.profile.ErrorsEnd && !s.plan.Txns[t.txn].Autocommit() {
		t.unit.at = len(t.unit.actions) - 1 // until the transaction goes back to a savepoint no read is answered: this was the last
	}
}

// keepReturned makes an after-write read of the rows that a write returned, and leaves the write what it would have
// answered without them.
func (s *runState) keepReturned(t *track, e *history.Event) {
	rows := e.Rows
	e.Rows = nil
	e.Text = t.unit.block.SQL
	a := &history.Event{Session: e.Session, Txn: e.Txn, Stmt: e.Stmt, Role: history.AWR, Text: t.unit.block.AWR.SQL, Answer: history.Answer{Rows: rows, Affected: -1}}
	if rows == nil { // it failed
		a.Rows = &history.Rows{}
	}
	s.record(a)
	s.keep(t.unit, a)
}

// fatal says whether an error ends a transaction for good: where any error does, unless a savepoint that is there is gone
// back to later.
func (s *runState) fatal(t *track, e *history.Event) bool {
	if !s.profile.ErrorsEnd || e.Role == history.End || s.plan.Txns[t.txn].Autocommit() {
		return false
	}
	for i, b := range s.plan.Txns[t.txn].Blocks {
		if i <= e.Stmt || b.Info.Kind != sqltext.RollbackTo || !slices.Contains(s.steps, instrument.Step{Txn: t.txn, Unit: i}) {
			continue
		}
		if text := sqltext.Read(b.SQL); t.marks.Known(&text) {
			return false
		}
	}
	return true
}

// mark notes a statement about a savepoint that succeeded.
func (t *track) mark(b *instrument.Block, hide bool) {
	if b.Info.Kind.IsSavepoint() {
		text := sqltext.Read(b.SQL)
		t.marks.Hide = hide
		t.marks.Apply(&text, 0)
	}
}
