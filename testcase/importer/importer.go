// Package importer reads schedules that people wrote for people, in bug reports and test suites, and turns them into
// scripts and cases.
//
// It reads a stated grammar of formats, each in a file of its own, and nothing else: a line that is neither a statement
// nor what the format has beside its statements is an error with its line. Whatever the format, a text becomes a
// set-up, which belongs to no session, and statements of sessions in the order in which they are submitted; what the
// text prints of their answers is kept beside them. A text where it is not clear which session sends a statement is
// refused.
package importer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Options of Read and ReadScripts.
type Options struct {
	Target    string // dialect: the name of a database
	Isolation string // level; "": what the text sets, or Default
	Default   string // level of a text that sets none
	Order     []testcase.Ref
	Part      int    // which schedule of a text that holds several, from 1; 0: the only one
	Format    string // one of Formats; "": what its signs tell
}

// choose returns the schedule that was asked for.
func choose(name string, parts []*part, n int) (*part, error) {
	switch {
	case n > len(parts):
		return nil, &testcase.ParseError{Name: name, Line: 1,
			Msg: fmt.Sprintf("it holds %d schedules: the number %d is not one of them", len(parts), n)}
	case n == 0 && len(parts) > 1:
		return nil, &testcase.ParseError{Name: name, Line: parts[1].line,
			Msg: fmt.Sprintf("it holds %d schedules, of which this is the second: say which one with --part",
				len(parts))}
	}
	return parts[max(n-1, 0)], nil
}

// Read turns a text into a case. Notes say what was added, left out or understood in a way that the text does not
// state. Errors are of type *testcase.ParseError.
func Read(name string, text []byte, o Options) (c *testcase.Case, notes []string, err error) {
	parts, err := read(name, text, o)
	if err != nil {
		return nil, nil, err
	}
	p, err := choose(name, parts, o.Part)
	if err != nil {
		return nil, nil, err
	}
	if p.own != nil {
		return p.own, nil, nil
	}
	notes = []string{"read as: " + p.format}
	m := maker{name: name, options: o, part: p}
	if c, err = m.build(); err != nil {
		return nil, nil, err
	}
	return c, append(notes, m.notes...), nil
}

// maker makes a case of a part.
type maker struct {
	*part
	name    string
	options Options
	notes   []string
}

func (m *maker) errorf(line int, format string, args ...any) error {
	return &testcase.ParseError{Name: m.name, Line: max(line, 1), Msg: fmt.Sprintf(format, args...)}
}

func (m *maker) build() (*testcase.Case, error) {
	if len(m.tags()) == 0 {
		return nil, m.errorf(1, "no statement says its session: want T0> …; or /* t0 */ …; or …; -- T0")
	}
	order := m.orderOf()
	b := newScript(m.part, m.name, m.options)
	b.every = true
	if b.make(false); b.err != nil {
		return nil, b.err
	}
	for _, n := range b.notes {
		if n.Missing {
			return nil, m.errorf(n.Line, "%s", n.Text)
		}
		m.notes = append(m.notes, n.String())
	}
	levels := m.level(b.s)
	if err := m.units(b.s); err != nil {
		return nil, err
	}
	c, _, err := b.s.Case(levels)
	var wrong *testcase.ParseError
	switch {
	case errors.As(err, &wrong):
		return nil, m.errorf(wrong.Line, "%s", wrong.Msg)
	case err != nil:
		return nil, m.errorf(1, "%s", err)
	}
	m.unset(b.s, c)
	if c.Order = m.options.Order; c.Order == nil {
		if err := m.addOrder(c, order); err != nil {
			return nil, err
		}
	}
	if err := c.Validate(); err != nil {
		return nil, m.errorf(1, "%s", err)
	}
	var refused *testcase.RefusedError
	if err := c.Admit(sqltext.SyntaxOf(c.Target)); errors.As(err, &refused) {
		return nil, m.errorf(refused.Line(), "%s", refused.Unplaced())
	}
	return c.Number(), nil
}

// units refuses what ends a transaction by the way, which a case cannot hold, and notes what is never ended.
func (m *maker) units(s *testcase.Script) error {
	open := make([]bool, len(s.Sessions))
	for i := range s.Steps {
		st := &s.Steps[i]
		switch k := sqltext.KindOf(st.SQL); {
		case s.Opens(i):
			open[st.Session] = true
		case k == sqltext.Commit, k == sqltext.Rollback:
			open[st.Session] = false
		case open[st.Session] && s.Commits(i):
			return m.errorf(st.Line, "%s in a transaction commits its transaction: a case cannot hold it",
				quote(st.SQL))
		}
	}
	for n, u := range s.Units(nil, nil) {
		if u.Explicit && !u.Ends && u.Data {
			m.notes = append(m.notes, fmt.Sprintf("the transaction of line %d is never ended: it is rolled back",
				s.Steps[s.Units(nil, nil)[n].Steps[0]].Line))
		}
	}
	return nil
}

