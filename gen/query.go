package gen

import (
	"fmt"
	"strings"
)

// output is one expression of a select list.
type output struct {
	expr
	name string
}

// selectStmt returns a SELECT statement.
func (g *generator) selectStmt() string {
	g.calm = false
	return choose(g, selectTable)(g)
}

// list prints a select list.
func list(outs []output) string {
	parts := make([]string, len(outs))
	for i, o := range outs {
		parts[i] = o.sql + " AS " + o.name
	}
	return strings.Join(parts, ", ")
}

// items returns the item outputs of a query: pkey and vkey of every base table of its FROM clause.
func items(sc *scope) []output {
	var outs []output
	for _, r := range sc.bases() {
		outs = append(outs, output{expr{sql: r.alias + ".pkey"}, r.alias + "_p"})
		if !r.base.bare {
			outs = append(outs, output{expr{sql: r.alias + ".vkey"}, r.alias + "_v"})
		}
	}
	return outs
}

// outputs returns n expressions over the columns in scope.
func (g *generator) outputs(sc *scope, n, depth int) []output {
	var outs []output
	for range n {
		e := g.anyColumn(sc)
		if strings.HasSuffix(e.sql, ".pkey") {
			e = g.anyColumn(sc) // the items print it already
		}
		if g.pct(60) {
			e = g.value(sc, e.fam, depth)
		}
		if held, ok := g.heldExpression(sc, "expression-read", expressionRead); ok {
			e = held
		}
		outs = append(outs, output{e, g.newOutput()})
	}
	return outs
}

// where returns the WHERE clause of a query, sometimes nothing.
func (g *generator) where(sc *scope, depth int) string {
	if !g.pct(whereShare) {
		return ""
	}
	return " WHERE " + g.limitedWhere(sc) + g.anchored(sc, g.predicate(sc, depth))
}

// from adds up to n table references to sc and returns the FROM clause.
func (g *generator) from(sc *scope, n int) string {
	text := " FROM " + g.source(sc)
	for i := 1; i < n && g.refs > 0; i++ {
		join := choose(g, joinTable)
		if by := map[string]func(*scope) string{" NATURAL JOIN ": g.natural, " USING ": g.using}[join]; by != nil {
			if joined := by(sc); joined != "" {
				text += joined
				continue
			}
			join = " INNER JOIN "
		}
		switch join {
		case " LEFT JOIN ":
			text += join + g.source(sc) + " ON " + g.joinOn(sc)
			sc.refs[len(sc.refs)-1].outer = true
		case " RIGHT JOIN ":
			for _, r := range sc.refs {
				r.outer = true
			}
			text += join + g.source(sc) + " ON " + g.joinOn(sc)
		case " CROSS JOIN ":
			text += join + g.source(sc)
			i = n // one product is enough
		default:
			text += join + g.source(sc) + " ON " + g.joinOn(sc)
		}
	}
	return text
}

// source adds one table reference to sc and returns its text.
func (g *generator) source(sc *scope) string {
	return choose(g, sourceTable)(g, sc)
}

func sourceBase(g *generator, sc *scope) string {
	if g.readsView() {
		return sourceView(g, sc)
	}
	if t := g.heirRead(); t != nil {
		return g.sourceHeir(sc, t)
	}
	return g.addBase(sc)
}

// maxNesting is how deep derived tables are nested.
const maxNesting = 2

func sourceDerived(g *generator, sc *scope) string {
	if g.nesting >= maxNesting {
		return g.addBase(sc)
	}
	g.nesting++
	limited := g.limitsDerived()
	derived := g.derivedBody
	if limited {
		derived = g.limitedBody
	}
	body, cols := derived()
	g.nesting--
	r := &ref{alias: g.newAlias(), cols: cols, limited: limited}
	sc.refs = append(sc.refs, r)
	return "(" + body + ") AS " + r.alias
}

