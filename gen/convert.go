package gen

import (
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// What can raise an error or a warning where it is evaluated. In a query the plan decides whether it is, so only the
// rows are compared then; in a write it stands where every row that is written evaluates it, so that the error is
// certain.

// predDivision compares a quotient whose divisor may be zero.
func predDivision(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	cols := sc.columns(FamInt)
	if g.calm || len(cols) == 0 {
		return nil, false
	}
	a, b := g.value(sc, FamInt, max(0, depth-1)), g.drawn(cols)
	return build.Binary(g.fill(g.d.ExprForms.Quotient, a.x, b.x), oneOf(g, compareOps), g.lit(oneOf(g, smallInts))), true
}

// predOverflow calculates with a number so large that the result may leave the type.
func predOverflow(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	cols := sc.columns(FamInt)
	if g.calm || len(cols) == 0 {
		return nil, false
	}
	c := g.drawn(cols)
	large := build.Paren(build.Binary(c.x, oneOf(g, []sql.Op{sql.OpMul, sql.OpAdd}), build.Number("9223372036854775807")))
	return build.Binary(large, oneOf(g, compareOps), g.lit(oneOf(g, smallInts))), true
}

// predConvert compares values of two families.
func predConvert(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	if g.calm {
		return nil, false
	}
	texts, numbers := sc.columns(FamString), sc.columns(FamInt, FamDecimal)
	op := oneOf(g, compareOps)
	number := func() sql.Expr { return g.lit(oneOf(g, smallInts)) }
	switch n := g.rng.IntN(5); {
	case n == 0 && len(texts) > 0 && len(numbers) > 0:
		return build.Binary(g.drawn(texts).x, op, g.drawn(numbers).x), true
	case n == 1 && len(numbers) > 0:
		return build.Binary(g.drawn(numbers).x, op, build.Text(oneOf(g, []string{"5", "12", "1.5", "2a", "b", ""}))), true
	case n == 2 && len(texts) > 0:
		return g.drawn(texts).x, true
	case n == 3 && len(texts) > 0:
		sum := build.Binary(g.drawn(texts).x, oneOf(g, []sql.Op{sql.OpAdd, sql.OpMul, sql.OpSub}), number())
		return build.Binary(build.Paren(sum), op, number()), true
	case len(texts) > 0 && g.pct(50):
		return build.Binary(g.integer(g.drawn(texts).x), op, number()), true
	case len(texts) > 0:
		return build.Binary(g.drawn(texts).x, op, number()), true
	}
	return nil, false
}

// integer casts an expression to a whole number.
func (g *generator) integer(x sql.Expr) sql.Expr {
	return &sql.Cast{X: x, Type: &sql.Type{Words: g.d.ExprForms.CastInt}}
}

// whereConvert is a condition that converts a text, and nothing else: which rows it is evaluated for is not up to the
// plan.
func whereConvert(g *generator, sc *scope, depth int) sql.Expr {
	if g.wants("convert-constant") {
		return g.integer(build.Text(oneOf(g, []string{"a", "1b", "0x", ""})))
	}
	g.calm = false
	cond, ok := predConvert(g, sc, depth)
	if g.calm = true; !ok {
		return whereFree(g, sc, depth)
	}
	return cond
}

// assignDivision divides by what may be zero.
func assignDivision(g *generator, c *column, sc *scope) expr {
	cols := sc.columns(FamInt)
	if c.fam != FamInt || len(cols) == 0 {
		return assignValue(g, c, sc)
	}
	a := g.drawn(cols)
	return expr{x: g.fill(g.d.ExprForms.Quotient, a.x, g.drawn(cols).x), fam: FamInt, bound: a.bound}
}

// assignOverflow multiplies until the result may leave the type.
func assignOverflow(g *generator, c *column, sc *scope) expr {
	cols := sc.columns(FamInt)
	if c.fam != FamInt || len(cols) == 0 {
		return assignValue(g, c, sc)
	}
	return expr{x: build.Paren(build.Binary(g.drawn(cols).x, sql.OpMul,
		build.Number(oneOf(g, []string{"9223372036854775807", "700000000"})))), fam: FamInt, bound: 1}
}

// assignConvert gives a value as a literal of another family.
func assignConvert(g *generator, c *column, _ *scope) expr {
	e := g.literal(c.fam, c.pool)
	switch {
	case strings.HasPrefix(e.lit, "'"):
		e.lit, e.bound = oneOf(g, smallInts), 1
	case c.fam == FamInt || c.fam == FamDecimal:
		e.lit = "'" + e.lit + "'"
	}
	e.x = g.lit(e.lit)
	return e
}

// windowedWhere: writes, in percent, whose condition reads a derived table, in the cases in which one may have a WINDOW
// clause that nothing uses. Writes are planned apart from queries, with other rewrites, and what such a clause leaves
// in a plan few of them would hold by chance.
const windowedWhere = 25

// otherWhere replaces how a write finds its rows, in some writes.
func (g *generator) otherWhere(where whereFunc) whereFunc {
	if g.wants("convert-where") {
		return whereConvert
	}
	if g.wants("ranked-where") {
		return whereRanked
	}
	derived := options["derived-where"]
	if g.wants(derived.name) || g.forms["unused-window"] && g.weight(&derived.about, derived.name, derived.weight) > 0 &&
		g.beside("windowed-where").IntN(100) < windowedWhere {
		g.uses[derived.name] = true
		return whereDerived
	}
	return where
}
