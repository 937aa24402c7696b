package testcase

import (
	"txweave/sql/control"
	"txweave/sqltext"
)

// Levels returns the isolation level that each step runs at, as the script sets it: "" where it sets none, and the level of
// the session is the one it begins with. What the server makes of it only the server knows.
func (s *Script) Levels() []string {
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
		level := session[n]
		if u.Data && next[n] != "" {
			level, next[n] = next[n], ""
		}
		for _, i := range u.Steps {
			asked, ok := control.Read(d, s.Steps[i].SQL).Level()
			switch {
			case !ok || asked.For == control.LevelServer:
			case asked.For == control.LevelSession && !u.Data: // in a transaction it is for those that follow
				session[n], level = asked.Name, asked.Name
			case asked.For == control.LevelSession:
				session[n] = asked.Name
			case inside && u.Explicit || control.Read(d, s.Steps[i].SQL).Opens() == control.Begun:
				level = asked.Name
			case !inside && !u.Explicit:
				next[n], level = asked.Name, asked.Name
			}
		}
		for _, i := range u.Steps {
			out[i] = level
		}
	}
	return out
}

// SetsLevel returns the level that a statement of a target asks for and nothing else, and for whom; ok is false for any other one.
func SetsLevel(target, sql string) (l control.Level, ok bool) {
	l, ok = control.Read(sqltext.SyntaxOf(target).Tree, sql).Level()
	return l, ok && l.Alone
}
