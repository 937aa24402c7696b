package instrument

import (
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// leaveCounters takes columns by which the database numbers rows out of the schema that the oracles know, where no statement of the
// case gives or reads them: which numbers there are depends on all INSERTs before, also on those that were rolled back, and so is no part
// of what rows hold. A key of such a column alone is none that a statement could collide with, and rows that lie by it lie as the
// engine's own numbers would have them.
func leaveCounters(c *testcase.Case, schema *sqltext.Schema, q sqltext.Quoting) {
	var texts []sqltext.Statement
	each := func(sql string) { texts = append(texts, q.Read(sql)) }
	for _, s := range c.Schema {
		if _, view := sqltext.ReadView(s.SQL); view {
			each(s.SQL)
		} else if _, trigger := sqltext.ReadTrigger(s.SQL); trigger {
			each(s.SQL)
		}
	}
	for i := range c.Txns {
		for _, s := range c.Txns[i].Stmts {
			each(s.SQL)
		}
	}
	for _, t := range schema.Tables {
		for _, col := range slices.Clone(t.Columns) {
			joined := slices.ContainsFunc(schema.Tables, func(o *sqltext.Table) bool { return o != t && o.Column(col.Name) != nil }) // by a NATURAL JOIN
			if col.Counts && col.Kept && !col.Random && !joined && !slices.ContainsFunc(texts, func(s sqltext.Statement) bool { return knows(&s, col.Name) }) {
				t.Leave(col.Name)
			}
		}
	}
}

// knows says whether a statement may give or read a column: it names it, or names none where it could.
func knows(s *sqltext.Statement, column string) bool {
	for i, t := range s.Tokens {
		name, ok := t.Ident()
		star := t.Text == "*" && i > 0 && (s.Tokens[i-1].Is("select", "distinct", "all") || s.Tokens[i-1].Text == "," || s.Tokens[i-1].Text == ".")
		if ok && strings.EqualFold(name, column) || star {
			return true
		}
	}
	_, listed := columnList(*s)
	return s.Kind == sqltext.Insert && !listed
}
