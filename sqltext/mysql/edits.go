package mysql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"txweave/sqltext"
)

// edit is one way of making a statement smaller: it changes the tree that it was found in.
type edit struct {
	apply  func()
	wrap   func() // the same with parentheses, for where the text of apply would be read otherwise; or nil
	clause string // what it drops, where that is a clause of the statement
}

// editor finds the edits of one statement, large ones first. It is used up by the first edit that is applied.
type editor struct {
	root    ast.StmtNode // edits may replace it
	columns columnClasses
	edits   []edit
	late    []edit // that only make the text plainer: tried after all others
}

// find lists the edits of a statement.
func find(root ast.StmtNode, schema *sqltext.Schema) *editor {
	e := &editor{root: root, columns: columnsOf(root, schema)}
	if dressed("", root.OriginalText()) != "" {
		e.add(func() { root.SetText(nil, "") })
	}
	switch n := root.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		for _, q := range innerQueries(root) {
			e.add(func() { e.root = q })
		}
		e.query(root.(ast.ResultSetNode), func(q ast.ResultSetNode) { e.root = q.(ast.StmtNode) }, outputFree)
	case *ast.InsertStmt:
		e.insert(n)
	case *ast.UpdateStmt:
		e.update(n)
	case *ast.DeleteStmt:
		e.with(&n.With)
		e.flag(&n.IgnoreErr)
		e.flag(&n.Quick)
		e.tail(&n.Where, &n.Order, &n.Limit)
	}
	e.qualifiers()
	e.edits = append(e.edits, e.late...)
	return e
}

func (e *editor) add(apply func()) { e.drop("", apply) }

// drop adds an edit that drops a clause.
func (e *editor) drop(clause string, apply func()) {
	e.edits = append(e.edits, edit{apply: apply, clause: clause})
}

func (e *editor) flag(b *bool) {
	if *b {
		e.add(func() { *b = false })
	}
}

// queries gathers the query blocks below a node.
type queries struct{ found []ast.StmtNode }

func (q *queries) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.SelectStmt:
		q.found = append(q.found, x)
	case *ast.SetOprStmt:
		q.found = append(q.found, x)
	}
	return n, false
}

func (q *queries) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// innerQueries returns the query blocks inside a query, which may stand for it where they refer to nothing
// outside themselves.
func innerQueries(root ast.StmtNode) []ast.StmtNode {
	q := &queries{}
	root.Accept(q)
	inner := slices.DeleteFunc(q.found, func(n ast.StmtNode) bool { return n == root })
	for _, n := range inner {
		if sel, ok := n.(*ast.SelectStmt); ok {
			bare := *sel
			bare.AfterSetOperator, bare.IsInBraces = nil, false
			inner[slices.Index(inner, n)] = &bare
		}
	}
	return inner
}

// output says what the columns of a query's result are tied to.
type output uint8

const (
	outputFree  output = iota // to nothing
	outputNamed               // to names by which an outer query knows them
	outputFixed               // to their number as well: a column list, a set operation, a comparison
)

// query adds the edits of a query block; set puts another query in its place.
func (e *editor) query(q ast.ResultSetNode, set func(ast.ResultSetNode), out output) {
	switch n := q.(type) {
	case *ast.SelectStmt:
		e.selectStmt(n, out)
	case *ast.SetOprStmt:
		e.setOperation(n, set, out)
	}
}

func (e *editor) setOperation(n *ast.SetOprStmt, set func(ast.ResultSetNode), out output) {
	list := n.SelectList
	for i, s := range list.Selects {
		if sel, ok := s.(*ast.SelectStmt); ok {
			e.add(func() {
				bare := *sel
				bare.AfterSetOperator, bare.IsInBraces = nil, false
				if bare.With == nil {
					bare.With = n.With
				}
				set(&bare)
			})
		}
		if len(list.Selects) > 2 && i > 0 {
			e.add(func() { list.Selects = slices.Delete(list.Selects, i, i+1) })
		}
	}
	e.with(&n.With)
	e.order(&n.OrderBy, &n.Limit)
	if out != outputFixed {
		e.operandFields(list)
	}
	for _, s := range list.Selects {
		if sel, ok := s.(*ast.SelectStmt); ok {
			e.selectStmt(sel, outputFixed)
		}
	}
}

// operandFields drops a column of a set operation from all operands at once.
func (e *editor) operandFields(list *ast.SetOprSelectList) {
	var fields []*ast.FieldList
	for _, s := range list.Selects {
		sel, ok := s.(*ast.SelectStmt)
		if !ok || slices.ContainsFunc(sel.Fields.Fields, func(f *ast.SelectField) bool { return f.WildCard != nil }) {
			return
		}
		fields = append(fields, sel.Fields)
	}
	width := len(fields[0].Fields)
	if slices.ContainsFunc(fields, func(f *ast.FieldList) bool { return len(f.Fields) != width }) || width < 2 {
		return
	}
	for i := range width {
		e.add(func() {
			for _, f := range fields {
				f.Fields = slices.Delete(f.Fields, i, i+1)
			}
		})
	}
}

