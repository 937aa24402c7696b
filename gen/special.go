package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// A Special is a column type outside the families: its values are literals of its own, and expressions see it through a
// function that gives a value of a family, the same whatever plan is used. Predicates also compare the bare column with
// its own literals, which is what indexes are looked up with, and queries print it bare.
type Special struct {
	Name   string // of the production, which decides how often there is one
	Decl   string // declared type
	Read   string // expression of the family that reads it, from the column
	Family Family
	Bound  float64  // |value| of that expression never exceeds it; for strings the length in characters
	Values []string // literals of it
	Bad    []string // literals that a column of it does not take: an error in strict mode
	Equal  bool     // compared by = and <> only: its order is not that of its literals
	Prefix string   // what follows it in an index
	Bare   bool     // it is never read bare: too long to print

	Unindexed bool // no index can have it
	Nullable  bool // declared as NULL
	Key       bool // different values of it are different in a primary key
	Blurred   bool // different values of it compare as equal: no subquery reads it in the query around it (see gen.go)
}

// special draws whether a column has a special type, and makes it one of that type.
func (g *generator) special(c *column) {
	if len(g.d.TableForms.Specials) == 0 || !g.wants("special-type") {
		return
	}
	s := choose(g, specialTable)
	of := g.d.special(s)
	if of == nil {
		return
	}
	c.special, c.decl, c.fam, c.bound, c.unique = of, of.Decl, of.Family, of.Bound, false
	c.reading = g.d.Tree.Template(of.Read)
	c.notNull = c.notNull && !of.Nullable
}

// special returns the dialect's type of that production, nil where it has none.
func (d *Dialect) special(name string) *Special {
	for i := range d.TableForms.Specials {
		if d.TableForms.Specials[i].Name == name {
			return &d.TableForms.Specials[i]
		}
	}
	return nil
}

// bare returns the special columns of a scope's own references that may be read as they are.
func (sc *scope) bare() []expr {
	var out []expr
	for _, r := range sc.refs {
		for _, c := range r.cols {
			if c.special != nil && !c.special.Bare {
				out = append(out, expr{x: r.col(c), special: c.special, pool: c.known()})
			}
		}
	}
	return out
}

// predBare compares a column of a special type with literals of its own.
func predBare(g *generator, sc *scope, _ int) (sql.Expr, bool) {
	cols := sc.bare()
	if len(cols) == 0 {
		return nil, false
	}
	c := oneOf(g, cols)
	return g.bareCondition(c), true
}

// bareCondition is a condition on a column of a special type.
func (g *generator) bareCondition(c expr) sql.Expr {
	if cond, ok := g.blurredBeginning(c); ok {
		return cond
	}
	s := c.special
	one := func() sql.Expr {
		if len(c.pool) > 0 && g.pct(80) {
			return g.lit(oneOf(g, c.pool))
		}
		return g.lit(oneOf(g, s.Values))
	}
	switch n := g.rng.IntN(10); {
	case n < 2:
		return build.In(c.x, oneOf(g, []bool{false, true}), one(), one())
	case n < 4 && !s.Equal:
		return build.Between(c.x, one(), one())
	case s.Equal:
		return build.Binary(c.x, oneOf(g, []sql.Op{sql.OpEq, sql.OpEq, sql.OpNe}), one())
	default:
		return build.Binary(c.x, oneOf(g, compareOps), one())
	}
}

// bareOutputs returns outputs that print special columns as they are, for queries that neither sort nor group by them.
func (g *generator) bareOutputs(sc *scope) []output {
	cols := sc.bare()
	if len(cols) == 0 || !g.pct(60) {
		return nil
	}
	return []output{{expr{x: oneOf(g, cols).x}, g.newOutput()}}
}

// specialValue returns what a write gives a column of a special type: a literal of it, now and then one that it does
// not take.
func (g *generator) specialValue(c *column) string {
	if len(c.special.Bad) > 0 && g.wants("bad-value") {
		return oneOf(g, c.special.Bad)
	}
	return oneOf(g, c.pool)
}

// long returns a call that repeats a word until it is so long that engines store it elsewhere than the row.
func long(repeat, word string, n int) string { return fmt.Sprintf(repeat, "'"+word+"'", n) }

