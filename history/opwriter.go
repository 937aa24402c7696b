package history

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// TraceHeader is the first line of an interval trace.
type TraceHeader struct {
	Trace     string `json:"trace"`   // "operations"
	Version   int    `json:"version"` // of the format: 1
	DBMS      string `json:"dbms,omitempty"`
	Isolation string `json:"isolation,omitempty"`
	Sessions  int    `json:"sessions"` // they are numbered from 0; 0: not known
	// Initial says that every row that existed at the start is loaded by the trace, so that a version that
	// nobody wrote is a violation. Without it the first such version of an item counts as its initial one.
	Initial bool `json:"initial,omitempty"`
}

// opBuffer is how many bytes an OperationWriter holds back at most.
const opBuffer = 256 << 10

// OperationWriter writes an interval trace as JSON lines while it is made. It holds back at most a quarter of a
// MiB, and that for no longer than the flush interval; its methods may be called by several goroutines.
type OperationWriter struct {
	mu   sync.Mutex
	w    io.Writer
	sym  *Symbols
	buf  []byte
	err  error
	stop chan struct{}
	done sync.WaitGroup
}

// NewOperationWriter writes the header and returns a writer that flushes at least every flush interval (0: one
// second). The operations' items are numbered by sym.
func NewOperationWriter(w io.Writer, sym *Symbols, h TraceHeader, flush time.Duration) (*OperationWriter, error) {
	h.Trace, h.Version = "operations", 1
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	o := &OperationWriter{w: w, sym: sym, buf: append(head, '\n'), stop: make(chan struct{})}
	if err := o.Flush(); err != nil {
		return nil, err
	}
	if flush == 0 {
		flush = time.Second
	}
	o.done.Go(func() {
		tick := time.NewTicker(flush)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = o.Flush() // kept, and returned by the next Append and by Close
			case <-o.stop:
				return
			}
		}
	})
	return o, nil
}

// Append adds one operation. An error is one of an earlier write too.
func (o *OperationWriter) Append(op *Operation) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = AppendOperation(o.buf, op, o.sym)
	if len(o.buf) >= opBuffer {
		o.flush()
	}
	return o.err
}

// Note adds a line that says what somebody did to the database from start to end, in ns. Readers pass over it.
func (o *OperationWriter) Note(what string, start, end int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = appendText(append(o.buf, notePrefix+`,"what":`...), what)
	o.buf = append(appendField(appendField(o.buf, `,"start":`, start), `,"end":`, end), '}', '\n')
	return o.err
}

// notePrefix begins the lines of Note.
const notePrefix = `{"op":"nemesis"`

// Flush writes what is held back.
func (o *OperationWriter) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	return o.err
}

func (o *OperationWriter) flush() {
	if o.err == nil && len(o.buf) > 0 {
		if _, err := o.w.Write(o.buf); err != nil {
			o.err = fmt.Errorf("trace: %w", err)
		}
	}
	o.buf = o.buf[:0]
}

// Close flushes and stops; it does not close the writer below.
func (o *OperationWriter) Close() error {
	close(o.stop)
	o.done.Wait()
	return o.Flush()
}

// AppendOperation appends an operation as a line of JSON.
func AppendOperation(b []byte, op *Operation, sym *Symbols) []byte {
	b = append(b, `{"op":"`...)
	b = append(b, op.Kind.String()...)
	b = append(b, '"')
	if op.Kind != OpLoad {
		b = appendField(b, `,"session":`, int64(op.Session))
	}
	if op.Kind != OpLoad && op.Kind != OpClose {
		b = appendField(b, `,"txn":`, op.Txn)
		b = appendField(b, `,"start":`, op.Start)
		b = appendField(b, `,"end":`, op.End)
	}
	if op.Lock != LockNone {
		b = append(append(append(b, `,"lock":"`...), op.Lock.String()...), '"')
	}
	if op.Outcome != OpOK {
		b = append(append(append(b, `,"outcome":"`...), op.Outcome.String()...), '"')
	}
	if op.Snapshot {
		b = append(b, `,"snapshot":true`...)
	}
	b = appendAccesses(b, `,"reads":[`, op.Reads, sym)
	b = appendAccesses(b, `,"writes":[`, op.Writes, sym)
	if len(op.Ranges) > 0 {
		b = append(b, `,"ranges":[`...)
		for i, r := range op.Ranges {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(append(b, '['), sym.TableName(r.Table)), ',')
			b = strconv.AppendInt(b, r.Lo, 10)
			b = strconv.AppendInt(append(b, ','), r.Hi, 10)
			b = append(appendCondition(b, r.If), ']')
		}
		b = append(b, ']')
	}
	return append(b, '}', '\n')
}

// appendCondition appends the condition of a range: the spans, and the divisor where there is one.
func appendCondition(b []byte, c *PayloadFilter) []byte {
	if c == nil {
		return b
	}
	b = append(b, ",["...)
	for i, s := range c.In {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), s[0], 10)
		b = append(strconv.AppendInt(append(b, ','), s[1], 10), ']')
	}
	b = append(b, ']')
	if c.Divisor != 0 {
		b = strconv.AppendInt(append(b, ','), c.Divisor, 10)
	}
	return b
}

func appendField(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

func appendAccesses(b []byte, name string, as []Access, sym *Symbols) []byte {
	if len(as) == 0 {
		return b
	}
	b = append(b, name...)
	for i := range as {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(append(b, '['), sym.TableName(as[i].Table)), ',')
		b = append(appendSymbol(b, as[i].Key, sym), ',')
		b = appendSymbol(b, as[i].Version, sym)
		if v, known := as[i].Payload.Value(); known {
			b = strconv.AppendInt(append(b, ','), v, 10)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

// appendSymbol appends a key or version: a number, a text, or null for Absent.
func appendSymbol(b []byte, n int64, sym *Symbols) []byte {
	switch {
	case n == Absent:
		return append(b, "null"...)
	case n < symbolBase:
		return strconv.AppendInt(b, n, 10)
	}
	name, text := sym.Name(n)
	if !text {
		return append(b, name...)
	}
	return appendText(b, name)
}

func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= 0x7f {
			quoted, _ := json.Marshal(s) // a string always can be
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
