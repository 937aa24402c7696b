package cause

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/observe"
)

// owed is the cause of a COMMIT that does not go by the reads right before it, of rows that refer to none. Those are reads like others of its transaction: where one
// of these missed a row, whoever made it, or a write of its own that may make up for what is owed, so did they; where one saw what was not committed, so did they, and COMMIT did not.
// That what the transaction wrote is not there in the end explains nothing: it may be the COMMIT's error that is not told.
func (r *run) owed(d *finding.Difference) finding.Cause {
	explains := []fault.Kind{fault.MissingRow, fault.OwnWriteMissed}
	if d.What == fault.CommittedOwed {
		explains = []fault.Kind{fault.DirtyRead}
	}
	for _, w := range r.reads {
		if d.OfCommit(w.Txn) && !w.Search && slices.Contains(explains, w.What) {
			return r.wrongRead(w.What, w.Stmt)
		}
	}
	madeUp := func(s *observe.ObservedStmt) bool {
		return d.OfCommit(s.Txn) && s.Bad == nil && !s.Waited && r.wroteMore(s)
	}
	if d.What == fault.RefusedOwed && r.owedUnseen(d) || d.What == fault.CommittedOwed && slices.ContainsFunc(r.Observation.Stmts, madeUp) {
		return finding.CauseOwn
	}
	return finding.Cause{}
}

// owedUnseen says whether the transaction whose COMMIT a difference is about says of some statement that it wrote where the reads around that show
// nothing: the COMMIT that is refused for a row which refers to none shows that it was there.
func (r *run) owedUnseen(d *finding.Difference) bool {
	return slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool { return d.OfCommit(s.Txn) && saysMore(s) })
}

// saysMore says whether a write says that it wrote more than the reads around it show.
func saysMore(s *observe.ObservedStmt) bool {
	return !s.Undone && s.Err == nil && !s.Waited && s.Target != "" && s.Affected > int64(len(s.Writes)) && !s.Loose
}

// owes says whether such a write is one of a transaction whose COMMIT was refused for a row that the reads right before it did not find.
func (r *run) owes(s *observe.ObservedStmt) bool {
	t := &r.Observation.Txns[s.Txn]
	return saysMore(s) && t.Owed.Known && t.Owed.Rows == 0 && t.Err != nil && slices.Contains(r.Observation.Promise.ForeignKey, t.Err.Code)
}
