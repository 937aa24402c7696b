package mysql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"txweave/sqltext"
)

// Spell implements sqltext.Rewriter.
func (p *Parser) Spell(sql string) (string, bool) {
	root, ok := p.read(sql)
	if !ok {
		return "", false
	}
	return p.print(root)
}

// Edit implements sqltext.Rewriter.
func (p *Parser) Edit(sql string, s *sqltext.Schema, i int) (text string, more bool) {
	root, ok := p.read(sql)
	if !ok {
		return "", false
	}
	before := risksOf(root, s)
	e := find(root, s)
	if i >= len(e.edits) {
		return "", false
	}
	e.edits[i].apply()
	text, ok = p.print(e.root)
	if !ok && e.edits[i].wrap != nil {
		root, _ = p.read(sql)
		e = find(root, s)
		e.edits[i].wrap()
		text, ok = p.print(e.root)
	}
	if !ok {
		return "", true
	}
	again, _ := p.read(text) // as it is read, not as it was built
	if risksOf(again, s)&^before != 0 {
		return "", true
	}
	return text, true
}

// Clauses implements sqltext.Rewriter.
func (p *Parser) Clauses(sql string, s *sqltext.Schema) []string {
	root, ok := p.read(sql)
	if !ok {
		return nil
	}
	var out []string
	for _, e := range find(root, s).edits {
		out = append(out, e.clause)
	}
	return out
}

// Risks implements sqltext.Rewriter.
func (p *Parser) Risks(sql string, s *sqltext.Schema) (sqltext.Risk, bool) {
	root, ok := p.read(sql)
	if !ok {
		return 0, false
	}
	return risksOf(root, s), true
}

// SameShape implements sqltext.Rewriter.
func (p *Parser) SameShape(before, after string) bool {
	a, ok := p.read(before)
	if !ok {
		return true
	}
	b, ok := p.read(after)
	return ok && shapeOf(a) == shapeOf(b)
}

// WithoutColumns implements sqltext.Rewriter.
func (p *Parser) WithoutColumns(sql string, gone map[string]map[string]bool) (string, bool) {
	root, ok := p.read(sql)
	if !ok {
		return "", false
	}
	changed := false
	switch n := root.(type) {
	case *ast.UpdateStmt:
		ts, _ := n.TableRefs.TableRefs.Left.(*ast.TableSource)
		name := tableOf(ts)
		before := len(n.List)
		n.List = slices.DeleteFunc(n.List, func(as *ast.Assignment) bool { return gone[name][as.Column.Name.L] })
		changed = len(n.List) < before
	case *ast.InsertStmt:
		ts, _ := n.Table.TableRefs.Left.(*ast.TableSource)
		sel, ok := n.Select.(*ast.SelectStmt)
		if !ok || sel.Fields == nil || len(sel.Fields.Fields) != len(n.Columns) {
			return "", false
		}
		name := tableOf(ts)
		for i := len(n.Columns) - 1; i >= 0; i-- {
			if gone[name][n.Columns[i].Name.L] {
				n.Columns = slices.Delete(n.Columns, i, i+1)
				sel.Fields.Fields = slices.Delete(sel.Fields.Fields, i, i+1)
				changed = true
			}
		}
	}
	if !changed {
		return "", false
	}
	return p.print(root)
}
