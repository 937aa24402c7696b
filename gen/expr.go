package gen

import (
	"fmt"
	"slices"
	"strings"
)

// maxBound is the largest magnitude of an integer or fixed-point expression; above it, sums could leave BIGINT.
const maxBound = 1e12

// largest is how large an expression of a family may become.
func (g *generator) largest(f Family) float64 {
	if f == FamInt && g.d.MaxInt > 0 {
		return g.d.MaxInt
	}
	return maxBound
}

// value returns an expression of a family over the columns in scope.
func (g *generator) value(sc *scope, f Family, depth int) expr {
	for try := 0; depth > 0 && try < 4; try++ {
		if e, ok := choose(g, valueTable)(g, sc, f, depth-1); ok {
			return e
		}
	}
	return g.leaf(sc, f)
}

// leaf returns a column or a literal.
func (g *generator) leaf(sc *scope, f Family) expr {
	if g.pct(literalShare) {
		return g.literal(f, nil)
	}
	return g.columnOr(sc, f)
}

// columnOr returns a column of the Family, or a literal where there is none.
func (g *generator) columnOr(sc *scope, f Family) expr {
	from := sc
	if sc.parent != nil && g.pct(correlated) {
		from = g.around(sc)
	}
	cols := from.columns(f)
	if from != sc {
		cols = sharp(cols)
	}
	if len(cols) == 0 {
		cols = sc.columns(f)
	}
	if len(cols) == 0 {
		return g.literal(f, nil)
	}
	return oneOf(g, cols)
}

// around returns the scope of a query around that of sc: the next one, or one further out.
func (g *generator) around(sc *scope) *scope {
	for sc = sc.parent; sc.parent != nil && g.pct(furtherOut); sc = sc.parent {
	}
	return sc
}

// sharp leaves out the columns of which different values compare as equal.
func sharp(cols []expr) []expr {
	return slices.DeleteFunc(cols, func(e expr) bool { return e.blurred })
}

// literal returns a literal of a family: one of the pool, or a new one.
func (g *generator) literal(f Family, pool []string) expr {
	e := expr{fam: f, notNull: true, bound: 1e5}
	if f == FamString {
		e.bound = 8
	}
	if len(pool) > 0 && g.pct(90) {
		e.sql = oneOf(g, pool)
	} else {
		e.sql = g.rawLiteral(f)
	}
	return e
}

// anyColumn returns a column of the scope's own references, of any family.
func (g *generator) anyColumn(sc *scope) expr { return oneOf(g, sc.columns()) }

// widest returns the larger bound of several expressions.
func widest(es ...expr) float64 {
	b := 0.0
	for _, e := range es {
		b = max(b, e.bound)
	}
	return b
}

// Value productions. Each returns false where it has nothing to offer.

func valColumn(g *generator, sc *scope, f Family, _ int) (expr, bool) {
	return g.columnOr(sc, f), true
}

func valLiteral(g *generator, _ *scope, f Family, _ int) (expr, bool) {
	return g.literal(f, nil), true
}

func valArith(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f > FamDecimal {
		return expr{}, false
	}
	a, b := g.value(sc, f, depth), g.value(sc, f, depth)
	op, bound := oneOf(g, []string{"+", "-"}), a.bound+b.bound
	if f == FamInt && g.pct(20) {
		b = expr{sql: fmt.Sprint(g.between(2, 5)), notNull: true}
		op, bound = "*", a.bound*5
	}
	if bound > g.largest(f) {
		return expr{}, false
	}
	if strings.HasPrefix(b.sql, "-") {
		op = "+" // two minus signs in a row begin a comment once the spaces are gone
	}
	return expr{sql: "(" + a.sql + " " + op + " " + b.sql + ")", fam: f, bound: bound, notNull: a.notNull && b.notNull}, true
}

func valMod(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f != FamInt {
		return expr{}, false
	}
	a, n := g.value(sc, f, depth), g.between(2, 7)
	return expr{sql: fmt.Sprintf("(%s %% %d)", a.sql, n), fam: f, bound: float64(n), notNull: a.notNull, pool: smallInts[:n]}, true
}

// smallInts are literals to compare remainders and counts with.
var smallInts = []string{"0", "1", "2", "3", "4", "5", "6", "7"}

func valAbs(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f > FamDecimal {
		return expr{}, false
	}
	a := g.value(sc, f, depth)
	a.sql = "ABS(" + a.sql + ")"
	return a, true
}

func valCase(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	a, b := g.value(sc, f, depth), g.value(sc, f, depth)
	e := expr{fam: f, bound: widest(a, b)}
	e.sql = "CASE WHEN " + g.predicate(sc, depth) + " THEN " + a.sql
	if g.pct(80) {
		e.sql += " ELSE " + b.sql
		e.notNull = a.notNull && b.notNull
	}
	e.sql += " END"
	return e, true
}

func valCaseOf(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	of := g.anyColumn(sc)
	a, b, c := g.value(sc, f, depth), g.value(sc, f, depth), g.leaf(sc, f)
	return expr{fam: f, bound: widest(a, b, c), notNull: a.notNull && b.notNull && c.notNull,
		sql: fmt.Sprintf("CASE %s WHEN %s THEN %s WHEN %s THEN %s ELSE %s END", of.sql,
			g.literal(of.fam, of.pool).sql, a.sql, g.literal(of.fam, of.pool).sql, b.sql, c.sql)}, true
}

func valIf(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	a, b := g.value(sc, f, depth), g.value(sc, f, depth)
	return expr{sql: fmt.Sprintf(g.d.If, g.predicate(sc, depth), a.sql, b.sql),
		fam: f, bound: widest(a, b), notNull: a.notNull && b.notNull}, true
}

