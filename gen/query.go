package gen

import (
	"txweave/sql"
	"txweave/sql/build"
)

// output is one expression of a select list.
type output struct {
	expr
	name string
}

// selectStmt returns a SELECT statement.
func (g *generator) selectStmt() *sql.Query {
	g.calm = false
	return choose(g, selectTable)(g)
}

// list makes a select list.
func list(outs []output) []*sql.Item {
	out := make([]*sql.Item, len(outs))
	for i, o := range outs {
		out[i] = build.Item(o.x, o.name)
	}
	return out
}

// items returns the item outputs of a query: pkey and vkey of every base table of its FROM clause.
func items(sc *scope) []output {
	var outs []output
	for _, r := range sc.bases() {
		outs = append(outs, output{expr{x: r.pkey()}, r.alias + "_p"})
		if !r.base.bare {
			outs = append(outs, output{expr{x: build.Column(r.alias, "vkey")}, r.alias + "_v"})
		}
	}
	return outs
}

// outputs returns n expressions over the columns in scope.
func (g *generator) outputs(sc *scope, n, depth int) []output {
	var outs []output
	for range n {
		e := g.anyColumn(sc)
		if isPkey(e.x) {
			e = g.anyColumn(sc) // the items print it already
		}
		if g.pct(60) {
			e = g.value(sc, e.fam, depth)
		}
		if held, ok := g.heldExpression(sc, "expression-read", expressionRead); ok {
			e = held
		}
		outs = append(outs, output{e, g.newOutput()})
	}
	return outs
}

// where returns the condition of a query, sometimes none.
func (g *generator) where(sc *scope, depth int) sql.Expr {
	if !g.pct(whereShare) {
		return nil
	}
	return build.All(g.limitedWhere(sc), g.anchored(sc, g.predicate(sc, depth)))
}

// from adds up to n table references to sc and returns what its query reads.
func (g *generator) from(sc *scope, n int) sql.TableRef {
	from := g.source(sc)
	for i := 1; i < n && g.refs > 0; i++ {
		kind := choose(g, joinTable)
		if by := map[sql.JoinKind]func(*scope, sql.TableRef) sql.TableRef{naturalJoin: g.natural,
			usingJoin: g.using}[kind]; by != nil {
			if joined := by(sc, from); joined != nil {
				from = joined
				continue
			}
			kind = sql.InnerJoin
		}
		if kind == sql.RightJoin {
			for _, r := range sc.refs {
				r.outer = true
			}
		}
		joined := build.Join(from, kind, g.source(sc), nil)
		from = joined
		if kind == sql.CrossJoin { // one product is enough
			return from
		}
		joined.On = g.joinOn(sc)
		if kind == sql.LeftJoin {
			sc.refs[len(sc.refs)-1].outer = true
		}
	}
	return from
}

// source adds one table reference to sc and returns it.
func (g *generator) source(sc *scope) sql.TableRef {
	return choose(g, sourceTable)(g, sc)
}

func sourceBase(g *generator, sc *scope) sql.TableRef {
	if g.readsView() {
		return sourceView(g, sc)
	}
	if t := g.heirRead(); t != nil {
		return g.sourceHeir(sc, t)
	}
	return g.addBase(sc)
}

// maxNesting is how deep derived tables are nested.
const maxNesting = 2

func sourceDerived(g *generator, sc *scope) sql.TableRef {
	if g.nesting >= maxNesting {
		return g.addBase(sc)
	}
	g.nesting++
	limited := g.limitsDerived()
	derived := g.derivedBody
	if limited {
		derived = g.limitedBody
	}
	body, cols := derived()
	g.nesting--
	r := &ref{alias: g.newAlias(), cols: cols, limited: limited}
	sc.refs = append(sc.refs, r)
	return build.Derived(body, r.alias)
}

