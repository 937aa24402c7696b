package mysql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"txweave/sqltext"
)

// aliases gathers the names that statements give.
type aliases struct{ tables, ctes, fields []string }

func (a *aliases) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.TableSource:
		if x.AsName.L != "" {
			a.tables = append(a.tables, x.AsName.L)
		}
	case *ast.CommonTableExpression:
		a.ctes = append(a.ctes, x.Name.L)
	case *ast.SelectField:
		if x.AsName.L != "" {
			a.fields = append(a.fields, x.AsName.L)
		}
	}
	return n, false
}

func (a *aliases) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// Aliases implements sqltext.Rewriter.
func (p *Parser) Aliases(sql string) (tables, ctes, results []string) {
	v := &aliases{}
	if root, ok := p.read(sql); ok {
		root.Accept(v)
	}
	return v.tables, v.ctes, v.fields
}

// qualifiers adds the edits that take the qualifier off a statement's columns, and the alias off a base table: its
// columns then bear its own name, or none. None is tried only where no other source has such a column.
func (e *editor) qualifiers() {
	v := &references{}
	e.root.Accept(v)
	for _, ts := range v.sources {
		t, base := ts.Source.(*ast.TableName)
		name := ts.AsName.L
		if !base {
			continue
		}
		if name == "" {
			name = t.Name.L
		}
		var refs []*ast.ColumnName
		for _, c := range v.columns {
			if c.Table.L == name {
				refs = append(refs, c)
			}
		}
		if (len(refs) > 0 || ts.AsName.L != "") && e.unambiguous(name, refs, v.sources) {
			e.add(func() {
				ts.AsName.O, ts.AsName.L = "", ""
				for _, c := range refs {
					c.Table.O, c.Table.L = "", ""
				}
			})
		}
		sole := !slices.ContainsFunc(v.sources, func(o *ast.TableSource) bool { return o != ts && tableOf(o) == t.Name.L })
		if ts.AsName.L != "" && ts.AsName.L != t.Name.L && sole {
			e.add(func() {
				ts.AsName.O, ts.AsName.L = "", ""
				for _, c := range refs {
					c.Table = t.Name
				}
			})
		}
	}
}

// unambiguous says whether no other source of the statement has one of the columns.
func (e *editor) unambiguous(name string, refs []*ast.ColumnName, sources []*ast.TableSource) bool {
	named := 0
	for _, ts := range sources {
		other := ts.AsName.L
		if other == "" {
			other = tableOf(ts)
		}
		if other == name {
			named++
			continue
		}
		columns, base := e.columns.of[other]
		if !base || columns == nil {
			return false // a derived table, or one that is not known
		}
		for _, c := range refs {
			if _, has := columns[c.Name.L]; has {
				return false
			}
		}
	}
	return named == 1
}

// references gathers sources, columns and the names of results of a statement.
type references struct {
	sources []*ast.TableSource
	columns []*ast.ColumnName
	fields  []string
}

func (r *references) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.TableSource:
		r.sources = append(r.sources, x)
	case *ast.ColumnName:
		r.columns = append(r.columns, x)
	case *ast.SelectField:
		r.fields = append(r.fields, x.AsName.L)
	}
	return n, false
}

func (r *references) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// dangles says whether a column's qualifier names no source of the statement, or the column is none of its base
// table's; of an unqualified one whether it is none of the base tables', where these are all its sources.
func dangles(root ast.StmtNode, schema *sqltext.Schema) bool {
	v := &references{}
	root.Accept(v)
	sources, onlyBase := map[string]map[string]class{}, true
	unqualified := map[string]bool{}
	for _, ts := range v.sources {
		name := ts.AsName.L
		if name == "" {
			name = tableOf(ts)
		}
		columns := classesOf(schema, tableOf(ts))
		known := columns
		base := known != nil
		onlyBase = onlyBase && base
		if _, twice := sources[name]; twice {
			known = nil // one of them has it, or not
		}
		sources[name] = known
		for c := range columns {
			unqualified[c] = true
		}
	}
	for _, f := range v.fields {
		unqualified[f] = true // ORDER BY and HAVING know the names of the result
	}
	return slices.ContainsFunc(v.columns, func(c *ast.ColumnName) bool {
		if c.Table.L == "" {
			return onlyBase && !unqualified[c.Name.L]
		}
		known, source := sources[c.Table.L]
		_, has := known[c.Name.L]
		return !source || known != nil && !has
	})
}

// tableOf returns the name, in lower case, of the base table that a source is; "" for another one.
func tableOf(ts *ast.TableSource) string {
	if ts == nil {
		return ""
	}
	t, ok := ts.Source.(*ast.TableName)
	if !ok {
		return ""
	}
	return t.Name.L
}