// LongValues are values of the lengths at which engines move a value out of its row, with one that they keep there;
// from the format of a call that repeats a string. Of those lengths there are two each, which differ at their ends: the
// one is written in the place of the other.
func LongValues(repeat string) []string {
	return []string{long(repeat, "ab", 20), long(repeat, "ba", 400), long(repeat, "bc", 400), long(repeat, "xyz", 1300),
		long(repeat, "xyw", 1300),
		long(repeat, "q0", 4100), long(repeat, "m", 8200), "''", "'ab'"}
}

// generatedColumn adds a column to t that the database computes from another one, with an index in some cases. It
// returns its definition; nil where there is none.
func (g *generator) generatedColumn(t *table, name string, stored bool) (def *sql.ColumnDef, indexed bool) {
	var from []*column
	for _, c := range t.cols {
		if c.special == nil && c.parent == nil && (c.kind == KindInt || c.kind == KindBigint || c.kind == KindVarchar) &&
			c.bound < maxBound {
			from = append(from, c)
		}
	}
	if len(from) == 0 {
		return nil, false
	}
	of := oneOf(g, from)
	x := sql.Expr(build.Column("", of.name))
	c := &column{name: name, kind: KindBigint, fam: FamInt, bound: of.bound + 100, pool: smallInts}
	decl := g.d.TableForms.Types[KindBigint]
	switch n := g.between(2, 7); {
	case of.fam == FamString:
		c.kind, c.fam, c.bound = KindVarchar, FamString, of.bound
		x, decl = g.fill(g.d.ExprForms.Prefix, x, build.Int(2)), fmt.Sprintf(g.d.TableForms.Types[KindVarchar], 40)
		c.calc = beginning(2)
		c.pool = []string{"'a'", "'ab'", "'b'", "'u1'", "'k1'", "'k2'"}
	case g.pct(50):
		x, c.bound = build.Binary(x, sql.OpMod, build.Int(n)), float64(n)
		c.calc = numbered(func(v int64) int64 { return v % int64(n) })
	default:
		x = build.Binary(x, sql.OpAdd, build.Int(n))
		c.calc = numbered(func(v int64) int64 { return v + int64(n) })
	}
	kind := "VIRTUAL"
	if stored {
		kind = "STORED"
	}
	if g.pct(60) {
		c.indexed = true
	}
	t.derived, of.computed = append(t.derived, c), append(of.computed, c)
	return g.defined(name, decl, &sql.Generated{X: x, Kept: kind}), c.indexed
}

// drawPair chooses two columns that are unique together, the second of which tells rows apart whose first ones are
// equal.
func (g *generator) drawPair(t *table) bool {
	plain := func(c *column) bool {
		return c.special == nil && c.parent == nil && !c.unique && !c.discerns && c.kind != KindText && c.fam != FamDouble &&
			!slices.Contains(t.own, c)
	}
	last := g.among(t, func(c *column) bool { return plain(c) && isNumber(c) && !c.hasDefault })
	first := g.among(t, func(c *column) bool { return plain(c) && c != last })
	if last == nil || first == nil {
		return false
	}
	last.discerns, last.bound = true, pkeyBound
	t.pair = []*column{first, last}
	return true
}

// apart makes the initial rows of a table differ in the columns that are unique together. values are by column and row.
func (g *generator) apart(t *table, values [][]string) {
	if t.pair == nil {
		return
	}
	a, b := slices.Index(t.cols, t.pair[0]), slices.Index(t.cols, t.pair[1])
	seen := map[string]bool{}
	for r := range t.rows {
		if key := values[a][r] + ", " + values[b][r]; seen[key] {
			values[b][r] = g.freshValue(t.pair[1])
		}
		seen[values[a][r]+", "+values[b][r]] = true
	}
}

// checkConstraint returns a condition that the initial rows of t satisfy and some writes do not.
func (g *generator) checkConstraint(t *table) sql.Constraint {
	for _, at := range g.rng.Perm(len(t.cols)) {
		c := t.cols[at]
		if c.special != nil || c.unique || c.discerns || c.fam != FamInt || c.parent != nil || slices.Contains(t.own, c) {
			continue
		}
		c.max = float64(g.between(9, 14))
		return &sql.Check{X: build.Binary(build.Column("", c.name), sql.OpLe, build.Int(int(c.max)))}
	}
	return nil
}

