package guide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// site is a literal that a statement compares a column with, or assigns to one.
type site struct {
	table, column string
	at            int // its token
	equals        int // the token "=" before it; 0 where it is compared otherwise
}

// sites lists the literals of a statement that stand beside a column: col = 5, col IN (5, …), col BETWEEN 5 AND 7 of pkey. What is
// written to a vkey or pvkey is none.
func sites(schema *sqltext.Schema, sql string) (tokens []sqltext.Token, out []site) {
	var sig []int // significant tokens
	for t := range sqltext.Tokens(sql) {
		if t.Kind != sqltext.Blank && t.Kind != sqltext.Comment {
			sig = append(sig, len(tokens))
		}
		tokens = append(tokens, t)
	}
	get := func(i int) sqltext.Token {
		if i < 0 || i >= len(sig) {
			return sqltext.Token{}
		}
		return tokens[sig[i]]
	}
	alias := map[string]string{}
	for i := range sig {
		name, ok := get(i).Ident()
		if !ok || schema.Table(name) == nil {
			continue
		}
		alias[name] = name
		if as, ok := get(i + 2).Ident(); ok && get(i+1).Is("as") {
			alias[as] = name
		}
	}
	target := sqltext.Read(sql).Target
	for i := range sig {
		column, ok := get(i).Ident()
		if !ok {
			continue
		}
		table := target
		if get(i-1).Text == "." {
			owner, _ := get(i - 2).Ident()
			table = alias[owner]
		}
		t := schema.Table(table)
		if t == nil || t.Column(column) == nil || sqltext.IsBookkeeping(column) && column != sqltext.PKey {
			continue
		}
		alone := func(j int) { // a literal that is the whole of an operand
			if tok := get(j); isLiteral(tok) && !continues(get(j+1)) {
				out = append(out, site{table: table, column: column, at: sig[j]})
			}
		}
		switch op := get(i + 1); {
		case slices.Contains([]string{"<", ">"}, op.Text) && slices.Contains([]string{"=", ">"}, get(i+2).Text):
			alone(i + 3)
		case slices.Contains([]string{"=", "<", ">"}, op.Text):
			before := len(out)
			if alone(i + 2); len(out) > before && op.Text == "=" {
				out[before].equals = sig[i+1]
			}
		case column == sqltext.PKey && op.Is("between"):
			alone(i + 2)
			alone(i + 4)
		case column == sqltext.PKey && op.Is("in") && get(i+2).Text == "(":
			for j := i + 3; isLiteral(get(j)); j += 2 {
				alone(j)
			}
		}
	}
	return tokens, out
}

// isLiteral says whether a token is a number or a text.
func isLiteral(t sqltext.Token) bool {
	if t.Kind == sqltext.Literal {
		return true
	}
	_, err := strconv.ParseFloat(t.Text, 64)
	return err == nil && t.Text != "" && t.Text[0] >= '0' && t.Text[0] <= '9'
}

// continues says whether a token makes what stands before it a part of something larger.
func continues(t sqltext.Token) bool {
	return slices.Contains([]string{"+", "-", "*", "/", "%", ".", "(", "|", "||", "&"}, t.Text) || t.Kind == sqltext.Literal
}

// join is the text of tokens.
func join(tokens []sqltext.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	return b.String()
}

// known lists the literals that the case has for a column: of its initial rows, of what it inserts and of what statements compare
// it with or give it.
func (m *mutator) known(table, column string) []string {
	out := slices.Clone(m.values(table, column))
	for n := range m.c.Txns {
		for i := range m.c.Txns[n].Stmts {
			sql := m.c.Txns[n].Stmts[i].SQL
			if v, ok := sqltext.SplitValues(sql); ok && v.Table == table {
				if at := slices.Index(v.Columns, column); at >= 0 {
					for _, row := range v.Cells {
						out = append(out, row[at])
					}
				}
			}
			tokens, list := sites(m.schema, sql)
			for _, s := range list {
				if s.table == table && s.column == column {
					out = append(out, tokens[s.at].Text)
				}
			}
		}
	}
	return out
}

// alike says whether a literal can stand for another one: both are numbers, or both are texts.
func alike(old sqltext.Token, text string) bool {
	if text == old.Text || text == "" {
		return false
	}
	tokens := sqltext.Significant(text, 2)
	return len(tokens) == 1 && isLiteral(tokens[0]) && (tokens[0].Kind == sqltext.Literal) == (old.Kind == sqltext.Literal)
}

// changeLiteral gives a literal the value that rows hold, or that other statements use, in its column.
func changeLiteral(m *mutator) bool {
	p, ok := one(m, m.targets(m.c, nil))
	if !ok {
		return false
	}
	tokens, list := sites(m.schema, m.sql(p))
	s, ok := one(m, list)
	if !ok {
		return false
	}
	values := slices.DeleteFunc(m.known(s.table, s.column), func(v string) bool { return !alike(tokens[s.at], v) })
	v, ok := one(m, values)
	if !ok {
		return false
	}
	tokens[s.at].Text = v
	m.c.Txns[p.txn].Stmts[p.stmt].SQL = join(tokens)
	return true
}

