package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// keyFunc chooses the columns of a table's primary key; false where the table has none that do.
type keyFunc func(g *generator, t *table) bool

// movingKey is what a key that rows may leave and take again brings.
const movingKey = "UPDATE of primary key;reuse of primary key;duplicate primary key insert;g:pk-update;g:pk-reuse;g:dup-pk-insert"

// keyTable weighs the primary keys. A row is named by pkey, whatever its key is.
var keyTable = []production[keyFunc]{
	{"key-pkey", 64, keyPkey, about{what: "pkey"}},
	{"key-column", 18, keyColumn, about{what: "one column, numbers or strings", covers: movingKey + ";g:string-pk"}},
	{"key-composite", 16, keyComposite, about{what: "several columns, none of which tells rows apart alone",
		covers: movingKey + ";non-BIGINT or composite PK;g:composite-pk"}},
	{"key-and-pkey", 14, keyAndPkey, about{what: "a column and pkey: rows move, and no two are alike",
		covers: "UPDATE of primary key;non-BIGINT or composite PK;g:pk-update;g:composite-pk"}},
	{"key-prefix", 6, keyPrefix, about{what: "the first characters of a column",
		covers: movingKey + ";prefix index;g:string-pk"}},
	{"key-none", 10, keyNone, about{what: "none: the engine numbers the rows",
		covers: "no primary key / hidden rowid;g:no-pk;g:nonclustered-pk"}},
}

// Shares of what concerns keys, in percent.
const (
	// keyUpdateShare: UPDATEs of tables with a key of their own that give rows another key.
	keyUpdateShare = 22
	// shiftShare: those of them that move many rows by a number.
	shiftShare = 20
	// freedShare: new keys that a row had before which was moved or deleted. takenShare: those that one still has.
	freedShare = 40
	takenShare = 8
	// ownShare: points and ranges that are found by the table's own key rather than by pkey.
	ownShare = 60
	// withoutNumberShare: tables with a primary key that the engine does not number as well, where the dialect has such.
	withoutNumberShare = 35
)

// versionOptions are what leaves rows without a version of their own: their contents are their versions then.
var versionOptions = []entry{
	{"no-version-key", 8, about{what: "tables without vkey and pvkey", needs: CanCompare}},
	{"no-op-update", 25, about{what: "UPDATEs, in such cases, that leave rows as they are",
		covers: "no-op UPDATE;g:noop-update", needs: CanCompare}},
}

// blindShare: UPDATEs of such cases that give rows no version of their own, in percent.
const blindShare = 40

// prefixLength is how many characters a prefix key holds: more than any value that is made up to differ has.
const prefixLength = 12

func keyPkey(_ *generator, t *table) bool {
	t.primary = []string{"pkey"}
	return true
}

func keyNone(g *generator, t *table) bool {
	switch g.between(0, 3) {
	case 0:
		t.pkeyIndex = "INDEX"
	case 1:
		t.pkeyIndex = "UNIQUE"
	}
	return true
}

// among returns a column of one of the kinds, nil where there is none.
func (g *generator) among(t *table, ok func(*column) bool) *column {
	fit := slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return c.special != nil || !ok(c) })
	if len(fit) == 0 {
		return nil
	}
	return oneOf(g, fit)
}

func isNumber(c *column) bool { return c.kind == KindInt || c.kind == KindBigint }

// distinct makes a column one whose values differ.
func (g *generator) distinct(c *column) {
	c.notNull, c.unique = true, true
	if c.fam == FamInt {
		c.bound = pkeyBound
	}
}

func keyColumn(g *generator, t *table) bool {
	c := g.among(t, func(c *column) bool { return isNumber(c) || c.kind == KindVarchar })
	if c == nil {
		return false
	}
	g.distinct(c)
	if isNumber(c) && g.d.TableForms.RowNumber != "" && g.pct(50) {
		c.decl, c.rowNumber = g.d.TableForms.RowNumber, true
	}
	t.own, t.primary = []*column{c}, []string{c.name + g.keyDirection()}
	if c.rowNumber {
		t.primary = []string{c.name}
	}
	g.indexPkey(t)
	return true
}

func keyPrefix(g *generator, t *table) bool {
	c := g.among(t, func(c *column) bool { return c.fam == FamString })
	if c == nil || g.d.TableForms.TextPrefix == "" {
		return false
	}
	g.distinct(c)
	t.own, t.primary = []*column{c}, []string{fmt.Sprintf("%s(%d)", c.name, prefixLength)}
	g.indexPkey(t)
	return true
}

func keyComposite(g *generator, t *table) bool {
	last := g.among(t, isNumber)
	if last == nil || len(t.cols) < 2 {
		return false
	}
	last.discerns, last.bound = true, pkeyBound
	for _, at := range g.rng.Perm(len(t.cols)) {
		if c := t.cols[at]; c != last && c.keyable() && len(t.own) < 2 {
			t.own = append(t.own, c)
		}
	}
	if len(t.own) == 0 {
		last.discerns = false
		return false
	}
	t.own = append(t.own[:g.between(1, len(t.own))], last)
	if g.pct(30) {
		slices.Reverse(t.own)
	}
	for _, c := range t.own {
		c.notNull = true
		t.primary = append(t.primary, c.name+g.keyDirection())
	}
	t.own[0].indexed = true
	g.indexPkey(t)
	return true
}

