package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// What some databases have in place of others' words: ON CONFLICT, and writes that read further
// tables by FROM and USING.

// arbiters are the keys of t that ON CONFLICT may name, by their columns.
func (t *table) arbiters() [][]string {
	var out [][]string
	if len(t.primary) > 0 {
		out = append(out, t.primary)
	}
	if t.pkeyIndex == "UNIQUE" {
		out = append(out, []string{"pkey"})
	}
	for _, c := range t.cols {
		if c.unique && !c.unnamed && !slices.Contains(t.own, c) {
			out = append(out, []string{c.name})
		}
	}
	if t.pair != nil {
		out = append(out, []string{t.pair[0].name, t.pair[1].name})
	}
	return out
}

// arbiter is one of them, as ON CONFLICT names it.
func (g *generator) arbiter(t *table) (target []*sql.Order) {
	for _, name := range oneOf(g, t.arbiters()) {
		target = append(target, build.Order(build.Column("", name), false))
	}
	return target
}

// stmtConflictUpdate is INSERT … ON CONFLICT … DO UPDATE.
func stmtConflictUpdate(g *generator) sql.Stmt {
	t := g.table()
	if g.inserts >= maxInserts || len(t.arbiters()) == 0 || t.defers {
		return stmtUpdate(g)
	}
	g.banned = t
	vkey, met := g.vkey(), metShare
	if t.shrinks { // a row deleted behind the snapshot would come to be again, beside the one that is still seen
		met = 0
	}
	t.stays = t.stays || met > 0
	rows, _ := g.values(t, vkey, choose(g, insertRows), met)
	c := &sql.OnConflict{Set: append(g.versionOf(t, "", t.name, vkey), g.newValues(t)...)}
	n := valuesOf(into(t), rows...)
	c.Target = g.arbiter(t)
	n.Conflicts = []*sql.OnConflict{c}
	return n
}

// stmtConflictNothing is INSERT … ON CONFLICT DO NOTHING, of any key or of one.
func stmtConflictNothing(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	if t.defers {
		return stmtUpdate(g)
	}
	g.banned = t
	g.careless = true
	rows, _ := g.values(t, g.vkey(), choose(g, insertRows), 0)
	c := &sql.OnConflict{}
	if len(t.arbiters()) > 0 && g.pct(40) {
		c.Target = g.arbiter(t)
	}
	n := valuesOf(into(t), rows...)
	n.Conflicts = []*sql.OnConflict{c}
	return n
}

// targetAnd draws a table to be written and one more to be read, and returns how they are joined.
func (g *generator) targetAnd() (sc *scope, other sql.TableRef, on sql.Expr) {
	a := g.table()
	g.banned = a
	sc = &scope{flat: true, refs: []*ref{{alias: a.name, base: a, cols: tableColumns(a)}}}
	other = g.addTable(sc, g.table())
	if g.pct(50) {
		return sc, other, build.Eq(sc.refs[0].pkey(), sc.refs[1].pkey())
	}
	return sc, other, g.joinOn(sc)
}

// stmtUpdateFrom is UPDATE … FROM. A row may be met with several rows of the other table: what a column gets depends on
// nothing but that column.
func stmtUpdateFrom(g *generator) sql.Stmt {
	if len(g.tables) < 2 {
		return stmtUpdate(g)
	}
	sc, from, on := g.targetAnd()
	t := sc.refs[0].base
	set := g.apartFrom(sc.refs[0], "")
	if len(set) == 0 {
		g.startStmt()
		return stmtUpdate(g)
	}
	n := &sql.Update{Table: build.Table(t.name, ""), Set: append(g.versionOf(t, "", t.name, g.vkey()), set...), From: from}
	n.Where = g.alsoWhere(on, sc)
	g.wrote(t, g.named...)
	return n
}

// stmtDeleteUsing is DELETE … USING.
func stmtDeleteUsing(g *generator) sql.Stmt {
	if len(g.tables) < 2 {
		return stmtDelete(g)
	}
	sc, using, on := g.targetAnd()
	t := sc.refs[0].base
	if t.stays {
		g.startStmt()
		return stmtUpdate(g)
	}
	t.shrinks = true
	n := &sql.Delete{Table: build.Table(t.name, ""), Using: using, Where: g.alsoWhere(on, sc)}
	g.wrote(t, g.named...)
	return n
}

// alsoWhere is a join's condition and one that several tables have.
func (g *generator) alsoWhere(on sql.Expr, sc *scope) sql.Expr {
	return build.All(on, build.Paren(g.severalWhere(sc)))
}
