package reduce

import (
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// dropTables drops tables that no transaction needs, each with its indexes and initial rows. A table is needed
// when a statement of a transaction mentions it, or the definition of a table or view that is needed does. Then it
// lets statements use one table where they use two.
func dropTables(s *Search) error {
	c := s.Case()
	unused := unusedTables(c)
	err := s.Minimize(len(unused), func(keep []int) *testcase.Case {
		in := set(keep)
		gone := map[string]bool{}
		for i, name := range unused {
			if !in[i] {
				gone[name] = true
			}
		}
		return withoutTables(c, gone)
	})
	if err != nil {
		return err
	}
	return s.Sweep(s.mergedTables)
}

// mergedTables returns the cases in which statements mention one table instead of another one, which goes.
func (s *Search) mergedTables(c *testcase.Case) []*testcase.Case {
	var names []string
	for _, stmt := range c.Schema {
		if name, defines := definedTable(stmt.SQL); defines {
			names = append(names, name)
		}
	}
	before := s.statementRisks(c)
	var out []*testcase.Case
	for i := len(names) - 1; i >= 0; i-- {
		for j, to := range names {
			if i == j {
				continue
			}
			d := withoutTables(c, map[string]bool{names[i]: true})
			for n := range d.Txns {
				for k := range d.Txns[n].Stmts {
					stmt := &d.Txns[n].Stmts[k]
					stmt.SQL = sqltext.Rename(stmt.SQL, map[string]string{names[i]: to})
				}
			}
			if !riskier(s.statementRisks(d), before) {
				out = append(out, d)
			}
		}
	}
	return out
}

// riskier says whether any statement has a risk that it had not before.
func riskier(after, before []sqltext.Risk) bool {
	for i, r := range after {
		if r&^before[i] != 0 {
			return true
		}
	}
	return false
}

// withoutTables returns a copy of the case without the definitions of these tables, their indexes, and the
// statements of the initial rows that mention them.
func withoutTables(c *testcase.Case, gone map[string]bool) *testcase.Case {
	d := c.Clone()
	d.Schema, d.Rows = nil, nil
	for _, stmt := range c.Clone().Schema {
		name, defines := definedTable(stmt.SQL)
		if defines && gone[name] || !defines && mentionsAny(stmt.SQL, gone) {
			continue
		}
		d.Schema = append(d.Schema, stmt)
	}
	for _, stmt := range c.Clone().Rows {
		if !mentionsAny(stmt.SQL, gone) {
			d.Rows = append(d.Rows, stmt)
		}
	}
	return d
}

// unusedTables returns the names, in lower case, of the tables and views that no transaction needs.
func unusedTables(c *testcase.Case) []string {
	used := map[string]bool{} // every name that a statement that counts mentions, tables or not
	for n := range c.Txns {
		for i := range c.Txns[n].Steps() {
			addNames(used, c.Txns[n].Step(i).SQL)
		}
	}
	tables := map[string]bool{}
	for _, stmt := range c.Schema {
		if name, defines := definedTable(stmt.SQL); defines {
			tables[name] = true
		}
	}
	counted := make([]bool, len(c.Schema))
	for again := true; again; {
		again = false
		for i, stmt := range c.Schema {
			name, defines := definedTable(stmt.SQL)
			if counted[i] || defines && !used[name] || !defines && !mentionsUsed(stmt.SQL, tables, used) {
				continue
			}
			counted[i], again = true, true
			addNames(used, stmt.SQL)
		}
	}
	var unused []string
	for _, stmt := range c.Schema {
		if name, defines := definedTable(stmt.SQL); defines && !used[name] {
			unused = append(unused, name)
		}
	}
	return unused
}

// mentionsUsed reports whether sql mentions a table that is used.
func mentionsUsed(sql string, tables, used map[string]bool) bool {
	for t := range sqltext.Tokens(sql) {
		if name, ok := t.Ident(); ok && tables[name] && used[name] {
			return true
		}
	}
	return false
}

// mentionsAny reports whether sql mentions one of the names.
func mentionsAny(sql string, names map[string]bool) bool { return mentionsUsed(sql, names, names) }

// addNames adds every name that sql mentions to names.
func addNames(names map[string]bool, sql string) {
	for t := range sqltext.Tokens(sql) {
		if name, ok := t.Ident(); ok {
			names[name] = true
		}
	}
}

// definedTable returns the name, in lower case, of the table or view that sql creates, without a schema before it. ok
// is false for other statements.
func definedTable(sql string) (name string, ok bool) {
	s := sqltext.Read(sql)
	if what := s.Creates(); what != "table" && what != "view" {
		return "", false
	}
	return s.Target, s.Target != ""
}
