package reduce

import (
	"slices"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/testcase"
)

// inserted is an INSERT with the rows that it spells, each of as many values as there are columns.
type inserted struct {
	stmt    *sql.Insert
	table   string
	columns []string // in lower case; all of the table's, where it names none
	rows    []*sql.Row
}

// insertOf reads INSERT … VALUES; ok is false for all else.
func (s *Search) insertOf(c *testcase.Case, text string) (in inserted, ok bool) {
	stmt := s.parse(text)
	spelled, ok := analysis.SpelledBy(stmt)
	if !ok || len(stmt.(*sql.Insert).Set) > 0 {
		return in, false
	}
	in = inserted{stmt: stmt.(*sql.Insert), table: spelled.Table, columns: spelled.Columns, rows: spelled.Rows}
	if in.columns == nil {
		for _, d := range c.Schema {
			if t, ok := s.parse(d.SQL).(*sql.CreateTable); ok && t.Name.Name.Folded() == in.table {
				for _, col := range t.Columns {
					in.columns = append(in.columns, col.Name.Folded())
				}
			}
		}
	}
	if slices.ContainsFunc(in.rows, func(r *sql.Row) bool { return len(r.Items) != len(in.columns) }) {
		return inserted{}, false
	}
	return in, true
}

// with is the INSERT with other rows.
func (in inserted) with(rows []*sql.Row) *sql.Insert {
	return sql.Rewrite(in.stmt, func(n sql.Node) sql.Node {
		if v, ok := n.(*sql.Values); ok && slices.Equal(v.Rows, in.rows) {
			return sql.Edit(v, func(v *sql.Values) { v.Rows = rows })
		}
		return n
	})
}

// put is the INSERT with other values in the places of some.
func (in inserted) put(to map[sql.Node]sql.Node) *sql.Insert {
	return sql.Rewrite(in.stmt, func(n sql.Node) sql.Node {
		if other := to[n]; other != nil {
			return other
		}
		return n
	})
}

// without is the INSERT without some columns.
func (in inserted) without(gone map[string]bool) *sql.Insert {
	rows := make([]*sql.Row, len(in.rows))
	for i, row := range in.rows {
		rows[i] = sql.Edit(row, func(r *sql.Row) {
			r.Items = nil
			for j, x := range row.Items {
				if !gone[in.columns[j]] {
					r.Items = append(r.Items, x)
				}
			}
		})
	}
	return sql.Edit(in.with(rows), func(n *sql.Insert) {
		n.Columns = slices.DeleteFunc(slices.Clone(n.Columns), func(c *sql.Name) bool { return gone[c.Folded()] })
	})
}

// parse returns the tree of a statement; nil where nobody reads it.
func (s *Search) parse(text string) sql.Stmt {
	stmt, err := s.syntax.Tree.Parse(text)
	if err != nil {
		return nil
	}
	return stmt
}

// print returns the text of a tree; that of before where nobody can write it, which whoever is asked about then has
// been asked about.
func (s *Search) print(stmt sql.Stmt, before string) string {
	text, err := s.syntax.Tree.Print(stmt)
	if err != nil {
		return before
	}
	return text
}

// partText is a part of a statement as it is written there.
func partText(text string, part sql.Node) string {
	if from, to, ok := sql.Span(part); ok {
		return text[from:to]
	}
	return ""
}

// dropRows drops initial rows: single ones of an INSERT whose rows can be told apart, else the whole statement.
func dropRows(s *Search) error {
	c := s.Case()
	inserts := make([]inserted, len(c.Rows))
	count := 0
	for i, stmt := range c.Rows {
		inserts[i], _ = s.insertOf(c, stmt.SQL)
		count += max(1, len(inserts[i].rows))
	}
	return s.Minimize(count, func(keep []int) *testcase.Case {
		in := set(keep)
		d := c.Clone()
		d.Rows = nil
		at := 0
		for i, stmt := range c.Clone().Rows {
			var left []*sql.Row
			for _, row := range inserts[i].rows {
				if in[at] {
					left = append(left, row)
				}
				at++
			}
			switch all := len(inserts[i].rows); {
			case all == 0:
				if at++; !in[at-1] {
					continue
				}
			case len(left) == 0:
				continue
			case len(left) < all:
				stmt.SQL = s.print(inserts[i].with(left), stmt.SQL)
			}
			d.Rows = append(d.Rows, stmt)
		}
		return d
	})
}
