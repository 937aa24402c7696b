package mechanism

import (
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// unheld holds each statement that a database with one writer at a time kept out against whoever may have had its write
// lock (sqlite.org/rescode.html#busy): another transaction that was open meanwhile and had begun with it, or had been
// let do anything but read. One that was refused its first write for its snapshot has none.
func unheld(o *observe.Observation) []finding.Difference {
	p := o.Promise.Promise()
	if p.Order != dbms.OneWriterAtOnce || !p.MutualExclusion || p.Transactions.Loss != dbms.LostStaysOpen {
		return nil
	}
	var out []finding.Difference
	for _, e := range o.Errors {
		if e.Role != history.Target || !slices.Contains(p.Errors.WriteLocked, e.Err.Code) {
			continue
		}
		if !slices.ContainsFunc(others(o, e.Txn), func(txn int) bool { return mayWrite(o, e, txn) }) {
			out = append(out, finding.Difference{What: fault.WriteLockOfNobody,
				Steps: finding.Sentences{finding.Say("%v was answered %v, and nobody "+
					"else who was open then had begun with the database's write lock, or been let do anything but read",
					observe.StmtOf(e), e.Err)}})
		}
	}
	return out
}

// mayWrite says whether a transaction may have had the database's write lock while an event was sent and answered.
func mayWrite(o *observe.Observation, e *history.Event, txn int) bool {
	t, p := &o.Txns[txn], o.Promise.Promise()
	if t.Sent < e.Start && t.Done < e.Start || t.Began >= e.End {
		return false
	}
	if slices.ContainsFunc(o.Events, func(m observe.Moment) bool {
		return m.Kind == observe.Begin && m.Txn == txn && m.Snapshot
	}) {
		return true
	}
	keptOut := func(err *history.DBError) bool {
		return err != nil && (lost(p, err) || slices.Contains(p.Errors.WriteLocked, err.Code))
	}
	known := false // what it ran
	for _, s := range o.Stmts {
		if s.Txn != txn {
			continue
		}
		known = true
		if s.Kind != sqltext.Select && s.Sent < e.End && !keptOut(s.Err) {
			return true
		}
	}
	failed := func(x *history.Event) bool {
		return x.Txn == txn && x.Role == history.Target && x.Start < e.End && !keptOut(x.Err)
	}
	return t.Alone && !known || slices.ContainsFunc(o.Errors, failed)
}