// derivedBody returns a query for a derived table or a CTE, and its columns.
func (g *generator) derivedBody() (string, []*column) {
	switch {
	case g.wants("window-derived"):
		return g.windowBody()
	case g.wants("plain-derived"):
		return g.plainBody()
	}
	if g.pct(derivedSet) {
		body, outs := g.setOperation(g.d.DerivedSetOps, false)
		return body, outputColumns(outs)
	}
	in := &scope{}
	from := g.from(in, 1+g.rng.IntN(2)*min(1, max(0, g.refs-1)))
	var outs []output
	tail := ""
	if g.pct(55) {
		tail = g.where(in, 1)
	}
	grouped := g.pct(35)
	if grouped {
		outs, tail = g.groupOutputs(in, tail)
	} else {
		outs = g.outputs(in, g.between(1, 3), 1)
		outs = append(outs, output{g.anyColumn(in), g.newOutput()})
	}
	if g.pct(15) {
		return "SELECT DISTINCT " + list(outs) + from + tail, outputColumns(outs)
	}
	if !grouped {
		tail += g.windowClause(in)
	}
	return "SELECT " + list(outs) + from + tail, outputColumns(outs)
}

// outputColumns returns the outputs of a derived table as columns.
func outputColumns(outs []output) []*column {
	var cols []*column
	for _, o := range outs {
		cols = append(cols, &column{name: o.name, fam: o.fam, bound: o.bound, notNull: o.notNull, pool: o.pool})
	}
	return cols
}

// joinOn returns the condition that joins the last reference of sc with the ones before it.
func (g *generator) joinOn(sc *scope) string {
	last := len(sc.refs) - 1
	a, b := &scope{refs: sc.refs[:last]}, &scope{refs: sc.refs[last:]}
	cond := ""
	if by, ok := g.joinedByExpression(a, b); ok {
		cond = by
	} else if x, y, ok := g.pair(a, b); ok {
		cond = x.sql + " " + choose(g, joinOps) + " " + y.sql
	} else {
		cond, _ = predColumn(g, b, 0)
	}
	if g.pct(25) {
		p, _ := predColumn(g, &scope{refs: sc.refs}, 0)
		cond += " AND " + p
	}
	return cond
}

// groupOutputs returns the outputs of a grouped query, grouping expressions first, and its tail: the given WHERE
// clause, GROUP BY, and sometimes HAVING. Outside aggregates only the grouping expressions appear.
func (g *generator) groupOutputs(sc *scope, where string) ([]output, string) {
	var outs []output
	var by []string
	for range g.between(1, 2) {
		e := g.anyColumn(sc)
		if e.fam == FamInt && g.pct(30) {
			n := g.between(2, 4)
			e = expr{sql: fmt.Sprintf("(%s %% %d)", e.sql, n), fam: FamInt, bound: float64(n), notNull: e.notNull, pool: smallInts[:n]}
		}
		if len(by) == 1 && by[0] == e.sql {
			continue
		}
		outs, by = append(outs, output{e, g.newOutput()}), append(by, e.sql)
	}
	outs = append(outs, g.aggregates(sc, g.between(1, 3), true)...)
	tail := where + " GROUP BY " + strings.Join(by, ", ")
	if g.pct(30) {
		h := g.aggregates(sc, 1, true)[0]
		tail += " HAVING " + h.sql + " " + oneOf(g, []string{">", ">=", "<>", "<", "="}) + " " + g.literal(h.fam, h.pool).sql
	}
	return outs, tail
}

// aggregates returns n aggregates over the columns in scope.
func (g *generator) aggregates(sc *scope, n int, grouped bool) []output {
	var outs []output
	for range n {
		e, ok := g.aggregate(sc, g.anyColumn(sc).fam, grouped)
		if !ok {
			e = expr{sql: "COUNT(*)", fam: FamInt, bound: 1e6, notNull: true, pool: smallInts}
		}
		outs = append(outs, output{e, g.newOutput()})
	}
	return outs
}

