package consistency

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Replayed holds each statement of a replay against the tables as they were before and after it: a statement that
// failed and a query change nothing, and a write changes as many rows as it says. A replay that is wrong by itself says
// nothing about the run that it is compared with.
func Replayed(blocks []*instrument.Block, rep *observe.Replayed) []finding.Difference {
	var out []finding.Difference
	for i, b := range blocks {
		odd := func(what fault.Kind, sentence string, args ...any) {
			out = append(out, finding.Difference{Stmt: b.Name(), Kind: oracle.Verb(b.Info.Kind), What: what, Autocommit: true,
				Steps: finding.Sentences{finding.Say(sentence, args...)}})
		}
		e, around := rep.Events[i], rep.Around[i]
		changes := changed(around)
		switch {
		case e.Err != nil && len(changes) > 0:
			odd(fault.FailedYetWrote, "it failed with %v and yet changed %v", e.Err, strings.Join(changes, "; "))
		case e.Err != nil:
		case b.Info.Kind == sqltext.Select && len(changes) > 0:
			odd(fault.ReadYetWrote, "it changed %v", strings.Join(changes, "; "))
		case b.Info.Target != "" && !b.Info.Truncates && len(b.Writes) < 2 && !(b.Info.Diff && b.Info.Kind != sqltext.Delete):
			if n, known := written(b, around); known && n != e.Affected {
				odd(fault.Affected, "its count of affected rows is %v, and it wrote %v", e.Affected, n)
				d := &out[len(out)-1]
				d.Transaction, d.Replay = finding.Affected(e.Affected), finding.Affected(n)
			}
		}
	}
	return out
}

// changed lists the rows that a statement changed, table by table.
func changed(a observe.Around) []string {
	var out []string
	for _, table := range slices.Sorted(maps.Keys(a.Before)) {
		gone, come := rowSet(a.Before[table]), rowSet(a.After[table])
		for _, row := range slices.Sorted(maps.Keys(gone)) {
			if n := come[row] - gone[row]; n < 0 {
				out = append(out, fmt.Sprintf("%s: %s is gone", table, row))
			}
		}
		for _, row := range slices.Sorted(maps.Keys(come)) {
			if n := come[row] - gone[row]; n > 0 {
				out = append(out, fmt.Sprintf("%s: %s is new", table, row))
			}
		}
	}
	return out
}

func rowSet(r *history.Rows) map[string]int {
	out := map[string]int{}
	for i := range r.Len() {
		out[history.RowString(r.Row(i))]++
	}
	return out
}

// written counts the rows that bear the version key of an UPDATE or INSERT, or that a DELETE removed.
func written(b *instrument.Block, a observe.Around) (n int64, known bool) {
	before, after := a.Before[b.Info.Target], a.After[b.Info.Target]
	if b.Info.Kind == sqltext.Delete {
		return int64(before.Len() - after.Len()), true
	}
	at := slices.Index(after.Columns, sqltext.VKey)
	if at < 0 || b.Info.VKey == 0 {
		return 0, false
	}
	for i := range after.Len() {
		if vkey, ok := after.Row(i)[at].Int64(); ok && vkey == b.Info.VKey {
			n++
		}
	}
	return n, true
}
