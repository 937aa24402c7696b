package dbms

import (
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Read understands a statement as the DBMS does.
func (p *Profile) Read(text string) control.Statement {
	return control.Read(sqltext.SyntaxOf(p.DBMS).Tree, text)
}

// Scratch reads a query whose answer goes through a table of its own; ok is false for all others, of which it reads the
// first word.
func (p *Profile) Scratch(text string) (x control.Scratch, ok bool) {
	if sqltext.FirstWord(text) != "CREATE" {
		return x, false
	}
	return p.Read(text).Scratch()
}
