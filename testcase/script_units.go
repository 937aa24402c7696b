package testcase

import (
	"strings"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Unit is a transaction of a script as its statements make it: those from BEGIN to its end, or one statement outside
// any.
type Unit struct {
	Session  int
	Steps    []int // indices into Script.Steps
	Explicit bool  // it begins with BEGIN, or autocommit is off, or what ended the one before it began it
	Chained  bool  // … the last of these: it has the level of the one before
	Opened   bool  // its first statement opens it
	Ends     bool  // its last statement ends it
	Open     bool  // nothing in the script ends it
	Prepared bool  // its session has left it to whoever ends it: its last step may be another session's
	// CommittedBy is the step behind it in its session that commits it, where no statement of its own does; 0 for none.
	CommittedBy int
	Data        bool // it reads or writes rows; what does not, such as a setting, belongs to what comes after it
}

// unitState follows one session.
type unitState struct {
	open       int // its unit that has not ended; -1 for none
	autocommit bool
	locked     bool // it has tables of LOCK TABLES
	chains     bool // what ends a transaction begins the next one, unless it says otherwise (completion_type)
	chained    bool // the end of a transaction has begun the next one, of which nothing was sent yet
	// points are the savepoints of a transaction that the first one of them has opened.
	points []string
}

// unitMaker splits a script.
type unitMaker struct {
	*Script
	syntax           *sqltext.Syntax
	aborted, refused func(step int) bool
	out              []Unit
	state            []unitState
	prepared         map[string]int // units that wait for their second phase, by the names that they have for it
}

// Units splits the steps of a script into transactions, in the order in which they begin. aborted says of a step that
// the database rolled its transaction back, refused that it was answered with an error; nil: of none.
func (s *Script) Units(aborted, refused func(step int) bool) []Unit {
	none := func(int) bool { return false }
	m := unitMaker{Script: s, syntax: sqltext.SyntaxOf(s.Target), aborted: none, refused: none,
		state: make([]unitState, len(s.Sessions)), prepared: map[string]int{}}
	if aborted != nil {
		m.aborted = aborted
	}
	if refused != nil {
		m.refused = refused
	}
	for i := range m.state {
		m.state[i] = unitState{open: -1, autocommit: true}
	}
	for i := range s.Steps {
		st := &m.state[s.Steps[i].Session]
		if !m.endsPrepared(i, st) {
			m.take(i, st)
		}
	}
	for _, st := range m.state {
		if st.open >= 0 {
			m.out[st.open].Open = true
		}
	}
	for _, n := range m.prepared {
		m.out[n].Open = true
	}
	return m.out
}

// take adds a step to the unit of its session, or begins one with it.
func (m *unitMaker) take(i int, st *unitState) {
	kind := m.kindAt(i, st)
	if m.syntax.Traits.SavepointOpens && !m.refused(i) {
		kind = st.atSavepoint(m.Steps[i].SQL, m.syntax, kind)
	}
	on, switches := AutocommitOf(m.Steps[i].SQL)
	if (kind == opens || switches) && m.refused(i) {
		kind, switches = setting, false
	}
	if (kind == opens || kind == commits) && st.open >= 0 {
		if m.out[st.open].Explicit {
			m.out[st.open].CommittedBy = i
		}
		st.open = -1
	}
	if st.open < 0 {
		m.begin(i, kind, st)
	}
	u := &m.out[st.open]
	u.Steps = append(u.Steps, i)
	u.Data = u.Data || kind == plain || kind == commits
	name := m.prepares(i)
	switch {
	case name != "" && u.Explicit:
		if u.Prepared = !m.refused(i); u.Prepared {
			m.prepared[name] = st.open
		}
		st.open = -1
	case kind == ends && m.stays(i):
	case kind == ends:
		u.Ends, st.open, st.chained = true, -1, m.chains(i, st)
	case m.aborted(i), kind == commits, !u.Explicit:
		st.open = -1
	}
	if switches {
		st.autocommit = on
	}
	if on, ok := completionOf(m.Steps[i].SQL); ok && !m.refused(i) {
		st.chains = on
	}
}

// begin begins a unit with a step.
func (m *unitMaker) begin(i int, kind scriptKinds, st *unitState) {
	st.open = len(m.out)
	chained := st.chained && kind == plain
	m.out = append(m.out, Unit{Session: m.Steps[i].Session, Opened: kind == opens, Chained: chained,
		Explicit: kind == opens || chained || !st.autocommit && kind == plain})
	st.chained = st.chained && kind == setting
}

// chains says whether a step that ends a transaction begins the next one at once.
func (m *unitMaker) chains(step int, st *unitState) bool {
	chain, ok := control.Read(sqltext.SyntaxOf(m.Target).Tree, m.Steps[step].SQL).Chain()
	return !m.refused(step) && ok && (chain == "AND CHAIN" || chain == "" && st.chains)
}

// completionOf reads SET completion_type = …, by which COMMIT and ROLLBACK are as with AND CHAIN
// (dev.mysql.com/doc/refman, Server System Variables); ok is false for any other statement.
func completionOf(text string) (chains, ok bool) {
	s := sqltext.Read(text)
	if s.Kind != sqltext.Set {
		return false, false
	}
	for i, t := range s.Tokens {
		if t.Is("completion_type") && i+2 < len(s.Tokens) {
			value := s.Tokens[len(s.Tokens)-1].Unquote()
			return value == "1" || strings.EqualFold(value, "chain"), true
		}
	}
	return false, false
}

// stays says whether a COMMIT was refused that leaves its transaction open then.
func (m *unitMaker) stays(step int) bool {
	return m.syntax.Traits.CommitStays && m.refused(step) && !m.aborted(step) &&
		control.Read(m.syntax.Tree, m.Steps[step].SQL).Kind == sqltext.Commit
}

// atSavepoint is what a statement does to transactions where a SAVEPOINT may open one.
func (st *unitState) atSavepoint(text string, syntax *sqltext.Syntax, kind scriptKinds) scriptKinds {
	if st.open < 0 {
		st.points = nil
	}
	back := func(name *sql.Name) {
		for n := len(st.points) - 1; n >= 0; n-- {
			if st.points[n] == name.Folded() {
				st.points = st.points[:n]
				return
			}
		}
	}
	switch n := control.Read(syntax.Tree, text).Tree.(type) {
	case *sql.Savepoint:
		if st.open >= 0 && st.points == nil { // a transaction of BEGIN
			return kind
		}
		if st.points = append(st.points, n.Name.Folded()); len(st.points) == 1 {
			return opens
		}
	case *sql.Release:
		if back(n.Name); st.points != nil && len(st.points) == 0 {
			return ends
		}
	case *sql.Rollback:
		if before := len(st.points); n.To != nil && before > 0 {
			if back(n.To); len(st.points) < before { // it stays itself
				st.points = append(st.points, n.To.Folded())
			}
		}
	}
	return kind
}

// prepares is the name under which PREPARE TRANSACTION leaves its transaction to whoever ends it, and its session is
// free for another one; "" for other statements. A session that has prepared an XA transaction can do nothing else
// until its end.
func (m *unitMaker) prepares(step int) string {
	read := control.Read(sqltext.SyntaxOf(m.Target).Tree, m.Steps[step].SQL)
	if read.IsXA() {
		return ""
	}
	return read.Prepares()
}

// endsPrepared adds a step to the unit that it ends, of whichever session, where that was prepared. Within another
// transaction it ends none.
func (m *unitMaker) endsPrepared(step int, st *unitState) bool {
	name := control.Read(sqltext.SyntaxOf(m.Target).Tree, m.Steps[step].SQL).EndsPrepared()
	n, ok := m.prepared[name]
	if !ok || st.open >= 0 || m.refused(step) {
		return false
	}
	delete(m.prepared, name)
	u := &m.out[n]
	u.Steps, u.Ends = append(u.Steps, step), true
	return true
}

// scriptKinds are what a statement of a script does to transactions.
type scriptKinds uint8

const (
	plain   scriptKinds = iota
	opens               // BEGIN, START TRANSACTION, XA START
	ends                // COMMIT, ROLLBACK, XA COMMIT, XA ROLLBACK
	commits             // commits what is open, and is a transaction by itself
	setting             // neither reads nor writes rows
)

// kindAt is what a step does to the transactions of its session, and notes what the session has locked.
func (s *Script) kindAt(step int, st *unitState) scriptKinds {
	syntax := sqltext.SyntaxOf(s.Target)
	read := control.Read(syntax.Tree, s.Steps[step].SQL)
	kind := kindOf(syntax, read)
	on, switches := AutocommitOf(s.Steps[step].SQL)
	locks, is := read.Tree.(*sql.LockTables)
	switch {
	case switches && on && !st.autocommit && st.open >= 0: // it commits
		return ends
	case read.EndsPrepared() != "" && st.open >= 0: // refused: it cannot run inside a transaction
		return plain
	case kind == opens:
		st.locked = false
	case is && kind == commits && len(locks.Tables) == 0: // UNLOCK TABLES commits where there is something to unlock
		locked := st.locked
		if st.locked = false; !locked {
			return setting
		}
		if st.open >= 0 {
			return ends
		}
	case is && kind == commits:
		st.locked = true
	}
	return kind
}

func kindOf(syntax *sqltext.Syntax, s control.Statement) scriptKinds {
	switch s.Kind {
	case sqltext.Begin:
		return opens
	case sqltext.Commit, sqltext.Rollback:
		return ends
	case sqltext.XA:
		if n, ok := s.Tree.(*sql.XA); ok {
			switch n.Step {
			case "START", "BEGIN":
				return opens
			case "COMMIT", "ROLLBACK":
				return ends
			}
		}
		return plain
	case sqltext.Set:
		if t := sqltext.Read(s.Text()).Tokens; len(t) < 2 || !t[1].Is("statement") { // … for which it is, behind FOR
			return setting
		}
	}
	switch {
	case syntax.Traits.Commits != nil && syntax.Traits.Commits(s.Tree, s.Kind):
		return commits
	case s.Kind == sqltext.Other:
		switch sqltext.FirstWord(s.Text()) {
		case "USE", "SHOW", "PREPARE", "DEALLOCATE":
			return setting
		}
	}
	return plain
}

// Opens says whether a step opens a transaction.
func (s *Script) Opens(step int) bool {
	syntax := sqltext.SyntaxOf(s.Target)
	return kindOf(syntax, control.Read(syntax.Tree, s.Steps[step].SQL)) == opens
}

// Commits says whether a step commits the transaction that is open before it does anything.
func (s *Script) Commits(step int) bool {
	syntax := sqltext.SyntaxOf(s.Target)
	return kindOf(syntax, control.Read(syntax.Tree, s.Steps[step].SQL)) == commits
}
