package signature

import (
	"slices"

	"txweave/sql"
	"txweave/sqltext"
	"txweave/testcase"
)

// ofTables are the features that a statement has by the definitions of the tables and columns that it names.
func ofTables(sql string, c *testcase.Case) (out []string) {
	schema := c.ReadSchema()
	s := sqltext.SyntaxOf(c.Target).Quoting.Read(sql)
	for _, n := range s.Named {
		if t := schema.Table(n.Name); t != nil && t.Partitioned {
			out = append(out, Partitioned)
		}
	}
	at := func(i int) sqltext.Token {
		if i < len(s.Tokens) {
			return s.Tokens[i]
		}
		return sqltext.Token{}
	}
	for i, tok := range s.Tokens {
		if !tok.Is("min") || at(i+1).Text != "(" {
			continue
		}
		table, name, end := sqltext.Token{}, at(i+2), at(i+3)
		if end.Text == "." { // MIN(r0.g0)
			table, name, end = at(i+2), at(i+4), at(i+5)
		}
		if end.Text == ")" && isVirtual(schema, s.Named, table, name) {
			out = append(out, MinOfVirtual)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// definitions are the features that a statement has by how the tables that it names are kept, and refer to each other.
func definitions(text string, c *testcase.Case) (out []string) {
	schema := c.ReadSchema()
	for _, n := range sqltext.SyntaxOf(c.Target).Quoting.Read(text).Named {
		t := schema.Table(n.Name)
		if t == nil {
			continue
		}
		if slices.ContainsFunc(t.Columns, func(column sqltext.Column) bool { return column.Type == "year" }) {
			out = append(out, HasYear)
		}
		if slices.Contains(t.Parents, t.Name) {
			out = append(out, RefersToSelf)
		}
		if slices.ContainsFunc(schema.Tables, func(other *sqltext.Table) bool { return slices.Contains(other.Cascades, t.Name) }) {
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

// isVirtual says whether a column of the tables that a statement names is a virtual one: of the table, if it says of which, and else of
// each that has a column of that name, as its scope is not told.
func isVirtual(schema *sqltext.Schema, named []sqltext.TableName, table, column sqltext.Token) bool {
	of, _ := table.Ident()
	name, _ := column.Ident()
	found := false
	for _, n := range named {
		t := schema.Table(n.Name)
		if t == nil || of != "" && of != n.Alias && (n.Alias != "" || of != n.Name) {
			continue
		}
		if c := t.Column(name); c != nil && !c.Virtual {
			return false
		} else if c != nil {
			found = true
		}
	}
	return found
}
