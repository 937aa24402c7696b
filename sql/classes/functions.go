package classes

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// functionClass is the class of a function's value, of whatever arguments.
func functionClass(name string) sqltext.Class {
	f, _ := functions.Of(name)
	switch f.Value {
	case functions.ExactNumber:
		return exact
	case functions.FloatingNumber:
		return floating
	case functions.Characters:
		return text
	case functions.Moment:
		return temporal
	}
	return unknown
}

// byName takes lists of names apart.
func byName[T comparable](lists map[T]string) map[string]T {
	out := map[string]T{}
	for of, names := range lists {
		for _, n := range strings.Fields(names) {
			out[n] = of
		}
	}
	return out
}

// countingFunctions are aggregates and window functions whose value is an integer, calculatingFunctions those that
// calculate with what they are given.
var (
	countingFunctions = strings.Fields(`count approx_count_distinct row_number rank dense_rank ntile
		bit_and bit_or bit_xor`)
	calculatingFunctions = strings.Fields(`sum avg std stddev stddev_pop stddev_samp variance var_pop var_samp
		bit_and bit_or bit_xor`)
)

// choosing says whether a call gives one of its arguments, all of which it compares.
func choosing(x *sql.Call) bool {
	switch x.Name.Folded() {
	case "greatest", "least":
		return true
	case "max", "min":
		return x.Over == nil && len(x.Args) > 1
	}
	return false
}

// call is the class of a function's value.
func (c *Columns) call(x *sql.Call) sqltext.Class {
	name := x.Name.Folded()
	switch {
	case choosing(x):
		return c.oneOf(x.Args...)
	case x.Over != nil || IsAggregate(x):
		return c.aggregate(name, x.Args)
	case len(x.Args) == 0:
		return functionClass(name)
	}
	switch first := Argument(x.Args[0]); name {
	case "if", "iif":
		return c.oneOf(x.Args[1:]...)
	case "ifnull", "coalesce":
		return c.oneOf(x.Args...)
	case "nullif":
		return c.ClassOf(first)
	case "abs", "round", "truncate":
		return number(c.ClassOf(first))
	case "mod":
		if len(x.Args) == 2 {
			return c.calculated(x.Args[0], x.Args[1])
		}
	}
	return functionClass(name)
}

// aggregate is the class of an aggregate or a window function.
func (c *Columns) aggregate(name string, args []sql.Expr) sqltext.Class {
	switch {
	case len(args) == 0 || slices.Contains(countingFunctions, name):
		return exact
	case name == "group_concat" || name == "string_agg":
		return text
	case name == "sum" || name == "avg":
		return number(c.ClassOf(args[0]))
	case slices.Contains(calculatingFunctions, name) || name == "total":
		return floating
	case strings.HasPrefix(name, "json") || strings.HasPrefix(name, "array_"):
		return unknown
	}
	return c.ClassOf(args[0])
}

func (c *Columns) unary(n *sql.Unary) sqltext.Class {
	switch n.Op {
	case sql.OpAdd:
		return c.ClassOf(n.X)
	case sql.OpSub:
		return number(c.ClassOf(n.X))
	case sql.OpBinary:
		return text
	case sql.OpNot, sql.OpBitNot:
		return exact
	}
	return unknown
}

func (c *Columns) binary(n *sql.Binary) sqltext.Class {
	if _, moved, _ := shifted(n); moved != nil {
		return unknown
	}
	switch n.Op {
	case sql.OpAdd, sql.OpSub, sql.OpMul, sql.OpMod:
		return c.calculated(n.Left, n.Right)
	case sql.OpDiv, sql.OpPower:
		return floating
	case sql.OpConcat:
		return text
	case sql.OpAtZone:
		return temporal
	case sql.OpNamed:
		return c.ClassOf(n.Right)
	case sql.OpOr, sql.OpAnd, sql.OpXor, sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame,
		sql.OpDistinct,
		sql.OpBitAnd, sql.OpBitOr, sql.OpBitXor, sql.OpShiftLeft, sql.OpShiftRight, sql.OpIntDiv, sql.OpSounds:
		return exact
	}
	return unknown
}

// calculated is the class of a sum, a difference, a product or a remainder.
func (c *Columns) calculated(left, right sql.Expr) sqltext.Class {
	if c.ClassOf(left) == exact && c.ClassOf(right) == exact {
		return exact
	}
	return floating
}

// shifted takes apart a time that an interval is added to or taken from, as an operator says it; interval is nil for
// another expression.
func shifted(n *sql.Binary) (time sql.Expr, interval *sql.Interval, ok bool) {
	if n.Op != sql.OpAdd && n.Op != sql.OpSub {
		return nil, nil, false
	}
	if i, is := sql.Bare(n.Right).(*sql.Interval); is {
		return n.Left, i, true
	}
	if i, is := sql.Bare(n.Left).(*sql.Interval); is {
		return n.Right, i, true
	}
	return nil, nil, false
}
