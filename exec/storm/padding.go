package storm

import (
	"fmt"
	"strings"

	"txweave/fault"
	"txweave/gen/workload"
	"txweave/history"
)

// A workload with a ValueSize has rows with a column pad: a text of so many bytes that repeats the row's version. Each
// write sets both, and each read of one row by its key holds them against each other.

// padding is the text that a row of a version has.
func padding(version int64, size int) string {
	one := fmt.Sprintf("%d.", version)
	return strings.Repeat(one, size/len(one)+1)[:size]
}

// padded says whether rows have a text.
func (t *tx) padded() bool { return t.opt.Workload.ValueSize > 0 }

// assign is what an UPDATE that leaves a version sets beside it: ", pad = '…'"; "" where rows have no text.
func (t *tx) assign(version int64) string {
	if !t.padded() {
		return ""
	}
	return fmt.Sprintf(", pad = '%s'", padding(version, t.opt.Workload.ValueSize))
}

// unpadded takes the text out of the answer to a query for pkey, vkey, v, pad, and checks it.
func (t *tx) unpadded(a history.Answer, sql string) (history.Answer, error) {
	rows := &history.Rows{}
	for i := range a.Rows.Len() {
		row := a.Rows.Row(i)
		n := len(row) - 1
		version, _ := row[min(1, n)].Int64()
		if want := padding(version, t.opt.Workload.ValueSize); row[n].S != want {
			return a, t.wrong(fault.TornRow, sql, fmt.Sprintf("version %d has a text that begins with %.40q, not %.40q",
				version, row[n].S, want))
		}
		rows.Columns, rows.Cells = a.Rows.Columns[:n], append(rows.Cells, row[:n]...)
	}
	a.Rows = rows
	return a, nil
}

// padColumn declares the text.
func padColumn(w *workload.Workload) string {
	if w.ValueSize == 0 {
		return ""
	}
	return ", pad TEXT NOT NULL"
}

// padNames and padValue are what an INSERT that leaves a version names and gives beside the other columns.
func padNames(w *workload.Workload) string {
	if w.ValueSize == 0 {
		return ""
	}
	return ", pad"
}

func padValue(w *workload.Workload, version int64) string {
	if w.ValueSize == 0 {
		return ""
	}
	return fmt.Sprintf(", '%s'", padding(version, w.ValueSize))
}

// shortened is a statement with the beginning of the text alone that it writes, for people.
func (t *tx) shortened(sql string) string {
	const most = 20
	if size := t.opt.Workload.ValueSize; size > most {
		sql = strings.ReplaceAll(sql, padding(t.version, size), padding(t.version, most)+"…")
	}
	return sql
}
