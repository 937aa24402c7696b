package exec

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
)

// orphans are the reads of the rows that refer to none, before a transaction's COMMIT. One that has written nothing is
// not asked; nor is anything told where rows have referred to none before any transaction began.
func (s *runState) orphans(t *track) []action {
	if len(t.written) == 0 || len(s.ownComplaints) > 0 {
		return nil
	}
	return probes(s.plan.Txns[t.txn].Orphans, 0)
}

// checkedAlone is the class of an error which says that a row would refer to none: a statement in autocommit meets at
// its own end what a COMMIT checks. Where a foreign key of the case is of that kind, its replay does not check it, and
// so the statement, which did nothing, is left out.
func (s *runState) checkedAlone(t *track, e *history.Event, class dbms.ErrorClass) dbms.ErrorClass {
	if class == dbms.Deterministic && e.Err != nil && e.Role == history.Target && len(s.plan.Deferred) > 0 &&
		s.plan.Txns[t.txn].Autocommit() &&
		slices.Contains(s.profile.Errors.ForeignKey, e.Err.Code) {
		return dbms.StatementLost
	}
	return class
}
