package gen

import (
	"fmt"

	"txweave/sql"
	"txweave/sql/build"
)

// Common table expressions.

// cte is a common table expression that subqueries may read.
type cte struct {
	name string
	cols []*column
}

// outerCTE is the name of a query's common table expression.
const outerCTE = "q0"

// visible returns the common table expression that a subquery may read: that of the nearest query around it that has
// one, else the statement's.
func (g *generator) visible(in *scope) *cte {
	for sc := in.parent; sc != nil; sc = sc.parent {
		if sc.cte != nil {
			return sc.cte
		}
	}
	return g.cte
}

// readCTE has a part of the subqueries read the common table expression of a query around them, and returns the
// reference.
func (g *generator) readCTE(in *scope) (sql.TableRef, bool) {
	q := g.visible(in)
	if q == nil || !g.pct(cteShare) {
		return nil, false
	}
	return g.addCTE(in, q), true
}

// addCTE adds a reference to a common table expression to in and returns it. It takes one from the budget.
func (g *generator) addCTE(in *scope, q *cte) sql.TableRef {
	g.refs--
	r := &ref{alias: g.newAlias(), cols: q.cols}
	in.refs = append(in.refs, r)
	return build.Table(q.name, r.alias)
}

// subCTE reads a common table expression of the subquery's own.
func subCTE(g *generator, in *scope) sql.TableRef {
	if g.refs < 2 || g.nesting >= maxNesting {
		return subBase(g, in)
	}
	g.nesting++
	body, cols := g.derivedBody()
	g.nesting--
	g.aliases++
	name := fmt.Sprintf("q%d", g.aliases)
	in.with = g.with(name, body)
	r := &ref{alias: g.newAlias(), cols: cols}
	in.refs = append(in.refs, r)
	in.cte = &cte{name, cols}
	return build.Table(name, r.alias)
}

// with is a common table expression of a query.
func (g *generator) with(name string, body *sql.Query) *sql.With {
	return build.With(&sql.CTE{Name: build.Name(name), Materialized: g.material(body), Body: body})
}

func selCTE(g *generator) *sql.Query {
	if g.wants("deep-subqueries") {
		return selDeep(g)
	}
	body, cols := g.derivedBody()
	add := func(sc *scope) sql.TableRef {
		sc.refs = append(sc.refs, &ref{alias: g.newAlias(), cols: cols})
		return build.Table(outerCTE, sc.refs[len(sc.refs)-1].alias)
	}
	use := func(sc *scope, n int) sql.TableRef {
		from := build.Join(add(sc), oneOf(g, []sql.JoinKind{sql.InnerJoin, sql.LeftJoin}), nil, nil)
		switch {
		case n > 2: // the CTE twice
			from.Right = add(sc)
		case n > 1:
			from.Right = g.addBase(sc)
		default:
			return from.Left
		}
		from.On = g.joinOn(sc)
		sc.refs[1].outer = from.Kind == sql.LeftJoin
		return from
	}
	g.cte = &cte{outerCTE, cols}
	return g.plain(&scope{}, g.with(outerCTE, body), use)
}
