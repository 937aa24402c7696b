package reduce

import (
	"txweave/sql"
	"txweave/testcase"
)

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
