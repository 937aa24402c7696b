package mechanism

import (
	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/observe"
)

// writeLocks holds transactions whose BEGIN takes the one write lock of the database against each other, and against
// the writes of all others: from the answer to that BEGIN until its own end is sent, or an error met that may have
// ended it, nobody else has it. It judges where the database has one writer at a time and such a BEGIN
// (sqlite.org/lang_transaction.html, BEGIN IMMEDIATE).
func writeLocks(o *observe.Observation) []finding.Difference {
	if o.Promise.Order != dbms.OneWriterAtOnce || !o.Promise.MutualExclusion {
		return nil
	}
	from := map[int]int64{} // transaction -> when its BEGIN was answered
	for _, e := range o.Events {
		if e.Kind == observe.Begin && e.Snapshot { // what keeps the snapshot from moving is the lock
			from[e.Txn] = e.End
		}
	}
	until := func(txn int) int64 { return until(o, txn, from[txn]) }
	var out []finding.Difference
	conflict := func(format string, args ...any) {
		out = append(out, finding.Difference{What: fault.WriteLock, Steps: finding.Sentences{finding.Say(format, args...)}})
	}
	for a := range o.Txns {
		begun, holds := from[a]
		if !holds {
			continue
		}
		for b := range o.Txns {
			if other, also := from[b]; also && b != a && begun <= other && other < until(a) && begun < until(b) &&
				(begun < other || a < b) {
				conflict("%v had the database's write lock from its BEGIN on, and %v was given it before %v had ended",
					finding.TxnNumber(a), finding.TxnNumber(b), finding.TxnNumber(a))
			}
		}
		for _, s := range o.Stmts {
			if _, also := from[s.Txn]; s.Txn == a || also || s.Err != nil || len(s.Writes) == 0 || s.Sent < begun ||
				s.Done > until(a) {
				continue
			}
			conflict("%v had the database's write lock from its BEGIN on, and %v wrote before %v had ended",
				finding.TxnNumber(a), finding.StmtName(s.Name),
				finding.TxnNumber(a))
		}
	}
	return out
}
