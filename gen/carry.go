package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// Foreign keys that are checked by each statement: a row that others refer to goes, or gets another key, and they go
// with it, follow it or stand in its way. Of rows that are drawn without a look at who refers to them next to none
// does.

// Shares, in percent, of the statements of transactions that write, in cases with such a foreign key.
const (
	carryingStmts = 30 // with an action
	refusingStmts = 10 // with none: the statement fails
)

// debts are the foreign keys that are checked at once.
func (g *generator) debts() (keys []debt) {
	for _, t := range g.tables {
		for _, c := range t.cols {
			if c.parent != nil && !c.deferred && c.with == nil {
				keys = append(keys, debt{child: t, column: c})
			}
		}
	}
	return keys
}

// carry returns, in some places of a transaction, a statement that takes away a row which others refer to, or gives it
// another key; nil elsewhere.
func (g *generator) carry() sql.Stmt {
	keys := g.debts()
	if len(keys) == 0 || g.txn.alone {
		return nil
	}
	rng := g.beside("foreign-action")
	d := keys[rng.IntN(len(keys))]
	share := refusingStmts
	if d.column.action != (action{}) {
		share = carryingStmts
	}
	parent, key := d.column.parent, d.column.parentKey
	if rng.IntN(100) >= share || parent.rows == 0 || len(parent.heirs) > 0 || len(d.child.heirs) > 0 {
		return nil
	}
	second := d.second()
	moves := (key != parent.pkey || second != nil) && (rng.IntN(100) < 50 || d.column.action.onDelete == "")
	goes := !moves && (d.column.action.onDelete != "" || d.column.action == (action{}))
	if !moves && (!goes || !g.mayGo(parent) || !g.mayGo(d.child)) {
		return nil
	}
	pkey, ok := d.leave(g)
	if !ok {
		return nil
	}
	where := build.Eq(build.Column(parent.name, key.name), g.lit(d.key))
	g.wrote(parent, pkey)
	if !slices.Contains(g.txn.wrote, d.child) {
		g.txn.wrote = append(g.txn.wrote, d.child)
	}
	if moves && second != nil { // the other column that the key names changes
		to := g.another(second.parentKey, g.follows(second, d.key))
		return g.updateOf(parent, g.sets(second.parentKey, to), where)
	}
	if moves {
		to := g.freshValue(key)
		parent.moved(pkey, []string{to})
		return g.updateOf(parent, g.sets(key, to), where)
	}
	parent.shrinks = true
	parent.moved(pkey, nil)
	parent.gone[pkey] = true
	return g.deleteOf(parent, where)
}

// second is the other column of a foreign key of two, nil where it has one.
func (d *debt) second() *column {
	if at := slices.IndexFunc(d.child.cols, func(c *column) bool { return c.with == d.column }); at >= 0 {
		return d.child.cols[at]
	}
	return nil
}

// another returns a literal for a column of a row, another one than it holds where there is one.
func (g *generator) another(c *column, held string) string {
	rng := g.beside("composite-reference")
	value := "NULL"
	for tries := 0; tries < 4 && len(c.pool) > 0 && (value == "NULL" || value == held); tries++ {
		value = c.pool[rng.IntN(len(c.pool))]
	}
	if value == "NULL" && c.notNull || value == held || c.unique {
		value = g.freshValue(c)
	}
	c.holds(value)
	return value
}
