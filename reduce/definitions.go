package reduce

import (
	"slices"
	"strings"
	"txweave/sqltext"

	"txweave/testcase"
)

// definition is CREATE TABLE, cut into its text before the first column, the columns, keys and constraints, and
// the text after the last one. Definitions are edited as text, by tokens: the parser prints some of them in a form
// that other databases do not read.
type definition struct {
	name       string // in lower case
	head, tail string
	items      []item
}

// item is one column, key or constraint of CREATE TABLE, as text.
type item string

// itemKind says what an item defines.
type itemKind uint8

const (
	columnItem itemKind = iota
	primaryItem
	keyItem   // INDEX, KEY, UNIQUE, FULLTEXT, SPATIAL
	checkItem // FOREIGN KEY, CHECK and what is not known
)

// splitTable cuts CREATE TABLE into its parts; ok is false for what is none.
func splitTable(sql string) (d definition, ok bool) {
	name, defines := definedTable(sql)
	if !defines {
		return d, false
	}
	open := strings.IndexByte(sql, '(')
	parts, end := splitList(sql, open)
	if open < 0 || end < 0 || len(parts) == 0 {
		return d, false
	}
	d = definition{name: name, head: sql[:open+1], tail: sql[end:]}
	for _, p := range parts {
		d.items = append(d.items, item(p))
	}
	return d, true
}

// join returns the definition's text.
func (d definition) join() string {
	parts := make([]string, len(d.items))
	for i, x := range d.items {
		parts[i] = string(x)
	}
	return d.head + strings.Join(parts, ", ") + d.tail
}

// splitList cuts the list in the parentheses that open at sql[open] at its commas, white space trimmed off; end is
// where the closing parenthesis is, -1 if there is none.
func splitList(sql string, open int) (parts []string, end int) {
	if open < 0 {
		return nil, -1
	}
	at, depth, start := 0, 0, open+1
	for t := range sqltext.Tokens(sql) {
		from := at
		at += len(t.Text)
		if from < open {
			continue
		}
		depth += t.Nesting()
		if depth == 1 && t.Text == "," || depth == 0 {
			parts = append(parts, strings.TrimSpace(sql[start:from]))
			start = at
		}
		if depth == 0 {
			return parts, from
		}
	}
	return nil, -1
}

// kind returns what the item defines, and the column's name in lower case if it is one.
func (x item) kind() (name string, kind itemKind) {
	tokens := sqltext.Significant(string(x), 3)
	if len(tokens) > 2 && tokens[0].Is("constraint") {
		tokens = sqltext.Significant(string(x), 4)[2:]
	}
	if len(tokens) == 0 {
		return "", checkItem
	}
	switch {
	case tokens[0].Is("primary"):
		return "", primaryItem
	case tokens[0].Is("index", "key", "unique", "fulltext", "spatial"):
		return "", keyItem
	case tokens[0].Is("foreign", "check", "constraint"):
		return "", checkItem
	}
	name, ok := tokens[0].Ident()
	if !ok {
		return "", checkItem
	}
	return name, columnItem
}

// class returns the class of a column's type.
func (x item) class() class {
	tokens := sqltext.Significant(string(x), 2)
	if len(tokens) < 2 {
		return unknown
	}
	return typeClasses[strings.ToLower(tokens[1].Text)]
}

// isUnique says whether the item makes columns unique.
func (x item) isUnique() bool {
	return slices.ContainsFunc(sqltext.Significant(string(x), -1), func(t sqltext.Token) bool { return t.Is("unique") })
}

// names returns the columns that the item concerns: the column itself, or those in a key's parentheses.
func (x item) names() []string {
	if name, kind := x.kind(); kind == columnItem {
		return []string{name}
	}
	return keyColumns(string(x))
}

// keyColumns returns the columns in the first parentheses of a key's definition.
func keyColumns(sql string) []string {
	parts, _ := splitList(sql, strings.IndexByte(sql, '('))
	var out []string
	for _, p := range parts {
		if tokens := sqltext.Significant(p, 1); len(tokens) == 1 {
			if name, ok := tokens[0].Ident(); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// indexOf returns the table and the columns of CREATE INDEX.
func indexOf(sql string) (table string, columns []string, ok bool) {
	tokens := sqltext.Significant(sql, -1)
	if len(tokens) == 0 || !tokens[0].Is("create") {
		return "", nil, false
	}
	index := false
	for i, t := range tokens {
		index = index || t.Is("index")
		if t.Text == "(" {
			break
		}
		if index && t.Is("on") && i+1 < len(tokens) {
			table, ok = tokens[i+1].Ident()
			return table, keyColumns(sql), ok
		}
	}
	return "", nil, false
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
		parts, end := splitList(v.head, open)
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
		cells, end := splitList(row, 0)
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
		t, _ := splitTable(stmt.SQL)
		for _, x := range t.items {
			if name, kind := x.kind(); t.name == v.table && kind == columnItem {
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
