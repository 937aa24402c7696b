package reduce

import (
	"slices"
	"strings"
	"txweave/sqltext"

	"txweave/testcase"
)

// readSchema reads the tables of a case.
func readSchema(stmts []testcase.Stmt) *sqltext.Schema {
	return sqltext.ReadSchema(testcase.Texts(stmts))
}

// values is one row of INSERT … VALUES with its column list, as text.
type values struct {
	insert
	table   string
	columns []string   // in lower case; nil without a column list
	list    string     // text of the column list, parentheses included
	cells   [][]string // by row
}

// splitValues cuts INSERT … VALUES into its cells; ok is false for what cannot be told apart.
func splitValues(sql string) (v values, ok bool) {
	tokens := sqltext.Significant(sql, 3)
	if len(tokens) < 3 || !tokens[0].Is("insert", "replace") || !tokens[1].Is("into") {
		return v, false
	}
	v.table, _ = tokens[2].Ident()
	v.insert = splitInsert(sql)
	if v.head == "" {
		return v, false
	}
	if open := strings.IndexByte(v.head, '('); open >= 0 {
		parts, end := sqltext.SplitList(v.head, open)
		if end < 0 {
			return v, false
		}
		v.list = v.head[open : end+1]
		for _, p := range parts {
			name, ok := sqltext.Token{Kind: sqltext.Word, Text: strings.Trim(p, "`\"")}.Ident()
			if !ok {
				return v, false
			}
			v.columns = append(v.columns, name)
		}
	}
	for _, row := range v.rows {
		cells, end := sqltext.SplitList(row, 0)
		if end != len(row)-1 || v.columns != nil && len(cells) != len(v.columns) {
			return v, false
		}
		v.cells = append(v.cells, cells)
	}
	return v, true
}

// valuesOf cuts INSERT … VALUES into its cells; without a column list the columns are all of the table's. ok is false
// for what cannot be told apart.
func valuesOf(c *testcase.Case, sql string) (v values, ok bool) {
	if v, ok = splitValues(sql); !ok || v.columns != nil {
		return v, ok
	}
	for _, stmt := range c.Schema {
		t, _ := sqltext.SplitTable(stmt.SQL)
		for _, x := range t.Items {
			if name, kind := x.Kind(); t.Name == v.table && kind == sqltext.ColumnItem {
				v.columns = append(v.columns, name)
			}
		}
	}
	return v, !slices.ContainsFunc(v.cells, func(row []string) bool { return len(row) != len(v.columns) })
}

// text returns the statement with the rows' cells, those of columns in gone left out.
func (v values) text(gone map[string]bool) string {
	rows := make([]string, len(v.cells))
	for i, cells := range v.cells {
		var left []string
		for j, cell := range cells {
			if v.columns == nil || !gone[v.columns[j]] {
				left = append(left, cell)
			}
		}
		rows[i] = "(" + strings.Join(left, ", ") + ")"
	}
	head := v.head
	if v.list != "" && len(gone) > 0 {
		left := slices.DeleteFunc(slices.Clone(v.columns), func(c string) bool { return gone[c] })
		head = strings.Replace(head, v.list, "("+strings.Join(left, ", ")+")", 1)
	}
	return insert{head: head, sep: v.sep, rows: rows}.join(rows)
}
