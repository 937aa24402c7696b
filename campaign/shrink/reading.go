package shrink

import (
	"context"
	"fmt"
	"slices"

	"txweave/campaign"
	"txweave/fault"
	"txweave/finding"
	"txweave/sql"
	"txweave/sqltext"
	"txweave/testcase"
)

// missing is the signature of a read that misses a row which nobody had touched: that by which such a bug shows with the least.
var missing = finding.Signed(finding.ClassSnapshot, "", fault.MissingRow)

// reading is plainer for a small case by which a read of some statement was wrong, which is what made another finding of it. A query of the whole
// table stands in the statement's place: where it misses rows that nobody had touched, that is what the case shows, whatever the statement did. So
// it is where a transaction missed rows of its own, or counts others than the reads around a write show: they are there from the start, and where they are
// missed as well, who made them is no matter. Of a table without versions one row is, of versions.
// Of a search that goes wrong, and none that reads the whole table, queries by single columns are asked.
func (k *shrinker) reading(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.signature == missing {
		return c, nil
	}
	list, err := k.findings(ctx, c)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(f campaign.Found) bool { return f.Signature == k.signature && len(f.Differences) > 0 && !f.Derived })
	if at < 0 {
		return c, nil
	}
	txn, stmt, ok := place(c, list[at].Differences[0].Stmt)
	if !ok {
		return k.owing(ctx, c, &list[at].Finding)
	}
	cause := list[at].Cause
	if cause == finding.CauseMiscount && list[at].Differences[0].What == fault.Affected { // by what reads around it showed: those may have missed rows
		cause = finding.CauseMissing
	}
	switch cause {
	case finding.CauseOwn, finding.CauseMissing:
		return k.firstShowing(ctx, c, missesRow, append(eachPrinted(c, txn, stmt), eachLone(c, txn)...)...)
	case finding.CauseSearch:
		if k.signature == unprinted {
			break
		}
		other, err := k.firstShowing(ctx, c, missesRow, eachPrinted(c, txn, stmt)...)
		if err != nil || other != c {
			return other, err
		}
		return k.searching(ctx, c, txn, stmt)
	}
	return c, nil
}

// owing is reading for a COMMIT that is refused for a row which the reads before it missed: the queries stand in the place of what the transaction did
// last, also without foreign keys, which keep such a row from being there from the start. One that succeeds though a read before it found such rows may have seen
// what was not committed, and then a query in that place does.
func (k *shrinker) owing(ctx context.Context, c *testcase.Case, f *finding.Finding) (*testcase.Case, error) {
	dirty := f.Cause.IsZero() && f.Differences[0].What == fault.CommittedOwed
	if !dirty && f.Cause != finding.CauseOwn && f.Cause != finding.CauseMissing {
		return c, nil
	}
	for txn := range c.Txns {
		last := len(c.Txns[txn].Stmts) - 1
		if !f.Differences[0].OfCommit(txn) || last < 0 {
			continue
		}
		others := eachPrinted(c, txn, last)
		if dirty {
			return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseDirty }, others...)
		}
		if bare := unchecked(c); bare != nil {
			others = append(others, eachPrinted(bare, txn, last)...)
		}
		return k.firstShowing(ctx, c, missesRow, others...)
	}
	return c, nil
}

// missesRow says whether a finding is a read that misses a row which nobody had touched.
func missesRow(f *campaign.Found) bool {
	return f.Signature == missing && f.Cause == finding.CauseMissing
}

// eachPrinted are the cases in which a query of the whole of one table stands in a statement's place, by itself and with all rows that were inserted
// there from the start.
func eachPrinted(c *testcase.Case, txn, stmt int) (out []*testcase.Case) {
	for _, t := range named(c) {
		printed := with(c, txn, stmt, fmt.Sprintf("SELECT %s, %s FROM %s", sqltext.PKey, sqltext.VKey, t.Name))
		out = append(out, printed)
		// The statement itself may be an INSERT, whose rows are to be there, too.
		if filled := fromTheStart(c, printed); len(filled.Rows) > len(c.Rows) {
			out = append(out, filled)
		}
	}
	return out
}

// fromTheStart is a variant of a case in which the rows that the case inserts are among the initial ones.
func fromTheStart(c, variant *testcase.Case) *testcase.Case {
	variant = variant.Clone()
	for i := range c.Txns {
		for _, s := range c.Txns[i].Stmts {
			if sqltext.KindOf(s.SQL) == sqltext.Insert {
				variant.Rows = append(variant.Rows, s)
			}
		}
	}
	for i := range slices.Backward(c.Txns) {
		for j := range slices.Backward(variant.Txns[i].Stmts) {
			if sqltext.KindOf(variant.Txns[i].Stmts[j].SQL) == sqltext.Insert {
				variant = without(variant, i, j)
			}
		}
		if len(variant.Txns[i].Stmts) == 0 {
			variant = withoutTxn(variant, i)
		}
	}
	return variant
}

// searching lets queries stand in a statement's place that print the rows of one table in which a column is NULL, or is not: where such a one is wrong
// by itself, an index is, whatever the statement asked of it.
func (k *shrinker) searching(ctx context.Context, c *testcase.Case, txn, stmt int) (*testcase.Case, error) {
	var others []*testcase.Case
	for _, t := range named(c) {
		for _, col := range t.Columns {
			if slices.Contains([]string{sqltext.PKey, sqltext.VKey, sqltext.PVKey}, col.Name) {
				continue
			}
			for _, is := range []string{"IS NOT NULL", "IS NULL"} {
				others = append(others, with(c, txn, stmt, fmt.Sprintf("SELECT %[1]s.%[2]s, %[1]s.%[3]s FROM %[1]s WHERE %[1]s.%[4]s %[5]s", t.Name, sqltext.PKey, sqltext.VKey, col.Name, is)))
			}
		}
	}
	name := fmt.Sprintf("T%d.S%d", txn, stmt)
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool {
		return f.Cause == finding.CauseSearch && f.Signature == unprinted && f.Differences[0].Stmt == name
	}, others...)
}

// counting lets the COUNT of a whole table stand in the place of a query that counts: where that one is wrong, the rows of the table being read beside
// it, it is COUNT that is, whatever the query counted.
func (k *shrinker) counting(ctx context.Context, c *testcase.Case, txn, stmt int) (*testcase.Case, error) {
	read := c.Read(c.Txns[txn].Stmts[stmt].SQL)
	if read.Tree == nil || !sql.Has(read.Tree, func(n sql.Node) bool {
		call, ok := n.(*sql.Call)
		return ok && call.Name.Folded() == "count"
	}) {
		return c, nil
	}
	var others []*testcase.Case
	for _, t := range named(c) {
		others = append(others, with(c, txn, stmt, "SELECT COUNT(*) FROM "+t.Name))
	}
	name := fmt.Sprintf("T%d.S%d", txn, stmt)
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseCount && f.Differences[0].Stmt == name }, others...)
}

// named are the tables of a case whose rows have names and versions.
func named(c *testcase.Case) []*sqltext.Table {
	return slices.DeleteFunc(slices.Clone(c.ReadSchema().Tables), func(t *sqltext.Table) bool {
		return t.Column(sqltext.PKey) == nil || t.Column(sqltext.VKey) == nil
	})
}
