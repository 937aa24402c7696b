package mysql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// planDecides says whether a query has an expression that can raise an error or a warning and that the plan need not
// evaluate: a scalar subquery of more than one row, a division, a conversion of a text, an overflow.
func planDecides(root ast.StmtNode, s *sqltext.Schema) bool {
	v := &risky{classes: classesIn(root, s, either), sets: map[*ast.SubqueryExpr]bool{}}
	root.Accept(v)
	return v.found
}

// risky looks for such expressions.
type risky struct {
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
		v.found = v.found || isText(v.classes.classOf(x.Expr))
	case *ast.SelectStmt:
		v.found = v.found || len(x.TableHints) > 0 // whether one can be followed is a warning's matter
		v.truth(x.Where)
	case *ast.UnaryOperationExpr:
		if x.Op == opcode.Not || x.Op == opcode.Not2 {
			v.truth(x.V)
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

// truth looks at what is taken as a truth value.
func (v *risky) truth(e ast.ExprNode) {
	for p, ok := e.(*ast.ParenthesesExpr); ok; p, ok = e.(*ast.ParenthesesExpr) {
		e = p.Expr
	}
	v.found = v.found || e != nil && isText(v.classes.classOf(e))
}

// mixes looks at values that are compared with the first one; rows are compared value by value.
func (v *risky) mixes(of ...ast.ExprNode) {
	if row := rowOf(of[0]); row != nil {
		for _, e := range of[1:] {
			if other := rowOf(e); len(other) == len(row) { // else a subquery's
				for i := range row {
					v.mixes(row[i], other[i])
				}
			}
		}
		return
	}
	first := v.classes.classOf(of[0])
	for _, e := range of[1:] {
		c := v.classes.classOf(e)
		v.found = v.found || (first == either || c == either || (first == text) != (c == text)) && first != unknown && c != unknown && !isTemporalText(first, c)
	}
}

// rowOf are the values of (a, b, …); nil of all else.
func rowOf(e ast.ExprNode) []ast.ExprNode {
	for p, ok := e.(*ast.ParenthesesExpr); ok; p, ok = e.(*ast.ParenthesesExpr) {
		e = p.Expr
	}
	if row, ok := e.(*ast.RowExpr); ok {
		return row.Values
	}
	return nil
}

// isTemporalText says whether a date or a time meets a text, which is how many people write them.
func isTemporalText(a, b class) bool { return a == temporal || b == temporal }

// operation looks at an arithmetic or logical operator, or a comparison.
func (v *risky) operation(x *ast.BinaryOperationExpr) {
	switch x.Op {
	case opcode.Div, opcode.IntDiv, opcode.Mod:
		lit, ok := x.R.(*test_driver.ValueExpr)
		v.found = v.found || !ok || lit.Kind() != test_driver.KindInt64 || lit.GetInt64() == 0
	case opcode.LogicAnd, opcode.LogicOr, opcode.LogicXor:
		v.truth(x.L)
		v.truth(x.R)
	case opcode.Plus, opcode.Minus, opcode.Mul:
		v.found = v.found || isText(v.classes.classOf(x.L)) || isText(v.classes.classOf(x.R)) || isHuge(x.L) || isHuge(x.R)
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
