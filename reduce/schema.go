package reduce

import (
	"slices"
	"strings"
	"txweave/sqltext"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"txweave/testcase"
)

// dropIndexes drops indexes, keys and constraints, of all tables together, those of the primary key excepted; then
// columns of indexes, and single words of definitions.
func dropIndexes(s *Search) error {
	c := s.Case()
	n := len(schemaParts(c))
	err := s.Minimize(n, func(keep []int) *testcase.Case { return withSchemaParts(c, set(keep)) })
	if err != nil {
		return err
	}
	return s.Sweep(func(c *testcase.Case) []*testcase.Case {
		var out []*testcase.Case
		for i := range c.Schema {
			for _, sql := range simplerDefinitions(c.Schema[i].SQL) {
				d := c.Clone()
				d.Schema[i].SQL = sql
				out = append(out, d)
			}
		}
		return out
	})
}

// part is one thing of a schema that can go by itself: a statement that creates no table, or one item of a table.
type part struct{ stmt, item int } // item is -1 for a whole statement

func schemaParts(c *testcase.Case) []part {
	var out []part
	for i, stmt := range c.Schema {
		if _, defines := definedTable(stmt.SQL); !defines {
			out = append(out, part{i, -1})
			continue
		}
		d, _ := splitTable(stmt.SQL)
		for j, x := range d.items {
			if _, kind := x.kind(); kind == keyItem || kind == checkItem {
				out = append(out, part{i, j})
			}
		}
	}
	return out
}

// withSchemaParts returns the case without those parts whose numbers are not in keep.
func withSchemaParts(c *testcase.Case, keep map[int]bool) *testcase.Case {
	gone := map[part]bool{}
	for i, p := range schemaParts(c) {
		gone[p] = !keep[i]
	}
	d := c.Clone()
	d.Schema = nil
	for i, stmt := range c.Clone().Schema {
		if gone[part{i, -1}] {
			continue
		}
		if t, ok := splitTable(stmt.SQL); ok {
			var items []item
			for j, x := range t.items {
				if !gone[part{i, j}] {
					items = append(items, x)
				}
			}
			if len(items) < len(t.items) {
				t.items = items
				stmt.SQL = t.join()
			}
		}
		d.Schema = append(d.Schema, stmt)
	}
	return d
}

// simplerDefinitions returns what one step makes simpler in a statement of the schema: a column of an index gone,
// NOT NULL, UNIQUE, DEFAULT, DESC or a prefix length gone, or what follows the definition of a table.
func simplerDefinitions(sql string) []string {
	if t, ok := splitTable(sql); ok {
		return simplerTables(t)
	}
	table, columns, ok := indexOf(sql)
	if !ok || table == "" {
		return nil
	}
	out := withoutWords(sql)
	if len(columns) > 1 {
		out = append(out, shorterKeys(sql)...)
	}
	return out
}

func simplerTables(t definition) []string {
	var out []string
	for i, x := range t.items {
		name, kind := x.kind()
		var texts []string
		switch {
		case kind == keyItem:
			texts = append(withoutWords(string(x)), shorterKeys(string(x))...)
		case kind == columnItem && !isBookkeeping(name):
			texts = withoutWords(string(x))
		}
		for _, text := range texts {
			d := t
			d.items = slices.Clone(t.items)
			d.items[i] = item(text)
			out = append(out, d.join())
		}
	}
	return append(out, shorterTails(t)...)
}

// shorterTails drops what follows the definitions of a table, ENGINE first. A collation stays while the table has
// columns of text: under another one, rows that differ may count as the same, and any of them may be printed.
func shorterTails(t definition) []string {
	if strings.TrimSpace(t.tail) == ")" {
		return nil
	}
	var out []string
	d := t
	if !slices.ContainsFunc(t.items, func(x item) bool {
		_, kind := x.kind()
		c := x.class()
		return kind == columnItem && (c == text || c == unknown)
	}) {
		d.tail = ")"
		return []string{d.join()}
	}
	tokens := sqltext.Significant(t.tail, -1)
	for i, tok := range tokens {
		if tok.Is("engine") && i+2 < len(tokens) && tokens[i+1].Text == "=" {
			rest := slices.Delete(slices.Clone(tokens), i, i+3)
			d.tail = joinTokens(rest)
			out = append(out, d.join())
		}
	}
	return out
}

