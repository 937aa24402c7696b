package mysql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// ChangeKeys implements sqltext.Rewriter.
func (p *Parser) ChangeKeys(sql string, change func(table, column string, n int64) int64) (string, bool) {
	root, readable := p.read(sql)
	if !readable {
		return sql, true
	}
	v := &keyLiterals{tables: tablesOf(root), change: change}
	root.Accept(v)
	if !v.changed {
		return sql, true
	}
	return p.print(root)
}

// keyLiterals changes the integers that a statement gives to a key column or compares with one.
type keyLiterals struct {
	tables  map[string]string // by the name under which the statement knows them
	change  func(table, column string, n int64) int64
	changed bool
}

// tablesOf returns the base tables of a statement by the names under which it knows them, and under "" the one that is
// its only source.
func tablesOf(root ast.StmtNode) map[string]string {
	v := &references{}
	root.Accept(v)
	out := map[string]string{}
	for _, ts := range v.sources {
		name := ts.AsName.L
		if name == "" {
			name = tableOf(ts)
		}
		out[name] = tableOf(ts)
	}
	if len(v.sources) > 0 && len(out) == 1 {
		out[""] = tableOf(v.sources[0])
	}
	return out
}

func (k *keyLiterals) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.InsertStmt:
		k.insert(x)
	case *ast.Assignment:
		k.literals(k.tables[x.Column.Table.L], x.Column.Name.L, x.Expr)
	case *ast.BinaryOperationExpr:
		switch x.Op {
		case opcode.EQ, opcode.NE, opcode.LT, opcode.LE, opcode.GT, opcode.GE, opcode.NullEQ:
			k.compared(x.L, x.R)
			k.compared(x.R, x.L)
		}
	case *ast.BetweenExpr:
		k.compared(x.Expr, x.Left, x.Right)
	case *ast.PatternInExpr:
		k.compared(x.Expr, x.List...)
	}
	return n, false
}

func (k *keyLiterals) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func (k *keyLiterals) insert(n *ast.InsertStmt) {
	ts, _ := n.Table.TableRefs.Left.(*ast.TableSource)
	for i, col := range n.Columns {
		for _, row := range n.Lists {
			if i < len(row) {
				k.literals(tableOf(ts), col.Name.L, row[i])
			}
		}
		if sel, ok := n.Select.(*ast.SelectStmt); ok && i < len(sel.Fields.Fields) && sel.Fields.Fields[i].Expr != nil {
			k.literals(tableOf(ts), col.Name.L, sel.Fields.Fields[i].Expr)
		}
	}
}

// compared changes the literals of a comparison with a key column.
func (k *keyLiterals) compared(x ast.ExprNode, with ...ast.ExprNode) {
	if col, ok := unwrap(x).(*ast.ColumnNameExpr); ok {
		k.literals(k.tables[col.Name.Table.L], col.Name.Name.L, with...)
	}
}

func (k *keyLiterals) literals(table, column string, list ...ast.ExprNode) {
	if column != sqltext.PKey && column != sqltext.VKey {
		return
	}
	for _, x := range list {
		v, ok := unwrap(x).(*test_driver.ValueExpr)
		if !ok || v.Kind() != test_driver.KindInt64 {
			continue
		}
		if n := k.change(table, column, v.GetInt64()); n != v.GetInt64() {
			v.SetInt64(n)
			k.changed = true
		}
	}
}
