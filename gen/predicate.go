package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// predicate returns a condition over the columns in scope, safe to combine with AND, OR and NOT.
func (g *generator) predicate(sc *scope, depth int) string {
	for try := 0; try < 6; try++ {
		if p, ok := choose(g, predicateTable)(g, sc, depth); ok {
			return p
		}
	}
	p, _ := predColumn(g, sc, 0)
	return p
}

// recentKeys are the last written rows of a table that statements return to.
const recentKeys = 3

// key returns a pkey that may exist in t: often one that was just written, by whatever transaction, or a hot one.
func (g *generator) key(t *table) int64 {
	k := g.anyKey(t)
	for try := 0; try < 3 && t.gone[k] && !g.pct(goneShare); try++ {
		k = g.anyKey(t)
	}
	return k
}

// anyKey returns a pkey that was in t at some time.
func (g *generator) anyKey(t *table) int64 {
	if n := len(t.recent); n > 0 && g.pct(g.style.recent) {
		return t.recent[n-1-g.rng.IntN(min(n, recentKeys))]
	}
	if g.pct(g.style.hotRow) {
		return oneOf(g, t.hot)
	}
	return oneOf(g, t.pkeys)
}

// compareOps are the comparison operators.
var compareOps = []string{"=", "=", "<", ">", "<=", ">=", "<>"}

// Predicate productions. Each returns false where it has nothing to offer.

// predColumn compares a column with one of the values it is known to hold.
func predColumn(g *generator, sc *scope, _ int) (string, bool) {
	if e, ok := g.heldExpression(sc, "expression-compared", expressionCompared); ok {
		return g.compared(e), true
	}
	return g.compared(g.likelyColumn(sc, hasPool)), true
}

func predKey(g *generator, sc *scope, _ int) (string, bool) {
	bases := sc.bases()
	if len(bases) == 0 {
		return "", false
	}
	r := oneOf(g, bases)
	if g.pct(50) {
		return g.compared(r.column(r.base.pkey)), true
	}
	return r.alias + ".pkey " + oneOf(g, compareOps) + " " + fmt.Sprint(g.key(r.base)), true
}

func predCompare(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 {
		return "", false
	}
	f := g.anyColumn(sc).fam
	a, b := g.value(sc, f, depth-1), g.value(sc, f, depth-1)
	if a.pool != nil && g.pct(50) {
		b = g.literal(f, a.pool)
	}
	return a.sql + " " + oneOf(g, compareOps) + " " + b.sql, true
}

func predBetween(g *generator, sc *scope, depth int) (string, bool) {
	c := g.anyColumn(sc)
	lo, hi := g.literal(c.fam, c.pool), g.literal(c.fam, c.pool)
	if len(c.pool) > 2 && g.pct(60) { // in ascending order, and not over all of them
		at := g.between(0, len(c.pool)-2)
		lo.sql, hi.sql = c.pool[at], c.pool[g.between(at, len(c.pool)-2+min(at, 1))]
	} else if c.fam == FamInt && g.pct(30) {
		n := g.between(-5, 12)
		lo.sql, hi.sql = fmt.Sprint(n), fmt.Sprint(n+g.between(0, 12))
	} else if depth > 0 && g.pct(30) {
		hi = g.value(sc, c.fam, depth-1)
	}
	not := oneOf(g, []string{"", "", "", "NOT "})
	return c.sql + " " + not + "BETWEEN " + lo.sql + " AND " + hi.sql, true
}

func predIn(g *generator, sc *scope, depth int) (string, bool) {
	if bases := sc.bases(); len(bases) > 0 && g.beside("list-search").IntN(100) < listSearch {
		if cond, ok := g.listBehind(oneOf(g, bases)); ok {
			return cond, true
		}
	}
	c := g.anyColumn(sc)
	var list []string
	for range g.between(min(2, max(1, len(c.pool)-1)), min(5, max(2, len(c.pool)-1))) {
		list = append(list, g.literal(c.fam, c.pool).sql)
	}
	if depth > 0 && g.pct(20) {
		list[0] = g.columnOr(sc, c.fam).sql
	}
	not := oneOf(g, []string{"", "", "", "NOT "})
	return c.sql + " " + not + "IN (" + strings.Join(list, ", ") + ")", true
}

