package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"txweave/history/register"
)

// ednReader reads extensible data notation, as far as histories use it: nil, booleans, numbers, strings,
// characters, symbols, keywords, lists, vectors, maps, sets, comments, discards and tags, which are dropped.
type ednReader struct {
	r    *bufio.Reader
	line int
	buf  []byte
}

func (e *ednReader) errorf(format string, args ...any) error { return at(e.line, format, args...) }

func (e *ednReader) byte() (byte, error) {
	c, err := e.r.ReadByte()
	if c == '\n' {
		e.line++
	}
	return c, err
}

func (e *ednReader) unread(c byte) {
	if c == '\n' {
		e.line--
	}
	_ = e.r.UnreadByte() // it was read just now
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
	c, err := e.skip()
	if err != nil {
		return datum{}, err
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
		return e.dispatch(depth)
	}
	return e.atom(c)
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
func (e *ednReader) dispatch(depth int) (datum, error) {
	c, err := e.byte()
	if err != nil {
		return datum{}, e.errorf("ends behind #")
	}
	if c == '{' {
		return e.collection(list, depth)
	}
	if c != '_' {
		e.unread(c)
		if _, err := e.atom('#'); err != nil { // the tag
			return datum{}, err
		}
		return e.tagged(depth)
	}
	if _, err := e.tagged(depth); err != nil {
		return datum{}, err
	}
	return e.value(depth)
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
	for {
		c, err := e.byte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return datum{}, err
		}
		if strings.IndexByte(" \t\n\r,()[]{}\";\f", c) >= 0 {
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

func looksEDN(head []byte) bool {
	head = bytes.TrimSpace(head)
	for len(head) > 0 && head[0] == ';' {
		_, rest, _ := bytes.Cut(head, []byte("\n"))
		head = bytes.TrimSpace(rest)
	}
	return len(head) > 0 && strings.IndexByte("[({#", head[0]) >= 0 && bytes.Contains(head, []byte(":type"))
}

// readEDN reads Jepsen's history: one vector or list of operations, or operations one after the other.
func readEDN(r io.Reader, b *register.Builder) error {
	e := &ednReader{r: bufio.NewReader(r), line: 1}
	c, err := e.skip()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	array := c == '[' || c == '('
	if !array {
		e.unread(c)
	}
	j := newJepsen(b, false)
	for {
		start := e.line
		d, err := e.value(0)
		switch {
		case errors.Is(err, io.EOF) && array:
			return e.errorf("the list of operations is never closed")
		case errors.Is(err, errClose) && !array:
			return e.errorf("%v", errClose)
		case errors.Is(err, io.EOF), errors.Is(err, errClose):
			return j.finish()
		case err != nil:
			return err
		}
		if err := j.op(&d); err != nil {
			return at(start, "%v", err)
		}
	}
}
