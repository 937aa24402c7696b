// Package edits makes statements smaller without making other ones of them: what can be left out or made plainer
// (Of), what a smaller statement must not have that the one before it had not (RisksOf), and what else the reducer and
// those who tell findings apart ask of a statement: its names, its keys, its features.
//
// Trees are frozen: an edit is a tree that differs from another one in one place, made when it is asked for. What a
// statement has that nothing here knows stays as it is, and the rest of it is edited all the same.
package edits

import (
	"slices"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// Edit is one way of making a statement smaller.
type Edit struct {
	Clause string // what it drops, where that is a clause of the statement
	apply  func() sql.Stmt
}

// Apply returns the statement with the edit.
func (e Edit) Apply() sql.Stmt { return e.apply() }

// editor finds the edits of one statement.
type editor struct {
	root    sql.Stmt
	columns *classes.Columns
	edits   []Edit
	late    []Edit // that only make the text plainer: tried after all others
}

// Of lists the edits of a statement, large ones first.
func Of(stmt sql.Stmt, schema *sqltext.Schema) []Edit {
	e := &editor{root: stmt, columns: classes.Of(stmt, schema)}
	for _, inner := range innerQueries(stmt) {
		e.replace(stmt, inner)
	}
	e.statement(stmt)
	e.qualifiers()
	return append(e.edits, e.late...)
}

// swapped is the statement with other nodes in the places of some; nil for one that is left out.
func (e *editor) swapped(to map[sql.Node]sql.Node) sql.Stmt {
	if n, ok := to[e.root]; ok {
		return n.(sql.Stmt)
	}
	return sql.Replace(e.root, func(n sql.Node, _ []sql.Node) sql.Node {
		if other, ok := to[n]; ok {
			return other
		}
		return n
	})
}

func (e *editor) replacing(n, by sql.Node) Edit {
	return Edit{apply: func() sql.Stmt { return e.swapped(map[sql.Node]sql.Node{n: by}) }}
}

// replace adds an edit that puts a node in the place of another one.
func (e *editor) replace(n, by sql.Node) { e.edits = append(e.edits, e.replacing(n, by)) }

// drop adds an edit that leaves nodes out, which are a clause where that has a name.
func (e *editor) drop(clause string, nodes ...sql.Node) {
	to := map[sql.Node]sql.Node{}
	for _, n := range nodes {
		to[n] = nil
	}
	e.edits = append(e.edits, Edit{clause, func() sql.Stmt { return e.swapped(to) }})
}

// dropAll adds an edit that leaves all of a list out, if there is anything in it.
func dropAll[N sql.Node](e *editor, clause string, list []N) {
	if len(list) > 0 {
		e.drop(clause, nodes(list)...)
	}
}

// dropEach adds the edits that leave one of a list out, of which one is to stay.
func dropEach[N sql.Node](e *editor, list []N) {
	if len(list) > 1 {
		for _, n := range list {
			e.drop("", n)
		}
	}
}

func nodes[N sql.Node](list []N) (out []sql.Node) {
	for _, n := range list {
		out = append(out, n)
	}
	return out
}

// change adds the edit that changes a copy of a node, unless that leaves it as it is.
func change[T any, N interface {
	*T
	sql.Node
}](e *editor, clause string, n N, f func(N)) {
	if to := sql.Edit(n, f); to != n {
		e.edits = append(e.edits, Edit{clause, e.replacing(n, to).apply})
	}
}

// plainer adds the edits that leave words of a node out.
func plainer[T any, N interface {
	*T
	sql.Node
}](e *editor, n N, words ...func(N)) {
	for _, f := range words {
		change(e, "", n, f)
	}
}

// without is a list without what stands in it from one place up to another one.
func without[N any](list []N, from, to int) []N {
	return slices.Concat(list[:from], list[to:])
}

// statement adds the edits of a statement but for those that its place allows.
func (e *editor) statement(stmt sql.Stmt) {
	switch n := stmt.(type) {
	case *sql.Query:
		e.query(n, outputFree)
	case *sql.CreateTable: // its rows are those of a query, or nothing is known of it
		if n.As != nil {
			e.query(n.As, outputFree)
		}
	case *sql.Truncate:
		if len(n.Tables) == 1 {
			e.replace(n, &sql.Delete{Table: n.Tables[0]})
		}
	case *sql.Insert:
		e.insert(n)
	case *sql.Update:
		e.update(n)
	case *sql.Delete:
		e.delete(n)
	case *sql.DeleteJoined:
		e.deleteJoined(n)
	case *sql.Merge:
		e.merge(n)
	}
}

// innerQueries are the queries inside of one, and the operands of set operations, which may stand for it where they
// refer to nothing outside themselves; of other statements none but those whose rows make a table.
func innerQueries(stmt sql.Stmt) (out []sql.Node) {
	switch s := stmt.(type) {
	case *sql.Query:
	case *sql.CreateTable:
		if s.As == nil {
			return nil
		}
	default:
		return nil
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Query:
			if n != stmt {
				out = append(out, n)
			}
		case *sql.Compound:
			for _, b := range []sql.Body{n.Left, n.Right} {
				if s, ok := b.(*sql.Select); ok {
					out = append(out, &sql.Query{Body: s})
				}
			}
		}
		return true
	})
	return out
}

