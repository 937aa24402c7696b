package guide

import (
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// site is a literal that a statement compares a column with, or assigns to one.
type site struct {
	table, column string
	literal       *sql.Literal
	equals        *sql.Binary // the comparison, where it is =
	inner         bool        // it stands in a subquery
}

// sites lists the literals of a statement that stand beside a column: col = 5, pkey IN (5, …), pkey BETWEEN 5 AND 7.
// What is written to a vkey or pvkey is none.
func sites(schema *sqltext.Schema, stmt sql.Stmt) []site {
	f := &siteFinder{schema: schema, alias: map[string]string{}}
	sql.Walk(stmt, func(n sql.Node) bool {
		if t, ok := n.(*sql.Table); ok && schema.Table(t.Name.Folded()) != nil {
			f.alias[t.Name.Folded()], f.alias[t.Alias.Folded()] = t.Name.Folded(), t.Name.Folded()
		}
		return true
	})
	delete(f.alias, "")
	if t := sql.Written(stmt); t != nil {
		f.target = t.Name.Folded()
	}
	f.find(stmt)
	return f.out
}

// siteFinder looks for sites.
type siteFinder struct {
	schema *sqltext.Schema
	alias  map[string]string // tables by the names that the statement has for them
	target string
	inner  int
	out    []site
}

// find looks below a node.
func (f *siteFinder) find(root sql.Node) {
	sql.Walk(root, func(n sql.Node) bool {
		if q, ok := n.(*sql.Query); ok && n != root {
			f.inner++
			f.find(q)
			f.inner--
			return false
		}
		f.at(n)
		return true
	})
}

// at adds the sites of one node.
func (f *siteFinder) at(n sql.Node) {
	switch x := n.(type) {
	case *sql.Assign:
		if len(x.Columns) == 1 {
			f.add(x.Columns[0], x.Value, nil)
		}
	case *sql.Binary:
		switch x.Op {
		case sql.OpEq:
			f.add(x.Left, x.Right, x)
		case sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
			f.add(x.Left, x.Right, nil)
		}
	case *sql.Between:
		if isKey(x.X) && !x.Not {
			f.add(x.X, x.Low, nil)
			f.add(x.X, x.High, nil)
		}
	case *sql.In:
		if isKey(x.X) && !x.Not {
			for _, value := range x.List {
				f.add(x.X, value, nil)
			}
		}
	}
}

// isKey says whether an expression is a pkey.
func isKey(x sql.Expr) bool {
	col, ok := x.(*sql.Column)
	return ok && col.Name.Folded() == sqltext.PKey
}

// add notes a literal beside a column.
func (f *siteFinder) add(x, value sql.Expr, equals *sql.Binary) {
	col, ok := x.(*sql.Column)
	l, literal := value.(*sql.Literal)
	if !ok || !literal || l.Kind != sql.Number && l.Kind != sql.Text || l.Charset != "" {
		return
	}
	table := f.target
	if col.Table != nil {
		table = f.alias[col.Table.Folded()]
	}
	column := col.Name.Folded()
	t := f.schema.Table(table)
	if t == nil || t.Column(column) == nil || sqltext.IsBookkeeping(column) && column != sqltext.PKey {
		return
	}
	f.out = append(f.out, site{table, column, l, equals, f.inner > 0})
}

// literalOf is the number or the text that a value is as it is written; nil for all else.
func (m *mutator) literalOf(value string) *sql.Literal {
	x, err := m.dialect().ParseExpr(value)
	l, ok := x.(*sql.Literal)
	if err != nil || !ok || l.Kind != sql.Number && l.Kind != sql.Text {
		return nil
	}
	return l
}

func (m *mutator) dialect() *sql.Dialect { return sqltext.SyntaxOf(m.profile.DBMS).Tree }

// tree is a statement as it is read; nil where it is not.
func (m *mutator) tree(text string) sql.Stmt {
	stmt, known := m.trees[text]
	if !known {
		stmt, _ = m.dialect().Parse(text)
		if m.trees == nil {
			m.trees = map[string]sql.Stmt{}
		}
		m.trees[text] = stmt
	}
	return stmt
}

// sites are those of a statement; none of one that is not read.
func (m *mutator) sites(text string) []site {
	stmt := m.tree(text)
	if stmt == nil {
		return nil
	}
	return sites(m.schema, stmt)
}

// with is a statement with another node in the place of one, or of several; as it is where that cannot be printed.
func (m *mutator) with(text string, change map[sql.Node]sql.Node) string {
	stmt := sql.Replace(m.tree(text), func(n sql.Node, _ []sql.Node) sql.Node {
		if to := change[n]; to != nil {
			return to
		}
		return n
	})
	if now, err := m.dialect().Print(stmt); err == nil {
		return now
	}
	return text
}

func number(n int64) sql.Expr { return &sql.Literal{Kind: sql.Number, Text: strconv.FormatInt(n, 10)} }

// known lists the literals that the case has for a column: of its initial rows, of what it inserts and of what
// statements compare it with or give it.
func (m *mutator) known(table, column string) []string {
	out := slices.Clone(m.values(table, column))
	for n := range m.c.Txns {
		for i := range m.c.Txns[n].Stmts {
			text := m.c.Txns[n].Stmts[i].SQL
			out = append(out, m.inserted(text, table, column)...)
			for _, s := range m.sites(text) {
				if s.table == table && s.column == column {
					out = append(out, s.literal.Text)
				}
			}
		}
	}
	return out
}

// changeLiteral gives a literal the value that rows hold, or that other statements use, in its column.
func changeLiteral(m *mutator) bool {
	p, ok := one(m, m.targets(m.c, nil))
	if !ok {
		return false
	}
	s, ok := one(m, m.sites(m.sql(p)))
	if !ok {
		return false
	}
	values := slices.DeleteFunc(m.known(s.table, s.column), func(v string) bool {
		l := m.literalOf(v)
		return l == nil || l.Kind != s.literal.Kind || l.Text == s.literal.Text
	})
	v, ok := one(m, values)
	if !ok {
		return false
	}
	m.c.Txns[p.txn].Stmts[p.stmt].SQL = m.with(m.sql(p), map[sql.Node]sql.Node{s.literal: m.literalOf(v)})
	return true
}

// aim makes every key that a statement names for a table the same one; whether it names any is returned.
func (m *mutator) aim(text, table, key string) (now string, aimed bool) {
	change := map[sql.Node]sql.Node{}
	for _, s := range m.sites(text) {
		if s.table == table && s.column == sqltext.PKey {
			change[s.literal] = &sql.Literal{Kind: sql.Number, Text: key}
		}
	}
	if len(change) == 0 {
		return text, false
	}
	return m.with(text, change), true
}

// pin makes a statement find one row of a table: by the keys that it names, or, an UPDATE or DELETE of that table
// alone, in place of its condition. UPDATE IGNORE stays as it is.
func (m *mutator) pin(text, table, key string) (now string, ok bool) {
	if now, ok = m.aim(text, table, key); ok {
		return now, true
	}
	return m.narrow(text, table, key)
}

// narrow gives an UPDATE or DELETE of one table alone the key of a row in place of its condition.
func (m *mutator) narrow(text, table, key string) (now string, ok bool) {
	condition := &sql.Binary{Op: sql.OpEq, Left: &sql.Column{Table: &sql.Name{Value: table},
		Name: &sql.Name{Value: sqltext.PKey}},
		Right: &sql.Literal{Kind: sql.Number, Text: key}}
	alone := func(t *sql.Table) bool { return t != nil && t.Alias == nil && t.Name.Folded() == table }
	var stmt sql.Stmt
	switch x := m.tree(text).(type) {
	case *sql.Update:
		if t, one := x.Table.(*sql.Table); !one || !alone(t) || x.Ignore || x.Or == "IGNORE" || x.From != nil {
			return "", false
		}
		stmt = sql.Edit(x, func(u *sql.Update) { u.Where, u.Order, u.Limit, u.Returning = condition, nil, nil, nil })
	case *sql.Delete:
		if !alone(x.Table) || x.Ignore || x.Using != nil {
			return "", false
		}
		stmt = sql.Edit(x, func(d *sql.Delete) { d.Where, d.Order, d.Limit, d.Returning = condition, nil, nil, nil })
	default:
		return "", false
	}
	now, err := m.dialect().Print(stmt)
	return now, err == nil
}

// ignores says whether a statement passes over rows that it would fail for.
func ignores(stmt sql.Stmt) bool {
	switch n := stmt.(type) {
	case *sql.Update:
		return n.Ignore || n.Or == "IGNORE"
	case *sql.Delete:
		return n.Ignore
	case *sql.DeleteJoined:
		return n.Ignore
	}
	return false
}

// widen makes a statement that finds one row by its pkey find a range of rows. An UPDATE that gives them all one value
// of a unique column fails then, half-way: what it did is undone. UPDATE IGNORE would pass over rows, which ones the
// order of the scan decides.
func widen(m *mutator) bool {
	p, ok := one(m, m.targets(m.c, func(_ *testcase.Txn, s control.Statement) bool {
		return s.Kind != sqltext.Insert && !ignores(s.Tree)
	}))
	if !ok {
		return false
	}
	// A subquery that is a value may give one of its rows where it finds several, and which one nobody says.
	list := slices.DeleteFunc(m.sites(m.sql(p)), func(s site) bool {
		return s.equals == nil || s.column != sqltext.PKey || s.inner
	})
	s, ok := one(m, list)
	if !ok {
		return false
	}
	key, err := strconv.ParseInt(s.literal.Text, 10, 64)
	if err != nil {
		return false
	}
	low, high := max(key-int64(m.rng.IntN(2)), 0), key+1+int64(m.rng.IntN(4))
	m.c.Txns[p.txn].Stmts[p.stmt].SQL = m.with(m.sql(p), map[sql.Node]sql.Node{
		s.equals: &sql.Between{X: s.equals.Left, Low: number(low), High: number(high)},
	})
	return true
}

// meet makes two statements of different transactions, of which one writes, name the same row.
func meet(m *mutator) bool {
	a, b, ok := m.rivals()
	if !ok {
		return false
	}
	table := m.statement(m.sql(a)).Target()
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
