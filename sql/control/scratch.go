package control

import (
	"fmt"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Scratch is a query whose answer goes through a table of its own: CREATE [TEMPORARY] TABLE name AS query. What it
// reads, and what it locks, is what INSERT … SELECT would. Whoever executes it reads the table and drops it at once, so
// that no other statement sees it: its answer is the table's rows.
type Scratch struct {
	Table     string
	Temporary bool
	name      string // of the table, as it is written
}

// Scratch reads CREATE [TEMPORARY] TABLE name AS query. ok is false for all others, and where the statement says more
// of the table.
func (s Statement) Scratch() (x Scratch, ok bool) {
	n, ok := s.Tree.(*sql.CreateTable)
	if !ok || n.As == nil || named(n.Name) == "" || !sql.Equal(n, &sql.CreateTable{Temp: n.Temp, Name: n.Name, As: n.As}) {
		return x, false
	}
	_, _, read := sql.Span(n.As)
	at, behind, spelled := sql.Span(n.Name)
	if !read || !spelled {
		return x, false
	}
	return Scratch{Table: named(n.Name), Temporary: n.Temp, name: s.text[at:behind]}, true
}

// Around are the statements that read the table of such a query's answer, and drop it: a temporary one, and no other of
// its name.
func (x Scratch) Around(syntax *sqltext.Syntax) (read, drop string) {
	drop = "DROP TABLE %s"
	if x.Temporary {
		drop = syntax.DropTemporary
	}
	return "SELECT * FROM " + x.name, fmt.Sprintf(drop, x.name)
}
