package plain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
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
	{"no overwritten version", false, false, func(c *testcase.Case) *testcase.Case {
		return withoutColumn(c, sqltext.PVKey)
	}},
	{"no version", false, true, func(c *testcase.Case) *testcase.Case { return withoutColumn(c, sqltext.VKey) }},
	{"values", false, false, tens},
	{"names", false, false, plainNames},
	{"types", false, false, plainTypes},
	{"no NOT NULL", false, false, nullable},
	{"inserts", false, false, shortInserts},
}

// onStatements gives every statement of a case to change; nil where it says no, changes nothing, or a statement is not
// read.
func onStatements(c *testcase.Case, change func(sql.Stmt) (sql.Stmt, bool)) *testcase.Case {
	d := c.Clone()
	dialect := sqltext.SyntaxOf(c.Target).Tree
	changed := false
	lists := [][]testcase.Stmt{d.Schema, d.Rows}
	for i := range d.Txns {
		lists = append(lists, d.Txns[i].Stmts)
	}
	for _, list := range lists {
		for i := range list {
			stmt, err := dialect.Parse(list[i].SQL)
			if err != nil {
				return nil
			}
			now, ok := change(stmt)
			if !ok {
				return nil
			}
			if now == stmt {
				continue
			}
			changed = true
			if list[i].SQL, err = dialect.Print(now); err != nil {
				return nil
			}
			list[i].Comments = nil
		}
	}
	if !changed {
		return nil
	}
	return d
}

// isQuery says whether a node is a query, or asks for one.
func isQuery(n sql.Node) bool {
	_, query := n.(*sql.Query)
	return query
}

// blockOf is the only block of a statement that is a query; nil for others.
func blockOf(stmt sql.Stmt) *sql.Select {
	q, ok := stmt.(*sql.Query)
	if !ok || q.With != nil {
		return nil
	}
	sel, _ := q.Body.(*sql.Select)
	return sel
}

// tables counts the places of tables below a node.
func tables(n sql.Node) (count int) {
	sql.Walk(n, func(n sql.Node) bool {
		if _, is := n.(*sql.Table); is {
			count++
		}
		return true
	})
	return count
}

// selectAll makes the queries of one table without functions print every column.
func selectAll(c *testcase.Case) *testcase.Case {
	calls := func(n sql.Node) bool {
		_, call := n.(*sql.Call)
		return call || isQuery(n)
	}
	return onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		sel := blockOf(stmt)
		if sel == nil || sel.Distinct || sel.Group != nil || tables(stmt) != 1 ||
			slices.ContainsFunc(sel.Items, func(i *sql.Item) bool { return sql.Has(i, calls) }) {
			return stmt, true
		}
		if _, star := sel.Items[0].X.(*sql.Star); star && len(sel.Items) == 1 {
			return stmt, true
		}
		return sql.Edit(stmt.(*sql.Query), func(q *sql.Query) {
			q.Body = sql.Edit(sel, func(s *sql.Select) { s.Items = []*sql.Item{{X: &sql.Star{}}} })
		}), true
	})
}

// mentions says whether a statement names a column, or anything of that name.
func mentions(stmt sql.Node, name string) bool {
	return sql.Has(stmt, func(n sql.Node) bool {
		x, is := n.(*sql.Name)
		return is && x.Folded() == name
	})
}

// withoutColumn leaves a column out of every table and statement; nil where a statement uses it otherwise than by
// writing or printing it.
func withoutColumn(c *testcase.Case, column string) *testcase.Case {
	return onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		if !mentions(stmt, column) {
			return stmt, true
		}
		out, ok := columnLess(stmt, column)
		return out, ok && !mentions(out, column)
	})
}

// columnLess leaves a column out of what a statement defines, writes or prints.
func columnLess(stmt sql.Stmt, column string) (sql.Stmt, bool) {
	sets := func(as *sql.Assign) bool { return len(as.Columns) == 1 && as.Columns[0].Name.Folded() == column }
	switch x := stmt.(type) {
	case *sql.CreateTable:
		x = sql.Edit(x, func(t *sql.CreateTable) {
			t.Columns = without(t.Columns, func(d *sql.ColumnDef) bool { return d.Name.Folded() == column })
		})
		return x, len(x.Columns) > 0
	case *sql.Insert:
		return insertLess(x, column)
	case *sql.Update:
		x = sql.Edit(x, func(u *sql.Update) { u.Set = without(u.Set, sets) })
		return x, len(x.Set) > 0
	case *sql.Query:
		sel := blockOf(x)
		if sel == nil {
			return stmt, false
		}
		less := sql.Edit(sel, func(s *sql.Select) {
			s.Items = without(s.Items, func(i *sql.Item) bool {
				col, is := i.X.(*sql.Column)
				return is && col.Name.Folded() == column
			})
		})
		return sql.Edit(x, func(q *sql.Query) { q.Body = less }), len(less.Items) > 0
	}
	return stmt, false
}

