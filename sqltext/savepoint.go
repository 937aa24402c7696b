package sqltext

import "slices"

// IsSavepoint says whether a statement of that kind sets a savepoint, goes back to one or forgets one.
func (k Kind) IsSavepoint() bool { return k == Savepoint || k == RollbackTo || k == Release }

// Savepoint returns the name, in lower case, of the savepoint that a statement sets, goes back to or forgets; ok is false
// where it is none of the three, or says more than that.
func (s *Statement) Savepoint() (name string, ok bool) {
	t := s.Tokens
	skip := func(words ...string) {
		if len(t) > 1 && t[0].Is(words...) {
			t = t[1:]
		}
	}
	switch s.Kind {
	case Savepoint:
		t = t[1:]
	case RollbackTo:
		t = t[1:]
		skip("work", "transaction")
		if len(t) < 2 || !t[0].Is("to") {
			return "", false
		}
		t = t[1:]
		skip("savepoint")
	case Release:
		t = t[1:]
		skip("savepoint")
	default:
		return "", false
	}
	if len(t) != 1 {
		return "", false
	}
	return t[0].Ident()
}

// Savepoints are those that a transaction has set, in the order in which they were set.
type Savepoints struct {
	Hide  bool // one hides an earlier one of its name; else it takes its place
	marks []mark
}

// mark is one savepoint, and how many statements the transaction had done when it was set.
type mark struct {
	name string
	done int
}

// Any says whether a savepoint is set.
func (p *Savepoints) Any() bool { return len(p.marks) > 0 }

// Known says whether the savepoint that a statement names is there.
func (p *Savepoints) Known(s *Statement) bool { return p.find(s) >= 0 }

func (p *Savepoints) find(s *Statement) int {
	name, _ := s.Savepoint()
	at := len(p.marks) - 1
	for at >= 0 && p.marks[at].name != name {
		at--
	}
	return at
}

// Apply notes a statement about a savepoint that succeeded, after done others; it returns how many of those remain done.
func (p *Savepoints) Apply(s *Statement, done int) (left int) {
	at := p.find(s)
	switch {
	case s.Kind == Savepoint:
		if at >= 0 && !p.Hide {
			p.marks = slices.Delete(p.marks, at, at+1)
		}
		name, _ := s.Savepoint()
		p.marks = append(p.marks, mark{name, done})
	case at < 0:
	case s.Kind == Release:
		p.marks = p.marks[:at]
	case s.Kind == RollbackTo:
		p.marks = p.marks[:at+1]
		return p.marks[at].done
	}
	return done
}
