package classes

import (
	"slices"

	"txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// IsAggregate says whether a call makes one value of several rows; MAX and MIN of several arguments do not.
func IsAggregate(x *sql.Call) bool {
	name := x.Name.Folded()
	switch {
	case x.Over != nil:
		return false
	case x.Distinct || x.Filter != nil || len(x.Order) > 0 || len(x.Within) > 0:
		return true
	case name == "min" || name == "max":
		return len(x.Args) == 1
	}
	f, _ := functions.Of(name)
	return f.Aggregate
}

// HasAggregate says whether a query block has an aggregate function in an expression.
func HasAggregate(x sql.Expr) (found bool) {
	if x == nil {
		return false
	}
	sql.Walk(x, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Query:
			return false
		case *sql.Call:
			found = found || IsAggregate(n)
		}
		return !found
	})
	return found
}

// OneRow says whether a query gives one row at most.
func OneRow(q *sql.Query) bool {
	s, block := q.Body.(*sql.Select)
	if block && s.From == nil {
		return true
	}
	if q.Limit != nil {
		return isOne(q.Limit)
	}
	switch b := q.Body.(type) {
	case *sql.Nested:
		return OneRow(b.Query)
	case *sql.Values:
		return len(b.Rows) == 1
	}
	if !block {
		return false
	}
	has := func(such func(sql.Expr) bool) bool {
		return slices.ContainsFunc(s.Items, func(i *sql.Item) bool { return such(i.X) })
	}
	if s.Group == nil && has(HasAggregate) {
		return true
	}
	if s.Distinct && s.On == nil && s.Group == nil && !has(func(x sql.Expr) bool { return !IsConstant(x) }) {
		return true
	}
	return len(Leaves(s.From)) == 1 && FixesKey(s.Where)
}

// isOne says whether a clause is LIMIT 1, with an offset or without.
func isOne(l *sql.Limit) bool {
	if l.Count == nil {
		return l.Fetch == "ONLY"
	}
	n, ok := Integer(l.Count)
	return ok && n == 1 && l.Fetch != "WITH TIES"
}

// FixesKey says whether a condition lets one row pass at most: pkey = ….
func FixesKey(where sql.Expr) bool {
	if where == nil {
		return false
	}
	n, ok := sql.Bare(where).(*sql.Binary)
	if !ok {
		return false
	}
	switch n.Op {
	case sql.OpAnd:
		return FixesKey(n.Left) || FixesKey(n.Right)
	case sql.OpEq:
		return IsColumn(n.Left, sqltext.PKey) && IsConstant(n.Right) || IsColumn(n.Right, sqltext.PKey) && IsConstant(n.Left)
	}
	return false
}

// IsConstant says whether an expression is a literal, with a sign or without.
func IsConstant(x sql.Expr) bool {
	x = sql.Bare(x)
	if u, ok := x.(*sql.Unary); ok && (u.Op == sql.OpSub || u.Op == sql.OpAdd) {
		x = sql.Bare(u.X)
	}
	switch x.(type) {
	case *sql.Literal, *sql.TypedLiteral:
		return true
	}
	return false
}