// derivedBody returns a query for a derived table or a CTE, and its columns.
func (g *generator) derivedBody() (*sql.Query, []*column) {
	switch {
	case g.wants("window-derived"):
		return g.windowBody()
	case g.wants("plain-derived"):
		return g.plainBody()
	}
	if g.pct(derivedSet) {
		body, outs := g.setOperation(g.d.QueryForms.DerivedSetOps, false)
		return build.Query(body), outputColumns(outs)
	}
	in := &scope{}
	s := block(g.from(in, 1+g.rng.IntN(2)*min(1, max(0, g.refs-1))), nil)
	var outs []output
	if g.pct(55) {
		s.Where = g.where(in, 1)
	}
	grouped := g.pct(35)
	if grouped {
		outs = g.groupOutputs(in, s)
	} else {
		outs = g.outputs(in, g.between(1, 3), 1)
		outs = append(outs, output{g.anyColumn(in), g.newOutput()})
	}
	s.Items = list(outs)
	if s.Distinct = g.pct(15); !s.Distinct && !grouped {
		s.Windows = g.windowClause(in)
	}
	return build.Query(s), outputColumns(outs)
}

// outputColumns returns the outputs of a derived table as columns.
func outputColumns(outs []output) []*column {
	var cols []*column
	for _, o := range outs {
		cols = append(cols, &column{name: o.name, fam: o.fam, bound: o.bound, notNull: o.notNull, pool: o.pool})
	}
	return cols
}

// joinOn returns the condition that joins the last reference of sc with the ones before it.
func (g *generator) joinOn(sc *scope) sql.Expr {
	last := len(sc.refs) - 1
	a, b := &scope{refs: sc.refs[:last]}, &scope{refs: sc.refs[last:]}
	var cond sql.Expr
	if by, ok := g.joinedByExpression(a, b); ok {
		cond = by
	} else if x, y, ok := g.pair(a, b); ok {
		cond = build.Binary(x.x, choose(g, joinOps), y.x)
	} else {
		cond, _ = predColumn(g, b, 0)
	}
	if g.pct(25) {
		p, _ := predColumn(g, &scope{refs: sc.refs}, 0)
		cond = build.All(cond, p)
	}
	return cond
}

// groupOutputs returns the outputs of a grouped query, grouping expressions first, and gives it GROUP BY, and sometimes
// HAVING. Outside aggregates only the grouping expressions appear.
func (g *generator) groupOutputs(sc *scope, s *sql.Select) []output {
	var outs []output
	for range g.between(1, 2) {
		e := g.anyColumn(sc)
		if e.fam == FamInt && g.pct(30) {
			n := g.between(2, 4)
			e = expr{x: remainder(e.x, n), fam: FamInt, bound: float64(n), notNull: e.notNull, pool: smallInts[:n]}
		}
		if len(s.Group) == 1 && same(s.Group[0], e.x) {
			continue
		}
		outs, s.Group = append(outs, output{e, g.newOutput()}), append(s.Group, e.x)
	}
	outs = append(outs, g.aggregates(sc, g.between(1, 3), true)...)
	if g.pct(30) {
		h := g.aggregates(sc, 1, true)[0]
		op := oneOf(g, []sql.Op{sql.OpGt, sql.OpGe, sql.OpNe, sql.OpLt, sql.OpEq})
		s.Having = build.Binary(h.x, op, g.literal(h.fam, h.pool).x)
	}
	return outs
}

// aggregates returns n aggregates over the columns in scope.
func (g *generator) aggregates(sc *scope, n int, grouped bool) []output {
	var outs []output
	for range n {
		e, ok := g.aggregate(sc, g.anyColumn(sc).fam, grouped)
		if !ok {
			e = expr{x: build.Count(), fam: FamInt, bound: 1e6, notNull: true, pool: smallInts}
		}
		outs = append(outs, output{e, g.newOutput()})
	}
	return outs
}

