package cause

import (
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// ended is the cause of a COMMIT that failed, or of a savepoint that was gone, where its transaction was none any more:
// the ROLLBACK that is sent then failed, too. "" where that is not so.
func (r *run) ended(f *finding.Finding, d *finding.Difference) finding.Cause {
	names := f.Transactions()
	rolledBack := func(e *history.Event) bool {
		return (e.Role == history.End || e.Role == history.Abort) && strings.HasPrefix(strings.ToUpper(e.Text), "ROLLBACK") &&
			slices.Contains(names, e.Txn)
	}
	if (d.What == fault.FailedCommit || d.What == fault.LostSavepoint) && slices.ContainsFunc(r.Observation.Errors,
		rolledBack) {
		return finding.CauseEnded
	}
	return finding.Cause{}
}

// savepoint is the cause of a savepoint that is gone from its transaction, where that one was committed, or undone,
// before its end: what it wrote is there for others, or kept, or lost, or what it wrote last is not there for itself.
// "" where none of that is seen.
func (r *run) savepoint(f *finding.Finding, d *finding.Difference) finding.Cause {
	if d.What != fault.LostSavepoint {
		return finding.Cause{}
	}
	named := f.Transactions()
	if c := r.data(named); !c.IsZero() {
		return c
	}
	for _, w := range r.reads {
		if w.What == fault.DirtyRead && slices.ContainsFunc(named, func(t int) bool {
			return slices.Contains((&finding.Difference{Steps: w.Why}).Txns(), t)
		}) {
			return finding.CauseDirty
		}
	}
	return finding.Cause{}
}

// gone is the cause of a savepoint that is not there though its transaction goes on, where nothing else tells why.
func gone(d *finding.Difference) finding.Cause {
	if d.What == fault.LostSavepoint {
		return finding.CauseGone
	}
	return finding.Cause{}
}
