package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Writes that meet rows which are there already.

// metShare is how many of the rows that such a write names are there already, in percent.
const metShare = 60

// metElsewhere is how many upserts of a table with unique columns meet rows by these, and not by their primary keys, in percent.
const metElsewhere = 40

// values returns n rows of VALUES for t and the pkeys that they name. met gives the share of pkeys that may be there.
func (g *generator) values(t *table, vkey int64, n, met int) (rows []string, keys []int64) {
	sc := &scope{flat: len(t.fires) > 0}
	base := int64(0)
	for range n {
		var key int64
		meets := len(t.met) > 0 && g.pct(met)
		if meets && slices.Equal(t.primary, []string{"pkey"}) {
			key = oneOf(g, t.met)
		} else {
			if base == 0 {
				base = g.insertBase()
			}
			base++
			key = base
		}
		keys = append(keys, key)
		own := g.newKey(t)
		if k := t.keyOf(oneOf(g, t.pkeys)); meets && k != nil {
			own = slices.Clone(k)
		}
		rows = append(rows, g.insertRow(t, key, vkey, own, sc))
	}
	t.pkeys = append(t.pkeys, keys...)
	if met > 0 {
		t.met = append(t.met, keys...)
	}
	g.wrote(t, keys...)
	return rows, keys
}

// stmtReplace is REPLACE, of rows that are there and of others.
func stmtReplace(g *generator) string {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	if g.form("or-ignore") {
		return oneOf(g, []stmtFunc{stmtUpsert, stmtUpsert, stmtInsertIgnore, stmtUpdateIgnore})(g)
	}
	t := g.table()
	if !g.d.RowByRow && t.forgets() {
		return stmtUpdate(g)
	}
	g.banned = t
	rows, _ := g.values(t, g.vkey(), choose(g, insertRows), metShare)
	return g.insertRows(strings.Replace(insertHead(t), "INSERT", "REPLACE", 1), rows) + g.returning(t)
}

// stmtUpsert is INSERT … ON DUPLICATE KEY UPDATE.
func stmtUpsert(g *generator) string {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	g.banned = t
	vkey := g.vkey()
	met := metShare
	if slices.ContainsFunc(t.cols, func(c *column) bool { return c.unique }) && g.beside("met-elsewhere").IntN(100) < metElsewhere {
		g.careless, met = true, 0
	}
	conditional, n := g.form("upsert-where"), choose(g, insertRows)
	if conditional && g.pct(conditionalOne) {
		n = 1
	}
	rows, _ := g.values(t, vkey, n, met)
	set := g.version(t, vkey)
	set = append(set, g.newValues(t, "%s = "+g.d.NewValue)...)
	text := g.insertRows(insertHead(t), rows) + g.d.OnConflict + strings.Join(set, ", ")
	if conditional {
		text += g.upsertWhere(t)
	}
	return text
}

// newValues returns assignments to some columns of a row that an INSERT met; same gives a column the value that was to be inserted.
func (g *generator) newValues(t *table, same string) []string {
	sc := target(t)
	sc.flat = true
	var set []string
	for _, at := range g.rng.Perm(len(t.cols))[:g.between(1, min(3, len(t.cols)))] {
		c := t.cols[at]
		switch {
		case g.pct(50), slices.Contains(t.own, c), slices.Contains(t.pair, c):
			set = append(set, fmt.Sprintf(same, c.name, c.name))
		case c.unique:
			set = append(set, c.name+" = "+g.uniqueConst(c))
		default:
			set = append(set, c.name+" = "+g.assign(c, sc))
		}
	}
	return set
}

// stmtInsertIgnore is INSERT IGNORE, whose rows meet others in unique columns.
func stmtInsertIgnore(g *generator) string {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	g.banned = t
	g.careless = true
	rows, _ := g.values(t, g.vkey(), choose(g, insertRows), 0)
	return g.insertRows(strings.Replace(insertHead(t), "INSERT", "INSERT "+g.d.Ignore, 1), rows)
}

// stmtUpdateIgnore is UPDATE IGNORE. Where it could pass over rows, it writes one: which ones it passes over depends on
// the order in which it meets them.
func stmtUpdateIgnore(g *generator) string {
	g.careless = true
	return strings.Replace(stmtUpdate(g), "UPDATE ", "UPDATE "+g.d.Ignore+" ", 1)
}

// stmtDeleteIgnore is DELETE IGNORE: rows that others refer to stay.
func stmtDeleteIgnore(g *generator) string {
	return strings.Replace(stmtDelete(g), "DELETE ", "DELETE IGNORE ", 1)
}

// duplicate is how often a value of a unique column probably exists already, in percent.
func (g *generator) duplicate() int {
	switch {
	case g.careless:
		return metShare
	case g.undoing:
		return undoingDuplicates
	}
	return duplicateShare
}
