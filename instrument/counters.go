package instrument

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// leaveCounters takes columns by which the database numbers rows out of the schema that the oracles know, where no
// statement of the case gives or reads them: which numbers there are depends on all INSERTs before, also on those that
// were rolled back, and so is no part of what rows hold. A key of such a column alone is none that a statement could
// collide with, and rows that lie by it lie as the engine's own numbers would have them.
func leaveCounters(c *testcase.Case, schema *sqltext.Schema, syntax *sqltext.Syntax) {
	if !slices.ContainsFunc(schema.Tables, func(t *sqltext.Table) bool {
		return slices.ContainsFunc(t.Columns, isCounter)
	}) {
		return
	}
	var texts, definitions []sql.Stmt
	for _, s := range c.Schema {
		switch n, err := syntax.Tree.Parse(s.SQL); n.(type) {
		case *sql.CreateTable:
			definitions = append(definitions, n)
		case *sql.CreateView, *sql.CreateTrigger:
			texts = append(texts, n)
		default:
			if err != nil {
				return // it may know whatever there is
			}
		}
	}
	for i := range c.Txns {
		for _, s := range c.Txns[i].Stmts {
			n, err := syntax.Tree.Parse(s.SQL)
			if err != nil {
				return
			}
			texts = append(texts, n)
		}
	}
	for _, t := range schema.Tables {
		for _, col := range slices.Clone(t.Columns) {
			joined := sharesName(schema, t, col.Name)
			if isCounter(col) && !joined && !slices.ContainsFunc(definitions, func(n sql.Stmt) bool {
				return definitionKnows(n, col.Name)
			}) &&
				!slices.ContainsFunc(texts, func(n sql.Stmt) bool { return knows(n, col.Name) }) {
				t.Leave(col.Name)
			}
		}
	}
}

// isCounter says whether the database numbers rows by a column, by an order that it alone knows.
func isCounter(c sqltext.Column) bool { return c.Counts && c.Kept && !c.Random }

// rowNumbers are names that some DBMS has for a column that numbers rows, whatever its own is.
var rowNumbers = []string{"_rowid", "rowid", "_rowid_", "oid"}

// definitionKnows says whether a table's definition reads a column of the case: by another column, a CHECK or a foreign
// key.
func definitionKnows(table sql.Stmt, column string) bool {
	reads := func(n sql.Node) bool {
		switch n.(type) {
		case *sql.Check, *sql.Generated, *sql.Default, *sql.ForeignKey:
			return sql.Has(n, func(n sql.Node) bool { return isName(n, column) })
		}
		return false
	}
	return sql.Has(table, reads)
}

func isName(n sql.Node, name string) bool {
	x, is := n.(*sql.Name)
	return is && x.Folded() == name
}

// knows says whether a statement may give or read a column: it names it, or names none where it could.
func knows(stmt sql.Stmt, column string) bool {
	return sql.Has(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Name:
			return n.Folded() == column || slices.Contains(rowNumbers, n.Folded())
		case *sql.Item:
			_, all := n.X.(*sql.Star)
			return all
		case *sql.Call:
			return n.Name.Folded() != "count" && slices.ContainsFunc(n.Args, func(x sql.Expr) bool {
				_, all := x.(*sql.Star)
				return all
			})
		case *sql.Field:
			return n.Name == nil
		case *sql.Whole:
			return true
		case *sql.Insert:
			return len(n.Columns) == 0 && len(n.Set) == 0
		}
		return false
	})
}

// sharesName says whether another table than t has a column of a name: a NATURAL JOIN goes by both.
func sharesName(schema *sqltext.Schema, t *sqltext.Table, name string) bool {
	return slices.ContainsFunc(schema.Tables, func(o *sqltext.Table) bool { return o != t && o.Column(name) != nil })
}
