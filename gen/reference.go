package gen

import (
	"slices"
	"strconv"

	"txweave/sql"
)

// Foreign keys.

// action is what a foreign key does where a row that others refer to goes, or gets another key, "": what it does by
// itself; and when it is checked.
type action struct{ onDelete, onUpdate, deferrable string }

// referenceTable weighs what a foreign key does to the rows that refer to one which goes or gets another key.
var referenceTable = []production[action]{
	{"no-action", 50, action{}, about{apart: true, what: "nothing: the statement fails", covers: "fk (no cascade)"}},
	{"delete-cascade", 18, action{onDelete: "CASCADE"}, about{apart: true, what: "they go, too",
		covers: "fk cascade; fk-cascade", needs: CanCascade}},
	{"delete-set-null", 18, action{onDelete: "SET NULL"}, about{apart: true, what: "they refer to none",
		covers: "fk cascade; fk-cascade", needs: CanCascade}},
	{"update-cascade", 12, action{onUpdate: "CASCADE"}, about{apart: true, what: "they get its new key",
		covers: "fk cascade; fk-cascade", needs: CanCascade}},
	{"all-cascade", 12, action{onDelete: "CASCADE", onUpdate: "CASCADE"}, about{apart: true, what: "both",
		covers: "fk cascade; fk-cascade", needs: CanCascade}},
	{"update-set-null", 12, action{onDelete: "CASCADE", onUpdate: "SET NULL"},
		about{apart: true, what: "they go with it, and refer to none where its key changes", covers: "fk cascade; fk-cascade",
			needs: CanCascade}},
}

// referredKey returns the column by which other tables may refer to rows of t; nil where there is none.
func (g *generator) referredKey(t *table) *column {
	var keys []*column
	if t.pkeyIndex == "UNIQUE" || slices.Equal(t.primary, []string{"pkey"}) {
		keys = append(keys, t.pkey)
	}
	if len(t.own) == 1 && t.primary[0] == t.own[0].name && t.own[0].special == nil { // neither descending nor a prefix
		keys = append(keys, t.own[0])
	}
	if len(keys) == 0 || t.partitioned || t.versioned {
		return nil
	}
	return keys[g.beside("foreign-key").IntN(len(keys))]
}

// foreignKey adds a column to t that refers to a key of an earlier table, and returns its definition and the
// constraint's; nil where no table can be referred to.
func (g *generator) foreignKey(t *table) (def *sql.ColumnDef, constraint sql.Constraint) {
	var parents []*table
	var keys []*column
	for _, p := range g.tables {
		if key := g.referredKey(p); p != t && key != nil {
			parents, keys = append(parents, p), append(keys, key)
		}
	}
	if len(parents) == 0 {
		return nil, nil
	}
	at := g.rng.IntN(len(parents))
	p, key := parents[at], keys[at]
	deferred, act := g.wants("deferred-key"), oneOf(g, []action{{}, {}, {onDelete: "RESTRICT"}, {onUpdate: "NO ACTION"}})
	var does action
	if !deferred {
		does = choose(g, referenceTable)
	}
	if own := slices.IndexFunc(keys, func(k *column) bool { return k.name != "pkey" }); does.onUpdate != "" &&
		key == p.pkey && own >= 0 {
		// no row gets another pkey
		p, key = parents[own], keys[own]
	}
	c := &column{name: "f0", kind: key.kind, fam: key.fam, decl: key.decl, bound: key.bound, indexed: true, parent: p,
		parentKey: key}
	if key == p.pkey {
		c.decl = g.d.TableForms.PkeyType
	}
	t.cols = append(t.cols, c)
	if c.deferred, c.action = deferred, does; deferred {
		act = action{deferrable: "DEFERRABLE INITIALLY DEFERRED"}
	} else if does != (action{}) {
		act = does
	}
	return g.defined(c.name, c.decl), refers([]string{c.name}, p, []string{key.name}, act)
}

// compositeReference adds two columns to t that refer to the pkey of an earlier table and another column of its, of
// which the two get a unique index. It returns their definitions and the constraint's; "" where no table can be
// referred to.
func (g *generator) compositeReference(t *table) (defs []*sql.ColumnDef, constraint sql.Constraint) {
	rng := g.beside("composite-reference")
	var fit []*column // by its place the table of parents
	var parents []*table
	for _, p := range g.tables {
		if p == t || p.partitioned || p.versioned || p.refers() {
			continue
		}
		for _, c := range p.cols {
			if c.special == nil && c.keyable() && (c.fam == FamInt || c.fam == FamString) && !c.discerns &&
				!slices.Contains(p.own, c) && !slices.Contains(p.pair, c) {
				fit, parents = append(fit, c), append(parents, p)
			}
		}
	}
	if len(fit) == 0 {
		return nil, nil
	}
	at := rng.IntN(len(fit))
	p, key := parents[at], fit[at]
	does := choose(g, referenceTable)
	first := &column{name: "f2", kind: p.pkey.kind, fam: p.pkey.fam, decl: g.d.TableForms.PkeyType, bound: p.pkey.bound,
		indexed: true, parent: p, parentKey: p.pkey, action: does}
	second := &column{name: "f3", kind: key.kind, fam: key.fam, decl: key.decl, bound: key.bound, parent: p,
		parentKey: key, with: first}
	t.cols = append(t.cols, first, second)
	index := p.name + "_r_" + t.name
	p.indexes = append(p.indexes, index)
	g.before = append(g.before, g.finished(&sql.CreateIndex{Unique: true, Name: object(index), Table: object(p.name),
		Columns: g.keyParts("pkey", key.name)}))
	return []*sql.ColumnDef{g.defined("f2", first.decl), g.defined("f3", second.decl)}, refers([]string{"f2", "f3"}, p,
		[]string{"pkey", key.name}, does)
}

