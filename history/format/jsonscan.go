package format

import (
	"bytes"
	"io"
	"strings"
)

// readJepsenJSON reads elle-cli's JSON: the operations of Jepsen as objects, in an array or one after the other.
func readJepsenJSON(r io.Reader, b *sink) error {
	l, err := readRecords(r, b, "[", scanJSON)
	switch {
	case err != nil || l == nil:
		return err
	case l.array && !l.closed:
		return &Error{Msg: "ends in the middle of its list"}
	}
	return l.jepsen.finish()
}

// scanJSON reads the records of a chunk of JSON, which stand between commas in an array. Records as they are mostly
// written it reads at once into their fields; any other one, and whatever is wrong, is left to encoding/json.
func scanJSON(c *chunk, array bool) *recordScanner {
	s := scanners.Get().(*recordScanner)
	s.scanJSON(c, array)
	return s
}

func (s *recordScanner) scanJSON(c *chunk, array bool) {
	s.from, s.text, s.pos, s.line = c, c.text, 0, c.line
	for comma := c.first || !array; ; comma = !array {
		b := s.blank()
		if b == ',' && array && !comma {
			s.pos++
			comma, b = true, s.blank()
		}
		switch {
		case b == 0:
			return
		case b == ']' && array && (!comma || c.first && len(s.records) == 0):
			s.closed = true
			return
		case b == ']':
			s.err = at(s.line, "a bracket that closes no list, or a comma in front of it")
			return
		case !comma:
			s.err = at(s.line, "no comma between two operations")
			return
		}
		start, line := s.pos, s.line
		s.records = append(s.records, record{})
		r := &s.records[len(s.records)-1]
		mops, elems := len(s.mops), len(s.elems)
		if !s.whole && s.jsonRecord(r) {
			r.place.Line = int32(line)
			continue
		}
		s.pos, s.line, s.mops, s.elems = start, line, s.mops[:mops], s.elems[:elems]
		if !s.slowJSON(r) {
			return
		}
	}
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

// blank passes over white space and returns the byte that follows; 0 at the end.
func (s *recordScanner) blank() byte {
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

// jsonText reads a string without escapes.
func (s *recordScanner) jsonText() ([]byte, bool) {
	if s.blank() != '"' {
		return nil, false
	}
	for i := s.pos + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			out := s.text[s.pos+1 : i]
			s.pos = i + 1
			return out, true
		case c == '\\' || c < ' ' || c >= 0x80: // what is no UTF-8 is encoding/json's to say
			return nil, false
		}
	}
	return nil, false
}

// jsonInteger reads an integer as JSON has it.
func (s *recordScanner) jsonInteger() (int64, bool) {
	s.blank()
	c := ownCursor{row: s.text, pos: s.pos}
	n, ok := c.integer()
	s.pos = c.pos
	if !ok || s.pos == len(s.text) {
		return 0, false
	}
	switch s.text[s.pos] {
	case ',', ']', '}', ' ', '\n', '\t', '\r':
		return n, true
	}
	return 0, false
}

// jsonScalar reads null, an integer or a string.
func (s *recordScanner) jsonScalar() (d datum, ok bool) {
	switch s.blank() {
	case '"':
		w, ok := s.jsonText()
		return datum{kind: text, s: s.kept(w)}, ok
	case 'n':
		if ok = bytes.HasPrefix(s.text[s.pos:], []byte("null")); ok {
			s.pos += len("null")
		}
		return d, ok
	}
	d.kind = integer
	d.n, ok = s.jsonInteger()
	return d, ok
}

// more goes on in a list: it passes over the comma before an element but the first one. done says that the list has
// ended.
func (s *recordScanner) more(n int, end byte) (done, ok bool) {
	c := s.blank()
	if c == end {
		s.pos++
		return true, true
	}
	if n == 0 {
		return false, true
	}
	s.pos++
	return false, c == ','
}

// jsonRecord reads a record; false where it is not written as they mostly are.
func (s *recordScanner) jsonRecord(r *record) bool {
	r.place = noPlace
	if s.text[s.pos] != '{' {
		return false
	}
	s.pos++
	seen := 0
	for n := 0; ; n++ {
		done, ok := s.more(n, '}')
		if done {
			return seen&fieldType != 0
		}
		if !ok {
			return false
		}
		name, ok := s.jsonText()
		if !ok || s.blank() != ':' {
			return false
		}
		s.pos++
		field := recordField(name)
		if seen&field != 0 || !s.jsonField(field, r) {
			return false
		}
		seen |= field
	}
}

// jsonField reads the value of a field.
func (s *recordScanner) jsonField(field int, r *record) bool {
	if field == fieldValue && s.blank() == '[' {
		s.pos++
		if s.blank() == '[' {
			r.txn = true
			return s.jsonTransaction(r)
		}
		return s.jsonVector(r)
	}
	d, ok := s.jsonScalar()
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

// jsonVector reads scalars, behind the bracket that opens their list.
func (s *recordScanner) jsonVector(r *record) bool {
	d := &datum{kind: list}
	for n := 0; ; n++ {
		done, ok := s.more(n, ']')
		if done || !ok {
			r.value = d
			return ok
		}
		e, ok := s.jsonScalar()
		if !ok {
			return false
		}
		d.list = append(d.list, e)
	}
}

// jsonTransaction reads micro-operations, behind the bracket that opens their list.
func (s *recordScanner) jsonTransaction(r *record) bool {
	first := len(s.mops)
	for n := 0; ; n++ {
		done, ok := s.more(n, ']')
		if done {
			r.mops = s.mops[first:len(s.mops):len(s.mops)]
			return true
		}
		if !ok || s.blank() != '[' {
			return false
		}
		s.pos++
		if !s.jsonMop() {
			return false
		}
	}
}

// jsonMop reads a micro-operation, behind the bracket that opens it.
func (s *recordScanner) jsonMop() bool {
	name, ok := s.jsonText()
	m := mop{}
	if m.f = mopFunc(name); !ok || m.f == 0 || s.blank() != ',' {
		return false
	}
	s.pos++
	k, ok := s.jsonScalar()
	if !ok || k.kind == null || k.kind == text && k.s == "" {
		return false
	}
	m.key, m.keyText = k.n, k.s
	done, ok := s.more(1, ']')
	switch {
	case !ok:
		return false
	case done:
		s.mops = append(s.mops, m)
		return true
	case s.blank() == '[':
		s.pos++
		first := len(s.elems)
		for n := 0; ; n++ {
			done, ok := s.more(n, ']')
			if done {
				break
			}
			e, whole := s.jsonInteger()
			if !ok || !whole {
				return false
			}
			s.elems = append(s.elems, e)
		}
		m.kind, m.elems = list, s.elems[first:len(s.elems):len(s.elems)]
	default:
		d, ok := s.jsonScalar()
		if !ok {
			return false
		}
		if m.kind, m.n = d.kind, d.n; d.kind == text {
			m.other = &datum{kind: text, s: d.s}
		}
	}
	done, _ = s.more(1, ']')
	s.mops = append(s.mops, m)
	return done
}