// orderAll returns an ORDER BY over all outputs, a total order up to rows that cannot be told apart, and
// sometimes a LIMIT; often it returns nothing.
func (g *generator) orderAll(outs []output) string {
	if !g.pct(orderShare) {
		return ""
	}
	parts := make([]string, len(outs))
	for i, at := range g.rng.Perm(len(outs)) {
		if place := g.nullsPlace(); place != "" {
			parts[i] = outs[at].name + place
			continue
		}
		parts[i] = fmt.Sprint(at + 1)
		if !g.ascending && g.pct(30) {
			parts[i] += " DESC"
		}
	}
	return " ORDER BY " + strings.Join(parts, ", ") + g.limit()
}

// direction returns a direction of an ORDER BY item.
func (g *generator) direction() string {
	if g.ascending {
		return ""
	}
	return oneOf(g, []string{"", " DESC"})
}

// limit returns a LIMIT clause in half of the cases.
func (g *generator) limit() string {
	if g.pct(50) {
		return ""
	}
	text := fmt.Sprintf(" LIMIT %d", g.between(1, 12))
	if g.pct(15) {
		text += fmt.Sprintf(" OFFSET %d", g.between(1, 3))
	}
	return text
}

// orderKeys returns an ORDER BY of a plain query: the pkeys of its base tables where these are all, else all
// outputs.
func (g *generator) orderKeys(sc *scope, outs []output) string {
	bases := sc.bases()
	if len(bases) < len(sc.refs) || g.pct(30) {
		return g.orderAll(outs)
	}
	if !g.pct(orderShare) {
		return ""
	}
	parts := make([]string, len(bases))
	for i, r := range bases {
		parts[i] = r.alias + ".pkey" + g.direction()
	}
	return " ORDER BY " + strings.Join(parts, ", ") + g.limit()
}

// Select productions.

func selPlain(g *generator) string {
	if text := g.selUnmatched(); text != "" {
		return text
	}
	return g.plain(&scope{}, "", g.from)
}

// plain returns a query without aggregates that prints the items of its base tables.
func (g *generator) plain(sc *scope, with string, source func(*scope, int) string) string {
	from := source(sc, choose(g, joinSizes))
	where := ""
	if with == "" || g.pct(60) { // a CTE has filtered its rows already
		where = g.where(sc, g.o.Depth)
	}
	outs := append(items(sc), g.outputs(sc, g.between(1, 3), g.o.Depth-1)...)
	if order := g.orderKeys(sc, outs); order != "" {
		return with + "SELECT " + g.advice(sc) + list(outs) + from + where + order
	}
	outs = append(outs, g.bareOutputs(sc)...)
	advice := g.selectOption()
	if advice == "" { // one kind beside the other is not read back as it is printed
		advice = g.advice(sc)
	}
	return with + "SELECT " + advice + list(outs) + from + where + g.windowClause(sc)
}

func selAggregate(g *generator) string {
	if least := g.selLeast(); least != "" {
		return least
	}
	sc := &scope{}
	from := g.from(sc, choose(g, joinSizes))
	outs := g.aggregates(sc, g.between(1, 4), false)
	if c := g.anyColumn(sc); g.d.avg(c.fam) && g.pct(30) {
		outs = append(outs, output{expr{sql: "AVG(" + c.sql + ")"}, g.newOutput()})
	}
	return "SELECT " + g.advice(sc) + list(outs) + from + g.where(sc, g.o.Depth)
}

func selGroup(g *generator) string {
	sc := &scope{}
	from := g.from(sc, choose(g, joinSizes))
	outs, tail := g.groupOutputs(sc, g.where(sc, g.o.Depth-1))
	return "SELECT " + g.advice(sc) + list(outs) + from + tail + g.orderAll(outs)
}

