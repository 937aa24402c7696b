package format

import (
	"bytes"
	"errors"
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
