package gen

import (
	"fmt"
	"slices"
	"strings"
)

// selWhole asks for all rows of a table in a way that an index may answer alone.
func selWhole(g *generator) string {
	sc := &scope{}
	from := " FROM " + g.addBase(sc)
	out := output{expr{sql: "COUNT(*)"}, g.newOutput()}
	if g.pct(50) {
		out.expr = g.anyColumn(sc)
	}
	return "SELECT " + list([]output{out}) + from
}

// leastShare is how many queries of aggregates ask for the least or the greatest value of an indexed column and nothing else, in percent: the engine looks at one end of the index.
const leastShare = 12

// selLeast is such a query; "" where no table has an index that begins with a column which may be NULL.
func (g *generator) selLeast() string {
	if g.beside("least").IntN(100) >= leastShare {
		return ""
	}
	sc := &scope{}
	from := " FROM " + g.addBase(sc)
	r := sc.refs[0]
	columns := slices.DeleteFunc(r.base.indexed(), func(c *column) bool { return c.notNull || c.special != nil || c.kind == KindText })
	if len(columns) == 0 {
		return ""
	}
	least := r.column(oneOf(g, columns))
	where := ""
	if g.pct(30) {
		where = " WHERE " + whereRange(g, sc, 0)
	}
	least.sql = oneOf(g, []string{"MIN", "MIN", "MAX"}) + "(" + least.sql + ")"
	return "SELECT " + list([]output{{least, g.newOutput()}}) + from + where
}

// selCovered asks a table for nothing but what one of its indexes holds: its entries are read without the rows. Where they are to be in
// order, they come from either end.
func selCovered(g *generator) string {
	sc := &scope{}
	from := " FROM " + g.addBase(sc)
	r := sc.refs[0]
	r.cols = coveredColumns(g, r.base)
	where := ""
	if g.pct(40) {
		where = " WHERE " + g.compared(r.column(r.cols[0]))
	}
	if g.pct(35) {
		return "SELECT " + list(g.aggregates(sc, g.between(1, 2), false)) + from + where
	}
	var outs []output
	for _, c := range r.cols {
		outs = append(outs, output{r.column(c), g.newOutput()})
	}
	if g.pct(15) {
		return "SELECT DISTINCT " + list(outs) + from + where
	}
	order := make([]string, len(outs))
	direction := g.direction()
	for i := range order {
		order[i] = fmt.Sprint(i+1) + direction
	}
	return "SELECT " + list(outs) + from + where + " ORDER BY " + strings.Join(order, ", ") + g.limit()
}

// coveredColumns returns columns of which an index of t has all that a query asks for: one that an index begins with, or the primary key, and
// in some cases both, as an entry leads to its row by that.
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
