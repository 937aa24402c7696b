package gen

import (
	"fmt"
	"slices"
	"strings"
)

// selWindow returns a query that prints window functions over its rows.
func selWindow(g *generator) string {
	sc := &scope{}
	from := g.from(sc, choose(g, joinSizes))
	where := g.where(sc, g.o.Depth-1)
	outs := items(sc)
	for range g.between(1, 2) {
		call, _ := g.window(sc)
		outs = append(outs, output{expr{sql: call}, g.newOutput()})
	}
	return "SELECT " + g.advice(sc) + list(outs) + from + where + g.orderKeys(sc, outs)
}

// window returns a window function whose values do not depend on the order of the rows: one that gives peers of its
// ORDER BY the same value, or one whose ORDER BY leaves no peers; and whether it counts: its values are small whole numbers
// then, whatever it looks at.
func (g *generator) window(sc *scope) (call string, counts bool) {
	partition := ""
	if g.pct(60) {
		partition = "PARTITION BY " + g.anyColumn(sc).sql + " "
	}
	over := func(call, order string) string {
		if order != "" {
			order = "ORDER BY " + order
		}
		return call + " OVER (" + strings.TrimSpace(partition+order) + ")"
	}
	if keys, total := g.rowOrder(sc); total && g.pct(50) {
		if g.form("window-frame") {
			call, frame := g.framed(sc)
			return over(call, strings.TrimSpace(keys+" "+frame)), false
		}
		c := g.anyColumn(sc)
		call := oneOf(g, []string{"ROW_NUMBER()", "NTILE(2)", "LAG(%s)", "LEAD(%s)", "FIRST_VALUE(%s)"})
		if strings.Contains(call, "%s") {
			call = fmt.Sprintf(call, c.sql)
		}
		return over(call, keys), strings.Contains(call, "()") || strings.HasPrefix(call, "NTILE")
	}
	order := ""
	if g.pct(50) {
		order = g.anyColumn(sc).sql + g.nullsPlace()
	}
	if order != "" && g.pct(40) {
		return over(oneOf(g, []string{"RANK()", "DENSE_RANK()"}), order), true
	}
	c := g.anyColumn(sc)
	call = oneOf(g, []string{"COUNT(%s)", "MIN(%s)"})
	if c.fam == FamInt && g.pct(50) {
		call = "SUM(%s)"
	}
	return over(g.ofSome(fmt.Sprintf(call, c.sql), sc), order), strings.HasPrefix(call, "COUNT")
}

// framed returns a window function that looks at a frame, and the frame; "" where that is the default one, or the function looks at its whole
// partition. What it gives depends on the order of the rows.
func (g *generator) framed(sc *scope) (call, frame string) {
	call = oneOf(g, []string{"LAST_VALUE(%s)", "NTH_VALUE(%s, 2)", "FIRST_VALUE(%s)", "COUNT(%s)", "COUNT(*)", "MIN(%s)", "MAX(%s)", "CUME_DIST()", "PERCENT_RANK()"})
	c := g.anyColumn(sc)
	if c.fam == FamInt && g.pct(30) {
		call = "SUM(%s)"
	}
	if strings.Contains(call, "%s") {
		call = fmt.Sprintf(call, c.sql)
	}
	if strings.HasSuffix(call, "()") || g.pct(20) {
		return call, ""
	}
	return call, oneOf(g, []string{
		"ROWS UNBOUNDED PRECEDING",
		"ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
		"ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
		"ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
		"ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
		"ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
		"RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
	})
}

// rowOrder returns an ORDER BY list that tells all rows of a FROM clause apart, and whether there is one.
func (g *generator) rowOrder(sc *scope) (string, bool) {
	bases := sc.bases()
	keys := make([]string, len(bases))
	for i, r := range bases {
		keys[i] = r.alias + ".pkey"
	}
	return strings.Join(keys, ", "), len(bases) == len(sc.refs)
}

// windowClause returns a WINDOW clause that nothing uses, in some queries. It mostly names columns that are not printed.
func (g *generator) windowClause(sc *scope, printed ...output) string {
	if g.calm && !g.wants("window-in-write") || !g.form("unused-window") {
		return ""
	}
	column := func() string {
		c := g.anyColumn(sc).sql
		for try := 0; try < 3 && slices.ContainsFunc(printed, func(o output) bool { return o.sql == c }); try++ {
			c = g.anyColumn(sc).sql
		}
		return c
	}
	return fmt.Sprintf(" WINDOW w0 AS (PARTITION BY %s ORDER BY %s)", column(), column())
}
