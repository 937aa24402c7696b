package cause

import (
	"math"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/oracle/observe"
)

// followsOldWriter says whether what a finding comes down to may follow from a transaction that wrote though its
// snapshot was old: it goes on in a newer one, without its savepoints, and the statement that did so works on other
// rows than the reads before it saw.
func followsOldWriter(cause finding.Cause) bool {
	return slices.Contains([]finding.Cause{{}, finding.CauseNewer, finding.CauseKey, finding.CauseGone,
		finding.CauseMiscount}, cause) ||
		cause.Kind == fault.PassesOver || cause.Kind == fault.WritesOthers
}

// oldWriter says whether a transaction that a finding names, or any where it names none, wrote though another one had
// committed what it wrote since the transaction's snapshot was taken. A database in which one transaction writes at a
// time, over the newest state, refuses that.
func (r *run) oldWriter(f *finding.Finding) bool {
	o := r.Observation
	if o.Promise.Order != dbms.OneWriterAtOnce {
		return false
	}
	named := f.Transactions()
	for txn := range o.Txns {
		if len(named) > 0 && !slices.Contains(named, txn) {
			continue
		}
		seen := r.snapshotBy(txn)
		wrote := slices.IndexFunc(o.Stmts, func(s *observe.ObservedStmt) bool {
			return s.Txn == txn && s.Target != "" && r.tookLock(s)
		})
		if wrote >= 0 && slices.ContainsFunc(o.Stmts, func(s *observe.ObservedStmt) bool {
			by := &o.Txns[s.Txn]
			return s.Txn != txn && len(s.Writes) > 0 && o.Committed(s) && by.Sent > seen && by.Done < o.Stmts[wrote].Done
		}) {
			return true
		}
	}
	return false
}

// tookLock says whether a write came as far as to have the database's one write lock: also where it writes no row, or
// is refused for a key.
func (r *run) tookLock(s *observe.ObservedStmt) bool {
	return s.Err == nil || slices.Contains(r.Observation.Promise.Errors.Duplicate, s.Err.Code)
}

// snapshotBy is when a transaction surely had its snapshot, in ns since the run began; math.MaxInt64 where it never
// took one.
func (r *run) snapshotBy(txn int) int64 {
	for _, m := range r.Observation.Events {
		if m.Txn == txn && m.Snapshot {
			return m.End
		}
	}
	return math.MaxInt64
}
