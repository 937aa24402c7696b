package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// pattern is an interleaving in which a phenomenon would show: steps of transactions 1, 2, …, each a letter, the transaction's number and
// the row, x, y or z. r reads, w writes, i inserts into its table, p reads a range of that (a predicate); c commits, a rolls back; s sets a
// savepoint, t rolls back to it, l releases it. A row is one of a table's; which statement reads or writes it is drawn.
type pattern struct {
	name   string
	weight int
	steps  string
}

// How often patterns are drawn: what needs two rows, a range or a savepoint between the right steps comes about by chance only there.
const (
	common = 2
	rare   = 5
)

// patterns are the phenomena of docs/hermitage and of Table I of MTC, and the conflicts in which transactions wait.
var patterns = []pattern{
	{"G0", common, "w1x w2x w1y c1 w2y c2"},
	{"G1a", common, "w1x r2x a1 r2x c2"},
	{"G1b", common, "w1x r2x w1x c1 r2x c2"},
	{"G1c", common, "w1x w2y r1y r2x c1 c2"},
	{"observed transaction vanishes", common, "w1x w1y w2x c1 r3x w2y r3y c2 r3y r3x c3"},
	{"P2", common, "r1x w2x c2 r1x c1"},
	{"P2 twice", common, "r1x w2x c2 r1x w3x c3 r1x c1"},
	{"P3", rare, "p1x i2x c2 p1x c1"},
	{"P3, two tables", common, "p1x p1y i2x i2y c2 p1y p1x c1"},
	{"own write", common, "w1x r1x w1x r1x c1 r2x c2"},
	{"read before own write", common, "r1x w1x r1x w1x c1 r2x c2"},
	{"fractured read", rare, "r2x w1x w1y c1 r2y r2x c2"},
	{"P4", common, "r1x r2x w1x w2x c1 c2"},
	{"P4 after commit", common, "r1x r2x w1x c1 w2x r2x c2"},
	{"G-single", rare, "r1x r2x w2x w2y c2 r1y r1x r1y c1"},
	{"G-single, write", common, "r1x r2x w2x w2y c2 w1y c1"},
	{"G2-item", rare, "r1x r1y r2x r2y w1x w2y c1 c2"},
	{"G2-item, each of three", rare, "r1x r1y r1z r2x r2y r2z r3x r3y r3z w1x w2y w3z c1 c2 c3"},
	{"G2", common, "p1x p2y i1y i2x c1 c2"},
	{"G2, two edges", common, "r1x w2x c2 r3x r3y c3 w1y c1"},
	{"long fork", common, "r3x r4y w1x c1 r4x w2y c2 r3y r4y c3 c4"},
	{"long fork, readers begin late", common, "w1x w2y c1 c2 r3x r3y c3 r4y r4x c4"},
	{"causality, reader begins late", rare, "w1x c1 r2x w2y c2 r3y r3x r3y r3x c3"},
	{"causality, of three", rare, "w1x c1 r2x w2y c2 r3y w3z c3 r4z r4x r4y r5z r5y r5x c4 c5"},
	{"fractured read, reader begins late", rare, "w1x w1y c1 r2x r2y r2x r2y c2"},
	{"causality", common, "r3y w1x c1 r2x w2y c2 r3y r3x c3"},
	{"monotonic reads", common, "w1x c1 r2x w3x c3 r2x r2x c2 r4x c4"},
	{"stale start", common, "w1x c1 r2x c2 w3x c3 r4x w4x c4"},
	{"woken by commit", common, "w1x w2x c1 r2x c2 r3x c3"},
	{"woken by rollback", common, "w1x w2x a1 r2x c2 r3x c3"},
	{"reads, woken", common, "w1x r2y w2x w3x c1 r2x c2 r3x c3"},
	{"deadlock", common, "w1x w2y w1y w2x c1 c2 r3x r3y c3"},
	{"undone and again", common, "w1x a1 r2x w2x c2 r3x c3"},
	{"gone and back", common, "r3x w1x c1 w2x c2 r3x c3 r4x c4"},
	{"undone to a savepoint", rare, "w1x s1 w1y t1 r1y c1 r2x r2y c2"},
	{"released, then undone", rare, "s1 w1x l1 r2x w1y a1 r2x c2 r3x c3"},
}

// drawPattern draws one by its weight.
func (m *mutator) drawPattern() *pattern {
	total := 0
	for i := range patterns {
		total += patterns[i].weight
	}
	at := m.rng.IntN(total)
	for i := range patterns {
		if at -= patterns[i].weight; at < 0 {
			return &patterns[i]
		}
	}
	return &patterns[0]
}

