package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// opParser reads the JSON that AppendOperation writes, and any other spelling of the same object. It is written
// by hand because encoding/json needs ten times as long.
type opParser struct {
	b      []byte
	at     int
	sym    *Symbols
	tables map[string]int32
	had    uint8 // which of required the object has
}

// required are the fields that every operation of a session has.
var required = [...]string{"session", "txn", "start", "end"}

// missing returns a required field that the last object did not have; "" if there is none.
func (p *opParser) missing(k OpKind) string {
	n := len(required)
	switch k {
	case OpLoad:
		n = 0
	case OpClose:
		n = 1
	}
	for i, name := range required[:n] {
		if p.had&(1<<i) == 0 {
			return name
		}
	}
	return ""
}

var errSyntax = errors.New("not an operation")

func (p *opParser) space() {
	for p.at < len(p.b) && (p.b[p.at] == ' ' || p.b[p.at] == '\t') {
		p.at++
	}
}

// take consumes c, after spaces.
func (p *opParser) take(c byte) bool {
	p.space()
	if p.at < len(p.b) && p.b[p.at] == c {
		p.at++
		return true
	}
	return false
}

// operation reads one object.
func (p *opParser) operation(line []byte, op *Operation) error {
	p.b, p.at, p.had = line, 0, 0
	if !p.take('{') {
		return errSyntax
	}
	kind := -1
	for first := true; !p.take('}'); first = false {
		if !first && !p.take(',') {
			return errSyntax
		}
		name, err := p.text()
		if err != nil || !p.take(':') {
			return errSyntax
		}
		if string(name) == "op" {
			if kind, err = p.oneOf(opKinds[:]); err != nil {
				return fmt.Errorf("op: %w", err)
			}
			op.Kind = OpKind(kind)
			continue
		}
		field := string(name) // the errors need it; the compiler keeps it off the heap where there is none
		if err := p.field(field, op); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	}
	if p.space(); p.at != len(p.b) {
		return errSyntax
	}
	if kind < 0 {
		return errors.New(`no "op"`)
	}
	return nil
}

// field reads the value of one field.
func (p *opParser) field(name string, op *Operation) (err error) {
	var n int
	switch name {
	case "session":
		var s int64
		if s, err = p.number(); err == nil && (s < 0 || s > math.MaxInt32) {
			err = fmt.Errorf("%d is out of range", s)
		}
		op.Session = int32(s)
		p.had |= 1 << 0
	case "txn":
		op.Txn, err = p.number()
		p.had |= 1 << 1
	case "start":
		op.Start, err = p.number()
		p.had |= 1 << 2
	case "end":
		op.End, err = p.number()
		p.had |= 1 << 3
	case "lock":
		n, err = p.oneOf(opLocks[:])
		op.Lock = LockIntent(n)
	case "outcome":
		n, err = p.oneOf(opResults[:])
		op.Outcome = OpOutcome(n)
	case "snapshot":
		op.Snapshot, err = p.boolean()
	case "reads":
		op.Reads, err = p.accesses(op.Reads)
	case "writes":
		op.Writes, err = p.accesses(op.Writes)
	case "ranges":
		op.Ranges, err = p.ranges(op.Ranges)
	default:
		err = errors.New("unknown field")
	}
	return err
}

// text reads a string; the bytes are valid until the next line.
func (p *opParser) text() ([]byte, error) {
	if !p.take('"') {
		return nil, errors.New("want a text")
	}
	for i := p.at; i < len(p.b); i++ {
		switch p.b[i] {
		case '"':
			s := p.b[p.at:i]
			p.at = i + 1
			return s, nil
		case '\\':
			return p.escaped()
		}
	}
	return nil, errors.New("a text without end")
}

// escaped reads a string with escapes, from after its opening quote.
func (p *opParser) escaped() ([]byte, error) {
	for i := p.at; i < len(p.b); i++ {
		if p.b[i] == '\\' {
			i++
		} else if p.b[i] == '"' {
			var s string
			if err := json.Unmarshal(p.b[p.at-1:i+1], &s); err != nil {
				return nil, err
			}
			p.at = i + 1
			return []byte(s), nil
		}
	}
	return nil, errors.New("a text without end")
}

func (p *opParser) number() (int64, error) {
	p.space()
	i, neg := p.at, false
	if i < len(p.b) && p.b[i] == '-' {
		neg = true
		i++
	}
	var n uint64
	first := i
	for ; i < len(p.b) && p.b[i]-'0' <= 9; i++ {
		if n > (math.MaxInt64-9)/10 && n*10+uint64(p.b[i]-'0') > math.MaxInt64 {
			return 0, errors.New("the number is out of range")
		}
		n = n*10 + uint64(p.b[i]-'0')
	}
	if i == first || i < len(p.b) && (p.b[i] == '.' || p.b[i] == 'e' || p.b[i] == 'E') {
		return 0, errors.New("want an integer")
	}
	p.at = i
	if neg {
		return -int64(n), nil
	}
	return int64(n), nil
}

