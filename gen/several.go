package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Writes of several tables. A row can be met with several rows of the other table, and the order of assignments is not
// promised: so what a column gets depends on nothing but that column.

// severalBoth: such UPDATEs and DELETEs that write both tables, in percent. severalOuter: joins that are LEFT JOINs.
const (
	severalBoth  = 60
	severalOuter = 20
)

// twoTables draws two tables, joined under the names r0 and r1, and returns the text that joins them.
func (g *generator) twoTables() (sc *scope, text string) {
	a := g.table()
	g.banned = a
	b := g.table()
	sc = &scope{flat: true}
	text = g.addTable(sc, a)
	join := " INNER JOIN "
	if g.pct(severalOuter) {
		join = " LEFT JOIN "
	}
	text += join + g.addTable(sc, b)
	if g.pct(50) {
		return sc, text + fmt.Sprintf(" ON %s.pkey = %s.pkey", sc.refs[0].alias, sc.refs[1].alias)
	}
	return sc, text + " ON " + g.joinOn(sc)
}

// severalWhere returns a WHERE clause for two joined tables.
func (g *generator) severalWhere(sc *scope) string {
	switch g.between(0, 3) {
	case 0:
		return clause(wherePoint(g, sc, 0))
	case 1:
		return clause(whereRange(g, sc, 0))
	case 2:
		return clause(whereRange(g, sc, 0) + " AND " + g.predicate(sc, 1))
	}
	return clause(g.predicate(sc, 1))
}

// stmtUpdateSeveral is UPDATE of two joined tables, of which it writes one or both.
func stmtUpdateSeveral(g *generator) string {
	if len(g.tables) < 2 {
		return stmtUpdate(g)
	}
	sc, from := g.twoTables()
	vkey := g.vkey()
	var set []string
	var wrote []*table
	for _, r := range sc.refs {
		if len(wrote) > 0 && !g.pct(severalBoth) {
			continue
		}
		values := g.apartFrom(r)
		if len(values) == 0 {
			continue
		}
		wrote = append(wrote, r.base)
		if version := g.version(r.base, vkey); version != nil {
			set = append(set, fmt.Sprintf("%[1]s.pvkey = %[1]s.vkey", r.alias), fmt.Sprintf("%s.vkey = %d", r.alias, vkey))
		}
		set = append(set, values...)
	}
	if len(wrote) == 0 {
		g.startStmt()
		return stmtUpdate(g)
	}
	text := "UPDATE " + from + " SET " + strings.Join(set, ", ") + g.severalWhere(sc)
	for _, t := range wrote {
		g.wrote(t)
	}
	return text
}

// apartFrom returns assignments to columns of a reference that do not depend on any other column; none where it has no
// column that is in no key.
func (g *generator) apartFrom(r *ref) []string {
	var set []string
	for _, at := range g.rng.Perm(len(r.base.cols))[:g.between(1, min(2, len(r.base.cols)))] {
		c := r.base.cols[at]
		if c.unique || c.discerns || c.max != 0 || c.parent != nil || slices.Contains(r.base.own, c) || slices.Contains(r.base.pair, c) || r.base.inPrimary(c) {
			continue
		}
		set = append(set, r.alias+"."+c.name+" = "+g.apartValue(r, c))
	}
	return set
}

// apartValue returns what such an assignment gives a column: nothing that could be an error.
func (g *generator) apartValue(r *ref, c *column) string {
	switch {
	case c.special != nil:
		return oneOf(g, c.pool)
	case !c.notNull && g.pct(8):
		return "NULL"
	case c.hasDefault && g.wants("default-value"):
		return "DEFAULT"
	case c.fam <= FamDecimal && g.pct(50):
		return assignStep(g, c, &scope{flat: true, refs: []*ref{{alias: r.alias, base: r.base, cols: []*column{c}}}}).sql
	}
	return g.literal(c.fam, c.pool).sql
}

// inPrimary says whether a column is part of the table's primary key.
func (t *table) inPrimary(c *column) bool {
	return slices.ContainsFunc(t.primary, func(part string) bool { return strings.HasPrefix(part+" ", c.name+" ") })
}

// stmtDeleteSeveral is DELETE from two joined tables, from one or both. Where rows of one refer to rows of the other, the
// order in which they are deleted would decide whether it fails: then it deletes from one.
func stmtDeleteSeveral(g *generator) string {
	if len(g.tables) < 2 {
		return stmtDelete(g)
	}
	sc, from := g.twoTables()
	of := []string{sc.refs[0].alias}
	wrote := []*table{sc.refs[0].base}
	if !related(sc.refs[0].base, sc.refs[1].base) && g.pct(severalBoth) {
		of, wrote = append(of, sc.refs[1].alias), append(wrote, sc.refs[1].base)
	}
	if slices.ContainsFunc(wrote, g.chancy) {
		return stmtDelete(g)
	}
	text := "DELETE " + strings.Join(of, ", ") + " FROM " + from
	if g.pct(30) {
		text = "DELETE FROM " + strings.Join(of, ", ") + " USING " + from
	}
	text += g.severalWhere(sc)
	for _, t := range wrote {
		g.wrote(t)
	}
	return text
}
