package gen

import (
	"txweave/sql"
	"txweave/sql/build"
)

// whereRanked finds rows by how many others of their own table lie before them, or are like them, by a column of
// theirs. Each row that the statement changes would change that for the others: whoever reads the table while it writes
// finds other rows than a SELECT right before it.
func whereRanked(g *generator, sc *scope, depth int) sql.Expr {
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
	other := in.refs[0]
	if c != r.base.pkey && g.pct(30) {
		not := oneOf(g, []bool{false, true})
		alike := build.All(build.Eq(other.col(c), r.col(c)), build.Binary(other.pkey(),
			oneOf(g, []sql.Op{sql.OpNe, sql.OpLt, sql.OpGt}), r.pkey()))
		return build.Not(not, build.Exists(build.Query(block(from, alike, build.Item(build.Int(1), "")))))
	}
	before := build.Binary(other.col(c), oneOf(g, []sql.Op{sql.OpLt, sql.OpGt}), r.col(c))
	count := build.Scalar(build.Query(block(from, before, build.Item(build.Count(), ""))))
	return build.Binary(count, oneOf(g, []sql.Op{sql.OpLt, sql.OpLt, sql.OpGe, sql.OpEq}), build.Int(g.between(1, 3)))
}
