package sqltext

import (
	"cmp"
	"strings"
)

// AdvisoryLock is a SELECT of one of PostgreSQL's functions that lock a number (postgresql.org/docs, Advisory Lock Functions).
type AdvisoryLock struct {
	Key     string // the number, or the two
	Shared  bool   // others may lock it so, too
	Try     bool   // it says whether it was given, and does not wait
	Session bool   // it is held beyond the transaction
	Unlock  bool   // it gives back what is held so
}

// AdvisoryLock reads SELECT pg_advisory_xact_lock(7) and its like. ok is false for all other statements, and for those that do more.
func (s *Statement) AdvisoryLock() (l AdvisoryLock, ok bool) {
	t := s.Tokens
	if s.Kind != Select || len(t) < 5 || t[0].Kind != Word || t[2].Text != "(" || t[len(t)-1].Text != ")" {
		return l, false
	}
	name, ok := t[1].Ident()
	rest, advisory := strings.CutPrefix(name, "pg_")
	if !ok || !advisory {
		return l, false
	}
	rest, l.Try = strings.CutPrefix(rest, "try_")
	if rest, advisory = strings.CutPrefix(rest, "advisory_"); !advisory {
		return l, false
	}
	rest, l.Shared = strings.CutSuffix(rest, "_shared")
	switch rest {
	case "xact_lock":
	case "lock":
		l.Session = true
	case "unlock":
		l.Session, l.Unlock = true, true
	default:
		return l, false
	}
	for i, arg := range t[3 : len(t)-1] {
		switch {
		case i%2 == 1 && arg.Text == ",":
			l.Key += ","
		case i%2 == 0 && arg.Kind == Word && strings.Trim(arg.Text, "0123456789") == "":
			l.Key += cmp.Or(strings.TrimLeft(arg.Text, "0"), "0")
		default:
			return l, false
		}
	}
	return l, (len(t) == 5 || len(t) == 7) && !(l.Unlock && l.Try)
}

// Held is the lock as one of a table is held: of a name that no table has.
func (l AdvisoryLock) Held() TableLock {
	held := TableLock{Table: AdvisoryName + l.Key, Mode: AccessExclusive}
	if l.Shared {
		held.Mode = Share
	}
	return held
}

// AdvisoryName begins what stands for the name of a table where a number is locked.
const AdvisoryName = "advisory lock "