// checked leaves those literals out that a CHECK on the column forbids.
func (c *column) checked(pool []string) []string {
	if c.max == 0 {
		return pool
	}
	var out []string
	for _, lit := range pool {
		if n, err := strconv.ParseFloat(lit, 64); err == nil && n <= c.max {
			out = append(out, lit)
		}
	}
	if len(out) == 0 {
		out = []string{"1", "2"}
	}
	return out
}

// partitionColumn returns the column that t can be partitioned by; every unique key must have it.
func (t *table) partitionColumn() string {
	for _, c := range t.cols {
		if c.parent != nil || t.pair != nil || c.unique && !slices.Contains(t.own, c) {
			return ""
		}
	}
	for _, part := range t.primary {
		if part == "pkey" {
			return part
		}
	}
	if t.primary == nil {
		return "pkey"
	}
	for i, c := range t.own {
		if c.special == nil && c.fam == FamInt && t.pkeyIndex != "UNIQUE" && strings.HasPrefix(t.primary[i]+" ", c.name+" ") {
			return c.name
		}
	}
	return ""
}

// partition returns the clause that partitions t, and notes that it is; nil where that cannot be.
func (g *generator) partition(t *table) *sql.Partitioning {
	by := t.partitionColumn()
	if by == "" {
		return nil
	}
	t.partitioned = true
	n := &sql.Partitioning{How: choose(g, partitionTable), X: []sql.Expr{build.Column("", by)}}
	part := func(how string, values ...sql.Expr) {
		n.Parts = append(n.Parts, &sql.Partition{Name: build.Name(fmt.Sprintf("p%d", len(n.Parts))), How: how,
			Values: values})
	}
	switch n.How {
	case "HASH", "KEY":
		t.hashed, n.Count = true, build.Int(g.between(2, 4))
	case "LIST":
		n.X[0] = build.Binary(n.X[0], sql.OpMod, build.Int(3))
		part("IN", build.Int(0))
		part("IN", build.Int(1), build.Int(-1))
		part("IN", build.Int(2), build.Int(-2))
	default:
		at := g.between(3, 12)
		part("LESS THAN", build.Int(at))
		part("LESS THAN", build.Int(at+g.between(3, 3000)))
		part("LESS THAN", &sql.Niladic{Word: "MAXVALUE"})
	}
	return n
}

// movingPart draws whether t is to have partitions that are tables. Of most of those whose key is pkey it makes another
// column a part of the key, and returns it: rows that get another value there move.
func (g *generator) movingPart(t *table) *column {
	if t.parted = g.wants("partition-of"); !t.parted {
		return nil
	}
	delete(g.uses, "partition-of")
	c := g.among(t, func(c *column) bool { return !c.unique && c.keyable() })
	if c == nil || !slices.Equal(t.primary, []string{"pkey"}) || g.beside("partition-of").IntN(100) >= 70 {
		return nil
	}
	c.notNull, c.indexed = true, true
	t.primary = []string{"pkey", c.name}
	return c
}

// parts returns the clause that partitions t, and the statements that make its partitions, where these are tables;
// nothing where t is to have none. A table without any key may be partitioned by any of its columns, others by one that
// is in each key of theirs: rows that get another value there move to another partition.
func (g *generator) parts(t *table, moving *column) (by *sql.Partitioning, parts []testcase.Stmt) {
	fit := g.partedBy(t)
	if !t.parted || len(fit) == 0 {
		t.parted = false
		return nil, nil
	}
	rng := g.beside("partition-of")
	c := fit[rng.IntN(len(fit))]
	if slices.Contains(fit, moving) {
		c = moving
	}
	literal := func() string { return strconv.Itoa(rng.IntN(12) - 2) }
	kind := choose(g, partitionOfTable)
	switch {
	case c.fam == FamString:
		literal = func() string { return "'" + words[rng.IntN(len(words))] + "'" }
	case c.fam != FamInt:
		kind = "HASH"
	}
	t.partitioned, g.uses["partition-of"] = true, true
	part := func(how string, from []sql.Expr, to ...sql.Expr) {
		n := &sql.CreateTable{Name: object(fmt.Sprintf("%s_p%d", t.name, len(parts))), Of: object(t.name)}
		n.Bound = &sql.PartitionBound{How: how, From: from, To: to}
		parts = append(parts, g.finished(n))
	}
	by = &sql.Partitioning{How: kind, X: []sql.Expr{build.Column("", c.name)}}
	low := literal()
	switch kind {
	case "HASH":
		n := 2 + rng.IntN(3)
		for i := range n {
			part("WITH", []sql.Expr{&sql.Worded{Word: "MODULUS", X: build.Int(n)}, &sql.Worded{Word: "REMAINDER",
				X: build.Int(i)}})
		}
		return by, parts
	case "LIST":
		others := []string{low, literal(), literal()}
		part("IN", g.lits(slices.Compact(slices.Sorted(slices.Values(others)))))
	default:
		part("FROM", []sql.Expr{build.Column("", "MINVALUE")}, g.lit(low))
		if n, err := strconv.Atoi(low); err == nil && rng.IntN(2) == 0 {
			part("FROM", []sql.Expr{build.Int(n)}, build.Int(n+1+rng.IntN(6)))
		}
	}
	part("DEFAULT", nil)
	return by, parts
}

