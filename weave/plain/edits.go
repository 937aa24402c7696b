package plain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// edit makes a case plainer; nil where there is nothing to do.
type edit struct {
	name    string
	widens  bool // statements see more columns
	forgets bool // rows may be equal that were not
	apply   func(*testcase.Case) *testcase.Case
}

// edits are what is tried, in this order, each on what the ones before have left.
var edits = []edit{
	{"select everything", true, false, selectAll},
	{"no overwritten version", false, false, func(c *testcase.Case) *testcase.Case { return withoutColumn(c, sqltext.PVKey) }},
	{"no version", false, true, func(c *testcase.Case) *testcase.Case { return withoutColumn(c, sqltext.VKey) }},
	{"values", false, false, tens},
	{"names", false, false, plainNames},
	{"types", false, false, plainTypes},
	{"no NOT NULL", false, false, nullable},
	{"inserts", false, false, shortInserts},
}

// onStatements gives every statement of a case to change; nil where it says no, or changes nothing.
func onStatements(c *testcase.Case, change func(sql string) (string, bool)) *testcase.Case {
	d := c.Clone()
	changed := false
	lists := [][]testcase.Stmt{d.Schema, d.Rows}
	for i := range d.Txns {
		lists = append(lists, d.Txns[i].Stmts)
	}
	for _, list := range lists {
		for i := range list {
			sql, ok := change(list[i].SQL)
			if !ok {
				return nil
			}
			changed = changed || sql != list[i].SQL
			list[i].SQL, list[i].Comments = sql, nil
		}
	}
	if !changed {
		return nil
	}
	return d
}

// clause is a part of a statement at its outermost level.
type clause struct{ from, to int }

// listBetween finds the text after the first of some words at the outermost level, up to the first of others.
func listBetween(sql string, after, before []string) (clause, bool) {
	at, depth := 0, 0
	out := clause{-1, len(sql)}
	for t := range sqltext.Tokens(sql) {
		from := at
		at += len(t.Text)
		if depth += t.Nesting(); depth != 0 {
			continue
		}
		switch {
		case out.from < 0 && t.Is(after...):
			out.from = at
		case out.from >= 0 && t.Is(before...):
			out.to = from
			return out, true
		}
	}
	return out, out.from >= 0
}

// items cuts a list at its commas.
func items(list string) []string {
	parts, end := sqltext.SplitList("("+list+")", 0)
	if end < 0 {
		return nil
	}
	return parts
}

func (x clause) replace(sql, with string) string {
	return strings.TrimRight(sql[:x.from], " ") + " " + strings.TrimSpace(with+" "+strings.TrimSpace(sql[x.to:]))
}

var (
	afterSet    = []string{"where", "order", "limit", "returning"}
	afterSelect = []string{"from"}
)

// selectAll makes the queries of one table without functions print every column.
func selectAll(c *testcase.Case) *testcase.Case {
	return onStatements(c, func(sql string) (string, bool) {
		s := sqltext.Read(sql)
		if s.Kind != sqltext.Select || len(s.Named) != 1 || len(s.Tokens) < 3 || s.Tokens[1].Is("distinct") ||
			slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("group", "union", "intersect", "except") }) {
			return sql, true
		}
		list, ok := listBetween(sql, []string{"select"}, afterSelect)
		if !ok || strings.Contains(sql[list.from:list.to], "(") {
			return sql, true
		}
		return list.replace(sql, "*"), true
	})
}

// mentions says whether a statement names a column, or anything of that name.
func mentions(sql, name string) bool {
	return slices.ContainsFunc(sqltext.Significant(sql, -1), func(t sqltext.Token) bool {
		n, ok := t.Ident()
		return ok && n == name
	})
}

// withoutColumn leaves a column out of every table and statement; nil where a statement uses it otherwise than by writing or
// printing it.
func withoutColumn(c *testcase.Case, column string) *testcase.Case {
	return onStatements(c, func(sql string) (string, bool) {
		if !mentions(sql, column) {
			return sql, true
		}
		out, ok := columnLess(sql, column)
		return out, ok && !mentions(out, column)
	})
}

