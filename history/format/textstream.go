package format

import (
	"errors"
	"fmt"
)

// TextAccess is an operation of a text: a read of a key that returned a value, or a write.
type TextAccess struct {
	Key, Value int64
	Write      bool
}

// ErrApart is why a text cannot be read transaction by transaction.
var ErrApart = errors.New("the lines of a transaction do not stand together")

// Transactions reads a text transaction by transaction and gives each to do, until do returns false; the accesses are
// its own until it returns. It keeps nothing but which transactions there were, a bit each where their numbers lie
// close together. Aborted writes are left out. ErrApart says that the history must be read as a whole.
func (in *Opened) Transactions(do func(session int64, ops []TextAccess) bool) error {
	s := &textStream{do: do}
	err := inOrder(lineChunks(in, chunkSize), scanText, s.chunk)
	if err == nil {
		err = s.flush()
	}
	switch {
	case err == nil, errors.Is(err, errStopped):
		return nil
	case errors.Is(err, ErrApart):
		return err
	}
	return named(err, in.Path)
}

// IsText says whether the file is of the text format.
func (in *Opened) IsText() bool {
	head, err := in.Head()
	return err == nil && looksText(head)
}

// errStopped ends a text that nobody wants more of.
var errStopped = errors.New("stopped")

type textStream struct {
	do           func(session int64, ops []TextAccess) bool
	ops          []TextAccess
	txn, session int64
	seen         idSet
}

func (s *textStream) chunk(c *textChunk) error {
	for i := range c.ops {
		op := &c.ops[i]
		if op.txn == abortedTxn {
			continue
		}
		if len(s.ops) == 0 || s.txn != op.txn {
			if err := s.flush(); err != nil {
				return err
			}
			if !s.seen.add(op.txn) {
				return ErrApart
			}
			s.txn, s.session = op.txn, op.session
		}
		if s.session != op.session {
			return at(op.line, "%v", twoSessions(op.txn, s.session, op.session))
		}
		s.ops = append(s.ops, TextAccess{op.key, op.value, op.write})
	}
	if c.err != nil {
		return c.err
	}
	c.release()
	return nil
}

func (s *textStream) flush() error {
	if len(s.ops) > 0 && !s.do(s.session, s.ops) {
		return errStopped
	}
	s.ops = s.ops[:0]
	return nil
}

func twoSessions(txn, a, b int64) error {
	return fmt.Errorf("transaction %d is in session %d and in session %d", txn, a, b)
}
