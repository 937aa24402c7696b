package mysql

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// risker gathers the risks of a statement.
type risker struct {
	schema  *sqltext.Schema
	columns columnClasses
	found   sqltext.Risk
}

// risksOf returns the risks of a statement.
func risksOf(root ast.StmtNode, schema *sqltext.Schema) sqltext.Risk {
	r := &risker{schema: schema, columns: columnsOf(root, schema)}
	switch n := root.(type) {
	case *ast.UpdateStmt:
		r.update(n)
	case *ast.DeleteStmt:
		if n.Limit != nil && !orders(n.Order, aliasesOf(n.TableRefs)) {
			r.found |= sqltext.RiskTies
		}
	}
	root.Accept(r)
	if dangles(root, schema) {
		r.found |= sqltext.RiskDangles
	}
	return r.found
}

func (r *risker) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.SelectStmt:
		r.block(x)
	case *ast.SetOprStmt:
		if x.Limit != nil && !ordersOutput(x.OrderBy, fieldsOf(x)) {
			r.found |= sqltext.RiskTies
		}
	case *ast.BinaryOperationExpr:
		r.scalars(x.L, x.R)
	case *ast.AggregateFuncExpr:
		name := strings.ToLower(x.F)
		if (name == ast.AggFuncSum || name == ast.AggFuncAvg) && len(x.Args) > 0 && r.columns.classOf(x.Args[0]) != exact {
			r.found |= sqltext.RiskFloats
		}
	case *ast.PatternInExpr:
		r.scalars(x.Expr)
		r.scalars(x.List...)
	case *ast.CompareSubqueryExpr:
		r.scalars(x.L)
	case ast.ExprNode:
		if _, exists := n.(*ast.ExistsSubqueryExpr); !exists {
			for _, o := range operandsOf(x) {
				r.scalars(o.expr)
			}
		}
	case *ast.SelectField:
		r.scalars(x.Expr)
	case *ast.Assignment:
		r.scalars(x.Expr)
	case *ast.InsertStmt:
		for _, row := range x.Lists {
			r.scalars(row...)
		}
	}
	return n, false
}

func (r *risker) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// scalars looks for subqueries that stand for one value.
func (r *risker) scalars(list ...ast.ExprNode) {
	for _, x := range list {
		if x == nil {
			continue
		}
		if sub, ok := unwrap(x).(*ast.SubqueryExpr); ok && !oneRow(sub.Query) {
			r.found |= sqltext.RiskRows
		}
	}
}

// block judges one query block.
func (r *risker) block(n *ast.SelectStmt) {
	if n.Limit != nil && !ordersOutput(n.OrderBy, n.Fields.Fields) && !orders(n.OrderBy, aliasesOf(n.From)) {
		r.found |= sqltext.RiskTies
	}
	grouped := n.GroupBy != nil
	for _, f := range n.Fields.Fields {
		grouped = grouped || f.Expr != nil && hasAggregate(f.Expr, false)
	}
	if n.Having != nil {
		grouped = grouped || hasAggregate(n.Having.Expr, false)
	}
	if !grouped {
		return
	}
	var keys []string
	if n.GroupBy != nil {
		for _, item := range n.GroupBy.Items {
			keys = append(keys, printed(item.Expr))
		}
	}
	bare := &bareColumns{keys: keys}
	for _, f := range n.Fields.Fields {
		if f.WildCard != nil {
			r.found |= sqltext.RiskBare
			continue
		}
		f.Expr.Accept(bare)
	}
	if n.Having != nil {
		n.Having.Expr.Accept(bare)
	}
	if bare.found {
		r.found |= sqltext.RiskBare
	}
}

// bareColumns looks for columns outside of aggregates that are no grouping expressions. Columns of subqueries are
// not judged: those of the outer block are rare there, and the database judges them too.
type bareColumns struct {
	keys  []string
	found bool
}

func (b *bareColumns) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.AggregateFuncExpr, *ast.SubqueryExpr:
		return n, true
	case ast.ExprNode:
		if slices.Contains(b.keys, printed(x)) {
			return n, true
		}
		if _, ok := x.(*ast.ColumnNameExpr); ok {
			b.found = true
		}
	}
	return n, false
}

func (b *bareColumns) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// aggregates notices aggregate functions of one query block.
type aggregates struct{ windows, found bool }

func (g *aggregates) Enter(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.AggregateFuncExpr:
		g.found = true
	case *ast.WindowFuncExpr:
		g.found = g.found || g.windows
	case *ast.SubqueryExpr:
		return n, true
	}
	return n, g.found
}

func (g *aggregates) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// hasAggregate says whether a query block has an aggregate function, or, with windows, a window function.
func hasAggregate(n ast.Node, windows bool) bool {
	g := &aggregates{windows: windows}
	n.Accept(g)
	return g.found
}

func printed(x ast.ExprNode) string {
	text, err := restore(unwrap(x), false)
	if err != nil {
		return ""
	}
	return strings.ToLower(text)
}

