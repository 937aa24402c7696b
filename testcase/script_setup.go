package testcase

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// merged puts the columns, constraints and indexes that an ALTER TABLE of a set-up adds, and does nothing else, into
// the definition of its table, of which more is known; false where that cannot be done.
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
	var added []sql.Constraint
	var columns []*sql.ColumnDef
	for _, a := range alter.Actions {
		switch add := a.(type) {
		case *sql.AddConstraint:
			if add.NotValid {
				return false
			}
			added = append(added, add.Constraint)
		case *sql.AddColumn:
			if add.Modify || add.IfNotExists || add.From != nil || add.First || add.After != nil ||
				c.spellsAll(alter.Table.Name.Folded()) {
				return false
			}
			columns = append(columns, add.Column)
		default:
			return false
		}
	}
	for i := range c.Schema {
		stmt, err := tree.Parse(c.Schema[i].SQL)
		table, ok := stmt.(*sql.CreateTable)
		if err != nil || !ok || table.As != nil || table.Like != nil ||
			table.Name.Name.Folded() != alter.Table.Name.Folded() {
			continue
		}
		whole, err := tree.Print(sql.Edit(table,
			func(n *sql.CreateTable) {
				n.Columns = append(n.Columns[:len(n.Columns):len(n.Columns)], columns...)
				n.Constraints = append(n.Constraints[:len(n.Constraints):len(n.Constraints)],
					added...)
			}))
		if err != nil {
			return false
		}
		c.Schema[i].SQL = whole
		return true
	}
	return false
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