// columnLess leaves a column out of a statement.
func columnLess(sql, column string) (string, bool) {
	if t, ok := sqltext.SplitTable(sql); ok {
		t.Items = slices.DeleteFunc(t.Items, func(x sqltext.TableElement) bool {
			name, kind := x.Kind()
			return kind == sqltext.ColumnElement && name == column
		})
		return t.Text(), len(t.Items) > 0
	}
	if v, ok := sqltext.SplitValues(sql); ok && v.Columns != nil {
		return v.Without(map[string]bool{column: true}), len(v.Columns) > 1
	}
	without := func(list clause, gone func(item string) bool) (string, bool) {
		all := items(sql[list.from:list.to])
		left := slices.DeleteFunc(slices.Clone(all), gone)
		return list.replace(sql, strings.Join(left, ", ")), len(left) > 0
	}
	is := func(item string) bool {
		tokens := sqltext.Significant(item, 2)
		name, ok := "", false
		if len(tokens) > 0 {
			name, ok = tokens[0].Ident()
		}
		return ok && name == column && (len(tokens) == 1 || tokens[1].Text == "=")
	}
	switch sqltext.KindOf(sql) {
	case sqltext.Update:
		if list, ok := listBetween(sql, []string{"set"}, afterSet); ok {
			return without(list, is)
		}
	case sqltext.Select:
		if list, ok := listBetween(sql, []string{"select"}, afterSelect); ok {
			return without(list, is)
		}
	case sqltext.Insert:
		return insertSelectLess(sql, is)
	}
	return sql, false
}

// insertSelectLess leaves a column out of INSERT INTO t (…) SELECT ….
func insertSelectLess(sql string, is func(string) bool) (string, bool) {
	open := strings.IndexByte(sql, '(')
	columns, end := sqltext.SplitList(sql, open)
	at := slices.IndexFunc(columns, is)
	if end < 0 || at < 0 || len(columns) < 2 {
		return sql, false
	}
	query := sql[end+1:]
	list, ok := listBetween(query, []string{"select"}, afterSelect)
	if !ok {
		return sql, false
	}
	values := items(query[list.from:list.to])
	if len(values) != len(columns) {
		return sql, false
	}
	columns, values = slices.Delete(columns, at, at+1), slices.Delete(values, at, at+1)
	return sql[:open] + "(" + strings.Join(columns, ", ") + ")" + list.replace(query, strings.Join(values, ", ")), true
}

// tens makes what is written to a version column look like a value: 10, 20, 30.
func tens(c *testcase.Case) *testcase.Case {
	return onStatements(c, func(sql string) (string, bool) {
		if !mentions(sql, sqltext.VKey) {
			return sql, true
		}
		if _, ok := sqltext.SplitTable(sql); ok {
			return sql, true
		}
		if v, ok := sqltext.SplitValues(sql); ok && v.Columns != nil {
			at := slices.Index(v.Columns, sqltext.VKey)
			for _, row := range v.Cells {
				if at < 0 || !tenfold(&row[at]) {
					return sql, false
				}
			}
			return v.Without(nil), true
		}
		return tensIn(sql)
	})
}

// tensIn writes ten times the number wherever a statement sets the version column to one.
func tensIn(sql string) (string, bool) {
	if sqltext.KindOf(sql) == sqltext.Select {
		return sql, true // it prints it; a comparison with a number would have been printed otherwise
	}
	if sqltext.KindOf(sql) == sqltext.Update {
		list, ok := listBetween(sql, []string{"set"}, afterSet)
		all := items(sql[list.from:list.to])
		for i, item := range all {
			if name, value, set := strings.Cut(item, "="); set && strings.EqualFold(strings.TrimSpace(name), sqltext.VKey) {
				value = strings.TrimSpace(value)
				if !tenfold(&value) {
					return sql, false
				}
				all[i] = strings.TrimSpace(name) + " = " + value
			}
		}
		return list.replace(sql, strings.Join(all, ", ")), ok
	}
	open := strings.IndexByte(sql, '(')
	columns, end := sqltext.SplitList(sql, open)
	if end < 0 {
		return sql, true // DELETE
	}
	query := sql[end+1:]
	list, ok := listBetween(query, []string{"select"}, afterSelect)
	values := []string(nil)
	if ok {
		values = items(query[list.from:list.to])
	}
	at := slices.IndexFunc(columns, func(s string) bool { return strings.EqualFold(s, sqltext.VKey) })
	if at < 0 || at >= len(values) || !tenfold(&values[at]) {
		return sql, false
	}
	return sql[:end+1] + list.replace(query, strings.Join(values, ", ")), true
}

