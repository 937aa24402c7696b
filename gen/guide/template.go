package guide

import (
	"slices"
	"strings"

	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// pattern is an interleaving in which a phenomenon would show: steps of transactions 1, 2, …, each a letter, the
// transaction's number and the row, x, y or z. r reads, w writes, d deletes it, n inserts a new one which is the row
// from there on, i inserts into its table, p reads a range of that (a predicate); c commits, a rolls back; s sets a
// savepoint, t rolls back to it, l releases it. A row is one of a table's; which statement reads or writes it is drawn.
type pattern struct {
	name   string
	weight int
	steps  string
}

// How often patterns are drawn: what needs two rows, a range or a savepoint between the right steps comes about by
// chance only there; a cycle of anti-dependencies needs four steps, on two rows, of two transactions that both commit,
// a cause that is missed three transactions in a row, and what one transaction sees of two tables that another one
// wrote strikes a read of the second table alone.
const (
	common = 2
	rare   = 5
	rarest = 8
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
	{"own write", rare, "w1x r1x w1x r1x c1 r2x c2"},
	{"read before own write", common, "r1x w1x r1x w1x c1 r2x c2"},
	{"fractured read", rarest, "r2x w1x w1y c1 r2y r2x c2"},
	{"P4", common, "r1x r2x w1x w2x c1 c2"},
	{"P4 after commit", common, "r1x r2x w1x c1 w2x r2x c2"},
	{"G-single", rarest, "r1x r2x w2x w2y c2 r1y r1x r1y c1"},
	{"G-single, write", common, "r1x r2x w2x w2y c2 w1y c1"},
	{"G2-item", rarest, "r1x r1y r2x r2y w1x w2y c1 c2"},
	{"G2-item, with each of two", rarest, "r1y r1z r2x r3x w1x c1 w2y w3z c2 c3"},
	{"G2-item, each of three", rare, "r1x r1y r1z r2x r2y r2z r3x r3y r3z w1x w2y w3z c1 c2 c3"},
	{"G2", rare, "p1x p2y i1y i2x c1 c2"},
	{"G2, two edges", rare, "r1x w2x c2 r3x r3y c3 w1y c1"},
	{"long fork", common, "r3x r4y w1x c1 r4x w2y c2 r3y r4y c3 c4"},
	{"long fork, readers begin late", common, "w1x w2y c1 c2 r3x r3y c3 r4y r4x c4"},
	{"causality, readers begin late", rarest, "w1x c1 r2x w2y c2 r3y r3x r3y r3x c3 r4x r4y r4x c4"},
	{"causality, of three", rare, "w1x c1 r2x w2y c2 r3y w3z c3 r4z r4x r4y r5z r5y r5x c4 c5"},
	{"fractured read, reader begins late", rarest, "w1x w1y c1 r2x r2y r2x r2y c2"},
	{"causality", common, "r3y w1x c1 r2x w2y c2 r3y r3x c3"},
	{"monotonic reads", common, "w1x c1 r2x w3x c3 r2x r2x c2 r4x c4"},
	{"stale start", common, "w1x c1 r2x c2 w3x c3 r4x w4x c4"},
	{"woken by commit", common, "w1x w2x c1 r2x c2 r3x c3"},
	{"woken by rollback", common, "w1x w2x a1 r2x c2 r3x c3"},
	{"reads, woken", common, "w1x r2y w2x w3x c1 r2x c2 r3x c3"},
	{"deadlock", common, "w1x w2y w1y w2x c1 c2 r3x r3y c3"},
	{"undone and again", common, "w1x a1 r2x w2x c2 r3x c3"},
	{"gone and back", common, "r3x w1x c1 w2x c2 r3x c3 r4x c4"},
	{"written, comes before", rarest, "r1y n2x c2 w1x c1 r3x c3"},
	{"written, comes before, read too", common, "p1x n2x c2 r1x w1x r1x c1 r3x c3"},
	{"written while it comes", rare, "r1y n2x w1x c2 r1x c1 r3x c3"},
	{"written, does not come", common, "r1y n2x w1x a2 r1x c1 r3x c3"},
	{"written, gone before", common, "r1x d2x c2 w1x r1x c1 r3x c3"},
	{"written while it goes", common, "r1y d2x w1x c2 r1x c1 r3x c3"},
	{"undone to a savepoint", rare, "w1x s1 w1y t1 r1y c1 r2x r2y c2"},
	{"released, then undone", rare, "s1 w1x l1 r2x s1 w1y l1 a1 r2x c2 r3x r3y c3"},
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

// template replaces the transactions of the case by those of a pattern, filled with statements of the case and of its
// related case which concern the same rows.
func template(m *mutator) bool {
	f := &filling{m: m, from: []*testcase.Case{m.c.Clone()}, rows: map[byte][2]string{}, pins: map[[3]string]string{},
		certain: m.pct(certain), again: again}
	for range 2 {
		if k := m.related(); k != nil {
			f.from = append(f.from, k)
		}
	}
	if f.begin = f.beginnings(); len(f.begin) == 0 {
		return false
	}
	m.c.Txns, m.c.Schedule, m.c.Sessions = nil, nil, nil
	for more := true; more; more = m.pct(75) { // another one follows: what those before it left behind is what it meets
		p, first := m.drawPattern(), len(m.c.Txns) == 0
		if len(m.c.Txns)+p.txns() > maxTxns {
			break
		}
		if (first || m.pct(50)) && !f.chooseRows() || !f.fill(p) {
			return false
		}
	}
	beside := f.beside()
	for range m.rng.IntN(3) { // others of the case go on beside it
		if n, ok := one(m, beside); ok && len(m.c.Txns) < maxTxns && !m.join(f.from[0].Txns[n]) {
			return false
		}
	}
	return true
}

// beginnings are how transactions begin that may write, at the level of their case.
func (f *filling) beginnings() (out []string) {
	for _, c := range f.from {
		for n := range c.Txns {
			b := f.m.profile.Read(c.Txns[n].Begin.SQL)
			if c.Txns[n].Isolation == "" && b.Opens() == control.Begun && !b.ReadOnly() {
				out = append(out, c.Txns[n].Begin.SQL)
			}
		}
	}
	return out
}

// beside lists the case's own transactions that may go on beside those of patterns: where these are certain, none that
// would keep them from writing, or be what decides who of them commits.
func (f *filling) beside() []int {
	own := f.from[0]
	return slices.DeleteFunc(f.m.portable(own), func(n int) bool { return f.certain && f.m.writes(&own.Txns[n]) })
}

// writes says whether a transaction writes, or takes the lock of one that does.
func (m *mutator) writes(t *testcase.Txn) bool {
	return m.keepsOut(t.Begin.SQL) || slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool {
		return sqltext.KindOf(s.SQL).Writes()
	})
}

// certain is in how many of 100 such cases every step is certain to do what it stands for. What takes four steps that
// fit seldom comes about where each of them is drawn for itself: a read through some predicate finds other rows, or
// does not say what it found.
const certain = 50

// again is in how many of 100 cases a read of a pattern is followed by another one of the same row, by which others may
// find it another way: what goes wrong in one read of many has to strike just there.
const again = 40

// txns is how many transactions a pattern has.
func (p *pattern) txns() int {
	seen := map[byte]bool{}
	for _, step := range strings.Fields(p.steps) {
		seen[step[1]] = true
	}
	return len(seen)
}

// sharedSession is in how many of 100 cases a transaction that begins behind the end of another one follows it in its
// session.
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
	begun := map[int]bool{}
	start := func(n int) {
		if !begun[n] {
			m.c.Schedule = append(m.c.Schedule, n)
			begun[n] = true
		}
	}
	if m.pct(50) { // all begin before anything else
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
		switch s[0] {
		case 'c':
			ended = n
			m.c.Schedule = append(m.c.Schedule, n)
		case 'a':
			ended = n
			m.c.Txns[n].End.SQL = "ROLLBACK"
			m.c.Schedule = append(m.c.Schedule, n)
		default:
			if !f.statements(n, s) {
				return false
			}
		}
	}
	return true
}

