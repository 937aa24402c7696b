package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// OperationReader reads an interval trace as OperationWriter writes it.
type OperationReader struct {
	Header TraceHeader

	r     *bufio.Reader
	line  int
	long  []byte // a line that the buffer does not hold
	parse opParser
	ended bool
}

// NewOperationReader reads the header. Items are numbered by sym.
func NewOperationReader(r io.Reader, sym *Symbols) (*OperationReader, error) {
	o := &OperationReader{r: bufio.NewReaderSize(r, 1<<20), parse: opParser{sym: sym, tables: map[string]int32{}}}
	line, torn, err := o.next()
	switch {
	case err != nil:
		return nil, err
	case len(line) == 0:
		return nil, errors.New("trace: empty: an interval trace begins with a header line")
	}
	if err := json.Unmarshal(line, &o.Header); err != nil || o.Header.Trace != "operations" {
		if torn {
			err = errors.New("it is cut off")
		}
		return nil, fmt.Errorf(`trace: line 1: not the header of an interval trace ({"trace":"operations",…}): %w`, orElse(err, "another format"))
	}
	if o.Header.Version != 1 {
		return nil, fmt.Errorf("trace: line 1: format version %d, this txweave reads 1", o.Header.Version)
	}
	return o, nil
}

func orElse(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}

// next returns the next line without its end, valid until the call after; torn says that it had no end.
func (o *OperationReader) next() (line []byte, torn bool, err error) {
	o.line++
	line, err = o.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		o.long = append(o.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = o.r.ReadSlice('\n')
			o.long = append(o.long, line...)
		}
		line = o.long
	}
	if errors.Is(err, io.EOF) {
		return bytes.TrimSpace(line), true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("trace: line %d: %w", o.line, err)
	}
	return bytes.TrimSpace(line), false, nil
}

// Line is the number of the line that Next returned last.
func (o *OperationReader) Line() int { return o.line }

// Next reads one operation into op and reuses its slices. It returns io.EOF at the end. A last line that is cut
// off, as a kill leaves it, is dropped; any other damage is an error with its line number.
func (o *OperationReader) Next(op *Operation) error {
	for !o.ended {
		line, torn, err := o.next()
		if err != nil {
			return err
		}
		o.ended = torn
		if len(line) == 0 {
			continue
		}
		if err := o.decode(line, op); err != nil {
			if torn {
				break
			}
			return fmt.Errorf("trace: line %d: %w", o.line, err)
		}
		return nil
	}
	return io.EOF
}

// decode parses one line and checks it.
func (o *OperationReader) decode(line []byte, op *Operation) error {
	*op = Operation{Reads: op.Reads[:0], Writes: op.Writes[:0], Ranges: op.Ranges[:0]}
	if err := o.parse.operation(line, op); err != nil {
		if !json.Valid(line) {
			return errors.New("not a JSON object")
		}
		return err
	}
	return op.check(o.Header.Sessions)
}

// check refuses an operation that cannot be.
func (op *Operation) check(sessions int) error {
	switch {
	case op.Kind == OpLoad:
		return nil
	case op.Session < 0 || sessions > 0 && int(op.Session) >= sessions:
		return fmt.Errorf("session %d, the header says there are %d, numbered from 0", op.Session, sessions)
	case op.End < op.Start:
		return fmt.Errorf("it ends at %d, before it starts at %d", op.End, op.Start)
	case op.Outcome == OpFailed && len(op.Writes) > 0:
		return errors.New("it failed and yet has a write set")
	case op.Kind != OpWrite && len(op.Writes) > 0:
		return fmt.Errorf("a %s with a write set", op.Kind)
	case op.Kind != OpWrite && op.Kind != OpRead && len(op.Reads)+len(op.Ranges) > 0:
		return fmt.Errorf("a %s with a read set", op.Kind)
	}
	return nil
}

// opParser reads the JSON that AppendOperation writes, and any other spelling of the same object. It is written
// by hand because encoding/json needs ten times as long.
type opParser struct {
	b      []byte
	at     int
	sym    *Symbols
	tables map[string]int32
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
	p.b, p.at = line, 0
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
	case "txn":
		op.Txn, err = p.number()
	case "start":
		op.Start, err = p.number()
	case "end":
		op.End, err = p.number()
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
		if !p.take(']') {
			return errors.New(`want ["table",key,version]`)
		}
		as = append(as, a)
		return nil
	})
	return as, err
}

func (p *opParser) ranges(rs []Range) ([]Range, error) {
	err := p.list(func() (err error) {
		var r Range
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
		if !p.take(']') {
			return errors.New(`want ["table",lo,hi]`)
		}
		rs = append(rs, r)
		return nil
	})
	return rs, err
}

// ReadOperations reads a whole interval trace.
func ReadOperations(r io.Reader, sym *Symbols) (TraceHeader, []*Operation, error) {
	o, err := NewOperationReader(r, sym)
	if err != nil {
		return TraceHeader{}, nil, err
	}
	var ops []*Operation
	for {
		op := new(Operation)
		switch err := o.Next(op); {
		case errors.Is(err, io.EOF):
			return o.Header, ops, nil
		case err != nil:
			return o.Header, nil, err
		}
		ops = append(ops, op)
	}
}

// Clone returns a copy that shares nothing with op.
func (op *Operation) Clone() *Operation {
	c := *op
	c.Reads, c.Writes, c.Ranges = slices.Clone(op.Reads), slices.Clone(op.Writes), slices.Clone(op.Ranges)
	return &c
}