// oneRow says whether a query gives one row at most.
func oneRow(q ast.ResultSetNode) bool {
	if union, ok := q.(*ast.SetOprStmt); ok {
		return isOne(union.Limit)
	}
	n, ok := q.(*ast.SelectStmt)
	if !ok {
		return false
	}
	if n.From == nil {
		return true
	}
	if n.Limit != nil {
		return isOne(n.Limit)
	}
	if n.GroupBy == nil && (slices.ContainsFunc(n.Fields.Fields, func(f *ast.SelectField) bool { return f.Expr != nil && hasAggregate(f.Expr, false) })) {
		return true
	}
	if n.Distinct && n.GroupBy == nil && !slices.ContainsFunc(n.Fields.Fields, func(f *ast.SelectField) bool { return f.Expr == nil || !isConstant(f.Expr) }) {
		return true
	}
	return n.From.TableRefs.Right == nil && fixesKey(n.Where)
}

// isOne says whether a clause is LIMIT 1, with an offset or without.
func isOne(l *ast.Limit) bool {
	if l == nil {
		return false
	}
	count, ok := l.Count.(*test_driver.ValueExpr)
	return ok && (count.GetUint64() == 1 || count.GetInt64() == 1)
}

// fixesKey says whether a condition lets one row pass at most: pkey = ….
func fixesKey(where ast.ExprNode) bool {
	n, ok := where.(*ast.BinaryOperationExpr)
	if !ok {
		p, ok := where.(*ast.ParenthesesExpr)
		return ok && fixesKey(p.Expr)
	}
	switch n.Op {
	case opcode.LogicAnd:
		return fixesKey(n.L) || fixesKey(n.R)
	case opcode.EQ:
		return isColumn(n.L, sqltext.PKey) && isConstant(n.R) || isColumn(n.R, sqltext.PKey) && isConstant(n.L)
	}
	return false
}

// isConstant says whether an expression is a literal, with a sign or without.
func isConstant(x ast.ExprNode) bool {
	x = unwrap(x)
	if signed, ok := x.(*ast.UnaryOperationExpr); ok && (signed.Op == opcode.Minus || signed.Op == opcode.Plus) {
		x = unwrap(signed.V)
	}
	if f, ok := x.(*ast.FuncCallExpr); ok { // DATE '…', TIME '…', TIMESTAMP '…'
		return f.FnName.L == ast.DateLiteral || f.FnName.L == ast.TimeLiteral || f.FnName.L == ast.TimestampLiteral
	}
	_, ok := x.(*test_driver.ValueExpr)
	return ok
}

// aliasesOf returns the names of the sources of a FROM clause; ok is false where one is no base table.
func aliasesOf(clause *ast.TableRefsClause) (names []string) {
	if clause == nil {
		return nil
	}
	var walk func(ast.ResultSetNode)
	walk = func(n ast.ResultSetNode) {
		switch x := n.(type) {
		case *ast.Join:
			walk(x.Left)
			if x.Right != nil {
				walk(x.Right)
			}
		case *ast.TableSource:
			name := x.AsName.L
			if t, ok := x.Source.(*ast.TableName); ok && name == "" {
				name = t.Name.L
			}
			names = append(names, name)
		}
	}
	walk(clause.TableRefs)
	return names
}

// orders says whether ORDER BY holds the pkey of every one of the tables.
func orders(by *ast.OrderByClause, tables []string) bool {
	if by == nil || len(tables) == 0 {
		return false
	}
	for _, t := range tables {
		if !slices.ContainsFunc(by.Items, func(item *ast.ByItem) bool {
			col, ok := item.Expr.(*ast.ColumnNameExpr)
			return ok && col.Name.Name.L == sqltext.PKey && (col.Name.Table.L == t || col.Name.Table.L == "" && len(tables) == 1)
		}) {
			return false
		}
	}
	return true
}

// ordersOutput says whether ORDER BY names every column of the result, by its position or, where it says where NULLs stand, by its name or what it
// is, so that rows that tie are the same.
func ordersOutput(by *ast.OrderByClause, fields []*ast.SelectField) bool {
	if by == nil || len(fields) == 0 {
		return false
	}
	seen := make([]bool, len(fields))
	for _, item := range by.Items {
		if p, ok := item.Expr.(*ast.PositionExpr); ok && p.N >= 1 && p.N <= len(fields) {
			seen[p.N-1] = true
		}
		call, ok := item.Expr.(*ast.FuncCallExpr)
		if !ok || !sqltext.IsNullsCall(call.FnName.L) || len(call.Args) != 1 {
			continue
		}
		text := printed(call.Args[0])
		for i, f := range fields {
			is := f.Expr != nil && (f.AsName.L == "" || strings.Contains(text, ".")) && printed(f.Expr) == text // else it is the name of an output
			seen[i] = seen[i] || f.AsName.L == text || is
		}
	}
	return !slices.Contains(seen, false)
}

// fieldsOf are the columns of a set operation's result; none where they are not known.
func fieldsOf(n *ast.SetOprStmt) []*ast.SelectField {
	if sel, ok := n.SelectList.Selects[0].(*ast.SelectStmt); ok {
		return sel.Fields.Fields
	}
	return nil
}

func (r *risker) update(n *ast.UpdateStmt) {
	if n.Limit != nil && !orders(n.Order, aliasesOf(n.TableRefs)) {
		r.found |= sqltext.RiskTies
	}
	if fixesKey(n.Where) {
		return
	}
	tables := baseTables(n.TableRefs.TableRefs)
	for _, as := range n.List {
		column := as.Column.Name.L
		if isUnique(r.schema, owner(r.schema, tables, as.Column), column) && !isConstant(as.Expr) && !isColumn(unwrap(as.Expr), column) {
			r.found |= sqltext.RiskUnique
		}
	}
}
