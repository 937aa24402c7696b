package respell

import (
	"strconv"

	"txweave/sql"
)

// Names of tables and columns that no case has.
const (
	rowsName    = "respelled_rows"
	othersName  = "respelled_others"
	valueName   = "respelled_value"
	derivedName = "respelled_derived"
	partName    = "respelled_part"
	keyName     = "respelled_key"
)

// What follows makes nodes.

func name(s string) *sql.Name { return &sql.Name{Value: s} }

func column(s string) sql.Expr { return &sql.Column{Name: name(s)} }

func of(table string, n *sql.Name) sql.Expr { return &sql.Column{Table: name(table), Name: n} }

func number(n int) sql.Expr {
	if n < 0 {
		return &sql.Unary{Op: sql.OpSub, X: number(-n)}
	}
	return &sql.Literal{Kind: sql.Number, Text: strconv.Itoa(n)}
}

func word(kind sql.LiteralKind, text string) sql.Expr { return &sql.Literal{Kind: kind, Text: text} }

func null() sql.Expr { return word(sql.Null, "NULL") }

// truth is TRUE or FALSE.
func truth(is bool) sql.Expr {
	if is {
		return word(sql.Bool, "TRUE")
	}
	return word(sql.Bool, "FALSE")
}

func binary(left sql.Expr, op sql.Op, right sql.Expr) sql.Expr {
	return &sql.Binary{Op: op, Left: left, Right: right}
}

func paren(x sql.Expr) sql.Expr { return &sql.Paren{X: x} }

func not(x sql.Expr) sql.Expr { return &sql.Unary{Op: sql.OpNot, X: x} }

// negated is NOT x where it is asked for.
func negated(is bool, x sql.Expr) sql.Expr {
	if is {
		return not(x)
	}
	return x
}

func isNull(x sql.Expr) sql.Expr { return &sql.Is{X: x, What: "NULL"} }

func isNotNull(x sql.Expr) sql.Expr { return &sql.Is{X: x, Not: true, What: "NULL"} }

// plain is a column without its affinity: +x.
func plain(x sql.Expr) sql.Expr { return &sql.Unary{Op: sql.OpAdd, X: x} }

// allOf and anyOf join conditions; none is nil.
func allOf(conditions ...sql.Expr) sql.Expr { return joined(sql.OpAnd, conditions) }

func anyOf(conditions ...sql.Expr) sql.Expr { return joined(sql.OpOr, conditions) }

func joined(op sql.Op, conditions []sql.Expr) (out sql.Expr) {
	for _, c := range conditions {
		switch {
		case c == nil:
		case out == nil:
			out = c
		default:
			out = binary(out, op, c)
		}
	}
	return out
}

func call(function string, args ...sql.Expr) *sql.Call {
	return &sql.Call{Name: name(function), Args: args}
}

func when(condition, result sql.Expr) *sql.When { return &sql.When{Cond: condition, Result: result} }

func cases(otherwise sql.Expr, whens ...*sql.When) sql.Expr {
	return &sql.Case{Whens: whens, Else: otherwise}
}

func exists(q *sql.Query) sql.Expr { return &sql.Exists{Query: q} }

func items(xs ...sql.Expr) (out []*sql.Item) {
	for _, x := range xs {
		out = append(out, &sql.Item{X: x})
	}
	return out
}

func query(s *sql.Select) *sql.Query { return &sql.Query{Body: s} }

// whole is SELECT * FROM a table.
func whole(from sql.TableRef) *sql.Query {
	return query(&sql.Select{Items: items(&sql.Star{}), From: from})
}

func table(s string) sql.TableRef { return &sql.Table{Name: name(s)} }

func derived(q *sql.Query, alias string) sql.TableRef {
	d := &sql.Derived{Query: q}
	if alias != "" {
		d.Alias = name(alias)
	}
	return d
}

// with is a query with a table of its own.
func with(c *sql.CTE, q *sql.Query) *sql.Query {
	return sql.Edit(q, func(q *sql.Query) { q.With = &sql.With{CTEs: []*sql.CTE{c}} })
}
