package respell

import (
	"txweave/sql"
	"txweave/sql/build"
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
