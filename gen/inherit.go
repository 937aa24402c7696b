package gen

import (
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// Tables that inherit from another one: the rows of all of them are its rows. Which of them has a row its pkey says, so
// that no two have rows with the same one: a key of one says nothing of the others' rows.

// Shares, in percent: heirReads are the references to such a table that read ONLY its own rows or those of one that
// inherits; heirWrites the UPDATEs and DELETEs of ONLY its own; heirKeyed the tables that inherit, and need no key,
// which have one.
const (
	heirReads  = 25
	heirWrites = 15
	heirKeyed  = 50
)

// inherit draws whether others inherit from t. It returns what says which rows t has itself, and the statements that
// make the others; nil where t has none.
func (g *generator) inherit(t *table) (own sql.Constraint, heirs []testcase.Stmt) {
	if !g.wants("inherited") {
		return nil, nil
	}
	delete(g.uses, "inherited")
	keyed := len(t.primary) == 0 || slices.Contains(t.primary, "pkey")
	if !keyed || t.refers() || t.pair != nil || t.versioned || slices.ContainsFunc(t.cols, func(c *column) bool {
		return c.unique && !slices.Contains(t.own, c)
	}) {
		return nil, nil
	}
	g.uses["inherited"] = true
	rng := g.beside("inherited")
	n := 2 + rng.IntN(2)
	t.heirs, t.partitioned, t.parted, t.defers = []string{t.name}, true, true, true
	named := slices.Equal(t.primary, []string{"pkey"}) || t.pkeyIndex == "UNIQUE"
	for i := 1; i < n; i++ {
		name := fmt.Sprintf("%s_h%d", t.name, i)
		heir := &sql.CreateTable{Name: object(name), Constraints: []sql.Constraint{checkRemainder(n, i)},
			Inherits: []*sql.Object{object(t.name)}}
		if named || rng.IntN(100) < heirKeyed {
			heir.Constraints = append(heir.Constraints, &sql.PrimaryKey{Columns: g.keyParts("pkey")})
		}
		t.heirs = append(t.heirs, name)
		heirs = append(heirs, g.finished(heir))
		if indexed := t.indexed(); len(indexed) > 0 && rng.IntN(2) == 0 {
			if c := indexed[rng.IntN(len(indexed))]; c.special == nil {
				heirs = append(heirs, g.finished(&sql.CreateIndex{Name: object(name + "_i0"), Table: object(name),
					Columns: g.keyParts(c.name)}))
			}
		}
	}
	check := checkRemainder(n, 0)
	check.Enforced = "NO INHERIT"
	return check, heirs
}

// heirKeys returns the first of the keys from base on that an INSERT gives its rows, and how far apart they are: all of
// them lie in one table, where others inherit from t.
func (g *generator) heirKeys(t *table, base int64) (first, step int64) {
	if len(t.heirs) == 0 {
		return base, 1
	}
	return base + g.beside("inherited").Int64N(int64(len(t.heirs))), int64(len(t.heirs))
}

// intoPartOf is into of the table that has the row with a pkey.
func intoPartOf(t *table, pkey int64) *sql.Insert {
	head := into(t)
	if n := int64(len(t.heirs)); n > 0 {
		head.Table = build.Table(t.heirs[pkey%n], "")
	}
	return head
}

// written is the table of an UPDATE or a DELETE, of which some leave the rows of tables that inherit alone.
func (g *generator) written(t *table) *sql.Table {
	n := build.Table(t.name, "")
	n.Only = len(t.heirs) > 0 && g.beside("inherited").IntN(100) < heirWrites
	return n
}

// heirRead draws a table of which the rows of one alone are read; nil where a reference is as usual.
func (g *generator) heirRead() *table {
	fit := slices.DeleteFunc(slices.Clone(g.tables), func(t *table) bool { return len(t.heirs) == 0 || t == g.banned })
	if len(fit) == 0 || g.refs <= 0 || g.beside("inherited").IntN(100) >= heirReads*len(fit)/len(g.tables) {
		return nil
	}
	return fit[g.beside("inherited").IntN(len(fit))]
}

// sourceHeir reads the rows of one of them.
func (g *generator) sourceHeir(sc *scope, t *table) sql.TableRef {
	at := g.beside("inherited").IntN(len(t.heirs))
	g.refs--
	r := &ref{alias: g.newAlias(), cols: tableColumns(t)}
	sc.refs = append(sc.refs, r)
	from := build.Table(t.heirs[at], r.alias)
	from.Only = at == 0
	return from
}
