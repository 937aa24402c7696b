package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"txweave/internal/input"
)

// OperationReader reads an interval trace as OperationWriter writes it.
type OperationReader struct {
	Header TraceHeader

	r     *bufio.Reader
	line  int
	long  []byte // a line that the buffer does not hold
	parse opParser
	ended bool
	torn  bool
	skew  ClockBounds
	met   map[int64]bool // sessions, where some have bounds of their own
}

// Widen makes the intervals of what Next returns longer by so many ns at both ends: what is certain of real time where
// each session's clock may be off by that.
func (o *OperationReader) Widen(b ClockBounds) {
	o.skew = b
	if b.Of != nil {
		o.met = map[int64]bool{}
	}
}

// Met says which session has a bound of its own and no operation among those read.
func (o *OperationReader) Met() error { return o.skew.Met(o.met) }

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
		if what := binary(line); what != "" {
			return nil, fmt.Errorf("trace: line 1: %s, no text", what)
		}
		if torn && len(line) > 0 && line[0] == '{' && !json.Valid(line) {
			err = errors.New("it is cut off")
		}
		return nil, fmt.Errorf(`trace: line 1: not the header of an interval trace ({"trace":"operations",…}): %w`,
			orElse(err, "another format"))
	}
	if o.Header.Version != 1 {
		return nil, fmt.Errorf("trace: line 1: format version %d, this txweave reads 1", o.Header.Version)
	}
	return o, nil
}

// binary names what is no text: a file that begins as a compressed one does, or that holds what text does not.
func binary(line []byte) string {
	switch {
	case bytes.HasPrefix(line, []byte{0x1f, 0x8b}):
		return "compressed by gzip"
	case bytes.HasPrefix(line, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "compressed by zstd"
	case bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line):
		return "binary"
	}
	return ""
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
			if o.long = append(o.long, line...); len(o.long) > input.MaxLine {
				return nil, false, fmt.Errorf("trace: line %d: longer than %d MiB", o.line, input.MaxLine>>20)
			}
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

// Torn says that the last line was cut off and dropped, once Next has returned io.EOF.
func (o *OperationReader) Torn() bool { return o.torn }

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
		if len(line) == 0 || bytes.HasPrefix(line, []byte(notePrefix)) && json.Valid(line) {
			continue
		}
		if err := o.decode(line, op); err != nil {
			if torn && !json.Valid(line) {
				o.torn = true
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
		if what := binary(line); what != "" {
			return errors.New(what + ", no text")
		}
		if !json.Valid(line) {
			return errors.New("not a JSON object")
		}
		return err
	}
	if missing := o.parse.missing(op.Kind); missing != "" {
		return fmt.Errorf("a %s without %q", op.Kind, missing)
	}
	if err := op.check(o.Header.Sessions); err != nil {
		return err
	}
	if i := twice(op.Writes); i >= 0 {
		return fmt.Errorf("%s twice in one write set", o.parse.sym.ItemName(op.Writes[i].ItemID))
	}
	if op.Kind != OpLoad {
		off := o.skew.Session(int64(op.Session))
		op.Start, op.End = op.Start-off, op.End+off
		if o.met != nil {
			o.met[int64(op.Session)] = true
		}
	}
	return nil
}

// twice returns the position of an item that is there twice, -1 if there is none.
func twice(as []Access) int {
	const few = 16
	if len(as) > few {
		seen := make(map[ItemID]bool, len(as))
		for i := range as {
			if seen[as[i].ItemID] {
				return i
			}
			seen[as[i].ItemID] = true
		}
		return -1
	}
	for i := range as {
		for j := range i {
			if as[i].ItemID == as[j].ItemID {
				return i
			}
		}
	}
	return -1
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

// Clone returns a copy that shares nothing with op.
func (op *Operation) Clone() *Operation {
	c := *op
	c.Reads, c.Writes, c.Ranges = slices.Clone(op.Reads), slices.Clone(op.Writes), slices.Clone(op.Ranges)
	return &c
}
