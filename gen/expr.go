package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// maxBound is the largest magnitude of an integer or fixed-point expression; above it, sums could leave BIGINT.
const maxBound = 1e12

// largest is how large an expression of a family may become.
func (g *generator) largest(f Family) float64 {
	if f == FamInt && g.d.ExprForms.MaxInt > 0 {
		return g.d.ExprForms.MaxInt
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
	return g.drawn(cols)
}

// around returns the scope of a query around that of sc: the next one, or one further out.
func (g *generator) around(sc *scope) *scope {
	for sc = sc.parent; sc.parent != nil && g.pct(furtherOut); sc = sc.parent {
	}
	return sc
}

// sharp leaves out the columns of which different values compare as equal.
func sharp(cols []place) []place {
	return slices.DeleteFunc(cols, func(p place) bool { return p.c.special != nil && p.c.special.Blurred })
}

// literal returns a literal of a family: one of the pool, or a new one.
func (g *generator) literal(f Family, pool []string) expr {
	e := expr{fam: f, notNull: true, bound: 1e5}
	if f == FamString {
		e.bound = 8
	}
	if len(pool) > 0 && g.pct(90) {
		e.lit = oneOf(g, pool)
	} else {
		e.lit = g.rawLiteral(f)
	}
	e.x = g.lit(e.lit)
	return e
}

// anyColumn returns a column of the scope's own references, of any family.
func (g *generator) anyColumn(sc *scope) expr { return g.drawn(sc.columns()) }

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
	op, bound := oneOf(g, []sql.Op{sql.OpAdd, sql.OpSub}), a.bound+b.bound
	if f == FamInt && g.pct(20) {
		b = expr{x: build.Int(g.between(2, 5)), notNull: true}
		op, bound = sql.OpMul, a.bound*5
	}
	if bound > g.largest(f) {
		return expr{}, false
	}
	if begins(b.x) {
		op = sql.OpAdd // two minus signs in a row begin a comment once the spaces are gone
	}
	return expr{x: build.Paren(build.Binary(a.x, op, b.x)), fam: f, bound: bound, notNull: a.notNull && b.notNull}, true
}

// begins says whether the text of an expression begins with a minus sign.
func begins(x sql.Expr) bool {
	switch x := x.(type) {
	case *sql.Unary:
		return x.Op == sql.OpSub
	case *sql.Binary:
		return begins(x.Left)
	}
	return false
}

func valMod(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f != FamInt {
		return expr{}, false
	}
	a, n := g.value(sc, f, depth), g.between(2, 7)
	return expr{x: remainder(a.x, n), fam: f, bound: float64(n), notNull: a.notNull, pool: smallInts[:n]}, true
}

// remainder is (x % n).
func remainder(x sql.Expr, n int) sql.Expr {
	return build.Paren(build.Binary(x, sql.OpMod, build.Int(n)))
}

// smallInts are literals to compare remainders and counts with.
var smallInts = []string{"0", "1", "2", "3", "4", "5", "6", "7"}

func valAbs(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f > FamDecimal {
		return expr{}, false
	}
	a := g.value(sc, f, depth)
	a.x, a.lit = build.Call("ABS", a.x), ""
	return a, true
}

func valCase(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	a, b := g.value(sc, f, depth), g.value(sc, f, depth)
	e := expr{fam: f, bound: widest(a, b)}
	choice := build.Case(nil, build.When(g.predicate(sc, depth), a.x))
	if g.pct(80) {
		choice.Else = b.x
		e.notNull = a.notNull && b.notNull
	}
	e.x = choice
	return e, true
}

func valCaseOf(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	of := g.anyColumn(sc)
	a, b, c := g.value(sc, f, depth), g.value(sc, f, depth), g.leaf(sc, f)
	choice := build.Case(c.x, build.When(g.literal(of.fam, of.pool).x, a.x), build.When(g.literal(of.fam, of.pool).x, b.x))
	choice.Operand = of.x
	return expr{fam: f, bound: widest(a, b, c), notNull: a.notNull && b.notNull && c.notNull, x: choice}, true
}

func valIf(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	a, b := g.value(sc, f, depth), g.value(sc, f, depth)
	return expr{x: g.fill(g.d.ExprForms.If, g.predicate(sc, depth), a.x, b.x),
		fam: f, bound: widest(a, b), notNull: a.notNull && b.notNull}, true
}

func valCoalesce(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	a, b := g.value(sc, f, depth), g.leaf(sc, f)
	name := oneOf(g, g.d.ExprForms.Coalesce)
	return expr{x: build.Call(name, a.x, b.x), fam: f, bound: widest(a, b), notNull: a.notNull || b.notNull}, true
}