// orderAll gives a query an ORDER BY over all outputs, a total order up to rows that cannot be told apart, and
// sometimes a LIMIT; often it leaves it as it is.
func (g *generator) orderAll(q *sql.Query, outs []output) *sql.Query {
	if !g.pct(orderShare) {
		return q
	}
	for _, at := range g.rng.Perm(len(outs)) {
		if o := g.nullsPlace(build.Column("", outs[at].name)); o != nil {
			q.Order = append(q.Order, o)
			continue
		}
		q.Order = append(q.Order, build.Order(build.Int(at+1), !g.ascending && g.pct(30)))
	}
	q.Limit = g.limit()
	return q
}

// descends draws the direction of an ORDER BY item.
func (g *generator) descends() bool { return !g.ascending && oneOf(g, []bool{false, true}) }

// limit returns a LIMIT clause in half of the cases.
func (g *generator) limit() *sql.Limit {
	if g.pct(50) {
		return nil
	}
	count, offset := g.between(1, 12), 0
	if g.pct(15) {
		offset = g.between(1, 3)
	}
	return limitOf(count, offset)
}

// orderKeys gives a plain query an ORDER BY of the pkeys of its base tables where these are all, else of all
// outputs.
func (g *generator) orderKeys(q *sql.Query, sc *scope, outs []output) *sql.Query {
	bases := sc.bases()
	if len(bases) < len(sc.refs) || g.pct(30) {
		return g.orderAll(q, outs)
	}
	if !g.pct(orderShare) {
		return q
	}
	for _, r := range bases {
		q.Order = append(q.Order, build.Order(r.pkey(), g.descends()))
	}
	q.Limit = g.limit()
	return q
}

// Select productions.

func selPlain(g *generator) *sql.Query {
	if q := g.selUnmatched(); q != nil {
		return q
	}
	return g.plain(&scope{}, nil, g.from)
}

// plain returns a query without aggregates that prints the items of its base tables.
func (g *generator) plain(sc *scope, with *sql.With, source func(*scope, int) sql.TableRef) *sql.Query {
	s := block(source(sc, choose(g, joinSizes)), nil)
	if with == nil || g.pct(60) { // a CTE has filtered its rows already
		s.Where = g.where(sc, g.o.Depth)
	}
	outs := append(items(sc), g.outputs(sc, g.between(1, 3), g.o.Depth-1)...)
	q := g.orderKeys(&sql.Query{With: with, Body: s}, sc, outs)
	if len(q.Order) > 0 {
		s.Hints, s.Items = g.advice(sc), list(outs)
		return q
	}
	s.Items = list(append(outs, g.bareOutputs(sc)...))
	if s.Options = g.selectOption(); s.Options == nil { // one kind beside the other is not read back as it is printed
		s.Hints = g.advice(sc)
	}
	s.Windows = g.windowClause(sc)
	return q
}

func selAggregate(g *generator) *sql.Query {
	if least := g.selLeast(); least != nil {
		return least
	}
	sc := &scope{}
	s := block(g.from(sc, choose(g, joinSizes)), nil)
	outs := g.aggregates(sc, g.between(1, 4), false)
	if c := g.anyColumn(sc); g.d.avg(c.fam) && g.pct(30) {
		outs = append(outs, output{expr{x: build.Call("AVG", c.x)}, g.newOutput()})
	}
	s.Hints, s.Items = g.advice(sc), list(outs)
	s.Where = g.where(sc, g.o.Depth)
	return build.Query(s)
}

func selGroup(g *generator) *sql.Query {
	sc := &scope{}
	s := block(g.from(sc, choose(g, joinSizes)), nil)
	s.Where = g.where(sc, g.o.Depth-1)
	outs := g.groupOutputs(sc, s)
	s.Hints, s.Items = g.advice(sc), list(outs)
	return g.orderAll(build.Query(s), outs)
}

