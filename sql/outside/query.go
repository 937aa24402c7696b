package outside

import (
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
)

// output is a column that a query prints.
type output struct {
	name   string // in lower case; "" where it has none
	source Source
}

// result is what a query gives.
type result struct {
	outputs []output
	rows    Source // by what it is decided which rows it gives
	stars   int    // how many * are among what it prints
}

// scope is a statement with its sources, those of its subqueries among them.
type scope struct {
	v       *Values
	ctes    map[string]result
	columns map[string]map[string]Source // by the name of the source
	tables  map[string]string            // by the name of the source, where it is a table
	row     string                       // the table whose row a trigger calls NEW and OLD; "" outside of triggers
}

// scopeOf collects the sources of a statement. What it does not tell apart, a name that two of them have, comes from
// either.
func (v *Values) scopeOf(stmt sql.Node) *scope { return v.scopeIn(stmt, "") }

// scopeIn is scopeOf of a statement of a trigger, which may name columns of a table's row.
func (v *Values) scopeIn(stmt sql.Node, row string) *scope {
	s := &scope{v: v, ctes: map[string]result{}, columns: map[string]map[string]Source{}, tables: map[string]string{},
		row: row}
	const nested = 3 // passes, for sources in sources
	for range nested {
		classes.Visit(stmt, func(n sql.Node) bool {
			switch x := n.(type) {
			case *sql.CTE:
				if q, ok := x.Body.(*sql.Query); ok {
					s.ctes[x.Name.Folded()] = renamed(s.query(q), x.Columns)
				}
			case *sql.Table:
				s.add(classes.SourceName(x), renamed(s.ofTable(x.Name.Folded()), x.Columns))
				s.tables[classes.SourceName(x)] = x.Name.Folded()
			case *sql.Derived:
				s.add(x.Alias.Folded(), renamed(s.query(x.Query), x.Columns))
			}
			return true
		})
	}
	return s
}

func (s *scope) add(name string, r result) {
	if s.columns[name] == nil {
		s.columns[name] = map[string]Source{}
	}
	for _, o := range r.outputs {
		s.columns[name][o.name] = s.columns[name][o.name].or(o.source)
	}
}

func renamed(r result, names []*sql.Name) result {
	r.outputs = append([]output{}, r.outputs...)
	for i := range min(len(names), len(r.outputs)) {
		r.outputs[i].name = names[i].Folded()
	}
	return r
}

// ofTable are the columns of a table, a view or a common table expression.
func (s *scope) ofTable(name string) (r result) {
	if cte, ok := s.ctes[name]; ok {
		return cte
	}
	t := s.v.tables[name]
	if t == nil {
		return r
	}
	r.rows = s.v.rows[name]
	if t.query != nil {
		r = s.v.scopeOf(t.query).query(t.query)
		for i := range min(len(t.columns), len(r.outputs)) {
			r.outputs[i].name = t.columns[i].Name
		}
		return r
	}
	for _, c := range t.columns {
		r.outputs = append(r.outputs, output{c.Name, s.v.columns[place{name, c.Name}]})
	}
	return r
}

// query is what a query gives.
func (s *scope) query(q *sql.Query) result {
	if q == nil {
		return result{}
	}
	r := s.body(q.Body)
	for _, l := range q.Locks {
		if l.Wait == "SKIP LOCKED" {
			r.rows = r.rows.or(Locks)
		}
	}
	r.rows = r.rows.or(s.first(q.Order, q.Limit))
	return r
}

// first is by what it is decided which rows are among the first ones that a statement takes.
func (s *scope) first(order []*sql.Order, limit *sql.Limit) (out Source) {
	if limit == nil {
		return None
	}
	for _, o := range order {
		out = out.or(s.of(o.X))
	}
	return out.or(s.of(limit))
}

func (s *scope) body(b sql.Body) (r result) {
	switch b := b.(type) {
	case *sql.Nested:
		return s.query(b.Query)
	case *sql.Whole:
		return s.ofTable(b.Table.Name.Folded())
	case *sql.Values:
		for _, row := range b.Rows {
			var values result
			for _, x := range row.Items {
				values.outputs = append(values.outputs, output{"", s.of(x)})
			}
			r = either(r, values)
		}
	case *sql.Compound:
		r = either(s.body(b.Left), s.body(b.Right))
		if b.Op != "UNION ALL" {
			r.rows = r.rows.or(anyOf(r.outputs))
		}
	case *sql.Select:
		return s.block(b)
	}
	return r
}

func anyOf(list []output) (out Source) {
	for _, o := range list {
		out = out.or(o.source)
	}
	return out
}

// either is what two queries of a set operation give.
func either(a, b result) result {
	if len(a.outputs) == 0 {
		return b
	}
	a.outputs = append([]output{}, a.outputs...)
	for i := range min(len(a.outputs), len(b.outputs)) {
		a.outputs[i].source = a.outputs[i].source.or(b.outputs[i].source)
	}
	a.rows, a.stars = a.rows.or(b.rows), a.stars+b.stars
	return a
}

// block is one query block.
func (s *scope) block(b *sql.Select) (r result) {
	r.rows = s.from(b.From).or(s.of(b.Where)).or(s.of(b.Having))
	for _, x := range b.Group {
		r.rows = r.rows.or(s.of(x))
	}
	r.outputs, r.stars = s.items(b.Items, b.From)
	if b.Distinct {
		r.rows = r.rows.or(anyOf(r.outputs))
	}
	return r
}

