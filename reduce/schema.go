package reduce

import (
	"slices"

	"txweave/sql"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// dropIndexes drops indexes, keys and constraints, of all tables together, those of the primary key excepted; then
// columns of indexes, and what else can go from a definition.
func dropIndexes(s *Search) error {
	c := s.Case()
	parts := s.schemaParts(c)
	err := s.Minimize(len(parts), func(keep []int) *testcase.Case {
		in := set(keep)
		return s.withSchemaParts(c, parts, func(i int) bool { return in[i] })
	})
	if err != nil {
		return err
	}
	return s.Sweep(func(c *testcase.Case) []*testcase.Case {
		var out []*testcase.Case
		for i := range c.Schema {
			stmt := s.parse(c.Schema[i].SQL)
			if stmt == nil {
				continue
			}
			for _, e := range edits.OfDefinition(stmt) {
				d := c.Clone()
				d.Schema[i].SQL = s.print(e.Apply(), d.Schema[i].SQL)
				out = append(out, s.withWholePartitions(d))
			}
		}
		return out
	})
}

// part is one thing of a schema that can go by itself: a statement that creates no table, or a part of a table.
type part struct {
	at    int    // which statement
	item  int    // which of its constraints; -1 for all of it
	table string // in lower case; "" where none is known
}

func (s *Search) schemaParts(c *testcase.Case) []part {
	var out []part
	for i, stmt := range c.Schema {
		defined := s.parse(stmt.SQL)
		if _, defines := definedTable(stmt.SQL); !defines {
			out = append(out, part{i, -1, tableOf(defined)})
			continue
		}
		if t, ok := defined.(*sql.CreateTable); ok {
			for _, x := range edits.Parts(t) {
				out = append(out, part{i, x, tableOf(t)})
			}
		}
	}
	return out
}

// withSchemaParts returns the case without those of its parts that are not to be kept.
func (s *Search) withSchemaParts(c *testcase.Case, parts []part, keep func(i int) bool) *testcase.Case {
	gone := map[int]map[int]bool{} // by statement
	for i, p := range parts {
		if keep(i) {
			continue
		}
		if gone[p.at] == nil {
			gone[p.at] = map[int]bool{}
		}
		gone[p.at][p.item] = true
	}
	d := c.Clone()
	d.Schema = nil
	for i, stmt := range c.Clone().Schema {
		if gone[i][-1] {
			continue
		}
		if t, ok := s.parse(stmt.SQL).(*sql.CreateTable); ok {
			stmt.SQL = s.print(edits.WithoutParts(t, gone[i]), stmt.SQL)
		}
		d.Schema = append(d.Schema, stmt)
	}
	return s.withWholePartitions(d)
}

// withWholePartitions takes what is left of tables' partitions out of a case: those of a table that has none any more,
// and the clause of a table without any, where partitions are statements of their own.
func (s *Search) withWholePartitions(c *testcase.Case) *testcase.Case {
	parts, partitioned := map[string]bool{}, map[string]bool{}
	for _, stmt := range c.Schema {
		if t, ok := s.parse(stmt.SQL).(*sql.CreateTable); ok {
			if t.Of != nil {
				parts[t.Of.Name.Folded()] = true
			}
			partitioned[tableOf(t)] = t.Partitions != nil
		}
	}
	d := c.Clone()
	d.Schema = slices.DeleteFunc(d.Schema, func(stmt testcase.Stmt) bool {
		t, ok := s.parse(stmt.SQL).(*sql.CreateTable)
		return ok && t.Of != nil && !partitioned[t.Of.Name.Folded()]
	})
	for i := range d.Schema {
		t, ok := s.parse(d.Schema[i].SQL).(*sql.CreateTable)
		if ok && !parts[tableOf(t)] && t.Partitions != nil && t.Partitions.Count == nil && len(t.Partitions.Parts) == 0 {
			d.Schema[i].SQL = s.print(sql.Edit(t, func(n *sql.CreateTable) { n.Partitions = nil }), d.Schema[i].SQL)
		}
	}
	return d
}

// column names a column of a table, in lower case.
type column struct{ table, name string }

// dropColumns drops columns of tables: from the definition with the keys that hold it, from initial rows, from
// the column lists of INSERTs and from the assignments of UPDATEs. A column that is mentioned elsewhere stays, and
// bookkeeping columns stay always.
func dropColumns(s *Search) error {
	c := s.Case()
	before := s.statementRisks(c)
	var columns []column
	for _, stmt := range c.Schema {
		if t, ok := s.parse(stmt.SQL).(*sql.CreateTable); ok {
			for _, col := range t.Columns {
				if name := col.Name.Folded(); !sqltext.IsBookkeeping(name) {
					columns = append(columns, column{t.Name.Name.Folded(), name})
				}
			}
		}
	}
	return s.Minimize(len(columns), func(keep []int) *testcase.Case {
		in := set(keep)
		gone := map[string]map[string]bool{}
		for i, col := range columns {
			if in[i] {
				continue
			}
			if gone[col.table] == nil {
				gone[col.table] = map[string]bool{}
			}
			gone[col.table][col.name] = true
		}
		d := s.withoutColumns(c, gone)
		if riskier(s.statementRisks(d), before) {
			return nil
		}
		return d
	})
}

// statementRisks returns the risks of each target statement; none of one that cannot be read.
func (s *Search) statementRisks(c *testcase.Case) []sqltext.Risk {
	var out []sqltext.Risk
	schema := c.ReadSchema()
	for n := range c.Txns {
		for _, stmt := range c.Txns[n].Stmts {
			r, _ := s.rewriter.Risks(stmt.SQL, schema)
			out = append(out, r)
		}
	}
	return out
}

// withoutColumns returns the case without columns, by table. What cannot be told apart stays, and is the database's
// to refuse.
func (s *Search) withoutColumns(c *testcase.Case, gone map[string]map[string]bool) *testcase.Case {
	d := c.Clone()
	d.Schema = nil
	for _, stmt := range c.Clone().Schema {
		if defined := s.parse(stmt.SQL); defined != nil {
			left := edits.WithoutDefined(defined, gone[tableOf(defined)])
			if left == nil {
				continue
			}
			stmt.SQL = s.print(left, stmt.SQL)
		}
		d.Schema = append(d.Schema, stmt)
	}
	for i := range d.Rows {
		if in, ok := s.insertOf(c, d.Rows[i].SQL); ok && len(gone[in.table]) > 0 {
			d.Rows[i].SQL = s.print(in.without(gone[in.table]), d.Rows[i].SQL)
		}
	}
	for n := range d.Txns {
		stmts := d.Txns[n].Stmts
		for i := range stmts {
			if sql, ok := s.writeWithout(c, stmts[i].SQL, gone); ok {
				stmts[i].SQL = sql
			}
		}
	}
	return d
}

// tableOf is the table, in lower case, that a statement of the schema makes, or of which it makes an index.
func tableOf(stmt sql.Stmt) string {
	switch n := stmt.(type) {
	case *sql.CreateTable:
		return n.Name.Name.Folded()
	case *sql.CreateIndex:
		return n.Table.Name.Folded()
	}
	return ""
}

// writeWithout takes columns out of the column list of an INSERT or the assignments of an UPDATE; ok is false where
// nothing is to be done.
func (s *Search) writeWithout(c *testcase.Case, text string, gone map[string]map[string]bool) (out string, ok bool) {
	if in, ok := s.insertOf(c, text); ok && len(in.stmt.Columns) == 0 {
		return s.print(in.without(gone[in.table]), text), slices.ContainsFunc(in.columns, func(n string) bool {
			return gone[in.table][n]
		})
	}
	return s.rewriter.WithoutColumns(text, gone)
}
