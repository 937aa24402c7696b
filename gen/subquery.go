package gen

import (
	"fmt"
	"strings"
)

// Sources of subqueries.

// subFunc adds what a subquery reads to its scope and returns its FROM clause.
type subFunc func(g *generator, in *scope) string

func subBase(g *generator, in *scope) string {
	if text, ok := g.readCTE(in); ok {
		return " FROM " + text
	}
	return " FROM " + sourceBase(g, in)
}

func subInner(g *generator, in *scope) string { return g.subPair(in, " INNER JOIN ") }

func subOuter(g *generator, in *scope) string { return g.subPair(in, " LEFT JOIN ") }

func subCross(g *generator, in *scope) string {
	text := " FROM " + g.addBase(in)
	if g.refs > 0 {
		text += " CROSS JOIN " + g.addBase(in)
	}
	return text
}

// subPair joins two tables.
func (g *generator) subPair(in *scope, join string) string {
	text := " FROM " + g.addBase(in)
	if g.refs > 0 {
		text += join + g.addBase(in) + " ON " + g.joinOn(in)
		in.refs[len(in.refs)-1].outer = join == " LEFT JOIN "
	}
	return text
}

func subDerived(g *generator, in *scope) string {
	if g.refs < 2 {
		return subBase(g, in)
	}
	return " FROM " + sourceDerived(g, in)
}

// whereDerived finds rows by what a subquery gives or does not give whose rows are a derived table's, mostly by a condition of their own. Few
// subqueries of writes come to hold one by chance.
func whereDerived(g *generator, sc *scope, depth int) string {
	g.refs = max(g.refs, 3)
	if !g.canRead(sc) || g.nesting >= maxNesting {
		return whereRange(g, sc, depth)
	}
	g.nesting++
	derived := g.derivedBody
	if g.forms["unused-window"] && g.pct(50) {
		derived = g.plainBody
	}
	limited := g.limitsDerived()
	if limited {
		derived = g.limitedBody
	}
	body, cols := derived()
	g.nesting--
	in := &scope{parent: sc, refs: []*ref{{alias: g.newAlias(), cols: cols, limited: limited}}}
	a, b, ok := g.pair(sc, in)
	if !ok {
		return whereRange(g, sc, depth)
	}
	tail := ""
	if g.pct(70) {
		p, ok := oneOf(g, []predicateFunc{predInQuery, predInQuery, predExists, predScalar, predConstant, predColumn})(g, in, 1)
		if ok {
			tail = " WHERE " + g.limitedWhere(in) + p
		}
	}
	return fmt.Sprintf("%s %sIN (SELECT %s FROM (%s) AS %s%s)", a.sql, oneOf(g, []string{"", "NOT "}), b.sql, body, in.refs[0].alias, tail)
}

// Derived tables.

// plainBody returns a query that prints some columns of a table as they are, each once, for a derived table: a plan has nothing to do for it
// but to leave out others, which its condition or its WINDOW clause may name all the same.
func (g *generator) plainBody() (string, []*column) {
	in := &scope{}
	from := " FROM " + g.addBase(in)
	cols := in.columns()
	var outs []output
	for _, at := range g.rng.Perm(len(cols))[:g.between(1, min(3, len(cols)))] {
		outs = append(outs, output{cols[at], g.newOutput()})
	}
	tail := ""
	if g.pct(30) {
		tail = g.where(in, 1)
	}
	return "SELECT " + list(outs) + from + tail + g.windowClause(in, outs...), outputColumns(outs)
}

// windowBody returns a query that prints a window function over its rows, for a derived table.
func (g *generator) windowBody() (string, []*column) {
	in := &scope{}
	from := g.from(in, 1)
	c := g.anyColumn(in)
	call, counts := g.window(in)
	outs := []output{
		{expr{sql: call, fam: FamInt, bound: 1e18}, g.newOutput()},
		{c, g.newOutput()},
	}
	cols := outputColumns(outs)
	cols[0].pool = smallInts
	if !counts {
		cols = cols[1:] // of the family of whatever it looks at: printed, and no more
	}
	tail := ""
	if g.pct(50) {
		tail = g.where(in, 1)
	}
	return "SELECT " + list(outs) + from + tail, cols
}