func valCoalesce(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	a, b := g.value(sc, f, depth), g.leaf(sc, f)
	name := oneOf(g, g.d.Coalesce)
	return expr{sql: name + "(" + a.sql + ", " + b.sql + ")", fam: f, bound: widest(a, b), notNull: a.notNull || b.notNull}, true
}

func valNullif(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f == FamDate || f == FamDatetime {
		return expr{}, false // its type is the engine's choice there
	}
	a := g.value(sc, f, depth)
	b := g.literal(f, a.pool)
	return expr{sql: "NULLIF(" + a.sql + ", " + b.sql + ")", fam: f, bound: a.bound, pool: a.pool}, true
}

func valBool(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f != FamInt {
		return expr{}, false
	}
	return expr{sql: fmt.Sprintf(g.d.Truth, g.predicate(sc, depth)), fam: f, bound: 1, pool: smallInts[:2]}, true
}

func valFunction(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	var fit []Function
	for _, fn := range g.d.Functions {
		if fn.ret == f {
			fit = append(fit, fn)
		}
	}
	if len(fit) == 0 {
		return expr{}, false
	}
	fn := oneOf(g, fit)
	bounds, texts := make([]float64, len(fn.args)), make([]any, len(fn.args))
	for i, want := range fn.args {
		arg := g.value(sc, want, depth)
		bounds[i], texts[i] = arg.bound, arg.sql
	}
	e := expr{sql: fmt.Sprintf(fn.tmpl, texts...), fam: f, bound: fn.bound(bounds)}
	return e, e.bound <= g.largest(f)
}

func valAggregate(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if !g.canRead(sc) {
		return expr{}, false
	}
	in, from := g.subSource(sc)
	e, ok := g.aggregate(in, f, false)
	if !ok {
		return expr{}, false
	}
	e.sql = "(" + in.with + "SELECT " + e.sql + from + g.subWhere(in, depth) + ")"
	return e, true
}

func valRow(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if !g.canRead(sc) {
		return expr{}, false
	}
	in := &scope{parent: sc}
	text := " FROM " + g.addBase(in)
	r := in.refs[0]
	if len(in.columns(f)) == 0 {
		return expr{}, false
	}
	if g.wants("constant-row") {
		e := g.literal(f, nil)
		return expr{sql: "(SELECT DISTINCT " + e.sql + text + g.subWhere(in, depth) + ")", fam: f, bound: e.bound}, true
	}
	e := oneOf(g, in.columns(f))
	key := r.alias + ".pkey"
	if g.pct(50) {
		text += fmt.Sprintf(" WHERE %s = %d", key, g.key(r.base))
	} else {
		text += g.subWhere(in, depth) + " ORDER BY " + key + g.direction() + " LIMIT 1"
	}
	e.sql, e.notNull = "(SELECT "+e.sql+text+")", false
	return e, true
}

// aggregate returns an aggregate of a family over the columns in scope. Its arguments are columns of the
// query itself: an aggregate over outer columns alone would belong to the outer query. grouped says that the
// query has GROUP BY.
func (g *generator) aggregate(in *scope, f Family, grouped bool) (expr, bool) {
	cols := in.columns(f)
	if f == FamInt && g.pct(60) {
		c := g.anyColumn(in)
		switch {
		case c.fam == FamInt && g.pct(35):
			distinct := oneOf(g, []string{"", "", "DISTINCT "})
			return expr{sql: g.ofSome("SUM("+distinct+c.sql+")", in), fam: f, bound: c.bound * 1e6}, c.bound*1e6 <= maxBound*1e3
		case g.pct(35):
			return expr{sql: g.ofSome("COUNT(DISTINCT "+c.sql+")", in), fam: f, bound: 1e6, notNull: true, pool: smallInts}, true
		case g.pct(40):
			return expr{sql: g.ofSome("COUNT("+c.sql+")", in), fam: f, bound: 1e6, notNull: true, pool: smallInts}, true
		default:
			return expr{sql: g.ofSome("COUNT(*)", in), fam: f, bound: 1e6, notNull: true, pool: smallInts}, true
		}
	}
	if len(cols) == 0 || grouped && !slices.Contains(g.d.GroupExtrema, f) {
		return expr{}, false
	}
	e := oneOf(g, cols)
	if f == FamDecimal && g.pct(40) {
		return expr{sql: "SUM(" + e.sql + ")", fam: f, bound: e.bound * 1e6}, true
	}
	name := "MIN"
	if grouped || !g.ascending { // without groups the first or the last entry of an index will do
		name = oneOf(g, []string{"MIN", "MAX"})
	}
	e.sql, e.notNull = g.ofSome(name+"("+e.sql+")", in), false
	return e, true
}

// subSource returns the scope and the FROM clause of a subquery of sc.
func (g *generator) subSource(sc *scope) (*scope, string) {
	in := &scope{parent: sc}
	text := choose(g, subTable)(g, in)
	return in, text
}

// subWhere returns the WHERE clause of a subquery, or nothing. Where there is an outer query it often joins a
// column with it.
func (g *generator) subWhere(in *scope, depth int) string {
	var conds []string
	if in.parent != nil && g.pct(correlatedWhere) {
		if a, b, ok := g.pair(in, g.around(in)); ok {
			conds = append(conds, a.sql+" "+choose(g, joinOps)+" "+b.sql)
		}
	}
	if g.pct(70) {
		conds = append(conds, g.predicate(in, max(0, depth-1)))
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// pair returns two columns of one Family, the first of a, the second of b.
func (g *generator) pair(a, b *scope) (expr, expr, bool) {
	for range 5 {
		x := g.anyColumn(a)
		if ys := sharp(b.columns(x.fam)); len(ys) > 0 && !x.blurred {
			return x, oneOf(g, ys), true
		}
	}
	return expr{}, expr{}, false
}
