package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// selWhole asks for all rows of a table in a way that an index may answer alone.
func selWhole(g *generator) *sql.Query {
	sc := &scope{}
	from := g.addBase(sc)
	out := output{expr{x: build.Count()}, g.newOutput()}
	if g.pct(50) {
		out.expr = g.anyColumn(sc)
	}
	return build.Query(block(from, nil, list([]output{out})...))
}

// leastShare is how many queries of aggregates ask for the least or the greatest value of an indexed column and nothing
// else, in percent: the engine looks at one end of the index.
const leastShare = 12

// selLeast is such a query; nil where no table has an index that begins with a column which may be NULL.
func (g *generator) selLeast() *sql.Query {
	if g.beside("least").IntN(100) >= leastShare {
		return nil
	}
	sc := &scope{}
	s := block(g.addBase(sc), nil)
	r := sc.refs[0]
	columns := slices.DeleteFunc(r.base.indexed(), func(c *column) bool {
		return c.notNull || c.special != nil || c.kind == KindText
	})
	if len(columns) == 0 {
		return nil
	}
	least := r.column(oneOf(g, columns))
	if g.pct(30) {
		s.Where = whereRange(g, sc, 0)
	}
	least.x = build.Call(oneOf(g, []string{"MIN", "MIN", "MAX"}), least.x)
	s.Items = list([]output{{least, g.newOutput()}})
	return build.Query(s)
}

// selCovered asks a table for nothing but what one of its indexes holds: its entries are read without the rows. Where
// they are to be in order, they come from either end.
func selCovered(g *generator) *sql.Query {
	sc := &scope{}
	s := block(g.addBase(sc), nil)
	r := sc.refs[0]
	r.cols = coveredColumns(g, r.base)
	if g.pct(40) {
		s.Where = g.compared(r.column(r.cols[0]))
	}
	q := build.Query(s)
	if g.pct(35) {
		s.Items = list(g.aggregates(sc, g.between(1, 2), false))
		return q
	}
	var outs []output
	for _, c := range r.cols {
		outs = append(outs, output{r.column(c), g.newOutput()})
	}
	s.Items = list(outs)
	if s.Distinct = g.pct(15); s.Distinct {
		return q
	}
	descends := g.descends()
	for i := range outs {
		q.Order = append(q.Order, build.Order(build.Int(i+1), descends))
	}
	q.Limit = g.limit()
	return q
}

// coveredColumns returns columns of which an index of t has all that a query asks for: one that an index begins with,
// or the primary key, and in some cases both, as an entry leads to its row by that.
func coveredColumns(g *generator, t *table) []*column {
	var first []*column
	for _, c := range t.cols {
		if c.indexed && c.special == nil && c.kind != KindText {
			first = append(first, c)
		}
	}
	key := t.own
	if len(key) == 0 || slices.ContainsFunc(key, func(c *column) bool { return c.special != nil || c.kind == KindText }) {
		key = []*column{t.pkey}
	}
	switch {
	case len(first) == 0:
		return key
	case g.pct(30):
		return append([]*column{oneOf(g, first)}, key...)
	case g.pct(30):
		return key
	}
	return []*column{oneOf(g, first)}
}
