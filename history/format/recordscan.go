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
	l, err := readRecords(r, b, "[(", false)
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

// readRecords reads records, of JSON or of EDN, that stand in one of the brackets that open a list, or one after the
// other; nil where there are none.
func readRecords(r io.Reader, b *sink, open string, json bool) (l *recordList, err error) {
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
	err = inOrder(ednChunks(in, line, chunkSize),
		func(c *chunk) *recordScanner {
			s := scanners.Get().(*recordScanner)
			s.json, s.array = json, l.array
			s.scan(c)
			return s
		},
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

// recordScanner reads the records of a chunk, of EDN or of JSON. Records as they are mostly written it reads at once
// into their fields; any other one, and whatever is wrong, is left to ednReader or to encoding/json, so that there is
// one place that knows the whole notation.
type recordScanner struct {
	from  *chunk
	text  []byte // of the chunk
	pos   int
	line  int               // of pos
	json  bool              // else EDN
	array bool              // the records stand in a list
	words map[string]string // each word is kept once
	mops  []mop
	elems []int64
	whole bool // no record is read at once

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

// scan reads the records of a chunk.
func (s *recordScanner) scan(c *chunk) {
	s.from, s.text, s.pos, s.line = c, c.text, 0, c.line
	for s.another() {
		start, line, mops, elems := s.pos, s.line, len(s.mops), len(s.elems)
		s.records = append(s.records, record{})
		r := &s.records[len(s.records)-1]
		if !s.whole && s.record(r) {
			r.place.Line = int32(line)
			continue
		}
		s.pos, s.line, s.mops, s.elems = start, line, s.mops[:mops], s.elems[:elems]
		read := s.slowEDN
		if s.json {
			read = s.slowJSON
		}
		if !read(r) {
			return
		}
	}
}

// another says whether a record follows: in an array of JSON, behind a comma.
func (s *recordScanner) another() bool {
	c, first := s.next(), s.from.first && len(s.records) == 0
	if !s.json {
		return s.pos < len(s.text)
	}
	comma := !s.array || first
	if c == ',' && !comma {
		s.pos++
		comma, c = true, s.next()
	}
	switch {
	case c == 0:
	case c == ']' && s.array && (!comma || first):
		s.closed = true
	case c == ']':
		s.err = at(s.line, "a bracket that closes no list, or a comma in front of it")
	case !comma:
		s.err = at(s.line, "no comma between two operations")
	default:
		return true
	}
	return false
}

// slowEDN reads a record that may be written in any way; false where the records end with it, or before.
func (s *recordScanner) slowEDN(r *record) bool {
	e := &ednReader{text: s.text, pos: s.pos, line: s.line, at: s.line}
	d, err := e.value(0)
	s.pos, s.line = e.pos, e.line
	if err == nil {
		*r = newRecord(&d, e.at)
		return r.err == nil
	}
	s.records = s.records[:len(s.records)-1]
	if s.closed = errors.Is(err, errClose); !s.closed && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return false
}

// next skips white space, and in EDN commas and comments, and returns the byte that follows; 0 at the end.
func (s *recordScanner) next() byte {
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\n':
			s.line++
		case c == ' ' || c == '\t' || c == '\r':
		case s.json || c != ',' && c != '\f' && c != ';':
			return c
		case c == ';':
			i := bytes.IndexByte(s.text[s.pos:], '\n')
			if i < 0 {
				s.pos = len(s.text)
				return 0
			}
			s.pos += i - 1
		}
	}
	return 0
}

// more goes on in a list: in JSON it passes over the comma before an element but the first one. done says that the
// list has ended.
func (s *recordScanner) more(n int, end byte) (done, ok bool) {
	switch c := s.next(); {
	case c == end:
		s.pos++
		return true, true
	case n == 0 || !s.json:
		return false, true
	default:
		s.pos++
		return false, c == ','
	}
}

// opens passes over a bracket, if it follows.
func (s *recordScanner) opens(bracket byte) bool {
	if s.next() != bracket {
		return false
	}
	s.pos++
	return true
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

// quoted reads a text of one line without escapes.
func (s *recordScanner) quoted() ([]byte, bool) {
	rest := s.text[s.pos+1:]
	for i, c := range rest {
		switch {
		case c == '"':
			s.pos += i + 2
			return rest[:i], true
		case c == '\\' || c == '\n' || s.json && (c < ' ' || c >= 0x80): // what is no UTF-8 is encoding/json's to say
			return nil, false
		}
	}
	return nil, false
}

// name reads a keyword, or a text of JSON.
func (s *recordScanner) name() ([]byte, bool) {
	c := s.next()
	if s.json {
		if c != '"' {
			return nil, false
		}
		return s.quoted()
	}
	w := s.word()
	if c != ':' || len(w) < 2 {
		return nil, false
	}
	return w[1:], true
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
func (s *recordScanner) integer() (n int64, ok bool) {
	s.next()
	c := ownCursor{row: s.text, pos: s.pos}
	if s.json {
		n, ok = c.integer()
	} else {
		var used int
		n, used = parseInt(s.text[s.pos:])
		c.pos, ok = c.pos+used, used > 0
	}
	s.pos = c.pos
	return n, ok && (s.pos == len(s.text) || ednDelimiter[s.text[s.pos]])
}

// scalar reads nil or null, an integer, a keyword or a text.
func (s *recordScanner) scalar() (d datum, ok bool) {
	var w []byte
	switch c := s.next(); {
	case c == '"':
		w, ok = s.quoted()
	case c == ':':
		w, ok = s.name()
	case c == 'n':
		null := "nil"
		if s.json {
			null = "null"
		}
		return d, string(s.word()) == null
	default:
		d.kind = integer
		d.n, ok = s.integer()
		return d, ok
	}
	return datum{kind: text, s: s.kept(w)}, ok
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
	if !s.json && s.text[s.pos] == '#' { // #jepsen.history.Op{…}
		if w := s.word(); len(w) < 2 || w[1] == '_' {
			return false
		}
	}
	if s.pos == len(s.text) || s.text[s.pos] != '{' {
		return false
	}
	s.pos++
	seen := 0
	for n := 0; ; n++ {
		done, ok := s.more(n, '}')
		if done {
			return seen&fieldType != 0
		}
		name, named := s.name()
		if !ok || !named || s.json && !s.opens(':') {
			return false
		}
		field := recordField(name)
		if seen&field != 0 || !s.field(field, r) {
			return false
		}
		seen |= field
	}
}

// field reads the value of a field.
func (s *recordScanner) field(field int, r *record) bool {
	switch c := s.next(); {
	case field == fieldValue && c == '[':
		s.pos++
		if s.next() == '[' {
			r.txn = true
			return s.transaction(r)
		}
		return s.vector(r)
	case field == 0 && !s.json:
		return s.ignore(c, 0)
	}
	d, ok := s.scalar()
	if !ok {
		return false
	}
	switch field {
	case fieldType:
		r.outcome, ok = d.s, d.kind == text
	case fieldF:
		r.f, ok = d.s, d.kind == text
	case fieldProcess:
		if r.process = d.n; d.kind == text {
			r.client, ok = d.s, d.s != ""
		}
	case fieldIndex:
		if ok = d.kind == integer; ok {
			r.setIndex(d.n)
		}
	case fieldTime:
		if ok = d.kind == integer; ok {
			r.place.Time = d.n
		}
	case fieldValue, fieldKey:
		kept := d // so that d itself stays on the stack
		switch {
		case d.kind == null:
		case field == fieldKey:
			r.key = &kept
		default:
			r.value = &kept
		}
	}
	return ok
}

// ignore passes over a value: a word, a short text, or a vector of such.
func (s *recordScanner) ignore(c byte, depth int) bool {
	switch c {
	case '"':
		_, ok := s.quoted()
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

// vector reads scalars, behind the bracket that opens their list.
func (s *recordScanner) vector(r *record) bool {
	d := &datum{kind: list}
	for n := 0; ; n++ {
		done, ok := s.more(n, ']')
		if done || !ok {
			r.value = d
			return ok
		}
		e, ok := s.scalar()
		if !ok {
			return false
		}
		d.list = append(d.list, e)
	}
}

// transaction reads micro-operations, behind the bracket that opens their list.
func (s *recordScanner) transaction(r *record) bool {
	first := len(s.mops)
	for n := 0; ; n++ {
		done, ok := s.more(n, ']')
		if done {
			r.mops = s.mops[first:len(s.mops):len(s.mops)]
			return true
		}
		if !ok || !s.opens('[') || !s.mop() {
			return false
		}
	}
}

// mop reads a micro-operation, behind the bracket that opens it.
func (s *recordScanner) mop() bool {
	name, ok := s.name()
	f := mopFunc(name)
	if !ok || f == 0 {
		return false
	}
	if done, ok := s.more(1, ']'); done || !ok {
		return false
	}
	k, ok := s.scalar()
	if !ok || k.kind == null || k.kind == text && k.s == "" {
		return false
	}
	s.mops = append(s.mops, mop{f: f, key: k.n, keyText: k.s})
	done, ok := s.more(1, ']')
	if done || !ok {
		return ok
	}
	if !s.mopValue(&s.mops[len(s.mops)-1]) {
		return false
	}
	done, _ = s.more(1, ']')
	return done
}

// mopValue reads the value of a micro-operation.
func (s *recordScanner) mopValue(m *mop) bool {
	if !s.opens('[') {
		d, ok := s.scalar()
		if m.kind, m.n = d.kind, d.n; d.kind == text {
			m.other = &datum{kind: text, s: d.s}
		}
		return ok
	}
	first := len(s.elems)
	for n := 0; ; n++ {
		done, ok := s.more(n, ']')
		if done {
			break
		}
		e, whole := s.integer()
		if !ok || !whole {
			return false
		}
		s.elems = append(s.elems, e)
	}
	m.kind, m.elems = list, s.elems[first:len(s.elems):len(s.elems)]
	return true
}

// readJepsenJSON reads elle-cli's JSON: the operations of Jepsen as objects, in an array or one after the other.
func readJepsenJSON(r io.Reader, b *sink) error {
	l, err := readRecords(r, b, "[", true)
	switch {
	case err != nil || l == nil:
		return err
	case l.array && !l.closed:
		return &Error{Msg: "ends in the middle of its list"}
	}
	return l.jepsen.finish()
}

// slowJSON reads a record by encoding/json; false where the records end with it.
func (s *recordScanner) slowJSON(r *record) bool {
	j := newJSONReader(bytes.NewReader(s.text[s.pos:]))
	line := s.line
	t, err := j.token()
	var d datum
	if err == nil {
		d, err = j.value(t, 0)
	}
	if err != nil {
		s.records = s.records[:len(s.records)-1]
		s.err = at(line, "%s", strings.Replace(plainError(unexpectedEnd(err)).Error(), "(byte ",
			"(of the operation byte ", 1))
		return false
	}
	used := int(j.d.InputOffset())
	s.line += bytes.Count(s.text[s.pos:s.pos+used], newline)
	s.pos += used
	*r = newRecord(&d, line)
	return r.err == nil
}
