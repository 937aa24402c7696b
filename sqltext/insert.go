package sqltext

import (
	"slices"
	"strings"
)

// InsertRows is an INSERT statement cut at its rows. One that cannot be cut is a single row with no head.
type InsertRows struct {
	Head string   // up to the first row
	Rows []string // "(…)"
	Sep  string   // between rows
}

// Text returns the statement with these rows only.
func (in InsertRows) Text(rows []string) string { return in.Head + strings.Join(rows, in.Sep) }

// SplitInsert cuts "INSERT … VALUES (…), (…)". A statement that goes on after its rows is not cut.
func SplitInsert(sql string) InsertRows {
	whole := InsertRows{Rows: []string{sql}}
	if w := Significant(sql, 1); len(w) == 0 || !w[0].Is("insert", "replace") {
		return whole
	}
	var out InsertRows
	depth, at, rowAt, rowEnd := 0, 0, 0, 0
	values, expectRow := false, false
	for t := range Tokens(sql) {
		start := at
		at += len(t.Text)
		switch {
		case t.Kind == Blank || t.Kind == Comment:
		case !values:
			depth += t.Nesting()
			values = depth == 0 && t.Is("values", "value")
			expectRow = values
		case depth == 0 && t.Text == "(" && expectRow:
			switch len(out.Rows) {
			case 0:
				out.Head = sql[:start]
			case 1:
				out.Sep = sql[rowEnd:start]
			}
			depth, rowAt, expectRow = 1, start, false
		case depth == 0 && t.Text == "," && !expectRow:
			expectRow = true
		case depth == 0:
			return whole
		default:
			if depth += t.Nesting(); depth == 0 {
				out.Rows, rowEnd = append(out.Rows, sql[rowAt:at]), at
			}
		}
	}
	if depth != 0 || expectRow || len(out.Rows) == 0 {
		return whole
	}
	return out
}

// InsertValues is INSERT … VALUES cut into its cells, as text.
type InsertValues struct {
	InsertRows
	Table   string     // in lower case
	Columns []string   // in lower case; nil without a column list
	List    string     // text of the column list, parentheses included
	Cells   [][]string // by row
}

// SplitValues cuts INSERT … VALUES into its cells; ok is false for what cannot be told apart.
func SplitValues(sql string) (v InsertValues, ok bool) {
	tokens := Significant(sql, 3)
	if len(tokens) < 3 || !tokens[0].Is("insert", "replace") || !tokens[1].Is("into") {
		return v, false
	}
	v.Table, _ = tokens[2].Ident()
	v.InsertRows = SplitInsert(sql)
	if v.Head == "" {
		return v, false
	}
	if open := strings.IndexByte(v.Head, '('); open >= 0 {
		parts, end := SplitList(v.Head, open)
		if end < 0 {
			return v, false
		}
		v.List = v.Head[open : end+1]
		for _, p := range parts {
			name, ok := Token{Kind: Word, Text: strings.Trim(p, "`\"")}.Ident()
			if !ok {
				return v, false
			}
			v.Columns = append(v.Columns, name)
		}
	}
	for _, row := range v.Rows {
		cells, end := SplitList(row, 0)
		if end != len(row)-1 || v.Columns != nil && len(cells) != len(v.Columns) {
			return v, false
		}
		v.Cells = append(v.Cells, cells)
	}
	return v, true
}

// Without returns the statement with the rows' cells, those of columns in gone left out.
func (v InsertValues) Without(gone map[string]bool) string {
	rows := make([]string, len(v.Cells))
	for i, cells := range v.Cells {
		var left []string
		for j, cell := range cells {
			if v.Columns == nil || !gone[v.Columns[j]] {
				left = append(left, cell)
			}
		}
		rows[i] = "(" + strings.Join(left, ", ") + ")"
	}
	head := v.Head
	if v.List != "" && len(gone) > 0 {
		left := slices.DeleteFunc(slices.Clone(v.Columns), func(c string) bool { return gone[c] })
		head = strings.Replace(head, v.List, "("+strings.Join(left, ", ")+")", 1)
	}
	return InsertRows{Head: head, Sep: v.Sep}.Text(rows)
}

// SplitOffered returns the cells, by column, of the one row that an INSERT … VALUES … ON CONFLICT DO NOTHING offers; ok is
// false for any other statement.
func SplitOffered(sql string) (cells map[string]string, ok bool) {
	w := Significant(sql, -1)
	n := len(w)
	if n < 4 || !w[n-1].Is("nothing") || !w[n-2].Is("do") {
		return nil, false
	}
	depth, at := 0, 0
	for t := range PostgreSQL.Tokens(sql) {
		depth += t.Nesting()
		if depth == 0 && t.Is("on") {
			break
		}
		at += len(t.Text)
	}
	v, ok := SplitValues(strings.TrimSpace(sql[:at]))
	if !ok || len(v.Cells) != 1 || v.Columns == nil {
		return nil, false
	}
	cells = map[string]string{}
	for i, c := range v.Columns {
		cells[c] = v.Cells[0][i]
	}
	return cells, true
}
