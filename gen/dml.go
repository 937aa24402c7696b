package gen

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// Where productions: how an UPDATE, a DELETE or a locking read finds its rows; nothing means all of them. The first
// reference of the scope is the table in question.

func wherePoint(g *generator, sc *scope, _ int) string {
	r := sc.refs[0]
	if g.pct(65) {
		return whereKey(g, sc, 0)
	}
	if len(r.base.own) > 1 && g.pct(ownShare) { // the first column of a key alone
		if key := r.base.keyOf(g.nameKey(r.base)); key != nil {
			return r.alias + "." + r.base.own[0].name + " = " + key[0]
		}
	}
	column, keys := "pkey", make([]string, g.between(2, 3))
	own := len(r.base.own) == 1 && g.pct(ownShare)
	for i := range keys {
		k := g.nameKey(r.base)
		keys[i] = fmt.Sprint(k)
		if key := r.base.keyOf(k); own && len(key) == 1 {
			column, keys[i] = r.base.own[0].name, key[0]
		} else {
			own = false
		}
		if !own && column != "pkey" { // a row that may not be there: its own key is not known
			keys = keys[:i]
			break
		}
	}
	return r.alias + "." + column + " IN (" + strings.Join(keys, ", ") + ")"
}

// whereFiltered finds rows by their keys, of which a predicate holds of some: those of which it does not are locked, or not, all the same.
func whereFiltered(g *generator, sc *scope, depth int) string {
	return wherePoint(g, sc, 0) + " AND " + g.predicate(sc, max(depth-1, 0))
}

// whereKey finds one row.
func whereKey(g *generator, sc *scope, _ int) string {
	r := sc.refs[0]
	k := g.nameKey(r.base)
	return g.at(r, k, r.base.keyOf(k))
}

// nameKey returns a pkey that may exist in t and notes it as one of those that the statement names.
func (g *generator) nameKey(t *table) int64 {
	k := g.key(t)
	g.named = append(g.named, k)
	return k
}

func whereRange(g *generator, sc *scope, _ int) string {
	r := sc.refs[0]
	k := g.nameKey(r.base)
	if cond, ok := g.ownRange(r, k); ok {
		return cond
	}
	return fmt.Sprintf("%s.pkey BETWEEN %d AND %d", r.alias, k, k+g.width(r.base))
}

func whereFree(g *generator, sc *scope, depth int) string {
	return g.anchored(sc, g.predicate(sc, depth))
}

// whereBoth narrows a free predicate to a range of keys.
func whereBoth(g *generator, sc *scope, depth int) string {
	if g.pct(wideShare) {
		return whereWide(g, sc, 0) + " AND " + g.predicate(sc, depth)
	}
	return whereRange(g, sc, 0) + " AND " + g.predicate(sc, depth)
}

// whereWhole leaves the clause out.
func whereWhole(*generator, *scope, int) string { return "" }

// clause returns a WHERE clause from its condition.
func clause(cond string) string {
	if cond == "" {
		return ""
	}
	return " WHERE " + cond
}

// wrote notes that the transaction has written t, and the rows that the statement named.
func (g *generator) wrote(t *table, keys ...int64) {
	if !slices.Contains(g.txn.wrote, t) {
		g.txn.wrote = append(g.txn.wrote, t)
	}
	t.recent = append(t.recent, keys...)
	for _, k := range keys {
		t.pkey.holds(fmt.Sprint(k))
	}
}

// updated returns what an UPDATE gives a column: an expression, or the column's default.
func (g *generator) updated(c *column, sc *scope) string {
	if slices.Contains(sc.refs[0].base.pair, c) { // rows that change places must not depend on the order of the scan
		return g.literal(c.fam, c.pool).sql
	}
	if c.hasDefault && g.wants("default-value") {
		return "DEFAULT"
	}
	return g.assign(c, sc)
}

// Statement productions.

func stmtSelect(g *generator) string {
	if g.txn.frame != sqltext.Prepared && g.form("scratch-table") {
		return g.scratch()
	}
	return g.selectStmt()
}

// scratch is a query whose answer goes through a table of its own: what it reads it reads as a write does.
func (g *generator) scratch() string {
	rng := g.beside("scratch-forms")
	forms := []stmtFunc{selPlain, selPlain, selPlain, selDistinct, selGroup, selAggregate, selSet, selCTE}
	head := "CREATE " + g.d.Scratch
	if g.txn.alone && g.d.ScratchAlone && rng.IntN(100) < 60 {
		head = "CREATE TABLE"
	}
	g.scratches++
	return fmt.Sprintf("%s s%d AS %s", head, g.scratches-1, forms[rng.IntN(len(forms))](g))
}

