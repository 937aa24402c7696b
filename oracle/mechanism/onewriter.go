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

// A database with one writer at a time (dbms.OneWriterAtOnce) has one lock for all writes: nobody has it beside
// another, nobody is refused it while nobody has it, and who is refused a write for a newer commit was overtaken.

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

// refused holds each transaction whose first write was refused for a newer commit against what others did since it
// began: a database with one writer at a time refuses it for that and for nothing else
// (sqlite.org/rescode.html#busy_snapshot). Whoever ended meanwhile and had tried to write explains it, even by a
// ROLLBACK, as a full cache may have been written to the log by then; so does all but a SELECT in autocommit.
func refused(o *observe.Observation) []finding.Difference {
	p := o.Promise.Promise()
	if p.Order != dbms.OneWriterAtOnce || !p.FirstUpdaterWins || p.Transactions.Loss != dbms.LostStaysOpen {
		return nil
	}
	var out []finding.Difference
	for _, e := range o.Errors {
		if e.Role != history.Target || !lost(p, e.Err) {
			continue
		}
		if !slices.ContainsFunc(others(o, e.Txn), func(txn int) bool { return overtook(o, e, txn) }) {
			out = append(out, finding.Difference{What: fault.RefusedUpdate, Steps: finding.Sentences{finding.Say(
				"%v was answered %v, and nobody who may have written had ended since %v began", observe.StmtOf(e), e.Err,
				finding.TxnNumber(e.Txn))}})
		}
	}
	return out
}

// lost says whether an answer is that a transaction is lost to another one.
func lost(p *dbms.Profile, err *history.DBError) bool {
	return err != nil && p.Errors.Classify(err.Code, err.Message) == dbms.TxnLost
}

// others are all transactions but one.
func others(o *observe.Observation, txn int) (all []int) {
	for i := range o.Txns {
		if i != txn {
			all = append(all, i)
		}
	}
	return all
}

// overtook says whether a transaction may have written what the event's own one does not see: it ended between the
// beginning of that one and the answer to the event.
func overtook(o *observe.Observation, e *history.Event, txn int) bool {
	t := &o.Txns[txn]
	if t.Sent >= e.End || t.Done < o.Txns[e.Txn].Began {
		return false
	}
	known := false // what it ran
	for _, s := range o.Stmts {
		if s.Txn != txn {
			continue
		}
		known = true
		if s.Kind != sqltext.Select && !lost(o.Promise.Promise(), s.Err) {
			return true
		}
	}
	return t.Alone && !known
}
