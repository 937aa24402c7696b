package shrink

import (
	"cmp"
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// What a trial puts in the place of what: see trials.

// undoing are the cases whose transactions roll back that commit, with a row in each table too, or begin with one of
// their own.
func undoing(x *tried) []*testcase.Case {
	undone := ending(x.Case, "COMMIT", "ROLLBACK")
	filled := undone.Clone()
	if len(filled.Rows) == 0 {
		for _, s := range filled.Schema {
			if row := rowOf(x.Target, s.SQL, 1, 999999); row != "" {
				filled.Rows = append(filled.Rows, testcase.Stmt{SQL: row})
			}
		}
	}
	return append([]*testcase.Case{undone, filled}, writing(x.Case)...)
}

// rowOf is an INSERT of one row into the table that a statement creates; "" where it creates none.
func rowOf(target, create string, pkey, vkey int) string {
	st := control.Read(sqltext.SyntaxOf(target).Tree, create)
	if st.Creates() != "table" {
		return ""
	}
	t := sqltext.SyntaxOf(target).Schema([]string{create}).Table(st.Written())
	if t == nil || t.Column(sqltext.PKey) == nil {
		return ""
	}
	if t.Column(sqltext.VKey) == nil || t.Column(sqltext.PVKey) == nil {
		return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%d)", st.Written(), sqltext.PKey, pkey)
	}
	return fmt.Sprintf("INSERT INTO %s (%s, %s, %s) VALUES (%d, %d, 0)", st.Written(), sqltext.PKey, sqltext.VKey,
		sqltext.PVKey, pkey, vkey)
}

// writing are cases in which the transactions with savepoints insert a row before all else, and commit, or roll back:
// what becomes of it tells whether they ended before their end.
func writing(c *testcase.Case) (out []*testcase.Case) {
	row := ""
	for _, s := range c.Schema {
		row = cmp.Or(row, rowOf(c.Target, s.SQL, 99991, 999991))
	}
	for i := range c.Txns {
		t := &c.Txns[i]
		if row == "" || t.Autocommit() || !slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool {
			return sqltext.KindOf(s.SQL).IsSavepoint()
		}) {
			continue
		}
		other := beginningWith(c, i, row)
		out = append(out, ending(other, "ROLLBACK", "COMMIT"), ending(other, "COMMIT", "ROLLBACK"))
	}
	return out
}

// beginningWith is a case of which one transaction, which is no single statement, runs a statement before all else.
func beginningWith(c *testcase.Case, txn int, sql string) *testcase.Case {
	c = c.Clone()
	c.Insert(testcase.Ref{Txn: txn}, sql, c.StepsOf(txn)[0]+1)
	return c
}

// ending is a case whose transactions that end by one word end by another.
func ending(c *testcase.Case, by, instead string) *testcase.Case {
	c = c.Clone()
	for i := range c.Txns {
		if end := &c.Txns[i].End; sqltext.FirstWord(end.SQL) == by {
			end.SQL = instead
		}
	}
	return c
}

// without is a case that lacks one statement.
func without(c *testcase.Case, txn, stmt int) *testcase.Case {
	c = c.Clone()
	c.Remove(testcase.Ref{Txn: txn, Stmt: stmt})
	return c
}

// with is a case with another text of one statement.
func with(c *testcase.Case, txn, stmt int, sql string) *testcase.Case {
	c = c.Clone()
	c.Txns[txn].Stmts[stmt].SQL = sql
	return c
}

// eachRolledBack are the cases in which one of the transactions that commit rolls back, or all do.
func eachRolledBack(c *testcase.Case) (out []*testcase.Case) {
	for i := range c.Txns {
		if other := c.Clone(); sqltext.FirstWord(c.Txns[i].End.SQL) == "COMMIT" {
			other.Txns[i].End.SQL = "ROLLBACK"
			out = append(out, other)
		}
	}
	if len(out) > 1 {
		out = append(out, ending(c, "COMMIT", "ROLLBACK"))
	}
	return out
}

// eachFromTheStart are the cases in which the rows that one transaction inserts, which does nothing else, are among the
// initial ones.
func eachFromTheStart(c *testcase.Case) (out []*testcase.Case) {
	for i := range c.Txns {
		inserts := func(s testcase.Stmt) bool { return sqltext.KindOf(s.SQL) == sqltext.Insert }
		if len(c.Txns) < 2 || slices.ContainsFunc(c.Txns[i].Stmts, func(s testcase.Stmt) bool { return !inserts(s) }) {
			continue
		}
		other := withoutTxn(c, i)
		for _, s := range c.Txns[i].Stmts {
			other.Rows = append(other.Rows, testcase.Stmt{Comments: s.Comments, SQL: s.SQL})
		}
		out = append(out, other)
	}
	return out
}

