package mysql

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// planDecides says whether a query has an expression that can raise an error or a warning and that the plan need not
// evaluate: a scalar subquery of more than one row, a division, a conversion of a text, an overflow.
func (p *Parser) planDecides(root ast.StmtNode, s *sqltext.Schema) bool {
	v := &risky{words: p.words != nil, classes: classesIn(root, s, either), sets: map[*ast.SubqueryExpr]bool{}}
	v.classes.known = map[ast.ExprNode]class{}
	root.Accept(v)
	return v.found
}

// risky looks for such expressions.
type risky struct {
	words   bool // the DBMS has Words: the sign of an exclusive OR puts texts together
	classes columnClasses
	sets    map[*ast.SubqueryExpr]bool // subqueries that may have any number of rows
	found   bool
}

func (v *risky) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.PatternInExpr:
		v.anyRows(x.Sel)
		v.mixes(append([]ast.ExprNode{x.Expr}, x.List...)...)
		if x.Sel != nil {
			v.mixes(x.Expr, x.Sel)
		}
	case *ast.ExistsSubqueryExpr:
		v.anyRows(x.Sel)
	case *ast.CompareSubqueryExpr:
		v.anyRows(x.R)
		v.mixes(x.L, x.R)
	case *ast.CommonTableExpression:
		v.sets[x.Query] = true
	case *ast.SubqueryExpr:
		v.found = v.found || !v.sets[x] && !oneRow(x.Query)
	case *ast.BinaryOperationExpr:
		v.operation(x)
	case *ast.BetweenExpr:
		v.mixes(x.Expr, x.Left, x.Right)
	case *ast.FuncCastExpr:
		v.cast(x)
	case *ast.FuncCallExpr:
		v.call(x)
	case *ast.AggregateFuncExpr:
		v.calculates(x.F, x.Args)
	case *ast.WindowFuncExpr:
		v.calculates(x.Name, x.Args)
	case *ast.CaseExpr:
		v.branches(x)
	case *ast.IsTruthExpr:
		v.numbers(x.Expr)
	case *ast.Join:
		v.joined(x)
	case *ast.SelectStmt:
		v.found = v.found || len(x.TableHints) > 0 // whether one can be followed is a warning's matter
		v.numbers(x.Where)
		if x.Having != nil {
			v.numbers(x.Having.Expr)
		}
	case *ast.UnaryOperationExpr:
		if x.Op != opcode.Plus {
			v.numbers(x.V)
		}
	}
	return n, v.found
}

func (v *risky) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// anyRows notes a subquery that may have any number of rows.
func (v *risky) anyRows(e ast.ExprNode) {
	if sub, ok := e.(*ast.SubqueryExpr); ok {
		v.sets[sub] = true
	}
}

// branches looks at what CASE compares, or takes as truth values.
func (v *risky) branches(x *ast.CaseExpr) {
	for _, w := range x.WhenClauses {
		if x.Value != nil {
			v.mixes(x.Value, w.Expr)
		} else {
			v.numbers(w.Expr)
		}
	}
}

// calculates looks at an aggregate or a window function.
func (v *risky) calculates(name string, args []ast.ExprNode) {
	if slices.Contains(calculatingFunctions, strings.ToLower(name)) {
		v.numbers(args...)
	}
}

// operation looks at an arithmetic or logical operator, or a comparison.
func (v *risky) operation(x *ast.BinaryOperationExpr) {
	switch x.Op {
	case opcode.Xor:
		if !v.words {
			v.numbers(x.L, x.R)
		}
	case opcode.Div, opcode.IntDiv, opcode.Mod:
		lit, ok := x.R.(*test_driver.ValueExpr)
		v.found = v.found || !ok || lit.Kind() != test_driver.KindInt64 || lit.GetInt64() == 0
		v.numbers(x.L)
	case opcode.LogicAnd, opcode.LogicOr, opcode.LogicXor, opcode.And, opcode.Or, opcode.LeftShift, opcode.RightShift:
		v.numbers(x.L, x.R)
	case opcode.Plus, opcode.Minus, opcode.Mul:
		v.numbers(x.L, x.R)
		v.found = v.found || isHuge(x.L) || isHuge(x.R)
	case opcode.EQ, opcode.NE, opcode.LT, opcode.LE, opcode.GT, opcode.GE, opcode.NullEQ:
		v.mixes(x.L, x.R)
	}
}

// isHuge says whether a literal is so large that a calculation with it may leave the numbers.
func isHuge(e ast.ExprNode) bool {
	lit, ok := e.(*test_driver.ValueExpr)
	if !ok {
		return false
	}
	const limit = 1 << 52
	return lit.Kind() == test_driver.KindUint64 || lit.Kind() == test_driver.KindInt64 && (lit.GetInt64() > limit || lit.GetInt64() < -limit)
}

// isText says whether values of a class may be texts.
func isText(c class) bool { return c == text || c == either }
