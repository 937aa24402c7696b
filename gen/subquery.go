package gen

import (
	"txweave/sql"
	"txweave/sql/build"
)

// Sources of subqueries.

// subFunc adds what a subquery reads to its scope and returns it.
type subFunc func(g *generator, in *scope) sql.TableRef

func subBase(g *generator, in *scope) sql.TableRef {
	if from, ok := g.readCTE(in); ok {
		return from
	}
	return sourceBase(g, in)
}

func subInner(g *generator, in *scope) sql.TableRef { return g.subPair(in, sql.InnerJoin) }

func subOuter(g *generator, in *scope) sql.TableRef { return g.subPair(in, sql.LeftJoin) }

func subCross(g *generator, in *scope) sql.TableRef {
	from := sql.TableRef(g.addBase(in))
	if g.refs > 0 {
		from = build.Join(from, sql.CrossJoin, g.addBase(in), nil)
	}
	return from
}

// subPair joins two tables.
func (g *generator) subPair(in *scope, kind sql.JoinKind) sql.TableRef {
	from := sql.TableRef(g.addBase(in))
	if g.refs > 0 {
		joined := build.Join(from, kind, g.addBase(in), nil)
		joined.On = g.joinOn(in)
		from = joined
		in.refs[len(in.refs)-1].outer = kind == sql.LeftJoin
	}
	return from
}

func subDerived(g *generator, in *scope) sql.TableRef {
	if g.refs < 2 {
		return subBase(g, in)
	}
	return sourceDerived(g, in)
}

// whereDerived finds rows by what a subquery gives or does not give whose rows are a derived table's, mostly by a
// condition of their own. Few subqueries of writes come to hold one by chance.
func whereDerived(g *generator, sc *scope, depth int) sql.Expr {
	g.refs = max(g.refs, 3)
	if !g.canRead(sc) || g.nesting >= maxNesting {
		return whereRange(g, sc, depth)
	}
	g.nesting++
	derived := g.derivedBody
	if g.forms["unused-window"] && g.pct(50) {
		derived = g.plainBody
	}
	limited := g.limitsDerived()
	if limited {
		derived = g.limitedBody
	}
	body, cols := derived()
	g.nesting--
	in := &scope{parent: sc, refs: []*ref{{alias: g.newAlias(), cols: cols, limited: limited}}}
	a, b, ok := g.pair(sc, in)
	if !ok {
		return whereRange(g, sc, depth)
	}
	var where sql.Expr
	if g.pct(70) {
		p, ok := oneOf(g, []predicateFunc{predInQuery, predInQuery, predExists, predScalar, predConstant,
			predColumn})(g, in, 1)
		if ok {
			where = build.All(g.limitedWhere(in), p)
		}
	}
	return build.InQuery(a.x, oneOf(g, []bool{false, true}), build.Query(block(build.Derived(body, in.refs[0].alias),
		where, build.Item(b.x, ""))))
}

// Derived tables.

// plainBody returns a query that prints some columns of a table as they are, each once, for a derived table: a plan has
// nothing to do for it but to leave out others, which its condition or its WINDOW clause may name all the same.
func (g *generator) plainBody() (*sql.Query, []*column) {
	in := &scope{}
	s := block(g.addBase(in), nil)
	cols := in.columns()
	var outs []output
	for _, at := range g.rng.Perm(len(cols))[:g.between(1, min(3, len(cols)))] {
		outs = append(outs, output{cols[at].expr(), g.newOutput()})
	}
	if g.pct(30) {
		s.Where = g.where(in, 1)
	}
	s.Items, s.Windows = list(outs), g.windowClause(in, outs...)
	return build.Query(s), outputColumns(outs)
}

// windowBody returns a query that prints a window function over its rows, for a derived table.
func (g *generator) windowBody() (*sql.Query, []*column) {
	in := &scope{}
	s := block(g.from(in, 1), nil)
	c := g.anyColumn(in)
	call, counts := g.window(in)
	outs := []output{
		{expr{x: call, fam: FamInt, bound: 1e18}, g.newOutput()},
		{c, g.newOutput()},
	}
	cols := outputColumns(outs)
	cols[0].pool = smallInts
	if !counts {
		cols = cols[1:] // of the family of whatever it looks at: printed, and no more
	}
	if g.pct(50) {
		s.Where = g.where(in, 1)
	}
	s.Items = list(outs)
	return build.Query(s), cols
}

