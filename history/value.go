// Package history holds what a run leaves behind: values, result sets and the trace of every statement as it
// was sent and answered, with a reader and a writer of its JSON-lines form. It treats SQL text as opaque.
package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ValueKind is the type that a value had on the wire.
type ValueKind uint8

// The kinds of a value. Decimals, dates and strings arrive as text from some servers and stay text, so that
// nothing is rounded.
const (
	Null ValueKind = iota
	Int
	Float
	Text
	Blob // bytes, of a database to which they are something else than a text of the same bytes
)

// Value is one value of a result row; values are comparable with ==, types included. A Float keeps its
// IEEE 754 bits in N, so that a NaN equals itself.
type Value struct {
	Kind ValueKind
	N    int64
	S    string
}

// IntValue returns an integer value.
func IntValue(n int64) Value { return Value{Kind: Int, N: n} }

// FloatValue returns a floating-point value.
func FloatValue(f float64) Value { return Value{Kind: Float, N: int64(math.Float64bits(f))} }

// TextValue returns a text value.
func TextValue(s string) Value { return Value{Kind: Text, S: s} }

// BlobValue returns a value of bytes.
func BlobValue(s string) Value { return Value{Kind: Blob, S: s} }

// Int64 returns the value as an integer; ok is false if it is none.
func (v Value) Int64() (n int64, ok bool) {
	switch v.Kind {
	case Int:
		return v.N, true
	case Text:
		n, err := strconv.ParseInt(v.S, 10, 64)
		return n, err == nil
	default:
		return 0, false
	}
}

// Raw prints the value as clients do, without quotes: what a result file or a test compares.
func (v Value) Raw() string {
	switch v.Kind {
	case Null:
		return "NULL"
	case Int:
		return strconv.FormatInt(v.N, 10)
	case Float:
		return strconv.FormatFloat(math.Float64frombits(uint64(v.N)), 'g', -1, 64)
	}
	return v.S
}

// String prints the value in a form that is unique among values of all kinds.
func (v Value) String() string {
	switch v.Kind {
	case Null:
		return "NULL"
	case Int:
		return strconv.FormatInt(v.N, 10)
	case Float:
		return formatFloat(math.Float64frombits(uint64(v.N)))
	case Blob:
		return fmt.Sprintf("x'%x'", v.S)
	default:
		return "'" + strings.ReplaceAll(v.S, "'", "''") + "'"
	}
}

// RowString prints a row as findings show it: (1, 'a', NULL).
func RowString(row []Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = v.String()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// formatFloat prints f so that it cannot be taken for an integer and reads back to the same bits.
func formatFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".eEnN") {
		s += ".0"
	}
	return s
}

// MarshalJSON writes NULL as null, integers and floats as numbers (a float always has a point or an exponent),
// text as a string, what JSON has no number for (NaN, infinities) as {"float":"NaN"}, and bytes as {"blob":…} in
// base64.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Kind {
	case Null:
		return []byte("null"), nil
	case Int:
		return strconv.AppendInt(nil, v.N, 10), nil
	case Float:
		f := math.Float64frombits(uint64(v.N))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Appendf(nil, `{"float":%q}`, strconv.FormatFloat(f, 'g', -1, 64)), nil
		}
		return []byte(formatFloat(f)), nil
	case Blob:
		return json.Marshal(map[string][]byte{"blob": []byte(v.S)})
	default:
		if utf8.ValidString(v.S) {
			return json.Marshal(v.S)
		}
		return json.Marshal(map[string][]byte{"bytes": []byte(v.S)}) // base64: not valid UTF-8
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return fmt.Errorf("empty value")
	case string(data) == "null":
		*v = Value{}
	case data[0] == '"':
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*v = TextValue(s)
	case data[0] == '{':
		var o struct {
			Float string `json:"float"`
			Bytes []byte `json:"bytes"`
			Blob  []byte `json:"blob"`
		}
		if err := json.Unmarshal(data, &o); err != nil {
			return err
		}
		switch {
		case o.Blob != nil:
			*v = BlobValue(string(o.Blob))
			return nil
		case o.Float == "":
			*v = TextValue(string(o.Bytes))
			return nil
		}
		f, err := strconv.ParseFloat(o.Float, 64)
		if err != nil {
			return err
		}
		*v = FloatValue(f)
	case bytes.ContainsAny(data, ".eE"):
		f, err := strconv.ParseFloat(string(data), 64)
		if err != nil {
			return err
		}
		*v = FloatValue(f)
	default:
		n, err := strconv.ParseInt(string(data), 10, 64)
		if err != nil {
			return err
		}
		*v = IntValue(n)
	}
	return nil
}

// Rows is a result set: its column names, their types as the server names them, and the cells row by row.
type Rows struct {
	Columns []string
	Types   []string
	Cells   []Value // len = number of rows × len(Columns)
}

// Len returns the number of rows.
func (r *Rows) Len() int {
	if r == nil || len(r.Columns) == 0 {
		return 0
	}
	return len(r.Cells) / len(r.Columns)
}

// Row returns row i, a view into the cells.
func (r *Rows) Row(i int) []Value {
	w := len(r.Columns)
	return r.Cells[i*w : (i+1)*w : (i+1)*w]
}

// Cell returns the value of row i in column j, NULL where there is none: what a server answers need not be what was
// asked for.
func (r *Rows) Cell(i, j int) Value {
	if i >= r.Len() || j >= len(r.Columns) {
		return Value{}
	}
	return r.Row(i)[j]
}

type rowsJSON struct {
	Columns []string  `json:"columns"`
	Types   []string  `json:"types,omitempty"`
	Rows    [][]Value `json:"rows"`
}

// MarshalJSON writes the rows as arrays under "rows".
func (r *Rows) MarshalJSON() ([]byte, error) {
	out := rowsJSON{Columns: r.Columns, Types: r.Types, Rows: make([][]Value, r.Len())}
	for i := range out.Rows {
		out.Rows[i] = r.Row(i)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Rows) UnmarshalJSON(data []byte) error {
	var in rowsJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*r = Rows{Columns: in.Columns, Types: in.Types}
	for i, row := range in.Rows {
		if len(row) != len(in.Columns) {
			return fmt.Errorf("row %d has %d values for %d columns", i, len(row), len(in.Columns))
		}
		r.Cells = append(r.Cells, row...)
	}
	return nil
}