// filling is what the rows and statements of a pattern become.
type filling struct {
	m     *mutator
	from  []*testcase.Case // whose statements are taken
	rows  map[byte][2]string
	begin []string
	pins  map[[3]string]string // statements made to find one row, by their texts, the table and the key; "": one cannot be
}

// pin is the mutator's, once for each statement and row.
func (f *filling) pin(sql, table, key string) (text string, ok bool) {
	at := [3]string{sql, table, key}
	text, known := f.pins[at]
	if !known {
		text, _ = f.m.pin(sql, table, key)
		f.pins[at] = text
	}
	return text, text != ""
}

// template replaces the transactions of the case by those of a pattern, filled with statements of the case and of its kin which
// concern the same rows.
func template(m *mutator) bool {
	f := &filling{m: m, from: []*testcase.Case{m.c.Clone()}, rows: map[byte][2]string{}, pins: map[[3]string]string{}}
	for range 2 {
		if k := m.kin(); k != nil {
			f.from = append(f.from, k)
		}
	}
	if !f.chooseRows() {
		return false
	}
	for _, c := range f.from {
		for n := range c.Txns {
			b := sqltext.Read(c.Txns[n].Begin.SQL)
			if c.Txns[n].Isolation == "" && b.Opens() == sqltext.Begun && !strings.Contains(c.Txns[n].Begin.SQL, "READ ONLY") {
				f.begin = append(f.begin, c.Txns[n].Begin.SQL)
			}
		}
	}
	if len(f.begin) == 0 {
		return false
	}
	m.c.Txns, m.c.Schedule = nil, nil
	if !f.fill(m.drawPattern()) {
		return false
	}
	for m.pct(75) { // another one follows: what those before it left behind is what it meets
		p := m.drawPattern()
		if len(m.c.Txns)+p.txns() > maxTxns {
			break
		}
		if m.pct(50) && !f.chooseRows() || !f.fill(p) {
			return false
		}
	}
	for range m.rng.IntN(3) { // others of the case go on beside it
		if n, ok := one(m, portable(f.from[0])); ok && len(m.c.Txns) < maxTxns && !m.join(f.from[0].Txns[n]) {
			return false
		}
	}
	return true
}

// chooseRows draws the three rows: of one table or of several that are written.
func (f *filling) chooseRows() bool {
	var tables, filled []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s *sqltext.Statement) bool { return s.Kind.Writes() }) {
			tables = append(tables, f.m.statement(c.Txns[p.txn].Stmts[p.stmt].SQL).Target)
		}
	}
	for _, t := range tables {
		if len(f.m.values(t, sqltext.PKey)) > 0 {
			filled = append(filled, t)
		}
	}
	if len(filled) > 0 && f.m.pct(85) { // what nobody can find nobody meets
		tables = filled
	}
	for _, name := range []byte("xyz") {
		table, ok := one(f.m, tables)
		switch {
		case name == 'y' && f.m.pct(30):
			table = f.rows['x'][0]
		case name == 'z' && f.m.pct(70): // of one that the others are not of, where there is one
			if apart := slices.DeleteFunc(slices.Clone(tables), func(t string) bool { return t == f.rows['x'][0] || t == f.rows['y'][0] }); len(apart) > 0 {
				table, ok = one(f.m, apart)
			}
		}
		if !ok || f.m.schema.Table(table) == nil {
			return false
		}
		key, ok := one(f.m, f.m.keys(table))
		if !ok {
			key = "1"
		}
		f.rows[name] = [2]string{table, key}
	}
	return true
}

// txns is how many transactions a pattern has.
func (p *pattern) txns() int {
	seen := map[byte]bool{}
	for _, step := range strings.Fields(p.steps) {
		seen[step[1]] = true
	}
	return len(seen)
}

// sharedSession is in how many of 100 cases a transaction that begins behind the end of another one follows it in its session.
const sharedSession = 50

// fill writes the transactions and the schedule of a pattern, behind what is there.
func (f *filling) fill(p *pattern) bool {
	m := f.m
	steps := strings.Fields(p.steps)
	number := map[byte]int{}
	first := len(m.c.Txns)
	for _, s := range steps {
		if _, known := number[s[1]]; known {
			continue
		}
		begin := f.begins()
		number[s[1]] = len(m.c.Txns)
		m.c.Txns = append(m.c.Txns, testcase.Txn{Begin: testcase.Stmt{SQL: begin}, End: testcase.Stmt{SQL: "COMMIT"}})
	}
	early := m.pct(50) // all begin before anything else
	begun := map[int]bool{}
	start := func(n int) {
		if !begun[n] {
			m.c.Schedule = append(m.c.Schedule, n)
			begun[n] = true
		}
	}
	if early {
		for n := first; n < len(m.c.Txns); n++ {
			start(n)
		}
	}
	ended := -1
	for _, s := range steps {
		n := number[s[1]]
		if ended >= 0 && !begun[n] && m.pct(sharedSession) {
			m.follow(ended, n)
			ended = -1 // a session of two
		}
		start(n)
		if s[0] == 'c' || s[0] == 'a' {
			if s[0] == 'a' {
				m.c.Txns[n].End.SQL = "ROLLBACK"
			}
			ended = n
		} else if sql, ok := f.step(s); ok {
			m.c.Txns[n].Stmts = append(m.c.Txns[n].Stmts, testcase.Stmt{SQL: sql})
		} else {
			return false
		}
		m.c.Schedule = append(m.c.Schedule, n)
	}
	return true
}

