package replay

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// kept names a statement of a transaction that was rolled back whose version a row of the table bears in the end, and
// the transaction's statements before it that had failed: a database that rolled the transaction back there, and did
// not say so, took what followed for statements of none. nil where there is no such row.
func kept(run *observe.Run, table string) (why finding.Sentences, failed []finding.Failure) {
	rows := run.Final[table]
	if rows == nil {
		return nil, nil
	}
	at := slices.Index(rows.Columns, sqltext.VKey)
	if at < 0 {
		return nil, nil
	}
	for _, b := range run.Blocks {
		if b.Target == nil || b.Block.Info == nil || b.Block.Info.VKey == 0 || run.Txns[b.Block.Txn] != history.RolledBack {
			continue
		}
		for i := range rows.Len() {
			if vkey, ok := rows.Row(i)[at].Int64(); ok && vkey == b.Block.Info.VKey {
				return finding.Sentences{finding.Say("what %v wrote is there, and %v was rolled back",
					finding.StmtName(b.Block.Name()),
					finding.TxnNumber(b.Block.Txn))}, observe.FailedBefore(run.Trace.Events, b.Block.Txn, b.Target.Start)
			}
		}
	}
	return nil, nil
}
