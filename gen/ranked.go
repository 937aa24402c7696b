package gen

import "fmt"

// whereRanked finds rows by how many others of their own table lie before them, or are like them, by a column of theirs. Each row that the statement
// changes would change that for the others: whoever reads the table while it writes finds other rows than a SELECT right before it.
func whereRanked(g *generator, sc *scope, depth int) string {
	r := sc.refs[0]
	if !g.canRead(sc) || g.banned == r.base {
		return whereRange(g, sc, depth)
	}
	by := []*column{r.base.pkey}
	for _, c := range r.base.cols {
		if c.special == nil {
			by = append(by, c, c)
		}
	}
	c := oneOf(g, by)
	in := &scope{parent: sc}
	from := g.addTable(in, r.base)
	other := in.refs[0].alias
	switch {
	case c != r.base.pkey && g.pct(30):
		return fmt.Sprintf("%sEXISTS (SELECT 1 FROM %s WHERE %s.%s = %s.%s AND %s.pkey %s %s.pkey)", oneOf(g, []string{"", "NOT "}), from,
			other, c.name, r.alias, c.name, other, oneOf(g, []string{"<>", "<", ">"}), r.alias)
	default:
		return fmt.Sprintf("(SELECT COUNT(*) FROM %s WHERE %s.%s %s %s.%s) %s %d", from,
			other, c.name, oneOf(g, []string{"<", ">"}), r.alias, c.name, oneOf(g, []string{"<", "<", ">=", "="}), g.between(1, 3))
	}
}
