package mysql

import (
	"errors"
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"txweave/sqltext"
)

// IsCondition implements sqltext.Analyzer.
func (p *Parser) IsCondition(where string) error {
	_, err := p.condition(where)
	return err
}

// condition parses a predicate: a condition and nothing more, not the end of one statement and another one.
func (p *Parser) condition(where string) (ast.ExprNode, error) {
	where, err := p.lower(where)
	if err != nil {
		return nil, err
	}
	stmt, err := p.ask("SELECT 1 FROM t WHERE " + where)
	if err != nil {
		return nil, fmt.Errorf("the parser does not read it: %w", err)
	}
	sel, ok := stmt.(*ast.SelectStmt)
	if !ok || sel.GroupBy != nil || sel.OrderBy != nil || sel.Limit != nil || sel.Having != nil || sel.LockInfo != nil || sel.WindowSpecs != nil || sel.SelectIntoOpt != nil {
		return nil, errors.New("it is more than a condition")
	}
	return sel.Where, nil
}

// Condition implements sqltext.Analyzer.
func (p *Parser) Condition(where string) (*sqltext.Expr, error) {
	n, err := p.condition(where)
	if err != nil {
		return nil, err
	}
	return exprOf(n), nil
}

var comparisons = map[opcode.Op]sqltext.Operator{
	opcode.EQ: sqltext.OpEqual, opcode.NE: sqltext.OpNotEqual, opcode.LT: sqltext.OpLess, opcode.LE: sqltext.OpLessEqual,
	opcode.GT: sqltext.OpGreater, opcode.GE: sqltext.OpGreaterEqual, opcode.NullEQ: sqltext.OpSame,
	opcode.LogicAnd: sqltext.OpAnd, opcode.LogicOr: sqltext.OpOr,
	opcode.Plus: sqltext.OpPlus, opcode.Minus: sqltext.OpMinus, opcode.Mul: sqltext.OpTimes, opcode.Mod: sqltext.OpModulo,
}

// unknownf is what may mean something else in another dialect.
func unknownf(format string, args ...any) *sqltext.Expr {
	return &sqltext.Expr{Op: sqltext.OpUnknown, Text: fmt.Sprintf(format, args...)}
}

// exprOf translates an expression.
func exprOf(n ast.ExprNode) *sqltext.Expr {
	with := func(op sqltext.Operator, negated bool, args ...ast.ExprNode) *sqltext.Expr {
		x := &sqltext.Expr{Op: op, Negated: negated}
		for _, a := range args {
			x.Args = append(x.Args, exprOf(a))
		}
		return x
	}
	switch x := n.(type) {
	case *ast.ParenthesesExpr:
		return exprOf(x.Expr)
	case *ast.ColumnNameExpr:
		return &sqltext.Expr{Op: sqltext.OpColumn, Text: x.Name.Name.O}
	case ast.ValueExpr:
		return constantOf(x)
	case *ast.IsNullExpr:
		return with(sqltext.OpIsNull, x.Not, x.Expr)
	case *ast.IsTruthExpr:
		if x.True == 1 {
			return with(sqltext.OpIsTrue, x.Not, x.Expr)
		}
		return with(sqltext.OpIsFalse, x.Not, x.Expr)
	case *ast.UnaryOperationExpr:
		switch x.Op {
		case opcode.Not, opcode.Not2:
			return with(sqltext.OpNot, false, x.V)
		case opcode.Minus:
			return with(sqltext.OpNegate, false, x.V)
		}
		return unknownf("operator %s", x.Op)
	case *ast.BinaryOperationExpr:
		if op, ok := comparisons[x.Op]; ok {
			return with(op, false, x.L, x.R)
		}
		return unknownf("operator %s may mean something else there", x.Op)
	case *ast.BetweenExpr:
		return with(sqltext.OpBetween, x.Not, x.Expr, x.Left, x.Right)
	case *ast.PatternInExpr:
		if x.Sel != nil {
			return unknownf("it has a subquery")
		}
		return with(sqltext.OpIn, x.Not, append([]ast.ExprNode{x.Expr}, x.List...)...)
	}
	return unknownf("%T may mean something else there", n)
}

// constantOf translates an integer, NULL, or a binary string written in hexadecimal.
func constantOf(v ast.ValueExpr) *sqltext.Expr {
	switch x := v.GetValue().(type) {
	case nil:
		return &sqltext.Expr{Op: sqltext.OpNull}
	case int64:
		return &sqltext.Expr{Op: sqltext.OpInteger, Integer: x}
	case interface{ ToString() string }: // x'6162'
		return &sqltext.Expr{Op: sqltext.OpBytes, Text: x.ToString()}
	}
	return unknownf("a literal is neither an integer nor x'…'")
}
