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
			if v.schema.View(cte.Name.L) != nil { // which of the two a name means is a matter of scopes
				v.err = fmt.Errorf("common table expression %s hides a view", cte.Name.O)
			}
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
	inner := &viewer{parser: v.parser, schema: v.schema, own: map[string]bool{}, depth: v.depth}
	result.Accept(inner)
	v.err, v.depth = inner.err, v.depth-1
	x.Source = result
}

func (v *viewer) Leave(n ast.Node) (ast.Node, bool) { return n, v.err == nil }
