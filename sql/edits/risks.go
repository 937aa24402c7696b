package edits

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// risker gathers the risks of a statement.
type risker struct {
	schema  *sqltext.Schema
	columns *classes.Columns
	found   sqltext.Risk
}

// Risks returns the reasons for which a statement may have more than one right result, or fails for certain.
func Risks(stmt sql.Stmt, schema *sqltext.Schema) sqltext.Risk {
	r := &risker{schema: schema, columns: classes.Of(stmt, schema)}
	switch n := stmt.(type) {
	case *sql.Update:
		r.update(n)
	case *sql.Delete:
		if n.Limit != nil && !orders(n.Order, sourceNames(n.Table)) {
			r.found |= sqltext.RiskTies
		}
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch x := n.(type) {
		case *sql.Query:
			r.query(x)
		case *sql.Select:
			r.bare(x)
		case *sql.Subquery:
			if !classes.OneRow(x.Query) {
				r.found |= sqltext.RiskRows
			}
		case *sql.Call:
			if r.sums(x) {
				r.found |= sqltext.RiskFloats
			}
		}
		return true
	})
	if dangles(stmt, schema) {
		r.found |= sqltext.RiskDangles
	}
	return r.found
}

// sums says whether a call is a sum whose last digits depend on the order of the rows.
func (r *risker) sums(x *sql.Call) bool {
	name := x.Name.Folded()
	sum := (name == "sum" || name == "avg") && x.Over == nil && len(x.Args) > 0
	return sum && r.columns.ClassOf(x.Args[0]) != sqltext.Exact
}

// query judges one query.
func (r *risker) query(q *sql.Query) {
	body := q.Body
	for {
		if c, ok := body.(*sql.Compound); ok {
			body = c.Left
		} else if n, ok := body.(*sql.Nested); ok {
			body = n.Query.Body
		} else {
			break
		}
	}
	s, _ := body.(*sql.Select)
	block := s != nil && s == q.Body
	if l := q.Limit; l != nil && l.Fetch != "WITH TIES" {
		if !(s != nil && ordersOutput(q.Order, s.Items)) && !(block && orders(q.Order, sourceNames(s.From))) {
			r.found |= sqltext.RiskTies
		}
	}
}

// bare judges the columns of a query block outside of aggregates.
func (r *risker) bare(s *sql.Select) {
	grouped := s.Group != nil || classes.HasAggregate(s.Having)
	for _, i := range s.Items {
		grouped = grouped || classes.HasAggregate(i.X)
	}
	if !grouped {
		return
	}
	var keys []string
	for _, x := range s.Group {
		keys = append(keys, groupKeys(x)...)
	}
	for _, i := range s.Items {
		if isStar(i) || hasBare(i.X, keys) {
			r.found |= sqltext.RiskBare
		}
	}
	if s.Having != nil && hasBare(s.Having, keys) {
		r.found |= sqltext.RiskBare
	}
}

// groupKeys are the expressions of a term of GROUP BY.
func groupKeys(x sql.Expr) (out []string) {
	var list []sql.Expr
	switch g := sql.Bare(x).(type) {
	case *sql.Grouping:
		list = g.Sets
	case *sql.Row:
		list = g.Items
	case *sql.Call:
		if name := g.Name.Folded(); name == "rollup" || name == "cube" {
			list = g.Args
		}
	}
	for _, x := range list {
		out = append(out, groupKeys(x)...)
	}
	return append(out, told(x))
}

// told is an expression without regard to how it is spelled.
func told(x sql.Expr) string { return strings.ToLower(sql.Tell(x)) }

// hasBare looks for columns outside of aggregates that are no grouping expressions. Columns of subqueries are not
// judged: those of the outer block are rare there, and the database judges them too.
func hasBare(x sql.Expr, keys []string) (found bool) {
	classes.Visit(x, func(n sql.Node) bool {
		switch c := n.(type) {
		case *sql.Query:
			return false
		case *sql.Call:
			if classes.IsAggregate(c) {
				return false
			}
		}
		e, ok := n.(sql.Expr)
		if ok && len(keys) > 0 && slices.Contains(keys, told(e)) {
			return false
		}
		if _, column := n.(*sql.Column); column {
			found = true
		}
		return !found
	})
	return found
}

// sourceNames are the names of the sources of a FROM clause.
func sourceNames(from sql.TableRef) (names []string) {
	for _, x := range classes.Leaves(from) {
		names = append(names, classes.SourceName(x))
	}
	return names
}

// orders says whether ORDER BY holds the pkey of every one of the tables.
func orders(by []*sql.Order, tables []string) bool {
	for _, t := range tables {
		if !slices.ContainsFunc(by, func(o *sql.Order) bool {
			c, ok := o.X.(*sql.Column)
			if !ok || c.Name.Folded() != sqltext.PKey {
				return false
			}
			of := c.Table.Folded()
			return of == t || of == "" && len(tables) == 1
		}) {
			return false
		}
	}
	return len(tables) > 0
}

// ordersOutput says whether ORDER BY names every column of the result, by its position or, where it says where NULLs
// stand, by its name or what it is, so that rows that tie are the same.
func ordersOutput(by []*sql.Order, items []*sql.Item) bool {
	seen := make([]bool, len(items))
	for _, o := range by {
		if n, ok := classes.Integer(o.X); ok && 1 <= n && n <= int64(len(items)) {
			seen[n-1] = true
		}
		if o.Nulls == "" {
			continue
		}
		column, _ := o.X.(*sql.Column)
		for i, item := range items {
			name := column != nil && column.Table == nil && item.Alias != nil
			switch {
			case name && column.Name.Folded() == item.Alias.Folded():
				seen[i] = true
			case !name || item.Alias == nil: // else it is the name of an output
				seen[i] = seen[i] || told(item.X) == told(o.X)
			}
		}
	}
	return len(items) > 0 && !slices.Contains(seen, false)
}

// update judges what an UPDATE may write to unique columns, and how many rows.
func (r *risker) update(n *sql.Update) {
	tables := classes.Leaves(n.Table)
	if n.Limit != nil && !orders(n.Order, sourceNames(n.Table)) {
		r.found |= sqltext.RiskTies
	}
	if classes.FixesKey(n.Where) {
		return
	}
	list, _ := spread(n.Set)
	for _, a := range list {
		for _, c := range a.Columns {
			name := c.Name.Folded()
			if r.unique(owner(r.schema, tables, c), name) && !classes.IsConstant(a.Value) && !classes.IsColumn(a.Value, name) {
				r.found |= sqltext.RiskUnique
			}
		}
	}
}

// unique says whether a column is part of a unique key besides the primary one.
func (r *risker) unique(table, column string) bool {
	t := r.schema.Table(table)
	return t != nil && slices.Contains(t.Unique, column)
}

// owner returns the table that a column belongs to; "" if that cannot be told.
func owner(s *sqltext.Schema, sources []sql.TableRef, c *sql.Column) (found string) {
	for _, x := range sources {
		table := classes.TableOf(x)
		if c.Table != nil {
			if classes.SourceName(x) == c.Table.Folded() {
				return table
			}
			continue
		}
		if len(sources) == 1 { // the database says whether it has such a column
			return table
		}
		if known := s.Table(table); known != nil && known.Column(c.Name.Folded()) != nil {
			if found != "" && found != table {
				return ""
			}
			found = table
		}
	}
	return found
}
