package gen

import (
	"fmt"
	"strings"
)

// What can raise an error or a warning where it is evaluated. In a query the plan decides whether it is, so only the rows
// are compared then; in a write it stands where every row that is written evaluates it, so that the error is certain.

// predDivision compares a quotient whose divisor may be zero.
func predDivision(g *generator, sc *scope, depth int) (string, bool) {
	cols := sc.columns(FamInt)
	if g.calm || len(cols) == 0 {
		return "", false
	}
	a, b := g.value(sc, FamInt, max(0, depth-1)), oneOf(g, cols)
	return fmt.Sprintf(g.d.Quotient, a.sql, b.sql) + " " + oneOf(g, compareOps) + " " + oneOf(g, smallInts), true
}

// predOverflow calculates with a number so large that the result may leave the type.
func predOverflow(g *generator, sc *scope, _ int) (string, bool) {
	cols := sc.columns(FamInt)
	if g.calm || len(cols) == 0 {
		return "", false
	}
	c := oneOf(g, cols)
	return fmt.Sprintf("(%s %s 9223372036854775807) %s %s", c.sql, oneOf(g, []string{"*", "+"}), oneOf(g, compareOps), oneOf(g, smallInts)), true
}

// predConvert compares values of two families.
func predConvert(g *generator, sc *scope, _ int) (string, bool) {
	if g.calm {
		return "", false
	}
	texts, numbers := sc.columns(FamString), sc.columns(FamInt, FamDecimal)
	op := " " + oneOf(g, compareOps) + " "
	number := func() string { return oneOf(g, smallInts) }
	switch n := g.rng.IntN(5); {
	case n == 0 && len(texts) > 0 && len(numbers) > 0:
		return oneOf(g, texts).sql + op + oneOf(g, numbers).sql, true
	case n == 1 && len(numbers) > 0:
		return oneOf(g, numbers).sql + op + oneOf(g, []string{"'5'", "'12'", "'1.5'", "'2a'", "'b'", "''"}), true
	case n == 2 && len(texts) > 0:
		return oneOf(g, texts).sql, true
	case n == 3 && len(texts) > 0:
		return "(" + oneOf(g, texts).sql + oneOf(g, []string{" + ", " * ", " - "}) + number() + ")" + op + number(), true
	case len(texts) > 0 && g.pct(50):
		return fmt.Sprintf("CAST(%s AS %s)", oneOf(g, texts).sql, g.d.CastInt) + op + number(), true
	case len(texts) > 0:
		return oneOf(g, texts).sql + op + number(), true
	}
	return "", false
}

// whereConvert is a condition that converts a text, and nothing else: which rows it is evaluated for is not up to the plan.
func whereConvert(g *generator, sc *scope, depth int) string {
	if g.wants("convert-constant") {
		return fmt.Sprintf("CAST(%s AS %s)", oneOf(g, []string{"'a'", "'1b'", "'0x'", "''"}), g.d.CastInt)
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
	a := oneOf(g, cols)
	return expr{sql: fmt.Sprintf(g.d.Quotient, a.sql, oneOf(g, cols).sql), fam: FamInt, bound: a.bound}
}

// assignOverflow multiplies until the result may leave the type.
func assignOverflow(g *generator, c *column, sc *scope) expr {
	cols := sc.columns(FamInt)
	if c.fam != FamInt || len(cols) == 0 {
		return assignValue(g, c, sc)
	}
	return expr{sql: fmt.Sprintf("(%s * %s)", oneOf(g, cols).sql, oneOf(g, []string{"9223372036854775807", "700000000"})), fam: FamInt, bound: 1}
}

// assignConvert gives a value as a literal of another family.
func assignConvert(g *generator, c *column, _ *scope) expr {
	e := g.literal(c.fam, c.pool)
	switch {
	case strings.HasPrefix(e.sql, "'"):
		e.sql, e.bound = oneOf(g, smallInts), 1
	case c.fam == FamInt || c.fam == FamDecimal:
		e.sql = "'" + e.sql + "'"
	}
	return e
}

// windowedWhere: writes, in percent, whose condition reads a derived table, in the cases in which one may have a WINDOW clause that nothing
// uses. Writes are planned apart from queries, with other rewrites, and what such a clause leaves in a plan few of them would hold by chance.
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
	if g.wants(derived.name) || g.forms["unused-window"] && g.weight(&derived.about, derived.name, derived.weight) > 0 && g.beside("windowed-where").IntN(100) < windowedWhere {
		g.uses[derived.name] = true
		return whereDerived
	}
	return where
}
