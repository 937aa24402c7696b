package gen

import "fmt"

// Common table expressions.

// cte is a common table expression that subqueries may read.
type cte struct {
	name string
	cols []*column
}

// outerCTE is the name of a query's common table expression.
const outerCTE = "q0"

// visible returns the common table expression that a subquery may read: that of the nearest query around it that has one, else the statement's.
func (g *generator) visible(in *scope) *cte {
	for sc := in.parent; sc != nil; sc = sc.parent {
		if sc.cte != nil {
			return sc.cte
		}
	}
	return g.cte
}

// readCTE has a part of the subqueries read the common table expression of a query around them, and returns the reference.
func (g *generator) readCTE(in *scope) (string, bool) {
	q := g.visible(in)
	if q == nil || !g.pct(cteShare) {
		return "", false
	}
	return g.addCTE(in, q), true
}

// addCTE adds a reference to a common table expression to in and returns its text. It takes one from the budget.
func (g *generator) addCTE(in *scope, q *cte) string {
	g.refs--
	r := &ref{alias: g.newAlias(), cols: q.cols}
	in.refs = append(in.refs, r)
	return q.name + " AS " + r.alias
}

// subCTE reads a common table expression of the subquery's own.
func subCTE(g *generator, in *scope) string {
	if g.refs < 2 || g.nesting >= maxNesting {
		return subBase(g, in)
	}
	g.nesting++
	body, cols := g.derivedBody()
	g.nesting--
	g.aliases++
	name := fmt.Sprintf("q%d", g.aliases)
	in.with = "WITH " + name + " AS " + g.material(body) + "(" + body + ") "
	r := &ref{alias: g.newAlias(), cols: cols}
	in.refs = append(in.refs, r)
	in.cte = &cte{name, cols}
	return " FROM " + name + " AS " + r.alias
}

func selCTE(g *generator) string {
	if g.wants("deep-subqueries") {
		return selDeep(g)
	}
	body, cols := g.derivedBody()
	add := func(sc *scope) string {
		sc.refs = append(sc.refs, &ref{alias: g.newAlias(), cols: cols})
		return outerCTE + " AS " + sc.refs[len(sc.refs)-1].alias
	}
	use := func(sc *scope, n int) string {
		text := " FROM " + add(sc)
		join := oneOf(g, []string{" INNER JOIN ", " LEFT JOIN "})
		switch {
		case n > 2: // the CTE twice
			text += join + add(sc)
		case n > 1:
			text += join + g.addBase(sc)
		default:
			return text
		}
		text += " ON " + g.joinOn(sc)
		sc.refs[1].outer = join == " LEFT JOIN "
		return text
	}
	g.cte = &cte{outerCTE, cols}
	return g.plain(&scope{}, "WITH "+outerCTE+" AS "+g.material(body)+"("+body+") ", use)
}
