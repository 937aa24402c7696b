package testcase

import (
	"fmt"
	"slices"

	"txweave/sql/sqltext"
)

// SessionSettings are what sessions of a case are set to before it runs.
type SessionSettings struct {
	Number int    // as transactions name it; 0: every session of the case, and that of its replays
	Stmts  []Stmt // SET, or PRAGMA
}

// SettingsOf are the statements that the session of a transaction is set by: those of every session, then its own.
func (c *Case) SettingsOf(txn int) (out []string) {
	for _, s := range c.Sessions {
		if s.Number == 0 || s.Number == c.Txns[txn].Session {
			out = append(out, Texts(s.Stmts)...)
		}
	}
	return out
}

// checkSession reports settings of a session that no transaction runs in, and what is no setting.
func (c *Case) checkSession(i int) error {
	s := c.Sessions[i]
	name := sessionSection(s.Number)
	switch {
	case len(s.Stmts) == 0:
		return fmt.Errorf("section %q sets nothing", name)
	case i > 0 && c.Sessions[i-1].Number >= s.Number:
		return fmt.Errorf("section %q stands behind %q: sessions are in order of number", name,
			sessionSection(c.Sessions[i-1].Number))
	case s.Number < 0 || s.Number > 0 && !slices.ContainsFunc(c.Txns, func(t Txn) bool { return t.Session == s.Number }):
		return fmt.Errorf("no transaction runs in the session of section %q", name)
	}
	for n, stmt := range s.Stmts {
		if sqltext.KindOf(stmt.SQL) != sqltext.Set {
			return fmt.Errorf("%s, statement %d: %s is not a setting: want SET or PRAGMA", name, n, quote(stmt.SQL))
		}
	}
	return checkStmts(name, s.Stmts, c.lexis())
}

// set adds a setting to those of a session.
func (c *Case) set(session int, text string) {
	at, has := slices.BinarySearchFunc(c.Sessions, session, func(s SessionSettings, n int) int { return s.Number - n })
	if !has {
		c.Sessions = slices.Insert(c.Sessions, at, SessionSettings{Number: session})
	}
	c.Sessions[at].Stmts = append(c.Sessions[at].Stmts, Stmt{SQL: text})
}

// DropUnusedSessions takes out the settings of sessions in which no transaction runs any more.
func (c *Case) DropUnusedSessions() {
	c.Sessions = slices.DeleteFunc(c.Sessions, func(s SessionSettings) bool {
		return s.Number > 0 && !slices.ContainsFunc(c.Txns, func(t Txn) bool { return t.Session == s.Number })
	})
}

// Unset takes out one setting, or all of a session's.
func (c *Case) Unset(session, stmt int) {
	s := &c.Sessions[session]
	if s.Stmts = slices.Delete(s.Stmts, stmt, stmt+1); len(s.Stmts) == 0 {
		c.Sessions = slices.Delete(c.Sessions, session, session+1)
	}
}
