package shrink

import (
	"context"
	"slices"

	"txweave/campaign"
	"txweave/finding"
	"txweave/sqltext"
	"txweave/testcase"
)

// misspelled is the signature of an INSERT that counts other rows than it spells. Where it may have left rows as they were, which no read tells, nobody
// knows whether it wrote.
const misspelled = "inconsistent-read-write/INSERT:affected-versus-spelled"

// unlikeAtEnd is the signature of a case that leaves other contents than its replay, which names no statement.
const unlikeAtEnd = "replay-difference/final"

// alone lets such an INSERT do its work where there is no row that it could leave as it was: then the reads around it tell whether it writes its rows.
func (k *shrinker) alone(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	txn, stmt, ok, err := k.guilty(ctx, c)
	if err != nil {
		return c, err
	}
	var others []*testcase.Case
	for i := range c.Txns {
		for j, s := range c.Txns[i].Stmts {
			if ok && i == txn && j == stmt || !ok && sqltext.KindOf(s.SQL) == sqltext.Insert {
				others = append(others, alone(c, i, j))
			}
		}
	}
	wrote := func(f *campaign.Found) bool { return f.Cause == finding.CauseNone || f.Cause == finding.CauseMiscount }
	return k.firstShowing(ctx, c, wrote, others...)
}

// alone is a case that has no rows from the start, and of its statements one.
func alone(c *testcase.Case, txn, stmt int) *testcase.Case {
	c = c.Clone()
	c.Rows = nil
	for j := range slices.Backward(c.Txns[txn].Stmts) {
		if j != stmt {
			c = without(c, txn, j)
		}
	}
	for i := range slices.Backward(c.Txns) {
		if i != txn {
			c = withoutTxn(c, i)
		}
	}
	return c
}