func stmtUpdate(g *generator) string {
	t := g.table()
	sc := target(t)
	g.banned = t // SET never reads the target
	set := g.newVersion(t)
	named := len(set)
	where := choose(g, whereTable)
	where = g.otherWhere(where)
	keyed := len(t.own) > 0 && g.pct(keyUpdateShare)
	if keyed {
		var assigned []string
		assigned, where = g.updateKey(t)
		set = append(set, assigned...)
	}
	many := false // rows that are given one unique value, which fails half-way
	for _, at := range g.rng.Perm(len(t.cols))[:g.between(1, min(3, len(t.cols)))] {
		c := t.cols[at]
		switch {
		case slices.Contains(t.own, c) || keyed && c.unique:
		case !c.unique && many:
			set = append(set, g.harmless(t, c)...)
		case !c.unique:
			value := g.updated(c, sc)
			c.holds(value)
			set = append(set, c.name+" = "+value)
			if g.careless && slices.Contains(t.pair, c) {
				where = whereKey // which rows it would pass over depends on the order of the scan
			}
		case len(set) == named && !keyed && !g.careless && c.parent == nil && g.wants("unique-many"):
			set, many = append(set, c.name+" = "+g.freshValue(c)), true
		default:
			value := g.uniqueConst(c)
			c.holds(value)
			set = append(set, c.name+" = "+value)
			where = whereKey // more than one row would always collide
		}
	}
	if len(set) == named { // only the columns of its key were drawn
		var assigned []string
		assigned, where = g.updateKey(t)
		set = append(set, assigned...)
	}
	tail := g.dmlLimit(t)
	g.allowSelf(tail)
	text := "UPDATE " + g.ownRows(t) + t.name + " SET " + strings.Join(set, ", ") + clause(where(g, sc, g.o.Depth-1)) + tail
	if g.d.UpdateReturns {
		text += g.returning(t)
	}
	g.wrote(t, g.named...)
	return text
}

// harmless returns an assignment of a column that no row makes fail: beside one that fails, which comes first would depend on the order
// of the scan. None where the column has other constraints.
func (g *generator) harmless(t *table, c *column) []string {
	if c.max != 0 || c.parent != nil || c.special != nil || slices.Contains(t.pair, c) {
		return nil
	}
	return []string{c.name + " = " + g.literal(c.fam, c.pool).sql}
}

// newVersion returns the assignments that give a row a version of its own; none where the table has no place for them, or
// the statement shall leave rows as they are that already are as it would make them.
func (g *generator) newVersion(t *table) []string { return g.version(t, g.vkey()) }

// version is newVersion with a version key that is drawn already.
func (g *generator) version(t *table, vkey int64) []string {
	if t.bare || g.blind && g.pct(blindShare) {
		return nil
	}
	return []string{"pvkey = vkey", fmt.Sprintf("vkey = %d", vkey)}
}

// clearShare is how many DELETEs of a table with triggers, or of one that others refer to, take all its rows, in percent: where nobody looks on an engine has a shorter way.
const clearShare = 6

func stmtDelete(g *generator) string {
	t := g.table()
	if t.stays {
		return stmtUpdate(g)
	}
	t.shrinks = true
	g.banned = t
	tail := g.dmlLimit(t)
	g.allowSelf(tail)
	where := choose(g, deleteTable)
	where = g.otherWhere(where)
	if (len(t.fires) > 0 || g.referred(t)) && g.beside("clear").IntN(100) < clearShare {
		where = whereWhole
	}
	if g.chancy(t) {
		where, tail = whereKey, ""
	}
	text := "DELETE FROM " + g.ownRows(t) + t.name + clause(where(g, target(t), g.o.Depth-1)) + tail + g.returning(t)
	g.wrote(t, g.named...)
	if len(g.named) == 1 {
		t.moved(g.named[0], nil)
		t.gone[g.named[0]] = true
	}
	return text
}

// referred says whether rows of a table refer to those of t.
func (g *generator) referred(t *table) bool {
	return slices.ContainsFunc(g.tables, func(child *table) bool {
		return slices.ContainsFunc(child.cols, func(c *column) bool { return c.parent == t })
	})
}

