package format

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// ednReader reads extensible data notation, as far as histories use it: nil, booleans, numbers, strings,
// characters, symbols, keywords, lists, vectors, maps, sets, comments, discards and tags, which are dropped.
type ednReader struct {
	text []byte
	pos  int
	line int // of pos
	at   int // line in which the last value of depth 0 began
	buf  []byte
}

func (e *ednReader) errorf(format string, args ...any) error { return at(e.line, format, args...) }

func (e *ednReader) byte() (byte, error) {
	if e.pos == len(e.text) {
		return 0, io.EOF
	}
	c := e.text[e.pos]
	e.pos++
	if c == '\n' {
		e.line++
	}
	return c, nil
}

func (e *ednReader) unread(c byte) {
	if c == '\n' {
		e.line--
	}
	e.pos--
}

// skip skips white space, commas and comments and returns the byte that follows.
func (e *ednReader) skip() (byte, error) {
	for {
		c, err := e.byte()
		switch {
		case err != nil:
			return 0, err
		case c == ';':
			for c != '\n' {
				if c, err = e.byte(); err != nil {
					return 0, err
				}
			}
		case c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != ',' && c != '\f':
			return c, nil
		}
	}
}

// errClose is what value returns for a closing bracket.
var errClose = errors.New("a closing bracket without an opening one")

// value reads one value; io.EOF at the end of the input, errClose at a closing bracket.
func (e *ednReader) value(depth int) (datum, error) {
	if depth > maxDepth {
		return datum{}, e.errorf("nested too deeply")
	}
	for {
		c, err := e.skip()
		if err != nil {
			return datum{}, err
		}
		if depth == 0 {
			e.at = e.line
		}
		switch c {
		case '(', '[':
			return e.collection(list, depth)
		case '{':
			return e.collection(dict, depth)
		case ')', ']', '}':
			return datum{}, errClose
		case '"':
			return e.str()
		case '#':
			if d, discarded, err := e.dispatch(depth); !discarded || err != nil {
				return d, err
			}
		default:
			return e.atom(c)
		}
	}
}

func (e *ednReader) collection(k kind, depth int) (datum, error) {
	d := datum{kind: k}
	start := e.line
	for {
		v, err := e.value(depth + 1)
		switch {
		case errors.Is(err, errClose):
			if k == dict && len(d.list)%2 != 0 {
				return d, e.errorf("a map with a key that has no value")
			}
			return d, nil
		case errors.Is(err, io.EOF):
			return d, at(start, "a bracket that opens here is never closed")
		case err != nil:
			return d, err
		}
		d.list = append(d.list, v)
	}
}

// dispatch reads what stands behind a '#': a set, a discarded value, or a tagged one.
func (e *ednReader) dispatch(depth int) (d datum, discarded bool, err error) {
	c, err := e.byte()
	switch {
	case err != nil:
		return datum{}, false, e.errorf("ends behind #")
	case c == '{':
		d, err = e.collection(list, depth)
		return d, false, err
	case c == '_':
		_, err = e.tagged(depth)
		return datum{}, true, err
	}
	e.unread(c)
	if _, err := e.atom('#'); err != nil { // the tag
		return datum{}, false, err
	}
	d, err = e.tagged(depth)
	return d, false, err
}

// tagged reads the value that a tag or a discard is for.
func (e *ednReader) tagged(depth int) (datum, error) {
	d, err := e.value(depth + 1)
	if errors.Is(err, io.EOF) || errors.Is(err, errClose) {
		return d, e.errorf("a tag or #_ without a value")
	}
	return d, err
}

func (e *ednReader) str() (datum, error) {
	e.buf = e.buf[:0]
	for {
		c, err := e.byte()
		if err != nil {
			return datum{}, e.errorf("ends in the middle of a string")
		}
		switch c {
		case '"':
			return datum{kind: text, s: string(e.buf)}, nil
		case '\\':
			if c, err = e.byte(); err != nil {
				return datum{}, e.errorf("ends in the middle of a string")
			}
			if i := strings.IndexByte("ntr", c); i >= 0 {
				c = "\n\t\r"[i]
			}
		}
		if len(e.buf) > maxLine {
			return datum{}, e.errorf("a string longer than %d MiB", maxLine>>20)
		}
		e.buf = append(e.buf, c)
	}
}

// atom reads a number, keyword, symbol or character that begins with c.
func (e *ednReader) atom(c byte) (datum, error) {
	e.buf = append(e.buf[:0], c)
	quoted := false
	for {
		quoted = c == '\\' && !quoted // a character: the next byte belongs to it, whatever it is
		var err error
		if c, err = e.byte(); err != nil {
			break
		}
		if !quoted && ednDelimiter[c] {
			e.unread(c)
			break
		}
		if len(e.buf) > maxLine {
			return datum{}, e.errorf("a word longer than %d MiB", maxLine>>20)
		}
		e.buf = append(e.buf, c)
	}
	s := bytes.TrimPrefix(e.buf, []byte("+"))
	if n, used := parseInt(s); used > 0 && (used == len(s) || string(s[used:]) == "N") {
		return datum{kind: integer, n: n}, nil
	}
	if c := e.buf[0]; c == '+' || c == '-' || c >= '0' && c <= '9' {
		if d, ok := decimal(string(bytes.TrimRight(e.buf, "MN"))); ok {
			return d, nil
		}
	}
	switch word := string(e.buf); word {
	case "nil":
		return datum{}, nil
	case "true", "false":
		d := datum{kind: boolean}
		if word == "true" {
			d.n = 1
		}
		return d, nil
	default:
		return datum{kind: text, s: strings.TrimPrefix(word, ":")}, nil
	}
}

// ednDelimiter says of a byte whether it ends a number, keyword or symbol.
var ednDelimiter = func() (is [256]bool) {
	for _, c := range " \t\n\r\f,()[]{}\";" {
		is[c] = true
	}
	return is
}()

func looksEDN(head []byte) bool {
	head = bytes.TrimSpace(head)
	for len(head) > 0 && head[0] == ';' {
		_, rest, _ := bytes.Cut(head, []byte("\n"))
		head = bytes.TrimSpace(rest)
	}
	return len(head) > 0 && strings.IndexByte("[({#", head[0]) >= 0 && bytes.Contains(head, []byte(":type"))
}
