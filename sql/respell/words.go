package respell

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// reworded is a statement without words that stand for what others say, too: an aggregate with a FILTER takes a value
// that is NULL for the other rows, ORDER BY … NULLS LAST goes by whether there is a value first, UPDATE … FROM is one
// WHERE EXISTS, and whether the answer of a common table expression is kept is the other way round.
func reworded(stmt sql.Stmt) sql.Stmt {
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		switch n := n.(type) {
		case *sql.Call:
			return unfiltered(n)
		case *sql.Update:
			return unjoined(n)
		case *sql.Query:
			if _, set := n.Body.(*sql.Compound); !set {
				return sql.Edit(n, func(q *sql.Query) { q.Order = placedNulls(q.Order, false) })
			}
			return sql.Edit(n, func(q *sql.Query) { q.Order = placedNulls(q.Order, true) })
		case *sql.Window:
			return sql.Edit(n, func(w *sql.Window) { w.Order = placedNulls(w.Order, w.Frame != nil && w.Frame.Unit == "RANGE") })
		case *sql.CTE:
			return sql.Edit(n, func(c *sql.CTE) {
				switch c.Materialized {
				case "MATERIALIZED":
					c.Materialized = "NOT MATERIALIZED"
				case "NOT MATERIALIZED":
					c.Materialized = "MATERIALIZED"
				}
			})
		}
		return n
	})
}

// placedNulls is an order without NULLS FIRST and LAST: ORDER BY a NULLS LAST is ORDER BY a IS NULL, a: NULL is the
// least (sqlite.org/lang_select.html#orderby), and nothing is left where it stands there anyhow. What is ordered by a
// number stays, and so does a name that may be another one's in an expression, and where as many keys must be as there
// are: the order of a set operation, which is by its columns alone, and a RANGE, which takes one key.
func placedNulls(order []*sql.Order, fixed bool) []*sql.Order {
	var out []*sql.Order
	for _, o := range order {
		if o.Nulls == "" {
			out = append(out, o)
			continue
		}
		last := o.Nulls == "LAST"
		bare := sql.Edit(o, func(o *sql.Order) { o.Nulls = "" })
		switch {
		case o.Desc == last:
			out = append(out, bare)
		case fixed || single(o.X):
			out = append(out, o)
		default:
			out = append(out, &sql.Order{X: build.IsNull(o.X, false), Desc: !last}, bare)
		}
	}
	if slices.Equal(out, order) {
		return order
	}
	return out
}

// single says whether an expression is a name alone, or a literal: behind parentheses and a collation there may still
// be the name of an output.
func single(x sql.Expr) bool {
	for {
		switch in := x.(type) {
		case *sql.Paren:
			x = in.X
		case *sql.Collate:
			x = in.X
		case *sql.Column:
			return in.Table == nil
		case *sql.Literal, *sql.Param, *sql.Niladic:
			return true
		default:
			return false
		}
	}
}

// named says whether a call is of one of the functions, in lower case.
func named(c *sql.Call, functions ...string) bool {
	return slices.Contains(functions, strings.ToLower(c.Name.Value))
}

// unfiltered is SUM(a) FILTER (WHERE c) as SUM(CASE WHEN c THEN a END): aggregates ignore NULL
// (sqlite.org/lang_aggfunc.html). One that tells values apart, as MIN and those with DISTINCT do, stays: by the
// collation of a, which the CASE has not.
func unfiltered(c *sql.Call) *sql.Call {
	if c.Filter == nil || c.Distinct || len(c.Args) != 1 || len(c.Order) > 0 || !named(c, "count", "sum", "total", "avg") {
		return c
	}
	value := c.Args[0]
	if _, all := value.(*sql.Star); all {
		value = build.Int(1)
	}
	return sql.Edit(c, func(d *sql.Call) {
		d.Args, d.Filter = []sql.Expr{build.Case(nil, build.When(c.Filter, value))}, nil
	})
}

// unjoined is an UPDATE … FROM whose values are its own table's as one WHERE EXISTS.
func unjoined(u *sql.Update) *sql.Update {
	target, ok := u.Table.(*sql.Table)
	if !ok || u.From == nil || u.Where == nil || u.With != nil || u.Limit != nil || len(u.Order) > 0 {
		return u
	}
	own := target.Name
	if target.Alias != nil {
		own = target.Alias
	}
	for _, a := range u.Set {
		if foreign(a, own) {
			return u
		}
	}
	return sql.Edit(u, func(d *sql.Update) {
		d.From, d.Where = nil, build.Exists(build.Query(&sql.Select{Items: build.Items(build.Int(1)), From: u.From,
			Where: u.Where}))
	})
}

// foreign says whether an assignment reads another table than its own, or may: a column without a table may be any
// one's.
func foreign(a *sql.Assign, own *sql.Name) (found bool) {
	sql.Walk(a.Value, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Query:
			found = true
		case *sql.Column:
			found = found || n.Table == nil || !strings.EqualFold(n.Table.Value, own.Value)
		}
		return !found
	})
	return found
}
