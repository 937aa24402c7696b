package gen

import (
	"fmt"
	"slices"
	"strings"
)

// What the standard has words for and few dialects do: which rows an aggregate takes, where NULLs stand in an order, which of the rows in its way an upsert changes, whether the
// answer of a common table expression is kept.

// Shares, in percent: distinctShare are the comparisons that take NULL for a value which ask whether two are different, keptShare the common table expressions whose answer is kept, of
// those that say whether it is, conditionalOne the upserts with a condition that spell one row: of such it is known what they write.
const (
	distinctShare  = 40
	keptShare      = 60
	conditionalOne = 65
)

// ofSome makes of an aggregate over a scope one of some of its rows, in cases that have such.
func (g *generator) ofSome(call string, sc *scope) string {
	if !g.form("filter") {
		return call
	}
	c := oneOf(g, sc.columns())
	cond := g.compared(c)
	switch n := g.rng.IntN(10); {
	case n < 2:
		cond = c.sql + " IS NOT NULL"
	case n < 4:
		if a, b, ok := g.pair(sc, sc); ok {
			cond = a.sql + " " + oneOf(g, compareOps) + " " + b.sql
		}
	}
	return call + " FILTER (WHERE " + cond + ")"
}

// nullsPlace returns how an order goes on behind a column: its direction, and where NULLs stand, in cases that say so; else nothing.
func (g *generator) nullsPlace() string {
	if !g.form("nulls-order") {
		return ""
	}
	return g.direction() + oneOf(g, []string{" NULLS FIRST", " NULLS LAST", " NULLS LAST"})
}

// orderOutputs is the order of a derived table by all that it prints, in the order of at: by the numbers of its columns, or by what they are.
func (g *generator) orderOutputs(outs []output, at []int) string {
	parts := make([]string, len(at))
	for i, n := range at {
		if place := g.nullsPlace(); place != "" {
			parts[i] = outs[n].sql + place
		} else {
			parts[i] = fmt.Sprint(n+1) + g.direction()
		}
	}
	return strings.Join(parts, ", ")
}

// upsertWhere returns the condition of the rows in its way that an upsert of t changes.
func (g *generator) upsertWhere(t *table) string {
	sc := target(t)
	sc.flat = true
	plain := slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return c.special != nil })
	if len(plain) == 0 || g.pct(50) {
		return " WHERE " + g.predicate(sc, 1)
	}
	c := oneOf(g, plain)
	return fmt.Sprintf(" WHERE %s.%s %s "+g.d.NewValue, t.name, c.name, oneOf(g, []string{"<", ">", "<>", "IS NOT"}), c.name)
}

// material returns what is said of the answer of a common table expression between AS and its query, in cases that have such.
func (g *generator) material(body string) string {
	if !strings.HasPrefix(body, "SELECT ") || !g.form("materialized") {
		return ""
	}
	if g.pct(keptShare) {
		return "MATERIALIZED "
	}
	return "NOT MATERIALIZED "
}
