package gen

import (
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/sql/control"
)

// wrote notes that the transaction has written t, and the rows that the statement named.
func (g *generator) wrote(t *table, keys ...int64) {
	if !slices.Contains(g.txn.wrote, t) {
		g.txn.wrote = append(g.txn.wrote, t)
	}
	t.recent = append(t.recent, keys...)
	for _, k := range keys {
		t.pkey.holds(strconv.FormatInt(k, 10))
	}
}

// updated returns what an UPDATE gives a column: an expression, or the column's default.
func (g *generator) updated(c *column, sc *scope) expr {
	if slices.Contains(sc.refs[0].base.pair, c) { // rows that change places must not depend on the order of the scan
		return g.literal(c.fam, c.pool)
	}
	if c.hasDefault && g.wants("default-value") {
		return g.spelled("DEFAULT")
	}
	return g.assign(c, sc)
}

// Statement productions.

func stmtSelect(g *generator) sql.Stmt {
	if g.txn.frame != control.Prepared && g.form("scratch-table") {
		return g.scratch()
	}
	return g.selectStmt()
}

// scratch is a query whose answer goes through a table of its own: what it reads it reads as a write does.
func (g *generator) scratch() sql.Stmt {
	rng := g.beside("scratch-forms")
	forms := []selectFunc{selPlain, selPlain, selPlain, selDistinct, selGroup, selAggregate, selSet, selCTE}
	n := &sql.CreateTable{Temp: true, Name: object("s" + strconv.Itoa(g.scratches))}
	if g.txn.alone && g.d.QueryForms.ScratchAlone && rng.IntN(100) < 60 {
		n.Temp = false
	}
	g.scratches++
	n.As = forms[rng.IntN(len(forms))](g)
	return n
}

func stmtUpdate(g *generator) sql.Stmt { return g.update() }

func (g *generator) update() *sql.Update {
	t := g.table()
	sc := target(t)
	g.banned = t // SET never reads the target
	n := &sql.Update{Set: g.newVersion(t)}
	named := len(n.Set)
	where := choose(g, whereTable)
	where = g.otherWhere(where)
	keyed := len(t.own) > 0 && g.pct(keyUpdateShare)
	if keyed {
		var assigned []*sql.Assign
		assigned, where = g.updateKey(t)
		n.Set = append(n.Set, assigned...)
	}
	many := false // rows that are given one unique value, which fails half-way
	for _, at := range g.rng.Perm(len(t.cols))[:g.between(1, min(3, len(t.cols)))] {
		c := t.cols[at]
		switch {
		case slices.Contains(t.own, c) || keyed && c.unique:
		case !c.unique && many:
			n.Set = append(n.Set, g.harmless(t, c)...)
		case !c.unique:
			value := g.updated(c, sc)
			c.holds(value.lit)
			n.Set = append(n.Set, build.Set(build.Column("", c.name), value.x))
			if g.careless && slices.Contains(t.pair, c) {
				where = whereKey // which rows it would pass over depends on the order of the scan
			}
		case len(n.Set) == named && !keyed && !g.careless && c.parent == nil && g.wants("unique-many"):
			n.Set, many = append(n.Set, g.sets(c, g.freshValue(c))), true
		default:
			value := g.uniqueConst(c)
			c.holds(value)
			n.Set = append(n.Set, g.sets(c, value))
			where = whereKey // more than one row would always collide
		}
	}
	if len(n.Set) == named { // only the columns of its key were drawn
		var assigned []*sql.Assign
		assigned, where = g.updateKey(t)
		n.Set = append(n.Set, assigned...)
	}
	n.Order, n.Limit = g.dmlLimit(t)
	g.allowSelf(n.Limit)
	n.Table = g.written(t)
	n.Where = where(g, sc, g.o.Depth-1)
	if g.d.WriteForms.UpdateReturns {
		n.Returning = g.returning(t)
	}
	g.wrote(t, g.named...)
	return n
}

// sets assigns a literal to a column.
func (g *generator) sets(c *column, lit string) *sql.Assign {
	return build.Set(build.Column("", c.name), g.lit(lit))
}

// spelled is a literal as a value.
func (g *generator) spelled(lit string) expr { return expr{x: g.lit(lit), lit: lit} }

// harmless returns an assignment of a column that no row makes fail: beside one that fails, which comes first would
// depend on the order of the scan. None where the column has other constraints.
func (g *generator) harmless(t *table, c *column) []*sql.Assign {
	if c.max != 0 || c.parent != nil || c.special != nil || slices.Contains(t.pair, c) {
		return nil
	}
	return []*sql.Assign{g.sets(c, g.literal(c.fam, c.pool).lit)}
}

// newVersion returns the assignments that give a row a version of its own; none where the table has no place for them,
// or the statement shall leave rows as they are that already are as it would make them.
func (g *generator) newVersion(t *table) []*sql.Assign { return g.version(t, g.vkey()) }

