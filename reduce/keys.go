package reduce

import (
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// key names a key column: vkey, whose numbers are unique in the case, or a table's pkey. Without a table it is the
// pkeys of all tables, numbered together.
type key struct{ table, column string }

// renumberKeys makes version keys and primary keys small: 1, 2, 3, …, each in the order that they have now, so that
// what is unique stays so and what is compared with a key still compares: primary keys by table where that can be.
func renumberKeys(s *Search) error {
	choices := []func(table, column string) (key, bool){
		func(table, column string) (key, bool) {
			if column == sqltext.VKey {
				table = ""
			}
			return key{table, column}, true
		},
		func(_, column string) (key, bool) { return key{"", column}, true },
		func(_, column string) (key, bool) { return key{"", column}, column == sqltext.VKey },
		func(_, column string) (key, bool) { return key{"", column}, column == sqltext.PKey },
	}
	for _, of := range choices {
		kept, err := s.Try(s.renumbered(of))
		if kept || err != nil {
			return err
		}
	}
	return nil
}

// renumbered returns the case with small numbers in the key columns for which of says so; nil where a statement cannot
// be written again.
func (s *Search) renumbered(of func(table, column string) (key, bool)) *testcase.Case {
	d := s.Case().Clone()
	found := map[key][]int64{}
	s.keys(d, func(table, column string, n int64) int64 {
		if k, ok := of(table, column); ok {
			found[k] = append(found[k], n)
		}
		return n
	})
	numbers := map[key]map[int64]int64{}
	for k, list := range found {
		slices.Sort(list)
		numbers[k] = map[int64]int64{}
		for i, n := range slices.Compact(list) {
			numbers[k][n] = int64(i) + 1
		}
	}
	ok := s.keys(d, func(table, column string, n int64) int64 {
		if k, ok := of(table, column); ok {
			return numbers[k][n]
		}
		return n
	})
	if !ok {
		return nil
	}
	return d
}

// keys gives every number that stands for a key to change and writes what that returns. ok is false where a
// statement could not be written again.
func (s *Search) keys(c *testcase.Case, change func(table, column string, n int64) int64) (ok bool) {
	for i := range c.Rows {
		in, spelled := s.insertOf(c, c.Rows[i].SQL)
		if !spelled {
			continue
		}
		if to := in.changedKeys(change); len(to) > 0 {
			c.Rows[i].SQL = s.print(in.put(to), c.Rows[i].SQL)
		}
	}
	for n := range c.Txns {
		for i := range c.Txns[n].Stmts {
			stmt := &c.Txns[n].Stmts[i]
			text, printed := s.rewriter.ChangeKeys(stmt.SQL, change)
			if !printed {
				return false
			}
			stmt.SQL = text
		}
	}
	return true
}

// changedKeys are the keys of an INSERT's rows for which change returns another one, with that.
func (in *inserted) changedKeys(change func(table, column string, n int64) int64) map[sql.Node]sql.Node {
	to := map[sql.Node]sql.Node{}
	for _, row := range in.rows {
		for k, name := range in.columns {
			old, err := strconv.ParseInt(analysis.Spelling(row.Items[k]), 10, 64)
			if err != nil || name != sqltext.PKey && name != sqltext.VKey {
				continue
			}
			if n := change(in.table, name, old); n != old {
				to[row.Items[k]] = &sql.Literal{Kind: sql.Number, Text: strconv.FormatInt(n, 10)}
			}
		}
	}
	return to
}