// Scalar subqueries.

// valUnion is a scalar subquery that is a set operation of which one row is left.
func valUnion(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if g.refs < 2 || !g.canRead(sc) || f == FamDouble {
		return expr{}, false
	}
	var parts []sql.Body
	bound := 0.0
	around := sc
	if !g.pct(correlatedUnion) {
		around = nil
	}
	for range 2 {
		in := &scope{parent: around}
		from, ok := g.readCTE(in)
		if !ok {
			from = g.addBase(in)
		}
		cols := in.columns(f)
		if len(cols) == 0 {
			return expr{}, false
		}
		c := g.drawn(cols)
		bound = max(bound, c.bound)
		name := ""
		if len(parts) == 0 {
			name = g.newOutput()
		}
		parts = append(parts, block(from, g.subWhere(in, max(0, depth-1)), build.Item(c.x, name)))
	}
	q := build.Query(build.Compound(oneOf(g, []string{"UNION", "UNION ALL"}), parts...))
	q.Order, q.Limit = []*sql.Order{build.Order(build.Int(1), false)}, limitOf(1, 0)
	return expr{x: build.Scalar(q), fam: f, bound: bound}, true
}

// valOffset is a scalar subquery that leaves out the first rows.
func valOffset(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if !g.canRead(sc) {
		return expr{}, false
	}
	in := &scope{parent: sc}
	from := g.addBase(in)
	cols := in.columns(f)
	if len(cols) == 0 {
		return expr{}, false
	}
	e := g.drawn(cols)
	s := block(from, g.subWhere(in, depth), build.Item(e.x, ""))
	e.x, e.notNull = build.Scalar(row(s, in.refs[0], g.descends(), g.between(1, 3))), false
	return e, true
}

// valMany is a scalar subquery that may have many rows, which is an error where it is evaluated.
func valMany(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if g.calm || !g.canRead(sc) {
		return expr{}, false
	}
	in := &scope{parent: sc}
	from := g.addBase(in)
	cols := in.columns(f)
	if len(cols) == 0 {
		return expr{}, false
	}
	e := g.drawn(cols)
	if g.wants("constant-row") {
		e = g.literal(f, nil)
	}
	where := whereRange(g, in, 0)
	if g.pct(40) {
		where = g.predicate(in, max(0, depth-1))
	}
	e.x, e.lit, e.notNull = build.Scalar(build.Query(block(from, where, build.Item(e.x, "")))), "", false
	return e, true
}

// valExists is a choice by the rows of a table.
func valExists(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	p, ok := predExists(g, sc, max(1, depth))
	if !ok {
		return expr{}, false
	}
	a, b := g.literal(f, nil), g.literal(f, nil)
	return expr{x: build.Case(b.x, build.When(p, a.x)), fam: f, bound: widest(a, b), notNull: true}, true
}

// Predicates.

// predBareColumn takes a number as a truth value.
func predBareColumn(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	cols := sc.columns(FamInt, FamDecimal)
	if len(cols) == 0 {
		return nil, false
	}
	c := g.drawn(cols)
	return build.Not(oneOf(g, oneInThree), c.x), true
}

// predInWindow compares a number with the values of a window function.
func predInWindow(g *generator, sc *scope, depth int) (sql.Expr, bool) {
	cols := sc.columns(FamInt)
	if depth == 0 || len(cols) == 0 || !g.canRead(sc) || g.calm && !g.wants("window-in-write") {
		return nil, false
	}
	in := &scope{}
	s := block(g.addBase(in), nil)
	over := &sql.Window{Order: []*sql.Order{build.Order(in.refs[0].pkey(), false)}}
	if g.pct(60) {
		over.Partition = []sql.Expr{g.anyColumn(in).x}
	}
	call := oneOf(g, []*sql.Call{build.Call("ROW_NUMBER"), build.Count(), build.Call("RANK")})
	if g.pct(50) {
		s.Where = g.predicate(in, 0)
	}
	call.Over, s.Items = over, build.Items(call)
	return build.InQuery(g.drawn(cols).x, false, build.Query(s)), true
}

