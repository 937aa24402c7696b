package gen

import (
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// Family is a set of types that compare and mix without an implicit conversion.
type Family uint8

// The families.
const (
	FamInt Family = iota
	FamDouble
	FamDecimal
	FamString
	FamDate
	FamDatetime
	numFamilies // how many there are
)

// AllFamilies lists the families.
var AllFamilies = []Family{FamInt, FamDouble, FamDecimal, FamString, FamDate, FamDatetime}

// ColumnKind is a column type.
type ColumnKind uint8

// The column types.
const (
	KindInt ColumnKind = iota
	KindBigint
	KindDouble
	KindDecimal
	KindVarchar
	KindText
	KindDate
	KindDatetime
	NumKinds // how many there are
)

// familyOf gives the family of each kind.
var familyOf = [NumKinds]Family{
	KindInt: FamInt, KindBigint: FamInt, KindDouble: FamDouble, KindDecimal: FamDecimal,
	KindVarchar: FamString, KindText: FamString, KindDate: FamDate, KindDatetime: FamDatetime,
}

// column is a column of a base table, or an output of a derived table or CTE.
type column struct {
	name    string
	kind    ColumnKind
	fam     Family
	decl    string   // declared type
	bound   float64  // |value| never exceeds it; for strings the length in characters
	notNull bool     // no row holds NULL
	unique  bool     // has a unique index of its own, or is the primary key
	unnamed bool     // ON CONFLICT cannot name its unique index
	indexed bool     // is the first column of some index
	pool    []string // literals that its values are drawn from
	held    []string // literals that rows may hold, in ascending order: comparing with one of them tells rows apart

	discerns  bool // tells rows apart whose other columns of the primary key are equal
	rowNumber bool // is the number by which the engine finds its rows

	special   *Special // its type, where that is none of the families
	parent    *table   // the table that its values refer to
	parentKey *column  // the column of its that they are values of
	with      *column  // of a foreign key of two columns the first one, where this is the second
	last      string   // what was last drawn for a column that refers to others
	rows      []string // what the initial rows hold, by their number
	deferred  bool     // whether it has them is checked when the transaction commits
	// what becomes of its row where the one that it refers to goes, or gets another key; zero: nothing, the statement
	// fails
	action     action
	max        float64 // the largest number that a CHECK allows; 0 where there is none
	hasDefault bool    // its definition gives a DEFAULT

	reading  *sql.Template       // how expressions see a column of a special type
	computed []*column           // columns and expressions that the database computes from it
	calc     func(string) string // what such a one is from a literal of the column; "" where that is not known
	of       *column             // what an expression that an index holds is computed from
	reads    *sql.Template       // such an expression, from that column
}

// table is a base table.
type table struct {
	name   string
	cols   []*column // c0, c1, …, without the version bookkeeping
	pkey   *column
	own    []*column      // columns of the primary key where pkey is not among them
	pkeys  []int64        // keys of rows that may exist: initial ones, and those that INSERTs so far have named
	hot    []int64        // the few keys that many statements pick
	gone   map[int64]bool // keys of rows that a DELETE has named since
	recent []int64        // keys of rows that writes of this table have named, the last ones last
	rows   int            // initial rows

	bare      bool               // has neither vkey nor pvkey
	primary   []string           // parts of the primary key as CREATE TABLE spells them; nil: the table has none
	pkeyIndex string             // "INDEX" or "UNIQUE" where pkey has an index of its own
	keys      map[int64][]string // by pkey, what own holds in a row that may exist
	freed     [][]string         // what it held in rows that have moved or gone since

	derived     []*column // g0, g1: columns that the database computes
	pair        []*column // columns that are unique together
	indexes     []string  // names of secondary indexes
	partial     []string  // those that do not hold all rows
	partitioned bool
	// itself and the tables that inherit from it: a row lies in the one that its pkey, divided by their number, leaves
	heirs       []string
	parted      bool        // its partitions are statements of their own, and tables of the DBMS's
	hashed      bool        // … by a function whose number says which one a row lies in
	versioned   bool        // the database keeps what its rows held before
	expressions []*column   // that an index holds: their names are expressions
	sideBySide  [][]*column // the first two columns of indexes that have several
	fires       []*table    // that its triggers write
	stays       bool        // no row of it is deleted, as ON CONFLICT may meet those that are there
	shrinks     bool        // rows of it are deleted
	defers      bool        // has a key that is checked when the statement is done, with which ON CONFLICT cannot be used
	// keys of initial rows and of those that REPLACE and upserts have written: others do not insert them
	met []int64
}

// schema draws the tables and returns their CREATE statements.
func (g *generator) schema() []testcase.Stmt {
	var stmts []testcase.Stmt
	n := g.small(g.o.Tables)
	for i := range n {
		t := &table{name: fmt.Sprintf("t%d", i), keys: map[int64][]string{}, gone: map[int64]bool{}}
		t.pkey = &column{name: "pkey", kind: KindBigint, fam: FamInt, bound: pkeyBound, notNull: true, indexed: true}
		for j := range g.small(g.o.Columns) {
			t.cols = append(t.cols, g.column(j))
		}
		if !choose(g, keyTable)(g, t) {
			keyPkey(g, t)
		}
		t.bare = g.wants("no-version-key")
		g.tables = append(g.tables, t)
		own := g.createTable(t)
		stmts = append(append(stmts, g.before...), own...)
		g.before = nil
	}
	return stmts
}

// bookkeeping lists the columns of a table that name its rows and versions.
func (t *table) bookkeeping() []string {
	if t.bare {
		return []string{"pkey"}
	}
	return []string{"pkey", "vkey", "pvkey"}
}

// pkeyBound is above every pkey: 1000·2^(maxInserts+1).
const pkeyBound = 1e9

// column draws column number i of a table.
func (g *generator) column(i int) *column {
	c := &column{name: fmt.Sprintf("c%d", i), notNull: g.pct(20)}
	c.kind = choose(g, kindTable)
	c.fam = familyOf[c.kind]
	tmpl := g.d.TableForms.Types[c.kind]
	switch c.kind {
	case KindInt:
		c.decl, c.bound = tmpl, 1e6
	case KindBigint:
		c.decl, c.bound = tmpl, 1e9
	case KindDouble:
		c.decl, c.bound = tmpl, 1e6
	case KindDecimal:
		c.decl, c.bound = fmt.Sprintf(tmpl, g.between(9, 14)+g.decScale, g.decScale), 1e6
	case KindVarchar:
		n := g.between(16, 40)
		c.decl, c.bound = fmt.Sprintf(tmpl, n), float64(n)
	case KindText:
		c.decl, c.bound = tmpl, 60
	default:
		c.decl, c.bound = tmpl, 1e5
	}
	c.unique = g.pct(22) && (c.fam == FamInt || c.kind == KindVarchar)
	if c.unique && c.fam == FamInt {
		c.bound = pkeyBound
	}
	g.special(c)
	return c
}

// columnDefs defines the columns of t: those that all tables have, and its own.
func (g *generator) columnDefs(t *table) (defs []*sql.ColumnDef) {
	for _, name := range t.bookkeeping() {
		decl := g.d.TableForms.Types[KindBigint]
		if name == "pkey" {
			decl = g.d.TableForms.PkeyType
		}
		defs = append(defs, g.defined(name, decl, notNull()))
	}
	for _, c := range t.cols {
		def := g.defined(c.name, c.decl)
		if c.notNull {
			def.Constraints = append(def.Constraints, notNull())
		}
		if x := g.defaultValue(c); x != nil {
			def.Constraints = append(def.Constraints, &sql.Default{X: x})
		}
		defs = append(defs, def)
	}
	return defs
}

// primaryKey is the primary key of t, beside its columns; nil: it has none there.
func (g *generator) primaryKey(t *table) *sql.PrimaryKey {
	if len(t.primary) == 0 {
		return nil
	}
	key := &sql.PrimaryKey{Columns: g.keyParts(t.primary...)}
	if g.wants("key-apart") && g.d.TableForms.KeyApart != "" {
		key.Options = []*sql.Option{{Words: g.d.TableForms.KeyApart}}
	}
	return key
}

// createTable returns the statements that create t: CREATE TABLE with the unique indexes and, where the dialect
// can, some of the others; CREATE INDEX for the rest.
func (g *generator) createTable(t *table) []testcase.Stmt {
	moving := g.movingPart(t)
	n := &sql.CreateTable{Name: object(t.name)}
	n.Columns = g.columnDefs(t)
	columns, keys := g.extraDefinitions(t)
	n.Columns = append(n.Columns, columns...)
	if g.pct(25) {
		g.rng.Shuffle(len(n.Columns), func(i, j int) { n.Columns[i], n.Columns[j] = n.Columns[j], n.Columns[i] })
	}
	if g.o.Beside != "" {
		n.Columns = append(n.Columns, g.words("CREATE TABLE t (%s)", g.o.Beside).Columns...)
	}
	if key := g.primaryKey(t); key != nil {
		n.Constraints = append(n.Constraints, key)
	}
	if t.pkeyIndex == "UNIQUE" {
		n.Constraints = append(n.Constraints, g.uniqueKey(t.name+g.d.pkeyIndex(), "pkey"))
	}
	n.Constraints = append(n.Constraints, keys...)
	for _, c := range t.cols {
		if c.unique && !slices.Contains(t.own, c) {
			c.indexed = true
			n.Constraints = append(n.Constraints, g.uniqueDef(t, c))
		}
	}
	var later []testcase.Stmt
	if t.pkeyIndex == "INDEX" {
		later = append(later, g.index(n, t.name+g.d.pkeyIndex(), t, g.keyParts("pkey"))...)
	}
	for i := range g.between(0, 2) {
		name, cols := fmt.Sprintf("%s_i%d", t.name, i), g.indexColumns(t)
		later = append(later, g.index(n, name, t, cols)...)
	}
	g.ended(n, g.d.TableForms.TableSuffix)
	g.tableTail(t, n)
	by, parts := g.parts(t, moving)
	if by != nil {
		n.Partitions = by
	}
	if !t.parted {
		var own sql.Constraint
		if own, parts = g.inherit(t); own != nil {
			n.Constraints = append(n.Constraints, own)
		}
	}
	later = append(parts, later...)
	if len(t.primary) > 0 && g.d.TableForms.WithoutNumber != "" && g.pct(withoutNumberShare) && !slices.ContainsFunc(t.own,
		func(c *column) bool { return c.rowNumber }) {
		g.ended(n, g.d.TableForms.WithoutNumber)
	}
	if g.wants("auto-increment") {
		g.counter(t, n)
	}
	if index := g.fulltext(t); index != nil {
		n.Constraints = append(n.Constraints, index)
	}
	if g.wants("wide-rows") {
		g.widen(t, n)
	}
	return append([]testcase.Stmt{g.finished(n)}, later...)
}

// counter adds a column by which the database numbers the rows of t, and its key. No statement gives or reads it.
func (g *generator) counter(t *table, n *sql.CreateTable) {
	rng := g.beside("auto-increment")
	name, index := "n_"+t.name, t.name+"_n"
	n.Columns = append(n.Columns, g.defined(name, "BIGINT NOT NULL AUTO_INCREMENT"))
	key := sql.Constraint(&sql.Index{Name: build.Name(index), Columns: g.keyParts(name)})
	switch at := rng.IntN(3); {
	case t.partitioned:
	case at > 0 && len(t.primary) == 0 && g.d.TableForms.CountedKey:
		n.Constraints = append(n.Constraints, &sql.PrimaryKey{Columns: g.keyParts(name)})
		return
	case at > 0:
		key = g.uniqueKey(index, name)
	}
	t.indexes = append(t.indexes, index)
	n.Constraints = append(n.Constraints, key)
}

// fillers is how many columns make a row of a table longer: two kilobytes in all.
const fillers = 7

// widen makes a table one of several pages, though it has few rows: by columns that no statement names, whose values
// are stored padded and read as nothing, or by what follows its definition.
func (g *generator) widen(t *table, n *sql.CreateTable) {
	for i := range fillers {
		if g.d.TableForms.Filler != "" {
			n.Columns = append(n.Columns, g.defined(fmt.Sprintf("w%d_%s", i, t.name), g.d.TableForms.Filler))
		}
	}
	if !t.partitioned {
		g.ended(n, g.d.TableForms.Sparse)
	}
}

// index returns the statement that creates an index, or adds it to the definitions of CREATE TABLE.
func (g *generator) index(in *sql.CreateTable, name string, t *table, cols []*sql.Order) []testcase.Stmt {
	t.indexes = append(t.indexes, name)
	if g.d.TableForms.InlineShare > 0 && g.pct(g.d.TableForms.InlineShare) {
		in.Constraints = append(in.Constraints, &sql.Index{Name: build.Name(name), Columns: cols})
		return nil
	}
	n := &sql.CreateIndex{Name: object(name), Table: object(t.name), Columns: cols}
	choose(g, indexTable)(g, t, n)
	return []testcase.Stmt{g.finished(n)}
}

// indexExpression returns an expression of column c as a part of an index, in some cases; the first part of one is
// noted as what rows can be found by.
func (g *generator) indexExpression(t *table, c *column, first bool) sql.Expr {
	if !isNumber(c) || c.special != nil || c.parent != nil || c.bound >= maxBound || !g.wants("functional-index") {
		return nil
	}
	more := g.between(2, 7)
	form := fmt.Sprintf("%%s + %d", more)
	e := &column{kind: KindBigint, fam: FamInt, bound: c.bound + 7, pool: smallInts, of: c}
	e.calc = numbered(func(v int64) int64 { return v + int64(more) })
	if g.pct(50) {
		n := g.between(2, 5)
		form, e.pool = fmt.Sprintf("%%s %%%% %d", n), smallInts[:n]
		e.calc = numbered(func(v int64) int64 { return v % int64(n) })
	}
	if !c.notNull && g.beside("null-expression").IntN(100) < nullExpression {
		// a row that an outer join has not found has a value, too
		form, e.pool = fmt.Sprintf("COALESCE(%%s, %d)", more), smallInts
		e.calc = numbered(func(v int64) int64 { return v })
		e.holds(fmt.Sprint(more))
	}
	e.name, e.reads = fmt.Sprintf(form, c.name), g.d.Tree.Template(form)
	c.computed = append(c.computed, e)
	if first {
		t.expressions = append(t.expressions, e)
	}
	return build.Paren(build.Paren(e.reads.Fill(build.Column("", c.name))))
}

// indexColumns draws one to three columns of a secondary index and marks the first as indexed.
func (g *generator) indexColumns(t *table) []*sql.Order {
	order := slices.DeleteFunc(g.rng.Perm(len(t.cols)), func(at int) bool {
		s := t.cols[at].special
		return s != nil && s.Unindexed
	})
	n := min(len(order), 1+g.rng.IntN(3))
	parts := make([]*sql.Order, 0, n)
	var plain []int // the places of those that are no expressions
	for i, at := range order[:n] {
		c := t.cols[at]
		if x := g.indexExpression(t, c, i == 0); x != nil {
			parts = append(parts, build.Order(x, false))
			continue
		}
		c.indexed, plain = c.indexed || i == 0, append(plain, i)
		part := c.name
		switch {
		case c.special != nil:
			part += c.special.Prefix
		case c.kind == KindText:
			part += g.d.TableForms.TextPrefix
		case c.kind == KindVarchar && g.wants("prefix-index"):
			part += g.d.TableForms.TextPrefix
		}
		order := g.keyPart(part)
		order.Desc = !g.ascending && g.pct(10)
		parts = append(parts, order)
	}
	if len(parts) == 0 {
		return g.keyParts("pkey")
	}
	if len(plain) > 1 && plain[0] == 0 && plain[1] == 1 {
		t.sideBySide = append(t.sideBySide, []*column{t.cols[order[0]], t.cols[order[1]]})
	}
	return parts
}
