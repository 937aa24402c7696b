package testcase

import (
	"cmp"

	"txweave/sql/control"
	"txweave/sqltext"
)

// Levels returns the isolation level that each step runs at, as the script sets it: "" where it sets none, and the level of
// the session is the one it begins with. What the server makes of it only the server knows: LevelsAsked.
func (s *Script) Levels() []string {
	return s.LevelsAsked(func(int, string) string { return "" }, func(int) bool { return false })
}

// LevelsAsked is Levels where sessions were asked: said is what the session of a step said before it, "" where it was not asked; once is what
// was set for the step's transaction alone. refused says of a step that the server did not do it.
func (s *Script) LevelsAsked(said func(step int, once string) string, refused func(step int) bool) []string {
	d := sqltext.SyntaxOf(s.Target).Tree
	inside := len(d.LevelOnce) > 0 // SET TRANSACTION is for the transaction that is open; elsewhere for the next one
	session := make([]string, len(s.Sessions))
	next := make([]string, len(s.Sessions)) // for the next transaction only
	for i := range session {
		session[i] = s.Isolation
	}
	out := make([]string, len(s.Steps))
	for _, u := range s.Units(nil) {
		n := u.Session
		level, once := session[n], ""
		if u.Data {
			once, next[n] = next[n], ""
		}
		for _, i := range u.Steps {
			read := control.Read(d, s.Steps[i].SQL)
			asked, ok := read.Level()
			switch {
			case !ok || asked.For == control.LevelServer || refused(i):
			case asked.For == control.LevelSession:
				if session[n] = asked.Name; !u.Data { // in a transaction it is for those that follow
					level = asked.Name
				}
			case inside && u.Explicit, read.Opens() == control.Begun:
				once = asked.Name
			case !inside && !u.Explicit:
				next[n], level = asked.Name, asked.Name
			}
		}
		for _, i := range u.Steps {
			if told := said(i, once); told != "" {
				level, once = told, ""
			}
		}
		for _, i := range u.Steps {
			out[i] = cmp.Or(once, level)
		}
	}
	return out
}

// First returns the first step of a unit that reads or writes rows, or prepares to: behind it nothing can be said of the unit's level any more. ok
// is false where there is none.
func (u *Unit) First(s *Script) (step int, ok bool) {
	for _, i := range u.Steps {
		if k := sqltext.KindOf(s.Steps[i].SQL); k != sqltext.Begin && k != sqltext.Set && k != sqltext.Commit && k != sqltext.Rollback && u.Data {
			return i, true
		}
	}
	return 0, false
}

// SetsLevel returns the level that a statement of a target asks for and nothing else, and for whom; ok is false for any other one.
func SetsLevel(target, sql string) (l control.Level, ok bool) {
	l, ok = control.Read(sqltext.SyntaxOf(target).Tree, sql).Level()
	return l, ok && l.Alone
}
