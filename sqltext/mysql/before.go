package mysql

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/model"

	"txweave/sqltext"
)

// match fills in what lets the rows of a single-table statement be judged one by one.
func (a *analysis) match(s *sqltext.Schema) error {
	var from ast.ResultSetNode
	var where ast.ExprNode
	switch n := a.stmt.(type) {
	case *ast.SelectStmt:
		if n.From == nil || n.Limit != nil || a.Subquery || a.SetOrCTE {
			return nil
		}
		from, where = n.From.TableRefs, n.Where
	case *ast.UpdateStmt:
		if n.Limit != nil || a.Subquery || a.SetOrCTE || a.checksUnique(s) {
			return nil
		}
		from, where = n.TableRefs.TableRefs, n.Where
	case *ast.DeleteStmt:
		if n.Limit != nil || a.Subquery || a.SetOrCTE {
			return nil
		}
		from, where = n.TableRefs.TableRefs, n.Where
	default:
		return nil
	}
	tables := baseTables(from)
	if len(tables) != 1 || tables[0].table == "" {
		return nil
	}
	if where != nil {
		text, err := a.parser.raised(restore(where, a.parser.ansi))
		if err != nil {
			return err
		}
		a.MatchWhere = text
	}
	a.MatchTable, a.MatchAlias = tables[0].table, tables[0].alias
	a.EveryRow = true
	if sel, ok := a.stmt.(*ast.SelectStmt); ok {
		s := &shortcuts{}
		sel.Accept(s)
		a.EveryRow = !sel.Distinct && sel.GroupBy == nil && sel.Having == nil && !s.found && !skipsLocked(sel)
		if a.EveryRow && sel.LockInfo == nil && sel.SelectIntoOpt == nil && wholeTable(from) {
			a.RowCount = rowCount(sel, a.parser.ansi)
		}
	}
	return nil
}

// skipsLocked says whether a locking read passes over rows that others have locked.
func skipsLocked(n *ast.SelectStmt) bool {
	return n.LockInfo != nil && (n.LockInfo.LockType == ast.SelectLockForUpdateSkipLocked || n.LockInfo.LockType == ast.SelectLockForShareSkipLocked)
}

// rowLock is how strongly a query locks each row that it returns.
func rowLock(n *ast.SelectStmt) sqltext.RowLock {
	if n.LockInfo == nil {
		return sqltext.NoRowLock
	}
	switch n.LockInfo.LockType {
	case ast.SelectLockNone:
		return sqltext.NoRowLock
	case ast.SelectLockForShare, ast.SelectLockForShareNoWait, ast.SelectLockForShareSkipLocked:
		return sqltext.ForShare
	}
	return sqltext.ForUpdate
}

// wholeTable says whether FROM is one table with all its partitions, as it is now.
func wholeTable(n ast.ResultSetNode) bool {
	switch x := n.(type) {
	case *ast.Join:
		return x.Right == nil && wholeTable(x.Left)
	case *ast.TableSource:
		t, ok := x.Source.(*ast.TableName)
		return ok && len(t.PartitionNames) == 0 && t.TableSample == nil && t.AsOf == nil
	}
	return false
}

// rowCount says how a SELECT of a whole table tells its number of rows. In the select list PostgreSQL has functions that return several
// rows: with any function there nothing is told.
func rowCount(n *ast.SelectStmt, ansi bool) sqltext.RowCount {
	c := &callsAndSums{}
	n.Accept(c)
	switch {
	case c.sums == 0:
		return sqltext.RowCount{Told: !ansi || !c.calls}
	case c.calls && ansi:
		return sqltext.RowCount{}
	}
	for i, f := range n.Fields.Fields {
		if f.WildCard != nil {
			break // as many columns as the table has
		}
		if sum, ok := f.Expr.(*ast.AggregateFuncExpr); ok && countsRows(sum) {
			return sqltext.RowCount{Told: true, Counts: true, Column: i}
		}
	}
	return sqltext.RowCount{}
}

// countsRows says whether an aggregate is COUNT(*), which the parser reads as COUNT(1).
func countsRows(n *ast.AggregateFuncExpr) bool {
	if !strings.EqualFold(n.F, ast.AggFuncCount) || n.Distinct || len(n.Args) != 1 {
		return false
	}
	v, ok := n.Args[0].(ast.ValueExpr)
	return ok && v.GetValue() != nil
}

// callsAndSums counts aggregates, and notices calls of functions.
type callsAndSums struct {
	sums  int
	calls bool
}

func (c *callsAndSums) Enter(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.AggregateFuncExpr:
		c.sums++
	case *ast.FuncCallExpr:
		c.calls = true
	}
	return n, false
}

