package testcase

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// merged puts what an ALTER TABLE of a set-up adds and sets into the definition of its table, of which more is known;
// false where that cannot be done.
func (c *Case) merged(text string) bool {
	tree := sqltext.SyntaxOf(c.Target).Tree
	if tree == nil {
		return false
	}
	stmt, err := tree.Parse(text)
	alter, ok := stmt.(*sql.AlterTable)
	if err != nil || !ok || len(alter.Actions) == 0 {
		return false
	}
	for i := range c.Schema {
		stmt, err := tree.Parse(c.Schema[i].SQL)
		table, ok := stmt.(*sql.CreateTable)
		if err != nil || !ok || table.As != nil || table.Like != nil ||
			table.Name.Name.Folded() != alter.Table.Name.Folded() {
			continue
		}
		for _, a := range alter.Actions {
			if table = c.altered(table, a); table == nil {
				return false
			}
		}
		whole, err := tree.Print(table)
		if err != nil {
			return false
		}
		c.Schema[i].SQL = whole
		return true
	}
	return false
}

// altered is a table's definition with what an ALTER TABLE does to it; nil where that is not known here.
func (c *Case) altered(table *sql.CreateTable, a sql.Alteration) *sql.CreateTable {
	switch a := a.(type) {
	case *sql.AddConstraint:
		if !a.NotValid {
			return sql.Edit(table, func(n *sql.CreateTable) {
				n.Constraints = append(slices.Clip(n.Constraints), a.Constraint)
			})
		}
	case *sql.AddColumn:
		at := placeOf(table, a)
		if a.Modify || a.IfNotExists || a.From != nil || at < 0 || c.spellsAll(table.Name.Name.Folded()) {
			return nil
		}
		return sql.Edit(table, func(n *sql.CreateTable) { n.Columns = slices.Insert(slices.Clone(n.Columns), at, a.Column) })
	case *sql.AlterColumn:
		at := slices.IndexFunc(table.Columns, func(d *sql.ColumnDef) bool { return d.Name.Folded() == a.Column.Folded() })
		if at < 0 || a.What != "SET NOT NULL" {
			return nil
		}
		return sql.Edit(table, func(n *sql.CreateTable) {
			n.Columns = slices.Clone(n.Columns)
			n.Columns[at] = sql.Edit(n.Columns[at], func(d *sql.ColumnDef) {
				d.Constraints = append(slices.Clip(d.Constraints), &sql.Nullable{Not: true})
			})
		})
	case *sql.SetOptions:
		return sql.Edit(table, func(n *sql.CreateTable) {
			for _, o := range a.Options {
				if word, _, _ := strings.Cut(o.Words, " "); !slices.Contains(ofChange, word) {
					n.Options = append(slices.Clip(n.Options), o)
				}
			}
		})
	}
	return nil
}

// ofChange are options of the change itself, which say nothing of the table that comes of it.
var ofChange = strings.Fields("ALGORITHM LOCK FORCE")

// placeOf is where a new column comes among those of a table; -1 behind one that it has not.
func placeOf(table *sql.CreateTable, a *sql.AddColumn) int {
	switch {
	case a.First:
		return 0
	case a.After == nil:
		return len(table.Columns)
	}
	at := slices.IndexFunc(table.Columns, func(d *sql.ColumnDef) bool { return d.Name.Folded() == a.After.Folded() })
	if at < 0 {
		return at
	}
	return at + 1
}

// spellsAll says whether an INSERT of the rows so far gives values to the columns of a table without naming them: one
// that is added later would be among them.
func (c *Case) spellsAll(table string) bool {
	tree := sqltext.SyntaxOf(c.Target).Tree
	return slices.ContainsFunc(c.Rows, func(s Stmt) bool {
		n, ok := parsed(tree, s.SQL).(*sql.Insert)
		return !ok || n.Table.Name.Folded() == table && len(n.Columns) == 0 && len(n.Set) == 0
	})
}

// parsed is the tree of a statement; nil where nobody reads it.
func parsed(d *sql.Dialect, text string) sql.Stmt {
	stmt, err := d.Parse(text)
	if err != nil {
		return nil
	}
	return stmt
}
