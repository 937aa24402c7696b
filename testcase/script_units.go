package testcase

import (
	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Unit is a transaction of a script as its statements make it: those from BEGIN to its end, or one statement outside
// any.
type Unit struct {
	Session  int
	Steps    []int // indices into Script.Steps
	Explicit bool  // it begins with BEGIN, or autocommit is off
	Opened   bool  // its first statement opens it
	Ends     bool  // its last statement ends it
	Open     bool  // nothing in the script ends it
	// CommittedBy is the step behind it in its session that commits it, where no statement of its own does; 0 for none.
	CommittedBy int
	Data        bool // it reads or writes rows; what does not, such as a setting, belongs to what comes after it
}

// unitState follows one session.
type unitState struct {
	open       int // its unit that has not ended; -1 for none
	autocommit bool
	locked     bool // it has tables of LOCK TABLES
}

// Units splits the steps of a script into transactions, in the order in which they begin. aborted says of a step that
// the database rolled its transaction back, refused that it was answered with an error; nil: of none.
func (s *Script) Units(aborted, refused func(step int) bool) []Unit {
	var out []Unit
	state := make([]unitState, len(s.Sessions))
	for i := range state {
		state[i] = unitState{open: -1, autocommit: true}
	}
	for i := range s.Steps {
		st := &state[s.Steps[i].Session]
		kind := s.kindAt(i, st)
		on, switches := autocommitOf(s.Steps[i].SQL)
		if (kind == opens || switches) && refused != nil && refused(i) {
			kind, switches = setting, false
		}
		if (kind == opens || kind == commits) && st.open >= 0 {
			if out[st.open].Explicit {
				out[st.open].CommittedBy = i
			}
			st.open = -1
		}
		if st.open < 0 {
			st.open = len(out)
			out = append(out, Unit{Session: s.Steps[i].Session, Opened: kind == opens,
				Explicit: kind == opens || !st.autocommit && kind == plain})
		}
		u := &out[st.open]
		u.Steps = append(u.Steps, i)
		u.Data = u.Data || kind == plain || kind == commits
		switch {
		case kind == ends:
			u.Ends, st.open = true, -1
		case aborted != nil && aborted(i), kind == commits, !u.Explicit:
			st.open = -1
		}
		if switches {
			st.autocommit = on
		}
	}
	for _, st := range state {
		if st.open >= 0 {
			out[st.open].Open = true
		}
	}
	return out
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
	on, switches := autocommitOf(s.Steps[step].SQL)
	locks, is := read.Tree.(*sql.LockTables)
	switch {
	case switches && on && !st.autocommit && st.open >= 0: // it commits
		return ends
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
		return setting
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
