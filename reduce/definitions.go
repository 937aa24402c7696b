package reduce

import (
	"slices"

	"txweave/sqltext"
	"txweave/testcase"
)

// valuesOf cuts INSERT … VALUES into its cells; without a column list the columns are all of the table's. ok is false
// for what cannot be told apart.
func valuesOf(c *testcase.Case, sql string) (v sqltext.InsertValues, ok bool) {
	if v, ok = sqltext.SplitValues(sql); !ok || v.Columns != nil {
		return v, ok
	}
	for _, stmt := range c.Schema {
		t, _ := sqltext.SplitTable(stmt.SQL)
		for _, x := range t.Items {
			if name, kind := x.Kind(); t.Name == v.Table && kind == sqltext.ColumnElement {
				v.Columns = append(v.Columns, name)
			}
		}
	}
	return v, !slices.ContainsFunc(v.Cells, func(row []string) bool { return len(row) != len(v.Columns) })
}
