package sqltext

import "slices"

// Redefinition is a statement that changes how a table is kept and none of its rows: whatever it does, every statement that
// names its columns has to answer the same before it and after it.
type Redefinition struct {
	Table string // in lower case; "" where the statement does not name it
	// AddColumns and DropColumns are the columns that come and go, DropIndexes the indexes that go, in lower case.
	AddColumns, DropColumns, DropIndexes []string
	// Through is the other name that the table has for a moment; "" where it keeps its own.
	Through string
	// Makes and Drops are the table that comes, or goes, beside those of the schema; Table is then the one whose definition it gets, or "".
	Makes, Drops string
	// Rows says that it answers with rows, as ANALYZE TABLE does.
	Rows bool
	// Beside says who may use the table meanwhile in a DBMS that tells such locks apart, as PostgreSQL does.
	Beside Sharing
}

// Sharing says who may use a table while a statement changes how it is kept, and while it waits for that.
type Sharing uint8

// Who may use it: nobody, those that only read, all.
const (
	Alone Sharing = iota
	BesideReaders
	BesideAll
)

// Redefinition reads a statement that changes how a table is kept: CREATE INDEX of an index that is not unique, DROP INDEX,
// ALTER TABLE that adds and drops such indexes and columns, builds the table or its partitions anew, or makes one partition more or less,
// RENAME TABLE to another name and back, ANALYZE, OPTIMIZE, FLUSH TABLES, REINDEX, VACUUM, of one table FULL or with options by which it
// keeps nobody out, what of these PostgreSQL has CONCURRENTLY, SQLite's PRAGMA wal_checkpoint; CREATE TABLE with one column or LIKE another one, and DROP TABLE, of a table that no
// other statement uses. ok is false for all others.
func (s *Statement) Redefinition() (d Redefinition, ok bool) {
	t := s.Tokens
	is := func(i int, words ...string) bool { return i < len(t) && t[i].Is(words...) }
	name := func(i int) string {
		if i >= len(t) {
			return ""
		}
		n, _ := t[i].Ident()
		return n
	}
	switch {
	case is(0, "create") && is(1, "table") && is(3, "like") && len(t) == 5:
		d.Makes, d.Table = name(2), name(4)
		return d, d.Makes != "" && d.Table != ""
	case is(0, "create") && is(1, "table") && len(t) >= 7 && t[3].Text == "(" && t[6].Text == ")" && is(5, "int") && (len(t) == 7 || len(t) == 10 && is(7, "engine")):
		d.Makes = name(2)
		return d, d.Makes != "" && name(4) != ""
	case is(0, "drop") && is(1, "table") && len(t) == 3:
		d.Drops = name(2)
		return d, d.Drops != ""
	case is(0, "create") && is(1, "index"):
		d.Table, d.Beside = s.Target, BesideReaders
		if is(2, "concurrently") {
			d.Beside = BesideAll
		}
		return d, d.Table != "" && !slices.ContainsFunc(t, func(t Token) bool { return t.Is("unique") })
	case is(0, "drop") && is(1, "index") && len(t) == 3:
		d.DropIndexes = []string{name(2)}
		return d, name(2) != ""
	case is(0, "drop") && is(1, "index") && is(2, "concurrently") && len(t) == 4:
		d.DropIndexes, d.Beside = []string{name(3)}, BesideAll
		return d, name(3) != ""
	case is(0, "drop") && is(1, "index") && is(3, "on") && len(t) == 5:
		d.Table, d.DropIndexes = name(4), []string{name(2)}
		return d, name(2) != "" && d.Table != ""
	case is(0, "analyze", "optimize") && is(1, "table") && len(t) == 3:
		d.Table, d.Rows = name(2), true
		return d, d.Table != ""
	case is(0, "reindex") && is(1, "table") && is(2, "concurrently") && len(t) == 4:
		d.Table, d.Beside = name(3), BesideAll
		return d, d.Table != ""
	case is(0, "reindex") && is(1, "table") && len(t) == 3, is(0, "vacuum") && is(1, "full") && len(t) == 3:
		d.Table = name(2)
		return d, d.Table != ""
	case is(0, "analyze", "reindex") && len(t) <= 2:
		if d.Table = name(1); is(0, "analyze") {
			d.Beside = BesideAll
		}
		return d, len(t) == 1 || d.Table != ""
	case is(0, "flush") && is(1, "table", "tables") && len(t) == 3:
		d.Table = name(2)
		return d, d.Table != "" && !is(2, "with")
	case is(0, "pragma") && is(1, "wal_checkpoint"):
		d.Rows = true
		return d, len(t) == 2 || len(t) == 5 && t[2].Text == "(" && t[4].Text == ")"
	case is(0, "vacuum") && len(t) == 1:
		return d, true
	case is(0, "vacuum") && len(t) > 3 && t[1].Text == "(" && t[len(t)-2].Text == ")":
		d.Table, d.Beside = name(len(t)-1), BesideAll
		return d, d.Table != "" && !slices.ContainsFunc(t[2:len(t)-2], func(t Token) bool {
			return t.Text != "," && !t.Is("truncate", "index_cleanup", "analyze", "on", "off")
		})
	case is(0, "rename") && is(1, "table"): // away and back
		d.Table, d.Through = name(2), name(4)
		return d, len(t) == 9 && is(3, "to") && t[5].Text == "," && is(7, "to") && d.Table != "" && d.Through != "" && name(6) == d.Through && name(8) == d.Table
	case is(0, "alter") && is(1, "table") && len(t) > 3:
		d.Table = name(2)
		return d, d.Table != "" && d.clauses(t[3:])
	}
	return d, false
}

