package testcase

import (
	"txweave/sql"
	"txweave/sqltext"
)

// merged puts the constraints and indexes that an ALTER TABLE of a set-up adds, and does nothing else, into the
// definition of its table, of which more is known; false where that cannot be done.
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
	for _, a := range alter.Actions {
		add, ok := a.(*sql.AddConstraint)
		if !ok || add.NotValid {
			return false
		}
		added = append(added, add.Constraint)
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
