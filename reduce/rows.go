package reduce

import (
	"txweave/sqltext"
	"txweave/testcase"
)

// dropRows drops initial rows: single ones of an INSERT whose rows can be told apart, else the whole statement.
func dropRows(s *Search) error {
	c := s.Case()
	inserts := make([]sqltext.InsertRows, len(c.Rows))
	var owner []int // statement of each row, rows numbered through
	for i, stmt := range c.Rows {
		inserts[i] = sqltext.SplitInsert(stmt.SQL)
		for range inserts[i].Rows {
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
			for _, text := range inserts[i].Rows {
				if in[row] {
					left = append(left, text)
				}
				row++
			}
			if len(left) == 0 {
				continue
			}
			if len(left) < len(inserts[i].Rows) {
				stmt.SQL = inserts[i].Text(left)
			}
			d.Rows = append(d.Rows, stmt)
		}
		return d
	})
}