func tenfold(cell *string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(*cell))
	if err != nil || n > 100_000 {
		return false
	}
	*cell = strconv.Itoa(10 * n)
	return true
}

// plainNames calls the key id, the other columns a, b, c, and the tables t, or t1, t2.
func plainNames(c *testcase.Case) *testcase.Case {
	taken := map[string]bool{}
	var tables, columns []string
	for _, s := range c.Schema {
		t, ok := sqltext.SplitTable(s.SQL)
		if !ok {
			continue
		}
		tables = append(tables, t.Name)
		for _, x := range t.Items {
			if name, kind := x.Kind(); kind == sqltext.ColumnElement && !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	onStatements(c, func(sql string) (string, bool) {
		for _, t := range sqltext.Significant(sql, -1) {
			if name, ok := t.Ident(); ok {
				taken[name] = true
			}
		}
		return sql, true
	})
	for _, name := range append(slices.Clone(tables), columns...) {
		delete(taken, name)
	}
	to := map[string]string{}
	give := func(name, want string) {
		if taken[want] {
			taken[name] = true // it stays
			return
		}
		to[name], taken[want] = want, true
	}
	for i, name := range tables {
		if len(tables) == 1 {
			give(name, "t")
		} else {
			give(name, fmt.Sprint("t", i+1))
		}
	}
	next := 'a'
	for _, name := range columns {
		if name == sqltext.PKey {
			give(name, "id")
			continue
		}
		for ; next <= 'z'; next++ {
			if !taken[string(next)] {
				give(name, string(next))
				break
			}
		}
	}
	return onStatements(c, func(sql string) (string, bool) {
		return sqltext.Rename(sql, to), true
	})
}

// onColumns changes the definitions of columns.
func onColumns(c *testcase.Case, change func(item string) string) *testcase.Case {
	return onStatements(c, func(sql string) (string, bool) {
		t, ok := sqltext.SplitTable(sql)
		if !ok {
			return sql, true
		}
		for i, x := range t.Items {
			if _, kind := x.Kind(); kind == sqltext.ColumnElement {
				t.Items[i] = sqltext.TableElement(change(string(x)))
			}
		}
		return t.Text(), true
	})
}

// plainTypes makes BIGINT, which only the bookkeeping needs, INT.
func plainTypes(c *testcase.Case) *testcase.Case {
	return onColumns(c, func(item string) string { return strings.Replace(item, " BIGINT", " INT", 1) })
}

// nullable leaves NOT NULL out.
func nullable(c *testcase.Case) *testcase.Case {
	return onColumns(c, func(item string) string { return strings.Replace(item, " NOT NULL", "", 1) })
}

// shortInserts leaves the list of columns out where it is that of the table, and makes one statement of the rows of a table.
func shortInserts(c *testcase.Case) *testcase.Case {
	columns := map[string][]string{}
	for _, s := range c.Schema {
		if t, ok := sqltext.SplitTable(s.SQL); ok {
			for _, x := range t.Items {
				if name, kind := x.Kind(); kind == sqltext.ColumnElement {
					columns[t.Name] = append(columns[t.Name], name)
				}
			}
		}
	}
	d := onStatements(c, func(sql string) (string, bool) {
		v, ok := sqltext.SplitValues(sql)
		if !ok || v.Columns == nil || !slices.Equal(v.Columns, columns[v.Table]) {
			return sql, true
		}
		return strings.Replace(sql, " "+v.List, "", 1), true
	})
	if d == nil {
		return nil
	}
	var rows []testcase.Stmt
	for _, s := range d.Rows {
		v := sqltext.SplitInsert(s.SQL)
		if n := len(rows); n > 0 && v.Head != "" && sqltext.SplitInsert(rows[n-1].SQL).Head == v.Head {
			rows[n-1].SQL += ", " + strings.Join(v.Rows, ", ")
			continue
		}
		rows = append(rows, s)
	}
	d.Rows = rows
	return d
}