// predRowList compares a pair of columns with pairs of literals.
func predRowList(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	a, b := g.anyColumn(sc), g.anyColumn(sc)
	var rows []sql.Expr
	for range g.between(1, 3) {
		rows = append(rows, build.Row(g.literal(a.fam, a.pool).x, g.literal(b.fam, b.pool).x))
	}
	return build.In(build.Row(a.x, b.x), false, rows...), true
}

// Queries.

// lockingValue prints values of one row each, read by subqueries that lock it; the query around them reads nothing.
func (g *generator) lockingValue() *sql.Query {
	lock := g.anyLock()
	var outs []output
	for range g.between(1, 2) {
		in := &scope{flat: true}
		from := g.addBase(in)
		e := g.anyColumn(in)
		r := in.refs[0]
		q := build.Query(block(from, build.Eq(r.pkey(), build.Int(g.key(r.base))), build.Item(e.x, "")))
		q.Locks = lock
		e.x = build.Scalar(q)
		outs = append(outs, output{e, g.newOutput()})
	}
	return build.Query(block(nil, nil, list(outs)...))
}

// selLockingSub is a locking read whose subqueries lock what they read, too: every block reads current rows.
func selLockingSub(g *generator) *sql.Query {
	if g.wants("locking-value") {
		return g.lockingValue()
	}
	sc := &scope{flat: true}
	s := block(g.addBase(sc), nil)
	lock := g.anyLock()
	in := &scope{parent: sc, flat: true}
	from := g.addBase(in)
	s.Where = choose(g, whereTable)(g, sc, 0)
	if a, b, ok := g.pair(sc, in); ok {
		inner := build.Query(block(from, whereRange(g, in, 0), build.Item(b.x, "")))
		inner.Locks = lock
		s.Where = build.All(s.Where, build.InQuery(a.x, false, inner))
	}
	s.Items = list(append(items(sc), g.outputs(sc, 1, 0)...))
	return &sql.Query{Body: s, Locks: lock}
}

// selLockingFilter is a locking read whose condition has a subquery that does not lock: what it returns is locked all
// the same, whatever becomes of the two in the plan.
func selLockingFilter(g *generator) *sql.Query {
	g.calm = true
	sc := &scope{}
	s := block(g.addBase(sc), nil)
	for try := 0; s.Where == nil && try < 4; try++ {
		s.Where, _ = oneOf(g, []predicateFunc{predInQuery, predInQuery, predExists, predScalar})(g, sc, 2)
	}
	if s.Where == nil {
		s.Where = whereKey(g, sc, 0)
	}
	outs := append(items(sc), g.outputs(sc, 1, 0)...)
	s.Hints, s.Items = g.advice(sc), list(outs)
	return &sql.Query{Body: s, Locks: g.anyLock()}
}

// selLockingSet is a set operation of locking reads.
func selLockingSet(g *generator) *sql.Query {
	lock := g.anyLock()
	names := []string{g.newOutput(), g.newOutput()}
	var parts []sql.Body
	for range 2 {
		sc := &scope{flat: true}
		from := g.addBase(sc)
		r := sc.refs[0]
		version := "vkey"
		if r.base.bare {
			version = "pkey"
		}
		outs := []output{{r.column(r.base.pkey), names[0]}, {expr{x: build.Column(r.alias, version)}, names[1]}}
		q := build.Query(block(from, wherePoint(g, sc, 0), list(outs)...))
		q.Locks = lock
		parts = append(parts, &sql.Nested{Query: q})
	}
	return build.Query(build.Compound(oneOf(g, []string{"UNION", "UNION ALL"}), parts...))
}

// selRollup is a grouped query with the groups of groups.
func selRollup(g *generator) *sql.Query {
	sc := &scope{}
	s := block(g.from(sc, choose(g, joinSizes)), nil)
	s.Where = g.where(sc, g.o.Depth-1)
	var outs []output
	for range g.between(1, 2) {
		c := g.anyColumn(sc)
		if len(s.Group) == 1 && same(s.Group[0], c.x) {
			continue
		}
		outs, s.Group = append(outs, output{c, g.newOutput()}), append(s.Group, c.x)
	}
	outs = append(outs, g.aggregates(sc, g.between(1, 2), true)...)
	s.Items, s.Rollup = list(outs), true
	return build.Query(s)
}

