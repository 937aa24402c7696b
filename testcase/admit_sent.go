package testcase

import (
	"errors"

	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Sent judges texts of which a trace says that they were sent while the case was run. A trace comes from anywhere, as a
// case does, and scripts are written of it.
type Sent struct{ admission }

// Sending is what a text was sent for.
type Sending uint8

// What texts are sent for.
const (
	Within   Sending = iota // a transaction's statement, or a read around it
	Opening                 // the begin of a transaction
	Closing                 // its end
	Clearing                // a setting of the level before it, or what is left of it after an error
)

// Sent returns a judge for a case, which is admitted, as the database reads it.
func (c *Case) Sent(x *sqltext.Syntax) (*Sent, error) {
	a := admission{x: x, calls: c.calls(x), tables: map[string]bool{}}
	for _, s := range c.Schema {
		if err := a.definition(s.SQL); err != nil {
			return nil, err
		}
	}
	return &Sent{a}, nil
}

// Admit says why running the case sends no such text.
func (s *Sent) Admit(sql string, what Sending) error {
	if what != Clearing {
		return s.step(sql, what == Opening, what == Closing, what == Within)
	}
	x, err := s.read(sql)
	t := control.Read(s.x.Tree, sql)
	switch {
	case err != nil:
		return err
	case t.Kind == sqltext.Rollback || t.Kind == sqltext.Commit || t.EndsPrepared() != "" || t.Unlocks() ||
		sql == "SET autocommit = 1":
		return nil
	case x.Kind == sqltext.Set && len(x.Tokens) > 1 && x.Tokens[1].Is("transaction"):
		x.Tokens = x.Tokens[1:]
		return s.onlyWords(sql, x, sqltext.Set, beginWords)
	case x.Kind == sqltext.Select:
		return target(t)
	}
	return errors.New("nothing is cleared up by it")
}
