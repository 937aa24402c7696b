package sqltext

import (
	"fmt"
	"slices"
	"strings"
)

// Names of the bookkeeping columns by which the oracles tell rows and versions apart: every table of a case that they
// judge has them.
const (
	PKey  = "pkey"  // names the row: assigned once, never updated or used again; no key of the table need hold it
	VKey  = "vkey"  // version key, unique in the case per writing statement or initial row
	PVKey = "pvkey" // version key of the version that the last UPDATE overwrote
)

// IsBookkeeping says whether a column, in lower case, is one of those.
func IsBookkeeping(column string) bool { return column == PKey || column == VKey || column == PVKey }

// Class is what the values of a column or an expression are like, as far as it can be told.
type Class uint8

// The classes.
const (
	UnknownClass Class = iota
	Exact              // integers, decimals, truth values, years
	Floating           // binary floating point
	Text
	Temporal // dates and times, where the dialect has them
)

// typeClasses gives the class of a declared type by its first word.
var typeClasses = func() map[string]Class {
	out := map[string]Class{}
	for c, words := range map[Class]string{
		Exact:    "int integer bigint smallint tinyint mediumint bool boolean decimal numeric dec bit year",
		Floating: "double float real",
		Text:     "char varchar text tinytext mediumtext longtext character enum",
		Temporal: "date datetime timestamp time",
	} {
		for _, w := range strings.Fields(words) {
			out[w] = c
		}
	}
	return out
}()

// ClassOf returns the class of a declared type by its first word.
func ClassOf(word string) Class { return typeClasses[lower(word)] }

// Column is one column of a table.
type Column struct {
	Name string // in lower case
	// Spelled is the name as statements write it: in quotes where it is a word of the grammar.
	Spelled string
	// first word of its declared type, in lower case, with "(" behind a floating-point one that rounds, and "[" behind an
	// array's
	Type  string
	Class Class // of that
	// Counts says that the database numbers the rows by it where an INSERT gives no value: AUTO_INCREMENT, SERIAL, or
	// INTEGER PRIMARY KEY where that does.
	Counts bool
	// Kept says that the counter outlives the rows: it never hands out a number again.
	Kept bool
	// Random says that the numbers are the database's choice: AUTO_RANDOM.
	Random bool
	// Generated says that the database computes it from other columns: no statement writes it.
	Generated bool
	// Virtual says that it is not stored either, but worked out whenever it is read.
	Virtual   bool
	Made      bool   // its default is another value in another session, or at another time
	Stamped   bool   // so is what an UPDATE gives it that does not write it
	NotNull   bool   // declared so, by itself or as part of the primary key
	Collation string // in lower case; "" where it names none
	integer   bool   // declared as INTEGER and nothing more
}

// KeyPart is one column of a key.
type KeyPart struct {
	Column string // in lower case
	Prefix int    // how many characters of it the key holds; 0: all
}

// Table is one table of a case as CREATE TABLE and CREATE INDEX define it; names are in lower case.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // columns of the primary key; nil: it has none
	// Unique are the columns of unique keys, the primary one included, that do not hold pkey: whether an INSERT, or an
	// UPDATE of such a column, fails depends on the rows that are there. A key on an expression concerns every column.
	Unique  []string
	Parents []string // tables that its foreign keys refer to
	// References are those foreign keys.
	References []Reference
	// Covered says that an index which is not the primary key holds vkey: what a query asks of a row may come from there
	// alone.
	Covered bool
	// Partitioned says that its rows lie in several tables of the store.
	Partitioned bool
	// Apart says that its rows do not lie by its primary key but by a number of the store's own (NONCLUSTERED).
	Apart bool
	// Versioned says that the database keeps what its rows held before (WITH SYSTEM VERSIONING).
	Versioned bool
	// Cascades are the parents whose changes a foreign key carries to rows of this table.
	Cascades []string

	// Left says that columns were left out, which the table has; Numbered that the key by which its rows lie is of one of
	// them.
	Left, Numbered bool

	share   Heir // its own rows, where others inherit from it
	primary []KeyPart
	uniques [][]KeyPart // in order of definition, those on columns alone
}

