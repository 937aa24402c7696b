package instrument

import (
	"fmt"
	"strings"
	"txweave/dbms"
	"txweave/sqltext"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/model"
)

// restoreWriter spells shared row locks as both MySQL and MariaDB read them; the parser prints MySQL 8's form.
type restoreWriter struct{ strings.Builder }

func (w *restoreWriter) WriteString(s string) (int, error) {
	if s == "FOR SHARE" && !strings.HasSuffix(w.String(), "'") { // not the contents of a literal
		s = "LOCK IN SHARE MODE"
	}
	return w.Builder.WriteString(s)
}

// restore prints an AST node as SQL, in the form in which the parser read it.
func (s *Schema) restore(n ast.Node) (string, error) { return Restore(n, s.ansi) }

// Restore prints an AST node as SQL. With ansi, a backslash in a string is an ordinary character.
func Restore(n ast.Node, ansi bool) (string, error) {
	flags := format.RestoreStringSingleQuotes | format.RestoreKeyWordUppercase | format.RestoreStringWithoutCharset |
		format.RestoreSpacesAroundBinaryOperation
	if !ansi {
		flags |= format.RestoreStringEscapeBackslash
	}
	w := &restoreWriter{}
	if err := n.Restore(format.NewRestoreCtx(flags, w)); err != nil {
		return "", fmt.Errorf("cannot print the statement again: %w", err)
	}
	return w.String(), nil
}

// match fills in what lets the rows of a single-table statement be judged one by one.
func (a *Analysis) match(s *Schema) error {
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
		text, err := s.restore(where)
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

// beforeRead builds the BWR of an UPDATE or DELETE: pkey and vkey of the target's rows under the same WHERE,
// ORDER BY and LIMIT (section 3.2 of the paper). A locking one takes the locks that the target itself takes:
// exclusive on the target's rows, shared in inner query blocks (in InnoDB a locking outer block alone leaves its
// subqueries on the snapshot). It returns "" where no such read exists or is wanted.
func (s *Schema) beforeRead(sql string, a *Analysis, mode dbms.BeforeRead) (string, error) {
	switch {
	case mode == dbms.NoBeforeRead,
		mode == dbms.LockingDeleteRead && a.Kind != sqltext.Delete,
		mode == dbms.LockingBeforeRead && a.SetOrCTE: // no place for a lock clause in the operands of a set operation
		return "", nil
	}
	node, err := s.parse.ParseOneStmt(sql, "", "") // a tree of its own: the rewrite changes it
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
	alias := baseTables(sel.From.TableRefs)[0].alias
	sel.Fields = &ast.FieldList{Fields: []*ast.SelectField{column(alias, PKey), column(alias, VKey)}}
	if mode == dbms.LockingBeforeRead {
		if sel.Where != nil {
			sel.Where.Accept(sharedLocks{})
		}
		if sel.OrderBy != nil {
			sel.OrderBy.Accept(sharedLocks{})
		}
	}
	if mode == dbms.LockingBeforeRead || mode == dbms.LockingDeleteRead {
		sel.LockInfo = &ast.SelectLockInfo{LockType: ast.SelectLockForUpdate}
	}
	return s.restore(sel)
}

func column(table, name string) *ast.SelectField {
	return &ast.SelectField{Expr: &ast.ColumnNameExpr{Name: &ast.ColumnName{
		Table: model.NewCIStr(table), Name: model.NewCIStr(name),
	}}}
}