// from is by what it is decided which rows a FROM clause gives.
func (s *scope) from(x sql.TableRef) (out Source) {
	switch x := x.(type) {
	case *sql.Join:
		out = s.from(x.Left).or(s.from(x.Right)).or(s.of(x.On))
		for _, name := range x.Using {
			out = out.or(s.named(nil, name.Folded()))
		}
		return out
	case *sql.ParenTable:
		return s.from(x.X)
	case *sql.Derived:
		return s.query(x.Query).rows
	case *sql.Table:
		return s.outer(x).or(s.ofTable(x.Name.Folded()).rows)
	case *sql.TableCall:
		return called(x)
	}
	return None
}

// outer is the source of a table that tells of the server and none of the script's: one of another schema, or of the
// catalogue.
func (s *scope) outer(x *sql.Table) Source {
	name := x.Name.Folded()
	if _, cte := s.ctes[name]; cte || s.v.tables[name] != nil {
		return None
	}
	if x.Schema != nil || s.v.syntax.Traits.Catalogue != "" && strings.HasPrefix(name, s.v.syntax.Traits.Catalogue) {
		return Session
	}
	return None
}

// items are the columns that a list prints.
func (s *scope) items(items []*sql.Item, from sql.TableRef) (out []output, stars int) {
	for _, i := range items {
		star, ok := i.X.(*sql.Star)
		if !ok {
			name := i.Alias.Folded()
			if c, column := i.X.(*sql.Column); column && name == "" {
				name = c.Name.Folded()
			}
			out = append(out, output{name, s.of(i.X)})
			continue
		}
		stars++
		for _, x := range classes.Leaves(from) {
			if star.Table != nil && classes.SourceName(x) != star.Table.Folded() {
				continue
			}
			switch x := x.(type) {
			case *sql.Table:
				out = append(out, renamed(s.ofTable(x.Name.Folded()), x.Columns).outputs...)
			case *sql.Derived:
				out = append(out, renamed(s.query(x.Query), x.Columns).outputs...)
			}
		}
	}
	return out, stars
}

// of is where a value, or a part of a statement, has what it depends on.
func (s *scope) of(x sql.Node) (out Source) {
	if isNil(x) {
		return None
	}
	sql.Walk(x, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Column:
			out = out.or(s.named(n.Table, n.Name.Folded()))
			return false
		case *sql.Variable:
			if strings.HasPrefix(n.Text, "@@") {
				out = out.or(Session)
			}
			out = out.or(s.v.variables[strings.ToLower(n.Text)])
		case *sql.Table:
			out = out.or(s.outer(n)).or(s.ofTable(n.Name.Folded()).rows)
		case *sql.Binary, *sql.In, *sql.Between:
			return !s.settled(n)
		default:
			out = out.or(ofCall(n))
		}
		return true
	})
	return out
}

func isNil(x sql.Node) bool {
	switch x := x.(type) {
	case nil:
		return true
	case sql.Expr:
		return x == nil
	}
	return false
}

// named is where what a column of a name holds comes from, of whichever source; table is how the statement calls it,
// nil where it does not say.
func (s *scope) named(table *sql.Name, column string) (out Source) {
	for _, p := range s.v.syntax.Traits.Places {
		if p == column {
			return Session
		}
	}
	if s.ofRow(table) {
		return s.v.columns[place{s.row, column}]
	}
	if table != nil {
		return s.columns[table.Folded()][column]
	}
	for _, columns := range s.columns {
		out = max(out, columns[column])
	}
	return out
}

// ofRow says whether a name is that of the row which a trigger looks at.
func (s *scope) ofRow(name *sql.Name) bool {
	return s.row != "" && name != nil && (name.Folded() == "new" || name.Folded() == "old")
}

// settled says whether a comparison is of a column whose numbers the database hands out with numbers that it hands out
// no more: it is true of the same rows whichever numbers the others get.
func (s *scope) settled(n sql.Node) bool {
	var x sql.Expr
	var with []sql.Expr
	switch n := n.(type) {
	case *sql.Binary:
		switch n.Op {
		case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
		default:
			return false
		}
		if x, with = n.Left, []sql.Expr{n.Right}; !isColumn(x) {
			x, with = n.Right, []sql.Expr{n.Left}
		}
	case *sql.In:
		x, with = n.X, n.List
	case *sql.Between:
		x, with = n.X, []sql.Expr{n.Low, n.High}
	}
	c, ok := sql.Bare(x).(*sql.Column)
	if !ok || len(with) == 0 {
		return false
	}
	least, ok := s.last(c)
	for _, w := range with {
		l, literal := sql.Bare(w).(*sql.Literal)
		if !literal {
			return false
		}
		number, err := strconv.ParseInt(strings.Trim(l.Text, "'\""), 10, 64)
		ok = ok && err == nil && number <= least
	}
	return ok
}

func isColumn(x sql.Expr) bool {
	_, ok := sql.Bare(x).(*sql.Column)
	return ok
}

// last is the highest number that the set-up has given a column whose numbers the database hands out; ok is false where
// the column is of another kind, or that is not known.
func (s *scope) last(c *sql.Column) (n int64, ok bool) {
	for source, table := range s.tables {
		t := s.v.tables[table]
		if c.Table != nil && c.Table.Folded() != source || t == nil {
			continue
		}
		for _, x := range t.columns {
			if x.Name != c.Name.Folded() {
				continue
			}
			if ok || !x.Counts || t.last < 0 || s.v.columns[place{table, x.Name}] > Counter {
				return 0, false
			}
			n, ok = t.last, true
		}
	}
	return n, ok
}
