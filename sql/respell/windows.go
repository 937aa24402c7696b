package respell

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// unwindowed is a statement in which window functions are scalar subqueries, each over the rows of its query once more:
// for every row those are picked that are in its partition and its frame, by comparisons, and what the function gives
// is an aggregate of these. So the engine neither sorts nor keeps a frame, nor takes away from a sum what has left it.
// Keys and arguments are plain columns; as PARTITION BY and ORDER BY convert no value, columns are compared behind a +,
// which takes their affinity from them, and NULL is the least, by sqlite.org/lang_select.html#orderby.
func unwindowed(stmt sql.Stmt) sql.Stmt {
	return sql.Replace(stmt, func(n sql.Node, above []sql.Node) sql.Node {
		c, ok := n.(*sql.Call)
		if !ok || c.Over == nil {
			return n
		}
		w, ok := windowOf(c, printing(above))
		if !ok {
			return n
		}
		if x := w.subquery(); x != nil {
			return x
		}
		return n
	})
}

// printing is the query that prints what stands in a list of nodes; nil where it stands elsewhere in the query, or this
// groups its rows.
func printing(above []sql.Node) *sql.Select {
	for i := len(above) - 1; i > 0; i-- {
		item, ok := above[i].(*sql.Item)
		if _, query := above[i].(*sql.Query); query {
			return nil
		}
		if !ok {
			continue
		}
		s, ok := above[i-1].(*sql.Select)
		if !ok || len(s.Group) > 0 || s.From == nil || volatile(s) || s.Having != nil || slices.ContainsFunc(s.Items,
			aggregates[*sql.Item]) || !slices.Contains(s.Items, item) {
			return nil
		}
		if q, ok := above[max(i-2, 0)].(*sql.Query); ok && slices.ContainsFunc(q.Order, aggregates[*sql.Order]) {
			return nil
		}
		return s
	}
	return nil
}

// aggregates says whether an aggregate makes one row of all.
func aggregates[N sql.Node](in N) (found bool) {
	sql.Walk(in, func(n sql.Node) bool {
		c, ok := n.(*sql.Call)
		found = found || ok && c.Over == nil && named(c, "sum", "count", "min", "max", "avg", "total", "group_concat",
			"string_agg",
			"json_group_array", "json_group_object", "jsonb_group_array", "jsonb_group_object", "median", "percentile",
			"percentile_cont", "percentile_disc")
		return !found
	})
	return found
}

// window is a call of a window function, and what it is made of.
type window struct {
	call      *sql.Call
	function  string     // in lower case
	argument  sql.Expr   // a Column or a Star; nil where there is none
	second    string     // a number, "" where there is none
	partition []sql.Expr // columns
	order     []*sql.Order
	frame     *sql.Frame
	rows      *sql.Select // whose FROM and WHERE they are
	total     bool        // the order tells all rows apart
}

func windowOf(c *sql.Call, s *sql.Select) (w *window, ok bool) {
	if s == nil || c.Over.Ref != nil || c.Over.Base != nil || c.Distinct || c.Filter != nil || len(c.Order) > 0 {
		return nil, false
	}
	w = &window{call: c, function: strings.ToLower(c.Name.Value), partition: c.Over.Partition, order: c.Over.Order,
		frame: c.Over.Frame, rows: s}
	switch len(c.Args) {
	case 0:
	case 2:
		n, number := c.Args[1].(*sql.Literal)
		if !number {
			return nil, false
		}
		w.second = n.Text
		fallthrough
	case 1:
		if w.argument = c.Args[0]; !isStar(w.argument) && !plainColumn(w.argument) {
			return nil, false
		}
	default:
		return nil, false
	}
	for _, o := range w.order {
		if o.Nulls != "" || !plainColumn(o.X) {
			return nil, false
		}
	}
	w.total = w.tellsApart()
	return w, !slices.ContainsFunc(w.partition, func(x sql.Expr) bool { return !plainColumn(x) })
}