func selDistinct(g *generator) string {
	sc := &scope{}
	from := g.from(sc, choose(g, joinSizes))
	outs := g.outputs(sc, g.between(1, 3), 2)
	return "SELECT DISTINCT " + list(outs) + from + g.where(sc, g.o.Depth-1) + g.orderAll(outs)
}

func selSet(g *generator) string {
	body, outs := g.setOperation(g.d.SetOps, true)
	return body + g.orderAll(outs)
}

// setOperation returns two or three queries that one of the operators joins, and the outputs. versions says that these
// may be vkeys.
func (g *generator) setOperation(ops []string, versions bool) (string, []output) {
	if len(g.txn.wrote) > 0 && g.pct(setBack) {
		defer g.readOwn()()
	}
	op := " " + oneOf(g, ops) + " "
	if g.pct(rowSets) {
		return g.rowSet(op, versions)
	}
	if g.pct(sliceSets) {
		return g.sliceSet(op)
	}
	first := &scope{}
	from := g.from(first, 1)
	var fams []Family
	for range g.between(1, 3) {
		fams = append(fams, g.anyColumn(first).fam)
	}
	// The names are those of the first operand; the values are all operands'.
	named := make([]string, len(fams))
	for i := range named {
		named[i] = g.newOutput()
	}
	constant := constantOperand
	text, outs := g.operand(first, from, fams, named, &constant)
	parts := []string{text}
	for range 1 + g.rng.IntN(2)*g.rng.IntN(2) {
		sc, from := &scope{}, ""
		if !g.pct(bareOperand) {
			from = " FROM " + g.addTable(sc, g.tableWith(fams))
		}
		text, more := g.operand(sc, from, fams, named, &constant)
		parts = append(parts, text)
		for i := range outs {
			outs[i].bound = widest(outs[i].expr, more[i].expr)
			outs[i].notNull = outs[i].notNull && more[i].notNull
		}
	}
	return strings.Join(parts, op), outs
}

// tableWith returns a table that has a column of every Family, where one of a few tries does.
func (g *generator) tableWith(fams []Family) *table {
	t := g.table()
	for range 4 {
		sc := target(t)
		missing := false
		for _, f := range fams {
			missing = missing || len(sc.columns(f)) == 0
		}
		if !missing {
			break
		}
		t = g.table()
	}
	return t
}

// operand returns one SELECT of a set operation with outputs of the given families.
func (g *generator) operand(sc *scope, from string, fams []Family, named []string, constant *int) (string, []output) {
	var outs []output
	for i, f := range fams {
		e := g.columnOr(sc, f)
		if from != "" && g.pct(25) {
			e = g.value(sc, f, 1)
		}
		outs = append(outs, output{e, named[i]})
	}
	if from == "" {
		return "SELECT " + list(outs), outs
	}
	return "SELECT " + list(outs) + from + g.operandWhere(sc, constant), outs
}

// operandWhere returns the WHERE clause of an operand of a set operation, or nothing; constant is the share of constant ones, in percent. It is 0
// from the first of them on: where all operands are empty nothing is left that could be wrong.
func (g *generator) operandWhere(sc *scope, constant *int) string {
	switch n := g.rng.IntN(100); {
	case n < *constant:
		*constant = 0
		if g.pct(emptyOperand) {
			return " WHERE " + oneOf(g, []string{"1 = 0", "0 <> 0", "NULL IS NOT NULL", "1 > NULL"})
		}
		p, _ := predConstant(g, sc, 0)
		return " WHERE " + p
	case n < *constant+(100-*constant)*wholeOperand/100:
		return ""
	case len(sc.refs) == 1 && sc.refs[0].base != nil && g.pct(operandRange):
		named := len(g.named)
		cond := oneOf(g, []whereFunc{whereRange, whereWide})(g, sc, 0)
		g.named = g.named[:named] // these are no rows of what the statement writes
		return clause(cond)
	default:
		return g.where(sc, 1)
	}
}
