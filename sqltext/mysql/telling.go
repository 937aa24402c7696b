package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"txweave/sqltext"
)

// Telling implements sqltext.Rewriter.
func (p *Parser) Telling(sql string, s *sqltext.Schema) (out []string) {
	root, ok := p.read(sql)
	if !ok {
		return nil
	}
	sel, block := root.(*ast.SelectStmt)
	if _, set := root.(*ast.SetOprStmt); !set && (!block || sel.LockInfo != nil || sel.SelectIntoOpt != nil) {
		return nil
	}
	named := func(table string) bool {
		t := s.Table(table)
		return t != nil && t.Column(sqltext.PKey) != nil && t.Column(sqltext.VKey) != nil
	}
	add := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	all := &references{}
	root.Accept(all)
	for _, ts := range all.sources { // first the snapshot, which explains more
		if table := tableOf(ts); named(table) {
			add(fmt.Sprintf("SELECT %s, %s FROM %s", sqltext.PKey, sqltext.VKey, table))
		}
	}
	if !block || sel.From == nil || sel.With != nil {
		return out
	}
	tables := baseTables(sel.From.TableRefs)
	conditions := append(conjuncts(sel.Where), joinConditions(sel.From.TableRefs)...)
	for _, t := range tables {
		var own []string
		for _, c := range conditions {
			if text, err := p.raised(restore(c, p.ansi)); err == nil && about(c, t.alias, len(tables) == 1) {
				own = append(own, text)
			}
		}
		if named(t.table) && len(own) > 0 {
			add(fmt.Sprintf("SELECT %[1]s.%[2]s, %[1]s.%[3]s FROM %[4]s AS %[1]s WHERE %[5]s", t.alias, sqltext.PKey, sqltext.VKey, t.table, strings.Join(own, " AND ")))
		}
	}
	return out
}

// conjuncts are the conditions all of which one is true for.
func conjuncts(x ast.ExprNode) []ast.ExprNode {
	switch n := x.(type) {
	case nil:
		return nil
	case *ast.ParenthesesExpr:
		return conjuncts(n.Expr)
	case *ast.BinaryOperationExpr:
		if n.Op == opcode.LogicAnd {
			return append(conjuncts(n.L), conjuncts(n.R)...)
		}
	}
	return []ast.ExprNode{x}
}

// joinConditions are those of a FROM clause's inner joins.
func joinConditions(n ast.ResultSetNode) (out []ast.ExprNode) {
	join, ok := n.(*ast.Join)
	if !ok {
		return nil
	}
	if join.On != nil && join.Tp == ast.CrossJoin {
		out = conjuncts(join.On.Expr)
	}
	return append(append(out, joinConditions(join.Left)...), joinConditions(join.Right)...)
}

// about says whether a condition is one of a single table's columns, and of nothing else.
func about(x ast.ExprNode, alias string, alone bool) bool {
	v := &references{}
	x.Accept(v)
	inner := &queries{}
	x.Accept(inner)
	return len(v.sources) == 0 && len(inner.found) == 0 && len(v.columns) > 0 && !slices.ContainsFunc(v.columns, func(c *ast.ColumnName) bool {
		return c.Table.L != alias && (c.Table.L != "" || !alone)
	})
}