// selRecursive walks from row to row with a recursive CTE, a few steps.
func selRecursive(g *generator) *sql.Query {
	start, step := &scope{}, &scope{}
	from := g.addBase(start)
	next := g.addTable(step, start.refs[0].base)
	a, b := start.refs[0], step.refs[0]
	first := block(from, choose(g, insertWhere)(g, start, 0), build.Item(a.pkey(), "k"), build.Item(build.Int(1), "n"))
	by := oneOf(g, []int{1, -1, 2})
	var rest sql.Expr
	if g.pct(40) {
		rest = g.predicate(step, 0)
	}
	k, n := build.Column(outerCTE, "k"), build.Column(outerCTE, "n")
	sc := &scope{refs: []*ref{{alias: outerCTE, cols: []*column{
		{name: "k", fam: FamInt, bound: pkeyBound, pool: a.base.pkey.known()}, {name: "n", fam: FamInt, bound: 9,
			pool: smallInts}}}}}
	outs := append([]output{{expr{x: k}, g.newOutput()}, {expr{x: n}, g.newOutput()}}, g.outputs(sc, 1, 1)...)
	sum := build.Binary(k, sql.OpAdd, build.Int(by))
	if by < 0 {
		sum = build.Binary(k, sql.OpSub, build.Int(-by))
	}
	further := block(build.Join(build.Table(outerCTE, ""), sql.InnerJoin, next, build.Eq(b.pkey(), sum)),
		build.All(build.Binary(n, sql.OpLt, build.Int(g.between(3, 5))), rest),
		build.Items(b.pkey(), build.Binary(n, sql.OpAdd, build.Int(1)))...)
	q := build.Query(block(build.Table(outerCTE, ""), nil, list(outs)...))
	q.Body.(*sql.Select).Where = g.where(sc, 1)
	q.With = build.With(&sql.CTE{Name: build.Name(outerCTE), Body: build.Query(build.Compound("UNION ALL",
		first, further))})
	q.With.Recursive = true
	return q
}

// natural joins the last reference with some columns of the same table by their names. They are listed, because a
// column that is added to a table beside the transactions takes part in a NATURAL JOIN with the table itself.
func (g *generator) natural(sc *scope, left sql.TableRef) sql.TableRef {
	last := sc.refs[len(sc.refs)-1]
	if last.base == nil || len(sc.refs) > 1 { // of several tables on the left, two may have the column
		return nil
	}
	kind := oneOf(g, []sql.JoinKind{sql.InnerJoin, sql.LeftJoin})
	in := &scope{}
	from := g.addTable(in, last.base)
	cols := []*column{last.base.pkey}
	for _, c := range last.base.cols {
		if g.pct(40) {
			cols = append(cols, c)
		}
	}
	if len(cols) > 1 && g.pct(50) {
		cols = cols[1:]
	}
	s := block(from, nil)
	for _, c := range cols {
		s.Items = append(s.Items, build.Item(in.refs[0].col(c), ""))
	}
	r := &ref{alias: g.newAlias(), cols: cols, outer: kind == sql.LeftJoin}
	sc.refs = append(sc.refs, r)
	joined := build.Join(left, kind, build.Derived(build.Query(s), r.alias), nil)
	joined.Natural = true
	return joined
}

// using joins two tables by a column that both have; nil where there is none.
func (g *generator) using(sc *scope, left sql.TableRef) sql.TableRef {
	last := sc.refs[len(sc.refs)-1]
	if last.base == nil || len(sc.refs) > 1 {
		return nil
	}
	t := g.table()
	names := []string{"pkey"}
	for _, c := range last.base.cols {
		for _, d := range t.cols {
			if c.name == d.name && c.fam == d.fam && c.special == nil && d.special == nil {
				names = append(names, c.name)
			}
		}
	}
	joined := build.Join(left, oneOf(g, []sql.JoinKind{sql.InnerJoin, sql.LeftJoin}), g.addTable(sc, t), nil)
	joined.Using = build.Names(oneOf(g, names))
	sc.refs[len(sc.refs)-1].outer = joined.Kind == sql.LeftJoin
	return joined
}