// allowSelf lifts the ban on reading the target in the WHERE clause where the dialect can do that.
func (g *generator) allowSelf(tail string) {
	if g.d.SelfSubquery && tail == "" {
		g.banned = nil
	}
}

// dmlLimit returns " ORDER BY t.pkey LIMIT n" now and then, where the dialect has it.
func (g *generator) dmlLimit(t *table) string {
	if !g.d.DMLLimit || !g.pct(dmlLimitShare) {
		return ""
	}
	return fmt.Sprintf(" ORDER BY %s.pkey%s LIMIT %d", t.name, g.direction(), g.between(1, 4))
}

// uniqueConst returns a constant for a unique column: mostly a new value, sometimes NULL or one that exists.
func (g *generator) uniqueConst(c *column) string {
	switch {
	case g.pct(g.duplicate()):
		return oneOf(g, c.pool)
	case !c.notNull && g.pct(15):
		return "NULL"
	}
	v := g.freshValue(c)
	c.pool = append(c.pool, v)
	return v
}

// Assignment productions.

func assignLiteral(g *generator, c *column, _ *scope) expr { return g.literal(c.fam, c.pool) }

func assignValue(g *generator, c *column, sc *scope) expr {
	return g.value(sc, c.fam, g.between(0, max(0, g.o.Depth-1)))
}

// assignStep adds a little to a number that is near zero and replaces it otherwise, mostly in the row's own
// column: the write that shows a lost update.
func assignStep(g *generator, c *column, sc *scope) expr {
	if c.fam > FamDecimal {
		return g.value(sc, c.fam, 2)
	}
	from := g.columnOr(sc, c.fam).sql
	if r := sc.refs[0]; slices.Contains(r.cols, c) {
		from = r.alias + "." + c.name
	}
	step, start := g.literal(c.fam, nil), g.literal(c.fam, nil)
	return expr{fam: c.fam, bound: widest(step, start) + 500, notNull: true,
		sql: fmt.Sprintf("CASE WHEN %[1]s BETWEEN %[2]s AND %[3]s THEN (%[1]s + %[4]s) ELSE %[5]s END",
			from, g.number(c.fam, -500), g.number(c.fam, 500), step.sql, start.sql)}
}

// assign returns an expression that fits column c, whatever the row.
func (g *generator) assign(c *column, sc *scope) string {
	switch {
	case c.parent != nil:
		return g.reference(c)
	case !c.notNull && g.pct(8), c.notNull && g.wants("null-violation"):
		return "NULL"
	case c.special != nil:
		return g.specialValue(c)
	}
	e := choose(g, assignTable)(g, c, sc)
	if strings.HasSuffix(e.sql, "."+c.name) && !g.blind && g.pct(80) {
		e = g.literal(c.fam, c.pool) // mostly the column itself, which changes nothing
	}
	if e.bound > c.bound {
		switch c.fam {
		case FamInt:
			e.sql = "(" + e.sql + ") % 1000"
		case FamString:
			e.sql = fmt.Sprintf(g.d.Prefix, e.sql, int(c.bound))
		default:
			e = g.literal(c.fam, c.pool)
		}
	}
	if c.notNull && !e.notNull {
		e.sql = "COALESCE(" + e.sql + ", " + g.literal(c.fam, c.pool).sql + ")"
	}
	return e.sql
}

func stmtInsertValues(g *generator) string {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	g.banned = t
	base, vkey := g.insertBase(), g.vkey()
	sc := &scope{flat: len(t.fires) > 0} // nothing to refer to but subqueries' own tables
	var rows []string
	var keys []int64
	n := choose(g, insertRows)
	first, step := g.heirKeys(t, base+1)
	for i := range n {
		key := first + int64(i)*step
		keys = append(keys, key)
		rows = append(rows, g.insertRow(t, key, vkey, g.newKey(t), sc))
	}
	t.pkeys = append(t.pkeys, keys...)
	t.hot = append(t.hot, keys[0])
	g.wrote(t, keys...)
	return g.insertRows(headOf(t, first), rows) + g.returning(t)
}

// returning has a write return what it writes, now and then.
func (g *generator) returning(t *table) string {
	if !g.form("returning") {
		return ""
	}
	rng := g.beside("returning")
	var names []string
	for _, at := range rng.Perm(len(t.cols))[:1+rng.IntN(min(2, len(t.cols)))] {
		if c := t.cols[at]; c.special == nil || !c.special.Bare {
			names = append(names, c.name)
		}
	}
	return " RETURNING " + strings.Join(append([]string{"pkey"}, names...), ", ")
}