func predLike(g *generator, sc *scope, _ int) (string, bool) {
	cols := sc.columns(FamString)
	if len(cols) == 0 {
		return "", false
	}
	not := oneOf(g, []string{"", "", "NOT "})
	if g.beside("prefix-search").IntN(100) < prefixSearch {
		if cond, ok := g.beginning(oneOf(g, cols)); ok {
			return not + cond, true
		}
	}
	pattern := oneOf(g, []string{"a%", "%b%", "_", "__", "%a", "k%", "x_", "%1%", "ж%", "%b_", "b%", "%"})
	return oneOf(g, cols).sql + " " + not + "LIKE '" + pattern + "'", true
}

func predNull(g *generator, sc *scope, depth int) (string, bool) {
	c := g.likelyColumn(sc, func(e expr) bool { return !e.notNull })
	if depth > 0 && g.pct(20) {
		c = g.value(sc, c.fam, depth-1)
	}
	return c.sql + oneOf(g, []string{" IS NULL", " IS NOT NULL"}), true
}

func predAnd(g *generator, sc *scope, depth int) (string, bool) {
	return g.combine(sc, depth, " AND ")
}

func predOr(g *generator, sc *scope, depth int) (string, bool) {
	return g.combine(sc, depth, " OR ")
}

// predMerge finds rows by two or three indexes of a table, whose answers are put together: by OR, in some cases by AND.
func predMerge(g *generator, sc *scope, depth int) (string, bool) {
	bases := sc.bases()
	if depth == 0 || len(bases) == 0 {
		return "", false
	}
	r := oneOf(g, bases)
	ways := append(r.base.indexed(), r.base.pkey)
	if len(ways) < 2 {
		return "", false
	}
	var parts []string
	for i, at := range g.rng.Perm(len(ways)) {
		if i == 2 && !g.pct(30) || i == 3 {
			break
		}
		parts = append(parts, g.byIndex(r, ways[at]))
	}
	op := " OR "
	if g.pct(25) {
		op = " AND "
	}
	return "(" + strings.Join(parts, op) + ")", true
}

func predXor(g *generator, sc *scope, depth int) (string, bool) {
	return g.combine(sc, depth, " XOR ")
}

// combine joins two predicates with an operator.
func (g *generator) combine(sc *scope, depth int, op string) (string, bool) {
	if depth == 0 {
		return "", false
	}
	return "(" + g.predicate(sc, depth-1) + op + g.predicate(sc, depth-1) + ")", true
}

func predNot(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 {
		return "", false
	}
	return "NOT (" + g.predicate(sc, depth-1) + ")", true
}

func predExists(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 || !g.canRead(sc) {
		return "", false
	}
	if p, ok := g.predSetOperation(sc, depth); ok {
		return p, true
	}
	in, from := g.subSource(sc)
	not := oneOf(g, []string{"", "", "NOT "})
	return not + "EXISTS (" + in.with + "SELECT " + g.innerAdvice() + g.anyColumn(in).sql + from + g.subWhere(in, depth-1) + ")", true
}

// notInNull is how many IN (SELECT …) are NOT IN with rows of NULL, and few others, in percent: it is true for no row then, and by a look at the others alone it would be for most.
const notInNull = 50

// mayLack returns, for some subqueries, a column of theirs that may be NULL.
func (g *generator) mayLack(in *scope, f Family) (expr, bool) {
	if g.beside("not-in-null").IntN(100) >= notInNull {
		return expr{}, false
	}
	columns := slices.DeleteFunc(sharp(in.columns(f)), func(e expr) bool { return e.notNull || len(e.pool) == 0 })
	if len(columns) == 0 {
		return expr{}, false
	}
	return oneOf(g, columns), true
}

func predInQuery(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 || !g.canRead(sc) {
		return "", false
	}
	if p, ok := g.predSetOperation(sc, depth); ok {
		return p, true
	}
	in, from := g.subSource(sc)
	a, b, ok := g.pair(sc, in)
	if !ok {
		return "", false
	}
	not := oneOf(g, []string{"", "", "", "NOT "})
	tail := g.subWhere(in, depth-1)
	if other, ok := g.mayLack(in, a.fam); ok {
		b, not, tail = other, "NOT ", " WHERE "+other.sql+" IS NULL OR "+other.sql+" = "+oneOf(g, other.pool)
	} else if g.pct(20) {
		tail += " GROUP BY " + b.sql
		if g.pct(70) {
			tail += fmt.Sprintf(" HAVING COUNT(*) %s %d", oneOf(g, []string{">", "=", "<="}), g.between(1, 3))
		}
	}
	return a.sql + " " + not + "IN (" + in.with + "SELECT " + g.innerAdvice() + b.sql + from + tail + ")", true
}