// partedBy lists the columns that a table may be partitioned by: each key has them.
func (g *generator) partedBy(t *table) []*column {
	columns := append([]*column{t.pkey}, t.cols...)
	return slices.DeleteFunc(columns, func(c *column) bool {
		if c.special != nil || c.unnamed || c.fam == FamDouble || t.refers() || t.pair != nil || t.pkeyIndex == "UNIQUE" &&
			c != t.pkey {
			return true
		}
		if slices.ContainsFunc(t.cols, func(u *column) bool { return u.unique && u != c && !slices.Contains(t.own, u) }) ||
			c.unique && t.pkeyIndex == "UNIQUE" {
			return true
		}
		return len(t.primary) > 0 && !slices.ContainsFunc(t.primary, func(part string) bool { return part == c.name })
	})
}

// defaultValue returns what a column is by itself, in some cases; else nil.
func (g *generator) defaultValue(c *column) sql.Expr {
	if c.unique || c.discerns || c.parent != nil || c.special != nil || c.kind == KindText || c.fam >= FamDate ||
		!g.wants("default") {
		return nil
	}
	lit := g.rawLiteral(c.fam)
	if c.max != 0 {
		lit = "3"
	}
	c.hasDefault = true
	return g.lit(lit)
}

// tableTail adds what follows the definition of t beyond the dialect's suffix.
func (g *generator) tableTail(t *table, n *sql.CreateTable) {
	if len(g.d.TableForms.RowFormats) > 0 && g.wants("row-format") {
		g.ended(n, " ROW_FORMAT="+oneOf(g, g.d.TableForms.RowFormats))
	}
	if len(t.cols) > 0 && !t.refers() && g.wants("system-versioned") {
		g.ended(n, " WITH SYSTEM VERSIONING")
		t.versioned = true
	}
	if !t.versioned && g.wants("partition") {
		n.Partitions = g.partition(t)
	}
}

// extraDefinitions returns columns of t, and keys and constraints, beyond those that every table has.
func (g *generator) extraDefinitions(t *table) (columns []*sql.ColumnDef, keys []sql.Constraint) {
	if g.wants("foreign-key") {
		if def, constraint := g.foreignKey(t); def != nil {
			columns, keys = append(columns, def), append(keys, constraint)
		}
	}
	if g.wants("composite-reference") {
		if defs, constraint := g.compositeReference(t); constraint != nil {
			columns, keys = append(columns, defs...), append(keys, constraint)
		} else {
			delete(g.uses, "composite-reference")
		}
	}
	if g.wants("self-reference") {
		if def, constraint := g.selfReference(t); def != nil {
			columns, keys = append(columns, def), append(keys, constraint)
		} else {
			delete(g.uses, "self-reference")
		}
	}
	generated, indexes := g.generatedColumns(t)
	columns, keys = append(columns, generated...), append(keys, indexes...)
	if g.wants("composite-unique") && g.drawPair(t) {
		keys = append(keys, g.uniqueKey(t.name+"_pair", t.pair[0].name, t.pair[1].name))
	}
	if g.wants("check") {
		if c := g.checkConstraint(t); c != nil {
			keys = append(keys, c)
		}
	}
	return columns, keys
}

