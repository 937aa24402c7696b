package signature

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// ofTables are the features that a statement has by the definitions of the tables and columns that it names.
func ofTables(text string, c *testcase.Case) (out []string) {
	stmt, err := sqltext.SyntaxOf(c.Target).Tree.Parse(text)
	if err != nil {
		return nil
	}
	schema := c.ReadSchema()
	var named []*sql.Table
	sql.Walk(stmt, func(n sql.Node) bool {
		if t, ok := n.(*sql.Table); ok {
			named = append(named, t)
		}
		return true
	})
	for _, n := range named {
		if t := schema.Table(n.Name.Folded()); t != nil && t.Partitioned {
			out = append(out, Partitioned)
		}
	}
	if sql.Has(stmt, func(n sql.Node) bool {
		call, ok := n.(*sql.Call)
		if !ok || call.Name.Folded() != "min" || len(call.Args) != 1 {
			return false
		}
		column, ok := call.Args[0].(*sql.Column)
		return ok && isVirtual(schema, named, column)
	}) {
		out = append(out, MinOfVirtual)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// definitions are the features that a statement has by how the tables that it names are kept, and refer to each other.
func definitions(text string, c *testcase.Case) (out []string) {
	schema := c.ReadSchema()
	for _, name := range c.Read(text).Tables() {
		t := schema.Table(name)
		if t == nil {
			continue
		}
		if slices.ContainsFunc(t.Columns, func(column sqltext.Column) bool { return column.Type == "year" }) {
			out = append(out, HasYear)
		}
		if slices.Contains(t.Parents, t.Name) {
			out = append(out, RefersToSelf)
		}
		if slices.ContainsFunc(schema.Tables, func(other *sqltext.Table) bool {
			return slices.Contains(other.Cascades, t.Name)
		}) {
			out = append(out, CarriedAlong)
		}
		for _, s := range c.Schema {
			stmt, _ := sqltext.SyntaxOf(c.Target).Tree.Parse(s.SQL)
			if x, ok := stmt.(*sql.CreateIndex); ok && x.Table.Name.Folded() == t.Name {
				out = append(out, ofIndex(x)...)
			}
		}
	}
	return out
}

// ofIndex are the features of an index.
func ofIndex(x *sql.CreateIndex) (out []string) {
	if slices.ContainsFunc(x.Columns, func(o *sql.Order) bool {
		switch sql.Bare(o.X).(type) {
		case *sql.Column, *sql.Prefix, *sql.Collate:
			return false
		}
		return true
	}) {
		out = append(out, OfExpression)
	}
	if slices.ContainsFunc(x.Columns, func(o *sql.Order) bool { return o.Desc }) {
		out = append(out, Descending)
	}
	return out
}

// isVirtual says whether a column of the tables that a statement names is a virtual one: of the table, if it says of
// which, and else of each that has a column of that name, as its scope is not told.
func isVirtual(schema *sqltext.Schema, named []*sql.Table, column *sql.Column) bool {
	found := false
	for _, n := range named {
		t, name := schema.Table(n.Name.Folded()), n.Alias
		if name == nil {
			name = n.Name
		}
		if t == nil || column.Table != nil && column.Table.Folded() != name.Folded() {
			continue
		}
		if c := t.Column(column.Name.Folded()); c != nil && !c.Virtual {
			return false
		} else if c != nil {
			found = true
		}
	}
	return found
}