// Scalar subqueries.

// valUnion is a scalar subquery that is a set operation of which one row is left.
func valUnion(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if g.refs < 2 || !g.canRead(sc) || f == FamDouble {
		return expr{}, false
	}
	var parts []string
	bound := 0.0
	around := sc
	if !g.pct(correlatedUnion) {
		around = nil
	}
	for range 2 {
		in := &scope{parent: around}
		from, ok := g.readCTE(in)
		if !ok {
			from = g.addBase(in)
		}
		from = " FROM " + from
		cols := in.columns(f)
		if len(cols) == 0 {
			return expr{}, false
		}
		c := oneOf(g, cols)
		bound = max(bound, c.bound)
		name := ""
		if len(parts) == 0 {
			name = " AS " + g.newOutput()
		}
		parts = append(parts, "SELECT "+c.sql+name+from+g.subWhere(in, max(0, depth-1)))
	}
	op := oneOf(g, []string{" UNION ", " UNION ALL "})
	return expr{sql: "(" + strings.Join(parts, op) + " ORDER BY 1 LIMIT 1)", fam: f, bound: bound}, true
}

// valOffset is a scalar subquery that leaves out the first rows.
func valOffset(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if !g.canRead(sc) {
		return expr{}, false
	}
	in := &scope{parent: sc}
	from := " FROM " + g.addBase(in)
	cols := in.columns(f)
	if len(cols) == 0 {
		return expr{}, false
	}
	e := oneOf(g, cols)
	e.sql = fmt.Sprintf("(SELECT %s%s%s ORDER BY %s.pkey%s LIMIT 1 OFFSET %d)", e.sql, from, g.subWhere(in, depth), in.refs[0].alias, g.direction(), g.between(1, 3))
	e.notNull = false
	return e, true
}

// valMany is a scalar subquery that may have many rows, which is an error where it is evaluated.
func valMany(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	if g.calm || !g.canRead(sc) {
		return expr{}, false
	}
	in := &scope{parent: sc}
	from := " FROM " + g.addBase(in)
	cols := in.columns(f)
	if len(cols) == 0 {
		return expr{}, false
	}
	e := oneOf(g, cols)
	if g.wants("constant-row") {
		e = g.literal(f, nil)
	}
	where := " WHERE " + whereRange(g, in, 0)
	if g.pct(40) {
		where = " WHERE " + g.predicate(in, max(0, depth-1))
	}
	e.sql, e.notNull = "(SELECT "+e.sql+from+where+")", false
	return e, true
}

// valExists is a choice by the rows of a table.
func valExists(g *generator, sc *scope, f Family, depth int) (expr, bool) {
	p, ok := predExists(g, sc, max(1, depth))
	if !ok {
		return expr{}, false
	}
	a, b := g.literal(f, nil), g.literal(f, nil)
	return expr{sql: "CASE WHEN " + p + " THEN " + a.sql + " ELSE " + b.sql + " END", fam: f, bound: widest(a, b), notNull: true}, true
}

// Predicates.

// predBareColumn takes a number as a truth value.
func predBareColumn(g *generator, sc *scope, _ int) (string, bool) {
	cols := sc.columns(FamInt, FamDecimal)
	if len(cols) == 0 {
		return "", false
	}
	c := oneOf(g, cols)
	return oneOf(g, []string{"", "", "NOT "}) + c.sql, true
}

// predInWindow compares a number with the values of a window function.
func predInWindow(g *generator, sc *scope, depth int) (string, bool) {
	cols := sc.columns(FamInt)
	if depth == 0 || len(cols) == 0 || !g.canRead(sc) || g.calm && !g.wants("window-in-write") {
		return "", false
	}
	in := &scope{}
	from := " FROM " + g.addBase(in)
	order := ""
	if g.pct(60) {
		order = "PARTITION BY " + g.anyColumn(in).sql + " "
	}
	call := oneOf(g, []string{"ROW_NUMBER()", "COUNT(*)", "RANK()"})
	tail := ""
	if g.pct(50) {
		tail = " WHERE " + g.predicate(in, 0)
	}
	return fmt.Sprintf("%s IN (SELECT %s OVER (%sORDER BY %s.pkey)%s%s)", oneOf(g, cols).sql, call, order, in.refs[0].alias, from, tail), true
}

