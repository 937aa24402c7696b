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
			if col.Counts && col.Kept && !col.Random && !joined && !definitionKnows(c, col.Name) && !slices.ContainsFunc(texts, func(s sqltext.Statement) bool { return knows(&s, col.Name) }) {
				t.Leave(col.Name)
			}
		}
	}
}

// rowNumbers are names that some DBMS has for a column that numbers rows, whatever its own is.
var rowNumbers = []string{"_rowid", "rowid", "_rowid_", "oid"}

// definitionKnows says whether a table's definition reads a column of the case: by another column, a CHECK or a foreign key.
func definitionKnows(c *testcase.Case, column string) bool {
	for _, s := range c.Schema {
		d, _ := sqltext.SplitTable(s.SQL)
		for _, item := range d.Items {
			name, kind := item.Kind()
			if kind != sqltext.ColumnElement && kind != sqltext.CheckElement {
				continue
			}
			for i, t := range sqltext.Significant(string(item), -1) {
				if word, ok := t.Ident(); ok && word == column && !(i == 0 && name == column) {
					return true
				}
			}
		}
	}
	return false
}

// knows says whether a statement may give or read a column: it names it, or names none where it could.
func knows(s *sqltext.Statement, column string) bool {
	for i, t := range s.Tokens {
		name, ok := t.Ident()
		if ok && (name == column || slices.Contains(rowNumbers, name)) || t.Text == "*" && isWildcard(s.Tokens, i) || isTable(s.Tokens, i) {
			return true
		}
	}
	_, listed := columnList(*s)
	return s.Kind == sqltext.Insert && !listed
}

// isWildcard says whether a star may stand for columns: it is neither COUNT(*)'s nor between two operands. What may stand before it
// (options of SELECT, RETURNING) differs from one DBMS to the next.
func isWildcard(tokens []sqltext.Token, at int) bool {
	if at == 0 || at+1 == len(tokens) {
		return true
	}
	before, after := tokens[at-1], tokens[at+1]
	if before.Text == "(" && after.Text == ")" {
		return false
	}
	return !endsOperand(before) || !startsOperand(after)
}

func endsOperand(t sqltext.Token) bool {
	switch t.Kind {
	case sqltext.Word:
		return !t.Is("select", "distinct", "distinctrow", "all", "returning", "high_priority", "straight_join", "sql_small_result", "sql_big_result",
			"sql_buffer_result", "sql_cache", "sql_no_cache", "sql_calc_found_rows")
	case sqltext.Name, sqltext.Literal:
		return true
	}
	return t.Text == ")"
}

func startsOperand(t sqltext.Token) bool {
	switch t.Kind {
	case sqltext.Word:
		return !t.Is("from", "into", "where", "union", "except", "intersect", "minus", "order", "limit", "offset", "fetch", "for", "lock", "group",
			"having", "window", "procedure", "on", "as")
	case sqltext.Name, sqltext.Literal:
		return true
	}
	return strings.Contains("(-+~!@.:?{", t.Text)
}

// isTable says whether a word may begin TABLE t, which reads all columns: it stands where no definition has it, and no statement that
// looks after tables.
func isTable(tokens []sqltext.Token, at int) bool {
	return tokens[at].Is("table") && (at == 0 || !tokens[at-1].Is("create", "replace", "temporary", "temp", "drop", "truncate", "alter", "ignore", "rename",
		"lock", "unlock", "analyze", "optimize", "check", "checksum", "repair", "flush", "local", "no_write_to_binlog"))
}
