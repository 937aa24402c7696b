package mysql

import (
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
		text, err := restore(where, a.parser.ansi)
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
	}
	return nil
}

// skipsLocked says whether a locking read passes over rows that others have locked.
func skipsLocked(n *ast.SelectStmt) bool {
	return n.LockInfo != nil && (n.LockInfo.LockType == ast.SelectLockForUpdateSkipLocked || n.LockInfo.LockType == ast.SelectLockForShareSkipLocked)
}

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
func (p *Parser) BeforeRead(sql string, locking, inner bool) (string, error) {
	node, err := p.parse(sql) // a tree of its own: the rewrite changes it
	if err != nil {
		return "", err
	}
	ignore := false
	sel := &ast.SelectStmt{SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect}
	switch n := node.(type) {
	case *ast.UpdateStmt:
		ignore = n.IgnoreErr
		sel.From, sel.Where, sel.OrderBy, sel.Limit, sel.With = n.TableRefs, n.Where, n.Order, n.Limit, n.With
	case *ast.DeleteStmt:
		ignore = n.IgnoreErr
		sel.From, sel.Where, sel.OrderBy, sel.Limit, sel.With = n.TableRefs, n.Where, n.Order, n.Limit, n.With
	default:
		return "", nil
	}
	if ignore {
		return "", nil // IGNORE passes over rows that match
	}
	tables := baseTables(sel.From.TableRefs)
	if len(tables) > 1 {
		return "", nil // a row may be found several times
	}
	alias := tables[0].alias
	sel.Fields = &ast.FieldList{Fields: []*ast.SelectField{column(alias, sqltext.PKey), column(alias, sqltext.VKey)}}
	if inner {
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
	return restore(sel, p.ansi)
}

func column(table, name string) *ast.SelectField {
	return &ast.SelectField{Expr: &ast.ColumnNameExpr{Name: &ast.ColumnName{
		Table: model.NewCIStr(table), Name: model.NewCIStr(name),
	}}}
}
