package gen

import (
	"slices"
	"strings"
)

// predSetOperation asks, in place of another subquery, for what a set operation gives whose operands may reach into the query around them and
// read its common table expressions: no engine makes a join of it, so that it is executed again and again.
func (g *generator) predSetOperation(sc *scope, depth int) (string, bool) {
	if g.refs < 2 || !g.wants("set-subquery") {
		return "", false
	}
	a := expr{fam: FamInt}
	if len(sc.columns()) > 0 { // VALUES have none
		a = g.anyColumn(sc)
	}
	if a.blurred || a.fam == FamDouble {
		return "", false
	}
	var parts []string
	for range g.between(2, max(2, min(3, g.refs))) {
		in := &scope{parent: sc}
		from := subBase(g, in)
		cols := sharp(in.columns(a.fam))
		if len(cols) == 0 {
			return "", false
		}
		parts = append(parts, "SELECT "+oneOf(g, cols).sql+from+g.subWhere(in, depth-1))
	}
	set := "(" + strings.Join(parts, " "+oneOf(g, g.d.DerivedSetOps)+" ") + ")"
	not := oneOf(g, []string{"", "", "NOT "})
	if a.sql == "" || g.pct(25) {
		return not + "EXISTS " + set, true
	}
	return a.sql + " " + not + "IN " + set, true
}

// sliceSet returns a set operation whose operands print the same columns of one table, those of its primary key more often than others: of all its
// rows, of some, of none.
func (g *generator) sliceSet(op string) (string, []output) {
	t := g.table()
	var picks []int
	var names []string
	var parts []string
	var outs []output
	constant := constantSlice
	for i := range g.between(2, max(2, min(3, g.refs))) {
		sc := &scope{}
		from := " FROM " + g.addTable(sc, t)
		cols := sc.columns()
		if i == 0 {
			for range g.between(1, 2) {
				picks, names = append(picks, g.keyOrOther(t, sc.refs[0])), append(names, g.newOutput())
			}
		}
		outs = outs[:0]
		for j, at := range picks {
			outs = append(outs, output{cols[at], names[j]})
		}
		parts = append(parts, "SELECT "+list(outs)+from+g.operandWhere(sc, &constant))
	}
	return strings.Join(parts, op), outs
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

// rowSet returns a set operation whose operands print the pkey, and with versions now and then the vkey, of one table each.
func (g *generator) rowSet(op string, versions bool) (string, []output) {
	names := []string{g.newOutput()}
	if versions && g.pct(50) {
		names = append(names, g.newOutput())
	}
	var parts []string
	var outs []output
	constant := constantSlice
	for range g.between(2, max(2, min(3, g.refs))) {
		sc := &scope{}
		from := " FROM " + g.addBase(sc)
		r := sc.refs[0]
		outs = []output{{r.column(r.base.pkey), names[0]}}
		if len(names) > 1 {
			column := ".vkey"
			if r.base.bare {
				column = ".pkey"
			}
			outs = append(outs, output{expr{sql: r.alias + column, fam: FamInt, bound: pkeyBound, notNull: true}, names[1]})
		}
		parts = append(parts, "SELECT "+list(outs)+from+g.operandWhere(sc, &constant))
	}
	return strings.Join(parts, op), outs
}
