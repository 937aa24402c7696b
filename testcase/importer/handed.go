package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// HandedOut writes into the INSERTs of a case what the database would hand out: the numbers of columns that count, in
// the order of the schedule, and a time where a default is the clock's. Of such values nothing is said of a run;
// written out, all the rest can be. It returns the case itself where there is nothing to write, or that is not known.
func HandedOut(c *testcase.Case) *testcase.Case {
	h := &hander{c: c.Clone().PlacedAs(c), tree: sqltext.SyntaxOf(c.Target).Tree, next: map[string]int64{}}
	h.schema = h.c.ReadSchema()
	for i := range h.c.Schema {
		h.clocks(h.c.Schema[i].SQL)
	}
	for i := range h.c.Rows {
		h.insert(&h.c.Rows[i])
	}
	at := make([]int, len(h.c.Txns))
	for _, n := range h.c.Schedule {
		t := &h.c.Txns[n]
		if at[n] < t.Steps() {
			h.insert(t.Step(at[n]))
		}
		at[n]++
	}
	if !h.wrote {
		return c
	}
	return h.c
}

type hander struct {
	c      *testcase.Case
	tree   *sql.Dialect
	schema *sqltext.Schema
	next   map[string]int64  // the last number of a table's counter
	clock  map[string]string // by table and column, a text that is a time
	wrote  bool
}

// someTime is a time that no test is about, as its literal.
const someTime = "'2001-02-03 04:05:06'"

// clocks notes the columns of a table whose default is the clock's, and nothing else.
func (h *hander) clocks(text string) {
	stmt, err := h.tree.Parse(text)
	n, ok := stmt.(*sql.CreateTable)
	if err != nil || !ok {
		return
	}
	if h.clock == nil {
		h.clock = map[string]string{}
	}
	for _, d := range n.Columns {
		for _, x := range d.Constraints {
			def, ok := x.(*sql.Default)
			if !ok || d.Type == nil {
				continue
			}
			first, _, _ := strings.Cut(strings.ToLower(d.Type.Words), " ")
			moment := sqltext.ClassOf(first) == sqltext.Temporal || first == "timestamptz"
			if isClock(sql.Bare(def.X)) || moment {
				h.clock[n.Name.Name.Folded()+"."+d.Name.Folded()] = someTime
			}
		}
	}
}

// isClock says whether an expression is a function of the clock's without parentheses.
func isClock(x sql.Expr) bool {
	n, ok := x.(*sql.Niladic)
	if !ok {
		return false
	}
	f, _ := functions.Of(strings.ToLower(n.Word))
	return f.Volatility == functions.OfClock
}

// insert writes values into an INSERT that spells its rows.
func (h *hander) insert(s *testcase.Stmt) {
	stmt, err := h.tree.Parse(s.SQL)
	n, ok := stmt.(*sql.Insert)
	if err != nil || !ok || n.Source == nil {
		return
	}
	values, ok := n.Source.Body.(*sql.Values)
	t := h.schema.Table(n.Table.Name.Folded())
	if !ok || t == nil || len(values.Rows) == 0 {
		return
	}
	names := n.Columns
	if len(names) == 0 {
		for _, c := range t.Columns {
			names = append(names, &sql.Name{Value: c.Name})
		}
	}
	rows := make([][]sql.Expr, len(values.Rows))
	for i, row := range values.Rows {
		if len(row.Items) != len(names) {
			return
		}
		rows[i] = slices.Clone(row.Items)
	}
	columns, changed := h.fill(t, names, rows)
	if !changed {
		return
	}
	text, err := h.tree.Print(sql.Edit(n, func(n *sql.Insert) {
		if len(n.Columns) > 0 || len(columns) > len(names) {
			n.Columns = columns
		}
		n.Source = sql.Edit(n.Source, func(q *sql.Query) { q.Body = spelled(values, rows) })
	}))
	if err == nil {
		s.SQL, h.wrote = text, true
	}
}

// spelled are rows with other values.
func spelled(values *sql.Values, rows [][]sql.Expr) *sql.Values {
	return sql.Edit(values, func(v *sql.Values) {
		v.Rows = slices.Clone(v.Rows)
		for i, row := range v.Rows {
			v.Rows[i] = sql.Edit(row, func(r *sql.Row) { r.Items = rows[i] })
		}
	})
}

// fill gives rows what they leave to the database.
func (h *hander) fill(t *sqltext.Table, names []*sql.Name, rows [][]sql.Expr) (columns []*sql.Name, changed bool) {
	columns = append(columns, names...)
	for _, c := range t.Columns {
		at := -1
		for i, name := range columns {
			if name.Folded() == c.Name {
				at = i
			}
		}
		moment := h.clock[t.Name+"."+c.Name]
		switch {
		case c.Counts:
			if at < 0 {
				columns, at = append(columns, &sql.Name{Value: c.Name}), len(columns)
			}
			changed = h.number(t.Name, rows, at) || changed
		case c.Made && moment != "" && at < 0:
			columns = append(columns, &sql.Name{Value: c.Name})
			for i := range rows {
				rows[i] = append(rows[i], &sql.Literal{Kind: sql.Text, Text: moment})
			}
			changed = true
		}
	}
	return columns, changed
}

// number gives rows the next numbers of a counter where they have none of their own.
func (h *hander) number(table string, rows [][]sql.Expr, at int) (changed bool) {
	for i, row := range rows {
		own := int64(0)
		if at < len(row) {
			l, ok := sql.Bare(row[at]).(*sql.Literal)
			_, defaulted := row[at].(*sql.DefaultValue)
			if !ok && !defaulted {
				continue // a value that is worked out
			}
			if ok {
				own, _ = strconv.ParseInt(l.Text, 10, 64)
			}
		}
		if own > 0 {
			h.next[table] = max(h.next[table], own)
			continue
		}
		h.next[table]++
		next := &sql.Literal{Kind: sql.Number, Text: fmt.Sprint(h.next[table])}
		if at == len(row) {
			rows[i] = append(row, next)
		} else {
			row[at] = next
		}
		changed = true
	}
	return changed
}