// version is newVersion with a version key that is drawn already.
func (g *generator) version(t *table, vkey int64) []*sql.Assign {
	return g.versionOf(t, "", "", vkey)
}

// versionOf is version with the columns that are written under one name of their table, and the old version read under
// another; "": neither is said.
func (g *generator) versionOf(t *table, to, from string, vkey int64) []*sql.Assign {
	if t.bare || g.blind && g.pct(blindShare) {
		return nil
	}
	return []*sql.Assign{
		build.Set(build.Column(to, "pvkey"), build.Column(from, "vkey")),
		build.Set(build.Column(to, "vkey"), build.Int(vkey)),
	}
}

// clearShare is how many DELETEs of a table with triggers, or of one that others refer to, take all its rows, in
// percent: where nobody looks on an engine has a shorter way.
const clearShare = 6

func stmtDelete(g *generator) sql.Stmt {
	t := g.table()
	if t.stays {
		return stmtUpdate(g)
	}
	n := &sql.Delete{}
	t.shrinks = true
	g.banned = t
	n.Order, n.Limit = g.dmlLimit(t)
	g.allowSelf(n.Limit)
	where := choose(g, deleteTable)
	where = g.otherWhere(where)
	if (len(t.fires) > 0 || g.referred(t)) && g.beside("clear").IntN(100) < clearShare {
		where = whereWhole
	}
	if g.chancy(t) {
		where, n.Order, n.Limit = whereKey, nil, nil
	}
	n.Table = g.written(t)
	n.Where = where(g, target(t), g.o.Depth-1)
	n.Returning = g.returning(t)
	g.wrote(t, g.named...)
	if len(g.named) == 1 {
		t.moved(g.named[0], nil)
		t.gone[g.named[0]] = true
	}
	return n
}

// referred says whether rows of a table refer to those of t.
func (g *generator) referred(t *table) bool {
	return slices.ContainsFunc(g.tables, func(child *table) bool {
		return slices.ContainsFunc(child.cols, func(c *column) bool { return c.parent == t })
	})
}

// allowSelf lifts the ban on reading the target in the WHERE clause where the dialect can do that.
func (g *generator) allowSelf(limit *sql.Limit) {
	if g.d.WriteForms.SelfSubquery && limit == nil {
		g.banned = nil
	}
}

// dmlLimit returns ORDER BY t.pkey LIMIT n now and then, where the dialect has it.
func (g *generator) dmlLimit(t *table) ([]*sql.Order, *sql.Limit) {
	if !g.d.WriteForms.DMLLimit || !g.pct(dmlLimitShare) {
		return nil, nil
	}
	return []*sql.Order{build.Order(build.Column(t.name, "pkey"), g.descends())}, limitOf(g.between(1, 4), 0)
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
	from := g.columnOr(sc, c.fam).x
	if r := sc.refs[0]; slices.Contains(r.cols, c) {
		from = r.col(c)
	}
	step, start := g.literal(c.fam, nil), g.literal(c.fam, nil)
	near := build.Between(from, g.lit(g.number(c.fam, -500)), g.lit(g.number(c.fam, 500)))
	return expr{fam: c.fam, bound: widest(step, start) + 500, notNull: true,
		x: build.Case(start.x, build.When(near, build.Paren(build.Binary(from, sql.OpAdd, step.x))))}
}

// assign returns an expression that fits column c, whatever the row.
func (g *generator) assign(c *column, sc *scope) expr {
	switch {
	case c.parent != nil:
		return g.spelled(g.reference(c))
	case !c.notNull && g.pct(8), c.notNull && g.wants("null-violation"):
		return g.spelled("NULL")
	case c.special != nil:
		return g.spelled(g.specialValue(c))
	}
	e := choose(g, assignTable)(g, c, sc)
	if of, ok := e.x.(*sql.Column); ok && of.Name.Value == c.name && !g.blind && g.pct(80) {
		e = g.literal(c.fam, c.pool) // mostly the column itself, which changes nothing
	}
	if e.bound > c.bound {
		switch c.fam {
		case FamInt:
			e.x, e.lit = build.Binary(build.Paren(e.x), sql.OpMod, build.Int(1000)), ""
		case FamString:
			e.x, e.lit = g.fill(g.d.ExprForms.Prefix, e.x, build.Int(int(c.bound))), ""
		default:
			e = g.literal(c.fam, c.pool)
		}
	}
	if c.notNull && !e.notNull {
		e.x, e.lit = build.Call("COALESCE", e.x, g.literal(c.fam, c.pool).x), ""
	}
	return e
}

func stmtInsertValues(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	g.banned = t
	base, vkey := g.insertBase(), g.vkey()
	sc := &scope{flat: len(t.fires) > 0} // nothing to refer to but subqueries' own tables
	var rows []*sql.Row
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
	return g.insertRows(t, intoPartOf(t, first), rows)
}

