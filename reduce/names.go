package reduce

import (
	"fmt"
	"slices"
	"strings"
	"txweave/sqltext"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"txweave/testcase"
)

// rename numbers transactions in the order in which they begin, and tables, columns, indexes and aliases in the
// order in which they are defined: t0, c0, i0, r0. All at once where that can be, else kind by kind.
func rename(s *Search) error {
	if _, err := s.Try(inOrderOfBegin(s.Case())); err != nil {
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

// inOrderOfBegin numbers the transactions in the order of their first steps.
func inOrderOfBegin(c *testcase.Case) *testcase.Case {
	d := c.Clone()
	number := map[int]int{}
	for i, n := range c.Schedule {
		if _, seen := number[n]; !seen {
			number[n] = len(number)
		}
		d.Schedule[i] = number[n]
	}
	for n, t := range c.Clone().Txns {
		d.Txns[number[n]] = t
	}
	for i, r := range c.Order {
		d.Order[i].Txn = number[r.Txn]
	}
	return d
}

// nameKind is the names of one kind, in lower case, in order of definition.
type nameKind struct {
	prefix string // of the new names
	names  []string
}

// namesOf lists the names of a case; one that stands for things of several kinds is in none.
func (s *Search) namesOf(c *testcase.Case) []nameKind {
	v := &aliases{}
	for n := range c.Txns {
		for _, stmt := range c.Txns[n].Stmts {
			if root, ok := s.grammar.read(stmt.SQL); ok {
				root.Accept(v)
			}
		}
	}
	var tables, columns, indexes []string
	for _, stmt := range c.Schema {
		t, ok := splitTable(stmt.SQL)
		if !ok {
			if tokens := sqltext.Significant(stmt.SQL, -1); len(tokens) > 3 && tokens[0].Is("create") {
				at := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Is("index") })
				if name, ok := tokens[at+1].Ident(); at > 0 && ok {
					indexes = append(indexes, name)
				}
			}
			continue
		}
		tables = append(tables, t.name)
		for _, x := range t.items {
			name, kind := x.kind()
			if kind == columnItem && !isBookkeeping(name) {
				columns = append(columns, name)
			}
			if kind == keyItem {
				if name, ok := x.keyName(); ok {
					indexes = append(indexes, name)
				}
			}
		}
	}
	kinds := []nameKind{{"t", tables}, {"c", columns}, {"i", indexes}, {"r", v.tables}, {"q", v.ctes}, {"e", v.fields}}
	count := map[string]int{}
	for i := range kinds {
		kinds[i].names = unique(kinds[i].names)
		for _, n := range kinds[i].names {
			count[n]++
		}
	}
	for i := range kinds {
		kinds[i].names = slices.DeleteFunc(kinds[i].names, func(n string) bool { return count[n] > 1 || isBookkeeping(n) })
	}
	return kinds
}

// keyName returns the name of an index or of a unique constraint: the word after CONSTRAINT, or the one before the
// parentheses where that is no keyword.
func (x item) keyName() (string, bool) {
	tokens := sqltext.Significant(string(x), -1)
	if tokens[0].Is("constraint") && len(tokens) > 1 {
		return tokens[1].Ident()
	}
	at := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Text == "(" })
	if at < 1 || tokens[at-1].Is("index", "key", "unique", "fulltext", "spatial") {
		return "", false
	}
	return tokens[at-1].Ident()
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
		sql := substitute(stmt.SQL, to)
		if before, ok := s.grammar.read(stmt.SQL); ok {
			after, readable := s.grammar.read(sql)
			if !readable || shapeOf(before) != shapeOf(after) {
				return nil
			}
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

// substitute gives names new names.
func substitute(sql string, to map[string]string) string {
	var b strings.Builder
	for t := range sqltext.Tokens(sql) {
		name, ok := t.Ident()
		if substitute, renamed := to[name]; ok && renamed {
			b.WriteString(substitute)
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String()
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
		columns, base := e.columns[other]
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
func dangles(root ast.StmtNode, schema *schemaInfo) bool {
	v := &references{}
	root.Accept(v)
	sources, onlyBase := map[string]map[string]class{}, true
	unqualified := map[string]bool{}
	for _, ts := range v.sources {
		name := ts.AsName.L
		if name == "" {
			name = tableOf(ts)
		}
		known, base := schema.classes[tableOf(ts)]
		onlyBase = onlyBase && base
		if _, twice := sources[name]; twice {
			known = nil // one of them has it, or not
		}
		sources[name] = known
		for c := range schema.classes[tableOf(ts)] {
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