// generatedColumns returns columns of t that are worked out from others, and indexes on them.
func (g *generator) generatedColumns(t *table) (columns []*sql.ColumnDef, keys []sql.Constraint) {
	for i, name := range []string{"virtual-column", "stored-column"} {
		if !g.wants(name) {
			continue
		}
		if def, indexed := g.generatedColumn(t, fmt.Sprintf("g%d", i), i == 1); def != nil {
			columns = append(columns, def)
			if index := fmt.Sprintf("%s_g%d", t.name, i); indexed && g.d.TableForms.InlineShare > 0 {
				keys = append(keys, &sql.Index{Name: build.Name(index), Columns: g.keyParts(def.Name.Value)})
				t.indexes = append(t.indexes, index)
			}
		}
	}
	return columns, keys
}

// hint returns the index hint of a reference to t.
func (g *generator) hint(t *table) []*sql.IndexHint {
	if len(t.indexes) == 0 {
		return nil
	}
	switch hint := choose(g, hintTable); {
	case hint == "":
		return nil
	case hint == notIndexed:
		return []*sql.IndexHint{{How: hint}}
	default:
		whole := t.indexes
		if hint == indexedBy { // the rows that such an index lacks cannot be found by it
			whole = slices.DeleteFunc(slices.Clone(whole), func(name string) bool { return slices.Contains(t.partial, name) })
		}
		if len(whole) == 0 {
			return nil
		}
		return []*sql.IndexHint{{How: hint, Indexes: build.Names(oneOf(g, whole))}}
	}
}

// specialTable weighs the types outside the families by the names of the dialects' Specials.
var specialTable = []production[string]{
	{"unsigned", 14, "unsigned", about{what: "INT UNSIGNED", covers: "unsigned/small ints; types-other"}},
	{"unsigned-bigint", 6, "unsigned-bigint", about{what: "BIGINT UNSIGNED", covers: "unsigned/small ints; types-other",
		needs: CanSpecial}},
	{"tinyint", 10, "tinyint", about{what: "TINYINT", covers: "unsigned/small ints; types-other", needs: CanSpecial}},
	{"smallint", 6, "smallint", about{what: "SMALLINT", covers: "unsigned/small ints; types-other", needs: CanSpecial}},
	{"char", 10, "char", about{what: "CHAR, padded", covers: "char/binary type; types-other", needs: CanSpecial}},
	{"binary", 5, "binary", about{what: "VARBINARY", covers: "char/binary type; types-other", needs: CanSpecial}},
	{"blob", 8, "blob", about{what: "BLOB", covers: "blob/long value; types-other", needs: CanSpecial}},
	{"long-text", 12, "long-text", about{what: "values that are stored outside their row",
		covers: "blob/long value; big-value", needs: CanSpecial}},
	{"enum", 8, "enum", about{what: "ENUM", covers: "enum/set/bit; types-other", needs: CanSpecial}},
	{"set-type", 5, "set-type", about{what: "SET", covers: "enum/set/bit; types-other", needs: CanSpecial}},
	{"bit", 6, "bit", about{what: "BIT", covers: "enum/set/bit; types-other", needs: CanSpecial}},
	{"json", 6, "json", about{what: "JSON", covers: "json; types-other", needs: CanSpecial}},
	{"timestamp", 6, "timestamp", about{what: "TIMESTAMP", covers: "types-other", needs: CanSpecial}},
	{"time", 6, "time", about{what: "TIME", covers: "types-other", needs: CanSpecial}},
	{"year", 4, "year", about{what: "YEAR", covers: "types-other", needs: CanSpecial}},
	{"case-insensitive", 12, "case-insensitive",
		about{what: "a collation that does not tell cases apart, values with trailing blanks", needs: CanSpecial}},
	{"latin1", 5, "latin1", about{what: "another character set", needs: CanSpecial}},
	{"boolean", 10, "boolean", about{apart: true, what: "BOOLEAN", covers: "types-other", needs: CanArray}},
	{"array", 10, "array", about{apart: true, what: "arrays", covers: "array; types-other", needs: CanArray}},
	{"jsonb", 8, "jsonb", about{apart: true, what: "JSONB", covers: "json; types-other", needs: CanArray}},
	{"bytea", 6, "bytea", about{apart: true, what: "BYTEA", covers: "blob/long value; types-other", needs: CanArray}},
	{"any-type", 8, "any-type",
		about{apart: true, what: "a column that converts nothing, whose rows hold numbers, texts and blobs",
			covers: "types-other", needs: CanUntyped}},
	{"range-type", 8, "range-type", about{apart: true, what: "ranges of integers", covers: "range type; types-other",
		needs: CanArray}},
}
