package mysql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// resultColumn is a column that a query returns, or that a source has.
type resultColumn struct {
	name  string // in lower case; "" where it has none that a statement could call it by
	class class
}

// outputs are the columns of a query in their order; of a set operation each is what it may be in any of its queries.
func (c columnClasses) outputs(q ast.Node) (out []resultColumn) {
	var branches []ast.Node
	switch x := q.(type) {
	case *ast.SetOprStmt:
		branches = x.SelectList.Selects
	case *ast.SetOprSelectList:
		branches = x.Selects
	case *ast.SelectStmt:
		return c.selected(x)
	}
	for i, b := range branches {
		more := c.outputs(b)
		if i == 0 {
			out = more
			continue
		}
		for j := range out {
			if j < len(more) {
				out[j].class = blend(out[j].class, more[j].class)
			}
		}
	}
	return out
}

// selected are the columns of one query block.
func (c columnClasses) selected(sel *ast.SelectStmt) (out []resultColumn) {
	if sel.Fields == nil {
		return nil
	}
	for _, f := range sel.Fields.Fields {
		if f.WildCard == nil {
			name := f.AsName.L
			if col, ok := f.Expr.(*ast.ColumnNameExpr); ok && name == "" {
				name = col.Name.Name.L
			}
			out = append(out, resultColumn{name, c.classOf(f.Expr)})
		} else if sel.From != nil {
			out = append(out, c.wildcard(sel.From.TableRefs, f.WildCard.Table.L)...)
		}
	}
	return out
}

// wildcard are the columns that * stands for, or table.*.
func (c columnClasses) wildcard(from ast.ResultSetNode, table string) []resultColumn {
	join, ok := from.(*ast.Join)
	switch {
	case table == "":
		return c.columnsFrom(from)
	case ok:
		return append(c.wildcard(join.Left, table), c.wildcard(join.Right, table)...)
	}
	if x, ok := from.(*ast.TableSource); ok && sourceName(x) == table {
		return c.columnsFrom(x)
	}
	return nil
}

// sourceName is the name by which a statement knows a source.
func sourceName(x *ast.TableSource) string {
	if t, ok := x.Source.(*ast.TableName); ok && x.AsName.L == "" {
		return t.Name.L
	}
	return x.AsName.L
}

// columnsFrom are the columns of a table reference, in the order in which * gives them. Of a query's the classes are those that are known
// of its sources so far.
func (c columnClasses) columnsFrom(from ast.ResultSetNode) (out []resultColumn) {
	switch x := from.(type) {
	case *ast.Join:
		left, right := c.columnsFrom(x.Left), c.columnsFrom(x.Right)
		if x.Tp == ast.RightJoin && (x.NaturalJoin || x.Using != nil) {
			left, right = right, left
		}
		for _, name := range sharedColumns(x, left, right) { // they come once, and first
			i, j := indexOf(left, name), indexOf(right, name)
			out = append(out, resultColumn{name, blend(left[i].class, right[j].class)})
			left, right = slices.Delete(left, i, i+1), slices.Delete(right, j, j+1)
		}
		return slices.Concat(out, left, right)
	case *ast.TableSource:
		t, base := x.Source.(*ast.TableName)
		if !base {
			return c.outputs(x.Source)
		}
		if cte := c.ctes[t.Name.L]; cte != nil {
			return c.ofExpression(cte)
		}
		if def := c.schema.Table(t.Name.L); def != nil {
			for _, col := range def.Columns {
				out = append(out, resultColumn{col.Name, col.Class})
			}
		}
	}
	return out
}

// ofExpression are the columns of a common table expression. Of a recursive one the first query tells, as in SQL: what is added to it is
// made what that one is.
func (c columnClasses) ofExpression(cte *ast.CommonTableExpression) []resultColumn {
	var query ast.Node = cte.Query.Query
	if union, ok := query.(*ast.SetOprStmt); ok && cte.IsRecursive {
		query = union.SelectList.Selects[0]
	}
	out := c.outputs(query)
	for i, name := range cte.ColNameList {
		if i < len(out) {
			out[i].name = name.L
		}
	}
	return out
}

// sharedColumns are the columns by which NATURAL or USING joins two sources, which both have them.
func sharedColumns(x *ast.Join, left, right []resultColumn) (names []string) {
	for _, o := range left {
		named := slices.ContainsFunc(x.Using, func(n *ast.ColumnName) bool { return n.Name.L == o.name })
		if (named || x.NaturalJoin) && o.name != "" && indexOf(right, o.name) >= 0 {
			names = append(names, o.name)
		}
	}
	return names
}

func indexOf(list []resultColumn, name string) int {
	return slices.IndexFunc(list, func(o resultColumn) bool { return o.name == name })
}
