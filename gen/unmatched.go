package gen

import (
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/build"
)

// Foreign keys that are checked when a transaction commits: a transaction owes a row that others of its refer to, and
// may write it later.

// Shares, in percent, of the statements of transactions that write, in cases with such a foreign key.
const (
	unmatchedStmts = 40 // of those that are not the last: they leave a row that refers to none
	paidEarly      = 30 // of those between that one and the last: they make up for it
	paidLast       = 85 // of the last: they do, if none has
	// of the last, where nothing is known to be owed and what others wrote may have left such rows: they do away with all
	// of these
	paidAll = 60
)

// debt is a row that refers to none, as far as the transaction that wrote it is concerned.
type debt struct {
	child  *table
	column *column
	key    string // that it refers to
	pkey   int64  // of the row which is to come and has that key; 0: none is
	gone   bool   // the row was there, and went
}

// owing are the columns by which the rows of tables refer to others, where that is checked at COMMIT.
func (g *generator) owing() (out []debt) {
	for _, t := range g.tables {
		for _, c := range t.cols {
			if c.deferred {
				out = append(out, debt{child: t, column: c})
			}
		}
	}
	return out
}

// owed says whether rows refer to those of a table by a foreign key that is checked at COMMIT.
func (g *generator) owed(t *table) bool {
	return slices.ContainsFunc(g.owing(), func(d debt) bool { return d.column.parent == t })
}

// owe returns, in some places of a transaction, a statement that leaves a row which refers to none, or one that makes
// up for that; nil elsewhere.
func (g *generator) owe() sql.Stmt {
	keys := g.owing()
	if len(keys) == 0 || g.txn.alone {
		return nil
	}
	rng := g.beside("deferred-key")
	pct := func(p int) bool { return rng.IntN(100) < p }
	at := slices.IndexFunc(keys, func(d debt) bool {
		return slices.Contains(g.txn.wrote, d.child) || slices.Contains(g.txn.wrote, d.column.parent)
	})
	last := g.txn.left == 1
	switch d := g.txn.owes; {
	case d != nil && (!last && pct(paidEarly) || last && pct(paidLast)):
		g.txn.owes = nil
		return g.pay(d)
	case d != nil:
	case last && at >= 0 && pct(paidAll):
		return g.payAll(&keys[at])
	case !last && pct(unmatchedStmts):
		d := keys[rng.IntN(len(keys))]
		return g.borrow(&d)
	}
	return nil
}

// borrow returns a statement that leaves a row which refers to none.
func (g *generator) borrow(d *debt) sql.Stmt {
	parent := d.column.parent
	rng := g.beside("deferred-key")
	switch n := rng.IntN(100); {
	case n < 35 && g.mayGo(parent) && parent.rows > 0: // the row that others may refer to goes
		pkey, ok := d.leave(g)
		if !ok {
			return nil
		}
		parent.shrinks = true
		parent.moved(pkey, nil)
		parent.gone[pkey] = true
		g.wrote(parent, pkey)
		g.txn.owes = d
		return g.deleteOf(parent, build.Eq(build.Column(parent.name, d.column.parentKey.name), g.lit(d.key)))
	case g.inserts+2 > maxInserts || len(parent.heirs) > 0 || len(d.child.heirs) > 0:
		return nil
	case n < 50 && d.spoiler() != nil: // two rows come, of which the second fails, and so the first is none, too
		d.promise(g)
		base, vkey := g.insertBase(), g.vkey()
		first := g.keyedRow(d.child, base+1, vkey, nil, map[*column]string{d.column: d.key})
		return valuesOf(into(d.child), first, g.keyedRow(d.child, base+2, vkey, nil, map[*column]string{d.spoiler(): "NULL"}))
	case n < 85 || d.child.rows == 0: // a row comes before the one that it refers to
		d.promise(g)
		return g.insertKeyed(d.child, g.insertBase()+1, nil, map[*column]string{d.column: d.key})
	}
	d.promise(g) // a row comes to refer to one that is to come
	pkey := d.child.pkeys[rng.IntN(d.child.rows)]
	g.wrote(d.child, pkey)
	return g.updateOf(d.child, g.sets(d.column, d.key), build.Eq(build.Column(d.child.name, "pkey"), build.Int(pkey)))
}

// spoiler is a column in which NULL makes a row fail; nil where there is none.
func (d *debt) spoiler() *column {
	at := slices.IndexFunc(d.child.cols, func(c *column) bool {
		return c.notNull && !slices.Contains(d.child.own, c) && c != d.column
	})
	if at < 0 {
		return nil
	}
	return d.child.cols[at]
}