// insertRows is an INSERT of rows, written as SET now and then where it is one.
func (g *generator) insertRows(head string, rows []string) string {
	if len(rows) > 1 || !g.form("insert-set") {
		return head + " VALUES " + strings.Join(rows, ", ")
	}
	at := strings.Index(head, " (")
	names, _ := sqltext.SplitList(head, at+1)
	values, _ := sqltext.SplitList(rows[0], 0)
	set := make([]string, len(names))
	for i := range names {
		set[i] = names[i] + " = " + values[i]
	}
	return head[:at] + " SET " + strings.Join(set, ", ")
}

// insertRow writes one row of VALUES under a key of its own, and keeps that.
func (g *generator) insertRow(t *table, key, vkey int64, own []string, sc *scope) string {
	row := t.naming(fmt.Sprint(key), vkey)
	for _, c := range t.cols {
		if at := slices.Index(t.own, c); at >= 0 {
			c.holds(own[at])
			row = append(row, own[at])
			continue
		}
		value := g.insertValue(c, sc)
		if c.parent == t && g.beside("self-reference").IntN(4) == 0 { // the row refers to itself
			value = fmt.Sprint(key)
		}
		c.holds(value)
		row = append(row, value)
	}
	if len(own) > 0 {
		t.keys[key] = own
	}
	return "(" + strings.Join(row, ", ") + ")"
}

// insertValue returns a value for column c in VALUES: a literal, NULL, or now and then a scalar subquery.
func (g *generator) insertValue(c *column, sc *scope) string {
	switch given, ok := g.given[c]; {
	case ok:
		return given
	case c.unique:
		return g.uniqueConst(c)
	case c.parent != nil:
		return g.reference(c)
	case !c.notNull && g.pct(10), c.notNull && g.wants("null-violation"):
		return "NULL"
	case c.hasDefault && g.wants("default-value"):
		return "DEFAULT"
	case c.special != nil:
		return g.specialValue(c)
	}
	lit := g.literal(c.fam, c.pool)
	if g.canRead(sc) && g.wants("values-many") {
		g.calm = false // VALUES is evaluated whatever the plan is
		e, ok := valMany(g, sc, c.fam, 1)
		if g.calm = true; ok && e.bound <= c.bound {
			return e.sql
		}
	}
	if !g.pct(insertSubquery) || !g.canRead(sc) {
		return lit.sql
	}
	e, ok := choose(g, scalarTable)(g, sc, c.fam, 1)
	if !ok || e.bound > c.bound {
		return lit.sql
	}
	if c.notNull && !e.notNull {
		return "COALESCE(" + e.sql + ", " + lit.sql + ")"
	}
	return e.sql
}

func stmtInsertSelect(g *generator) string {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	if len(t.fires) > 0 || len(t.heirs) > 0 { // what its triggers write the statement may not read
		return stmtInsertValues(g)
	}
	base, vkey := g.insertBase(), g.vkey()
	sc := &scope{}
	from := " FROM " + g.addBase(sc)
	key := sc.refs[0].alias + ".pkey"
	outs := t.naming(fmt.Sprintf("%d + %s", base, key), vkey)
	for _, c := range t.cols {
		switch {
		case c.parent == t && g.chancy(t):
			outs = append(outs, "NULL")
		case !c.unique && !c.discerns:
			outs = append(outs, g.assign(c, sc))
		case !c.notNull && g.pct(40):
			outs = append(outs, "NULL")
		case c.fam == FamInt:
			outs = append(outs, fmt.Sprintf("%d + %s", base, key))
		default:
			outs = append(outs, fmt.Sprintf("CONCAT('x', %d + %s)", base, key))
		}
	}
	where := clause(choose(g, insertWhere)(g, sc, g.o.Depth-1))
	for i := range g.named {
		g.named[i] += base
	}
	t.pkeys = append(t.pkeys, g.named...)
	order := ""
	if g.pct(12) {
		order = " ORDER BY " + key + g.direction() + fmt.Sprintf(" LIMIT %d", g.between(1, 5))
	}
	g.wrote(t, g.named...)
	return insertHead(t) + " SELECT " + strings.Join(outs, ", ") + from + where + order + g.returning(t)
}