// withoutTxn is a case that lacks one transaction.
func withoutTxn(c *testcase.Case, txn int) *testcase.Case {
	c = c.Clone()
	c.RemoveTxn(txn)
	return c
}

// place finds a statement by its name in findings.
func place(c *testcase.Case, name string) (txn, stmt int, ok bool) {
	ref, ok := testcase.ParseRef(name)
	return ref.Txn, ref.Stmt, ok && ref.Txn < len(c.Txns) && ref.Stmt < len(c.Txns[ref.Txn].Stmts)
}

// eachBeside are the cases in which a transaction inserts a row before all else: where a read sees it before its
// transaction has committed, the reads before it were of that one's state, too, in which there was nothing to see, and
// took no snapshot.
func eachBeside(x *tried) (out []*testcase.Case) {
	for i := range x.Txns {
		for _, s := range x.Schema {
			if row := rowOf(x.Target, s.SQL, 99991, 999991); row != "" && !x.Txns[i].Autocommit() && len(x.Txns) > 1 {
				out = append(out, beginningWith(x.Case, i, row))
			}
		}
	}
	return out
}

// eachLast are the cases in which nobody writes behind a read that missed what had been written before it: by the
// statement that read, or in another transaction.
func eachLast(x *tried) []*testcase.Case {
	if !x.named {
		return nil
	}
	out := eachPrinted(x)
	for i := range x.Txns {
		if i != x.txn && len(x.Txns) > 1 {
			out = append(out, withoutTxn(x.Case, i))
		}
	}
	return out
}

// eachToCome are the cases in which a table of a query, which its transaction writes behind it, is printed before a row
// is inserted there. A row that is deleted, and one of a table without versions, does not say who wrote it.
func eachToCome(x *tried) (out []*testcase.Case) {
	if !x.named {
		return nil
	}
	stmts := x.Txns[x.txn].Stmts
	reads := x.Read(stmts[x.stmt].SQL)
	if reads.Kind != sqltext.Select {
		return nil
	}
	for _, s := range stmts[x.stmt+1:] {
		if table := x.Read(s.SQL).Target(); slices.Contains(reads.Tables(), table) {
			if other := toCome(x.Case, x.txn, table); other != nil {
				out = append(out, other)
			}
		}
	}
	return out
}

// toCome is a case in which a transaction does nothing but print a table, which has no rows, and insert one there; nil
// where the case does not create the table.
func toCome(c *testcase.Case, txn int, table string) *testcase.Case {
	out, row := lone(c, txn, table)
	if out != nil {
		out.Txns[0].Stmts = append(out.Txns[0].Stmts, testcase.Stmt{SQL: row})
		out.Schedule = out.SerialSchedule()
	}
	return out
}

// eachLone are the cases in which a transaction does nothing but print a table that has one row.
func eachLone(x *tried) (out []*testcase.Case) {
	for _, t := range x.ReadSchema().Tables {
		if other, row := lone(x.Case, x.txn, t.Name); other != nil {
			other.Rows = []testcase.Stmt{{SQL: row}}
			out = append(out, other)
		}
	}
	return out
}

// lone is a case in which a transaction does nothing but print a table, which is given versions where it has none, and
// no rows; and an INSERT of a row there. nil where the case does not create the table, or its rows have no names.
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
					n.Columns = append([]*sql.ColumnDef{{Name: &sql.Name{Value: name}, Type: &sql.Type{Words: "BIGINT"},
						Constraints: []sql.Constraint{&sql.Nullable{Not: true}}}}, n.Columns...)
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

