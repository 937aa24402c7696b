package shrink

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"txweave/campaign"
	"txweave/finding"
	"txweave/sqltext"
	"txweave/testcase"
)

// colliding is plainer for a write that seems to have passed over rows, or to have written none of those that it spells. In its place stands an INSERT of a row
// that has a key which is there already: where that one is not refused either, the write was refused, and nobody told.
func (k *shrinker) colliding(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	txn, stmt, ok, err := k.guilty(ctx, c)
	if err != nil || !ok {
		return c, err
	}
	var others []*testcase.Case
	for _, sql := range repeating(c, sqltext.Read(c.Txns[txn].Stmts[stmt].SQL).Target) {
		others = append(others, with(c, txn, stmt, sql))
	}
	name := fmt.Sprintf("T%d.S%d", txn, stmt)
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseKey && f.Differences[0].Stmt == name }, others...)
}

// repeating are INSERTs of each row that a table of a case has from the start, under another name and as another version.
func repeating(c *testcase.Case, table string) (out []string) {
	for _, s := range c.Rows {
		v, ok := sqltext.SplitValues(s.SQL)
		if !ok || v.Table != table || !slices.Contains(v.Columns, sqltext.PKey) {
			continue
		}
		for _, cells := range v.Cells {
			cells = slices.Clone(cells)
			for i, name := range v.Columns {
				switch name {
				case sqltext.PKey:
					cells[i] = "99991"
				case sqltext.VKey:
					cells[i] = "999991"
				}
			}
			out = append(out, v.Text([]string{"(" + strings.Join(cells, ", ") + ")"}))
		}
	}
	return out
}
