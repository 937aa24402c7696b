package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/history/register"
)

// kind is what a datum of EDN or JSON is.
type kind uint8

const (
	null kind = iota
	boolean
	integer
	text // a string, keyword, symbol, or a number that is no 64-bit integer, as decimal prints it
	list // a vector, list or set
	dict
)

// datum is one value of EDN or JSON.
type datum struct {
	kind kind
	n    int64 // of an integer or boolean
	s    string
	list []datum // of a dict: keys and values by turns
}

// get returns the value of a key of a dict; null where there is none.
func (d *datum) get(key string) datum {
	if d.kind != dict {
		return datum{}
	}
	for i := 0; i+1 < len(d.list); i += 2 {
		if k := &d.list[i]; k.kind == text && k.s == key {
			return d.list[i+1]
		}
	}
	return datum{}
}

// String prints the datum for a message or as the name of a key.
func (d datum) String() string {
	switch d.kind {
	case null:
		return "nil"
	case boolean:
		return strconv.FormatBool(d.n != 0)
	case integer:
		return strconv.FormatInt(d.n, 10)
	case text:
		return d.s
	}
	parts := make([]string, len(d.list))
	for i, e := range d.list {
		parts[i] = e.String()
	}
	if d.kind == dict {
		return "{" + strings.Join(parts, " ") + "}"
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// decimalRE is a number of JSON or EDN: sign, digits, digits behind the point, exponent.
var decimalRE = regexp.MustCompile(`^([-+]?)(\d+)(?:\.(\d*))?(?:[eE]([-+]?\d{1,9}))?$`)

// decimal reads a number. Numbers of one value are one datum, however they are written: 1, 1.0 and 10e-1 are the same
// integer, 1.5 and 1.50 the same text.
func decimal(s string) (d datum, ok bool) {
	m := decimalRE.FindStringSubmatch(s)
	if m == nil {
		return datum{}, false
	}
	exponent := 0
	if m[4] != "" {
		exponent, _ = strconv.Atoi(m[4]) // nine digits at most
	}
	exponent -= len(m[3])
	digits := strings.TrimLeft(m[2]+m[3], "0")
	if digits == "" {
		return datum{kind: integer}, true
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	sign := strings.TrimPrefix(m[1], "+")
	const int64Digits, pointDigits = 19, 30
	switch {
	case exponent >= 0 && len(short)+exponent <= int64Digits:
		whole := sign + short + strings.Repeat("0", exponent)
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			return datum{kind: integer, n: n}, true
		}
		return datum{kind: text, s: whole}, true
	case exponent < 0 && exponent >= -pointDigits:
		padded := strings.Repeat("0", max(0, 1-exponent-len(short))) + short
		at := len(padded) + exponent
		return datum{kind: text, s: sign + padded[:at] + "." + padded[at:]}, true
	}
	return datum{kind: text, s: fmt.Sprintf("%s%se%d", sign, short, exponent)}, true
}

// errNothing is the error of a write without a value: a read of nothing tells that a key was never written.
var errNothing = errors.New(
	"an operation writes nothing (null): a history does not tell that from a key that was never written")

// number is the value of a register: integers stand for themselves, also where they are written as texts.
func number(b *register.Builder, d *datum) int64 {
	if d.kind == integer {
		return b.Integer(d.n)
	}
	return b.Number(d.String())
}

// maxDepth bounds nesting: a history needs four levels.
const maxDepth = 64

// jsonReader reads one JSON value after the other.
type jsonReader struct {
	d      *json.Decoder
	lines  *lineCounter
	start  int64 // where the value that next returned begins
	closed bool  // the array around the values has ended
}

func newJSONReader(r io.Reader) *jsonReader {
	lines := &lineCounter{r: r}
	d := json.NewDecoder(lines)
	d.UseNumber()
	return &jsonReader{d: d, lines: lines}
}

// lineCounter remembers where the lines of what is read through it end.
type lineCounter struct {
	r    io.Reader
	read int64
	ends []int64
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// line returns the line, from 1, of a byte that was read.
func (l *lineCounter) line(offset int64) int {
	i, _ := slices.BinarySearch(l.ends, offset)
	return i + 1
}

// token returns the next token; an error names the byte.
func (j *jsonReader) token() (json.Token, error) {
	t, err := j.d.Token()
	if err != nil && err != io.EOF {
		return nil, &Error{Msg: fmt.Sprintf("%v (byte %d)", err, j.d.InputOffset())}
	}
	return t, err
}

// next returns the next value; io.EOF at the end of the input, and where an array ends that was opened before.
func (j *jsonReader) next() (datum, error) {
	t, err := j.token()
	if err != nil {
		return datum{}, err
	}
	j.start = j.d.InputOffset() - 1
	if t == json.Delim(']') {
		j.closed = true
		return datum{}, io.EOF
	}
	return j.value(t, 0)
}

func (j *jsonReader) value(t json.Token, depth int) (datum, error) {
	if depth > maxDepth {
		return datum{}, &Error{Msg: fmt.Sprintf("is nested too deeply (byte %d)", j.d.InputOffset())}
	}
	switch v := t.(type) {
	case nil:
		return datum{}, nil
	case bool:
		if v {
			return datum{kind: boolean, n: 1}, nil
		}
		return datum{kind: boolean}, nil
	case string:
		return datum{kind: text, s: v}, nil
	case json.Number:
		d, _ := decimal(v.String()) // what JSON takes for a number is one
		return d, nil
	case json.Delim:
		d := datum{kind: list}
		if v == '{' {
			d.kind = dict
		}
		for j.d.More() {
			t, err := j.token()
			if err != nil {
				return d, unexpectedEnd(err)
			}
			e, err := j.value(t, depth+1)
			if err != nil {
				return d, err
			}
			d.list = append(d.list, e)
		}
		_, err := j.token()
		return d, unexpectedEnd(err)
	}
	return datum{}, &Error{Msg: fmt.Sprintf("unexpected %v", t)}
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return &Error{Msg: "ends in the middle of a value"}
	}
	return err
}

// eachJSON calls do with every element of an array, or with every value where the input is a sequence of them.
// line is where it begins.
func eachJSON(r io.Reader, do func(n, line int, d *datum) error) error {
	j := newJSONReader(r)
	t, err := j.token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	array := t == json.Delim('[')
	first := !array
	for n := 1; ; n++ {
		var d datum
		if first {
			j.start = j.d.InputOffset() - 1
			d, err = j.value(t, 0)
			first = false
		} else {
			d, err = j.next()
		}
		if errors.Is(err, io.EOF) {
			if array && !j.closed {
				return &Error{Msg: "ends in the middle of its list"}
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(n, j.lines.line(j.start), &d); err != nil {
			return err
		}
	}
}
