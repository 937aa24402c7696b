package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/history/register"
)

// ownFormat is what the header of our own files says.
const ownFormat = "txweave-history"

// ownHeader is the first line.
type ownHeader struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	RealTime bool   `json:"real_time"`
	// Initial is what keys hold before they are written, an integer or a string; absent: nothing.
	Initial json.RawMessage `json:"initial,omitempty"`
}

// ownTxn is one of the other lines. Session null is the initial transaction.
type ownTxn struct {
	Txn     int64             `json:"txn"`
	Session *int64            `json:"session"`
	Status  string            `json:"status"`
	Start   *int64            `json:"start"`
	End     *int64            `json:"end"`
	Ops     []json.RawMessage `json:"ops"`
}

func looksOwn(head []byte) bool {
	return bytes.Contains(firstLine(head), []byte(`"`+ownFormat+`"`))
}

var statuses = map[string]history.Outcome{
	history.Committed.String(): history.Committed,
	history.Aborted.String():   history.Aborted,
	history.Unknown.String():   history.Unknown,
}

// readOwn reads what Write writes: a header, then a transaction a line.
func readOwn(r io.Reader, to *sink) error {
	o := &ownReader{sink: to, sessions: map[int64]*lastTxn{}}
	return inOrder(lineChunks(r, chunkSize), scanOwn, o.chunk)
}

// ownReader gives transactions to the builder as they come.
type ownReader struct {
	*sink
	head     ownHeader
	seen     idSet
	sessions map[int64]*lastTxn
	txns     int
	runs     []run // in which lines they stand
}

// run is of transactions one a line.
type run struct{ txn, line int } // the first one

// lastTxn is the last transaction of a session.
type lastTxn struct{ id, start int64 }

// chunk takes the lines of one part.
func (o *ownReader) chunk(c *ownChunk) error {
	for i := range c.lines {
		l := &c.lines[i]
		if l.err != nil {
			return l.err
		}
		var err error
		switch {
		case o.head.Format == "":
			err = o.header(l.line, l.row)
		case l.slow:
			err = o.slow(l.line, l.row)
		default:
			if err = o.begin(l); err == nil {
				for k := range l.ops {
					l.ops[k].give(o.Builder)
				}
				o.End(l.status, l.start, l.end)
			}
		}
		if err != nil {
			return err
		}
	}
	o.took(len(c.text))
	c.release()
	return nil
}

func (o *ownReader) header(n int, line []byte) error {
	if err := json.Unmarshal(line, &o.head); err != nil || o.head.Format != ownFormat {
		return at(n, "want the header {\"format\":%q,…}, not %q", ownFormat, clip(line))
	}
	if o.head.Version != 1 {
		return at(n, "version %d of the format is unknown: this txweave reads version 1", o.head.Version)
	}
	if o.head.RealTime {
		o.SetRealTime()
	}
	if o.head.Initial != nil {
		v, err := ownValue(o.Builder, o.head.Initial)
		if err != nil {
			return at(n, "the initial value must be an integer, a string or null, not %s", clip(o.head.Initial))
		}
		if v != nil {
			o.SetInitialValue(*v)
		}
	}
	return nil
}

// begin begins a transaction.
func (o *ownReader) begin(l *ownLine) error {
	switch {
	case !o.head.RealTime:
	case !l.timed && !l.initial:
		return at(l.line, `transaction %d lacks "start" or "end", and the header says that there are times ("real_time")`, l.txn)
	case l.status != history.Unknown && l.end < l.start:
		return at(l.line, "transaction %d ends at %d, before it starts at %d", l.txn, l.end, l.start)
	}
	if n := len(o.runs); n == 0 || l.line-o.runs[n-1].line != o.txns-o.runs[n-1].txn {
		o.runs = append(o.runs, run{o.txns, l.line})
	}
	o.txns++
	if l.initial {
		if o.HasInitial() {
			return at(l.line, "a second initial transaction")
		}
		o.BeginInitial()
		return nil
	}
	if !o.seen.add(l.txn) {
		return at(l.line, "transaction %d is %s already", l.txn, o.lineOf(l.txn))
	}
	last := o.sessions[l.session]
	if last == nil {
		last = &lastTxn{start: math.MinInt64}
		o.sessions[l.session] = last
	}
	if o.head.RealTime && l.start < last.start {
		return at(l.line,
			"transaction %d starts at %d, before transaction %d of its session, which comes before it and starts at %d", l.txn,
			l.start, last.id, last.start)
	}
	*last = lastTxn{l.txn, l.start}
	o.Begin(l.session, l.txn)
	return nil
}

// lineOf says in which line a transaction stands.
func (o *ownReader) lineOf(id int64) string {
	t := o.IndexOf(id)
	if t < 0 {
		return "there" // and was passed on
	}
	i, _ := slices.BinarySearchFunc(o.runs, t+1, func(r run, t int) int { return cmp.Compare(r.txn, t) })
	return fmt.Sprintf("in line %d", o.runs[i-1].line+t-o.runs[i-1].txn)
}

