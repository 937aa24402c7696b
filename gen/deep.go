package gen

import (
	"txweave/sql"
	"txweave/sql/build"
)

// Subqueries in subqueries.

const (
	// deepRuns is how often, at most, the innermost subquery of such a query runs, where each runs for every row of the
	// one around it: what engines keep between the runs is made, given up and shared that often, and a statement takes no
	// seconds.
	deepRuns = 4000
	// deepRefs is how many tables such a query may read at least.
	deepRefs = 6
	// deepCTE: its tables, in percent, that are the common table expression.
	deepCTE = 55
)

// selDeep is a query whose condition is a subquery in a subquery in a subquery. They reach into each other, so that no
// engine joins them, and read the query's common table expression again and again, also by several operands of one set
// operation.
func selDeep(g *generator) *sql.Query {
	refs := g.refs
	g.refs = 1
	body, cols := g.derivedBody()
	g.refs = max(refs, deepRefs)
	g.cte = &cte{outerCTE, cols}
	sc := &scope{}
	from := g.addBase(sc)
	where := g.deep(sc, deepRuns/rowsOf(sc.refs[0]))
	outs := append(items(sc), g.outputs(sc, 1, 0)...)
	return &sql.Query{With: build.With(&sql.CTE{Name: build.Name(outerCTE), Body: body}), Body: block(from, where,
		list(outs)...)}
}

// deep is a condition with a subquery, in whose own condition there are further ones as long as the innermost may run
// often enough.
func (g *generator) deep(sc *scope, runs int) sql.Expr {
	a := g.anyColumn(sc)
	if a.blurred || a.fam == FamDouble {
		a = expr{fam: FamInt}
	}
	operands := 1
	if g.refs > 1 && g.pct(60) {
		operands = 2
	}
	down := g.rng.IntN(operands) // the one that goes on
	scalar := false
	parts := make([]sql.Body, operands)
	for i := range operands {
		in := &scope{parent: sc}
		from := g.deepFrom(in)
		cond := g.reaching(in)
		if left := runs / rowsOf(in.refs[0]); i == down && left > 0 && g.refs > 0 {
			cond = build.All(cond, g.deep(in, left))
		} else if cond == nil || g.pct(30) {
			cond = build.All(cond, g.predicate(in, 0))
		}
		e := g.columnOr(in, a.fam)
		if e.blurred {
			e = g.literal(a.fam, nil)
		}
		if agg, ok := g.aggregate(in, a.fam, false); ok && operands == 1 && g.pct(50) {
			e, scalar = agg, true
		}
		parts[i] = block(from, cond, build.Item(e.x, ""))
	}
	query := build.Query(build.Compound(oneOf(g, g.d.QueryForms.DerivedSetOps), parts...))
	not := oneOf(g, oneInFour)
	switch {
	case scalar && a.x != nil:
		return build.Binary(a.x, oneOf(g, compareOps), build.Scalar(query))
	case a.x != nil && g.pct(50):
		return build.InQuery(a.x, not, query)
	}
	return build.Not(not, build.Exists(query))
}

// deepFrom is the table of a subquery: one of the schema's, or the CTE.
func (g *generator) deepFrom(in *scope) sql.TableRef {
	if g.pct(deepCTE) {
		return g.addCTE(in, g.cte)
	}
	return g.addBase(in)
}

// reaching returns a condition that ties a subquery to one around it, mostly.
func (g *generator) reaching(in *scope) sql.Expr {
	if !g.pct(80) {
		return nil
	}
	a, b, ok := g.pair(in, g.around(in))
	if !ok {
		return nil
	}
	return build.Binary(a.x, oneOf(g, compareOps), b.x)
}

// rowsOf is about how many rows a reference has.
func rowsOf(r *ref) int {
	if r.base == nil {
		return 20
	}
	return max(1, len(r.base.pkeys))
}