// without is a list without some of its elements.
func without[T any](list []T, gone func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// insertLess leaves a column out of an INSERT that names its columns.
func insertLess(x *sql.Insert, column string) (sql.Stmt, bool) {
	at := slices.IndexFunc(x.Columns, func(n *sql.Name) bool { return n.Folded() == column })
	if at < 0 || len(x.Columns) < 2 || x.Source == nil {
		return x, false
	}
	source, ok := onCells(x, at, func(cells []sql.Expr) ([]sql.Expr, bool) { return slices.Delete(cells, at, at+1), true })
	return sql.Edit(x, func(n *sql.Insert) {
		n.Columns = slices.Delete(slices.Clone(n.Columns), at, at+1)
		n.Source = source
	}), ok
}

// onCells changes the values of each row that an INSERT spells, or of its query; there are values for all of its
// columns.
func onCells(x *sql.Insert, at int, change func([]sql.Expr) ([]sql.Expr, bool)) (source *sql.Query, ok bool) {
	var body sql.Body
	switch b := x.Source.Body.(type) {
	case *sql.Values:
		rows := make([]*sql.Row, len(b.Rows))
		for i, row := range b.Rows {
			if at >= len(row.Items) || len(row.Items) != len(x.Columns) {
				return nil, false
			}
			items, ok := change(slices.Clone(row.Items))
			if !ok {
				return nil, false
			}
			rows[i] = sql.Edit(row, func(r *sql.Row) { r.Items = items })
		}
		body = sql.Edit(b, func(v *sql.Values) { v.Rows = rows })
	case *sql.Select:
		if len(b.Items) != len(x.Columns) {
			return nil, false
		}
		cells := make([]sql.Expr, len(b.Items))
		for i, item := range b.Items {
			cells[i] = item.X
		}
		if cells, ok = change(cells); !ok {
			return nil, false
		}
		body = sql.Edit(b, func(s *sql.Select) {
			s.Items = nil
			for _, x := range cells {
				s.Items = append(s.Items, &sql.Item{X: x})
			}
		})
	default:
		return nil, false
	}
	return sql.Edit(x.Source, func(q *sql.Query) { q.Body = body }), true
}

// tens makes what is written to a version column look like a value: 10, 20, 30.
func tens(c *testcase.Case) *testcase.Case {
	return onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		if !mentions(stmt, sqltext.VKey) {
			return stmt, true
		}
		switch x := stmt.(type) {
		case *sql.Insert:
			at := slices.IndexFunc(x.Columns, func(n *sql.Name) bool { return n.Folded() == sqltext.VKey })
			if at < 0 || x.Source == nil {
				return stmt, false
			}
			source, ok := onCells(x, at, func(cells []sql.Expr) ([]sql.Expr, bool) {
				more, ok := tenfold(cells[at])
				cells[at] = more
				return cells, ok
			})
			return sql.Edit(x, func(n *sql.Insert) { n.Source = source }), ok
		case *sql.Update:
			ok := true
			x = sql.Edit(x, func(u *sql.Update) {
				u.Set = slices.Clone(u.Set)
				for i, as := range u.Set {
					if len(as.Columns) == 1 && as.Columns[0].Name.Folded() == sqltext.VKey {
						more, ten := tenfold(as.Value)
						ok = ok && ten
						u.Set[i] = sql.Edit(as, func(a *sql.Assign) { a.Value = more })
					}
				}
			})
			return x, ok
		}
		return stmt, true // what prints it; a comparison with a number would have been printed otherwise
	})
}

func tenfold(x sql.Expr) (sql.Expr, bool) {
	l, ok := x.(*sql.Literal)
	if !ok || l.Kind != sql.Number {
		return x, false
	}
	n, err := strconv.Atoi(l.Text)
	if err != nil || n > 100_000 {
		return x, false
	}
	return &sql.Literal{Kind: sql.Number, Text: strconv.Itoa(10 * n)}, true
}

// plainNames calls the key id, the other columns a, b, c, and the tables t, or t1, t2.
func plainNames(c *testcase.Case) *testcase.Case {
	r := renaming{taken: map[string]bool{}, to: map[string]string{}}
	tables, columns := r.collect(c)
	for i, name := range tables {
		if len(tables) == 1 {
			r.give(name, "t")
		} else {
			r.give(name, fmt.Sprint("t", i+1))
		}
	}
	next := 'a'
	for _, name := range columns {
		if name == sqltext.PKey {
			r.give(name, "id")
			continue
		}
		for next <= 'z' && r.taken[string(next)] {
			next++
		}
		if next <= 'z' {
			r.give(name, string(next))
		}
	}
	return onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
			if name, ok := n.(*sql.Name); ok && r.to[name.Folded()] != "" {
				return &sql.Name{Value: r.to[name.Folded()]}
			}
			return n
		}), true
	})
}