// begins draws how a transaction begins: mostly so that others may write until it writes itself, as those of a pattern are to meet.
func (f *filling) begins() string {
	begin, _ := one(f.m, f.begin)
	if keepsOut(begin) && f.m.pct(75) {
		begin, _ = one(f.m, append(slices.DeleteFunc(slices.Clone(f.begin), keepsOut), "BEGIN"))
	}
	return begin
}

// keepsOut says whether a BEGIN takes the one write lock of the database at once.
func keepsOut(begin string) bool {
	return slices.ContainsFunc(sqltext.Significant(begin, 4), func(t sqltext.Token) bool { return t.Is("immediate", "exclusive") })
}

// follow lets a transaction run in the session of one that has ended by then.
func (m *mutator) follow(ended, n int) {
	last := 0
	for i := range m.c.Txns {
		last = max(last, m.c.Txns[i].Session)
	}
	if m.c.Txns[ended].Session == 0 {
		m.c.Txns[ended].Session = last + 1
	}
	m.c.Txns[n].Session = m.c.Txns[ended].Session
}

// step is the statement of a step of a pattern that neither begins nor ends a transaction.
func (f *filling) step(s string) (string, bool) {
	switch s[0] {
	case 's':
		return "SAVEPOINT a", true
	case 't':
		return "ROLLBACK TO SAVEPOINT a", true
	case 'l':
		return "RELEASE SAVEPOINT a", true
	case 'p':
		return f.scan(f.rows[s[2]][0], ""), true
	case 'i':
		if sql, ok := f.insert(f.rows[s[2]][0]); ok {
			return sql, true
		}
		return f.statement(true, s[2])
	}
	return f.statement(s[0] == 'w', s[2])
}

// insert draws a statement that adds rows to a table.
func (f *filling) insert(table string) (string, bool) {
	var fit []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s *sqltext.Statement) bool { return s.Kind == sqltext.Insert && s.Target == table }) {
			fit = append(fit, c.Txns[p.txn].Stmts[p.stmt].SQL)
		}
	}
	sql, ok := one(f.m, fit)
	if !ok {
		return "", false
	}
	return f.m.fresh(sql)
}

// statement draws one that reads or writes a row's table, aimed at the row where it names rows by their keys.
func (f *filling) statement(writes bool, row byte) (string, bool) {
	table, key := f.rows[row][0], f.rows[row][1]
	var fit, points []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s *sqltext.Statement) bool {
			if writes {
				return s.Kind.Writes() && s.Target == table
			}
			return s.Kind == sqltext.Select && slices.Contains(s.Tables(), table)
		}) {
			sql := c.Txns[p.txn].Stmts[p.stmt].SQL
			fit = append(fit, sql)
			if at, ok := f.pin(sql, table, key); ok {
				points = append(points, at)
			}
		}
	}
	if len(points) > 0 && f.m.pct(75) {
		fit = points
	}
	sql, ok := one(f.m, fit)
	if !writes && (!ok || f.m.pct(40)) { // a read that says which rows it saw
		sql, ok = f.scan(table, key), true
	}
	if !ok {
		return "", false
	}
	return f.m.fresh(sql)
}

// scan reads a table's rows with their versions: all of them, a range, or, of a key that is not "", the one.
func (f *filling) scan(table, key string) string {
	columns := "r0.pkey AS r0_p"
	if f.m.schema.Table(table).Column(sqltext.VKey) != nil {
		columns += ", r0.vkey AS r0_v"
	}
	for _, c := range f.m.schema.Table(table).Columns {
		if !sqltext.IsBookkeeping(c.Name) && f.m.pct(40) {
			columns += fmt.Sprintf(", r0.%s AS e_%s", c.Name, c.Name)
		}
	}
	sql := "SELECT " + columns + " FROM " + table + " AS r0"
	if f.m.pct(50) {
		return sql
	}
	if key != "" {
		return sql + " WHERE r0.pkey = " + key
	}
	low, _ := one(f.m, f.m.keys(table))
	return sql + " WHERE r0.pkey >= " + cmp.Or(low, "1") // rows that come have greater ones
}
