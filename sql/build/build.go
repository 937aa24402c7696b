// Package build makes trees of statements: a function a form, so that who writes SQL spells no text.
//
// What is nil is left out: of conditions that are joined, of clauses. The nodes are new each time, but for what a
// caller hands in twice.
package build

import (
	"strconv"

	"txweave/sql"
)

// Name is a name without quotes.
func Name(s string) *sql.Name { return &sql.Name{Value: s} }

// Names are several of them.
func Names(list ...string) []*sql.Name {
	out := make([]*sql.Name, len(list))
	for i, s := range list {
		out[i] = Name(s)
	}
	return out
}

// Column is a column, of a table where that is not "".
func Column(table, name string) *sql.Column {
	c := &sql.Column{Name: Name(name)}
	if table != "" {
		c.Table = Name(table)
	}
	return c
}

// Int is a whole number.
func Int[N int | int64](n N) sql.Expr { return Number(strconv.FormatInt(int64(n), 10)) }

// Number is a number by its digits, with a sign or without.
func Number(digits string) sql.Expr {
	if digits[0] == '-' {
		return &sql.Unary{Op: sql.OpSub, X: Number(digits[1:])}
	}
	return &sql.Literal{Kind: sql.Number, Text: digits}
}

// Text is a text by what stands in its quotes, doubled ones as they are.
func Text(s string) sql.Expr { return &sql.Literal{Kind: sql.Text, Text: "'" + s + "'"} }

// Null is NULL.
func Null() sql.Expr { return &sql.Literal{Kind: sql.Null, Text: "NULL"} }

// Truth is TRUE or FALSE.
func Truth(is bool) sql.Expr {
	if is {
		return &sql.Literal{Kind: sql.Bool, Text: "TRUE"}
	}
	return &sql.Literal{Kind: sql.Bool, Text: "FALSE"}
}

// Binary is an operator between two operands.
func Binary(left sql.Expr, op sql.Op, right sql.Expr) sql.Expr {
	return &sql.Binary{Op: op, Left: left, Right: right}
}

// Eq compares two operands by =.
func Eq(left, right sql.Expr) sql.Expr { return Binary(left, sql.OpEq, right) }

// Paren is an expression in parentheses.
func Paren(x sql.Expr) sql.Expr { return &sql.Paren{X: x} }

// Not is NOT x where it is asked for, else x.
func Not(is bool, x sql.Expr) sql.Expr {
	if is {
		return &sql.Unary{Op: sql.OpNot, X: x}
	}
	return x
}

// IsNull is x IS NULL, or x IS NOT NULL.
func IsNull(x sql.Expr, not bool) sql.Expr { return &sql.Is{X: x, Not: not, What: "NULL"} }

// Between is x BETWEEN low AND high.
func Between(x, low, high sql.Expr) *sql.Between { return &sql.Between{X: x, Low: low, High: high} }

// In is x IN (list).
func In(x sql.Expr, not bool, list ...sql.Expr) sql.Expr { return &sql.In{X: x, Not: not, List: list} }

// InQuery is x IN (query).
func InQuery(x sql.Expr, not bool, q *sql.Query) sql.Expr { return &sql.In{X: x, Not: not, Query: q} }

// Exists is EXISTS (query).
func Exists(q *sql.Query) sql.Expr { return &sql.Exists{Query: q} }

// Scalar is a query that gives one value.
func Scalar(q *sql.Query) sql.Expr { return &sql.Subquery{Query: q} }

// Row is (a, b, …).
func Row(items ...sql.Expr) *sql.Row { return &sql.Row{Items: items} }

// All joins conditions by AND, as their texts with that between them would be read.
func All(conditions ...sql.Expr) sql.Expr { return joined(sql.OpAnd, conditions) }

// Any joins conditions by OR; see All.
func Any(conditions ...sql.Expr) sql.Expr { return joined(sql.OpOr, conditions) }

func joined(op sql.Op, conditions []sql.Expr) (out sql.Expr) {
	for _, c := range conditions {
		out = joinedTo(out, op, c)
	}
	return out
}

// joinedTo hangs a condition behind another one: such operators group from the left.
func joinedTo(left sql.Expr, op sql.Op, c sql.Expr) sql.Expr {
	switch x, ok := c.(*sql.Binary); {
	case c == nil:
		return left
	case left == nil:
		return c
	case ok && x.Op == op:
		return Binary(joinedTo(left, op, x.Left), op, x.Right)
	}
	return Binary(left, op, c)
}

// Call is a call of a function.
func Call(function string, args ...sql.Expr) *sql.Call {
	return &sql.Call{Name: Name(function), Args: args}
}

// Count is COUNT(*).
func Count() *sql.Call { return Call("COUNT", &sql.Star{}) }

// Case is CASE WHEN … END, otherwise being its ELSE.
func Case(otherwise sql.Expr, whens ...*sql.When) *sql.Case {
	return &sql.Case{Whens: whens, Else: otherwise}
}

// When is WHEN condition THEN result.
func When(condition, result sql.Expr) *sql.When { return &sql.When{Cond: condition, Result: result} }

// Item is an expression of a select list, under a name where that is not "".
func Item(x sql.Expr, alias string) *sql.Item {
	item := &sql.Item{X: x}
	if alias != "" {
		item.Alias = Name(alias)
	}
	return item
}

// Items are expressions without names.
func Items(xs ...sql.Expr) (out []*sql.Item) {
	for _, x := range xs {
		out = append(out, Item(x, ""))
	}
	return out
}

// Query is a query of one body.
func Query(b sql.Body) *sql.Query { return &sql.Query{Body: b} }

// Table is a table, under another name where alias is not "".
func Table(name, alias string) *sql.Table {
	t := &sql.Table{Name: Name(name)}
	if alias != "" {
		t.Alias = Name(alias)
	}
	return t
}

// Derived is a query as a table.
func Derived(q *sql.Query, alias string) sql.TableRef {
	d := &sql.Derived{Query: q}
	if alias != "" {
		d.Alias = Name(alias)
	}
	return d
}

// Join joins two tables; on is nil where the kind needs no condition.
func Join(left sql.TableRef, kind sql.JoinKind, right sql.TableRef, on sql.Expr) *sql.Join {
	return &sql.Join{Left: left, Kind: kind, Right: right, On: on}
}

// Compound joins bodies of queries by an operator, from the left.
func Compound(op string, bodies ...sql.Body) sql.Body {
	out := bodies[0]
	for _, b := range bodies[1:] {
		out = &sql.Compound{Op: op, Left: out, Right: b}
	}
	return out
}

// With is a common table expression before a query.
func With(c *sql.CTE) *sql.With { return &sql.With{CTEs: []*sql.CTE{c}} }

// Order is an item of ORDER BY.
func Order(x sql.Expr, desc bool) *sql.Order { return &sql.Order{X: x, Desc: desc} }

// Set is column = value.
func Set(column *sql.Column, value sql.Expr) *sql.Assign {
	return &sql.Assign{Columns: []*sql.Column{column}, Value: value}
}