// Primary returns the columns of the primary key, with what it holds of them.
func (t *Table) Primary() []KeyPart { return t.primary }

// Clustered returns the columns by which a clustered index places the rows: the primary key's, or those of the first
// unique key whose columns are all there as a whole and not NULL; nil where they lie by a number that the database
// gives them, a hidden one or that of a column that was left out (dev.mysql.com/doc/refman, Clustered and Secondary
// Indexes).
func (t *Table) Clustered() []KeyPart {
	if t.Numbered {
		return nil
	}
	if len(t.primary) > 0 {
		return t.primary
	}
	for _, key := range t.uniques {
		if !slices.ContainsFunc(key, func(p KeyPart) bool {
			c := t.Column(p.Column)
			return p.Prefix > 0 || c == nil || !c.NotNull
		}) {
			return key
		}
	}
	return nil
}

// Deciding returns the keys by which a statement can fail: the unique ones without pkey, which no two rows share.
func (t *Table) Deciding() [][]KeyPart {
	return slices.DeleteFunc(append([][]KeyPart{t.primary}, t.uniques...), func(key []KeyPart) bool {
		return len(key) == 0 || slices.ContainsFunc(key, func(p KeyPart) bool { return p.Column == PKey && p.Prefix == 0 })
	})
}

// Keys returns the unique keys on columns, the primary one first.
func (t *Table) Keys() [][]KeyPart {
	return slices.DeleteFunc(append([][]KeyPart{t.primary}, t.uniques...), func(key []KeyPart) bool {
		return len(key) == 0
	})
}

// KeysAreColumns says whether all that is unique in the table are whole columns.
func (t *Table) KeysAreColumns() bool {
	known := map[string]bool{}
	for _, key := range t.Deciding() {
		for _, part := range key {
			if part.Prefix > 0 {
				return false
			}
			known[part.Column] = true
		}
	}
	return !slices.ContainsFunc(t.Unique, func(name string) bool { return !known[name] })
}

// Named says whether the database itself makes sure that no two rows have the same pkey.
func (t *Table) Named() bool {
	named := func(key []KeyPart) bool { return len(key) == 1 && key[0].Column == PKey }
	return named(t.primary) || slices.ContainsFunc(t.uniques, named)
}

// IsKeyed says whether the table has a unique key, of whatever columns.
func (t *Table) IsKeyed() bool { return len(t.primary)+len(t.uniques) > 0 }

// Leave takes a column out of the table as it is known here, with the keys of that column alone; a column of another
// key stays.
func (t *Table) Leave(column string) {
	alone := func(key []KeyPart) bool { return len(key) == 1 && key[0].Column == column }
	part := func(key []KeyPart) bool {
		return len(key) > 1 && slices.ContainsFunc(key, func(p KeyPart) bool { return p.Column == column })
	}
	if part(t.primary) || slices.ContainsFunc(t.uniques, part) {
		return
	}
	t.Left = true
	t.Numbered = t.Numbered || alone(t.Clustered())
	t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool { return c.Name == column })
	t.Unique = slices.DeleteFunc(t.Unique, func(name string) bool { return name == column })
	t.uniques = slices.DeleteFunc(t.uniques, alone)
	if alone(t.primary) {
		t.primary, t.Key = nil, nil
	}
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Name
	}
	return out
}

// Spelled returns the names of the columns as statements write them.
func (t *Table) Spelled() []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Spelled
	}
	return out
}

// Stored returns the names of the columns that statements write, as they do.
func (t *Table) Stored() []string {
	var out []string
	for _, c := range t.Columns {
		if !c.Generated {
			out = append(out, c.Spelled)
		}
	}
	return out
}

