// Package replay is the replay oracle. Its claim: the statements of a case's committed transactions, sorted so
// that every statement dependency is kept and run without transactions, give the same rows, affected rows,
// errors, warnings and final contents as they gave in transactions (TxCheck, Theorem 1, with the dependencies
// that package sdg adds).
package replay

import (
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// Compare lists the differences between a run in transactions and a replay: statement by statement, then the final
// contents of the tables. nodes are the statements in the order in which the replay ran them.
func Compare(p *dbms.Profile, tables []*sqltext.Table, nodes []*observe.BlockRun, run *observe.Run,
	rep *observe.Replayed) []finding.Difference {
	out, _ := compare(p, tables, nodes, run, rep)
	return out
}

// Agree says whether a replay gave all that the run gave, with nothing left out of what Compare looks at.
func Agree(p *dbms.Profile, tables []*sqltext.Table, nodes []*observe.BlockRun, run *observe.Run,
	rep *observe.Replayed) bool {
	differences, whole := compare(p, tables, nodes, run, rep)
	return whole && len(differences) == 0
}

// compare is Compare; whole says that no statement was passed over.
func compare(p *dbms.Profile, tables []*sqltext.Table, nodes []*observe.BlockRun, run *observe.Run,
	rep *observe.Replayed) (out []finding.Difference, whole bool) {
	whole = true
	// In the order of the replay: what comes before the first difference agreed, so the first is no consequence of
	// another.
	for i, n := range nodes {
		if eitherRow(p, n, rep.Events[i]) || eitherConstraint(p, n, rep.Events[i]) {
			whole = false
			continue
		}
		if keysAsRowsLie(p, n, rep.Events[i]) { // what comes after it works on other rows
			return out, false
		}
		for _, d := range compareStatement(n.Block.Info, n.Target, rep.Events[i]) {
			d.Stmt, d.Kind = n.Block.Name(), oracle.Verb(n.Block.Info.Kind)
			out = append(out, d)
		}
	}
	for _, t := range tables {
		if d, differ := compareRows(run.Final[t.Name], rep.Final[t.Name], false); differ {
			d.What, d.Table = fault.Final, t.Name
			d.Steps, d.Failed = kept(run, t.Name)
			out = append(out, d)
		}
	}
	// Rows, counts and errors do not follow from a warning, so they come first: a bug that is only warned of is met often,
	// and must not stand before another one.
	slices.SortStableFunc(out, func(x, y finding.Difference) int { return onlyWarned(x) - onlyWarned(y) })
	return out, whole
}

// onlyWarned is 1 where a difference is one of warnings, else 0.
func onlyWarned(d finding.Difference) int {
	if d.What == fault.Warnings {
		return 1
	}
	return 0
}

// SameAnswers says whether two runs of a case gave the same answers, intervals aside.
func SameAnswers(a, b *observe.Run) bool {
	if !slices.Equal(a.Txns, b.Txns) || len(a.Blocks) != len(b.Blocks) {
		return false
	}
	for i, x := range a.Blocks {
		y := b.Blocks[i]
		if x.Block != y.Block || (x.Target == nil) != (y.Target == nil) {
			return false
		}
		if x.Target != nil && len(compareStatement(x.Block.Info, x.Target, y.Target)) > 0 {
			return false
		}
	}
	for t, rows := range a.Final {
		if _, differ := compareRows(rows, b.Final[t], true); differ {
			return false
		}
	}
	return true
}

// eitherRow says of a statement that failed both times, with two errors, that both come of what it works on and that it
// searches for that: no statement says which row it comes to first, and so which row's error is its answer. A write of
// other columns moves rows in a key, or in the table, that the statement reads nothing of. Where the one table that it
// reads had less than two rows, there was no other row.
func eitherRow(p *dbms.Profile, n *observe.BlockRun, again *history.Event) bool {
	in := n.Target.Err
	if in == nil || again.Err == nil || in.Code == again.Err.Code || n.Block.Info.TotalOrder {
		return false
	}
	for _, e := range []*history.DBError{in, again.Err} {
		if p.Errors.Classify(e.Code, e.Message) != dbms.Deterministic || p.Errors.Impossible.Has(e.Code, e.Message) ||
			p.Errors.Malformed.Has(e.Code, e.Message) {
			return false
		}
	}
	switch {
	case n.Block.Info.Kind == sqltext.Insert && !selects(n.Block): // of rows that are spelled the first one comes first
		return false
	case n.BWR == nil || n.BWR.Err != nil || n.Block.BWR != nil && len(n.Block.BWR.Tables) > 1:
		// what it found is not known
	case n.BWR.Rows.Len() > 1:
		return true
	case !selects(n.Block): // it works on that row alone, whatever else the table holds
		return false
	}
	return n.MostSeen() > 1
}

// eitherConstraint says of a write that failed both times that a row of it violates two constraints, of which the
// database may tell either.
func eitherConstraint(p *dbms.Profile, n *observe.BlockRun, again *history.Event) bool {
	in := n.Target.Err
	return in != nil && again.Err != nil && slices.Contains(p.Errors.EitherOf, [2]int{in.Code, again.Err.Code})
}

// keysAsRowsLie says of a write that it was refused for a key one time and not the other, where that may be for how the
// rows lie.
func keysAsRowsLie(p *dbms.Profile, n *observe.BlockRun, again *history.Event) bool {
	refused, done := n.Target, again
	if refused.Err == nil {
		refused, done = again, n.Target
	}
	return p.Writes.AsRowsLie != nil && refused.Err != nil && done.Err == nil &&
		slices.Contains(p.Errors.Duplicate, refused.Err.Code) && p.Writes.AsRowsLie(n.Block.Info, done.Affected)
}

// selects says whether a statement holds a query, as far as is known.
func selects(b *instrument.Block) bool {
	return b.Tree == nil || sql.Has(b.Tree, func(n sql.Node) bool {
		_, is := n.(*sql.Select)
		return is
	})
}

// compareStatement compares what one statement gave in two executions.
func compareStatement(info *sqltext.Analysis, a, b *history.Event) []finding.Difference {
	if a.Err != nil || b.Err != nil {
		if info.PlanDecides { // the rows are compared where both give them
			return nil
		}
		if a.Err != nil && b.Err != nil && a.Err.Code == b.Err.Code {
			return nil
		}
		return []finding.Difference{{What: fault.Error, Transaction: finding.Answered(a.Err),
			Replay: finding.Answered(b.Err)}}
	}
	var out []finding.Difference
	if a.Affected != b.Affected {
		out = append(out, finding.Difference{What: fault.AffectedRows, Transaction: finding.Affected(a.Affected),
			Replay: finding.Affected(b.Affected)})
	}
	if d, differ := compareRows(a.Rows, b.Rows, info.TotalOrder); differ {
		out = append(out, d)
	}
	if info.PlanDecides {
		return out
	}
	if w := warned(a.Warnings, b.Warnings); len(w) > 0 {
		out = append(out, finding.Difference{What: fault.Warnings, Transaction: finding.Side{Warnings: a.Warnings},
			Replay: finding.Side{Warnings: b.Warnings}, Warned: w})
	}
	return out
}

// compareRows compares result sets value by value, as sequences if ordered, else as multisets. An integer, a
// float and a text are never equal; the column types that the server declares are left out, because they can
// depend on the plan: ((c > 15) * 5) is a BIGINT, and an INT where the optimizer has read the only
// row of c's table beforehand.
func compareRows(a, b *history.Rows, ordered bool) (finding.Difference, bool) {
	if a.Len() == 0 && b.Len() == 0 {
		return finding.Difference{}, false
	}
	if a != nil && b != nil && slices.Equal(a.Cells, b.Cells) {
		return finding.Difference{}, false
	}
	onlyA, onlyB := multisetDifference(a, b)
	switch {
	case len(onlyA) > 0 || len(onlyB) > 0:
		return finding.Difference{What: fault.Rows, Transaction: finding.SideOf(onlyA, a.Len(), false),
			Replay: finding.SideOf(onlyB, b.Len(), false)}, true
	case ordered:
		return finding.Difference{What: fault.Order, Transaction: finding.SideOf(allRows(a), a.Len(), true),
			Replay: finding.SideOf(allRows(b), b.Len(), true)}, true
	}
	return finding.Difference{}, false
}

func allRows(r *history.Rows) []string {
	out := make([]string, r.Len())
	for i := range out {
		out[i] = history.RowString(r.Row(i))
	}
	return out
}

// multisetDifference returns the rows that one side has more often than the other, sorted.
func multisetDifference(a, b *history.Rows) (onlyA, onlyB []string) {
	count := map[string]int{}
	for _, r := range allRows(a) {
		count[r]++
	}
	for _, r := range allRows(b) {
		count[r]--
	}
	for r, n := range count {
		for ; n > 0; n-- {
			onlyA = append(onlyA, r)
		}
		for ; n < 0; n++ {
			onlyB = append(onlyB, r)
		}
	}
	slices.Sort(onlyA)
	slices.Sort(onlyB)
	return onlyA, onlyB
}