func (e *editor) selectStmt(n *ast.SelectStmt, out output) {
	if n.From != nil {
		e.add(func() { n.From, n.Where = nil, nil })
	}
	e.with(&n.With)
	if n.Where != nil {
		e.drop("WHERE", func() { n.Where = nil })
	}
	if n.GroupBy != nil {
		e.drop("GROUP BY", func() { n.GroupBy, n.Having = nil, nil })
	}
	if n.Having != nil {
		e.drop("HAVING", func() { n.Having = nil })
	}
	if len(n.WindowSpecs) > 0 {
		e.drop("WINDOW", func() { n.WindowSpecs = nil })
	}
	if len(n.WindowSpecs) > 1 {
		for i := range n.WindowSpecs {
			e.add(func() { n.WindowSpecs = slices.Delete(n.WindowSpecs, i, i+1) })
		}
	}
	e.order(&n.OrderBy, &n.Limit)
	if n.Distinct {
		e.drop("DISTINCT", func() { n.Distinct = false })
	}
	if n.LockInfo != nil && n.LockInfo.LockType != ast.SelectLockNone {
		e.drop("its locking clause", func() { n.LockInfo = nil })
	}
	if len(n.TableHints) > 0 {
		e.add(func() { n.TableHints = nil })
	}
	if n.SelectStmtOpts != nil {
		e.flag(&n.SelectStmtOpts.StraightJoin)
	}
	if out != outputFixed {
		e.fields(n.Fields)
	}
	if n.From != nil {
		e.from(n.From)
	}
	if n.GroupBy != nil && len(n.GroupBy.Items) > 1 {
		for i := range n.GroupBy.Items {
			e.add(func() { n.GroupBy.Items = slices.Delete(n.GroupBy.Items, i, i+1) })
		}
	}
	for _, f := range n.Fields.Fields {
		if f.WildCard != nil {
			continue
		}
		if f.AsName.L != "" {
			e.add(func() { f.AsName.O, f.AsName.L = "", "" })
		}
		class := unknown // nothing is compared with it
		if out != outputFree {
			class = e.columns.classOf(f.Expr)
		}
		e.expr(slot{f.Expr, func(x ast.ExprNode) { f.Expr = x }}, class)
	}
	if n.Where != nil {
		e.condition(&n.Where)
	}
	if n.Having != nil {
		e.condition(&n.Having.Expr)
	}
}

// fields drops columns of the result: halves, pairs of pkey and vkey, single ones.
func (e *editor) fields(list *ast.FieldList) {
	n := len(list.Fields)
	drop := func(from, to int) {
		e.add(func() { list.Fields = slices.Delete(list.Fields, from, to) })
	}
	if n > 3 {
		drop(n/2, n)
		drop(0, n/2)
	}
	for i := range n - 1 {
		if n > 2 && isColumn(list.Fields[i].Expr, sqltext.PKey) && isColumn(list.Fields[i+1].Expr, sqltext.VKey) {
			drop(i, i+2)
		}
	}
	if n > 1 {
		for i := range n {
			drop(i, i+1)
		}
	}
}

func isColumn(e ast.ExprNode, name string) bool {
	col, ok := e.(*ast.ColumnNameExpr)
	return ok && col.Name.Name.L == name
}

func (e *editor) with(w **ast.WithClause) {
	if *w == nil {
		return
	}
	clause := *w
	e.drop("WITH", func() { *w = nil })
	if len(clause.CTEs) > 1 {
		for i := range clause.CTEs {
			e.add(func() { clause.CTEs = slices.Delete(clause.CTEs, i, i+1) })
		}
	}
	for _, cte := range clause.CTEs {
		out := outputNamed
		if len(cte.ColNameList) > 0 {
			out = outputFixed
		}
		e.query(cte.Query.Query, func(q ast.ResultSetNode) { cte.Query.Query = q }, out)
	}
}

// tail adds the edits of WHERE, ORDER BY and LIMIT of UPDATE and DELETE.
func (e *editor) tail(where *ast.ExprNode, order **ast.OrderByClause, limit **ast.Limit) {
	if *where != nil {
		e.drop("WHERE", func() { *where = nil })
	}
	e.order(order, limit)
	if *where != nil {
		e.condition(where)
	}
}

// order drops ORDER BY and LIMIT. That an order which LIMIT needs stays total is the guard's business.
func (e *editor) order(order **ast.OrderByClause, limit **ast.Limit) {
	if *limit != nil {
		l := *limit
		e.drop("LIMIT", func() { *order, *limit = nil, nil })
		e.add(func() { *limit = nil })
		if l.Offset != nil {
			e.drop("OFFSET", func() { l.Offset = nil })
		}
		if v, ok := l.Count.(ast.ValueExpr); ok && v.GetValue() != uint64(1) {
			e.add(func() { l.Count = literal(uint64(1)) })
		}
	}
	if *order == nil {
		return
	}
	clause := *order
	e.drop("ORDER BY", func() { *order = nil })
	for i, item := range clause.Items {
		if len(clause.Items) > 1 {
			e.add(func() { clause.Items = slices.Delete(clause.Items, i, i+1) })
		}
		e.flag(&item.Desc)
	}
}

