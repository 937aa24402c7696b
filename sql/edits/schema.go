package edits

import (
	"strings"

	"txweave/sql"
)

// SchemaFeatures returns the names of what a statement that defines something has besides columns and the primary key:
// indexes, generated columns, and how the rows are kept.
func SchemaFeatures(stmt sql.Stmt) []string {
	f := &features{seen: map[string]bool{}}
	switch n := stmt.(type) {
	case *sql.CreateIndex:
		f.index(n.Unique)
	case *sql.CreateTable:
		f.table(n)
	}
	return f.sorted()
}

func (f *features) index(unique bool) {
	f.add("index")
	f.when(unique, "unique")
}

func (f *features) table(n *sql.CreateTable) {
	for _, c := range n.Constraints {
		f.constraint(c, true)
	}
	for _, col := range n.Columns {
		for _, c := range col.Constraints {
			f.constraint(c, false)
		}
	}
	f.when(n.Partitions != nil, "partition")
	for _, o := range n.Options {
		f.when(strings.Contains(strings.ToUpper(o.Words), "VERSIONING"), "versioned")
	}
}

// constraint adds what a constraint of a table is, or of a column.
func (f *features) constraint(c sql.Constraint, ofTable bool) {
	switch x := c.(type) {
	case *sql.PrimaryKey:
		for _, o := range x.Options {
			f.when(o.Words == "NONCLUSTERED", "key-apart")
		}
	case *sql.Unique, *sql.Exclude: // where = compares
		f.index(true)
	case *sql.Index:
		if x.Kind == "" {
			f.index(false)
		} else {
			f.add("constraint")
		}
	case *sql.ForeignKey:
		f.add("foreign-key")
		f.when(strings.HasSuffix(x.Deferrable, "DEFERRED"), "deferred-key")
	case *sql.Generated:
		if x.Kept == "STORED" || x.Kept == "PERSISTENT" {
			f.add("stored-column")
		} else { // it is worked out whenever it is read
			f.add("virtual-column")
		}
	default:
		f.when(ofTable, "constraint")
	}
}