// aim makes every key that a statement names for a table the same one; whether it names any is returned.
func (m *mutator) aim(sql, table, key string) (text string, aimed bool) {
	tokens, list := sites(m.schema, sql)
	for _, s := range list {
		if s.table == table && s.column == sqltext.PKey {
			tokens[s.at].Text, aimed = key, true
		}
	}
	return join(tokens), aimed
}

// pin makes a statement find one row of a table: by the keys that it names, or, an UPDATE or DELETE of that table alone, in place of
// its condition. UPDATE IGNORE stays as it is.
func (m *mutator) pin(sql, table, key string) (text string, ok bool) {
	if text, ok = m.aim(sql, table, key); ok {
		return text, true
	}
	return m.narrow(sql, table, key)
}

// narrow gives an UPDATE or DELETE of one table alone the key of a row in place of its condition.
func (m *mutator) narrow(sql, table, key string) (text string, ok bool) {
	s := m.statement(sql)
	if s.Kind != sqltext.Update && s.Kind != sqltext.Delete || s.Target != table || slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("ignore") }) {
		return "", false
	}
	var b strings.Builder
	depth := 0
	for t := range sqltext.Tokens(sql) {
		depth += t.Nesting()
		if depth == 0 && t.Is("where", "order", "limit", "returning") {
			break
		}
		if depth == 0 && t.Is("as", "join") { // of several tables
			return "", false
		}
		b.WriteString(t.Text)
	}
	return strings.TrimRight(b.String(), sqltext.Space) + " WHERE " + table + "." + sqltext.PKey + " = " + key, true
}

// widen makes a statement that finds one row by its pkey find a range of rows. An UPDATE that gives them all one value of a unique
// column fails then, half-way: what it did is undone. UPDATE IGNORE would pass over rows, which ones the order of the scan decides.
func widen(m *mutator) bool {
	p, ok := one(m, m.targets(m.c, func(_ *testcase.Txn, s *sqltext.Statement) bool {
		return s.Kind != sqltext.Insert && !slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("ignore") })
	}))
	if !ok {
		return false
	}
	tokens, list := sites(m.schema, m.sql(p))
	list = slices.DeleteFunc(list, func(s site) bool { return s.equals == 0 || s.column != sqltext.PKey || within(tokens, s.at) })
	s, ok := one(m, list)
	if !ok {
		return false
	}
	key, err := strconv.ParseInt(tokens[s.at].Text, 10, 64)
	if err != nil {
		return false
	}
	tokens[s.equals].Text = "BETWEEN"
	tokens[s.at].Text = fmt.Sprintf("%d AND %d", max(key-int64(m.rng.IntN(2)), 0), key+1+int64(m.rng.IntN(4)))
	m.c.Txns[p.txn].Stmts[p.stmt].SQL = join(tokens)
	return true
}

// within says whether a token stands in a subquery: one that is a value gives one of its rows where it finds several, on SQLite, and which one nobody says.
func within(tokens []sqltext.Token, at int) bool {
	var open []bool // of the parentheses around it: whether a query begins there
	begins := false
	for _, t := range tokens[:at] {
		switch {
		case t.Kind == sqltext.Blank || t.Kind == sqltext.Comment:
			continue
		case begins:
			open[len(open)-1] = t.Is("select", "with")
		}
		if begins = t.Text == "("; begins {
			open = append(open, false)
		} else if t.Text == ")" && len(open) > 0 {
			open = open[:len(open)-1]
		}
	}
	return slices.Contains(open, true)
}

// meet makes two statements of different transactions, of which one writes, name the same row.
func meet(m *mutator) bool {
	a, b, ok := m.rivals()
	if !ok {
		return false
	}
	table := m.statement(m.sql(a)).Target
	key, ok := one(m, m.keys(table))
	if !ok {
		return false
	}
	done := false
	for _, p := range []place{a, b} {
		if text, aimed := m.aim(m.sql(p), table, key); aimed {
			m.c.Txns[p.txn].Stmts[p.stmt].SQL, done = text, true
		}
	}
	return done
}

// keys lists pkeys that rows of a table may have: mostly those of the initial rows, which are there.
func (m *mutator) keys(table string) []string {
	if initial := m.values(table, sqltext.PKey); len(initial) > 0 && m.pct(75) {
		return initial
	}
	return slices.DeleteFunc(m.known(table, sqltext.PKey), func(v string) bool {
		_, err := strconv.ParseInt(v, 10, 64)
		return err != nil
	})
}
