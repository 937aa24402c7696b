package exec

import (
	"txweave/dbms"
	"txweave/history"
	"txweave/observe"
	"txweave/sqltext"
)

// stillOpen notes with an answer in a transaction that the database says it has none, though it had said before that it had one, and no statement
// since has ended it, and no error was one that does.
func (s *runState) stillOpen(t *track, e *history.Event, class dbms.ErrorClass, state TxnState) {
	switch {
	case e.Session != s.session(t), e.Role != history.Begin && e.Role != history.End && e.Stmt < 0: // of another session than the transaction's, or of no statement
	case e.Role == history.Begin:
		t.open = state == TxnOpen && e.Err == nil && sqltext.KindOf(e.Text) == sqltext.Begin
	case class != dbms.Deterministic || e.Role == history.End || s.endsTxn(t, e):
		t.open = false
	case t.open && state == TxnNone:
		e.Gone, t.open = true, false
	}
}

// endsTxn says whether a statement may end the transaction in which it is sent: changes of tables, and whatever else commits by itself.
func (s *runState) endsTxn(t *track, e *history.Event) bool {
	if e.Role != history.Target {
		return false
	}
	switch kind := sqltext.KindOf(e.Text); kind {
	case sqltext.Savepoint, sqltext.RollbackTo, sqltext.Release:
		return false
	default:
		b := t.unit.block
		return b == nil || !kind.IsTarget() || b.Redefines != nil || b.Info.Truncates || observe.CommitsAnyhow(e)
	}
}