// predRowList compares a pair of columns with pairs of literals.
func predRowList(g *generator, sc *scope, _ int) (string, bool) {
	a, b := g.anyColumn(sc), g.anyColumn(sc)
	var rows []string
	for range g.between(1, 3) {
		rows = append(rows, "("+g.literal(a.fam, a.pool).sql+", "+g.literal(b.fam, b.pool).sql+")")
	}
	return fmt.Sprintf("(%s, %s) IN (%s)", a.sql, b.sql, strings.Join(rows, ", ")), true
}

// Queries.

// lockingValue prints values of one row each, read by subqueries that lock it; the query around them reads nothing.
func (g *generator) lockingValue() string {
	lock := " " + oneOf(g, g.d.LockClauses)
	var outs []output
	for range g.between(1, 2) {
		in := &scope{flat: true}
		from := " FROM " + g.addBase(in)
		e := g.anyColumn(in)
		e.sql = fmt.Sprintf("(SELECT %s%s WHERE %s.pkey = %d%s)", e.sql, from, in.refs[0].alias, g.key(in.refs[0].base), lock)
		outs = append(outs, output{e, g.newOutput()})
	}
	return "SELECT " + list(outs)
}

// selLockingSub is a locking read whose subqueries lock what they read, too: every block reads current rows.
func selLockingSub(g *generator) string {
	if g.wants("locking-value") {
		return g.lockingValue()
	}
	sc := &scope{flat: true}
	text := " FROM " + g.addBase(sc)
	lock := " " + oneOf(g, g.d.LockClauses)
	in := &scope{parent: sc, flat: true}
	from := " FROM " + g.addBase(in)
	where := " WHERE " + choose(g, whereTable)(g, sc, 0)
	if where == " WHERE " {
		where = ""
	}
	if a, b, ok := g.pair(sc, in); ok {
		cond := a.sql + " IN (SELECT " + b.sql + from + clause(whereRange(g, in, 0)) + lock + ")"
		if where == "" {
			where = " WHERE " + cond
		} else {
			where += " AND " + cond
		}
	}
	outs := append(items(sc), g.outputs(sc, 1, 0)...)
	return "SELECT " + list(outs) + text + where + lock
}

// selLockingFilter is a locking read whose condition has a subquery that does not lock: what it returns is locked all the same,
// whatever becomes of the two in the plan.
func selLockingFilter(g *generator) string {
	g.calm = true
	sc := &scope{}
	text := " FROM " + g.addBase(sc)
	cond := ""
	for try := 0; cond == "" && try < 4; try++ {
		cond, _ = oneOf(g, []predicateFunc{predInQuery, predInQuery, predExists, predScalar})(g, sc, 2)
	}
	if cond == "" {
		cond = whereKey(g, sc, 0)
	}
	outs := append(items(sc), g.outputs(sc, 1, 0)...)
	return "SELECT " + g.advice(sc) + list(outs) + text + " WHERE " + cond + " " + oneOf(g, g.d.LockClauses)
}

// selLockingSet is a set operation of locking reads.
func selLockingSet(g *generator) string {
	lock := " " + oneOf(g, g.d.LockClauses)
	names := []string{g.newOutput(), g.newOutput()}
	var parts []string
	for range 2 {
		sc := &scope{flat: true}
		from := " FROM " + g.addBase(sc)
		r := sc.refs[0]
		version := ".vkey"
		if r.base.bare {
			version = ".pkey"
		}
		outs := []output{{r.column(r.base.pkey), names[0]}, {expr{sql: r.alias + version}, names[1]}}
		parts = append(parts, "(SELECT "+list(outs)+from+clause(wherePoint(g, sc, 0))+lock+")")
	}
	return strings.Join(parts, oneOf(g, []string{" UNION ", " UNION ALL "}))
}

