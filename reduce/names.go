package reduce

import (
	"cmp"
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// rename numbers transactions in the order in which they begin, and tables, columns, indexes and aliases in the
// order in which they are defined: t0, c0, i0, r0. All at once where that can be, else kind by kind.
func rename(s *Search) error {
	if _, err := s.Try(s.Case().InOrderOfBegin()); err != nil {
		return err
	}
	names := s.namesOf(s.Case())
	if kept, err := s.Try(s.renamed(s.Case(), names)); kept || err != nil {
		return err
	}
	for _, n := range names {
		if _, err := s.Try(s.renamed(s.Case(), []nameKind{n})); err != nil {
			return err
		}
	}
	return nil
}

// nameKind is the names of one kind, in lower case, in order of definition.
type nameKind struct {
	prefix string // of the new names
	names  []string
}

// namesOf lists the names of a case; one that stands for things of several kinds is in none.
func (s *Search) namesOf(c *testcase.Case) []nameKind {
	var aliases, ctes, results []string
	for n := range c.Txns {
		for _, stmt := range c.Txns[n].Stmts {
			t, q, r := s.rewriter.Aliases(stmt.SQL)
			aliases, ctes, results = append(aliases, t...), append(ctes, q...), append(results, r...)
		}
	}
	tables, columns, indexes := s.schemaNames(c)
	kinds := []nameKind{{"t", tables}, {"c", columns}, {"i", indexes}, {"r", aliases}, {"q", ctes}, {"e", results}}
	count := map[string]int{}
	for i := range kinds {
		kinds[i].names = unique(kinds[i].names)
		for _, n := range kinds[i].names {
			count[n]++
		}
	}
	for i := range kinds {
		kinds[i].names = slices.DeleteFunc(kinds[i].names, func(n string) bool {
			return count[n] > 1 || sqltext.IsBookkeeping(n)
		})
	}
	return kinds
}

// schemaNames lists the names that the schema gives.
func (s *Search) schemaNames(c *testcase.Case) (tables, columns, indexes []string) {
	for _, stmt := range c.Schema {
		switch n := s.parse(stmt.SQL).(type) {
		case *sql.CreateIndex:
			if n.Name != nil {
				indexes = append(indexes, n.Name.Name.Folded())
			}
		case *sql.CreateTable:
			tables = append(tables, n.Name.Name.Folded())
			for _, c := range n.Columns {
				columns = append(columns, c.Name.Folded())
			}
			for _, c := range n.Constraints {
				if name := indexName(c); name != "" {
					indexes = append(indexes, name)
				}
			}
		}
	}
	return tables, columns, indexes
}

// indexName is the name, in lower case, of an index that a table makes; "" where it has none.
func indexName(c sql.Constraint) string {
	switch n := c.(type) {
	case *sql.Index:
		return n.Name.Folded()
	case *sql.Exclude:
		return n.Name.Folded()
	case *sql.Unique:
		return cmp.Or(n.Name.Folded(), n.Index.Folded())
	}
	return ""
}

func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// renamed returns the case with new names for these, by tokens; nil where a statement would be read as another
// one.
func (s *Search) renamed(c *testcase.Case, kinds []nameKind) *testcase.Case {
	to := map[string]string{}
	taken := map[string]bool{} // words that are not renamed
	for _, stmt := range allStmts(c) {
		addNames(taken, stmt.SQL)
	}
	for _, k := range kinds {
		for _, n := range k.names {
			delete(taken, n)
		}
	}
	for _, k := range kinds {
		next := 0
		for _, n := range k.names {
			for taken[fmt.Sprint(k.prefix, next)] {
				next++
			}
			to[n] = fmt.Sprint(k.prefix, next)
			next++
		}
	}
	d := c.Clone()
	for _, stmt := range allStmts(d) {
		sql := sqltext.Rename(stmt.SQL, to)
		if !s.rewriter.SameShape(stmt.SQL, sql) {
			return nil
		}
		stmt.SQL = sql
	}
	return d
}

// allStmts points to every statement of a case.
func allStmts(c *testcase.Case) []*testcase.Stmt {
	var out []*testcase.Stmt
	for i := range c.Schema {
		out = append(out, &c.Schema[i])
	}
	for i := range c.Rows {
		out = append(out, &c.Rows[i])
	}
	for n := range c.Txns {
		for i := range c.Txns[n].Stmts {
			out = append(out, &c.Txns[n].Stmts[i])
		}
	}
	return out
}
