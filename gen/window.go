package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// selWindow returns a query that prints window functions over its rows.
func selWindow(g *generator) *sql.Query {
	sc := &scope{}
	s := block(g.from(sc, choose(g, joinSizes)), nil)
	s.Where = g.where(sc, g.o.Depth-1)
	outs := items(sc)
	for range g.between(1, 2) {
		call, _ := g.window(sc)
		outs = append(outs, output{expr{x: call}, g.newOutput()})
	}
	s.Hints, s.Items = g.advice(sc), list(outs)
	return g.orderKeys(build.Query(s), sc, outs)
}

// window returns a window function whose values do not depend on the order of the rows: one that gives peers of its
// ORDER BY the same value, or one whose ORDER BY leaves no peers; and whether it counts: its values are small whole
// numbers then, whatever it looks at.
func (g *generator) window(sc *scope) (call *sql.Call, counts bool) {
	over := &sql.Window{}
	if g.pct(60) {
		over.Partition = []sql.Expr{g.anyColumn(sc).x}
	}
	if keys, total := g.rowOrder(sc); total && g.pct(50) {
		over.Order = keys
		if g.form("window-frame") {
			call, over.Frame = g.framed(sc)
			call.Over = over
			return call, false
		}
		c := g.anyColumn(sc)
		at := oneOf(g, []int{0, 1, 2, 3, 4})
		call = []*sql.Call{build.Call("ROW_NUMBER"), build.Call("NTILE", build.Int(2)), build.Call("LAG", c.x),
			build.Call("LEAD", c.x), build.Call("FIRST_VALUE", c.x)}[at]
		call.Over = over
		return call, at < 2
	}
	if g.pct(50) {
		x := g.anyColumn(sc).x
		order := g.nullsPlace(x)
		if order == nil {
			order = build.Order(x, false)
		}
		over.Order = []*sql.Order{order}
	}
	if over.Order != nil && g.pct(40) {
		call = build.Call(oneOf(g, []string{"RANK", "DENSE_RANK"}))
		call.Over = over
		return call, true
	}
	c := g.anyColumn(sc)
	name := oneOf(g, []string{"COUNT", "MIN"})
	if c.fam == FamInt && g.pct(50) {
		name = "SUM"
	}
	call = g.ofSome(build.Call(name, c.x), sc)
	call.Over = over
	return call, name == "COUNT"
}

// frames are those that a window function may look at.
func frames() []*sql.Frame {
	currentRow := &sql.Bound{Side: "CURRENT ROW"}
	return []*sql.Frame{
		{Unit: "ROWS", Start: unbounded("PRECEDING")},
		{Unit: "ROWS", Start: away(1, "PRECEDING"), End: away(1, "FOLLOWING")},
		{Unit: "ROWS", Start: away(1, "PRECEDING"), End: currentRow},
		{Unit: "ROWS", Start: away(2, "PRECEDING"), End: away(1, "PRECEDING")},
		{Unit: "ROWS", Start: currentRow, End: unbounded("FOLLOWING")},
		{Unit: "ROWS", Start: away(1, "FOLLOWING"), End: away(3, "FOLLOWING")},
		{Unit: "RANGE", Start: unbounded("PRECEDING"), End: unbounded("FOLLOWING")},
	}
}

func unbounded(side string) *sql.Bound { return &sql.Bound{Side: "UNBOUNDED " + side} }

func away(rows int, side string) *sql.Bound { return &sql.Bound{X: build.Int(rows), Side: side} }

// framed returns a window function that looks at a frame, and the frame; nil where that is the default one, or the
// function looks at its whole partition. What it gives depends on the order of the rows.
func (g *generator) framed(sc *scope) (call *sql.Call, frame *sql.Frame) {
	at := oneOf(g, []int{0, 1, 2, 3, 4, 5, 6, 7, 8})
	c := g.anyColumn(sc)
	call = []*sql.Call{build.Call("LAST_VALUE", c.x), build.Call("NTH_VALUE", c.x, build.Int(2)), build.Call("FIRST_VALUE",
		c.x), build.Call("COUNT", c.x),
		build.Count(), build.Call("MIN", c.x), build.Call("MAX", c.x), build.Call("CUME_DIST"),
		build.Call("PERCENT_RANK")}[at]
	if c.fam == FamInt && g.pct(30) {
		call = build.Call("SUM", c.x)
	}
	if len(call.Args) == 0 || g.pct(20) {
		return call, nil
	}
	return call, oneOf(g, frames())
}

// rowOrder returns an ORDER BY list that tells all rows of a FROM clause apart, and whether there is one.
func (g *generator) rowOrder(sc *scope) ([]*sql.Order, bool) {
	bases := sc.bases()
	keys := make([]*sql.Order, len(bases))
	for i, r := range bases {
		keys[i] = build.Order(r.pkey(), false)
	}
	return keys, len(bases) == len(sc.refs)
}

// windowClause returns a WINDOW clause that nothing uses, in some queries. It mostly names columns that are not
// printed.
func (g *generator) windowClause(sc *scope, printed ...output) []*sql.NamedWindow {
	if g.calm && !g.wants("window-in-write") || !g.form("unused-window") {
		return nil
	}
	column := func() sql.Expr {
		c := g.anyColumn(sc).x
		for try := 0; try < 3 && slices.ContainsFunc(printed, func(o output) bool { return same(o.x, c) }); try++ {
			c = g.anyColumn(sc).x
		}
		return c
	}
	w := &sql.Window{Partition: []sql.Expr{column()}}
	w.Order = []*sql.Order{build.Order(column(), false)}
	return []*sql.NamedWindow{{Name: build.Name("w0"), Window: w}}
}
