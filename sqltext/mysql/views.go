package mysql

import (
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/model"

	"txweave/sqltext"
)

// maxViews is how deep views may stand on views: more is one that stands on itself.
const maxViews = 16

// withoutViews writes the queries of views in their places, as derived tables: what a statement reads through a view is
// what it would read then.
func (p *Parser) withoutViews(s *sqltext.Schema, node ast.StmtNode) (ast.StmtNode, error) {
	if len(s.Views) == 0 {
		return node, nil
	}
	v := &viewer{parser: p, schema: s, own: map[string]bool{}}
	out, _ := node.Accept(v)
	if v.err != nil {
		return nil, v.err
	}
	return out.(ast.StmtNode), nil
}

// viewer replaces views by their queries.
type viewer struct {
	parser *Parser
	schema *sqltext.Schema
	own    map[string]bool // common table expressions, which come before views
	depth  int
	err    error
}

func (v *viewer) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.WithClause:
		for _, cte := range x.CTEs {
			v.own[cte.Name.L] = true
		}
	case *ast.TableSource:
		t, ok := x.Source.(*ast.TableName)
		if !ok || t.Schema.L != "" || v.own[t.Name.L] {
			break
		}
		if view := v.schema.View(t.Name.L); view != nil {
			v.replace(x, view)
		}
	}
	return n, v.err != nil
}

func (v *viewer) replace(x *ast.TableSource, view *sqltext.ViewDefinition) {
	if v.depth++; v.depth > maxViews {
		v.err = fmt.Errorf("view %s stands on itself", view.Name)
		return
	}
	query, err := v.parser.parse(view.Query)
	if err != nil {
		v.err = fmt.Errorf("cannot parse view %s: %w", view.Name, err)
		return
	}
	result, ok := query.(ast.ResultSetNode)
	if !ok {
		v.err = fmt.Errorf("view %s is no query", view.Name)
		return
	}
	if x.AsName.L == "" {
		x.AsName = model.NewCIStr(view.Name)
	}
	r := &renamer{of: "_of_" + view.Name, names: map[string]string{}, ctes: map[string]string{}}
	result.Accept(r)
	r.found = true
	result.Accept(r)
	inner := &viewer{parser: v.parser, schema: v.schema, own: map[string]bool{}, depth: v.depth}
	result.Accept(inner)
	v.err, v.depth = inner.err, v.depth-1
	x.Source = result
}

func (v *viewer) Leave(n ast.Node) (ast.Node, bool) { return n, v.err == nil }

// renamer gives the sources of a view's query names that the statement around it does not have: which columns a name stands for is asked of a
// statement as a whole. Its first visit finds the names, its second one replaces them.
type renamer struct {
	of    string
	names map[string]string
	ctes  map[string]string // of common table expressions
	found bool
}

func (r *renamer) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.TableSource:
		if name := x.AsName.L; name != "" && !r.found {
			r.names[name] = name + r.of
		} else if name != "" {
			x.AsName = model.NewCIStr(r.names[name])
		}
	case *ast.CommonTableExpression:
		if !r.found {
			r.ctes[x.Name.L] = x.Name.L + r.of
		}
		r.rename(&x.Name, r.ctes)
	case *ast.TableName:
		if x.Schema.L == "" {
			r.rename(&x.Name, r.ctes)
		}
	case *ast.ColumnName:
		r.qualifier(&x.Table)
	case *ast.WildCardField:
		r.qualifier(&x.Table)
	case *ast.SelectStmt:
		for _, h := range x.TableHints {
			for i := range h.Tables {
				r.qualifier(&h.Tables[i].TableName)
			}
		}
	}
	return n, false
}

// qualifier renames what a column belongs to: a source, or a common table expression that goes by its own name.
func (r *renamer) qualifier(name *model.CIStr) {
	if r.names[name.L] != "" {
		r.rename(name, r.names)
		return
	}
	r.rename(name, r.ctes)
}

func (r *renamer) rename(name *model.CIStr, names map[string]string) {
	if to := names[name.L]; r.found && to != "" {
		*name = model.NewCIStr(to)
	}
}

func (r *renamer) Leave(n ast.Node) (ast.Node, bool) { return n, true }
