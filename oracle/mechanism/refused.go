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