func (p *opParser) boolean() (bool, error) {
	p.space()
	for text, v := range map[string]bool{"true": true, "false": false} {
		if bytes.HasPrefix(p.b[p.at:], []byte(text)) {
			p.at += len(text)
			return v, nil
		}
	}
	return false, errors.New("want true or false")
}

// oneOf reads a text that is one of names.
func (p *opParser) oneOf(names []string) (int, error) {
	s, err := p.text()
	if err != nil {
		return 0, err
	}
	for i, n := range names {
		if string(s) == n {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown value %q", s)
}

// symbol reads a key or version: an integer, a text, or null where absent may be.
func (p *opParser) symbol(absent bool) (int64, error) {
	p.space()
	switch {
	case p.at < len(p.b) && p.b[p.at] == '"':
		s, err := p.text()
		if err != nil {
			return 0, err
		}
		return p.sym.Text(string(s)), nil
	case absent && bytes.HasPrefix(p.b[p.at:], []byte("null")):
		p.at += len("null")
		return Absent, nil
	}
	n, err := p.number()
	if err == nil && (n >= symbolBase || n <= -symbolBase) {
		return 0, errors.New("the number is out of range")
	}
	return n, err
}

// table reads a table's name.
func (p *opParser) table() (int32, error) {
	s, err := p.text()
	if err != nil {
		return 0, err
	}
	n, ok := p.tables[string(s)]
	if !ok {
		n = p.sym.Table(string(s))
		p.tables[string(s)] = n
	}
	return n, nil
}

// list reads an array and calls element for each of its elements.
func (p *opParser) list(element func() error) error {
	if !p.take('[') {
		return errors.New("want an array")
	}
	for first := true; !p.take(']'); first = false {
		if !first && !p.take(',') {
			return errSyntax
		}
		if err := element(); err != nil {
			return err
		}
	}
	return nil
}

func (p *opParser) accesses(as []Access) ([]Access, error) {
	err := p.list(func() (err error) {
		var a Access
		if !p.take('[') {
			return errors.New(`want ["table",key,version]`)
		}
		if a.Table, err = p.table(); err != nil {
			return err
		}
		if !p.take(',') {
			return errors.New(`want ["table",key,version]`)
		}
		if a.Key, err = p.symbol(false); err != nil {
			return err
		}
		if !p.take(',') {
			return errors.New(`want ["table",key,version]`)
		}
		if a.Version, err = p.symbol(true); err != nil {
			return err
		}
		if p.take(',') {
			v, err := p.number()
			if err != nil {
				return err
			}
			a.Payload = PayloadOf(v)
		}
		if !p.take(']') {
			return errors.New(`want ["table",key,version] or ["table",key,version,payload]`)
		}
		as = append(as, a)
		return nil
	})
	return as, err
}

func (p *opParser) ranges(rs []KeyRange) ([]KeyRange, error) {
	err := p.list(func() (err error) {
		var r KeyRange
		if !p.take('[') {
			return errors.New(`want ["table",lo,hi]`)
		}
		if r.Table, err = p.table(); err != nil {
			return err
		}
		if !p.take(',') {
			return errors.New(`want ["table",lo,hi]`)
		}
		if r.Lo, err = p.number(); err != nil {
			return err
		}
		if !p.take(',') {
			return errors.New(`want ["table",lo,hi]`)
		}
		if r.Hi, err = p.number(); err != nil {
			return err
		}
		if p.take(',') {
			if r.If, err = p.condition(); err != nil {
				return err
			}
		}
		if !p.take(']') {
			return errors.New(`want ["table",lo,hi] or ["table",lo,hi,[[from,to],…],divisor]`)
		}
		rs = append(rs, r)
		return nil
	})
	return rs, err
}

// condition reads the condition of a range.
func (p *opParser) condition() (*PayloadFilter, error) {
	c := &PayloadFilter{}
	err := p.list(func() (err error) {
		var s [2]int64
		if !p.take('[') {
			return errors.New("want a span [from,to]")
		}
		if s[0], err = p.number(); err == nil && !p.take(',') {
			err = errors.New("want a span [from,to]")
		}
		if err != nil {
			return err
		}
		if s[1], err = p.number(); err == nil && !p.take(']') {
			err = errors.New("want a span [from,to]")
		}
		c.In = append(c.In, s)
		return err
	})
	if err == nil && p.take(',') {
		if c.Divisor, err = p.number(); err == nil && c.Divisor < 1 {
			err = fmt.Errorf("divisor %d, want at least 1", c.Divisor)
		}
	}
	return c, err
}