func valNullif(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f == FamDate || f == FamDatetime {
		return expr{}, false // its type is the engine's choice there
	}
	a := g.value(sc, f, depth)
	b := g.literal(f, a.pool)
	return expr{x: build.Call("NULLIF", a.x, b.x), fam: f, bound: a.bound, pool: a.pool}, true
}

func valBool(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if f != FamInt {
		return expr{}, false
	}
	return expr{x: g.fill(g.d.ExprForms.Truth, g.predicate(sc, depth)), fam: f, bound: 1, pool: smallInts[:2]}, true
}

func valFunction(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	var fit []Function
	for _, fn := range g.d.ExprForms.Functions {
		if fn.ret == f {
			fit = append(fit, fn)
		}
	}
	if len(fit) == 0 {
		return expr{}, false
	}
	fn := oneOf(g, fit)
	bounds, args := make([]float64, len(fn.args)), make([]sql.Expr, len(fn.args))
	for i, want := range fn.args {
		arg := g.value(sc, want, depth)
		bounds[i], args[i] = arg.bound, arg.x
	}
	e := expr{x: g.fill(fn.tmpl, args...), fam: f, bound: fn.bound(bounds)}
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
	e.x = build.Scalar(in.query(block(from, g.subWhere(in, depth), build.Item(e.x, ""))))
	return e, true
}

func valRow(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if !g.canRead(sc) {
		return expr{}, false
	}
	in := &scope{parent: sc}
	from := g.addBase(in)
	r := in.refs[0]
	if len(in.columns(f)) == 0 {
		return expr{}, false
	}
	if g.wants("constant-row") {
		e := g.literal(f, nil)
		s := block(from, g.subWhere(in, depth), build.Item(e.x, ""))
		s.Distinct = true
		return expr{x: build.Scalar(build.Query(s)), fam: f, bound: e.bound}, true
	}
	e := g.drawn(in.columns(f))
	s := block(from, nil, build.Item(e.x, ""))
	var q *sql.Query
	if g.pct(50) {
		s.Where = build.Eq(r.pkey(), build.Int(g.key(r.base)))
		q = build.Query(s)
	} else {
		s.Where = g.subWhere(in, depth)
		q = row(s, r, g.descends(), 0)
	}
	e.x, e.lit, e.notNull = build.Scalar(q), "", false
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
			sum := build.Call("SUM", c.x)
			sum.Distinct = oneOf(g, []bool{false, false, true})
			return expr{x: g.ofSome(sum, in), fam: f, bound: c.bound * 1e6}, c.bound*1e6 <= maxBound*1e3
		case g.pct(35):
			count := build.Call("COUNT", c.x)
			count.Distinct = true
			return expr{x: g.ofSome(count, in), fam: f, bound: 1e6, notNull: true, pool: smallInts}, true
		case g.pct(40):
			return expr{x: g.ofSome(build.Call("COUNT", c.x), in), fam: f, bound: 1e6, notNull: true, pool: smallInts}, true
		default:
			return expr{x: g.ofSome(build.Count(), in), fam: f, bound: 1e6, notNull: true, pool: smallInts}, true
		}
	}
	if len(cols) == 0 || grouped && !slices.Contains(g.d.ExprForms.GroupExtrema, f) {
		return expr{}, false
	}
	e := g.drawn(cols)
	if f == FamDecimal && g.pct(40) {
		return expr{x: build.Call("SUM", e.x), fam: f, bound: e.bound * 1e6}, true
	}
	name := "MIN"
	if grouped || !g.ascending { // without groups the first or the last entry of an index will do
		name = oneOf(g, []string{"MIN", "MAX"})
	}
	e.x, e.notNull = g.ofSome(build.Call(name, e.x), in), false
	return e, true
}

// subSource returns the scope and what a subquery of sc reads.
func (g *generator) subSource(sc *scope) (*scope, sql.TableRef) {
	in := &scope{parent: sc}
	from := choose(g, subTable)(g, in)
	return in, from
}

// subWhere returns the condition of a subquery, or none. Where there is an outer query it often joins a
// column with it.
func (g *generator) subWhere(in *scope, depth int) sql.Expr {
	var cond sql.Expr
	if in.parent != nil && g.pct(correlatedWhere) {
		if a, b, ok := g.pair(in, g.around(in)); ok {
			cond = build.Binary(a.x, choose(g, joinOps), b.x)
		}
	}
	if g.pct(70) {
		cond = build.All(cond, g.predicate(in, max(0, depth-1)))
	}
	return cond
}

// pair returns two columns of one Family, the first of a, the second of b.
func (g *generator) pair(a, b *scope) (expr, expr, bool) {
	for range 5 {
		x := g.anyColumn(a)
		if ys := sharp(b.columns(x.fam)); len(ys) > 0 && !x.blurred {
			return x, g.drawn(ys), true
		}
	}
	return expr{}, expr{}, false
}