// output says what the columns of a query's result are tied to.
type output uint8

const (
	outputFree  output = iota // to nothing
	outputNamed               // to names by which an outer query knows them
	outputFixed               // to their number as well: a column list, a set operation, a comparison
)

// tied is how the output of a query is tied that has a list of names for its columns, or none.
func tied(names []*sql.Name) output {
	if len(names) > 0 {
		return outputFixed
	}
	return outputNamed
}

// query adds the edits of a query.
func (e *editor) query(q *sql.Query, out output) {
	e.fixedQuery(q, out, func(int) bool { return false })
}

// fixedQuery adds those of a query some of whose columns, by their numbers, stay as they are.
func (e *editor) fixedQuery(q *sql.Query, out output, fixed func(int) bool) {
	if c, ok := q.Body.(*sql.Compound); ok {
		for _, b := range operands(c) {
			e.replace(q, alone(b, q.With))
		}
	}
	e.clauses(q.Body)
	e.with(q.With)
	e.ordered(q.Order, q.Limit)
	dropAll(e, "its locking clause", q.Locks)
	dropEach(e, q.Locks)
	for _, l := range q.Locks {
		plainer(e, l, func(l *sql.Lock) { l.Of = nil }, func(l *sql.Lock) { l.Wait, l.Seconds = "", nil })
	}
	e.parts(q.Body, out, fixed)
}

// operands are those of a chain of set operations.
func operands(b sql.Body) []sql.Body {
	if c, ok := b.(*sql.Compound); ok {
		return append(operands(c.Left), operands(c.Right)...)
	}
	return []sql.Body{b}
}

// alone is an operand of a set operation as a query, with the WITH clause of that.
func alone(b sql.Body, with *sql.With) *sql.Query {
	if n, ok := b.(*sql.Nested); ok {
		return sql.Edit(n.Query, func(q *sql.Query) {
			if q.With == nil {
				q.With = with
			}
		})
	}
	return &sql.Query{With: with, Body: b}
}

// clauses adds the edits that drop clauses of what a query's rows come from, or operands of it.
func (e *editor) clauses(b sql.Body) {
	switch b := b.(type) {
	case *sql.Select:
		e.selectClauses(b)
	case *sql.Compound:
		e.replace(b, b.Left)
		e.replace(b, b.Right)
		e.clauses(b.Left)
		e.clauses(b.Right)
	}
}

// parts adds the edits of what stands in these.
func (e *editor) parts(b sql.Body, out output, fixed func(int) bool) {
	switch b := b.(type) {
	case *sql.Select:
		e.selected(b, out, fixed)
	case *sql.Nested:
		e.fixedQuery(b.Query, out, fixed)
		if inner := b.Query; inner.With == nil && inner.Order == nil && inner.Limit == nil && inner.Locks == nil {
			e.late = append(e.late, e.replacing(b, inner.Body))
		}
	case *sql.Values:
		dropEach(e, b.Rows)
	case *sql.Compound:
		if out != outputFixed {
			e.operandColumns(b)
		}
		e.parts(b.Left, outputFixed, fixed)
		e.parts(b.Right, outputFixed, fixed)
	}
}

// operandColumns drops a column of a set operation from all operands at once.
func (e *editor) operandColumns(c *sql.Compound) {
	var lists []*sql.Select
	for _, b := range operands(c) {
		if n, ok := b.(*sql.Nested); ok {
			b = n.Query.Body
		}
		s, ok := b.(*sql.Select)
		if !ok || len(lists) > 0 && len(s.Items) != len(lists[0].Items) || slices.ContainsFunc(s.Items, isStar) {
			return
		}
		lists = append(lists, s)
	}
	if len(lists[0].Items) < 2 {
		return
	}
	for i := range lists[0].Items {
		var column []sql.Node
		for _, s := range lists {
			column = append(column, s.Items[i])
		}
		e.drop("", column...)
	}
}

