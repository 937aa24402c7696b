package classes

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// PlanDecides says whether a query has an expression that can raise an error or a warning and that the plan need not
// evaluate: a scalar subquery of more than one row, a division, a conversion of a text, an overflow.
func PlanDecides(root sql.Node, schema *sqltext.Schema) bool {
	v := &risky{classes: resolved(root, schema, either)}
	sql.Walk(root, func(n sql.Node) bool {
		if !v.found {
			v.node(n)
		}
		return !v.found
	})
	return v.found
}

// risky looks for such expressions.
type risky struct {
	classes *Columns
	found   bool
}

func (v *risky) node(n sql.Node) {
	switch x := n.(type) {
	case *sql.In:
		v.mixes(x.X, x.List...)
		v.mixesRows(x.X, x.Query)
	case *sql.Quantified:
		v.mixesRows(x.X, x.Query)
	case *sql.Subquery:
		v.found = v.found || !OneRow(x.Query)
	case *sql.Binary:
		v.operation(x)
	case *sql.Between:
		v.mixes(x.X, x.Low, x.High)
	case *sql.Cast:
		v.cast(x)
	case *sql.Call:
		v.call(x)
	case *sql.Case:
		v.branches(x)
	case *sql.Is:
		if x.What == "TRUE" || x.What == "FALSE" {
			v.numbers(x.X)
		}
	case *sql.Join:
		v.joined(x)
	case *sql.Hint:
		v.found = v.found || slices.Contains(planned, x.Name)
	case *sql.Select:
		v.numbers(x.Where, x.Having)
	case *sql.Unary:
		if x.Op != sql.OpAdd && x.Op != sql.OpBinary {
			v.numbers(x.X)
		}
	}
}

// planned are hints of such a kind: whether one can be followed is the plan's matter, and that it cannot a warning's.
var planned = strings.Fields(`AGG_TO_COP BROADCAST_JOIN FORCE_INDEX HASH_AGG HASH_JOIN HASH_JOIN_BUILD
	HASH_JOIN_PROBE IGNORE_INDEX IGNORE_PLAN_CACHE INDEX_HASH_JOIN INDEX_JOIN INDEX_MERGE_JOIN INL_HASH_JOIN INL_JOIN
	INL_MERGE_JOIN LEADING LIMIT_TO_COP MERGE MERGE_JOIN MPP_1PHASE_AGG MPP_2PHASE_AGG NO_DECORRELATE NO_HASH_JOIN
	NO_INDEX_HASH_JOIN NO_INDEX_JOIN NO_INDEX_MERGE NO_INDEX_MERGE_JOIN NO_MERGE_JOIN NO_ORDER_INDEX NO_SWAP_JOIN_INPUTS
	ORDER_INDEX READ_CONSISTENT_REPLICA READ_FROM_STORAGE SEMI_JOIN_REWRITE SHUFFLE_JOIN STRAIGHT_JOIN STREAM_AGG
	SWAP_JOIN_INPUTS USE_CASCADES USE_INDEX USE_INDEX_MERGE USE_PLAN_CACHE USE_TOJA`)

// branches looks at what CASE compares, or takes as truth values.
func (v *risky) branches(x *sql.Case) {
	for _, w := range x.Whens {
		if x.Operand != nil {
			v.mixes(x.Operand, w.Cond)
		} else {
			v.numbers(w.Cond)
		}
	}
}

// operation looks at an arithmetic or logical operator, or a comparison. That texts are put together is no risk.
func (v *risky) operation(x *sql.Binary) {
	if time, interval, ok := shifted(x); ok {
		v.moves(time, interval.X)
		return
	}
	switch x.Op {
	case sql.OpDiv, sql.OpIntDiv, sql.OpMod:
		v.divides(x.Left, x.Right)
	case sql.OpAnd, sql.OpOr, sql.OpXor, sql.OpBitAnd, sql.OpBitOr, sql.OpBitXor, sql.OpShiftLeft, sql.OpShiftRight:
		v.numbers(x.Left, x.Right)
	case sql.OpAdd, sql.OpSub, sql.OpMul:
		v.numbers(x.Left, x.Right)
		v.found = v.found || isHuge(x.Left) || isHuge(x.Right)
	case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame, sql.OpDistinct:
		v.mixes(x.Left, x.Right)
	}
}

// divides looks at a division by what is no integer, or 0.
func (v *risky) divides(x, by sql.Expr) {
	n, ok := Integer(by)
	if lit, is := sql.Bare(by).(*sql.Literal); is && lit.Kind == sql.Bool {
		n, ok = 1, lit.Text[0] == 'T' || lit.Text[0] == 't'
	}
	v.found = v.found || !ok || n == 0
	v.numbers(x)
}

// isHuge says whether a literal is so large that a calculation with it may leave the numbers.
func isHuge(x sql.Expr) bool {
	lit, ok := x.(*sql.Literal)
	if !ok || lit.Kind != sql.Number || literalClass(lit) != exact {
		return false
	}
	const limit = 1 << 52
	n, err := strconv.ParseFloat(lit.Text, 64)
	return err != nil || n > limit
}

// call looks at what a function takes its arguments as.
func (v *risky) call(x *sql.Call) {
	name, args := x.Name.Folded(), x.Args
	switch {
	case choosing(x):
		v.mixesAll(args)
		return
	case x.Over != nil || IsAggregate(x):
		if slices.Contains(calculatingFunctions, name) {
			v.numbers(args...)
		}
		return
	case len(args) == 0:
		return
	}
	switch name {
	case "nullif", "field":
		v.mixesAll(args)
		return
	case "mod":
		if len(args) == 2 {
			v.divides(args[0], args[1])
		}
		return
	case "ln", "log", "log2", "log10", "exp", "pow", "power": // of what has none, or one that is too large
		_, lit := sql.Bare(args[0]).(*sql.Literal)
		v.found = v.found || !lit
	case "date_add", "date_sub", "adddate", "subdate":
		if len(args) == 2 {
			by := args[1]
			if i, ok := by.(*sql.Interval); ok {
				by = i.X
			}
			v.moves(args[0], by)
			return
		}
	}
	pattern := demands[name]
	for i, arg := range args {
		if pattern == "" || IsWord(x, i) {
			continue
		}
		switch pattern[min(i, len(pattern)-1)] {
		case 'n':
			v.numbers(Argument(arg))
		case 'd':
			v.times(Argument(arg))
		}
	}
}

// moves looks at what an interval is added to, and at how many of its units there are.
func (v *risky) moves(time, by sql.Expr) {
	v.times(time)
	if v.operand(by).literal == nil { // an interval may be a literal such as '1:30'
		v.numbers(by)
	}
}
