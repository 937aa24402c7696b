package replay

import (
	"fmt"
	"slices"

	"txweave/history"
	"txweave/observe"
	"txweave/sqltext"
)

// kept names a statement of a transaction that was rolled back whose version a row of the table bears in the end, and the transaction's
// statements before it that had failed: a database that rolled the transaction back there, and did not say so, took what followed for
// statements of none. "" where there is no such row.
func kept(run *observe.Run, table string) string {
	rows := run.Final[table]
	if rows == nil {
		return ""
	}
	at := slices.Index(rows.Columns, sqltext.VKey)
	if at < 0 {
		return ""
	}
	for _, b := range run.Blocks {
		if b.Target == nil || b.Block.Info == nil || b.Block.Info.VKey == 0 || run.Txns[b.Block.Txn] != history.RolledBack {
			continue
		}
		for i := range rows.Len() {
			if vkey, ok := rows.Row(i)[at].Int64(); ok && vkey == b.Block.Info.VKey {
				return fmt.Sprintf("what %s wrote is there, and T%d was rolled back%s", b.Block.Name(), b.Block.Txn,
					observe.FailedBefore(run.Trace.Events, b.Block.Txn, b.Target.Start))
			}
		}
	}
	return ""
}