// from adds the edits of a FROM clause.
func (e *editor) from(clause *ast.TableRefsClause) {
	e.join(clause.TableRefs, func(side ast.ResultSetNode) {
		if j, ok := side.(*ast.Join); ok {
			clause.TableRefs = j
			return
		}
		clause.TableRefs = &ast.Join{Left: side}
	})
}

func (e *editor) join(n *ast.Join, set func(ast.ResultSetNode)) {
	if n.Right != nil {
		e.drop("the join", func() { set(n.Left) })
		e.add(func() { set(n.Right) })
		if n.Tp != ast.CrossJoin || n.StraightJoin || n.NaturalJoin {
			e.add(func() { n.Tp, n.StraightJoin, n.NaturalJoin = ast.CrossJoin, false, false })
		}
		if n.On != nil || len(n.Using) > 0 {
			e.add(func() { n.On, n.Using, n.Tp, n.StraightJoin = nil, nil, ast.CrossJoin, false })
		}
	}
	e.side(n.Left, func(side ast.ResultSetNode) { n.Left = side })
	if n.Right != nil {
		e.side(n.Right, func(side ast.ResultSetNode) { n.Right = side })
	}
	if n.On != nil {
		e.condition(&n.On.Expr)
	}
}

func (e *editor) side(n ast.ResultSetNode, set func(ast.ResultSetNode)) {
	switch x := n.(type) {
	case *ast.Join:
		e.join(x, set)
	case *ast.TableSource:
		if t, ok := x.Source.(*ast.TableName); ok {
			if len(t.IndexHints) > 0 {
				e.add(func() { t.IndexHints = nil })
			}
			return
		}
		e.query(x.Source, func(q ast.ResultSetNode) { x.Source = q }, outputNamed)
	}
}

func (e *editor) update(n *ast.UpdateStmt) {
	e.with(&n.With)
	e.flag(&n.IgnoreErr)
	e.tail(&n.Where, &n.Order, &n.Limit)
	for i, as := range n.List {
		if sqltext.IsBookkeeping(as.Column.Name.L) {
			continue
		}
		e.add(func() { n.List = slices.Delete(n.List, i, i+1) })
		e.value(slot{as.Expr, func(x ast.ExprNode) { as.Expr = x }})
	}
}

func (e *editor) insert(n *ast.InsertStmt) {
	e.flag(&n.IgnoreErr)
	e.flag(&n.IsReplace)
	if len(n.OnDuplicate) > 0 {
		e.drop("ON DUPLICATE KEY UPDATE", func() { n.OnDuplicate = nil })
	}
	for i, as := range n.OnDuplicate {
		if len(n.OnDuplicate) > 1 && !sqltext.IsBookkeeping(as.Column.Name.L) {
			e.add(func() { n.OnDuplicate = slices.Delete(n.OnDuplicate, i, i+1) })
			e.value(slot{as.Expr, func(x ast.ExprNode) { as.Expr = x }})
		}
	}
	for i := range n.Lists {
		if len(n.Lists) > 1 {
			e.add(func() { n.Lists = slices.Delete(n.Lists, i, i+1) })
		}
	}
	fixed := func(i int) bool { return i >= len(n.Columns) || sqltext.IsBookkeeping(n.Columns[i].Name.L) }
	for _, row := range n.Lists {
		for i, x := range row {
			if !fixed(i) {
				e.value(slot{x, func(x ast.ExprNode) { row[i] = x }})
			}
		}
	}
	sel, ok := n.Select.(*ast.SelectStmt)
	if !ok || sel.Fields == nil {
		return
	}
	e.add(func() { selectToValues(n, sel) })
	all := sel.Fields.Fields
	sel.Fields.Fields = nil // its bookkeeping columns stay as they are: only the others are looked at
	for i, f := range all {
		if !fixed(i) {
			sel.Fields.Fields = append(sel.Fields.Fields, f)
		}
	}
	e.selectStmt(sel, outputFixed)
	sel.Fields.Fields = all
}

// selectToValues makes INSERT … SELECT an INSERT of one row: its literals, and 1 for what is none. The primary
// key is the version key's number, which is new in the case and so, very likely, in the table.
func selectToValues(n *ast.InsertStmt, sel *ast.SelectStmt) {
	var row []ast.ExprNode
	var vkey ast.ExprNode
	for i, f := range sel.Fields.Fields {
		if i < len(n.Columns) && n.Columns[i].Name.L == sqltext.VKey {
			vkey = f.Expr
		}
	}
	for i, f := range sel.Fields.Fields {
		x := f.Expr
		if _, ok := x.(ast.ValueExpr); !ok {
			x = literal(int64(1))
		}
		if i < len(n.Columns) && n.Columns[i].Name.L == sqltext.PKey && vkey != nil {
			x = vkey
		}
		row = append(row, x)
	}
	n.Select, n.Lists = nil, [][]ast.ExprNode{row}
}