// slow reads a line that is not written as Write writes it.
func (o *ownReader) slow(n int, line []byte) error {
	var t ownTxn
	if err := json.Unmarshal(line, &t); err != nil {
		return at(n, "%v", err)
	}
	status, ok := statuses[t.Status]
	if !ok {
		return at(n, "status %q: want committed, aborted or unknown", t.Status)
	}
	l := ownLine{line: n, txn: t.Txn, initial: t.Session == nil, status: status,
		timed:   t.Start != nil && (t.End != nil || status == history.Unknown),
		session: orZero(t.Session), start: orZero(t.Start), end: orZero(t.End)}
	if err := o.begin(&l); err != nil {
		return err
	}
	for _, raw := range t.Ops {
		if err := ownOp(o.Builder, raw); err != nil {
			return at(n, "operation %s: %v", clip(raw), err)
		}
	}
	o.End(status, l.start, l.end)
	return nil
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// ownOp reads ["r","x",1], ["r","x",null], ["w","x",1], ["!","x",1], ["a","x",1], ["+","x","y"] or ["l","x",[1,2]];
// values that are no integers are strings.
func ownOp(b *register.Builder, raw json.RawMessage) error {
	var parts [3]json.RawMessage
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil || len(all) != 3 {
		return fmt.Errorf("want [kind, key, value]")
	}
	copy(parts[:], all)
	var f, name string
	if json.Unmarshal(parts[0], &f) != nil || json.Unmarshal(parts[1], &name) != nil {
		return fmt.Errorf("kind and key must be strings")
	}
	key := b.Key(name)
	if f == "l" {
		var list []json.RawMessage
		if err := json.Unmarshal(parts[2], &list); err != nil {
			return fmt.Errorf("want a list of integers or strings")
		}
		elements := make([]int64, len(list))
		for i, e := range list {
			v, err := ownValue(b, e)
			if err != nil || v == nil {
				return fmt.Errorf("want a list of integers or strings")
			}
			elements[i] = *v
		}
		b.ReadList(key, elements)
		return nil
	}
	v, err := ownValue(b, parts[2])
	if err != nil {
		return fmt.Errorf("the value must be an integer, a string or null")
	}
	kinds := map[string]register.Action{"r": register.Read, "w": register.Write, "!": register.NotEqual,
		"a": register.Append, "+": register.Extend}
	k, ok := kinds[f]
	if !ok || v == nil && k != register.Read && k != register.NotEqual {
		return fmt.Errorf("want r, w, !, a, + with an integer or a string, or l with a list")
	}
	op := register.Op{Kind: k, Key: key, Nil: v == nil}
	if v != nil {
		op.Value = *v
	}
	b.Op(op)
	return nil
}

// ownValue reads an integer, or a string that stands for a value that is none; nil for null.
func ownValue(b *register.Builder, raw json.RawMessage) (v *int64, err error) {
	if len(raw) == 0 || raw[0] != '"' {
		if err = json.Unmarshal(raw, &v); err == nil && v != nil {
			*v = b.Integer(*v)
		}
		return v, err
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return nil, err
	}
	n := b.Number(name)
	return &n, nil
}

// appendOwnValue appends what ownValue reads.
func appendOwnValue(text []byte, h *register.History, v int64) []byte {
	if !h.Named(v) {
		return strconv.AppendInt(text, v, 10)
	}
	name, _ := json.Marshal(h.Name(v)) // of a string: cannot fail
	return append(text, name...)
}

// Write writes a history in txweave's own form: JSON lines, a header and then a transaction a line, those of one
// session in session order.
func Write(w io.Writer, h *register.History) error {
	out := bufio.NewWriter(w)
	head := ownHeader{Format: ownFormat, Version: 1, RealTime: h.RealTime}
	if h.HasInitialValue {
		head.Initial = appendOwnValue(nil, h, h.InitialValue)
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	out.Write(append(line, '\n'))
	for i := range h.Txns {
		t := &h.Txns[i]
		session := "null"
		if i != h.Initial {
			session = strconv.FormatInt(h.SessionID(t.Session), 10)
		}
		fmt.Fprintf(out, `{"txn":%d,"session":%s,"status":%q`, t.ID, session, t.Status)
		if h.RealTime {
			fmt.Fprintf(out, `,"start":%d,"end":%d`, h.Start(i), h.End(i))
		}
		out.WriteString(`,"ops":[`)
		for k, op := range h.TxnOps(i) {
			if k > 0 {
				out.WriteByte(',')
			}
			writeOwnOp(out, h, op)
		}
		out.WriteString("]}\n")
	}
	return out.Flush()
}

func writeOwnOp(out *bufio.Writer, h *register.History, op register.Op) {
	name, _ := json.Marshal(h.KeyName(op.Key)) // of a string: cannot fail
	kind := [...]string{register.Read: "r", register.Write: "w", register.NotEqual: "!", register.Append: "a",
		register.ReadList: "l", register.Extend: "+"}[op.Kind]
	fmt.Fprintf(out, `[%q,%s,`, kind, name)
	switch {
	case op.Kind == register.ReadList:
		list := []byte{'['}
		for i, e := range h.List(op) {
			if i > 0 {
				list = append(list, ',')
			}
			list = appendOwnValue(list, h, e)
		}
		out.Write(append(list, ']'))
	case op.Nil:
		out.WriteString("null")
	default:
		out.Write(appendOwnValue(nil, h, op.Value))
	}
	out.WriteByte(']')
}

// WriteFile writes a history as the name of its file says: in the compact form where that ends in ".bin", else as JSON
// lines.
func WriteFile(w io.Writer, path string, h *register.History) error {
	if strings.HasSuffix(path, CompactSuffix) {
		return WriteCompact(w, h)
	}
	return Write(w, h)
}

// CompactSuffix ends the names of files of compact histories.
const CompactSuffix = ".bin"
