package exec

import "txweave/history"

// file files the answer to the unit's current action.
func (s *runState) file(t *track, e *history.Event) {
	act := t.unit.actions[t.unit.at]
	if act.snapshot {
		s.out.Snapshots[t.txn] = append(s.out.Snapshots[t.txn], e)
	} else {
		s.keep(t.unit, e)
	}
	if act.returning {
		s.keepReturned(t, e)
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
