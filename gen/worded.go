package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// What the standard has words for and few dialects do: which rows an aggregate takes, where NULLs stand in an order,
// which of the rows in its way an upsert changes, whether the answer of a common table expression is kept.

// Shares, in percent: distinctShare are the comparisons that take NULL for a value which ask whether two are different,
// keptShare the common table expressions whose answer is kept, of those that say whether it is, conditionalOne the
// upserts with a condition that spell one row: of such it is known what they write.
const (
	distinctShare  = 40
	keptShare      = 60
	conditionalOne = 65
)

// ofSome makes of an aggregate over a scope one of some of its rows, in cases that have such.
func (g *generator) ofSome(call *sql.Call, sc *scope) *sql.Call {
	if !g.form("filter") {
		return call
	}
	c := g.drawn(sc.columns())
	cond := g.compared(c)
	switch n := g.rng.IntN(10); {
	case n < 2:
		cond = build.IsNull(c.x, true)
	case n < 4:
		if a, b, ok := g.pair(sc, sc); ok {
			cond = build.Binary(a.x, oneOf(g, compareOps), b.x)
		}
	}
	call.Filter = cond
	return call
}

// nullsPlace returns how an order goes on with an expression: its direction, and where NULLs stand, in cases that say
// so; else nil.
func (g *generator) nullsPlace(x sql.Expr) *sql.Order {
	if !g.form("nulls-order") {
		return nil
	}
	o := build.Order(x, g.descends())
	o.Nulls = oneOf(g, []string{"FIRST", "LAST", "LAST"})
	return o
}

// orderOutputs is the order of a derived table by all that it prints, in the order of at: by the numbers of its
// columns, or by what they are.
func (g *generator) orderOutputs(outs []output, at []int) []*sql.Order {
	order := make([]*sql.Order, len(at))
	for i, n := range at {
		if order[i] = g.nullsPlace(outs[n].x); order[i] == nil {
			order[i] = build.Order(build.Int(n+1), g.descends())
		}
	}
	return order
}

// upsertWhere returns the condition of the rows in its way that an upsert of t changes.
func (g *generator) upsertWhere(t *table) sql.Expr {
	sc := target(t)
	sc.flat = true
	plain := slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return c.special != nil })
	if len(plain) == 0 || g.pct(50) {
		return g.predicate(sc, 1)
	}
	c := oneOf(g, plain)
	op := oneOf(g, []sql.Op{sql.OpLt, sql.OpGt, sql.OpNe, sql.OpDistinct})
	return build.Binary(build.Column(t.name, c.name), op, g.newValue(c))
}

// material returns what is said of the answer of a common table expression between AS and its query, in cases that have
// such.
func (g *generator) material(body *sql.Query) string {
	if body.With != nil || !g.form("materialized") {
		return ""
	}
	if g.pct(keptShare) {
		return "MATERIALIZED"
	}
	return "NOT MATERIALIZED"
}