// returning has a write return what it writes, now and then.
func (g *generator) returning(t *table) []*sql.Item {
	if !g.form("returning") {
		return nil
	}
	rng := g.beside("returning")
	out := build.Items(build.Column("", "pkey"))
	for _, at := range rng.Perm(len(t.cols))[:1+rng.IntN(min(2, len(t.cols)))] {
		if c := t.cols[at]; c.special == nil || !c.special.Bare {
			out = append(out, build.Item(build.Column("", c.name), ""))
		}
	}
	return out
}

// rowsInto gives an INSERT its rows, as SET now and then where it is one.
func (g *generator) rowsInto(n *sql.Insert, rows []*sql.Row) *sql.Insert {
	if len(rows) > 1 || !g.form("insert-set") {
		n.Source = build.Query(&sql.Values{Rows: rows})
		return n
	}
	for i, name := range n.Columns {
		n.Set = append(n.Set, build.Set(&sql.Column{Name: name}, rows[0].Items[i]))
	}
	n.Columns = nil
	return n
}

// insertRows is rowsInto of an INSERT that may return what it writes.
func (g *generator) insertRows(t *table, n *sql.Insert, rows []*sql.Row) *sql.Insert {
	g.rowsInto(n, rows)
	n.Returning = g.returning(t)
	return n
}

// insertRow writes one row of VALUES under a key of its own, and keeps that.
func (g *generator) insertRow(t *table, key, vkey int64, own []string, sc *scope) *sql.Row {
	row := t.naming(build.Int(key), vkey)
	for _, c := range t.cols {
		if at := slices.Index(t.own, c); at >= 0 {
			c.holds(own[at])
			row = append(row, g.lit(own[at]))
			continue
		}
		value := g.insertValue(c, sc)
		if c.parent == t && g.beside("self-reference").IntN(4) == 0 { // the row refers to itself
			value = g.spelled(strconv.FormatInt(key, 10))
		}
		c.holds(value.lit)
		row = append(row, value.x)
	}
	if len(own) > 0 {
		t.keys[key] = own
	}
	return build.Row(row...)
}

// insertValue returns a value for column c in VALUES: a literal, NULL, or now and then a scalar subquery.
func (g *generator) insertValue(c *column, sc *scope) expr {
	switch given, ok := g.given[c]; {
	case ok:
		return g.spelled(given)
	case c.unique:
		return g.spelled(g.uniqueConst(c))
	case c.parent != nil:
		return g.spelled(g.reference(c))
	case !c.notNull && g.pct(10), c.notNull && g.wants("null-violation"):
		return g.spelled("NULL")
	case c.hasDefault && g.wants("default-value"):
		return g.spelled("DEFAULT")
	case c.special != nil:
		return g.spelled(g.specialValue(c))
	}
	lit := g.literal(c.fam, c.pool)
	if g.canRead(sc) && g.wants("values-many") {
		g.calm = false // VALUES is evaluated whatever the plan is
		e, ok := valMany(g, sc, c.fam, 1)
		if g.calm = true; ok && e.bound <= c.bound {
			return e
		}
	}
	if !g.pct(insertSubquery) || !g.canRead(sc) {
		return lit
	}
	e, ok := choose(g, scalarTable)(g, sc, c.fam, 1)
	if !ok || e.bound > c.bound {
		return lit
	}
	if c.notNull && !e.notNull {
		e.x, e.lit = build.Call("COALESCE", e.x, lit.x), ""
	}
	return e
}

func stmtInsertSelect(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	if len(t.fires) > 0 || len(t.heirs) > 0 { // what its triggers write the statement may not read
		return stmtInsertValues(g)
	}
	base, vkey := g.insertBase(), g.vkey()
	sc := &scope{}
	from := g.addBase(sc)
	r := sc.refs[0]
	outs := t.naming(r.shifted(base), vkey)
	for _, c := range t.cols {
		switch {
		case c.parent == t && g.chancy(t):
			outs = append(outs, build.Null())
		case !c.unique && !c.discerns:
			outs = append(outs, g.assign(c, sc).x)
		case !c.notNull && g.pct(40):
			outs = append(outs, build.Null())
		case c.fam == FamInt:
			outs = append(outs, r.shifted(base))
		default:
			outs = append(outs, build.Call("CONCAT", build.Text("x"), r.shifted(base)))
		}
	}
	q := build.Query(block(from, choose(g, insertWhere)(g, sc, g.o.Depth-1), build.Items(outs...)...))
	for i := range g.named {
		g.named[i] += base
	}
	t.pkeys = append(t.pkeys, g.named...)
	if g.pct(12) {
		q.Order, q.Limit = []*sql.Order{build.Order(r.pkey(), g.descends())}, limitOf(g.between(1, 5), 0)
	}
	g.wrote(t, g.named...)
	n := into(t)
	n.Source = q
	n.Returning = g.returning(t)
	return n
}