// clauses reads what an ALTER TABLE does, one clause after the other.
func (d *Redefinition) clauses(t []Token) bool {
	depth, from := 0, 0
	for i := 0; i <= len(t); i++ {
		if i < len(t) {
			depth += t[i].Nesting()
			if t[i].Text != "," || depth > 0 {
				continue
			}
		}
		if !d.clause(t[from:i]) {
			return false
		}
		from = i + 1
	}
	return true
}

// clause reads one clause of an ALTER TABLE.
func (d *Redefinition) clause(t []Token) bool {
	is := func(i int, words ...string) bool { return i < len(t) && t[i].Is(words...) }
	switch {
	case is(0, "force") && len(t) == 1, is(0, "engine", "algorithm", "lock", "row_format") && len(t) >= 2 && len(t) <= 3:
		return true
	case is(0, "rebuild", "analyze", "check", "optimize", "repair") && is(1, "partition") && len(t) == 3:
		d.Rows = !is(0, "rebuild")
		_, ok := t[2].Ident()
		return ok
	case is(0, "coalesce") && is(1, "partition") && len(t) == 3, is(0, "reorganize") && is(1, "partition") && len(t) == 2:
		return true
	case is(0, "add") && is(1, "partition") && is(2, "partitions") && len(t) == 4:
		return true
	case is(0, "add") && is(1, "index", "key"):
		return len(t) > 4
	case is(0, "drop") && is(1, "index", "key") && len(t) == 3:
		name, ok := t[2].Ident()
		d.DropIndexes = append(d.DropIndexes, name)
		return ok
	case is(0, "add", "drop"):
		column := t[1:]
		if is(1, "column") {
			column = t[2:]
		}
		if len(column) == 0 || column[0].Is(notColumn...) || slices.ContainsFunc(column, func(t Token) bool { return t.Is(notPlain...) }) {
			return false
		}
		name, ok := column[0].Ident()
		if is(0, "add") {
			d.AddColumns = append(d.AddColumns, name)
			return ok && len(column) > 1
		}
		d.DropColumns = append(d.DropColumns, name)
		return ok && len(column) == 1
	}
	return false
}

// notColumn are what ADD and DROP name besides columns; notPlain makes a column more than one that nobody uses.
var (
	notColumn = []string{"constraint", "primary", "foreign", "unique", "fulltext", "spatial", "check", "partition", "system", "period", "if"}
	notPlain  = []string{"unique", "primary", "key", "references", "check", "auto_increment", "generated", "as", "virtual", "stored", "persistent"}
)