// renaming gives new names to what a case names.
type renaming struct {
	taken map[string]bool   // names that nothing else can get
	to    map[string]string // the new names, by the old ones
}

// collect lists the names of tables and columns, in the order of the schema, and notes all others as taken.
func (r *renaming) collect(c *testcase.Case) (tables, columns []string) {
	onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		if t, ok := stmt.(*sql.CreateTable); ok {
			tables = append(tables, t.Name.Name.Folded())
			for _, d := range t.Columns {
				if name := d.Name.Folded(); !slices.Contains(columns, name) {
					columns = append(columns, name)
				}
			}
		}
		sql.Walk(stmt, func(n sql.Node) bool {
			if name, ok := n.(*sql.Name); ok {
				r.taken[name.Folded()] = true
			}
			return true
		})
		return stmt, true
	})
	for _, name := range append(slices.Clone(tables), columns...) {
		delete(r.taken, name)
	}
	return tables, columns
}

// give gives a name its new one, unless that is taken.
func (r *renaming) give(name, want string) {
	if r.taken[want] {
		r.taken[name] = true // it stays
		return
	}
	r.to[name], r.taken[want] = want, true
}

// onColumns changes the definitions of columns.
func onColumns(c *testcase.Case, change func(*sql.ColumnDef)) *testcase.Case {
	return onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		t, ok := stmt.(*sql.CreateTable)
		if !ok {
			return stmt, true
		}
		return sql.Rewrite(t, func(n sql.Node) sql.Node {
			if d, ok := n.(*sql.ColumnDef); ok {
				return sql.Edit(d, change)
			}
			return n
		}), true
	})
}

// plainTypes makes BIGINT, which only the bookkeeping needs, INT. One that says more, as UNSIGNED, is a column's of the
// case.
func plainTypes(c *testcase.Case) *testcase.Case {
	return onColumns(c, func(d *sql.ColumnDef) {
		if d.Type != nil && strings.EqualFold(d.Type.Words, "BIGINT") && d.Type.After == "" {
			d.Type = sql.Edit(d.Type, func(t *sql.Type) { t.Words = "INT" })
		}
	})
}

// nullable leaves NOT NULL out.
func nullable(c *testcase.Case) *testcase.Case {
	return onColumns(c, func(d *sql.ColumnDef) {
		d.Constraints = without(d.Constraints, func(x sql.Constraint) bool {
			n, ok := x.(*sql.Nullable)
			return ok && n.Not
		})
	})
}

// shortInserts leaves the list of columns out where it is that of the table, and makes one statement of the rows of a
// table.
func shortInserts(c *testcase.Case) *testcase.Case {
	columns := map[string][]string{}
	names := func(list []*sql.Name) (out []string) {
		for _, n := range list {
			out = append(out, n.Folded())
		}
		return out
	}
	d := onStatements(c, func(stmt sql.Stmt) (sql.Stmt, bool) {
		switch x := stmt.(type) {
		case *sql.CreateTable:
			var defined []*sql.Name
			for _, d := range x.Columns {
				defined = append(defined, d.Name)
			}
			columns[x.Name.Name.Folded()] = names(defined)
		case *sql.Insert:
			if rowsOf(x) != nil && slices.Equal(names(x.Columns), columns[x.Table.Name.Folded()]) {
				return sql.Edit(x, func(n *sql.Insert) { n.Columns = nil }), true
			}
		}
		return stmt, true
	})
	if d == nil {
		return nil
	}
	d.Rows = together(sqltext.SyntaxOf(c.Target).Tree, d.Rows)
	return d
}

// rowsOf are those that an INSERT spells; nil for another one.
func rowsOf(x *sql.Insert) *sql.Values {
	if x.Source == nil {
		return nil
	}
	values, _ := x.Source.Body.(*sql.Values)
	return values
}

// together makes one INSERT of those in a row that differ in their rows alone.
func together(dialect *sql.Dialect, list []testcase.Stmt) []testcase.Stmt {
	var out []testcase.Stmt
	var last *sql.Insert
	with := func(x *sql.Insert, rows []*sql.Row) *sql.Insert {
		return sql.Edit(x, func(n *sql.Insert) {
			n.Source = &sql.Query{Body: &sql.Values{Rows: rows}}
		})
	}
	for _, s := range list {
		stmt, err := dialect.Parse(s.SQL)
		x, insert := stmt.(*sql.Insert)
		if err != nil || !insert || rowsOf(x) == nil {
			out, last = append(out, s), nil
			continue
		}
		if last != nil && sql.Equal(with(x, nil), with(last, nil)) {
			both := with(last, slices.Concat(rowsOf(last).Rows, rowsOf(x).Rows))
			if text, err := dialect.Print(both); err == nil {
				out[len(out)-1].SQL, last = text, both
				continue
			}
		}
		out, last = append(out, s), x
	}
	return out
}