// selRollup is a grouped query with the groups of groups.
func selRollup(g *generator) string {
	sc := &scope{}
	from := g.from(sc, choose(g, joinSizes))
	where := g.where(sc, g.o.Depth-1)
	var outs []output
	var by []string
	for range g.between(1, 2) {
		c := g.anyColumn(sc)
		if len(by) == 1 && by[0] == c.sql {
			continue
		}
		outs, by = append(outs, output{c, g.newOutput()}), append(by, c.sql)
	}
	outs = append(outs, g.aggregates(sc, g.between(1, 2), true)...)
	return "SELECT " + list(outs) + from + where + " GROUP BY " + strings.Join(by, ", ") + " WITH ROLLUP"
}

// selRecursive walks from row to row with a recursive CTE, a few steps.
func selRecursive(g *generator) string {
	start, step := &scope{}, &scope{}
	from := " FROM " + g.addBase(start)
	next := g.addTable(step, start.refs[0].base)
	a, b := start.refs[0].alias, step.refs[0].alias
	where := clause(choose(g, insertWhere)(g, start, 0))
	by := oneOf(g, []string{"+ 1", "- 1", "+ 2"})
	rest := ""
	if g.pct(40) {
		rest = " AND " + g.predicate(step, 0)
	}
	sc := &scope{refs: []*ref{{alias: "q0", cols: []*column{
		{name: "k", fam: FamInt, bound: pkeyBound, pool: start.refs[0].base.pkey.known()}, {name: "n", fam: FamInt, bound: 9, pool: smallInts}}}}}
	outs := append([]output{{expr{sql: "q0.k"}, g.newOutput()}, {expr{sql: "q0.n"}, g.newOutput()}}, g.outputs(sc, 1, 1)...)
	return fmt.Sprintf("WITH RECURSIVE q0 AS (SELECT %s.pkey AS k, 1 AS n%s%s UNION ALL SELECT %s.pkey, q0.n + 1 FROM q0 INNER JOIN %s ON %s.pkey = q0.k %s WHERE q0.n < %d%s) SELECT %s FROM q0%s",
		a, from, where, b, next, b, by, g.between(3, 5), rest, list(outs), g.where(sc, 1))
}

// natural joins the last reference with some columns of the same table by their names. They are listed, because a column that
// is added to a table beside the transactions takes part in a NATURAL JOIN with the table itself.
func (g *generator) natural(sc *scope) string {
	last := sc.refs[len(sc.refs)-1]
	if last.base == nil || len(sc.refs) > 1 { // of several tables on the left, two may have the column
		return ""
	}
	join := oneOf(g, []string{" NATURAL JOIN ", " NATURAL LEFT JOIN "})
	in := &scope{}
	from := g.addTable(in, last.base)
	cols := []*column{last.base.pkey}
	for _, c := range last.base.cols {
		if g.pct(40) {
			cols = append(cols, c)
		}
	}
	if len(cols) > 1 && g.pct(50) {
		cols = cols[1:]
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = in.refs[0].alias + "." + c.name
	}
	r := &ref{alias: g.newAlias(), cols: cols, outer: join == " NATURAL LEFT JOIN "}
	sc.refs = append(sc.refs, r)
	return join + "(SELECT " + strings.Join(names, ", ") + " FROM " + from + ") AS " + r.alias
}

// using joins two tables by a column that both have; "" where there is none.
func (g *generator) using(sc *scope) string {
	last := sc.refs[len(sc.refs)-1]
	if last.base == nil || len(sc.refs) > 1 {
		return ""
	}
	t := g.table()
	names := []string{"pkey"}
	for _, c := range last.base.cols {
		for _, d := range t.cols {
			if c.name == d.name && c.fam == d.fam && c.special == nil && d.special == nil {
				names = append(names, c.name)
			}
		}
	}
	join := oneOf(g, []string{" INNER JOIN ", " LEFT JOIN "})
	text := join + g.addTable(sc, t) + " USING (" + oneOf(g, names) + ")"
	sc.refs[len(sc.refs)-1].outer = join == " LEFT JOIN "
	return text
}
