package reduce

import (
	"slices"
	"strings"

	"txweave/sqltext"
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
				out = append(out, withWholePartitions(d))
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
		d, _ := sqltext.SplitTable(stmt.SQL)
		for j, x := range d.Items {
			if _, kind := x.Kind(); kind == sqltext.KeyElement || kind == sqltext.CheckElement {
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
		if t, ok := sqltext.SplitTable(stmt.SQL); ok {
			var items []sqltext.TableElement
			for j, x := range t.Items {
				if !gone[part{i, j}] {
					items = append(items, x)
				}
			}
			if len(items) < len(t.Items) {
				t.Items = items
				stmt.SQL = t.Text()
			}
		}
		d.Schema = append(d.Schema, stmt)
	}
	return withWholePartitions(d)
}

// withWholePartitions takes what is left of tables' partitions out of a case: those of a table that has none any more, and the clause of a
// table without any, where partitions are statements of their own.
func withWholePartitions(c *testcase.Case) *testcase.Case {
	parts, partitioned := map[string]bool{}, map[string]bool{}
	for _, stmt := range c.Schema {
		if s := sqltext.Read(stmt.SQL); s.PartitionOf() != "" {
			parts[s.PartitionOf()] = true
		} else if t, ok := sqltext.SplitTable(stmt.SQL); ok && strings.HasPrefix(t.Tail, partitionTail) {
			partitioned[t.Name] = true
		}
	}
	d := c.Clone()
	d.Schema = slices.DeleteFunc(d.Schema, func(stmt testcase.Stmt) bool {
		s := sqltext.Read(stmt.SQL)
		return s.PartitionOf() != "" && !partitioned[s.PartitionOf()]
	})
	for i := range d.Schema {
		t, ok := sqltext.SplitTable(d.Schema[i].SQL)
		if ok && !parts[t.Name] && strings.HasPrefix(t.Tail, partitionTail) && !strings.Contains(t.Tail, "PARTITIONS ") && !strings.Contains(t.Tail, "VALUES") {
			t.Tail = ")"
			d.Schema[i].SQL = t.Text()
		}
	}
	return d
}

// partitionTail is how the clause begins that partitions a table.
const partitionTail = ") PARTITION BY"

// simplerDefinitions returns what one step makes simpler in a statement of the schema: a column of an index gone,
// NOT NULL, UNIQUE, DEFAULT, DESC or a prefix length gone, or what follows the definition of a table.
func simplerDefinitions(sql string) []string {
	if t, ok := sqltext.SplitTable(sql); ok {
		return simplerTables(t)
	}
	x, ok := sqltext.ReadIndex(sql)
	if !ok {
		return nil
	}
	out := withoutWords(sql)
	if len(x.Columns) > 1 {
		out = append(out, shorterKeys(sql)...)
	}
	return out
}

func simplerTables(t sqltext.Definition) []string {
	var out []string
	for i, x := range t.Items {
		name, kind := x.Kind()
		var texts []string
		switch {
		case kind == sqltext.KeyElement:
			texts = append(withoutWords(string(x)), shorterKeys(string(x))...)
		case kind == sqltext.ColumnElement && !sqltext.IsBookkeeping(name):
			texts = withoutWords(string(x))
		}
		for _, text := range texts {
			d := t
			d.Items = slices.Clone(t.Items)
			d.Items[i] = sqltext.TableElement(text)
			out = append(out, d.Text())
		}
	}
	return append(out, shorterTails(t)...)
}

// shorterTails drops what follows the definitions of a table, ENGINE first. A collation stays while the table has
// columns of text: under another one, rows that differ may count as the same, and any of them may be printed.
func shorterTails(t sqltext.Definition) []string {
	if strings.TrimSpace(t.Tail) == ")" {
		return nil
	}
	var out []string
	d := t
	if !slices.ContainsFunc(t.Items, func(x sqltext.TableElement) bool {
		_, kind := x.Kind()
		c := classOf(x)
		return kind == sqltext.ColumnElement && (c == sqltext.Text || c == sqltext.UnknownClass)
	}) {
		d.Tail = ")"
		return []string{d.Text()}
	}
	tokens := sqltext.Significant(t.Tail, -1)
	for i, tok := range tokens {
		if tok.Is("engine") && i+2 < len(tokens) && tokens[i+1].Text == "=" {
			rest := slices.Delete(slices.Clone(tokens), i, i+3)
			d.Tail = joinTokens(rest)
			out = append(out, d.Text())
		}
	}
	return out
}

// classOf returns the class of a column's type.
func classOf(x sqltext.TableElement) sqltext.Class {
	if tokens := sqltext.Significant(string(x), 2); len(tokens) == 2 {
		return sqltext.ClassOf(tokens[1].Text)
	}
	return sqltext.UnknownClass
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
				last := i + len(w) - 1
				if w[len(w)-1] == "…" {
					last = valueEnd(tokens, last)
				}
				left := strings.TrimSpace(sql[:spans[i].from]) + sql[spans[last].to:]
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

// valueEnd returns where the value that begins at tokens[i] ends: a number has a sign, a literal the word of its type.
func valueEnd(tokens []sqltext.Token, i int) int {
	switch {
	case i+1 >= len(tokens):
	case tokens[i].Text == "-" || tokens[i].Text == "+":
		return valueEnd(tokens, i+1)
	case tokens[i+1].Text == "." && i+2 < len(tokens):
		return i + 2
	case tokens[i].Is("date", "time", "timestamp", "x", "b") && tokens[i+1].Kind == sqltext.Literal:
		return i + 1
	}
	return i
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
	parts, end := sqltext.SplitList(sql, open)
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
		t, _ := sqltext.SplitTable(stmt.SQL)
		for _, x := range t.Items {
			if name, kind := x.Kind(); kind == sqltext.ColumnElement && !sqltext.IsBookkeeping(name) {
				columns = append(columns, column{t.Name, name})
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
			r, _ := s.parser.Risks(stmt.SQL, schema)
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
		if t, ok := sqltext.SplitTable(stmt.SQL); ok {
			stmt.SQL = withoutNames(t, gone[t.Name])
		} else if x, ok := sqltext.ReadIndex(stmt.SQL); ok && anyIn(x.Columns, gone[x.Table]) {
			continue
		}
		d.Schema = append(d.Schema, stmt)
	}
	for i := range d.Rows {
		if v, ok := valuesOf(c, d.Rows[i].SQL); ok && len(gone[v.Table]) > 0 {
			d.Rows[i].SQL = v.Without(gone[v.Table])
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

// withoutNames returns the definition without some columns and without the keys that hold any of them.
func withoutNames(d sqltext.Definition, gone map[string]bool) string {
	if len(gone) == 0 {
		return d.Text()
	}
	d.Items = slices.DeleteFunc(slices.Clone(d.Items), func(x sqltext.TableElement) bool { return anyIn(x.Names(), gone) })
	return d.Text()
}

func anyIn(names []string, in map[string]bool) bool {
	return slices.ContainsFunc(names, func(n string) bool { return in[n] })
}

// writeWithout takes columns out of the column list of an INSERT or the assignments of an UPDATE; ok is false where
// nothing is to be done.
func (s *Search) writeWithout(c *testcase.Case, sql string, gone map[string]map[string]bool) (out string, ok bool) {
	if v, ok := valuesOf(c, sql); ok {
		if !anyIn(v.Columns, gone[v.Table]) {
			return "", false
		}
		return v.Without(gone[v.Table]), true
	}
	return s.parser.WithoutColumns(sql, gone)
}
