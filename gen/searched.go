package gen

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// Conditions for which engines have searches of their own: along the first columns of an index, to the end of those
// values that begin alike, from one value of a list to the next one behind others that are equal, by an expression that
// the index holds. What the rows hold decides whether such a search ends where it should.

// Shares, in percent.
const (
	// rowSearch: comparisons of row values whose first column is one that an index begins with.
	rowSearch = 60
	// listSearch: IN lists of a column behind an equality of the one that stands before it in an index.
	listSearch = 50
	// prefixSearch: LIKEs that ask for the beginning of a value that rows hold. blurredLike: conditions on a column whose
	// collation is not that of its bytes.
	prefixSearch = 70
	blurredLike  = 35
	// indexSearch: conditions of writes on an index that are one of these.
	indexSearch = 50
	// expressionJoin: joins with a table that has an index of an expression which compare that. expressionRead,
	// expressionCompared: what is printed, and compared, of tables with such an index that is just what the index holds.
	expressionJoin     = 45
	expressionRead     = 30
	expressionCompared = 20
	// unmatched: plain queries, in cases with such an index, that are an outer join of its table and print the expression,
	// of rows without a partner, too.
	unmatched = 40
	// nullExpression: indexed expressions of a column that are no NULL where the column is.
	nullExpression = 60
)

// comparesRows says whether row values may be compared.
func (g *generator) comparesRows() bool {
	i := slices.IndexFunc(predicateTable, func(p production[predicateFunc]) bool { return p.name == "row-compare" })
	return g.baseWeight(&predicateTable[i].about, predicateTable[i].name, predicateTable[i].weight) > 0
}

// rowBehind compares a column that an index begins with and another one with values that rows hold, as one value: among
// the rows that have the first of these the second decides. false where there is no such index.
func (g *generator) rowBehind(r *ref) (sql.Expr, bool) {
	first := slices.DeleteFunc(r.base.indexed(), func(c *column) bool {
		return c.special != nil || c.unique || len(c.known()) == 0
	})
	if len(first) == 0 {
		return nil, false
	}
	a := oneOf(g, first)
	second := slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool {
		return c == a || c.special != nil || len(c.known()) == 0
	})
	if len(second) == 0 {
		return nil, false
	}
	b := oneOf(g, second)
	op := oneOf(g, []sql.Op{sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe})
	return build.Binary(build.Row(r.col(a), r.col(b)), op, build.Row(g.lit(oneOf(g, a.known())),
		g.lit(oneOf(g, split(op, b.known()))))), true
}

// together lists pairs of columns that an index begins with, in its order.
func (t *table) together() [][]*column {
	out := slices.Clone(t.sideBySide)
	for _, key := range [][]*column{t.own, t.pair} {
		if len(key) > 1 {
			out = append(out, key[:2])
		}
	}
	return slices.DeleteFunc(out, func(pair []*column) bool {
		return slices.ContainsFunc(pair, func(c *column) bool { return c.special != nil || len(c.known()) == 0 })
	})
}

// listBehind asks for one value of the first column of an index and several of the second one, of which not all need be
// there beside that. false where there is no such index.
func (g *generator) listBehind(r *ref) (sql.Expr, bool) {
	pairs := r.base.together()
	if len(pairs) == 0 {
		return nil, false
	}
	pair := oneOf(g, pairs)
	a, b := pair[0], pair[1]
	var list []string
	for range g.between(2, 5) {
		list = append(list, oneOf(g, b.known()))
	}
	if g.pct(50) {
		list[0] = g.rawLiteral(b.fam)
	}
	return build.Paren(build.All(build.Eq(r.col(a), g.lit(oneOf(g, a.known()))), build.In(r.col(b), false,
		g.lits(list)...))), true
}

// searched returns, for some conditions on the indexes of a table, one that is searched for in one of those ways; nil
// for the others.
func (g *generator) searched(r *ref) sql.Expr {
	if g.beside("index-search").IntN(100) >= indexSearch {
		return nil
	}
	forms := []func(*ref) (sql.Expr, bool){g.listBehind, g.beginsLike}
	if g.comparesRows() {
		forms = append(forms, g.rowBehind)
	}
	for _, at := range g.rng.Perm(len(forms)) {
		if cond, ok := forms[at](r); ok {
			return cond
		}
	}
	return nil
}

// beginsLike asks for what an indexed text begins with. false where a table has no index of one.
func (g *generator) beginsLike(r *ref) (sql.Expr, bool) {
	texts := slices.DeleteFunc(r.base.indexed(), func(c *column) bool { return c.fam != FamString || c.special != nil })
	if len(texts) == 0 {
		return nil, false
	}
	return g.beginning(r.column(oneOf(g, texts)))
}

