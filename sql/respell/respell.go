// Package respell says statements otherwise: another tree with the same meaning, which databases answer by other means.
// Each rewriting says by which law both are the same; where one is not sure to hold, the statement stays as it is.
package respell

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/sql/functions"
)

// alone says whether an expression stands where nothing but AND, OR and NOT has it as an operand: as a condition, in
// parentheses, as an argument, or as what is printed.
func alone(x sql.Node, above []sql.Node) bool {
	if len(above) == 0 || keyed(x, above) {
		return false
	}
	switch in := above[len(above)-1].(type) {
	case *sql.Paren, *sql.When, *sql.Item, *sql.Join, *sql.Row, *sql.Call, *sql.Update, *sql.Delete, *sql.DeleteJoined,
		*sql.Select, *sql.Order:
		return true // what GROUP BY, DISTINCT ON and ORDER BY say is to stay what is printed
	case *sql.Binary:
		return in.Op == sql.OpAnd || in.Op == sql.OpOr
	case *sql.Unary:
		return in.Op == sql.OpNot
	case *sql.Case:
		return x == in.Else
	case *sql.In:
		return x != in.X
	}
	return false
}

// keyed says whether an expression stands in what ON CONFLICT names an index by, which must be said as the index has
// it.
func keyed(x sql.Node, above []sql.Node) bool {
	at := slices.IndexFunc(above, func(n sql.Node) bool {
		_, ok := n.(*sql.OnConflict)
		return ok
	})
	if at < 0 {
		return false
	}
	if at+1 < len(above) {
		x = above[at+1]
	}
	_, key := x.(*sql.Order)
	return key || x == above[at].(*sql.OnConflict).TargetWhere
}

// literal says whether an expression is a literal, with a sign or without.
func literal(x sql.Expr) bool {
	if u, ok := x.(*sql.Unary); ok && (u.Op == sql.OpSub || u.Op == sql.OpAdd) {
		x = u.X
	}
	l, ok := x.(*sql.Literal)
	return ok && l.Kind != sql.Bool
}

// plainColumn says whether an expression is a column.
func plainColumn(x sql.Expr) bool {
	_, ok := x.(*sql.Column)
	return ok
}

// each says whether all expressions are such, and at least two.
func each(xs []sql.Expr, such func(sql.Expr) bool) bool {
	for _, x := range xs {
		if !such(x) {
			return false
		}
	}
	return len(xs) > 1
}

// columnOrLiteral says whether an expression is one of these.
func columnOrLiteral(x sql.Expr) bool { return plainColumn(x) || literal(x) }

// selected is the SELECT that a query is, without WITH before it; nil where it is none. Clauses may stand behind it.
func selected(q *sql.Query) *sql.Select {
	if q == nil || q.With != nil {
		return nil
	}
	s, _ := q.Body.(*sql.Select)
	return s
}

// printed are the expressions that a SELECT prints; nil where one has another name.
func printed(s *sql.Select) (out []sql.Expr) {
	for _, i := range s.Items {
		if i.Alias != nil {
			return nil
		}
		out = append(out, i.X)
	}
	return out
}

// has says whether there is a node of a kind in a tree.
func has[N sql.Node](in sql.Node) (found bool) {
	sql.Walk(in, func(n sql.Node) bool {
		if _, ok := n.(N); ok {
			found = true
		}
		return !found
	})
	return found
}

// changing says whether a function, by its name in lower case, answers otherwise each time, or does something.
func changing(name string) bool {
	f, _ := functions.Of(name)
	switch f.Volatility {
	case functions.OfChance, functions.OfCounter, functions.OfClock:
		return true
	}
	return f.Effect != functions.Plain
}

// volatile says whether an expression is not to be worked out more often than it stands there.
func volatile(in sql.Node) (found bool) {
	sql.Walk(in, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Call:
			found = found || n.Name != nil && changing(n.Name.Folded())
		case *sql.Binary:
			found = found || n.Op == sql.OpAssign
		}
		return !found
	})
	return found
}

// namedByText says whether a query within a statement, or a table that it makes, has a column that is called by how it
// is spelled: what is spelled otherwise would have another name.
func namedByText(stmt sql.Stmt) (found bool) {
	sql.Walk(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Derived:
			found = found || len(n.Columns) == 0 && unlabelled(n.Query)
		case *sql.CTE:
			q, ok := n.Body.(*sql.Query)
			found = found || ok && len(n.Columns) == 0 && unlabelled(q)
		case *sql.CreateTable:
			found = found || n.As != nil && unlabelled(n.As)
		}
		return !found
	})
	return found
}

// unlabelled says whether a query gives no name to something that it prints and that may be spelled otherwise.
func unlabelled(q *sql.Query) bool {
	body := q.Body
	for {
		switch b := body.(type) {
		case *sql.Compound: // the first operand names the columns
			body = b.Left
			continue
		case *sql.Nested:
			return unlabelled(b.Query)
		case *sql.Select:
			return slices.ContainsFunc(b.Items, func(i *sql.Item) bool {
				return i.Alias == nil && !plainColumn(i.X) && !isStar(i.X) && !literal(i.X)
			})
		}
		return false
	}
}

// Unhinted is a statement that names no index which the database is to use, or not to: a table of the same name may
// have none.
func Unhinted(stmt sql.Stmt) sql.Stmt {
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		if t, ok := n.(*sql.Table); ok {
			return sql.Edit(t, func(t *sql.Table) { t.Hints = nil })
		}
		return n
	})
}

// Respelled is a statement that says by other words what a database would do by other means: lists behind IN by
// comparisons, subqueries behind it by EXISTS, window functions and set operations by queries, joins the other way
// round, and more.
func Respelled(stmt sql.Stmt) sql.Stmt {
	if !reads(stmt) || namedByText(stmt) {
		return stmt
	}
	for _, f := range []func(sql.Stmt) sql.Stmt{reworded, compared, fenced, filtered, unwindowed, turned, within,
		apart, listed} {
		stmt = f(stmt)
	}
	return stmt
}

// Names of tables and columns that no case has.
const (
	rowsName    = "respelled_rows"
	othersName  = "respelled_others"
	valueName   = "respelled_value"
	derivedName = "respelled_derived"
	partName    = "respelled_part"
	keyName     = "respelled_key"
)

func of(table string, n *sql.Name) sql.Expr { return &sql.Column{Table: build.Name(table), Name: n} }

func word(kind sql.LiteralKind, text string) sql.Expr { return &sql.Literal{Kind: kind, Text: text} }

// plain is a column without its affinity: +x.
func plain(x sql.Expr) sql.Expr { return &sql.Unary{Op: sql.OpAdd, X: x} }

// whole is SELECT * FROM a table.
func whole(from sql.TableRef) *sql.Query {
	return build.Query(&sql.Select{Items: build.Items(&sql.Star{}), From: from})
}

// with is a query with a table of its own.
func with(c *sql.CTE, q *sql.Query) *sql.Query {
	return sql.Edit(q, func(q *sql.Query) { q.With = build.With(c) })
}