// predRowIn compares a pair of columns with the rows of a subquery.
func predRowIn(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 || !g.canRead(sc) {
		return "", false
	}
	in, from := g.subSource(sc)
	a, b, ok := g.pair(sc, in)
	x, y, also := g.pair(sc, in)
	if !ok || !also {
		return "", false
	}
	not := oneOf(g, []string{"", "", "", "NOT "})
	return fmt.Sprintf("(%s, %s) %sIN (%sSELECT %s, %s%s%s)", a.sql, x.sql, not, in.with, b.sql, y.sql, from, g.subWhere(in, depth-1)), true
}

// predInSet compares a key with the keys that a set operation of tables gives.
func predInSet(g *generator, sc *scope, depth int) (string, bool) {
	bases := sc.bases()
	if depth == 0 || len(bases) == 0 || !g.canRead(sc) || g.refs < 2 {
		return "", false
	}
	set, _ := g.rowSet(" "+oneOf(g, g.d.DerivedSetOps)+" ", false)
	not := oneOf(g, []string{"", "", "NOT "})
	return oneOf(g, bases).alias + ".pkey " + not + "IN (" + set + ")", true
}

func predQuantified(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 || !g.canRead(sc) {
		return "", false
	}
	in, from := g.subSource(sc)
	a, b, ok := g.pair(sc, in)
	if !ok {
		return "", false
	}
	op := oneOf(g, compareOps) + " " + oneOf(g, []string{"ANY", "ALL"})
	return a.sql + " " + op + " (" + in.with + "SELECT " + g.innerAdvice() + b.sql + from + g.subWhere(in, depth-1) + ")", true
}

func predScalar(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 {
		return "", false
	}
	a := g.anyColumn(sc)
	b, ok := choose(g, scalarTable)(g, sc, a.fam, depth-1)
	if !ok {
		return "", false
	}
	return a.sql + " " + oneOf(g, compareOps) + " " + b.sql, true
}

func predNullSafe(g *generator, sc *scope, depth int) (string, bool) {
	a := g.anyColumn(sc)
	b := g.columnOr(sc, a.fam)
	if g.pct(50) {
		b = g.literal(a.fam, a.pool)
	}
	if g.d.Distinct != "" && g.pct(distinctShare) {
		return fmt.Sprintf(g.d.Distinct, a.sql, b.sql), true
	}
	return fmt.Sprintf(cmp.Or(g.d.NullSafe, "%s <=> %s"), a.sql, b.sql), true
}

// predTruth asks whether a condition is true or false, which NULL is neither of.
func predTruth(g *generator, sc *scope, depth int) (string, bool) {
	if depth == 0 {
		return "", false
	}
	return "(" + g.predicate(sc, depth-1) + ") IS " + oneOf(g, []string{"TRUE", "NOT TRUE", "FALSE", "NOT FALSE"}), true
}

// predRowCompare compares two columns with two literals as one value.
func predRowCompare(g *generator, sc *scope, _ int) (string, bool) {
	if bases := sc.bases(); len(bases) > 0 && g.beside("row-search").IntN(100) < rowSearch {
		if cond, ok := g.rowBehind(oneOf(g, bases)); ok {
			return cond, true
		}
	}
	a, b := g.anyColumn(sc), g.anyColumn(sc)
	op := oneOf(g, []string{"<", "<=", ">", ">=", "=", "<>"})
	return fmt.Sprintf("(%s, %s) %s (%s, %s)", a.sql, b.sql, op, g.literal(a.fam, a.pool).sql, g.literal(b.fam, b.pool).sql), true
}

// predConstant is a condition whose outcome the optimizer knows: it may drop what depends on it.
func predConstant(g *generator, sc *scope, _ int) (string, bool) {
	if g.pct(50) {
		return oneOf(g, []string{"1 = 1", "1 = 0", "1 = 0", "0 <> 0", "NULL IS NULL", "NULL IS NOT NULL", "1 > NULL"}), true
	}
	f := g.anyColumn(sc).fam
	return g.literal(f, nil).sql + " " + oneOf(g, compareOps) + " " + g.literal(f, nil).sql, true
}
