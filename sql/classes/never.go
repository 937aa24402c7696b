package classes

import (
	"strconv"
	"strings"

	"txweave/sql"
)

// Never says whether a condition is true of no row whatever, by what it says alone: it compares something with NULL, or
// is a constant that is not true. notNull says of a column that it holds no NULL.
func Never(x sql.Expr, notNull func(*sql.Column) bool) bool {
	switch n := sql.Bare(x).(type) {
	case *sql.Literal:
		return isNull(n) || isFalse(n)
	case *sql.Binary:
		switch n.Op {
		case sql.OpAnd:
			return Never(n.Left, notNull) || Never(n.Right, notNull)
		case sql.OpOr:
			return Never(n.Left, notNull) && Never(n.Right, notNull)
		case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
			return isNull(n.Left) || isNull(n.Right) || unlike(n)
		}
	case *sql.Between:
		return !n.Not && (isNull(n.X) || isNull(n.Low) || isNull(n.High))
	case *sql.In:
		for _, y := range n.List {
			if !isNull(y) {
				return false
			}
		}
		return len(n.List) > 0
	case *sql.Is:
		c, column := sql.Bare(n.X).(*sql.Column)
		return n.What == "NULL" && !n.Not && column && notNull(c)
	}
	return false
}

func isNull(x sql.Expr) bool {
	l, ok := sql.Bare(x).(*sql.Literal)
	return ok && strings.EqualFold(l.Text, "NULL")
}

// isFalse says whether a literal is one that is not true.
func isFalse(l *sql.Literal) bool {
	n, err := strconv.ParseFloat(l.Text, 64)
	return strings.EqualFold(l.Text, "FALSE") || err == nil && n == 0
}

// unlike says whether a comparison of two whole numbers is not true.
func unlike(n *sql.Binary) bool {
	a, known := Integer(n.Left)
	b, both := Integer(n.Right)
	if !known || !both {
		return false
	}
	switch n.Op {
	case sql.OpEq:
		return a != b
	case sql.OpNe:
		return a == b
	case sql.OpLt:
		return a >= b
	case sql.OpLe:
		return a > b
	case sql.OpGt:
		return a <= b
	}
	return a < b
}
