package gen

import (
	"cmp"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// predicate returns a condition over the columns in scope, safe to combine with AND, OR and NOT.
func (g *generator) predicate(sc *scope, depth int) sql.Expr {
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
var compareOps = []sql.Op{sql.OpEq, sql.OpEq, sql.OpLt, sql.OpGt, sql.OpLe, sql.OpGe, sql.OpNe}

// oneInThree and oneInFour are how often a condition is negated.
var (
	oneInThree = []bool{false, false, true}
	oneInFour  = []bool{false, false, false, true}
)

// Predicate productions. Each returns false where it has nothing to offer.

// predColumn compares a column with one of the values it is known to hold.
func predColumn(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	if e, ok := g.heldExpression(sc, "expression-compared", expressionCompared); ok {
		return g.compared(e), true
	}
	return g.compared(g.likelyColumn(sc, hasPool)), true
}

func predKey(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	bases := sc.bases()
	if len(bases) == 0 {
		return nil, false
	}
	r := oneOf(g, bases)
	if g.pct(50) {
		return g.compared(r.column(r.base.pkey)), true
	}
	return build.Binary(r.pkey(), oneOf(g, compareOps), build.Int(g.key(r.base))), true
}

func predCompare(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 {
		return nil, false
	}
	f := g.anyColumn(sc).fam
	a, b := g.value(sc, f, depth-1), g.value(sc, f, depth-1)
	if a.pool != nil && g.pct(50) {
		b = g.literal(f, a.pool)
	}
	return build.Binary(a.x, oneOf(g, compareOps), b.x), true
}

func predBetween(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	c := g.anyColumn(sc)
	lo, hi := g.literal(c.fam, c.pool), g.literal(c.fam, c.pool)
	if len(c.pool) > 2 && g.pct(60) { // in ascending order, and not over all of them
		at := g.between(0, len(c.pool)-2)
		lo.x, hi.x = g.lit(c.pool[at]), g.lit(c.pool[g.between(at, len(c.pool)-2+min(at, 1))])
	} else if c.fam == FamInt && g.pct(30) {
		n := g.between(-5, 12)
		lo.x, hi.x = build.Int(n), build.Int(n+g.between(0, 12))
	} else if depth > 0 && g.pct(30) {
		hi = g.value(sc, c.fam, depth-1)
	}
	return &sql.Between{X: c.x, Not: oneOf(g, oneInFour), Low: lo.x, High: hi.x}, true
}

func predIn(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if bases := sc.bases(); len(bases) > 0 && g.beside("list-search").IntN(100) < listSearch {
		if cond, ok := g.listBehind(oneOf(g, bases)); ok {
			return cond, true
		}
	}
	c := g.anyColumn(sc)
	var list []sql.Expr
	for range g.between(min(2, max(1, len(c.pool)-1)), min(5, max(2, len(c.pool)-1))) {
		list = append(list, g.literal(c.fam, c.pool).x)
	}
	if depth > 0 && g.pct(20) {
		list[0] = g.columnOr(sc, c.fam).x
	}
	return build.In(c.x, oneOf(g, oneInFour), list...), true
}

func predLike(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	cols := sc.columns(FamString)
	if len(cols) == 0 {
		return nil, false
	}
	not := oneOf(g, oneInThree)
	if g.beside("prefix-search").IntN(100) < prefixSearch {
		if cond, ok := g.beginning(g.drawn(cols)); ok {
			return build.Not(not, cond), true
		}
	}
	pattern := oneOf(g, []string{"a%", "%b%", "_", "__", "%a", "k%", "x_", "%1%", "ж%", "%b_", "b%", "%"})
	return &sql.Like{X: g.drawn(cols).x, Not: not, Op: sql.OpLike, Pattern: build.Text(pattern)}, true
}

func predNull(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	c := g.likelyColumn(sc, func(e expr) bool { return !e.notNull })
	if depth > 0 && g.pct(20) {
		c = g.value(sc, c.fam, depth-1)
	}
	return build.IsNull(c.x, oneOf(g, []bool{false, true})), true
}

// predMerge finds rows by two or three indexes of a table, whose answers are put together: by OR, in some cases by AND.
func predMerge(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	bases := sc.bases()
	if depth == 0 || len(bases) == 0 {
		return nil, false
	}
	r := oneOf(g, bases)
	ways := append(r.base.indexed(), r.base.pkey)
	if len(ways) < 2 {
		return nil, false
	}
	var parts []sql.Expr
	for i, at := range g.rng.Perm(len(ways)) {
		if i == 2 && !g.pct(30) || i == 3 {
			break
		}
		parts = append(parts, g.byIndex(r, ways[at]))
	}
	if g.pct(25) {
		return build.Paren(build.All(parts...)), true
	}
	return build.Paren(build.Any(parts...)), true
}

// combined joins two predicates with an operator.
func combined(op sql.Op) predicateFunc {
	return func(g *generator, sc *scope, depth int) (sql.Expr, bool) {
		if depth == 0 {
			return nil, false
		}
		return build.Paren(build.Binary(g.predicate(sc, depth-1), op, g.predicate(sc, depth-1))), true
	}
}

func predNot(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 {
		return nil, false
	}
	return build.Not(true, build.Paren(g.predicate(sc, depth-1))), true
}

func predExists(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 || !g.canRead(sc) {
		return nil, false
	}
	if p, ok := g.predSetOperation(sc, depth); ok {
		return p, true
	}
	in, from := g.subSource(sc)
	not, s := oneOf(g, oneInThree), &sql.Select{Hints: g.innerAdvice()}
	s.Items, s.From = build.Items(g.anyColumn(in).x), from
	s.Where = g.subWhere(in, depth-1)
	return build.Not(not, build.Exists(in.query(s))), true
}

// notInNull is how many IN (SELECT …) are NOT IN with rows of NULL, and few others, in percent: it is true for no row
// then, and by a look at the others alone it would be for most.
const notInNull = 50

// mayLack returns, for some subqueries, a column of theirs that may be NULL.
func (g *generator) mayLack(in *scope, f Family) (expr, bool) {
	if g.beside("not-in-null").IntN(100) >= notInNull {
		return expr{}, false
	}
	columns := slices.DeleteFunc(sharp(in.columns(f)), func(p place) bool {
		return p.notNull() || p.c.special != nil || len(p.c.known()) == 0
	})
	if len(columns) == 0 {
		return expr{}, false
	}
	return g.drawn(columns), true
}

func predInQuery(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 || !g.canRead(sc) {
		return nil, false
	}
	if p, ok := g.predSetOperation(sc, depth); ok {
		return p, true
	}
	in, from := g.subSource(sc)
	a, b, ok := g.pair(sc, in)
	if !ok {
		return nil, false
	}
	not := oneOf(g, oneInFour)
	s := block(from, g.subWhere(in, depth-1))
	if other, ok := g.mayLack(in, a.fam); ok {
		b, not, s.Where = other, true, build.Any(build.IsNull(other.x, false), build.Eq(other.x, g.lit(oneOf(g, other.pool))))
	} else if g.pct(20) {
		s.Group = []sql.Expr{b.x}
		if g.pct(70) {
			s.Having = build.Binary(build.Count(), oneOf(g, []sql.Op{sql.OpGt, sql.OpEq, sql.OpLe}), build.Int(g.between(1, 3)))
		}
	}
	s.Hints, s.Items = g.innerAdvice(), build.Items(b.x)
	return build.InQuery(a.x, not, in.query(s)), true
}

// predRowIn compares a pair of columns with the rows of a subquery.
func predRowIn(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 || !g.canRead(sc) {
		return nil, false
	}
	in, from := g.subSource(sc)
	a, b, ok := g.pair(sc, in)
	x, y, also := g.pair(sc, in)
	if !ok || !also {
		return nil, false
	}
	not := oneOf(g, oneInFour)
	return build.InQuery(build.Row(a.x, x.x), not, in.query(block(from, g.subWhere(in, depth-1),
		build.Items(b.x, y.x)...))), true
}

// predInSet compares a key with the keys that a set operation of tables gives.
func predInSet(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	bases := sc.bases()
	if depth == 0 || len(bases) == 0 || !g.canRead(sc) || g.refs < 2 {
		return nil, false
	}
	set, _ := g.rowSet(oneOf(g, g.d.QueryForms.DerivedSetOps), false)
	not := oneOf(g, oneInThree)
	return build.InQuery(oneOf(g, bases).pkey(), not, build.Query(set)), true
}

func predQuantified(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 || !g.canRead(sc) {
		return nil, false
	}
	in, from := g.subSource(sc)
	a, b, ok := g.pair(sc, in)
	if !ok {
		return nil, false
	}
	p := &sql.Quantified{X: a.x, Op: oneOf(g, compareOps), How: oneOf(g, []string{"ANY", "ALL"})}
	s := &sql.Select{Hints: g.innerAdvice(), Items: build.Items(b.x), From: from}
	s.Where = g.subWhere(in, depth-1)
	p.Query = in.query(s)
	return p, true
}

func predScalar(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 {
		return nil, false
	}
	a := g.anyColumn(sc)
	b, ok := choose(g, scalarTable)(g, sc, a.fam, depth-1)
	if !ok {
		return nil, false
	}
	return build.Binary(a.x, oneOf(g, compareOps), b.x), true
}

func predNullSafe(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	a := g.anyColumn(sc)
	b := g.columnOr(sc, a.fam)
	if g.pct(50) {
		b = g.literal(a.fam, a.pool)
	}
	if g.d.ExprForms.Distinct != "" && g.pct(distinctShare) {
		return g.fill(g.d.ExprForms.Distinct, a.x, b.x), true
	}
	return g.fill(cmp.Or(g.d.ExprForms.NullSafe, "%s <=> %s"), a.x, b.x), true
}

// predTruth asks whether a condition is true or false, which NULL is neither of.
func predTruth(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	if depth == 0 {
		return nil, false
	}
	p := &sql.Is{X: build.Paren(g.predicate(sc, depth-1))}
	at := oneOf(g, []int{0, 1, 2, 3})
	p.What, p.Not = []string{"TRUE", "FALSE"}[at/2], at%2 == 1
	return p, true
}

// predRowCompare compares two columns with two literals as one value.
func predRowCompare(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	if bases := sc.bases(); len(bases) > 0 && g.beside("row-search").IntN(100) < rowSearch {
		if cond, ok := g.rowBehind(oneOf(g, bases)); ok {
			return cond, true
		}
	}
	a, b := g.anyColumn(sc), g.anyColumn(sc)
	op := oneOf(g, []sql.Op{sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpEq, sql.OpNe})
	return build.Binary(build.Row(a.x, b.x), op, build.Row(g.literal(a.fam, a.pool).x, g.literal(b.fam, b.pool).x)), true
}

// predConstant is a condition whose outcome the optimizer knows: it may drop what depends on it.
func predConstant(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	if g.pct(50) {
		return g.fill(oneOf(g, []string{"1 = 1", "1 = 0", "1 = 0", "0 <> 0", "NULL IS NULL", "NULL IS NOT NULL",
			"1 > NULL"})), true
	}
	f := g.anyColumn(sc).fam
	return build.Binary(g.literal(f, nil).x, oneOf(g, compareOps), g.literal(f, nil).x), true
}

// Where productions: how an UPDATE, a DELETE or a locking read finds its rows; nothing means all of them. The first
// reference of the scope is the table in question.

func wherePoint(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	if g.pct(65) {
		return whereKey(g, sc, 0)
	}
	if len(r.base.own) > 1 && g.pct(ownShare) { // the first column of a key alone
		if key := r.base.keyOf(g.nameKey(r.base)); key != nil {
			return build.Eq(r.col(r.base.own[0]), g.lit(key[0]))
		}
	}
	column, keys := "pkey", make([]sql.Expr, g.between(2, 3))
	own := len(r.base.own) == 1 && g.pct(ownShare)
	for i := range keys {
		k := g.nameKey(r.base)
		keys[i] = build.Int(k)
		if key := r.base.keyOf(k); own && len(key) == 1 {
			column, keys[i] = r.base.own[0].name, g.lit(key[0])
		} else {
			own = false
		}
		if !own && column != "pkey" { // a row that may not be there: its own key is not known
			keys = keys[:i]
			break
		}
	}
	return build.In(build.Column(r.alias, column), false, keys...)
}

// whereFiltered finds rows by their keys, of which a predicate holds of some: those of which it does not are locked, or
// not, all the same.
func whereFiltered(g *generator, sc *scope, depth int) sql.Expr {
	return build.All(wherePoint(g, sc, 0), g.predicate(sc, max(depth-1, 0)))
}

// whereKey finds one row.
func whereKey(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	k := g.nameKey(r.base)
	return g.at(r, k, r.base.keyOf(k))
}

// nameKey returns a pkey that may exist in t and notes it as one of those that the statement names.
func (g *generator) nameKey(t *table) int64 {
	k := g.key(t)
	g.named = append(g.named, k)
	return k
}

func whereRange(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	k := g.nameKey(r.base)
	if cond, ok := g.ownRange(r, k); ok {
		return cond
	}
	return build.Between(r.pkey(), build.Int(k), build.Int(k+g.width(r.base)))
}

func whereFree(g *generator, sc *scope, depth int) sql.Expr {
	return g.anchored(sc, g.predicate(sc, depth))
}

// whereBoth narrows a free predicate to a range of keys.
func whereBoth(g *generator, sc *scope, depth int) sql.Expr {
	if g.pct(wideShare) {
		return build.All(whereWide(g, sc, 0), g.predicate(sc, depth))
	}
	return build.All(whereRange(g, sc, 0), g.predicate(sc, depth))
}

// whereWhole leaves the clause out.
func whereWhole(*generator, *scope, int) sql.Expr { return nil }

// whereRanked finds rows by how many others of their own table lie before them, or are like them, by a column of
// theirs. Each row that the statement changes would change that for the others: whoever reads the table while it writes
// finds other rows than a SELECT right before it.
func whereRanked(g *generator, sc *scope, depth int) sql.Expr {
	r := sc.refs[0]
	if !g.canRead(sc) || g.banned == r.base {
		return whereRange(g, sc, depth)
	}
	by := []*column{r.base.pkey}
	for _, c := range r.base.cols {
		if c.special == nil {
			by = append(by, c, c)
		}
	}
	c := oneOf(g, by)
	in := &scope{parent: sc}
	from := g.addTable(in, r.base)
	other := in.refs[0]
	if c != r.base.pkey && g.pct(30) {
		not := oneOf(g, []bool{false, true})
		alike := build.All(build.Eq(other.col(c), r.col(c)), build.Binary(other.pkey(),
			oneOf(g, []sql.Op{sql.OpNe, sql.OpLt, sql.OpGt}), r.pkey()))
		return build.Not(not, build.Exists(build.Query(block(from, alike, build.Item(build.Int(1), "")))))
	}
	before := build.Binary(other.col(c), oneOf(g, []sql.Op{sql.OpLt, sql.OpGt}), r.col(c))
	count := build.Scalar(build.Query(block(from, before, build.Item(build.Count(), ""))))
	return build.Binary(count, oneOf(g, []sql.Op{sql.OpLt, sql.OpLt, sql.OpGe, sql.OpEq}), build.Int(g.between(1, 3)))
}
