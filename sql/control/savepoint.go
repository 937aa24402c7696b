package control

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Savepoint returns the name, in lower case, of the savepoint that a statement sets, goes back to or forgets; ok is
// false where it is none of the three.
func (s Statement) Savepoint() (name string, ok bool) {
	var n *sql.Name
	switch x := s.Tree.(type) {
	case *sql.Savepoint:
		n = x.Name
	case *sql.Rollback:
		n = x.To
	case *sql.Release:
		n = x.Name
	}
	if n == nil {
		return "", false
	}
	return n.Folded(), true
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
func (p *Savepoints) Known(s Statement) bool { return p.find(s) >= 0 }

func (p *Savepoints) find(s Statement) int {
	name, _ := s.Savepoint()
	at := len(p.marks) - 1
	for at >= 0 && p.marks[at].name != name {
		at--
	}
	return at
}

// Apply notes a statement about a savepoint that succeeded, after done others; it returns how many of those remain
// done.
func (p *Savepoints) Apply(s Statement, done int) (left int) {
	at := p.find(s)
	switch {
	case s.Kind == sqltext.Savepoint:
		if at >= 0 && !p.Hide {
			p.marks = slices.Delete(p.marks, at, at+1)
		}
		name, _ := s.Savepoint()
		p.marks = append(p.marks, mark{name, done})
	case at < 0:
	case s.Kind == sqltext.Release:
		p.marks = p.marks[:at]
	case s.Kind == sqltext.RollbackTo:
		p.marks = p.marks[:at+1]
		return p.marks[at].done
	}
	return done
}
