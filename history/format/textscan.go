package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
)

// textChunk is a part of a text of lines, and the operations that they are.
type textChunk struct {
	*chunk
	ops []textOp
	err error // what cannot be read, behind the operations
}

// textChunks are those that are not in use: their memory serves the next one.
var textChunks = sync.Pool{New: func() any { return new(textChunk) }}

func (c *textChunk) release() {
	c.chunk.release()
	c.chunk, c.ops, c.err = nil, c.ops[:0], nil
	textChunks.Put(c)
}

// lineChunks cuts what r holds into chunks, behind ends of lines.
func lineChunks(r io.Reader, size int) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		for c := newChunk(nil, size, 1, true); ; {
			have := len(c.text)
			n, err := io.ReadFull(r, c.text[have:have+size])
			c.text = c.text[:have+n]
			switch {
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				yield(c, nil)
				return
			case err != nil:
				yield(nil, err)
				return
			}
			cut := bytes.LastIndexByte(c.text, '\n') + 1
			if len(c.text)-cut > maxLine {
				yield(nil, at(c.line+bytes.Count(c.text, newline), "a line longer than %d MiB", maxLine>>20))
				return
			}
			rest := c.text[cut:]
			c.text = c.text[:cut]
			next := newChunk(rest, size, c.line+bytes.Count(c.text, newline), false)
			if !yield(c, nil) {
				return
			}
			c = next
		}
	}
}

// scanText reads the operations of a part.
func scanText(part *chunk) *textChunk {
	c := textChunks.Get().(*textChunk)
	c.chunk = part
	text, line := c.text, c.line
	for len(text) > 0 {
		c.ops = append(c.ops, textOp{line: line})
		op := &c.ops[len(c.ops)-1]
		if n := op.scan(text); n > 0 {
			text = text[n:]
			line++
			continue
		}
		row, rest, _ := bytes.Cut(text, newline)
		text = rest
		var ok bool
		switch row = bytes.TrimSpace(row); {
		case len(row) == 0:
			c.ops = c.ops[:len(c.ops)-1]
		case len(row) > maxLine:
			c.err = at(line, "a line longer than %d MiB", maxLine>>20)
		default:
			if *op, ok = parseTextLine(row); !ok {
				c.err = at(line, "want r(key,value,session,transaction) or w(…), of integers of 64 bits, not %q", clip(row))
			}
			op.line = line
		}
		if c.err != nil {
			c.ops = c.ops[:len(c.ops)-1]
			break
		}
		line++
	}
	return c
}

// scan reads a line as it is commonly written, with its end, and returns its length; 0 where it is written otherwise.
func (op *textOp) scan(text []byte) int {
	if len(text) < 2 || text[1] != '(' || text[0] != 'r' && text[0] != 'w' {
		return 0
	}
	i := 2
	for k, to := range [...]*int64{&op.key, &op.value, &op.session, &op.txn} {
		start, n := i, int64(0)
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			n = n*10 + int64(text[i]-'0')
		}
		if i == start || i-start > safeDigits || i == len(text) {
			return 0
		}
		end := byte(',')
		if k == 3 {
			end = ')'
		}
		if text[i] != end {
			return 0
		}
		*to = n
		i++
	}
	if i == len(text) || text[i] != '\n' {
		return 0
	}
	op.write = text[0] == 'w'
	return i + 1
}

// safeDigits is how many digits fit an int64 whatever they are.
const safeDigits = 18

// idSet is a set of numbers. Those that lie close together take a bit each.
type idSet struct {
	pages map[int64]*[8]uint64
	last  *[8]uint64 // the page of the number before
	page  int64
}

// add reports whether the number is a new one.
func (s *idSet) add(id int64) bool {
	if page := id >> 9; s.last == nil || s.page != page {
		if s.pages == nil {
			s.pages = map[int64]*[8]uint64{}
		}
		if s.last = s.pages[page]; s.last == nil {
			s.last = new([8]uint64)
			s.pages[page] = s.last
		}
		s.page = page
	}
	word, bit := &s.last[id>>6&7], uint64(1)<<(id&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

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
