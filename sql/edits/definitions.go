package edits

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// OfDefinition lists the edits of a statement that makes a table or an index: a column of a key gone, what is said of a
// column, UNIQUE, DESC or the length of a prefix gone, or how the table is kept. Whole keys and constraints of a table
// are Parts.
func OfDefinition(stmt sql.Stmt) []Edit {
	e := &editor{root: stmt}
	switch n := stmt.(type) {
	case *sql.CreateIndex:
		plainer(e, n, func(n *sql.CreateIndex) { n.Unique = false })
		e.key(n.Columns)
	case *sql.CreateTable:
		e.table(n)
	}
	return e.edits
}

// key adds the edits of the columns of a key.
func (e *editor) key(columns []*sql.Order) {
	dropEach(e, columns)
	for _, c := range columns {
		plainer(e, c, func(o *sql.Order) { o.Desc = false }, func(o *sql.Order) { o.Nulls = "" })
		if x, ok := c.X.(*sql.Prefix); ok {
			e.replace(x, x.X)
		}
	}
}

func (e *editor) table(n *sql.CreateTable) {
	e.kept(n)
	for _, c := range n.Constraints {
		switch c := c.(type) {
		case *sql.Unique:
			if c.Index != nil { // where an index is said in the same words
				e.replace(c, &sql.Index{Name: c.Index, Using: c.Using, Columns: c.Columns, Options: c.Options})
			}
			e.key(c.Columns)
		case *sql.Index:
			e.key(c.Columns)
		case *sql.Exclude:
			dropEach(e, c.Elements)
		}
	}
	for _, col := range n.Columns {
		if sqltext.IsBookkeeping(col.Name.Folded()) {
			continue
		}
		for _, c := range col.Constraints {
			switch c.(type) {
			case *sql.PrimaryKey, *sql.Collation:
			default:
				e.drop("", c)
			}
		}
	}
}

// kept adds the edits of how a table is kept, all of it at once where that can be. The collation stays while the table
// has columns of text: under another one, rows that differ may count as the same, and any of them may be printed.
func (e *editor) kept(n *sql.CreateTable) {
	text := slices.ContainsFunc(n.Columns, func(c *sql.ColumnDef) bool {
		if c.Type == nil {
			return true
		}
		first, _, _ := strings.Cut(c.Type.Words, " ")
		class := sqltext.ClassOf(first)
		return class == sqltext.Text || class == sqltext.UnknownClass
	})
	if !text {
		change(e, "", n, func(n *sql.CreateTable) { n.Options, n.Partitions = nil, nil })
	}
	if n.Partitions != nil {
		e.drop("", n.Partitions)
	}
	for _, o := range n.Options {
		if words := strings.ToUpper(o.Words); !text || !strings.Contains(words, "COLLATE") &&
			!strings.Contains(words, "CHAR") {
			e.drop("", o)
		}
	}
}

// Parts are the keys, indexes and constraints of a table, and what else stands beside its columns, each of which can go
// by itself, by their places among its Constraints; the primary key stays.
func Parts(n *sql.CreateTable) (out []int) {
	for i, c := range n.Constraints {
		if _, primary := c.(*sql.PrimaryKey); !primary {
			out = append(out, i)
		}
	}
	return out
}

// WithoutParts is a table without some of them.
func WithoutParts(n *sql.CreateTable, gone map[int]bool) *sql.CreateTable {
	return sql.Edit(n, func(t *sql.CreateTable) {
		t.Constraints = nil
		for i, c := range n.Constraints {
			if !gone[i] {
				t.Constraints = append(t.Constraints, c)
			}
		}
	})
}

// WithoutDefined is a definition without columns of its table; nil for an index that has one of them.
func WithoutDefined(stmt sql.Stmt, gone map[string]bool) sql.Stmt {
	names := func(n sql.Node) bool {
		name, is := n.(*sql.Name)
		return is && gone[name.Folded()]
	}
	switch n := stmt.(type) {
	case *sql.CreateIndex:
		if slices.ContainsFunc(n.Columns, func(o *sql.Order) bool { return sql.Has(o, names) }) || n.Where != nil &&
			sql.Has(n.Where, names) {
			return nil
		}
	case *sql.CreateTable:
		return sql.Edit(n, func(n *sql.CreateTable) {
			n.Columns = slices.DeleteFunc(slices.Clone(n.Columns), func(c *sql.ColumnDef) bool { return gone[c.Name.Folded()] })
			n.Constraints = slices.DeleteFunc(slices.Clone(n.Constraints), func(c sql.Constraint) bool {
				if f, ok := c.(*sql.ForeignKey); ok {
					return slices.ContainsFunc(f.Columns, func(name *sql.Name) bool { return gone[name.Folded()] })
				}
				return sql.Has(c, names)
			})
		})
	}
	return stmt
}
