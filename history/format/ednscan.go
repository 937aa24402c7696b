package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// readEDN reads Jepsen's history: one vector or list of operations, or operations one after the other.
func readEDN(r io.Reader, b *sink) error {
	l, err := readRecords(r, b, "[(", scanRecords)
	switch {
	case err != nil || l == nil:
		return err
	case l.array && !l.closed:
		return at(l.line, "the list of operations is never closed")
	case !l.array && l.closed:
		return at(l.line, "%v", errClose)
	}
	return l.jepsen.finish()
}

// recordList is what was read of a list of records.
type recordList struct {
	jepsen *jepsen
	array  bool // it began with a bracket
	closed bool // and a closing bracket ended it
	line   int  // where it ended
}

// readRecords reads records that stand in one of the brackets that open a list, or one after the other; nil where there
// are none.
func readRecords(r io.Reader, b *sink, open string, scan func(c *chunk, array bool) *recordScanner) (
	l *recordList, err error) {
	in := bufio.NewReaderSize(r, headSize)
	line, c, err := ednStart(in)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l = &recordList{jepsen: newJepsen(b, false), array: strings.IndexByte(open, c) >= 0, line: line}
	if !l.array {
		_ = in.UnreadByte() // it was read just now
	}
	n := 0
	err = inOrder(ednChunks(in, line, chunkSize), func(c *chunk) *recordScanner { return scan(c, l.array) },
		func(c *recordScanner) error {
			for i := range c.records {
				n++
				if err := l.jepsen.record(&c.records[i]); err != nil {
					return at(int(c.records[i].place.Line), "operation %d: %v", n, err)
				}
			}
			l.closed, l.line = l.closed || c.closed, c.line
			if c.err != nil {
				return c.err
			}
			l.jepsen.keep()
			b.took(len(c.text))
			c.release()
			return nil
		})
	return l, err
}

// ednStart passes over white space and comments, and returns the byte that follows, with its line.
func ednStart(in *bufio.Reader) (line int, c byte, err error) {
	line = 1
	for comment := false; ; {
		if c, err = in.ReadByte(); err != nil {
			return line, 0, err
		}
		switch {
		case c == '\n':
			line++
			comment = false
		case comment || c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\f':
		case c == ';':
			comment = true
		default:
			return line, c, nil
		}
	}
}

// recordScanner reads the records of a chunk. Records as Jepsen writes them it reads at once into their fields; any
// other one, and whatever is wrong, is left to ednReader, so that there is one place that knows the whole notation.
type recordScanner struct {
	from  *chunk
	text  []byte // of the chunk
	pos   int
	line  int               // of pos
	words map[string]string // each word is kept once
	mops  []mop
	elems []int64
	whole bool // every record is left to ednReader

	records []record
	err     error // what cannot be read, behind the records
	closed  bool  // a closing bracket without an opening one follows the records
}

// scanners are those that are not in use: their memory serves the next chunk.
var scanners = sync.Pool{New: func() any { return &recordScanner{words: map[string]string{}} }}

// maxWords bounds how many words a scanner keeps.
const maxWords = 10_000

// release gives the scanner back, and all that its records share.
func (s *recordScanner) release() {
	s.from.release()
	s.from, s.text, s.mops, s.elems, s.records, s.err, s.closed = nil, nil, s.mops[:0], s.elems[:0],
		s.records[:0], nil, false
	if len(s.words) > maxWords {
		clear(s.words)
	}
	scanners.Put(s)
}

// scanRecords reads the records of a chunk.
func scanRecords(c *chunk, _ bool) *recordScanner {
	s := scanners.Get().(*recordScanner)
	s.scan(c)
	return s
}

func (s *recordScanner) scan(c *chunk) {
	s.from, s.text, s.pos, s.line = c, c.text, 0, c.line
	for {
		s.space()
		if s.pos == len(s.text) {
			return
		}
		start, line := s.pos, s.line
		s.records = append(s.records, record{})
		r := &s.records[len(s.records)-1]
		if !s.whole && s.record(r) {
			r.place.Line = int32(line)
			continue
		}
		s.pos, s.line = start, line
		d, at, err := s.slow()
		if err == nil {
			if *r = newRecord(&d, at); r.err == nil {
				continue
			}
			return
		}
		s.records = s.records[:len(s.records)-1]
		switch {
		case errors.Is(err, io.EOF):
		case errors.Is(err, errClose):
			s.closed = true
		default:
			s.err = err
		}
		return
	}
}

