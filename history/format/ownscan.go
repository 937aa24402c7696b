package format

import (
	"bytes"
	"sync"

	"txweave/history"
	"txweave/history/register"
)

// ownLine is a line of our own form.
type ownLine struct {
	line         int
	row          []byte
	slow         bool  // the header, or not written as Write writes it: nothing of it has been read
	err          error // of what is too long
	txn, session int64
	initial      bool
	timed        bool // it has the times that its status needs
	status       history.Outcome
	start, end   int64
	ops          []ownOperation
}

// ownOperation is one operation.
type ownOperation struct {
	kind  byte // as the file has it
	null  bool
	key   string
	value int64
	list  []int64
}

// give gives it to the builder.
func (op *ownOperation) give(b *register.Builder) {
	key := b.Key(op.key)
	op.value = b.Integer(op.value)
	for i, e := range op.list {
		op.list[i] = b.Integer(e)
	}
	switch {
	case op.kind == 'l':
		b.ReadList(key, op.list)
	case op.kind == 'r' && op.null:
		b.ReadNil(key)
	case op.kind == 'r':
		b.Read(key, op.value)
	case op.kind == 'w':
		b.Write(key, op.value)
	case op.kind == 'a':
		b.Append(key, op.value)
	default:
		b.Op(register.Op{Kind: register.NotEqual, Key: key, Value: op.value, Nil: op.null})
	}
}

// ownChunk is a part of a file and its lines.
type ownChunk struct {
	*chunk
	lines []ownLine
	ops   []ownOperation
	list  []int64
	keys  map[string]string // each name is kept once
}

// ownChunks are those that are not in use: their memory serves the next one.
var ownChunks = sync.Pool{New: func() any { return &ownChunk{keys: map[string]string{}} }}

func (c *ownChunk) release() {
	c.chunk.release()
	c.chunk, c.lines, c.ops, c.list = nil, c.lines[:0], c.ops[:0], c.list[:0]
	if len(c.keys) > maxWords {
		clear(c.keys)
	}
	ownChunks.Put(c)
}

// scanOwn reads the lines of a part. A line as Write writes it is read at once into its fields; any other one, and
// whatever is wrong, is left to encoding/json, so that there is one place that knows the whole notation.
func scanOwn(part *chunk) *ownChunk {
	c := ownChunks.Get().(*ownChunk)
	c.chunk = part
	text, n := c.text, c.line
	for ; len(text) > 0; n++ {
		row, rest, _ := bytes.Cut(text, newline)
		text = rest
		if row = bytes.TrimSpace(row); len(row) == 0 {
			continue
		}
		l := ownLine{line: n, row: row}
		if len(row) > maxLine {
			l.err = at(n, "a line longer than %d MiB", maxLine>>20)
		} else if ops, list := len(c.ops), len(c.list); !c.scan(row, &l) {
			c.ops, c.list = c.ops[:ops], c.list[:list]
			l = ownLine{line: n, row: row, slow: true}
		}
		c.lines = append(c.lines, l)
	}
	return c
}

// ownCursor goes through a line.
type ownCursor struct {
	row []byte
	pos int
}

// take passes over a text that must stand there.
func (r *ownCursor) take(s string) bool {
	if len(r.row)-r.pos < len(s) || string(r.row[r.pos:r.pos+len(s)]) != s {
		return false
	}
	r.pos += len(s)
	return true
}

// integer reads an integer as JSON has it.
func (r *ownCursor) integer() (int64, bool) {
	rest := r.row[r.pos:]
	n, used := parseInt(rest)
	digits := rest[:used]
	if used > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	r.pos += used
	return n, used > 0 && (len(digits) == 1 || digits[0] != '0')
}

// str reads a string without escapes.
func (r *ownCursor) str() ([]byte, bool) {
	if !r.take(`"`) {
		return nil, false
	}
	for i := r.pos; i < len(r.row); i++ {
		switch c := r.row[i]; {
		case c == '"':
			out := r.row[r.pos:i]
			r.pos = i + 1
			return out, true
		case c == '\\' || c < ' ' || c >= 0x80: // what is no UTF-8 is encoding/json's to say
			return nil, false
		}
	}
	return nil, false
}

// scan reads one line; false where it is written otherwise.
func (c *ownChunk) scan(row []byte, l *ownLine) (ok bool) {
	r := ownCursor{row: row}
	if !r.take(`{"txn":`) {
		return false
	}
	if l.txn, ok = r.integer(); !ok || !r.take(`,"session":`) {
		return false
	}
	if l.initial = r.take("null"); !l.initial {
		if l.session, ok = r.integer(); !ok {
			return false
		}
	}
	switch {
	case r.take(`,"status":"committed"`):
		l.status = history.Committed
	case r.take(`,"status":"aborted"`):
		l.status = history.Aborted
	case r.take(`,"status":"unknown"`):
		l.status = history.Unknown
	default:
		return false
	}
	if !r.times(l) || !r.take(`,"ops":[`) {
		return false
	}
	first := len(c.ops)
	for n := 0; !r.take("]"); n++ {
		if n > 0 && !r.take(",") || !c.operation(&r) {
			return false
		}
	}
	l.ops = c.ops[first:len(c.ops):len(c.ops)]
	return r.take("}") && r.pos == len(row)
}

// times reads when a transaction began and ended, as far as the line says so.
func (r *ownCursor) times(l *ownLine) (ok bool) {
	started := r.take(`,"start":`)
	if started {
		if l.start, ok = r.integer(); !ok {
			return false
		}
	}
	ended := r.take(`,"end":`)
	if ended {
		if l.end, ok = r.integer(); !ok {
			return false
		}
	}
	l.timed = started && (ended || l.status == history.Unknown)
	return true
}

// operation reads ["r","x",1] and the like, whose value is no string.
func (c *ownChunk) operation(r *ownCursor) bool {
	if !r.take("[") {
		return false
	}
	f, ok := r.str()
	if !ok || len(f) != 1 || bytes.IndexByte([]byte("rwla!"), f[0]) < 0 || !r.take(",") {
		return false
	}
	name, ok := r.str()
	if !ok || !r.take(",") {
		return false
	}
	op := ownOperation{kind: f[0], key: c.kept(name)}
	switch {
	case op.kind == 'l':
		op.list, ok = c.integers(r)
	case r.take("null"):
		op.null = true
		ok = op.kind != 'w' && op.kind != 'a'
	default:
		op.value, ok = r.integer()
	}
	if !ok {
		return false
	}
	c.ops = append(c.ops, op)
	return r.take("]")
}

// integers reads [1,2,3].
func (c *ownChunk) integers(r *ownCursor) ([]int64, bool) {
	if !r.take("[") {
		return nil, false
	}
	first := len(c.list)
	for n := 0; !r.take("]"); n++ {
		if n > 0 && !r.take(",") {
			return nil, false
		}
		v, ok := r.integer()
		if !ok {
			return nil, false
		}
		c.list = append(c.list, v)
	}
	return c.list[first:len(c.list):len(c.list)], true
}

func (c *ownChunk) kept(w []byte) string {
	k, ok := c.keys[string(w)]
	if !ok {
		k = string(w)
		c.keys[k] = k
	}
	return k
}
