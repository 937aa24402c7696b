package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// Writes that meet rows which are there already.

// metShare is how many of the rows that such a write names are there already, in percent.
const metShare = 60

// metElsewhere is how many upserts of a table with unique columns meet rows by these, and not by their primary keys, in
// percent.
const metElsewhere = 40

// values returns n rows of VALUES for t and the pkeys that they name. met gives the share of pkeys that may be there.
func (g *generator) values(t *table, vkey int64, n, met int) (rows []*sql.Row, keys []int64) {
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
func stmtReplace(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	if g.form("or-ignore") {
		return oneOf(g, []stmtFunc{stmtUpsert, stmtUpsert, stmtInsertIgnore, stmtUpdateIgnore})(g)
	}
	t := g.table()
	if !g.d.TableForms.RowByRow && t.forgets() {
		return stmtUpdate(g)
	}
	g.banned = t
	rows, _ := g.values(t, g.vkey(), choose(g, insertRows), metShare)
	n := into(t)
	n.Replace = true
	return g.insertRows(t, n, rows)
}

// stmtUpsert is INSERT … ON DUPLICATE KEY UPDATE.
func stmtUpsert(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	g.banned = t
	vkey := g.vkey()
	met := metShare
	if slices.ContainsFunc(t.cols, func(c *column) bool { return c.unique }) && g.beside("met-elsewhere").IntN(100) <
		metElsewhere {
		g.careless, met = true, 0
	}
	conditional, n := g.form("upsert-where"), choose(g, insertRows)
	if conditional && g.pct(conditionalOne) {
		n = 1
	}
	rows, _ := g.values(t, vkey, n, met)
	set := append(g.version(t, vkey), g.newValues(t)...)
	head := g.rowsInto(into(t), rows)
	if g.d.WriteForms.Duplicate {
		head.Duplicate = set
		return head
	}
	c := &sql.OnConflict{Set: set}
	if conditional {
		c.Where = g.upsertWhere(t)
	}
	head.Conflicts = []*sql.OnConflict{c}
	return head
}

// newValue is what an upsert would have inserted into a column.
func (g *generator) newValue(c *column) sql.Expr {
	if g.d.WriteForms.Duplicate {
		return g.fill("VALUES(%s)", build.Column("", c.name))
	}
	return build.Column("excluded", c.name)
}

// newValues returns assignments to some columns of a row that an INSERT met.
func (g *generator) newValues(t *table) []*sql.Assign {
	sc := target(t)
	sc.flat = true
	var set []*sql.Assign
	for _, at := range g.rng.Perm(len(t.cols))[:g.between(1, min(3, len(t.cols)))] {
		c := t.cols[at]
		switch {
		case g.pct(50), slices.Contains(t.own, c), slices.Contains(t.pair, c):
			set = append(set, build.Set(build.Column("", c.name), g.newValue(c)))
		case c.unique:
			set = append(set, g.sets(c, g.uniqueConst(c)))
		default:
			set = append(set, build.Set(build.Column("", c.name), g.assign(c, sc).x))
		}
	}
	return set
}

// stmtInsertIgnore is INSERT IGNORE, whose rows meet others in unique columns.
func stmtInsertIgnore(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	g.banned = t
	g.careless = true
	rows, _ := g.values(t, g.vkey(), choose(g, insertRows), 0)
	n := into(t)
	n.Ignore, n.Or = g.ignoring()
	return g.rowsInto(n, rows)
}

// stmtUpdateIgnore is UPDATE IGNORE. Where it could pass over rows, it writes one: which ones it passes over depends on
// the order in which it meets them.
func stmtUpdateIgnore(g *generator) sql.Stmt {
	g.careless = true
	n := g.update()
	n.Ignore, n.Or = g.ignoring()
	return n
}

// stmtDeleteIgnore is DELETE IGNORE: rows that others refer to stay.
func stmtDeleteIgnore(g *generator) sql.Stmt {
	n := stmtDelete(g)
	switch n := n.(type) { // of a table that keeps its rows it is an UPDATE
	case *sql.Delete:
		n.Ignore = true
	}
	return n
}

// ignoring is how a write says that it passes over rows in its way: IGNORE, or OR IGNORE.
func (g *generator) ignoring() (ignore bool, or string) {
	if g.d.WriteForms.OrIgnore {
		return false, "IGNORE"
	}
	return true, ""
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
