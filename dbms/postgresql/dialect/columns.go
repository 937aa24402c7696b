package dialect

import (
	"strings"

	"txweave/sql"
)

// column reads a column of a table with its constraints. It has no type where the table is made of a query, or is a
// partition.
func column(r *sql.Reader) *sql.ColumnDef {
	from := r.Here()
	n := &sql.ColumnDef{Name: r.Name()}
	if !r.Any(",", ")", "CONSTRAINT", "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "WITH") {
		n.Type = r.Type()
	}
	r.Accept("WITH", "OPTIONS")
	n.Constraints = r.Constraints(unnamed)
	return sql.Read(r, from, n)
}

// unnamed reads a constraint of a column behind its name; nil where none is next.
func unnamed(r *sql.Reader, name *sql.Name) sql.Constraint {
	switch {
	case r.Accept("NOT", "NULL"):
		return &sql.Nullable{Name: name, Not: true}
	case r.Accept("NULL"):
		return &sql.Nullable{Name: name}
	case r.Accept("DEFAULT"):
		return &sql.Default{Name: name, X: r.Narrow()}
	case r.Accept("PRIMARY", "KEY"):
		return &sql.PrimaryKey{Name: name, Options: keyOptions(r), Deferrable: r.Deferrable()}
	case r.Accept("UNIQUE"):
		return &sql.Unique{Name: name, Nulls: nullsDistinct(r), Options: keyOptions(r), Deferrable: r.Deferrable()}
	case r.Accept("CHECK"):
		return check(r, name)
	case r.Is("REFERENCES"):
		return r.References(&sql.ForeignKey{Name: name})
	case name == nil && r.Accept("COLLATE"):
		return &sql.Collation{Collation: r.Name()}
	case name == nil && r.Any("STORAGE", "COMPRESSION"):
		return &sql.Attribute{Words: r.OneOf("STORAGE", "COMPRESSION"), Value: object(r)}
	case r.Accept("GENERATED", "ALWAYS", "AS", "IDENTITY"):
		return identity(r, name, true)
	case r.Accept("GENERATED", "BY", "DEFAULT", "AS", "IDENTITY"):
		return identity(r, name, false)
	case r.Accept("GENERATED", "ALWAYS", "AS"):
		return &sql.Generated{Name: name, X: r.InParentheses(), Kept: r.OneOf("STORED", "VIRTUAL")}
	}
	return nil
}

func identity(r *sql.Reader, name *sql.Name, always bool) sql.Constraint {
	n := &sql.Identity{Name: name, Always: always}
	if r.Accept("(") {
		n.Options = sequenceOptions(r)
		r.Expect(")")
	}
	return n
}

// nullsDistinct reads whether NULLs differ from each other; "" where nothing is said.
func nullsDistinct(r *sql.Reader) string {
	return strings.TrimPrefix(r.Phrase("NULLS NOT DISTINCT", "NULLS DISTINCT"), "NULLS ")
}

func check(r *sql.Reader, name *sql.Name) sql.Constraint {
	return &sql.Check{Name: name, X: r.InParentheses(), Enforced: r.Phrase("NO INHERIT", "ENFORCED", "NOT ENFORCED")}
}

// keyOptions reads how the index of a key, or an index, is kept.
func keyOptions(r *sql.Reader) (out []*sql.Option) {
	add := func(o *sql.Option) {
		if o != nil {
			out = append(out, o)
		}
	}
	add(valued(r, func() sql.Expr {
		from := r.Here()
		return sql.Read[sql.Expr](r, from, &sql.Row{Items: sql.ParenList(r, func() sql.Expr { return object(r) })})
	}, "INCLUDE"))
	add(r.Option("NULLS NOT DISTINCT", "NULLS DISTINCT"))
	add(valued(r, func() sql.Expr { return settings(r) }, "WITH"))
	add(valued(r, func() sql.Expr { return object(r) }, "USING INDEX TABLESPACE", "TABLESPACE"))
	return out
}

// constraintNext says whether a constraint of a table is next, or LIKE, and no column.
func constraintNext(r *sql.Reader) bool {
	return r.Any("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "LIKE") || r.Is("EXCLUDE", "(") ||
		r.Is("EXCLUDE", "USING")
}

// tableConstraint reads a constraint of a table.
func tableConstraint(r *sql.Reader) sql.Constraint {
	from := r.Here()
	name := r.ConstraintName()
	var c sql.Constraint
	switch {
	case r.Accept("PRIMARY", "KEY"):
		n := &sql.PrimaryKey{Name: name}
		n.Columns, n.Options = keyed(r)
		n.Deferrable = r.Deferrable()
		c = n
	case r.Accept("UNIQUE"):
		n := &sql.Unique{Name: name, Nulls: nullsDistinct(r)}
		n.Columns, n.Options = keyed(r)
		n.Deferrable = r.Deferrable()
		c = n
	case r.Accept("EXCLUDE"):
		c = exclude(r, name)
	case r.Accept("FOREIGN", "KEY"):
		c = r.References(&sql.ForeignKey{Name: name, Columns: r.Names()})
	case r.Accept("CHECK"):
		c = check(r, name)
	case name == nil && r.Accept("LIKE"):
		c = tableLike(r)
	default:
		r.Fail("a table's constraint is expected")
		return nil
	}
	return sql.Read(r, from, c)
}

// keyed reads the columns of a key and how its index is kept, or which index it is to have.
func keyed(r *sql.Reader) ([]*sql.Order, []*sql.Option) {
	if o := valued(r, func() sql.Expr { return name(r) }, "USING INDEX"); o != nil {
		return nil, []*sql.Option{o}
	}
	columns := sql.ParenList(r, func() *sql.Order {
		from := r.Here()
		return sql.Read(r, from, &sql.Order{X: sql.Read(r, from, &sql.Column{Name: r.Name()})})
	})
	return columns, keyOptions(r)
}

func exclude(r *sql.Reader, name *sql.Name) sql.Constraint {
	n := &sql.Exclude{Name: name, Using: using(r)}
	n.Elements = sql.ParenList(r, func() *sql.Exclusion {
		from := r.Here()
		e := &sql.Exclusion{Key: keyPart(r)}
		r.Expect("WITH")
		e.Op = r.Operator()
		return sql.Read(r, from, e)
	})
	n.Options = keyOptions(r)
	if r.Accept("WHERE") {
		n.Where = r.InParentheses()
	}
	n.Deferrable = r.Deferrable()
	return n
}

// using reads the method of an index; "" where none is said.
func using(r *sql.Reader) string {
	if !r.Accept("USING") {
		return ""
	}
	at := r.Here()
	r.Name()
	return r.TextFrom(at)
}

func tableLike(r *sql.Reader) sql.Constraint {
	n := &sql.TableLike{Table: r.Object()}
	for r.Any("INCLUDING", "EXCLUDING") {
		from := r.Here()
		how := r.OneOf("INCLUDING", "EXCLUDING")
		what := r.ExpectPhrase("what is included", "COMMENTS", "COMPRESSION", "CONSTRAINTS", "DEFAULTS", "GENERATED",
			"IDENTITY", "INDEXES", "STATISTICS",
			"STORAGE", "ALL")
		n.Options = append(n.Options, sql.Read(r, from, &sql.Option{Words: how + " " + what}))
	}
	return n
}
