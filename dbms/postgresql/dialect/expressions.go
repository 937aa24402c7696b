package dialect

import (
	"strings"

	"txweave/sql"
)

// fields are those of which an interval consists.
var fields = []string{
	"YEAR TO MONTH", "DAY TO HOUR", "DAY TO MINUTE", "DAY TO SECOND", "HOUR TO MINUTE", "HOUR TO SECOND",
	"MINUTE TO SECOND", "YEAR", "MONTH",
	"DAY", "HOUR", "MINUTE", "SECOND",
}

// interval reads what stands behind INTERVAL.
func interval(r *sql.Reader) sql.Expr {
	if r.Is("(") {
		r.Fail("of an interval with a precision no text is read")
		return nil
	}
	return &sql.Interval{X: r.Value(), Unit: r.Phrase(fields...)}
}

// row reads what stands behind ROW.
func row(r *sql.Reader) sql.Expr {
	n := &sql.Row{Word: true}
	if r.Expect("("); !r.Is(")") {
		n.Items = sql.List(r, r.Expr)
	}
	r.Expect(")")
	return n
}

// types are the names of types that have several words.
var types = []string{
	"DOUBLE PRECISION", "CHARACTER VARYING", "CHAR VARYING", "NATIONAL CHARACTER VARYING", "NATIONAL CHAR VARYING",
	"NATIONAL CHARACTER",
	"NATIONAL CHAR", "NCHAR VARYING", "BIT VARYING",
}

// typeOf reads a type.
func typeOf(r *sql.Reader) *sql.Type {
	from := r.Here()
	n := &sql.Type{Words: r.Phrase(types...)}
	if n.Words == "" {
		n.Words = r.TypeName()
	}
	switch {
	case strings.EqualFold(n.Words, "INTERVAL"):
		if unit := r.Phrase(fields...); unit != "" {
			n.Words += " " + unit
		}
		n.Args = modifiers(r, r.Number)
	case strings.EqualFold(n.Words, "TIME"), strings.EqualFold(n.Words, "TIMESTAMP"):
		n.Args = modifiers(r, r.Number)
		n.After = r.Phrase("WITH TIME ZONE", "WITHOUT TIME ZONE")
	default:
		n.Args = modifiers(r, r.Expr)
	}
	n.After += dimensions(r)
	return sql.Read(r, from, n)
}

func modifiers(r *sql.Reader, one func() sql.Expr) []sql.Expr {
	if !r.Is("(") {
		return nil
	}
	return sql.ParenList(r, one)
}

// dimensions reads that a type is of arrays.
func dimensions(r *sql.Reader) (out string) {
	bound := func() {
		r.Expect("[")
		at := r.Here()
		if !r.Is("]") {
			r.Number()
		}
		out += "[" + r.TextFrom(at) + "]"
		r.Expect("]")
	}
	if r.Accept("ARRAY") {
		if out = " ARRAY"; r.Is("[") {
			bound()
		}
		return out
	}
	for r.Is("[") {
		bound()
	}
	return out
}

// limit reads LIMIT, OFFSET and FETCH, whichever stands first; nil where none is there.
func limit(r *sql.Reader) *sql.Limit {
	from := r.Here()
	n := &sql.Limit{}
	for {
		switch {
		case n.Count == nil && n.Fetch == "" && r.Accept("LIMIT"):
			if r.Is("ALL") {
				n.Count = r.Word()
			} else {
				n.Count = r.Expr()
			}
		case n.Count == nil && n.Fetch == "" && r.Accept("FETCH"):
			r.Fetch(n)
		case n.Offset == nil && r.Accept("OFFSET"):
			n.Offset = r.Expr()
			r.OneOf("ROW", "ROWS")
		case r.Here() == from:
			return nil
		default:
			return sql.Read(r, from, n)
		}
	}
}

// tail reads which locks a query takes, and what may stand behind these as well as in front of them.
func tail(r *sql.Reader, q *sql.Query) {
	for r.Is("FOR") {
		from := r.Here()
		r.Expect("FOR")
		n := &sql.Lock{Strength: r.ExpectPhrase("UPDATE, NO KEY UPDATE, SHARE or KEY SHARE",
			"UPDATE", "NO KEY UPDATE", "SHARE",
			"KEY SHARE")}
		if r.Accept("OF") {
			n.Of = sql.List(r, r.Name)
		}
		n.Wait = r.Phrase("NOWAIT", "SKIP LOCKED")
		q.Locks = append(q.Locks, sql.Read(r, from, n))
	}
	if q.Limit == nil {
		q.Limit = limit(r)
	}
}

// indexed reads what an index is of, and how texts compare in it.
func indexed(r *sql.Reader) sql.Expr {
	x := r.Operand(collate)
	bare := x
	if c, ok := x.(*sql.Collate); ok {
		bare = c.X
	}
	switch b := bare.(type) {
	case *sql.Column:
		if b.Table == nil {
			return x
		}
	case *sql.Cast:
		if !b.Colons {
			return x
		}
	case *sql.Call, *sql.Niladic, *sql.Paren, *sql.Subquery:
		return x
	}
	r.Fail("a column, a call or an expression in parentheses is expected")
	return nil
}

// keyPart reads a column of an index, a call or in parentheses an expression, with how it compares.
func keyPart(r *sql.Reader) *sql.Order {
	from := r.Here()
	n := &sql.Order{X: indexed(r)}
	if r.WordNext() && !r.Any("ASC", "DESC", "WITH") && !r.Is("NULLS", "FIRST") && !r.Is("NULLS", "LAST") {
		n.Class = r.Object()
	}
	n.Desc = r.OneOf("ASC", "DESC") == "DESC"
	if r.Is("NULLS", "FIRST") || r.Is("NULLS", "LAST") {
		r.Expect("NULLS")
		n.Nulls = r.OneOf("FIRST", "LAST")
	}
	return sql.Read(r, from, n)
}
