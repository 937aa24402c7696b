package format

import (
	"bytes"
	"io"
	"strings"
)

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
