package sqltext

import (
	"fmt"
	"slices"
)

// Frame is the way in which a transaction is opened, and so how it may end.
type Frame uint8

// The frames.
const (
	NoFrame  Frame = iota
	Begun          // BEGIN or START TRANSACTION; COMMIT or ROLLBACK
	Switched       // SET autocommit = 0; COMMIT, ROLLBACK or SET autocommit = 1, which commits; UNLOCK TABLES behind LOCK TABLES, too
	Prepared       // XA START; XA END, and XA PREPARE before XA COMMIT without ONE PHASE; XA COMMIT or XA ROLLBACK
)

// Opens returns the frame of the transaction that a statement opens; NoFrame if it opens none.
func (s *Statement) Opens() Frame {
	switch on, switches := s.autocommit(); {
	case s.Kind == Begin:
		return Begun
	case switches && !on:
		return Switched
	case s.xa() == "start":
		return Prepared
	}
	return NoFrame
}

// Ends says whether a statement ends a transaction of a frame. MySQL's family commits a transaction before it changes a table:
// such a change ends one, too.
func (s *Statement) Ends(f Frame) bool {
	on, switches := s.autocommit()
	_, redefines := s.Redefinition()
	switch {
	case f == Prepared:
		return s.xa() == "commit" || s.xa() == "rollback"
	case s.Disconnects():
		return f != NoFrame
	case s.Kind == Commit:
		return s.Tokens[0].Is("commit")
	case s.Kind == Rollback:
		return true
	}
	return f == Switched && (switches && on || s.Unlocks()) || redefines && f != NoFrame
}

// RollsBack says whether a statement ends its transaction without a trace.
func RollsBack(sql string) bool {
	s := Read(sql)
	return s.Kind == Rollback || s.xa() == "rollback" || s.Disconnects()
}

// disconnects are the statements by which a session ends itself, and with it the transaction that is open there, by who reads them so.
var disconnects = map[Quoting][]string{MySQL: {"kill", "connection_id", "(", ")"},
	PostgreSQL: {"select", "pg_terminate_backend", "(", "pg_backend_pid", "(", ")", ")"}}

// Disconnects says whether a statement ends its own session.
func (s *Statement) Disconnects() bool { return s.disconnects(MySQL) || s.disconnects(PostgreSQL) }

func (s *Statement) disconnects(q Quoting) bool {
	words := disconnects[q]
	return len(words) > 0 && slices.EqualFunc(s.Tokens, words, func(t Token, word string) bool { return t.Text == word || t.Is(word) })
}

// Disconnects says whether a statement ends its own session where it is read so.
func (q Quoting) Disconnects(sql string) bool {
	s := Read(sql)
	return s.disconnects(q)
}

// Disconnects says whether a statement ends its own session.
func Disconnects(sql string) bool {
	if first := Significant(sql, 2); len(first) < 2 || !first[0].Is("kill") && !first[1].Is("pg_terminate_backend") {
		return false
	}
	s := Read(sql)
	return s.Disconnects()
}

// Autocommit reads SET autocommit = 0 and SET autocommit = 1; ok is false for all others.
func (s *Statement) autocommit() (on, ok bool) {
	t := s.Tokens
	if s.Kind != Set || len(t) != 4 || !t[0].Is("set") || !t[1].Is("autocommit") || t[2].Text != "=" {
		return false, false
	}
	return t[3].Text == "1", t[3].Text == "0" || t[3].Text == "1"
}

// xa returns what an XA statement does, "start", "end", "prepare", "commit" or "rollback"; "" where it is none of them or names
// its transaction otherwise than by one short text.
func (s *Statement) xa() string {
	t := s.Tokens
	onePhase := len(t) == 5 && t[1].Is("commit") && t[3].Is("one") && t[4].Is("phase")
	if s.Kind != XA || len(t) != 3 && !onePhase || !t[0].Is("xa") || t[2].Kind != Literal || t[2].Text[0] != '\'' || len(t[2].Text) > 66 {
		return ""
	}
	for _, verb := range []string{"start", "end", "prepare", "commit", "rollback"} {
		if t[1].Is(verb) {
			return verb
		}
	}
	return ""
}

// XAName returns the name, with its quotes, of the transaction that an XA statement is about; "" for others.
func (s *Statement) XAName() string {
	if s.xa() == "" {
		return ""
	}
	return s.Tokens[2].Text
}

// IsXA says whether a statement of an XA transaction stands between its first and its last: XA END or XA PREPARE.
func (s *Statement) IsXA() bool { return s.xa() == "end" || s.xa() == "prepare" }

// CheckXA checks the statements of an XA transaction, all that are between the first and the last one and those two: each is of the same
// name, XA END comes after everything but XA PREPARE, and what is not prepared is committed in one phase.
func CheckXA(sqls []string) error {
	open, end := Read(sqls[0]), Read(sqls[len(sqls)-1])
	ended, prepared := false, false
	for _, sql := range sqls[1 : len(sqls)-1] {
		s := Read(sql)
		switch verb := s.xa(); {
		case verb == "" && !ended && s.Kind != XA:
		case verb == "":
			return fmt.Errorf("%s has no place between XA END and the end of its transaction", s.Kind)
		case s.XAName() != open.XAName():
			return fmt.Errorf("XA %s is not of the transaction %s", verb, open.XAName())
		case verb == "end" && !ended:
			ended = true
		case verb == "prepare" && ended && !prepared:
			prepared = true
		default:
			return fmt.Errorf("XA %s has no place there: XA END comes once, after all other statements, and XA PREPARE behind it", verb)
		}
	}
	onePhase := slices.ContainsFunc(end.Tokens, func(t Token) bool { return t.Is("phase") })
	switch {
	case end.XAName() != open.XAName():
		return fmt.Errorf("XA %s is not of the transaction %s", end.xa(), open.XAName())
	case !ended:
		return fmt.Errorf("XA END is missing")
	case end.xa() == "commit" && onePhase == prepared:
		return fmt.Errorf("XA COMMIT has ONE PHASE where there is no XA PREPARE, and only there")
	}
	return nil
}
