package gen

import "strings"

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
