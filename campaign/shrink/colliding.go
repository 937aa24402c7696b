package shrink

import (
	"context"
	"fmt"
	"slices"

	"txweave/campaign"
	"txweave/finding"
	"txweave/sql"
	"txweave/sql/analysis"
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
	for _, sql := range repeating(c, c.Read(c.Txns[txn].Stmts[stmt].SQL).Target()) {
		others = append(others, with(c, txn, stmt, sql))
	}
	name := fmt.Sprintf("T%d.S%d", txn, stmt)
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseKey && f.Differences[0].Stmt == name }, others...)
}

// repeating are INSERTs of each row that a table of a case has from the start, under another name and as another version.
func repeating(c *testcase.Case, table string) (out []string) {
	tree := sqltext.SyntaxOf(c.Target).Tree
	for _, s := range c.Rows {
		stmt, _ := tree.Parse(s.SQL)
		spelled, ok := analysis.SpelledBy(stmt)
		if !ok || spelled.Table != table || !slices.Contains(spelled.Columns, sqltext.PKey) {
			continue
		}
		for _, row := range spelled.Rows {
			again := &sql.Row{}
			for i, name := range spelled.Columns {
				x := row.Items[i]
				switch name {
				case sqltext.PKey:
					x = &sql.Literal{Kind: sql.Number, Text: "99991"}
				case sqltext.VKey:
					x = &sql.Literal{Kind: sql.Number, Text: "999991"}
				}
				again.Items = append(again.Items, x)
			}
			n := stmt.(*sql.Insert)
			columns := n.Columns
			for _, as := range n.Set {
				columns = append(columns, as.Columns[0].Name)
			}
			text, err := tree.Print(&sql.Insert{Table: n.Table, Columns: columns, Source: &sql.Query{Body: &sql.Values{Rows: []*sql.Row{again}}}})
			if err == nil {
				out = append(out, text)
			}
		}
	}
	return out
}
