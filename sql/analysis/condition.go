package analysis

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"txweave/sql"
	"txweave/sqltext"
)

// Condition says a condition in the terms that mean the same in every dialect.
func Condition(x sql.Expr) *sqltext.Expr {
	switch x := sql.Bare(x).(type) {
	case *sql.Column:
		return &sqltext.Expr{Op: sqltext.OpColumn, Text: x.Name.Value}
	case *sql.Literal:
		return constant(x)
	case *sql.Is:
		switch x.What {
		case "NULL":
			return of(sqltext.OpIsNull, x.Not, x.X)
		case "TRUE":
			return of(sqltext.OpIsTrue, x.Not, x.X)
		case "FALSE":
			return of(sqltext.OpIsFalse, x.Not, x.X)
		}
	case *sql.Unary:
		switch x.Op {
		case sql.OpNot:
			return of(sqltext.OpNot, false, x.X)
		case sql.OpSub:
			return of(sqltext.OpNegate, false, x.X)
		}
		return unknown("operator %s", x.Op)
	case *sql.Binary:
		if op, ok := operators[x.Op]; ok {
			return of(op, false, x.Left, x.Right)
		}
		return unknown("operator %s may mean something else there", x.Op)
	case *sql.Between:
		if !x.Symmetric {
			return of(sqltext.OpBetween, x.Not, x.X, x.Low, x.High)
		}
	case *sql.In:
		if x.Query != nil {
			return unknown("it has a subquery")
		}
		if x.Table == nil {
			return of(sqltext.OpIn, x.Not, append([]sql.Expr{x.X}, x.List...)...)
		}
	}
	return unknown("%s may mean something else there", nodeName(x))
}

var operators = map[sql.Op]sqltext.Operator{
	sql.OpEq: sqltext.OpEqual, sql.OpNe: sqltext.OpNotEqual, sql.OpLt: sqltext.OpLess, sql.OpLe: sqltext.OpLessEqual,
	sql.OpGt: sqltext.OpGreater, sql.OpGe: sqltext.OpGreaterEqual, sql.OpSame: sqltext.OpSame,
	sql.OpAnd: sqltext.OpAnd, sql.OpOr: sqltext.OpOr,
	sql.OpAdd: sqltext.OpPlus, sql.OpSub: sqltext.OpMinus, sql.OpMul: sqltext.OpTimes, sql.OpMod: sqltext.OpModulo,
}

func of(op sqltext.Operator, negated bool, args ...sql.Expr) *sqltext.Expr {
	x := &sqltext.Expr{Op: op, Negated: negated}
	for _, a := range args {
		x.Args = append(x.Args, Condition(a))
	}
	return x
}

// unknown is what may mean something else in another dialect.
func unknown(format string, args ...any) *sqltext.Expr {
	return &sqltext.Expr{Op: sqltext.OpUnknown, Text: fmt.Sprintf(format, args...)}
}

// constant is an integer, NULL, or a binary string written in hexadecimal.
func constant(l *sql.Literal) *sqltext.Expr {
	switch l.Kind {
	case sql.Null:
		return &sqltext.Expr{Op: sqltext.OpNull}
	case sql.Bool:
		n := int64(0)
		if l.Text[0] == 't' || l.Text[0] == 'T' {
			n = 1
		}
		return &sqltext.Expr{Op: sqltext.OpInteger, Integer: n}
	case sql.Number:
		if n, err := strconv.ParseInt(l.Text, 10, 64); err == nil {
			return &sqltext.Expr{Op: sqltext.OpInteger, Integer: n}
		}
	case sql.Blob: // x'6162'
		if text := Characters(l); len(l.Text) > 2 && (l.Text[0] == 'x' || l.Text[0] == 'X') {
			if b, err := hex.DecodeString(text); err == nil {
				return &sqltext.Expr{Op: sqltext.OpBytes, Text: string(b)}
			}
		}
	}
	return unknown("a literal is neither an integer nor x'…'")
}