func (c *callsAndSums) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// shortcuts notices aggregates that an index answers without visiting every row.
type shortcuts struct{ found bool }

func (s *shortcuts) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.AggregateFuncExpr:
		f := strings.ToLower(x.F) // as it was written
		s.found = s.found || x.Distinct || f == ast.AggFuncMin || f == ast.AggFuncMax
	case *ast.WindowFuncExpr:
		s.found = true
	}
	return n, s.found
}

func (s *shortcuts) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// sharedLocks puts LOCK IN SHARE MODE on every query block below a node.
type sharedLocks struct{}

func (sharedLocks) Enter(n ast.Node) (ast.Node, bool) {
	if sel, ok := n.(*ast.SelectStmt); ok {
		sel.LockInfo = &ast.SelectLockInfo{LockType: ast.SelectLockForShare}
	}
	return n, false
}

func (sharedLocks) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// BeforeRead implements sqltext.Analyzer. In InnoDB a locking outer block alone leaves its subqueries on the snapshot.
func (p *Parser) BeforeRead(s *sqltext.Schema, sql string, locking, inner bool) (string, error) {
	sel, tables, _, err := p.searchOf(s, sql, inner)
	if err != nil || sel == nil || len(tables) > 1 { // of several tables a row may be found several times
		return "", err
	}
	return p.keysOf(sel, tables, locking, inner)
}

// JoinedRead implements sqltext.Analyzer.
func (p *Parser) JoinedRead(s *sqltext.Schema, sql string, locking, inner bool) (query string, names []string, err error) {
	sel, tables, written, err := p.searchOf(s, sql, inner)
	if err != nil || sel == nil || len(tables) < 2 || sel.OrderBy != nil || sel.Limit != nil {
		return "", nil, err
	}
	for _, t := range tables {
		known := s.Table(t.table)
		if known == nil || slices.Contains(names, known.Name) || !slices.Contains(written, t.alias) {
			return "", nil, nil
		}
		names = append(names, known.Name)
	}
	query, err = p.keysOf(sel, tables, locking, inner)
	return query, names, err
}

// searchOf returns the search of an UPDATE or DELETE as a query without a list, what it joins, and the aliases that the statement names as those
// of the tables which it writes. sel is nil where there is no such query.
func (p *Parser) searchOf(s *sqltext.Schema, sql string, inner bool) (sel *ast.SelectStmt, tables []aliasedTable, written []string, err error) {
	node, err := p.parse(sql) // a tree of its own: the rewrite changes it
	if err != nil {
		return nil, nil, nil, err
	}
	if inner {
		if node, err = p.withoutViews(s, node); err != nil {
			return nil, nil, nil, err
		}
	}
	sel = &ast.SelectStmt{SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect}
	switch n := node.(type) {
	case *ast.UpdateStmt:
		if n.IgnoreErr {
			return nil, nil, nil, nil // IGNORE passes over rows that match
		}
		sel.From, sel.Where, sel.OrderBy, sel.Limit, sel.With = n.TableRefs, n.Where, n.Order, n.Limit, n.With
		for _, a := range n.List {
			written = append(written, a.Column.Table.L)
		}
	case *ast.DeleteStmt:
		if n.IgnoreErr {
			return nil, nil, nil, nil
		}
		sel.From, sel.Where, sel.OrderBy, sel.Limit, sel.With = n.TableRefs, n.Where, n.Order, n.Limit, n.With
		if n.Tables != nil {
			for _, t := range n.Tables.Tables {
				written = append(written, t.Name.L)
			}
		}
	default:
		return nil, nil, nil, nil
	}
	return sel, baseTables(sel.From.TableRefs), written, nil
}

// keysOf makes of a search the query for pkey and vkey of tables.
func (p *Parser) keysOf(sel *ast.SelectStmt, tables []aliasedTable, locking, inner bool) (string, error) {
	sel.Fields = &ast.FieldList{}
	for _, t := range tables {
		sel.Fields.Fields = append(sel.Fields.Fields, column(t.alias, sqltext.PKey), column(t.alias, sqltext.VKey))
	}
	if inner {
		sel.From.Accept(sharedLocks{}) // ON may hold subqueries
		if sel.Where != nil {
			sel.Where.Accept(sharedLocks{})
		}
		if sel.OrderBy != nil {
			sel.OrderBy.Accept(sharedLocks{})
		}
	}
	if locking {
		sel.LockInfo = &ast.SelectLockInfo{LockType: ast.SelectLockForUpdate}
	}
	return p.raised(restore(sel, p.ansi))
}

func column(table, name string) *ast.SelectField {
	return &ast.SelectField{Expr: &ast.ColumnNameExpr{Name: &ast.ColumnName{
		Table: model.NewCIStr(table), Name: model.NewCIStr(name),
	}}}
}