func selDistinct(g *generator) *sql.Query {
	sc := &scope{}
	s := block(g.from(sc, choose(g, joinSizes)), nil)
	outs := g.outputs(sc, g.between(1, 3), 2)
	s.Distinct, s.Items = true, list(outs)
	s.Where = g.where(sc, g.o.Depth-1)
	return g.orderAll(build.Query(s), outs)
}

func selSet(g *generator) *sql.Query {
	body, outs := g.setOperation(g.d.QueryForms.SetOps, true)
	return g.orderAll(build.Query(body), outs)
}

// setOperation returns two or three queries that one of the operators joins, and the outputs. versions says that these
// may be vkeys.
func (g *generator) setOperation(ops []string, versions bool) (sql.Body, []output) {
	if len(g.txn.wrote) > 0 && g.pct(setBack) {
		defer g.readOwn()()
	}
	op := oneOf(g, ops)
	if g.pct(rowSets) {
		return g.rowSet(op, versions)
	}
	if g.pct(sliceSets) {
		return g.sliceSet(op)
	}
	first := &scope{}
	from := g.from(first, 1)
	var fams []Family
	for range g.between(1, 3) {
		fams = append(fams, g.anyColumn(first).fam)
	}
	// The names are those of the first operand; the values are all operands'.
	named := make([]string, len(fams))
	for i := range named {
		named[i] = g.newOutput()
	}
	constant := constantOperand
	one, outs := g.operand(first, from, fams, named, &constant)
	parts := []sql.Body{one}
	for range 1 + g.rng.IntN(2)*g.rng.IntN(2) {
		sc, from := &scope{}, sql.TableRef(nil)
		if !g.pct(bareOperand) {
			from = g.addTable(sc, g.tableWith(fams))
		}
		one, more := g.operand(sc, from, fams, named, &constant)
		parts = append(parts, one)
		for i := range outs {
			outs[i].bound = widest(outs[i].expr, more[i].expr)
			outs[i].notNull = outs[i].notNull && more[i].notNull
		}
	}
	return build.Compound(op, parts...), outs
}

// tableWith returns a table that has a column of every Family, where one of a few tries does.
func (g *generator) tableWith(fams []Family) *table {
	t := g.table()
	for range 4 {
		sc := target(t)
		missing := false
		for _, f := range fams {
			missing = missing || len(sc.columns(f)) == 0
		}
		if !missing {
			break
		}
		t = g.table()
	}
	return t
}

// operand returns one SELECT of a set operation with outputs of the given families.
func (g *generator) operand(sc *scope, from sql.TableRef, fams []Family, named []string, constant *int) (
	sql.Body, []output) {
	var outs []output
	for i, f := range fams {
		e := g.columnOr(sc, f)
		if from != nil && g.pct(25) {
			e = g.value(sc, f, 1)
		}
		outs = append(outs, output{e, named[i]})
	}
	s := block(from, nil, list(outs)...)
	if from != nil {
		s.Where = g.operandWhere(sc, constant)
	}
	return s, outs
}

// operandWhere returns the condition of an operand of a set operation, or nothing; constant is the share of constant
// ones, in percent. It is 0 from the first of them on: where all operands are empty nothing is left that could be
// wrong.
func (g *generator) operandWhere(sc *scope, constant *int) sql.Expr {
	switch n := g.rng.IntN(100); {
	case n < *constant:
		*constant = 0
		if g.pct(emptyOperand) {
			return g.fill(oneOf(g, []string{"1 = 0", "0 <> 0", "NULL IS NOT NULL", "1 > NULL"}))
		}
		p, _ := predConstant(g, sc, 0)
		return p
	case n < *constant+(100-*constant)*wholeOperand/100:
		return nil
	case len(sc.refs) == 1 && sc.refs[0].base != nil && g.pct(operandRange):
		named := len(g.named)
		cond := oneOf(g, []whereFunc{whereRange, whereWide})(g, sc, 0)
		g.named = g.named[:named] // these are no rows of what the statement writes
		return cond
	default:
		return g.where(sc, 1)
	}
}