// Column returns the column of that name, in lower case, or nil.
func (t *Table) Column(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// Schema is the set of tables of a case, in order of creation.
type Schema struct {
	Tables   []*Table
	Views    []ViewDefinition
	Triggers []Trigger
	Heirs    []Heir
	// OtherKeys says that rows of some table are kept out by something else than unique keys of all its rows, or that one
	// which is in the way is dealt with otherwise than by an error.
	OtherKeys bool
	index     map[string]*Table
}

// Table returns the table of that name, or nil.
func (s *Schema) Table(name string) *Table { return s.index[name] }

// Carried returns the tables that foreign keys may change where rows of a table are deleted or updated, whatever is
// carried on from there.
func (s *Schema) Carried(name string) []string {
	return s.carriedOn(name, func(*Reference) bool { return true })
}

// CarriedByUpdate returns those of them that they may change where a statement updates rows of the table.
func (s *Schema) CarriedByUpdate(name string) []string {
	return s.carriedOn(name, func(r *Reference) bool { return !s.Fixed(r) })
}

// carriedOn returns the tables that foreign keys may change, the first of which are picked.
func (s *Schema) carriedOn(name string, first func(*Reference) bool) []string {
	var out []string
	picked := first
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, t := range s.Tables {
			if slices.Contains(t.Cascades, queue[0]) && !slices.Contains(out, t.Name) &&
				slices.ContainsFunc(t.References, func(r Reference) bool { return r.Parent == queue[0] && picked(&r) }) {
				out, queue = append(out, t.Name), append(queue, t.Name)
			}
		}
		picked = func(*Reference) bool { return true }
	}
	return out
}

// decides notes that a unique key can make statements fail: not one that holds pkey, which no two rows share.
func (t *Table) decides(key []KeyPart) {
	if slices.ContainsFunc(key, func(p KeyPart) bool { return p.Column == PKey && p.Prefix == 0 }) {
		return
	}
	for _, p := range key {
		if !slices.Contains(t.Unique, p.Column) {
			t.Unique = append(t.Unique, p.Column)
		}
	}
}

// NamesUnlisted says whether a condition names one of the columns that tables have of themselves (Traits.Unlisted),
// where the table has no other one of that name.
func (t *Table) NamesUnlisted(where string, unlisted []string) bool {
	for _, w := range Significant(where, -1) {
		if name, is := w.Ident(); is && slices.Contains(unlisted, name) && t.Column(name) == nil {
			return true
		}
	}
	return false
}

// An Heir is one of the tables that hold the rows of a table which others inherit from: that table itself,
// or one of these. Which rows they are a CHECK says, so that no two of them hold rows with the same pkey.
type Heir struct {
	Name, Of      string // in lower case; the same of the table itself
	Modulus, Rest int    // its rows are those whose pkey leaves Rest when it is divided by Modulus; 0: nothing says so
	Keyed         bool   // it has PRIMARY KEY (pkey), where it inherits
	Extra         string // a column, a key or a constraint beyond that which it has and its parent may not
}

// Only stands before the name of a table in what is read of its own rows alone, where it is read as if it were a view.
const Only = "only__"

// Where is the condition that its rows meet; table is what goes before the column's name, "" for nothing.
func (h *Heir) Where(table string) string {
	if table != "" {
		table += "."
	}
	return fmt.Sprintf("%s%s %% %d = %d", table, PKey, h.Modulus, h.Rest)
}

// Own says whether it is the table from which the others inherit.
func (h *Heir) Own() bool { return h.Name == h.Of }

// Heir returns what the named table is among those that hold another one's rows; nil where it is none of such.
func (s *Schema) Heir(name string) *Heir {
	i := slices.IndexFunc(s.Heirs, func(h Heir) bool { return h.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Heirs[i]
}

// Inherits returns the table, in lower case, from which the one inherits that CREATE TABLE … (…) INHERITS (table)
// makes; "" for other statements.
func (s Statement) Inherits() string {
	t := s.Tokens
	n := len(t)
	if n > 0 && t[n-1].Text == ";" {
		n--
	}
	if n < 9 || !t[0].Is("create") || !t[1].Is("table") || !t[n-4].Is("inherits") || t[n-3].Text != "(" ||
		t[n-1].Text != ")" {
		return ""
	}
	name, _ := t[n-2].Ident()
	return name
}
