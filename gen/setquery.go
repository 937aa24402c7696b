package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// predSetOperation asks, in place of another subquery, for what a set operation gives whose operands may reach into the
// query around them and read its common table expressions: no engine makes a join of it, so that it is executed again
// and again.
func (g *generator) predSetOperation(sc *scope, depth int) (sql.Expr, bool) {
	if g.refs < 2 || !g.wants("set-subquery") {
		return nil, false
	}
	a := expr{fam: FamInt}
	if len(sc.columns()) > 0 { // VALUES have none
		a = g.anyColumn(sc)
	}
	if a.blurred || a.fam == FamDouble {
		return nil, false
	}
	var parts []sql.Body
	for range g.between(2, max(2, min(3, g.refs))) {
		in := &scope{parent: sc}
		from := subBase(g, in)
		cols := sharp(in.columns(a.fam))
		if len(cols) == 0 {
			return nil, false
		}
		c := g.drawn(cols)
		parts = append(parts, block(from, g.subWhere(in, depth-1), build.Item(c.x, "")))
	}
	set := build.Query(build.Compound(oneOf(g, g.d.QueryForms.DerivedSetOps), parts...))
	not := oneOf(g, oneInThree)
	if a.x == nil || g.pct(25) {
		return build.Not(not, build.Exists(set)), true
	}
	return build.InQuery(a.x, not, set), true
}

// sliceSet returns a set operation whose operands print the same columns of one table, those of its primary key more
// often than others: of all its rows, of some, of none.
func (g *generator) sliceSet(op string) (sql.Body, []output) {
	t := g.table()
	var picks []int
	var names []string
	var parts []sql.Body
	var outs []output
	constant := constantSlice
	for i := range g.between(2, max(2, min(3, g.refs))) {
		sc := &scope{}
		from := g.addTable(sc, t)
		cols := sc.columns()
		if i == 0 {
			for range g.between(1, 2) {
				picks, names = append(picks, g.keyOrOther(t, sc.refs[0])), append(names, g.newOutput())
			}
		}
		outs = outs[:0]
		for j, at := range picks {
			outs = append(outs, output{cols[at].expr(), names[j]})
		}
		parts = append(parts, block(from, g.operandWhere(sc, &constant), list(outs)...))
	}
	return build.Compound(op, parts...), outs
}

// keyOrOther returns the place of a column among those of a table: half of the time one of its primary key.
func (g *generator) keyOrOther(t *table, r *ref) int {
	key := []*column{t.pkey}
	if len(t.own) > 0 {
		key = t.own
	}
	if c := oneOf(g, key); g.pct(50) {
		return slices.Index(r.cols, c)
	}
	return g.rng.IntN(len(r.cols))
}

// rowSet returns a set operation whose operands print the pkey, and with versions now and then the vkey, of one table
// each.
func (g *generator) rowSet(op string, versions bool) (sql.Body, []output) {
	names := []string{g.newOutput()}
	if versions && g.pct(50) {
		names = append(names, g.newOutput())
	}
	var parts []sql.Body
	var outs []output
	constant := constantSlice
	for range g.between(2, max(2, min(3, g.refs))) {
		sc := &scope{}
		from := g.addBase(sc)
		r := sc.refs[0]
		outs = []output{{r.column(r.base.pkey), names[0]}}
		if len(names) > 1 {
			column := "vkey"
			if r.base.bare {
				column = "pkey"
			}
			outs = append(outs, output{expr{x: build.Column(r.alias, column), fam: FamInt, bound: pkeyBound,
				notNull: true}, names[1]})
		}
		parts = append(parts, block(from, g.operandWhere(sc, &constant), list(outs)...))
	}
	return build.Compound(op, parts...), outs
}