func keyAndPkey(g *generator, t *table) bool {
	fit := slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return !c.keyable() })
	if len(fit) == 0 {
		return false
	}
	c := oneOf(g, fit)
	c.notNull, c.indexed = true, true
	t.primary = []string{c.name + g.keyDirection(), "pkey"}
	if g.pct(25) {
		slices.Reverse(t.primary)
	}
	return true
}

// keyable says whether the values of a column can be told apart as the key tells them.
func (c *column) keyable() bool {
	if c.special != nil {
		return c.special.Key
	}
	return c.kind != KindText && c.fam != FamDouble
}

// keyDirection returns " DESC" now and then, where the dialect reads backwards.
func (g *generator) keyDirection() string {
	if !g.ascending && !g.d.TableForms.PlainKey && g.pct(15) {
		return " DESC"
	}
	return ""
}

// indexPkey gives pkey an index of its own, in most of the tables with another key.
func (g *generator) indexPkey(t *table) {
	switch g.between(0, 4) {
	case 0, 1:
		t.pkeyIndex = "INDEX"
	case 2:
		t.pkeyIndex = "UNIQUE"
	}
}

// keyOf returns the key of a row by its pkey, as literals; nil where it is not known, or pkey is the key.
func (t *table) keyOf(pkey int64) []string { return t.keys[pkey] }

// moved notes that a row may have another key now, or none: whoever looks for a free one may find the one that it had.
func (t *table) moved(pkey int64, to []string) {
	if old := t.keys[pkey]; old != nil {
		t.freed = append(t.freed, old)
	}
	delete(t.keys, pkey)
	if to != nil {
		t.keys[pkey] = to
	}
}

// newKey returns the values of a table's own key for a row that is new or moves: mostly ones that no row has.
func (g *generator) newKey(t *table) []string {
	if len(t.freed) > 0 && g.pct(freedShare) {
		return slices.Clone(t.freed[len(t.freed)-1-g.rng.IntN(min(len(t.freed), recentKeys))])
	}
	if g.pct(takenShare) {
		if k := t.keyOf(oneOf(g, t.pkeys)); k != nil {
			return slices.Clone(k)
		}
	}
	out := make([]string, len(t.own))
	for i, c := range t.own {
		switch {
		case c.unique:
			out[i] = g.freshValue(c)
			c.pool = append(c.pool, out[i])
		case c.discerns && g.pct(70):
			out[i] = g.freshValue(c)
		case c.special != nil:
			out[i] = oneOf(g, c.pool)
		default:
			out[i] = g.literal(c.fam, c.pool).lit
		}
	}
	return out
}

// keyRow makes the initial rows of a table differ in its own key, and notes the keys. values are by column and row.
func (g *generator) keyRow(t *table, values [][]string, r int, seen map[string]bool) {
	if len(t.own) == 0 {
		return
	}
	key := make([]string, len(t.own))
	for i, c := range t.own {
		key[i] = values[slices.Index(t.cols, c)][r]
	}
	if text := strings.Join(key, ", "); seen[text] {
		i := slices.IndexFunc(t.own, func(c *column) bool { return c.discerns })
		key[i] = g.freshValue(t.own[i])
		values[slices.Index(t.cols, t.own[i])][r] = key[i]
	}
	seen[strings.Join(key, ", ")] = true
	t.keys[t.pkeys[r]] = key
}

// updateKey returns the assignments of an UPDATE that gives rows another key, and how it finds them.
func (g *generator) updateKey(t *table) (set []*sql.Assign, where whereFunc) {
	if c := t.own[len(t.own)-1]; len(t.own) == 1 && c.fam == FamInt && g.inserts < maxInserts && g.pct(shiftShare) {
		x := build.Binary(build.Column("", c.name), sql.OpAdd, build.Int(g.insertBase()))
		return []*sql.Assign{build.Set(build.Column("", c.name), x)}, choose(g, whereTable)
	}
	k := g.nameKey(t)
	from, to := t.keyOf(k), g.newKey(t)
	for i, c := range t.own {
		if len(t.own) > 1 && from != nil && g.pct(40) {
			to[i] = from[i] // a part of it alone changes
			continue
		}
		set = append(set, g.sets(c, to[i]))
	}
	if set == nil {
		set = append(set, g.sets(t.own[0], to[0]))
	}
	where = func(g *generator, sc *scope, _ int) sql.Expr { return g.at(sc.refs[0], k, from) }
	t.moved(k, to)
	return set, where
}

// at returns the condition that finds one row, by its own key where that is known and by pkey.
func (g *generator) at(r *ref, pkey int64, key []string) sql.Expr {
	if key == nil || !g.pct(ownShare) {
		return build.Eq(r.pkey(), build.Int(pkey))
	}
	var cond sql.Expr
	for i, c := range r.base.own {
		cond = build.All(cond, build.Eq(r.col(c), g.lit(key[i])))
	}
	return cond
}

// ownRange returns a range of a table's own key; false where it has none of numbers.
func (g *generator) ownRange(r *ref, pkey int64) (sql.Expr, bool) {
	key := r.base.keyOf(pkey)
	if key == nil || r.base.own[0].fam != FamInt || !g.pct(ownShare) {
		return nil, false
	}
	n, err := strconv.ParseInt(key[0], 10, 64)
	if err != nil {
		return nil, false
	}
	return build.Between(r.col(r.base.own[0]), build.Int(n), build.Int(n+g.width(r.base))), true
}