// tellsApart says whether the order is one by the keys of all tables of FROM, which are called pkey.
func (w *window) tellsApart() bool {
	tables, plain := 0, true
	var count func(t sql.TableRef)
	count = func(t sql.TableRef) {
		switch t := t.(type) {
		case *sql.Join:
			count(t.Left)
			count(t.Right)
		case *sql.Table:
			tables++
		default:
			plain = false
		}
	}
	count(w.rows.From)
	var keys []string
	for _, o := range w.order {
		c := o.X.(*sql.Column)
		if c.Name.Value != "pkey" {
			return false
		}
		key := ""
		if c.Table != nil {
			key = c.Table.Value
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return plain && len(keys) == tables
}

// subquery is what gives the same as the call; nil where none is known, or its value hangs on how rows that its order
// does not tell apart are put.
func (w *window) subquery() sql.Expr {
	value := sql.Expr(build.Column("", valueName))
	switch w.function {
	case "count", "min", "max", "sum":
		rows := w.framed()
		if rows == nil || w.argument == nil || w.second != "" {
			return nil
		}
		if isStar(w.argument) {
			value = &sql.Star{}
		}
		return w.exact(w.query(build.Call(strings.ToUpper(w.function), value), build.Derived(rows, "")))
	case "first_value", "last_value", "nth_value", "lag", "lead":
		if rows := w.chosen(); rows != nil && w.argument != nil {
			return w.query(build.Call("MAX", value), build.Derived(rows, ""))
		}
		return nil
	}
	if w.argument != nil || w.frame != nil {
		return nil
	}
	return w.rank()
}

// rank is what ROW_NUMBER and its kind give.
func (w *window) rank() sql.Expr {
	count := func(s *sql.Select, where sql.Expr) sql.Expr {
		s.From, s.Where = build.Table(rowsName, ""), where
		return w.query(build.Call("COUNT", &sql.Star{}), build.Derived(build.Query(s), ""))
	}
	one := func() *sql.Select { return &sql.Select{Items: build.Items(build.Int(1))} }
	before := func() sql.Expr {
		return build.Paren(build.Binary(build.Int(1), sql.OpAdd, count(one(), w.before(true, true))))
	}
	partition := count(one(), w.alike())
	switch {
	case w.function == "row_number" && w.total, w.function == "rank" && len(w.order) > 0:
		return before()
	case w.function == "dense_rank" && len(w.order) > 0:
		distinct := &sql.Select{Distinct: true}
		for i := range w.order {
			distinct.Items = append(distinct.Items, &sql.Item{X: key(i)})
		}
		return build.Paren(build.Binary(build.Int(1), sql.OpAdd, count(distinct, w.before(true, true))))
	case w.function == "cume_dist" && len(w.order) > 0:
		return build.Paren(build.Binary(float(count(one(), w.before(true, false))), sql.OpDiv, partition))
	case w.function == "percent_rank" && len(w.order) > 0:
		less := func(x sql.Expr) sql.Expr { return build.Paren(build.Binary(x, sql.OpSub, build.Int(1))) }
		return build.Case(word(sql.Number, "0.0"), build.When(build.Binary(partition, sql.OpGt, build.Int(1)),
			build.Binary(float(less(before())), sql.OpDiv, less(partition))))
	}
	return nil
}

// float is a number as one with a fraction.
func float(x sql.Expr) sql.Expr { return build.Binary(word(sql.Number, "1.0"), sql.OpMul, x) }

func key(i int) sql.Expr { return build.Column("", keyName+strconv.Itoa(i)) }

// exact is an expression, or the call as it stands where its value hangs on the order of its rows: a sum that adds what
// is no small whole number, the least or the greatest of values that are equal and not the same, as 1 and 1.0 are.
func (w *window) exact(x sql.Expr) sql.Expr {
	const small = "1000000000000"
	value := sql.Expr(build.Column("", valueName))
	kind := func() sql.Expr { return build.Call("typeof", value) }
	var open sql.Expr
	switch w.function {
	case "sum":
		odd := build.Any(build.Binary(kind(), sql.OpNe, word(sql.Text, "'integer'")),
			&sql.Between{X: value, Not: true, Low: &sql.Unary{Op: sql.OpSub, X: word(sql.Number, small)},
				High: word(sql.Number, small)})
		rows := build.Query(&sql.Select{Items: build.Items(build.Int(1)), From: build.Table(rowsName, ""),
			Where: build.All(build.IsNull(value, true), build.Paren(odd))})
		open = w.query(build.Call("COUNT", &sql.Star{}), build.Derived(rows, ""))
	case "min", "max":
		distinct := func(x sql.Expr) sql.Expr {
			return &sql.Call{Name: build.Name("COUNT"), Distinct: true, Args: []sql.Expr{x}}
		}
		open = w.query(build.Binary(distinct(value), sql.OpNe,
			distinct(build.Binary(kind(), sql.OpConcat, build.Call("quote", value)))), build.Table(rowsName, ""))
	default:
		return x
	}
	return build.Case(x, build.When(open, w.call))
}

// query is a scalar subquery that reads what is picked of the window's rows.
func (w *window) query(output sql.Expr, picked sql.TableRef) sql.Expr {
	value := w.argument
	if value == nil || isStar(value) {
		value = build.Int(1)
	}
	s := &sql.Select{Items: []*sql.Item{{X: value, Alias: build.Name(valueName)}}, From: w.rows.From, Where: w.rows.Where}
	for i, x := range w.partition {
		s.Items = append(s.Items, &sql.Item{X: x, Alias: build.Name(partName + strconv.Itoa(i))})
	}
	for i, o := range w.order {
		s.Items = append(s.Items, &sql.Item{X: o.X, Alias: build.Name(keyName + strconv.Itoa(i))})
	}
	rows := &sql.CTE{Name: build.Name(rowsName), Materialized: "MATERIALIZED", Body: build.Query(s)}
	return &sql.Subquery{Query: with(rows, build.Query(&sql.Select{Items: build.Items(output), From: picked}))}
}

// alike is the condition that a row is in the partition of the outer query's.
func (w *window) alike() sql.Expr {
	parts := []sql.Expr{build.Int(1)}
	for i, x := range w.partition {
		parts = append(parts, build.Binary(plain(build.Column("", partName+strconv.Itoa(i))), sql.OpSame, plain(x)))
	}
	return build.All(parts...)
}

// before is the condition that a row is in the partition and stands before the outer query's, or behind it; not
// strictly: or is its peer.
func (w *window) before(before, strictly bool) sql.Expr {
	condition := build.Int(1)
	if strictly {
		condition = build.Int(0)
	}
	for i := len(w.order) - 1; i >= 0; i-- {
		less, more := plain(key(i)), plain(w.order[i].X)
		peers := build.Binary(less, sql.OpSame, more)
		if before == w.order[i].Desc {
			less, more = more, less
		}
		condition = build.Paren(build.Any(build.Binary(less, sql.OpLt, more), build.All(build.IsNull(less, false),
			build.IsNull(more, true)), build.All(peers, condition)))
	}
	return build.All(w.alike(), condition)
}

// peers is the condition that a row is in the partition, and at the same place.
func (w *window) peers() sql.Expr {
	condition := w.alike()
	for i, o := range w.order {
		condition = build.All(condition, build.Binary(plain(key(i)), sql.OpSame, plain(o.X)))
	}
	return condition
}

// sorted is a query of the rows that hold to a condition, in the window's order or against it, without the first few,
// and of as many at most; -1: all.
func (w *window) sorted(where sql.Expr, forwards bool, skip, most int) *sql.Query {
	q := w.values(where)
	for i, o := range w.order {
		q.Order = append(q.Order, &sql.Order{X: key(i), Desc: forwards == o.Desc})
	}
	q.Limit = &sql.Limit{Count: build.Int(most), Offset: build.Int(skip)}
	return whole(build.Derived(q, ""))
}

// values is a query of the rows that hold to a condition.
func (w *window) values(where sql.Expr) *sql.Query {
	return build.Query(&sql.Select{Items: build.Items(build.Column("", valueName)), From: build.Table(rowsName, ""),
		Where: where})
}

// framed is a query of the rows of the frame; nil where it hangs on how peers are put.
func (w *window) framed() *sql.Query {
	switch {
	case w.frame == nil && len(w.order) == 0:
		return w.values(w.alike())
	case w.frame == nil:
		return w.values(w.before(true, false))
	case !w.total:
		return nil
	}
	first, last, ok := bounds(w.frame)
	if !ok {
		return nil
	}
	var parts []*sql.Query
	if first < 0 && first <= last {
		skip := max(0, -last-1)
		parts = append(parts, w.sorted(w.before(true, true), false, skip, most(-first-skip)))
	}
	if first <= 0 && last >= 0 {
		parts = append(parts, w.values(w.peers()))
	}
	if last > 0 && first <= last {
		skip := max(0, first-1)
		parts = append(parts, w.sorted(w.before(false, true), true, skip, most(last-skip)))
	}
	if len(parts) == 0 {
		return w.values(build.Int(0))
	}
	out := parts[0]
	for _, p := range parts[1:] {
		out = &sql.Query{Body: &sql.Compound{Op: "UNION ALL", Left: out.Body, Right: p.Body}}
	}
	return out
}

// unbounded is how many rows away the end of a partition is, at the least.
const unbounded = 1 << 30

// most is how many rows a LIMIT allows; -1 for all.
func most(rows int) int {
	if rows > unbounded/2 {
		return -1
	}
	return rows
}

// bounds are the first and the last row of a frame, counted from the row itself.
func bounds(f *sql.Frame) (first, last int, ok bool) {
	if f.Unit != "ROWS" || f.Exclude != "" {
		return 0, 0, false
	}
	if first, ok = away(f.Start); !ok || f.End == nil {
		return first, 0, ok
	}
	last, ok = away(f.End)
	return first, last, ok
}

// away is how many rows a bound is away from the row itself.
func away(b *sql.Bound) (rows int, ok bool) {
	switch b.Side {
	case "CURRENT ROW":
		return 0, true
	case "UNBOUNDED PRECEDING":
		return -unbounded, true
	case "UNBOUNDED FOLLOWING":
		return unbounded, true
	}
	n, ok := b.X.(*sql.Literal)
	if !ok {
		return 0, false
	}
	rows, err := strconv.Atoi(n.Text)
	if b.Side == "PRECEDING" {
		rows = -rows
	}
	return rows, err == nil
}

// chosen is a query of the one row whose value FIRST_VALUE and its kind give; nil where that hangs on how peers are
// put.
func (w *window) chosen() *sql.Query {
	if !w.total {
		return nil
	}
	first, last, ok := -unbounded, 0, true
	switch {
	case w.frame == nil:
	case w.frame.Unit == "RANGE" && w.frame.Exclude == "" && w.frame.Start.Side == "UNBOUNDED PRECEDING" && w.frame.End !=
		nil && w.frame.End.Side == "UNBOUNDED FOLLOWING":
		last = unbounded
	default:
		first, last, ok = bounds(w.frame)
	}
	switch {
	case !ok:
		return nil
	case w.function == "lag" && w.second == "" && w.frame == nil:
		return w.sorted(w.before(true, true), false, 0, 1)
	case w.function == "lead" && w.second == "" && w.frame == nil:
		return w.sorted(w.before(false, true), true, 0, 1)
	case w.function == "first_value" && first == -unbounded && last >= 0:
		return w.sorted(w.alike(), true, 0, 1)
	case w.function == "nth_value" && w.second == "2" && first == -unbounded && last == unbounded:
		return w.sorted(w.alike(), true, 1, 1)
	case w.function == "nth_value" && w.second == "2" && first == -unbounded && last == 0:
		return w.sorted(w.before(true, false), true, 1, 1)
	case w.function == "last_value" && first <= 0 && last == unbounded:
		return w.sorted(w.alike(), false, 0, 1)
	case w.function == "last_value" && first <= 0 && last == 0:
		return w.sorted(w.before(true, false), false, 0, 1)
	}
	return nil
}
