package control

import (
	"slices"
	"strings"

	"txweave/sql"
)

// Redefinition is a statement that changes how a table is kept and none of its rows: whatever it does, every statement
// that names its columns has to answer the same before it and after it.
type Redefinition struct {
	Table string // in lower case; "" where the statement does not name it
	// AddColumns and DropColumns are the columns that come and go, DropIndexes the indexes that go, in lower case.
	AddColumns, DropColumns, DropIndexes []string
	// Through is the other name that the table has for a moment; "" where it keeps its own.
	Through string
	// Makes and Drops are the table that comes, or goes, beside those of the schema; Table is then the one whose
	// definition it gets, or "".
	Makes, Drops string
	// Rows says that it answers with rows, as ANALYZE TABLE does.
	Rows bool
	// Keeps says that the table is afterwards kept as it was made: its log, its caches or its trees were written anew.
	Keeps bool
	// Beside says who may use the table meanwhile in a DBMS that tells such locks apart.
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

// Redefinition reads a statement that changes how a table is kept: CREATE INDEX of an index that is not unique, DROP
// INDEX, ALTER TABLE that adds and drops such indexes and columns, builds the table or its partitions anew, or makes
// one partition more or less, RENAME TABLE to another name and back, ANALYZE, OPTIMIZE, FLUSH TABLES, REINDEX, VACUUM,
// of one table FULL or with options by which it keeps nobody out, what of these there is CONCURRENTLY,
// PRAGMA wal_checkpoint; CREATE TABLE with one column or LIKE another one, and DROP TABLE, of a table that no other
// statement uses. ok is false for all others.
func (s Statement) Redefinition() (d Redefinition, ok bool) {
	switch n := s.Tree.(type) {
	case *sql.CreateTable:
		return makes(n)
	case *sql.CreateIndex:
		d.Table, d.Beside = named(n.Table), BesideReaders
		if n.Kind == "CONCURRENTLY" {
			d.Beside = BesideAll
		}
		return d, d.Table != "" && !n.Unique && (n.Kind == "" || n.Kind == "CONCURRENTLY")
	case *sql.Drop:
		return drops(n)
	case *sql.Maintain:
		return maintains(n)
	case *sql.Analyze:
		d.Table, d.Beside = named(n.Target), BesideAll
		return d, n.Target == nil || d.Table != ""
	case *sql.Reindex:
		d.Table, d.Keeps = named(n.Target), true
		return d, n.Target == nil || d.Table != ""
	case *sql.Vacuum:
		d.Keeps = true
		return d, n.Schema == nil && n.Into == nil
	case *sql.Pragma:
		d.Rows, d.Keeps = true, true
		return d, named(n.Name) == "wal_checkpoint" && (n.Value == nil || n.Call)
	case *sql.Rename: // away and back
		if len(n.Pairs) != 2 {
			return d, false
		}
		d.Table, d.Through = named(n.Pairs[0].From), named(n.Pairs[0].To)
		return d, d.Table != "" && d.Through != "" && named(n.Pairs[1].From) == d.Through && named(n.Pairs[1].To) == d.Table
	case *sql.AlterTable:
		d.Table = named(n.Table)
		ok = d.Table != "" && n.What == "" && !n.IfExists && !n.Only && n.Partitions == nil
		for _, a := range n.Actions {
			ok = ok && d.alters(a)
		}
		return d, ok
	}
	return d, false
}

// makes reads CREATE TABLE of one column that is an INT, or LIKE another table.
func makes(n *sql.CreateTable) (d Redefinition, ok bool) {
	d.Makes = named(n.Name)
	if n.Like != nil {
		d.Table = named(n.Like)
		return d, d.Makes != "" && d.Table != "" && sql.Equal(n, &sql.CreateTable{Name: n.Name, Like: n.Like})
	}
	if len(n.Columns) != 1 || !sql.Equal(n, &sql.CreateTable{Name: n.Name, Columns: n.Columns, Options: n.Options}) {
		return Redefinition{}, false
	}
	c := n.Columns[0]
	plain := c.Type != nil && sql.Equal(c.Type, &sql.Type{Words: "INT"}) && len(c.Constraints) == 0
	engine := len(n.Options) == 0 || len(n.Options) == 1 && n.Options[0].Words == "ENGINE"
	return d, d.Makes != "" && plain && engine
}

// drops reads DROP TABLE and DROP INDEX, CONCURRENTLY or not, ON a table or not.
func drops(n *sql.Drop) (d Redefinition, ok bool) {
	if len(n.Names) != 1 || n.IfExists || n.Temp || named(n.Names[0]) == "" {
		return d, false
	}
	switch {
	case n.What == "TABLE" && len(n.Options) == 0:
		d.Drops = named(n.Names[0])
		return d, true
	case n.What == "INDEX" && len(n.Options) == 0:
		d.Table, d.DropIndexes = named(n.On), []string{named(n.Names[0])}
		return d, n.On == nil || d.Table != ""
	case n.What == "INDEX CONCURRENTLY" && len(n.Options) == 0 && n.On == nil:
		d.DropIndexes, d.Beside = []string{named(n.Names[0])}, BesideAll
		return d, true
	}
	return d, false
}

// maintains reads ANALYZE, OPTIMIZE and FLUSH TABLES, REINDEX and VACUUM.
func maintains(n *sql.Maintain) (d Redefinition, ok bool) {
	if len(n.Tables) == 1 {
		d.Table = named(n.Tables[0])
	}
	if len(n.Tables) > 1 || len(n.Tables) == 1 && d.Table == "" || n.Local {
		return d, false
	}
	one := d.Table != ""
	switch n.What {
	case "ANALYZE", "OPTIMIZE":
		if n.How == "TABLE" {
			d.Rows = true
			return d, one && n.More == ""
		}
		d.Beside = BesideAll
		return d, n.What == "ANALYZE" && n.How == ""
	case "FLUSH":
		d.Keeps = true
		return d, one && n.More == ""
	case "REINDEX":
		d.Keeps = true
		if n.How == "TABLE CONCURRENTLY" {
			d.Beside = BesideAll
			return d, one
		}
		return d, n.How == "TABLE" && one
	case "VACUUM":
		d.Keeps = !strings.Contains(n.How, "ANALYZE")
		switch {
		case n.How == "":
			return d, !one
		case n.How == "FULL":
			return d, one
		}
		d.Beside = BesideAll
		return d, one && harmless(n.How)
	}
	return d, false
}

// harmless says whether options of VACUUM in parentheses are among those by which it keeps nobody out.
func harmless(how string) bool {
	inner, opened := strings.CutPrefix(how, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return false
	}
	for _, word := range strings.FieldsFunc(inner, func(r rune) bool { return r == ' ' || r == ',' }) {
		if !slices.Contains([]string{"TRUNCATE", "INDEX_CLEANUP", "ANALYZE", "ON", "OFF"}, word) {
			return false
		}
	}
	return true
}

// harmlessOptions are those by which ALTER TABLE builds a table anew, and says how.
var harmlessOptions = []string{"FORCE", "ENGINE", "ALGORITHM", "LOCK", "ROW_FORMAT"}

// alters reads one clause of an ALTER TABLE.
func (d *Redefinition) alters(a sql.Alteration) bool {
	switch n := a.(type) {
	case *sql.SetOptions:
		return !slices.ContainsFunc(n.Options, func(o *sql.Option) bool { return !slices.Contains(harmlessOptions, o.Words) })
	case *sql.AlterPartitions:
		return d.partitions(n)
	case *sql.AddConstraint:
		index, ok := n.Constraint.(*sql.Index)
		return ok && index.Kind == "" && !index.IfNotExists && !n.NotValid
	case *sql.DropConstraint:
		if n.What != "INDEX" || n.IfExists || n.Cascade {
			return false
		}
		d.DropIndexes = append(d.DropIndexes, n.Name.Folded())
		return true
	case *sql.AddColumn:
		plain := !slices.ContainsFunc(n.Column.Constraints, func(c sql.Constraint) bool {
			switch c := c.(type) {
			case *sql.Nullable, *sql.Default, *sql.Collation:
				return false
			case *sql.Attribute:
				return c.Words == "AUTO_INCREMENT"
			}
			return true
		})
		d.AddColumns = append(d.AddColumns, n.Column.Name.Folded())
		return plain && !n.Modify && n.From == nil && !n.IfNotExists && n.Column.Type != nil
	case *sql.DropColumn:
		d.DropColumns = append(d.DropColumns, n.Column.Folded())
		return !n.IfExists && !n.Cascade
	}
	return false
}

// partitions reads what builds partitions anew, or makes one more or one less.
func (d *Redefinition) partitions(n *sql.AlterPartitions) bool {
	switch n.What {
	case "REBUILD PARTITION", "ANALYZE PARTITION", "CHECK PARTITION", "OPTIMIZE PARTITION", "REPAIR PARTITION":
		d.Rows = n.What != "REBUILD PARTITION"
		return n.All || len(n.Names) == 1
	case "COALESCE PARTITION", "ADD PARTITION PARTITIONS":
		return true
	case "REORGANIZE PARTITION":
		return len(n.Names) == 0 && len(n.Parts) == 0
	}
	return false
}