// statements writes what transaction n does in a step; a read perhaps several times.
func (f *filling) statements(n int, step string) bool {
	c := f.m.c
	for more := true; more; more = f.readsAgain(step) {
		sql, ok := f.step(step)
		if !ok {
			return false
		}
		c.Txns[n].Stmts = append(c.Txns[n].Stmts, testcase.Stmt{SQL: sql})
		c.Schedule = append(c.Schedule, n)
	}
	return true
}

// readsAgain draws whether a step is followed by another one of the kind: a read is, as long as the case is no large
// one.
func (f *filling) readsAgain(step string) bool {
	return (step[0] == 'r' || step[0] == 'p') && len(f.m.c.Schedule) < maxStmts/2 && f.m.pct(f.again)
}

// begins draws how a transaction begins: mostly so that others may write until it writes itself, as those of a pattern
// are to meet.
func (f *filling) begins() string {
	begin, _ := one(f.m, f.begin)
	if f.m.keepsOut(begin) && (f.certain || f.m.pct(75)) {
		begin, _ = one(f.m, append(slices.DeleteFunc(slices.Clone(f.begin), f.m.keepsOut), "BEGIN"))
	}
	return begin
}

// keepsOut says whether a BEGIN takes the one write lock of the database at once.
func (m *mutator) keepsOut(begin string) bool {
	return slices.ContainsFunc(m.profile.Read(begin).Traits(), func(t string) bool {
		return t == "IMMEDIATE" || t == "EXCLUSIVE"
	})
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
