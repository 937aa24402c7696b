package gen

import "txweave/sql"

// Derived tables of the first rows of others: a condition of the query around one may not be asked before these are
// counted.

// Shares, in percent: limitedShare are the derived tables that are such, limitedAsked the conditions beside them that
// begin with one of their columns.
const (
	limitedShare = 22
	limitedAsked = 65
)

// limitsDerived draws whether the next derived table has the first rows of another one.
func (g *generator) limitsDerived() bool {
	return g.beside("limited-derived").IntN(100) < limitedShare
}

// limitedBody returns a query for a derived table, its first rows in an order of all that it prints, so that the plan
// has no choice among them.
func (g *generator) limitedBody() (*sql.Query, []*column) {
	in := &scope{}
	s := block(g.from(in, 1), nil)
	var outs []output
	for _, at := range g.rng.Perm(len(in.columns()))[:min(g.between(1, 3), len(in.columns()))] {
		outs = append(outs, output{in.columns()[at].expr(), g.newOutput()})
	}
	if g.pct(30) {
		s.Where = g.where(in, 1)
	}
	s.Items = list(outs)
	q := &sql.Query{Body: s, Order: g.orderOutputs(outs, g.rng.Perm(len(outs)))}
	count, offset := g.between(1, 6), 0
	if g.pct(15) {
		offset = g.between(1, 2)
	}
	q.Limit = limitOf(count, offset)
	return q, outputColumns(outs)
}

// limitedWhere returns a condition on a column of such a derived table in some queries that read one; else nil.
func (g *generator) limitedWhere(sc *scope) sql.Expr {
	for _, r := range sc.refs {
		if r.limited && g.beside("limited-where").IntN(100) < limitedAsked {
			return g.compared(r.column(oneOf(g, r.cols)))
		}
	}
	return nil
}