// slow reads a value that may be anything, and says in which line it begins.
func (s *recordScanner) slow() (datum, int, error) {
	e := &ednReader{text: s.text, pos: s.pos, line: s.line, at: s.line}
	d, err := e.value(0)
	s.pos, s.line = e.pos, e.line
	return d, e.at, err
}

// space skips white space, commas and comments.
func (s *recordScanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\n':
			s.line++
		case ' ', ',', '\t', '\r', '\f':
		case ';':
			i := bytes.IndexByte(s.text[s.pos:], '\n')
			if i < 0 {
				s.pos = len(s.text)
				return
			}
			s.pos += i
			continue
		default:
			return
		}
		s.pos++
	}
}

// next skips space and returns the byte that follows; 0 at the end.
func (s *recordScanner) next() byte {
	s.space()
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// word reads to the next delimiter; nil where a character stands in it.
func (s *recordScanner) word() []byte {
	start := s.pos
	for s.pos < len(s.text) && !ednDelimiter[s.text[s.pos]] {
		if s.text[s.pos] == '\\' {
			return nil
		}
		s.pos++
	}
	return s.text[start:s.pos]
}

// keyword reads a keyword.
func (s *recordScanner) keyword() (string, bool) {
	if s.next() != ':' {
		return "", false
	}
	w := s.word()
	if len(w) < 2 {
		return "", false
	}
	return s.kept(w[1:]), true
}

func (s *recordScanner) kept(w []byte) string {
	switch string(w) {
	case "ok":
		return "ok"
	case "invoke":
		return "invoke"
	case "txn":
		return "txn"
	}
	k, ok := s.words[string(w)]
	if !ok {
		k = string(w)
		s.words[k] = k
	}
	return k
}

// integer reads an integer as it is commonly written.
func (s *recordScanner) integer() (int64, bool) {
	n, used := parseInt(s.text[s.pos:])
	s.pos += used
	return n, used > 0 && (s.pos == len(s.text) || ednDelimiter[s.text[s.pos]])
}

// The fields of a record that mean something.
const (
	fieldType = 1 << iota
	fieldF
	fieldValue
	fieldProcess
	fieldIndex
	fieldTime
	fieldKey
)

func recordField(name []byte) int {
	switch string(name) {
	case "type":
		return fieldType
	case "f":
		return fieldF
	case "value":
		return fieldValue
	case "process":
		return fieldProcess
	case "index":
		return fieldIndex
	case "time":
		return fieldTime
	case "key":
		return fieldKey
	}
	return 0
}

// record reads a record; false where it is not written as they mostly are.
func (s *recordScanner) record(r *record) bool {
	r.place = noPlace
	if s.text[s.pos] == '#' { // #jepsen.history.Op{…}
		w := s.word()
		if len(w) < 2 || w[1] == '_' {
			return false
		}
	}
	if s.pos == len(s.text) || s.text[s.pos] != '{' {
		return false
	}
	s.pos++
	for seen := 0; ; {
		switch s.next() {
		case '}':
			s.pos++
			return seen&fieldType != 0
		case ':':
		default:
			return false
		}
		name := s.word()
		if len(name) < 2 {
			return false
		}
		field := recordField(name[1:])
		if seen&field != 0 || !s.field(field, r) {
			return false
		}
		seen |= field
	}
}

// field reads the value of a field.
func (s *recordScanner) field(field int, r *record) (ok bool) {
	c := s.next()
	switch field {
	case fieldType:
		r.outcome, ok = s.keyword()
	case fieldF:
		r.f, ok = s.keyword()
	case fieldProcess:
		if c == ':' {
			r.client, ok = s.keyword()
			return ok
		}
		r.process, ok = s.integer()
	case fieldIndex, fieldTime:
		var n int64
		n, ok = s.integer()
		if field == fieldIndex {
			r.setIndex(n)
		} else {
			r.place.Time = n
		}
	case fieldValue:
		return s.value(c, r)
	case fieldKey:
		var key datum
		if key, ok = s.scalar(c); key.kind != null {
			r.key = &key
		}
	default:
		return s.ignore(c, 0)
	}
	return ok
}

// ignore passes over a value: a word, a short text, or a vector of such.
func (s *recordScanner) ignore(c byte, depth int) bool {
	switch c {
	case '"':
		_, ok := s.str()
		return ok
	case '[':
		if depth == 4 {
			return false
		}
		s.pos++
		for {
			if c = s.next(); c == ']' {
				s.pos++
				return true
			}
			if !s.ignore(c, depth+1) {
				return false
			}
		}
	case 0, '{', '(', '#', ')', ']', '}', '\\':
		return false
	}
	return len(s.word()) > 0
}

// str reads a string of one line without escapes.
func (s *recordScanner) str() (string, bool) {
	rest := s.text[s.pos+1:]
	i := bytes.IndexByte(rest, '"')
	if i < 0 || bytes.IndexByte(rest[:i], '\\') >= 0 || bytes.IndexByte(rest[:i], '\n') >= 0 {
		return "", false
	}
	s.pos += i + 2
	return s.kept(rest[:i]), true
}

// value reads the value of a record.
func (s *recordScanner) value(c byte, r *record) bool {
	if c == '[' {
		s.pos++
		if s.next() == '[' {
			r.txn = true
			return s.transaction(r)
		}
		return s.vector(r)
	}
	d, ok := s.scalar(c)
	if ok && d.kind != null {
		r.value = &d
	}
	return ok
}

// vector reads scalars, behind the bracket that opens their list.
func (s *recordScanner) vector(r *record) bool {
	d := &datum{kind: list}
	for c := s.next(); c != ']'; c = s.next() {
		e, ok := s.scalar(c)
		if !ok {
			return false
		}
		d.list = append(d.list, e)
	}
	s.pos++
	r.value = d
	return true
}

// scalar reads nil, an integer, a keyword or a string.
func (s *recordScanner) scalar(c byte) (d datum, ok bool) {
	switch {
	case c == ':':
		d.kind = text
		d.s, ok = s.keyword()
	case c == '"':
		d.kind = text
		d.s, ok = s.str()
	case c == 'n':
		return d, string(s.word()) == "nil"
	default:
		d.kind = integer
		d.n, ok = s.integer()
	}
	return d, ok
}

// transaction reads micro-operations, behind the bracket that opens their list.
func (s *recordScanner) transaction(r *record) bool {
	first := len(s.mops)
	for {
		switch s.next() {
		case ']':
			s.pos++
			r.mops = s.mops[first:len(s.mops):len(s.mops)]
			return true
		case '[':
			s.pos++
		default:
			return false
		}
		if s.next() != ':' {
			return false
		}
		name := s.word()
		if len(name) < 2 {
			return false
		}
		f := mopFunc(name[1:])
		if f == 0 {
			return false
		}
		s.mops = append(s.mops, mop{f: f})
		m := &s.mops[len(s.mops)-1]
		k, ok := s.scalar(s.next())
		if !ok || k.kind == null {
			return false
		}
		m.key = k.n
		if k.kind == text {
			m.keyText = k.s
			if k.s == "" {
				return false
			}
		}
		if !s.mopValue(m) {
			return false
		}
	}
}

// mopValue reads the value of a micro-operation, and the bracket that closes it.
func (s *recordScanner) mopValue(m *mop) bool {
	switch c := s.next(); c {
	case ']':
	case '[':
		s.pos++
		first := len(s.elems)
		for c = s.next(); c != ']'; c = s.next() {
			n, ok := s.integer()
			if !ok {
				return false
			}
			s.elems = append(s.elems, n)
		}
		s.pos++
		m.kind, m.elems = list, s.elems[first:len(s.elems):len(s.elems)]
	default:
		d, ok := s.scalar(c)
		if !ok {
			return false
		}
		if m.kind, m.n = d.kind, d.n; d.kind == text {
			m.other = &datum{kind: text, s: d.s}
		}
	}
	if s.next() != ']' {
		return false
	}
	s.pos++
	return true
}
