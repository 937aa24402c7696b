package mechanism

import (
	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/oracle/observe"
)

// writeLocks holds transactions whose BEGIN takes the one write lock of the database against each other, and against
// the writes of all others: from the answer to that BEGIN until its own end is sent, or an error met that may have
// ended it, nobody else has it. It judges where the database has one writer at a time and such a BEGIN
// (sqlite.org/lang_transaction.html, BEGIN IMMEDIATE).
func writeLocks(o *observe.Observation) (out []finding.Difference) {
	if o.Promise.Order != dbms.OneWriterAtOnce || !o.Promise.MutualExclusion {
		return nil
	}
	from := map[int]int64{} // transaction -> when its BEGIN was answered
	for _, e := range o.Events {
		if e.Kind == observe.Begin && e.Snapshot { // what keeps the snapshot from moving is the lock
			from[e.Txn] = e.End
		}
	}
	for a := range o.Txns {
		if begun, holds := from[a]; holds {
			out = append(out, writeLockBroken(o, a, begun, from)...)
		}
	}
	return out
}

// writeLockBroken are the transactions that were given the lock which transaction a had since begun, and the writes
// without it.
func writeLockBroken(o *observe.Observation, a int, begun int64, from map[int]int64) (out []finding.Difference) {
	conflict := func(format string, args ...any) {
		out = append(out, finding.Difference{What: fault.WriteLock, Steps: finding.Sentences{finding.Say(format, args...)}})
	}
	name, end := finding.TxnNumber(a), until(o, a, begun)
	for b := range o.Txns {
		other, also := from[b]
		first := begun < other || begun == other && a < b
		if also && b != a && first && other < end && begun < until(o, b, other) {
			conflict("%v had the database's write lock from its BEGIN on, and %v was given it before %v had ended",
				name, finding.TxnNumber(b), name)
		}
	}
	for _, s := range o.Stmts {
		_, also := from[s.Txn]
		if wrote := s.Err == nil && len(s.Writes) > 0; wrote && s.Txn != a && !also && s.Sent >= begun && s.Done <= end {
			conflict("%v had the database's write lock from its BEGIN on, and %v wrote before %v had ended",
				name, finding.StmtName(s.Name), name)
		}
	}
	return out
}
