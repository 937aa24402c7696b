package sql

import "strings"

// IfNotExists passes these words if they are next.
func (r *Reader) IfNotExists() bool { return r.Accept("IF", "NOT", "EXISTS") }

// IfExists passes these words if they are next.
func (r *Reader) IfExists() bool { return r.Accept("IF", "EXISTS") }

// InParentheses reads an expression in parentheses.
func (r *Reader) InParentheses() Expr {
	r.Expect("(")
	x := r.Expr()
	r.Expect(")")
	return x
}

// ConstraintName reads the name that a constraint is given; nil where it is given none.
func (r *Reader) ConstraintName() *Name {
	if !r.Accept("CONSTRAINT") {
		return nil
	}
	return r.Name()
}

// References reads REFERENCES with what stands behind it.
func (r *Reader) References(n *ForeignKey) Constraint {
	r.Expect("REFERENCES")
	if r.d.Grammar.BareReferences && r.peek(1).is(".") {
		r.Fail("a foreign key refers to a table of its own schema")
	}
	n.Table = r.Object()
	n.Keys = r.OptionalNames()
	for r.Is("ON") || r.Is("MATCH") {
		switch {
		case r.Accept("MATCH"):
			if r.Is("FULL") {
				n.Match = r.anyName()
			} else {
				n.Match = r.Name()
			}
		case r.Accept("ON", "DELETE"):
			n.OnDelete = r.action()
		default:
			r.Expect("ON", "UPDATE")
			n.OnUpdate = r.action()
		}
	}
	n.Deferrable = r.Deferrable()
	return n
}

// Deferrable reads whether a constraint may be checked late, and whether it is; "" where nothing is said.
func (r *Reader) Deferrable() string {
	out := ""
	switch {
	case r.Accept("NOT", "DEFERRABLE"):
		out = "NOT DEFERRABLE"
	case r.Accept("DEFERRABLE"):
		out = "DEFERRABLE"
	case !r.d.Grammar.LateOptions || !r.Is("INITIALLY"):
		return ""
	}
	if !r.Accept("INITIALLY") {
		return out
	}
	when := r.OneOf("DEFERRED", "IMMEDIATE")
	if when == "" {
		r.Fail("DEFERRED or IMMEDIATE is expected")
	}
	return strings.TrimSpace(out + " INITIALLY " + when)
}

// action reads what is done with rows that refer to one that goes.
func (r *Reader) action() string {
	o := r.Option("SET NULL", "SET DEFAULT", "NO ACTION", "CASCADE", "RESTRICT")
	if o == nil {
		r.Fail("SET NULL, SET DEFAULT, CASCADE, RESTRICT or NO ACTION is expected")
		return ""
	}
	return o.Words
}

// Constraints reads those of a column, each behind its name where it has one.
func (r *Reader) Constraints(unnamed func(*Reader, *Name) Constraint) (out []Constraint) {
	for {
		from := r.pos
		name := r.ConstraintName()
		c := unnamed(r, name)
		if c == nil {
			if name != nil {
				r.Fail("a constraint is expected behind its name")
			}
			return out
		}
		out = append(out, Read(r, from, c))
	}
}
