package observe

import (
	"txweave/finding"
	"txweave/history"
	"txweave/testcase"
)

// FailedBefore lists the statements of a transaction that had failed before a moment.
func FailedBefore(events []*history.Event, txn int, at int64) []finding.Failure {
	var failed []finding.Failure
	for _, e := range events {
		if e.Txn == txn && e.Stmt >= 0 && e.Role == history.Target && e.Err != nil && e.Start < at {
			failed = append(failed, finding.Failure{Stmt: string(StmtOf(e)), Err: e.Err})
		}
	}
	return failed
}

// StmtOf names the statement of an event where a step is said.
func StmtOf(e *history.Event) finding.StmtName {
	return finding.StmtName(testcase.Ref{Txn: e.Txn, Stmt: e.Stmt}.String())
}

// gone lists the answers with which a transaction was gone.
func (o *observer) gone() {
	for _, e := range o.run.Trace.Events {
		if e.Gone {
			o.out.Gone = append(o.out.Gone, e)
		}
	}
}
