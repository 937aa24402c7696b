package mysql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// slot is a place in a tree that holds an expression.
type slot struct {
	expr ast.ExprNode
	set  func(ast.ExprNode)
}

// condition adds the edits of a condition whose clause can go as a whole.
func (e *editor) condition(x *ast.ExprNode) {
	e.value(slot{*x, func(n ast.ExprNode) { *x = n }})
}

// value adds the edits of an expression that keeps its class: a comparison of other classes than the case's would
// give warnings whose number depends on the plan.
func (e *editor) value(s slot) { e.expr(s, e.columns.classOf(s.expr)) }

// expr adds the edits of an expression: one of its operands in its place, a constant in its place, less in its
// lists, then the edits of its operands. What takes its place must fit the class.
func (e *editor) expr(s slot, class class) {
	x := s.expr
	if p, ok := x.(*ast.ParenthesesExpr); ok {
		e.late = append(e.late, edit{apply: func() { s.set(p.Expr) }})
		e.expr(slot{p.Expr, func(n ast.ExprNode) {
			if _, simple := n.(ast.ValueExpr); simple {
				s.set(n)
				return
			}
			p.Expr = n
		}}, class)
		return
	}
	if isTerminal(x) {
		return
	}
	operands := operandsOf(x)
	for _, o := range operands {
		if inner := unwrap(o.expr); fits(class, e.columns.classOf(inner)) && !isList(inner) {
			e.edits = append(e.edits, edit{
				apply: func() { s.set(inner) },
				wrap:  func() { s.set(&ast.ParenthesesExpr{Expr: inner}) },
			})
		}
	}
	own := class
	if own == unknown {
		own = e.columns.classOf(x)
	}
	for _, value := range constants(own) {
		e.add(func() { s.set(literal(value)) })
	}
	e.lists(x)
	for _, o := range operands {
		e.value(o)
	}
	e.subquery(x)
}

// subquery adds the edits of the query below an expression.
func (e *editor) subquery(x ast.ExprNode) {
	if sub, ok := x.(*ast.SubqueryExpr); ok {
		e.query(sub.Query, func(q ast.ResultSetNode) { sub.Query = q }, outputFixed)
	}
}

// unwrap takes the parentheses off an expression.
func unwrap(x ast.ExprNode) ast.ExprNode {
	for {
		p, ok := x.(*ast.ParenthesesExpr)
		if !ok {
			return x
		}
		x = p.Expr
	}
}

// isList says whether an expression stands for several values, so that it cannot take the place of one.
func isList(x ast.ExprNode) bool {
	_, row := x.(*ast.RowExpr)
	return row
}

// isTerminal says whether an expression is as small as it gets: 0, 1, 'a' or NULL.
func isTerminal(x ast.ExprNode) bool {
	v, ok := x.(*test_driver.ValueExpr)
	if !ok {
		return false
	}
	switch v.Kind() {
	case test_driver.KindNull:
		return true
	case test_driver.KindInt64:
		return v.GetInt64() == 0 || v.GetInt64() == 1
	case test_driver.KindString:
		return v.GetString() == "a"
	}
	return false
}

// operandsOf returns the expressions directly below an expression, queries in IN, EXISTS and comparisons included.
func operandsOf(x ast.ExprNode) []slot {
	var out []slot
	add := func(fields ...*ast.ExprNode) {
		for _, f := range fields {
			if *f != nil {
				out = append(out, slot{*f, func(n ast.ExprNode) { *f = n }})
			}
		}
	}
	list := func(l []ast.ExprNode) {
		for i := range l {
			add(&l[i])
		}
	}
	switch n := x.(type) {
	case *ast.BinaryOperationExpr:
		add(&n.L, &n.R)
	case *ast.UnaryOperationExpr:
		add(&n.V)
	case *ast.BetweenExpr:
		add(&n.Expr, &n.Left, &n.Right)
	case *ast.PatternInExpr:
		add(&n.Expr)
		list(n.List)
		add(&n.Sel)
	case *ast.PatternLikeOrIlikeExpr:
		add(&n.Expr, &n.Pattern)
	case *ast.PatternRegexpExpr:
		add(&n.Expr, &n.Pattern)
	case *ast.IsNullExpr:
		add(&n.Expr)
	case *ast.IsTruthExpr:
		add(&n.Expr)
	case *ast.CaseExpr:
		add(&n.ElseClause)
		for _, w := range n.WhenClauses {
			add(&w.Result, &w.Expr)
		}
		add(&n.Value)
	case *ast.FuncCallExpr:
		if !isTemporalLiteral(n) {
			list(n.Args)
		}
	case *ast.FuncCastExpr:
		add(&n.Expr)
	case *ast.SetCollationExpr:
		add(&n.Expr)
	case *ast.AggregateFuncExpr:
		list(n.Args)
	case *ast.CompareSubqueryExpr:
		add(&n.L, &n.R)
	case *ast.ExistsSubqueryExpr:
		add(&n.Sel)
	case *ast.RowExpr:
		list(n.Values)
	}
	return out
}

// lists drops elements of the lists in an expression, and words that can go.
func (e *editor) lists(x ast.ExprNode) {
	drop := func(l *[]ast.ExprNode) {
		if len(*l) < 2 {
			return
		}
		for i := range *l {
			e.add(func() { *l = slices.Delete(*l, i, i+1) })
		}
	}
	switch n := x.(type) {
	case *ast.PatternInExpr:
		drop(&n.List)
		e.flag(&n.Not)
	case *ast.CaseExpr:
		if len(n.WhenClauses) > 1 {
			for i := range n.WhenClauses {
				e.add(func() { n.WhenClauses = slices.Delete(n.WhenClauses, i, i+1) })
			}
		}
		if n.ElseClause != nil {
			e.add(func() { n.ElseClause = nil })
		}
	case *ast.FuncCallExpr:
		if variadic[n.FnName.L] {
			drop(&n.Args)
		}
	case *ast.AggregateFuncExpr:
		e.flag(&n.Distinct)
	case *ast.BetweenExpr:
		e.flag(&n.Not)
	case *ast.PatternLikeOrIlikeExpr:
		e.flag(&n.Not)
	case *ast.IsNullExpr:
		e.flag(&n.Not)
	case *ast.ExistsSubqueryExpr:
		e.flag(&n.Not)
	}
}

// variadic are the functions that take one argument less.
var variadic = map[string]bool{"coalesce": true, "concat": true, "concat_ws": true, "field": true, "greatest": true, "least": true}
