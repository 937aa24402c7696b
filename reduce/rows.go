package reduce

import (
	"strings"
	"txweave/sqltext"

	"txweave/testcase"
)

// dropRows drops initial rows: single ones of an INSERT whose rows can be told apart, else the whole statement.
func dropRows(s *Search) error {
	c := s.Case()
	inserts := make([]insert, len(c.Rows))
	var owner []int // statement of each row, rows numbered through
	for i, stmt := range c.Rows {
		inserts[i] = splitInsert(stmt.SQL)
		for range inserts[i].rows {
			owner = append(owner, i)
		}
	}
	return s.Minimize(len(owner), func(keep []int) *testcase.Case {
		in := set(keep)
		d := c.Clone()
		d.Rows = nil
		row := 0
		for i, stmt := range c.Clone().Rows {
			var left []string
			for _, text := range inserts[i].rows {
				if in[row] {
					left = append(left, text)
				}
				row++
			}
			if len(left) == 0 {
				continue
			}
			if len(left) < len(inserts[i].rows) {
				stmt.SQL = inserts[i].join(left)
			}
			d.Rows = append(d.Rows, stmt)
		}
		return d
	})
}

// insert is an INSERT statement cut at its rows. One that cannot be cut is a single row with no head.
type insert struct {
	head string   // up to the first row
	rows []string // "(…)"
	sep  string   // between rows
}

// join returns the statement with these rows only.
func (in insert) join(rows []string) string { return in.head + strings.Join(rows, in.sep) }

// splitInsert cuts "INSERT … VALUES (…), (…)". A statement that goes on after its rows is not cut.
func splitInsert(sql string) insert {
	whole := insert{rows: []string{sql}}
	if w := sqltext.Significant(sql, 1); len(w) == 0 || !w[0].Is("insert", "replace") {
		return whole
	}
	var out insert
	depth, at, rowAt, rowEnd := 0, 0, 0, 0
	values, expectRow := false, false
	for t := range sqltext.Tokens(sql) {
		start := at
		at += len(t.Text)
		switch {
		case t.Kind == sqltext.Blank || t.Kind == sqltext.Comment:
		case !values:
			depth += t.Nesting()
			values = depth == 0 && t.Is("values", "value")
			expectRow = values
		case depth == 0 && t.Text == "(" && expectRow:
			switch len(out.rows) {
			case 0:
				out.head = sql[:start]
			case 1:
				out.sep = sql[rowEnd:start]
			}
			depth, rowAt, expectRow = 1, start, false
		case depth == 0 && t.Text == "," && !expectRow:
			expectRow = true
		case depth == 0:
			return whole
		default:
			if depth += t.Nesting(); depth == 0 {
				out.rows, rowEnd = append(out.rows, sql[rowAt:at]), at
			}
		}
	}
	if depth != 0 || expectRow || len(out.rows) == 0 {
		return whole
	}
	return out
}
