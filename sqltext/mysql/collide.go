package mysql

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// keys notes which rows the keys of what a statement writes meet.
func (a *analysis) keys(s *sqltext.Schema, v *collector) (err error) {
	a.KeyWhere, err = a.colliding(s, v)
	a.KeyAlias = a.Target
	if up, ok := a.stmt.(*ast.UpdateStmt); ok && a.KeyWhere != "" {
		a.KeyAlias = baseTables(up.TableRefs.TableRefs)[0].alias
	}
	return err
}

// colliding is the condition of a row of the target that makes a difference to what a statement does, where keys do: it has a value that
// the statement writes into a unique key, or an UPDATE matches it. Rows of which it is not true neither let it fail nor keep it from
// writing. "" where that cannot be told: it writes values that are no plain literals of the column's kind, or a key is of expressions.
func (a *analysis) colliding(s *sqltext.Schema, v *collector) (string, error) {
	t := s.Table(a.Target)
	if !a.parser.Collide || !a.ChecksUnique || t == nil || v.blocks > 0 || a.SetOrCTE || len(a.Tables) != 1 || slices.Contains(t.Parents, t.Name) || !t.KeysAreColumns() {
		return "", nil
	}
	switch n := a.stmt.(type) {
	case *ast.InsertStmt:
		if n.IsReplace || n.Select != nil || len(n.Lists) == 0 || len(n.Columns) == 0 {
			return "", nil
		}
		for _, as := range n.OnDuplicate {
			if slices.Contains(t.Unique, as.Column.Name.L) || as.Column.Name.L == sqltext.PKey {
				return "", nil
			}
		}
		return a.collidingRows(t, n)
	case *ast.UpdateStmt:
		tables := baseTables(n.TableRefs.TableRefs)
		if n.Limit != nil || len(tables) != 1 || n.Where == nil {
			return "", nil
		}
		where, err := restore(n.Where, true)
		if err != nil {
			return "", err
		}
		values := map[string]ast.ExprNode{}
		for _, as := range n.List {
			values[as.Column.Name.L] = as.Expr
		}
		any := []string{"(" + where + ")"}
		for _, key := range t.Deciding() {
			var all []string
			for _, part := range key {
				if e := values[part.Column]; e != nil {
					all = append(all, holds(t, tables[0].alias, part.Column, e))
				}
			}
			if slices.Contains(all, "") {
				return "", nil
			}
			if len(all) > 0 {
				any = append(any, strings.Join(all, " AND "))
			}
		}
		return strings.Join(any, " OR "), nil
	}
	return "", nil
}

// collidingRows is the condition of rows that have a key of one that an INSERT spells.
func (a *analysis) collidingRows(t *sqltext.Table, n *ast.InsertStmt) (string, error) {
	var any []string
	for _, row := range n.Lists {
		values := map[string]ast.ExprNode{}
		for i, c := range n.Columns {
			if i < len(row) {
				values[c.Name.L] = row[i]
			}
		}
		for _, key := range t.Keys() {
			var all []string
			for _, part := range key {
				all = append(all, holds(t, a.Target, part.Column, values[part.Column]))
			}
			if slices.Contains(all, "") {
				return "", nil
			}
			any = append(any, strings.Join(all, " AND "))
		}
	}
	return strings.Join(any, " OR "), nil
}

// holds is the condition that a column holds what a literal writes into it; "" where the two may differ. A NULL is taken for a value like
// others, which is more than it is.
func holds(t *sqltext.Table, alias, column string, e ast.ExprNode) string {
	c := t.Column(column)
	if u, ok := e.(*ast.UnaryOperationExpr); ok && u.Op == opcode.Minus {
		if v, ok := u.V.(*test_driver.ValueExpr); !ok || v.Kind() != test_driver.KindInt64 {
			return ""
		}
	} else {
		v, ok := e.(*test_driver.ValueExpr)
		if !ok || c == nil {
			return ""
		}
		if v.Kind() == test_driver.KindNull {
			return alias + "." + column + " IS NULL"
		}
		text := v.Kind() == test_driver.KindString && c.Class == sqltext.Text && !strings.HasSuffix(v.GetString(), " ")
		if !text && !(v.Kind() == test_driver.KindInt64 && c.Class == sqltext.Exact) {
			return ""
		}
	}
	if c == nil || c.Generated || c.Collation != "" || c.Class != sqltext.Exact && c.Class != sqltext.Text {
		return ""
	}
	text, err := restore(e, true)
	if err != nil {
		return ""
	}
	return alias + "." + column + " = " + text
}
