package observe

import (
	"fmt"

	"txweave/history"
)

// FailedBefore names, each behind a semicolon, the statements of a transaction that had failed before a moment; "" where none had. A database
// that has rolled the transaction back there, and said that the statement failed, tells no client that what follows is of no transaction.
func FailedBefore(events []*history.Event, txn int, at int64) string {
	failed := ""
	for _, e := range events {
		if e.Txn == txn && e.Stmt >= 0 && e.Role == history.Target && e.Err != nil && e.Start < at {
			failed += fmt.Sprintf("; T%d.S%d had failed before: %s", e.Txn, e.Stmt, e.Err)
		}
	}
	return failed
}

// gone lists the answers with which a transaction was gone.
func (o *observer) gone() {
	for _, e := range o.run.Trace.Events {
		if e.Gone {
			o.out.Gone = append(o.out.Gone, e)
		}
	}
}
