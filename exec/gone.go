package exec

import (
	"txweave/dbms"
	"txweave/history"
	"txweave/sql/sqltext"
)

// stillOpen notes with an answer in a transaction that the database says it has none, though it had said before that it
// had one, and no statement since has ended it, and no error was one that does. Of an embedded one any error may, if a
// statement or a table asks for that (sqlite.org/lang_conflict.html).
func (s *runState) stillOpen(t *track, e *history.Event, class dbms.ErrorClass, state TxnState) {
	switch {
	case e.Session != s.session(t), e.Role != history.Begin && e.Role != history.End && e.Stmt < 0:
		// of another session than the transaction's, or of no statement
	case e.Role == history.Begin:
		t.open = state == TxnOpen && e.Err == nil && sqltext.KindOf(e.Text) == sqltext.Begin
	case class != dbms.Deterministic || e.Role == history.End || s.endsTxn(t, e):
		t.open = false
	case t.open && state == TxnNone:
		e.Gone, t.open = e.Err == nil || !s.profile.Embedded, false
	}
}

// endsTxn says whether a statement may end the transaction in which it is sent: changes of tables, and whatever else
// commits by itself.
func (s *runState) endsTxn(t *track, e *history.Event) bool {
	if e.Role != history.Target {
		return false
	}
	b := t.unit.block
	return b == nil || mayEnd(e) || b.Redefines != nil
}

// mayEnd says of a statement by itself whether it may end a transaction.
func mayEnd(e *history.Event) bool {
	kind := sqltext.KindOf(e.Text)
	return !kind.IsSavepoint() && !kind.IsTarget()
}

// stillOpen is the same of a script's session.
func (x *seat) stillOpen(e *history.Event, class dbms.ErrorClass, state TxnState) {
	x.state = state
	switch {
	case sqltext.KindOf(e.Text) == sqltext.Begin:
		x.open = state == TxnOpen && e.Err == nil
	case class != dbms.Deterministic || mayEnd(e):
		x.open = false
	case x.open && state == TxnNone:
		e.Gone, x.open = e.Err == nil || !x.lane.profile.Embedded, false
	}
}

// classOf is the class of an answer in a transaction; err is nil where it was no error.
func (s *runState) classOf(t *track, err *history.DBError) dbms.ErrorClass {
	if err == nil {
		return dbms.Deterministic
	}
	return s.profile.Errors.ClassifyIn(s.plan.Txns[t.txn].ReadOnly(), err.Code, err.Message)
}
