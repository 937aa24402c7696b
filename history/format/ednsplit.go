package format

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
)

// ednSplitter finds the places between values at which a file can be cut. It knows no more of the notation than it
// must: brackets, strings, comments, characters, and what stands before a value and belongs to it.
type ednSplitter struct {
	depth          int
	str, comment   bool
	quoted         bool // the next byte is taken as it is
	hash           bool // the byte before was a '#'
	tags, discards int  // of the outermost level, still without their value
	cut            int  // behind the last value that closed with nothing before it that waits for a value
	closed         bool // a bracket was closed that was not opened: the values end here
	pos            int
}

// ednChunks cuts what r holds into chunks of whole values of its outermost level. Where the list of all values is
// closed it ends.
func ednChunks(r io.Reader, line, size int) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		s := &ednSplitter{}
		c := newChunk(nil, size, line, true)
		for {
			have := len(c.text)
			n, err := io.ReadFull(r, c.text[have:min(cap(c.text), have+size)])
			c.text = c.text[:have+n]
			s.scan(c.text)
			end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
			switch {
			case err != nil && !end:
				yield(nil, err)
				return
			case end || s.closed:
				yield(c, nil)
				return
			case s.cut == 0: // one value is longer than all that was read
				if len(c.text) == cap(c.text) {
					c.text = slices.Grow(c.text, len(c.text))
				}
				continue
			}
			rest := c.text[s.cut:]
			c.text = c.text[:s.cut]
			next := newChunk(rest, size, c.line+bytes.Count(c.text, newline), false)
			s.pos -= s.cut
			s.cut = 0
			if !yield(c, nil) {
				return
			}
			c = next
		}
	}
}

var newline = []byte("\n")

// scan goes on to the end of the text.
func (s *ednSplitter) scan(text []byte) {
	for s.pos < len(text) && !s.closed {
		c := text[s.pos]
		s.pos++
		if s.quoted {
			s.quoted = false
			continue
		}
		if s.hash {
			s.hash = false
			switch {
			case s.depth > 0 || c == '{':
			case c == '_':
				s.discards++
				continue
			default:
				s.tags++
			}
		}
		switch {
		case s.str:
			s.inString(text, c)
		case s.comment:
			s.comment = c != '\n'
		default:
			s.plain(c)
			if !s.str && !s.comment && !s.quoted && !s.hash {
				s.run(text)
			}
		}
	}
}

// run passes over what is inside a value, as far as there is nothing but words, texts without escapes and brackets.
func (s *ednSplitter) run(text []byte) {
	pos, depth := s.pos, s.depth
	for ; pos < len(text); pos++ {
		c := text[pos]
		if !ednStructure[c] {
			continue
		}
		if c == '[' || c == '{' || c == '(' {
			depth++
			continue
		}
		if c == '"' { // a short text without escapes
			end := pos + 1
			for end < len(text) && text[end] != '"' && text[end] != '\\' {
				end++
			}
			if end == len(text) || text[end] != '"' {
				break
			}
			pos = end
			continue
		}
		if depth <= 1 || c != ']' && c != '}' && c != ')' {
			break
		}
		depth--
	}
	s.pos, s.depth = pos, depth
}

// ednStructure says of a byte outside strings and comments whether it matters to where values end.
var ednStructure = func() (is [256]bool) {
	for _, c := range `"\;#()[]{}` {
		is[c] = true
	}
	return is
}()

func (s *ednSplitter) inString(text []byte, c byte) {
	switch c {
	case '"':
		s.str = false
	case '\\':
		s.quoted = true
	default:
		if i := bytes.IndexAny(text[s.pos:], `"\`); i > 0 {
			s.pos += i
		}
	}
}

func (s *ednSplitter) plain(c byte) {
	switch c {
	case '"':
		s.str = true
	case ';':
		s.comment = true
	case '\\':
		s.quoted = true
	case '#':
		s.hash = true
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth--
		s.closed = s.depth < 0
		if s.depth != 0 {
			return
		}
		if s.discards > 0 {
			s.discards--
		} else {
			s.tags = 0
		}
		if s.discards == 0 && s.tags == 0 {
			s.cut = s.pos
		}
	}
}
