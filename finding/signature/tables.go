package signature

import (
	"slices"

	"txweave/sqltext"
	"txweave/testcase"
)

// ofTables are the features that a statement has by the definitions of the tables and columns that it names.
func ofTables(sql string, c *testcase.Case, parser sqltext.Parser) (out []string) {
	schema := sqltext.ReadSchema(testcase.Texts(c.Schema))
	virtual := virtualColumns(c, schema, parser)
	tokens := sqltext.Significant(sql, -1)
	at := func(i int) string {
		if i < len(tokens) {
			return tokens[i].Text
		}
		return ""
	}
	for i, tok := range tokens {
		if t := schema.Table(tok.Text); t != nil && t.Partitioned {
			out = append(out, Partitioned)
		}
		if !tok.Is("min") || at(i+1) != "(" {
			continue
		}
		name, end := at(i+2), at(i+3)
		if end == "." { // MIN(r0.g0)
			name, end = at(i+4), at(i+5)
		}
		if end == ")" && slices.Contains(virtual, name) {
			out = append(out, MinOfVirtual)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// virtualColumns are the names of the generated columns of tables that have some which are not stored.
func virtualColumns(c *testcase.Case, schema *sqltext.Schema, parser sqltext.Parser) (out []string) {
	for _, s := range c.Schema {
		t := schema.Table(sqltext.Read(s.SQL).Written)
		if t == nil || !slices.Contains(parser.SchemaFeatures(s.SQL), "virtual-column") {
			continue
		}
		for _, col := range t.Columns {
			if col.Generated {
				out = append(out, col.Name)
			}
		}
	}
	return out
}