// following returns the second values of a foreign key of two columns: those of the rows that have the first ones.
func (g *generator) following(c *column, firsts []string) []string {
	out := make([]string, len(firsts))
	for i, first := range firsts {
		out[i] = g.follows(c, first)
	}
	return out
}

// follows returns what a parent's initial row with a pkey holds in the other column; any value where there is no such
// row.
func (g *generator) follows(c *column, pkey string) string {
	for i, value := range c.parentKey.rows {
		if pkey == strconv.FormatInt(c.parent.pkeys[i], 10) {
			return value
		}
	}
	if pkey == "NULL" && len(c.parentKey.pool) > 0 {
		return c.parentKey.pool[g.beside("composite-reference").IntN(len(c.parentKey.pool))]
	}
	return "NULL"
}

// selfReference adds a column to t that refers to its own pkey, and returns its definition and the constraint's; nil
// where pkey is not a key by itself. No such key is ON DELETE CASCADE: how many rows a DELETE counts would be up to
// which of them it comes to first.
func (g *generator) selfReference(t *table) (def *sql.ColumnDef, constraint sql.Constraint) {
	if t.pkeyIndex != "UNIQUE" && !slices.Equal(t.primary, []string{"pkey"}) {
		return nil, nil
	}
	var does action
	if g.baseWeight(&about{needs: CanCascade}, "delete-set-null", 1) > 0 && g.beside("self-reference").IntN(100) <
		setNullShare {
		does.onDelete = "SET NULL"
	}
	c := &column{name: "f1", kind: t.pkey.kind, fam: t.pkey.fam, decl: g.d.TableForms.PkeyType, bound: t.pkey.bound,
		indexed: true,
		parent:  t, parentKey: t.pkey, action: does}
	t.cols = append(t.cols, c)
	return g.defined(c.name, c.decl), refers([]string{"f1"}, t, []string{"pkey"}, does)
}

// setNullShare is how many, in percent, of the foreign keys to the table itself are ON DELETE SET NULL.
const setNullShare = 35

// ownReference returns the key of an initial row of the table itself that is there before row i, or of row i, or NULL.
func (g *generator) ownReference(c *column, i int) string {
	rng := g.beside("self-reference")
	switch n := rng.IntN(100); {
	case n < 15:
		return "NULL"
	case n < 30 || i == 0:
		return strconv.FormatInt(c.parent.pkeys[i], 10)
	}
	return strconv.FormatInt(c.parent.pkeys[rng.IntN(i)], 10)
}

// chancy says whether which row of the table comes first may decide whether a statement that takes several away, or
// adds them from a query, fails.
func (g *generator) chancy(t *table) bool {
	owns := func(t *table) bool {
		return slices.ContainsFunc(t.cols, func(c *column) bool { return c.parent == t })
	}
	return g.d.TableForms.RowByRow && (owns(t) || slices.ContainsFunc(g.tables, func(child *table) bool {
		// whose rows go with those of t
		return owns(child) && slices.ContainsFunc(child.cols, func(c *column) bool {
			return c.parent == t && c.action.onDelete == "CASCADE"
		})
	}))
}

// forgets says whether the table has a foreign key to itself that a known bug forgets to check in a REPLACE: each
// campaign would find that and little else.
func (t *table) forgets() bool {
	return slices.ContainsFunc(t.cols, func(c *column) bool { return c.parent == t && c.action != (action{}) })
}

// refers says whether a table has a foreign key.
func (t *table) refers() bool {
	return slices.ContainsFunc(t.cols, func(c *column) bool { return c.parent != nil })
}

// owns says whether a column is one of the table's.
func (t *table) owns(c *column) bool { return slices.Contains(t.cols, c) }

// reference returns a value of a foreign key's column: mostly a key of the parent.
func (g *generator) reference(c *column) string {
	switch {
	case c.with != nil && c.with.last != "":
		return g.follows(c, c.with.last)
	case g.pct(12):
		return "NULL"
	case c.parentKey != c.parent.pkey:
		return oneOf(g, c.parentKey.pool)
	case g.pct(8):
		return strconv.Itoa(-g.between(1, 9)) // no row has it
	}
	c.last = strconv.FormatInt(oneOf(g, c.parent.pkeys), 10)
	return c.last
}

// initialReference returns a key of an initial row of the parent, which is filled before, or NULL.
func (g *generator) initialReference(c *column) string {
	switch {
	case c.parent.rows == 0 || g.pct(12):
		return "NULL"
	case c.parentKey != c.parent.pkey:
		return oneOf(g, c.parentKey.pool)
	}
	return strconv.FormatInt(oneOf(g, c.parent.pkeys[:c.parent.rows]), 10)
}

// related says whether rows of two tables refer to each other, or to the same third table, through further ones or not.
func related(a, b *table) bool {
	roots := func(t *table) []*table {
		out := []*table{t}
		for i := 0; i < len(out); i++ {
			for _, c := range out[i].cols {
				if c.parent != nil && !slices.Contains(out, c.parent) {
					out = append(out, c.parent)
				}
			}
		}
		return out
	}
	others := roots(b)
	return slices.ContainsFunc(roots(a), func(t *table) bool { return slices.Contains(others, t) })
}