// beginning compares the beginning of a text with that of one which rows hold: by LIKE, or by what else the dialect has
// for that. false where none is known.
func (g *generator) beginning(e expr) (sql.Expr, bool) {
	if len(e.pool) == 0 {
		return nil, false
	}
	lit := oneOf(g, e.pool)
	text := []rune(strings.TrimRight(strings.Trim(lit, "'"), " "))
	if len(text) == 0 || strings.Count(lit, "'") != 2 || !strings.HasPrefix(lit, "'") || !strings.HasSuffix(lit, "'") {
		return nil, false
	}
	text = text[:g.between(1, min(2, len(text)))]
	if g.d.ExprForms.BeginsWith != "" && e.special == nil && g.pct(50) {
		return g.fill(g.d.ExprForms.BeginsWith, e.x, build.Text(string(text)+g.d.ExprForms.AnyMore)), true
	}
	return &sql.Like{X: e.x, Op: sql.OpLike, Pattern: build.Text(string(text) + "%")}, true
}

// blurredBeginning is beginning of a column whose collation takes different texts for equal, in some cases: such a LIKE
// finds the same rows by whatever plan.
func (g *generator) blurredBeginning(e expr) (sql.Expr, bool) {
	if e.special == nil || !e.special.Blurred || g.beside("blurred-like").IntN(100) >= blurredLike {
		return nil, false
	}
	return g.beginning(e)
}

// expression returns an expression of the reference that an index of its table holds.
func (r *ref) expression(e *column) expr {
	return expr{x: build.Paren(e.reads.Fill(r.col(e.of))), fam: e.fam, bound: e.bound, pool: e.known()}
}

// heldExpression returns, in a share of the cases, what an index of some table of the scope holds of an expression.
func (g *generator) heldExpression(sc *scope, stream string, share int) (expr, bool) {
	fit := slices.DeleteFunc(sc.bases(), func(r *ref) bool { return len(r.base.expressions) == 0 })
	if len(fit) == 0 || g.beside(stream).IntN(100) >= share {
		return expr{}, false
	}
	r := oneOf(g, fit)
	return r.expression(oneOf(g, r.base.expressions)), true
}

// joinedByExpression compares, in some joins, an expression that an index of the joined table holds with a column of
// those before it.
func (g *generator) joinedByExpression(before, joined *scope) (sql.Expr, bool) {
	numbers := before.columns(FamInt)
	if len(numbers) == 0 {
		return nil, false
	}
	e, ok := g.heldExpression(joined, "expression-join", expressionJoin)
	if !ok {
		return nil, false
	}
	return build.Eq(e.x, g.drawn(numbers).x), true
}

func whereIndex(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	if cond := g.searched(r); cond != nil {
		return cond
	}
	if len(r.base.expressions) > 0 && g.pct(50) {
		e := r.expression(oneOf(g, r.base.expressions))
		return build.Eq(e.x, g.literal(e.fam, e.pool).x)
	}
	indexed := r.base.indexed()
	if len(indexed) == 0 {
		return whereRange(g, sc, 0)
	}
	return g.byIndex(r, oneOf(g, indexed))
}

// indexed lists the columns that an index begins with.
func (t *table) indexed() []*column {
	return slices.DeleteFunc(slices.Concat(t.cols, t.derived), func(c *column) bool { return !c.indexed })
}

// byIndex is a condition on an indexed column.
func (g *generator) byIndex(r *ref, c *column) sql.Expr {
	if c.special != nil {
		e := expr{x: r.col(c), special: c.special, pool: c.known()}
		if cond, ok := g.blurredBeginning(e); ok {
			return cond
		}
		return build.Eq(e.x, g.lit(oneOf(g, e.pool)))
	}
	if g.pct(indexRangeShare) {
		return g.compared(r.column(c))
	}
	return build.Eq(r.col(c), g.literal(c.fam, c.known()).x)
}

// selUnmatched is a query of an outer join whose second table has an index of an expression, which finds its rows, and
// which the query prints and now and then compares: of a row that the join has not found the index says nothing. nil
// where there is no such index, and in most other places.
func (g *generator) selUnmatched() *sql.Query {
	fit := slices.DeleteFunc(slices.Clone(g.tables), func(t *table) bool {
		return len(t.expressions) == 0 || t == g.banned
	})
	if len(fit) == 0 || g.refs < 2 || g.beside("unmatched").IntN(100) >= unmatched {
		return nil
	}
	sc := &scope{}
	from := build.Join(g.addBase(sc), sql.LeftJoin, g.addTable(sc, oneOf(g, fit)), nil)
	r := sc.refs[1]
	held := r.expression(oneOf(g, r.base.expressions))
	from.On = build.Eq(held.x, g.columnOr(&scope{refs: sc.refs[:1]}, FamInt).x)
	if g.pct(25) {
		from.On = build.All(from.On, g.compared(g.drawn((&scope{refs: sc.refs[1:]}).columns())))
	}
	r.outer = true
	outs := append(items(sc), output{held, g.newOutput()})
	s := block(from, nil, list(outs)...)
	switch n := g.rng.IntN(100); {
	case n < 30:
		s.Where = g.compared(held)
	case n < 60:
		s.Where = g.where(sc, 1)
	}
	return g.orderKeys(build.Query(s), sc, outs)
}
