package sqltext

import (
	"fmt"
	"slices"
	"strings"
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

// chain are the words behind COMMIT and ROLLBACK that begin the next transaction at once.
const chain = " AND CHAIN"

// Chains says whether a statement that ends a transaction begins another one like it at once.
func Chains(sql string) bool { return strings.HasSuffix(sql, chain) }

// Unchained is the statement that ends a transaction and begins none.
func Unchained(sql string) string { return strings.TrimSuffix(sql, chain) }

// Continues says whether a transaction that begins so is what comes of AND CHAIN behind one that began so: it has the same access mode, and no
// snapshot yet.
func Continues(before, begin string) bool {
	a, b := Read(before), Read(begin)
	only := func(sql string) bool { return slices.Contains(BeginOptions(sql), "ONLY") }
	return a.Opens() == Begun && b.Opens() == Begun && only(before) == only(begin) && !slices.Contains(BeginOptions(begin), "SNAPSHOT")
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
	s := q.Read(sql)
	return !s.Open && s.disconnects(q)
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

// Prepares returns the name, with its quotes, of the transaction that PREPARE TRANSACTION 'name' is about, PostgreSQL's; "" for others.
func (s *Statement) Prepares() string { return s.named(XA, "prepare", "transaction") }

// EndsPrepared returns the name, with its quotes, of the transaction that COMMIT PREPARED 'name' or ROLLBACK PREPARED 'name' ends; "" for
// others.
func (s *Statement) EndsPrepared() string {
	if name := s.named(Commit, "commit", "prepared"); name != "" {
		return name
	}
	return s.named(Rollback, "rollback", "prepared")
}

// named returns the short text behind two words.
func (s *Statement) named(kind Kind, first, second string) string {
	t := s.Tokens
	if s.Kind != kind || len(t) != 3 || !t[0].Is(first) || !t[1].Is(second) || t[2].Kind != Literal || t[2].Text[0] != '\'' || len(t[2].Text) > 66 {
		return ""
	}
	return t[2].Text
}

// CheckPrepared checks that a transaction which is prepared does nothing behind that, and that it and no other ends as such a one.
func CheckPrepared(sqls []string) error {
	last := Read(sqls[len(sqls)-1])
	name := ""
	for i, sql := range sqls {
		s := Read(sql)
		if s.Prepares() == "" {
			continue
		}
		if i != len(sqls)-2 {
			return fmt.Errorf("PREPARE TRANSACTION is the last statement before COMMIT PREPARED or ROLLBACK PREPARED")
		}
		name = s.Prepares()
	}
	if name != last.EndsPrepared() {
		return fmt.Errorf("what PREPARE TRANSACTION prepares, and nothing else, ends with COMMIT PREPARED or ROLLBACK PREPARED of its name")
	}
	return nil
}

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