// eachPrinted are the cases in which a query of the whole of one table stands in a statement's place, by itself and
// with all rows that were inserted there from the start.
func eachPrinted(x *tried) (out []*testcase.Case) {
	if !x.named {
		return nil
	}
	for _, t := range named(x.Case) {
		printed := with(x.Case, x.txn, x.stmt, fmt.Sprintf("SELECT %s, %s FROM %s", sqltext.PKey, sqltext.VKey, t.Name))
		out = append(out, printed)
		// The statement itself may be an INSERT, whose rows are to be there, too.
		if filled := fromTheStart(x.Case, printed); len(filled.Rows) > len(x.Rows) {
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

// eachSearch are the cases in which queries stand in the blamed statement's place that print the rows of one table in
// which a column is NULL, or is not: where such a one is wrong by itself, an index is, whatever the statement asked of
// it.
func eachSearch(x *tried) (out []*testcase.Case) {
	if !x.named {
		return nil
	}
	for _, t := range named(x.Case) {
		for _, col := range t.Columns {
			if slices.Contains([]string{sqltext.PKey, sqltext.VKey, sqltext.PVKey}, col.Name) {
				continue
			}
			for _, is := range []string{"IS NOT NULL", "IS NULL"} {
				out = append(out, with(x.Case, x.txn, x.stmt,
					fmt.Sprintf("SELECT %[1]s.%[2]s, %[1]s.%[3]s FROM %[1]s WHERE %[1]s.%[4]s %[5]s",
						t.Name, sqltext.PKey, sqltext.VKey, col.Name, is)))
			}
		}
	}
	return out
}

// eachCount are the cases in which the COUNT of a whole table stands in the place of a query that counts: where that
// one is wrong, the rows of the table being read beside it, it is COUNT that is, whatever the query counted.
func eachCount(x *tried) (out []*testcase.Case) {
	if !x.named {
		return nil
	}
	read := x.Read(x.Txns[x.txn].Stmts[x.stmt].SQL)
	if read.Tree == nil || !sql.Has(read.Tree, func(n sql.Node) bool {
		call, ok := n.(*sql.Call)
		return ok && call.Name.Folded() == "count"
	}) {
		return nil
	}
	for _, t := range named(x.Case) {
		out = append(out, with(x.Case, x.txn, x.stmt, "SELECT COUNT(*) FROM "+t.Name))
	}
	return out
}

// named are the tables of a case whose rows have names and versions.
func named(c *testcase.Case) []*sqltext.Table {
	return slices.DeleteFunc(slices.Clone(c.ReadSchema().Tables), func(t *sqltext.Table) bool {
		return t.Column(sqltext.PKey) == nil || t.Column(sqltext.VKey) == nil
	})
}

// eachPlain are the cases in which INSERTs say nothing of rows whose key is there already: all of them, and in place of
// all that a transaction does one of a row into a table that has none.
func eachPlain(x *tried) (out []*testcase.Case) {
	plain, tree := x.Clone(), sqltext.SyntaxOf(x.Target).Tree
	for i := range x.Txns {
		for j, s := range x.Txns[i].Stmts {
			stmt, _ := tree.Parse(s.SQL)
			insert, ok := stmt.(*sql.Insert)
			if !ok || len(insert.Conflicts) == 0 && len(insert.Duplicate) == 0 && !insert.Ignore && insert.Or == "" &&
				!insert.Replace {
				continue
			}
			text, err := tree.Print(sql.Edit(insert, func(n *sql.Insert) {
				n.Conflicts, n.Duplicate, n.Row, n.RowNames = nil, nil, nil, nil
				n.Ignore, n.Or, n.Replace = false, "", false
			}))
			if err != nil {
				continue
			}
			plain = with(plain, i, j, text)
			if other, row := lone(x.Case, i, insert.Table.Name.Folded()); other != nil {
				other.Txns[0].Stmts = []testcase.Stmt{{SQL: row}}
				other.Schedule = other.SerialSchedule()
				out = append(out, other)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append([]*testcase.Case{plain}, out...)
}

// eachColliding are the cases in which an INSERT of a row that has a key which is there already stands in the place of
// the blamed write.
func eachColliding(x *tried) (out []*testcase.Case) {
	if !x.named {
		return nil
	}
	for _, sql := range repeating(x.Case, x.Read(x.Txns[x.txn].Stmts[x.stmt].SQL).Target()) {
		out = append(out, with(x.Case, x.txn, x.stmt, sql))
	}
	return out
}

// repeating are INSERTs of each row that a table of a case has from the start, under another name and as another
// version.
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
			text, err := tree.Print(&sql.Insert{Table: n.Table, Columns: columns,
				Source: &sql.Query{Body: &sql.Values{Rows: []*sql.Row{again}}}})
			if err == nil {
				out = append(out, text)
			}
		}
	}
	return out
}
