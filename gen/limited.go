package gen

import "fmt"

// Derived tables of the first rows of others: a condition of the query around one may not be asked before these are counted.

// Shares, in percent: limitedShare are the derived tables that are such, limitedAsked the conditions beside them that begin with one of their columns.
const (
	limitedShare = 22
	limitedAsked = 65
)

// limitsDerived draws whether the next derived table has the first rows of another one.
func (g *generator) limitsDerived() bool {
	return g.beside("limited-derived").IntN(100) < limitedShare
}

// limitedBody returns a query for a derived table, its first rows in an order of all that it prints, so that the plan has no choice among them.
func (g *generator) limitedBody() (string, []*column) {
	in := &scope{}
	from := g.from(in, 1)
	var outs []output
	for _, at := range g.rng.Perm(len(in.columns()))[:min(g.between(1, 3), len(in.columns()))] {
		outs = append(outs, output{in.columns()[at], g.newOutput()})
	}
	tail := ""
	if g.pct(30) {
		tail = g.where(in, 1)
	}
	tail += " ORDER BY " + g.orderOutputs(outs, g.rng.Perm(len(outs))) + fmt.Sprintf(" LIMIT %d", g.between(1, 6))
	if g.pct(15) {
		tail += fmt.Sprintf(" OFFSET %d", g.between(1, 2))
	}
	return "SELECT " + list(outs) + from + tail, outputColumns(outs)
}

// limitedWhere returns a condition on a column of such a derived table with AND behind it, for what follows, in some queries that read one; else nothing.
func (g *generator) limitedWhere(sc *scope) string {
	for _, r := range sc.refs {
		if r.limited && g.beside("limited-where").IntN(100) < limitedAsked {
			return g.compared(r.column(oneOf(g, r.cols))) + " AND "
		}
	}
	return ""
}
