package gen

import (
	"fmt"
	"slices"
	"strings"
)

// What PostgreSQL and those that follow it have in place of others' words: ON CONFLICT, and writes that read further tables
// by FROM and USING.

// arbiters are the keys of t that ON CONFLICT may name: its columns, as a list.
func (t *table) arbiters() []string {
	var out []string
	if len(t.primary) > 0 {
		out = append(out, strings.Join(t.primary, ", "))
	}
	if t.pkeyIndex == "UNIQUE" {
		out = append(out, "pkey")
	}
	for _, c := range t.cols {
		if c.unique && !c.unnamed && !slices.Contains(t.own, c) {
			out = append(out, c.name)
		}
	}
	if t.pair != nil {
		out = append(out, t.pair[0].name+", "+t.pair[1].name)
	}
	return out
}

// stmtConflictUpdate is INSERT … ON CONFLICT … DO UPDATE.
func stmtConflictUpdate(g *generator) string {
	t := g.table()
	arbiters := t.arbiters()
	if g.inserts >= maxInserts || len(arbiters) == 0 || t.defers {
		return stmtUpdate(g)
	}
	g.banned = t
	vkey, met := g.vkey(), metShare
	if t.shrinks { // a row deleted behind the snapshot would come to be again, beside the one that is still seen
		met = 0
	}
	t.stays = t.stays || met > 0
	rows, _ := g.values(t, vkey, choose(g, insertRows), met)
	set := g.versionOf(t, t.name, vkey)
	set = append(set, g.newValues(t, "%s = EXCLUDED.%s")...)
	return insertHead(t) + " VALUES " + strings.Join(rows, ", ") + " ON CONFLICT (" + oneOf(g, arbiters) + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// stmtConflictNothing is INSERT … ON CONFLICT DO NOTHING, of any key or of one.
func stmtConflictNothing(g *generator) string {
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
	key := ""
	if arbiters := t.arbiters(); len(arbiters) > 0 && g.pct(40) {
		key = " (" + oneOf(g, arbiters) + ")"
	}
	return insertHead(t) + " VALUES " + strings.Join(rows, ", ") + " ON CONFLICT" + key + " DO NOTHING"
}

// versionOf is version with the old version named by its table, where the statement has several.
func (g *generator) versionOf(t *table, name string, vkey int64) []string {
	if g.version(t, vkey) == nil {
		return nil
	}
	return []string{"pvkey = " + name + ".vkey", fmt.Sprintf("vkey = %d", vkey)}
}

// targetAnd draws a table to be written and one more to be read, and returns how they are joined.
func (g *generator) targetAnd() (sc *scope, other, on string) {
	a := g.table()
	g.banned = a
	sc = &scope{flat: true, refs: []*ref{{alias: a.name, base: a, cols: tableColumns(a)}}}
	other = g.addTable(sc, g.table())
	if g.pct(50) {
		return sc, other, fmt.Sprintf("%s.pkey = %s.pkey", sc.refs[0].alias, sc.refs[1].alias)
	}
	return sc, other, g.joinOn(sc)
}

// stmtUpdateFrom is UPDATE … FROM. A row may be met with several rows of the other table: what a column gets depends on
// nothing but that column.
func stmtUpdateFrom(g *generator) string {
	if len(g.tables) < 2 {
		return stmtUpdate(g)
	}
	sc, from, on := g.targetAnd()
	t := sc.refs[0].base
	var set []string
	for _, value := range g.apartFrom(sc.refs[0]) {
		set = append(set, strings.TrimPrefix(value, t.name+"."))
	}
	if len(set) == 0 {
		g.startStmt()
		return stmtUpdate(g)
	}
	set = append(g.versionOf(t, t.name, g.vkey()), set...)
	text := "UPDATE " + t.name + " SET " + strings.Join(set, ", ") + " FROM " + from + g.alsoWhere(on, sc)
	g.wrote(t, g.named...)
	return text
}

// stmtDeleteUsing is DELETE … USING.
func stmtDeleteUsing(g *generator) string {
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
	text := "DELETE FROM " + t.name + " USING " + using + g.alsoWhere(on, sc)
	g.wrote(t, g.named...)
	return text
}

// alsoWhere is a WHERE clause of a join's condition and one that several tables have.
func (g *generator) alsoWhere(on string, sc *scope) string {
	where := " WHERE " + on
	if more, ok := strings.CutPrefix(g.severalWhere(sc), " WHERE "); ok {
		where += " AND (" + more + ")"
	}
	return where
}