// joinTokens writes tokens with the spaces that they need.
func joinTokens(tokens []sqltext.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.Kind != sqltext.Symbol && tokens[i-1].Text != "(" && tokens[i-1].Text != "=" {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// words are what can go from a definition by itself: each a sequence of words, "…" for whatever follows one word.
var words = [][]string{{"not", "null"}, {"unique"}, {"desc"}, {"asc"}, {"default", "…"}, {"auto_increment"}}

// withoutWords returns the text with one of the words gone.
func withoutWords(sql string) []string {
	var tokens []sqltext.Token
	var spans []span
	at := 0
	for t := range sqltext.Tokens(sql) {
		if t.Kind != sqltext.Blank && t.Kind != sqltext.Comment {
			tokens, spans = append(tokens, t), append(spans, span{at, at + len(t.Text)})
		}
		at += len(t.Text)
	}
	var out []string
	for i := range tokens {
		for _, w := range words {
			if i+len(w) > len(tokens) || i == 0 {
				continue
			}
			match := true
			for j, word := range w {
				match = match && (word == "…" || tokens[i+j].Is(word))
			}
			if match {
				left := strings.TrimSpace(sql[:spans[i].from]) + sql[spans[i+len(w)-1].to:]
				out = append(out, strings.TrimSpace(left))
			}
		}
		if tokens[i].Text == "(" && i > 1 && i+2 < len(tokens) && tokens[i+2].Text == ")" && isNumber(tokens[i+1]) {
			if _, defines := definedIndexColumn(tokens, i); defines {
				out = append(out, sql[:spans[i].from]+sql[spans[i+2].to:])
			}
		}
	}
	return out
}

// definedIndexColumn says whether the parentheses that open at tokens[i] are the prefix length of an index's
// column, and not a type's: they are inside other parentheses.
func definedIndexColumn(tokens []sqltext.Token, i int) (depth int, ok bool) {
	for _, t := range tokens[:i] {
		depth += t.Nesting()
	}
	return depth, depth > 0
}

func isNumber(t sqltext.Token) bool {
	return t.Kind == sqltext.Word && strings.Trim(t.Text, "0123456789") == ""
}

// shorterKeys returns a key's definition with one of its columns gone.
func shorterKeys(sql string) []string {
	open := strings.IndexByte(sql, '(')
	parts, end := splitList(sql, open)
	if end < 0 || len(parts) < 2 {
		return nil
	}
	var out []string
	for i := range parts {
		left := slices.Delete(slices.Clone(parts), i, i+1)
		out = append(out, sql[:open+1]+strings.Join(left, ", ")+sql[end:])
	}
	return out
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
		t, _ := splitTable(stmt.SQL)
		for _, x := range t.items {
			if name, kind := x.kind(); kind == columnItem && !isBookkeeping(name) {
				columns = append(columns, column{t.name, name})
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
func (s *Search) statementRisks(c *testcase.Case) []risk {
	var out []risk
	schema := readSchema(c.Schema)
	for n := range c.Txns {
		for _, stmt := range c.Txns[n].Stmts {
			var r risk
			if root, ok := s.grammar.read(stmt.SQL); ok {
				r = risksOf(root, schema)
			}
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
		if t, ok := splitTable(stmt.SQL); ok {
			stmt.SQL = t.without(gone[t.name])
		} else if table, columns, ok := indexOf(stmt.SQL); ok && anyIn(columns, gone[table]) {
			continue
		}
		d.Schema = append(d.Schema, stmt)
	}
	for i := range d.Rows {
		if v, ok := valuesOf(c, d.Rows[i].SQL); ok && len(gone[v.table]) > 0 {
			d.Rows[i].SQL = v.text(gone[v.table])
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

// without returns the definition without some columns and without the keys that hold any of them.
func (d definition) without(gone map[string]bool) string {
	if len(gone) == 0 {
		return d.join()
	}
	d.items = slices.DeleteFunc(slices.Clone(d.items), func(x item) bool { return anyIn(x.names(), gone) })
	return d.join()
}

func anyIn(names []string, in map[string]bool) bool {
	return slices.ContainsFunc(names, func(n string) bool { return in[n] })
}

// writeWithout takes columns out of the column list of an INSERT or the assignments of an UPDATE; ok is false where
// nothing is to be done.
func (s *Search) writeWithout(c *testcase.Case, sql string, gone map[string]map[string]bool) (out string, ok bool) {
	if v, ok := valuesOf(c, sql); ok {
		if !anyIn(v.columns, gone[v.table]) {
			return "", false
		}
		return v.text(gone[v.table]), true
	}
	root, ok := s.grammar.read(sql)
	if !ok {
		return "", false
	}
	changed := false
	switch n := root.(type) {
	case *ast.UpdateStmt:
		ts, _ := n.TableRefs.TableRefs.Left.(*ast.TableSource)
		name := tableOf(ts)
		before := len(n.List)
		n.List = slices.DeleteFunc(n.List, func(as *ast.Assignment) bool { return gone[name][as.Column.Name.L] })
		changed = len(n.List) < before
	case *ast.InsertStmt:
		ts, _ := n.Table.TableRefs.Left.(*ast.TableSource)
		sel, ok := n.Select.(*ast.SelectStmt)
		if !ok || sel.Fields == nil || len(sel.Fields.Fields) != len(n.Columns) {
			return "", false
		}
		name := tableOf(ts)
		for i := len(n.Columns) - 1; i >= 0; i-- {
			if gone[name][n.Columns[i].Name.L] {
				n.Columns = slices.Delete(n.Columns, i, i+1)
				sel.Fields.Fields = slices.Delete(sel.Fields.Fields, i, i+1)
				changed = true
			}
		}
	}
	if !changed {
		return "", false
	}
	return s.grammar.print(root)
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