// unset notes the settings that a case does without.
func (m *maker) unset(s *testcase.Script, c *testcase.Case) {
	for i, st := range s.Steps {
		if s.OnlyWaits(i) {
			m.notes = append(m.notes, fmt.Sprintf("line %d: left out, as it only takes time: %s", st.Line, quote(st.SQL)))
		}
		kept := slices.ContainsFunc(c.Sessions, func(o testcase.SessionSettings) bool {
			return slices.ContainsFunc(o.Stmts, func(x testcase.Stmt) bool { return x.SQL == st.SQL })
		})
		if sqltext.KindOf(st.SQL) == sqltext.Set && !s.SetsLevel(st.SQL) && !testcase.SwitchesAutocommit(st.SQL) && !kept {
			m.notes = append(m.notes, fmt.Sprintf("line %d: left out: %s", st.Line, quote(st.SQL)))
		}
	}
}

// level chooses the level of the case: the one of all transactions, or else the one that was asked for, or that of the
// first transaction. It returns the levels of the steps.
func (m *maker) level(s *testcase.Script) []string {
	levels, units := s.Levels(), s.Units(nil, nil)
	if slices.ContainsFunc(levels, func(l string) bool { return l != "" }) {
		m.ownLevels(levels, units)
	}
	first, one := firstLevel(levels, units)
	if first != nil && (one || s.Isolation == "") {
		s.Isolation = levels[first.Steps[0]]
	}
	switch asked := m.options.Isolation; {
	case s.Isolation == "":
		s.Isolation = m.options.Default
		m.notes = append(m.notes, "no isolation level given: "+s.Isolation)
	case asked != "" && asked != s.Isolation:
		m.notes = append(m.notes, fmt.Sprintf("line %d: the text asks for %s, which holds, not %s",
			s.Steps[first.Steps[0]].Line, s.Isolation, asked))
	}
	for i := range levels {
		levels[i] = cmp.Or(levels[i], s.Isolation)
	}
	for _, u := range units {
		if level := levels[u.Steps[0]]; u.Data && level != s.Isolation {
			m.notes = append(m.notes, fmt.Sprintf("line %d: runs at %s, the case at %s", s.Steps[u.Steps[0]].Line, level,
				s.Isolation))
		}
	}
	return levels
}

// ownLevels gives the transactions of sessions that are set to no level the database's own; a statement by itself is at
// any.
func (m *maker) ownLevels(levels []string, units []testcase.Unit) {
	for _, u := range units {
		for _, i := range u.Steps {
			if u.Explicit && levels[i] == "" {
				levels[i] = m.options.Default
			}
		}
	}
}

// firstLevel is the first transaction that has a level, nil for none; one says that all others have the same.
func firstLevel(levels []string, units []testcase.Unit) (first *testcase.Unit, one bool) {
	one = true
	for n := range units {
		switch u := &units[n]; {
		case !u.Data || levels[u.Steps[0]] == "":
		case first == nil:
			first = u
		default:
			one = one && levels[u.Steps[0]] == levels[first.Steps[0]]
		}
	}
	return first, one
}

// orderOf takes the equivalent order from a part: what stands below a line that says so, or what comes after all
// sessions without a mark.
func (m *maker) orderOf() []piece {
	order := m.order
	last := 0
	for i := range m.out {
		if m.out[i].tag != "" {
			last = i
		}
	}
	if last+1 < len(m.out) {
		order = append(slices.Clone(m.out[last+1:]), order...)
		m.out = m.out[:last+1]
	}
	m.order = nil
	return order
}

// addOrder finds the statements of the equivalent order among those of the sessions.
func (m *maker) addOrder(c *testcase.Case, order []piece) error {
	used := map[testcase.Ref]bool{}
	for i := range order {
		p := &order[i]
		if slices.Contains([]string{"DROP", "USE", "SET"}, word(p.sql, 0)) || m.prepared(p.sql) {
			continue
		}
		ref, ok := find(c, normalSQL(p.sql), used)
		if !ok {
			return m.errorf(p.line, "%s is no statement of a session: the equivalent order repeats those", quote(p.sql))
		}
		used[ref] = true
		c.Order = append(c.Order, ref)
	}
	return nil
}

// prepared says whether a statement is one of the set-up.
func (m *maker) prepared(sql string) bool {
	return slices.ContainsFunc(m.out, func(q piece) bool {
		return !q.ofSession() &&
			normalSQL(q.sql) == normalSQL(sql)
	})
}

// find returns the first statement of that text that has not been used.
func find(c *testcase.Case, text string, used map[testcase.Ref]bool) (testcase.Ref, bool) {
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			r := testcase.Ref{Txn: n, Stmt: i}
			if !used[r] && normalSQL(s.SQL) == text {
				return r, true
			}
		}
	}
	return testcase.Ref{}, false
}
