package shrink

import (
	"context"
	"fmt"
	"slices"

	"txweave/campaign"
	"txweave/finding"
	"txweave/sql"
	"txweave/sqltext"
	"txweave/testcase"
)

// later is plainer for a query that misses rows, or that goes wrong without a cause, and whose transaction writes a table of the query's behind it. A row that such a
// write deletes, and one of a table without versions, does not say who wrote it. So the table is printed before its transaction inserts a row there: where the
// query prints that row, it reads what is to come, and what that is is no matter.
func (k *shrinker) later(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if !slices.Contains([]finding.Cause{{}, finding.CauseMissing, finding.CauseOwn, finding.CauseStale}, k.cause) {
		return c, nil
	}
	txn, stmt, ok, err := k.guilty(ctx, c)
	if err != nil || !ok {
		return c, err
	}
	stmts := c.Txns[txn].Stmts
	reads := c.Read(stmts[stmt].SQL)
	if reads.Kind != sqltext.Select {
		return c, nil
	}
	var others []*testcase.Case
	for _, s := range stmts[stmt+1:] {
		if table := c.Read(s.SQL).Target(); slices.Contains(reads.Tables(), table) {
			if other := toCome(c, txn, table); other != nil {
				others = append(others, other)
			}
		}
	}
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseLater }, others...)
}

// toCome is a case in which a transaction does nothing but print a table, which has no rows, and insert one there; nil where the case does not create the table.
func toCome(c *testcase.Case, txn int, table string) *testcase.Case {
	out, row := lone(c, txn, table)
	if out != nil {
		out.Txns[0].Stmts = append(out.Txns[0].Stmts, testcase.Stmt{SQL: row})
		out.Schedule = out.SerialSchedule()
	}
	return out
}

// eachLone are the cases in which a transaction does nothing but print a table that has one row.
func eachLone(c *testcase.Case, txn int) (out []*testcase.Case) {
	for _, t := range c.ReadSchema().Tables {
		if other, row := lone(c, txn, t.Name); other != nil {
			other.Rows = []testcase.Stmt{{SQL: row}}
			out = append(out, other)
		}
	}
	return out
}

// lone is a case in which a transaction does nothing but print a table, which is given versions where it has none, and no rows; and an INSERT of a row there. nil
// where the case does not create the table, or its rows have no names.
func lone(c *testcase.Case, txn int, table string) (out *testcase.Case, row string) {
	out, tree := c.Clone(), sqltext.SyntaxOf(c.Target).Tree
	for i, s := range out.Schema {
		stmt, _ := tree.Parse(s.SQL)
		n, ok := stmt.(*sql.CreateTable)
		if !ok || n.Name.Name.Folded() != table {
			continue
		}
		t := sqltext.ReadSchema(tree, []string{s.SQL}).Table(table)
		if t == nil || t.Column(sqltext.PKey) == nil {
			return nil, ""
		}
		text, err := tree.Print(sql.Edit(n, func(n *sql.CreateTable) {
			for _, name := range []string{sqltext.VKey, sqltext.PVKey} {
				if t.Column(name) == nil {
					n.Columns = append([]*sql.ColumnDef{{Name: &sql.Name{Value: name}, Type: &sql.Type{Words: "BIGINT"}, Constraints: []sql.Constraint{&sql.Nullable{Not: true}}}}, n.Columns...)
				}
			}
		}))
		if err != nil {
			return nil, ""
		}
		out.Schema[i].SQL = text
		out.Rows, out.Txns = nil, out.Txns[txn:txn+1]
		out.DropUnusedSessions()
		out.Txns[0].Stmts = []testcase.Stmt{{SQL: fmt.Sprintf("SELECT %s, %s FROM %s", sqltext.PKey, sqltext.VKey, table)}}
		out.Schedule = out.SerialSchedule()
		return out, rowOf(c.Target, out.Schema[i].SQL, 1, 1)
	}
	return nil, ""
}