func isStar(i *sql.Item) bool {
	_, ok := i.X.(*sql.Star)
	return ok
}

// selected adds the edits of a query block.
func (e *editor) selected(s *sql.Select, out output, fixed func(int) bool) {
	if out != outputFixed {
		e.items(s)
	}
	e.from(s.From)
	dropEach(e, s.Group)
	for i, item := range s.Items {
		if isStar(item) || fixed(i) {
			continue
		}
		plainer(e, item, func(i *sql.Item) { i.Alias = nil })
		class := sqltext.UnknownClass // nothing is compared with it
		if out != outputFree {
			class = e.columns.ClassOf(item.X)
		}
		e.expr(item.X, class)
	}
	e.values(s.Where, s.Having)
}

func (e *editor) selectClauses(s *sql.Select) {
	if s.From != nil {
		change(e, "", s, func(s *sql.Select) { s.From, s.Where = nil, nil })
	}
	if s.Where != nil {
		e.drop("WHERE", s.Where)
	}
	if s.Group != nil {
		change(e, "GROUP BY", s, func(s *sql.Select) { s.Group, s.Having, s.Rollup = nil, nil, false })
	}
	if s.Rollup {
		change(e, "ROLLUP", s, func(s *sql.Select) { s.Rollup = false })
	}
	if s.Having != nil {
		e.drop("HAVING", s.Having)
	}
	dropAll(e, "WINDOW", s.Windows)
	dropEach(e, s.Windows)
	for _, w := range s.Windows {
		e.window(w.Window)
	}
	if s.Distinct {
		change(e, "DISTINCT", s, func(s *sql.Select) { s.Distinct, s.On = false, nil })
	}
	dropEach(e, s.On)
	plainer(e, s, func(s *sql.Select) { s.All = false })
	e.hints(s.Hints)
	for _, o := range s.Options {
		e.drop("", o)
	}
}

// hints drops them, all at once and each.
func (e *editor) hints(h *sql.Hints) {
	if h != nil {
		e.drop("", h)
		dropEach(e, h.List)
	}
}

// items drops columns of the result: halves, pairs of pkey and vkey, single ones.
func (e *editor) items(s *sql.Select) {
	n := len(s.Items)
	drop := func(from, to int) {
		change(e, "", s, func(s *sql.Select) { s.Items = without(s.Items, from, to) })
	}
	if n > 3 {
		drop(n/2, n)
		drop(0, n/2)
	}
	for i := range n - 1 {
		if n > 2 && classes.IsColumn(s.Items[i].X, sqltext.PKey) && classes.IsColumn(s.Items[i+1].X, sqltext.VKey) {
			drop(i, i+2)
		}
	}
	dropEach(e, s.Items)
}

// with adds the edits of a WITH clause.
func (e *editor) with(w *sql.With) {
	if w == nil {
		return
	}
	e.drop("WITH", w)
	dropEach(e, w.CTEs)
	plainer(e, w, func(w *sql.With) { w.Recursive = false })
	for _, cte := range w.CTEs {
		plainer(e, cte, func(c *sql.CTE) { c.Materialized = "" })
		if q, ok := cte.Body.(*sql.Query); ok {
			e.query(q, tied(cte.Columns))
		} else {
			e.statement(cte.Body)
		}
	}
}

// ordered drops ORDER BY and LIMIT. That an order which LIMIT needs stays total is the guard's business.
func (e *editor) ordered(order []*sql.Order, limit *sql.Limit) {
	if limit != nil {
		e.drop("LIMIT", append(nodes(order), limit)...)
		e.drop("", limit)
		if limit.Offset != nil && limit.Count != nil {
			e.drop("OFFSET", limit.Offset)
		}
		if n, ok := classes.Integer(limit.Count); limit.Count != nil && !(ok && n == 1) {
			e.replace(limit.Count, number(1))
		}
	}
	dropAll(e, "ORDER BY", order)
	dropEach(e, order)
	for _, o := range order {
		plainer(e, o, func(o *sql.Order) { o.Desc = false }, func(o *sql.Order) { o.Nulls = "" })
	}
}
