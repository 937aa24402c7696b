package sqltext

import (
	"slices"
	"strings"

	"txweave/sql"
)

// Reference is a foreign key; names are in lower case, Column and Key empty where it is of several, or names none.
type Reference struct {
	Column, Parent, Key string
	// Columns and Keys are all of them, in their order; Keys is empty where the definition names none.
	Columns, Keys []string
	// Deferred says that it is checked when the transaction commits, and not with each statement: DEFERRABLE INITIALLY
	// DEFERRED.
	Deferred bool
	// Full says that of its columns all are NULL or none: MATCH FULL. By others a row of which one is NULL refers to none.
	Full bool
	// Acts says that it does something with the rows that refer to one which goes, or refuses that at once: CASCADE, SET
	// NULL, SET DEFAULT, RESTRICT.
	Acts bool
	// OnDelete and OnUpdate are what it does then: "cascade", "set null"; "" for all else.
	OnDelete, OnUpdate string
}

// Deferred are the foreign keys of the table that are checked when a transaction commits.
func (t *Table) Deferred() (out []Reference) {
	return slices.DeleteFunc(slices.Clone(t.References), func(r Reference) bool { return !r.Deferred })
}

// Asked are the tables in which each statement that writes rows of this one looks for those that they refer to.
func (t *Table) Asked() (out []string) {
	for _, r := range t.References {
		if !r.Deferred {
			out = append(out, r.Parent)
		}
	}
	return out
}

// Children returns the tables with a foreign key to the named one.
func (s *Schema) Children(name string) (out []string) {
	for _, t := range s.Tables {
		if slices.Contains(t.Parents, name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// Asking returns the tables in which each statement that takes rows of the named one away, or gives them other keys,
// looks for rows that refer to them.
func (s *Schema) Asking(name string) (out []string) {
	for _, t := range s.Tables {
		if slices.Contains(t.Asked(), name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// Fixed says of a foreign key that no UPDATE changes what it refers to: pkey, to which no statement of a case gives
// another value.
func (s *Schema) Fixed(r *Reference) bool {
	keys := r.Keys
	if t := s.Table(r.Parent); len(keys) == 0 && t != nil {
		keys = t.Key
	}
	return len(keys) == 1 && keys[0] == PKey
}

// Linked returns the tables that foreign keys link with a table, in whatever direction and over however many, itself
// included.
func (s *Schema) Linked(name string) []string {
	out := []string{name}
	for i := 0; i < len(out); i++ {
		near := s.Children(out[i])
		if t := s.Table(out[i]); t != nil {
			near = append(near, t.Parents...)
		}
		for _, n := range near {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// isDeferred says whether a constraint is checked when the transaction commits, and not with each statement.
func isDeferred(deferrable string) bool {
	return strings.HasSuffix(deferrable, "INITIALLY DEFERRED") && !strings.HasPrefix(deferrable, "NOT")
}

// WithoutDeferred returns a table without its foreign keys that are checked when a transaction commits; the same where
// it has none.
func WithoutDeferred(n *sql.CreateTable) *sql.CreateTable {
	gone := func(c sql.Constraint) bool {
		f, is := c.(*sql.ForeignKey)
		return is && isDeferred(f.Deferrable)
	}
	of := func(d *sql.ColumnDef) bool { return slices.ContainsFunc(d.Constraints, gone) }
	if !slices.ContainsFunc(n.Constraints, gone) && !slices.ContainsFunc(n.Columns, of) {
		return n
	}
	return sql.Edit(n, func(n *sql.CreateTable) {
		n.Constraints = slices.DeleteFunc(slices.Clone(n.Constraints), gone)
		n.Columns = slices.Clone(n.Columns)
		for i, d := range n.Columns {
			if of(d) {
				n.Columns[i] = sql.Edit(d, func(d *sql.ColumnDef) {
					d.Constraints = slices.DeleteFunc(
						slices.Clone(d.Constraints), gone)
				})
			}
		}
	})
}

// DeferredConstraint returns whether a constraint of a definition that is no foreign key is checked when a transaction
// commits.
func DeferredConstraint(n sql.Node) bool {
	switch n := n.(type) {
	case *sql.PrimaryKey:
		return isDeferred(n.Deferrable)
	case *sql.Unique:
		return isDeferred(n.Deferrable)
	case *sql.Exclude:
		return isDeferred(n.Deferrable)
	}
	return false
}