// leave chooses a row that others refer to, mostly, and says which one it is; false where its key is not known.
func (d *debt) leave(g *generator) (pkey int64, ok bool) {
	parent, rng := d.column.parent, g.beside("deferred-key")
	of := func(pkey int64) string { // the key of a row
		if key := parent.keyOf(pkey); d.column.parentKey == parent.pkey {
			return strconv.FormatInt(pkey, 10)
		} else if key != nil {
			return key[0]
		}
		return ""
	}
	rows := parent.pkeys[:parent.rows]
	if referred := slices.DeleteFunc(slices.Clone(rows), func(p int64) bool {
		return !slices.Contains(d.column.held, of(p))
	}); len(referred) > 0 && rng.IntN(100) < 80 {
		rows = referred
	}
	pkey = rows[rng.IntN(len(rows))]
	d.key, d.gone = of(pkey), true
	return pkey, d.key != ""
}

// promise chooses the key of a row that is to come.
func (d *debt) promise(g *generator) {
	d.pkey = g.insertBase() + 1
	if d.key = strconv.FormatInt(d.pkey, 10); d.column.parentKey != d.column.parent.pkey {
		d.key = g.freshValue(d.column.parentKey)
	}
	g.txn.owes = d
}

// insertKeyed is an INSERT of one row; see keyedRow.
func (g *generator) insertKeyed(t *table, pkey int64, own []string, values map[*column]string) sql.Stmt {
	return valuesOf(into(t), g.keyedRow(t, pkey, g.vkey(), own, values))
}

// keyedRow is one row of VALUES with a pkey, a key of its own where its table has one (nil: any) and values of columns.
func (g *generator) keyedRow(t *table, pkey, vkey int64, own []string, values map[*column]string) *sql.Row {
	g.banned, g.given = t, values
	defer func() { g.given = nil }()
	if own == nil {
		own = g.newKey(t)
	}
	row := g.insertRow(t, pkey, vkey, own, &scope{flat: len(t.fires) > 0})
	t.pkeys, t.hot = append(t.pkeys, pkey), append(t.hot, pkey)
	g.wrote(t, pkey)
	return row
}

// pay returns a statement that makes up for a debt: the row comes that others refer to, or they refer to it no more.
func (g *generator) pay(d *debt) sql.Stmt {
	parent, rng := d.column.parent, g.beside("deferred-key")
	known := d.column.parentKey == parent.pkey
	switch {
	case d.pkey != 0 && rng.IntN(100) < 75:
		own := []string{d.key}
		if known {
			own = nil
		}
		return g.insertKeyed(parent, d.pkey, own, nil)
	case d.gone && !known && g.inserts < maxInserts && len(parent.heirs) == 0 && rng.IntN(100) < 40:
		// the same key in another row
		return g.insertKeyed(parent, g.insertBase()+1, []string{d.key}, nil)
	}
	where := build.Eq(build.Column(d.child.name, d.column.name), g.lit(d.key))
	g.wrote(d.child)
	if !g.mayGo(d.child) || rng.IntN(100) < 50 {
		to := "NULL"
		if d.column.parent.rows > 0 && rng.IntN(100) < 50 {
			to = g.initialReference(d.column)
		}
		return g.updateOf(d.child, g.sets(d.column, to), where)
	}
	d.child.shrinks = true
	return g.deleteOf(d.child, where)
}

// mayGo says whether rows of a table may be deleted.
func (g *generator) mayGo(t *table) bool { return !t.stays && has(g, statementTable, "delete") }

// payAll returns a statement that does away with all rows which refer to none.
func (g *generator) payAll(d *debt) sql.Stmt {
	parent := d.column.parent
	keys := build.Query(block(build.Table(parent.name, "r0"), nil,
		build.Item(build.Column("r0", d.column.parentKey.name), "")))
	where := build.InQuery(build.Column(d.child.name, d.column.name), true, keys)
	g.wrote(d.child)
	if !g.mayGo(d.child) || g.beside("deferred-key").IntN(100) < 60 {
		return g.updateOf(d.child, g.sets(d.column, "NULL"), where)
	}
	d.child.shrinks = true
	return g.deleteOf(d.child, where)
}

// updateOf is an UPDATE of one column of the rows that a condition finds.
func (g *generator) updateOf(t *table, set *sql.Assign, where sql.Expr) sql.Stmt {
	return &sql.Update{Table: build.Table(t.name, ""), Set: append(g.newVersion(t), set), Where: where}
}

// deleteOf is a DELETE of the rows that a condition finds.
func (g *generator) deleteOf(t *table, where sql.Expr) sql.Stmt {
	return &sql.Delete{Table: build.Table(t.name, ""), Where: where}
}
