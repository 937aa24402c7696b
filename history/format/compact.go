package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"txweave/history"
	"txweave/history/register"
)

// The compact form of a history holds what our JSON lines hold, in much less space, and it is read in much less time.
// Numbers are varints (encoding/binary), signed ones in zigzag form. It is
//
//	"txwh" version flags [initial value, or its name] [level session order clock skew]
//	{ 1 transaction } 0 count checksum
//
// A transaction is its status (+4: the initial one), session, number, start and length where there is real time, the
// length of an Unknown one left out, and its operations with their count before them. An operation is its kind (+8:
// nil, +16: with names), its key, and its value; a list is its length and its elements. Number, start and value are
// differences from the one before. A key is its place among the keys so far; a new one is followed by its name. With
// names, each value has a byte before it: 1 says that a name follows. Of a part of a history it is said what it was cut
// for: names, and 1 or 0. The checksum is the CRC-32 of all before it.
const compactVersion = 1

var compactMagic = []byte("txwh")

const (
	compactRealTime = 1 << iota
	compactInitialValue
	compactPart
	compactInitialName
	compactFlags // above all that there are
)

const (
	compactInitialTxn = 4
	compactNil        = 8
	compactNamed      = 16
)

// maxName bounds a name in a compact history.
const maxName = 1 << 20

func looksCompact(head []byte) bool {
	return len(head) >= len(compactMagic) && string(head[:len(compactMagic)]) == string(compactMagic)
}

// CompactWriter writes a history in its compact form, which Read reads, transaction by transaction. It appends numbers
// and writes them block by block.
type CompactWriter struct {
	out             io.Writer
	buf             []byte
	sum             uint32
	keys            map[int32]uint64
	id, start, last int64
	txns            int
	err             error
}

// WriteCompact writes a history in its compact form, which Read reads.
func WriteCompact(out io.Writer, h *register.History) error {
	w := NewCompactWriter(out, h)
	for t := range h.Txns {
		w.Add(h, t)
	}
	return w.End()
}

// NewCompactWriter begins a history of which h tells all but the transactions.
func NewCompactWriter(out io.Writer, h *register.History) *CompactWriter {
	w := &CompactWriter{out: out, keys: map[int32]uint64{}}
	w.buf = append(w.buf, compactMagic...)
	flags := uint64(0)
	if h.RealTime {
		flags |= compactRealTime
	}
	if h.HasInitialValue {
		flags |= compactInitialValue
		if h.Named(h.InitialValue) {
			flags |= compactInitialName
		}
	}
	if h.Cut != nil {
		flags |= compactPart
	}
	w.number(compactVersion)
	w.number(flags)
	switch {
	case flags&compactInitialName != 0:
		w.name(h.Name(h.InitialValue))
	case h.HasInitialValue:
		w.signed(h.InitialValue)
	}
	if h.Cut != nil {
		w.name(h.Cut.Level)
		w.number(map[bool]uint64{true: 1}[h.Cut.SessionOrder])
		w.name(h.Cut.ClockSkew)
	}
	return w
}

// Add writes the next transaction: t of h.
func (w *CompactWriter) Add(h *register.History, t int) {
	const block = 64 << 10
	w.txns++
	w.number(1)
	w.txn(h, t)
	if len(w.buf) >= block {
		w.flush()
	}
}

// End ends the history. It returns the first error of all that was written.
func (w *CompactWriter) End() error {
	w.number(0)
	w.number(uint64(w.txns))
	w.flush()
	w.buf = binary.LittleEndian.AppendUint32(w.buf, w.sum)
	w.flush()
	return w.err
}

func (w *CompactWriter) number(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

func (w *CompactWriter) signed(n int64) { w.buf = binary.AppendVarint(w.buf, n) }

func (w *CompactWriter) name(s string) {
	w.number(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *CompactWriter) flush() {
	w.sum = crc32.Update(w.sum, crc32.IEEETable, w.buf)
	if w.err == nil {
		_, w.err = w.out.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

func (w *CompactWriter) txn(h *register.History, t int) {
	x := &h.Txns[t]
	status := uint64(x.Status)
	if t == h.Initial {
		w.number(status + compactInitialTxn)
	} else {
		w.number(status)
		w.signed(h.SessionID(x.Session))
		w.signed(x.ID - w.id)
		w.id = x.ID
	}
	if h.RealTime {
		w.signed(h.Start(t) - w.start)
		w.start = h.Start(t)
		if x.Status != history.Unknown {
			w.signed(h.End(t) - h.Start(t))
		}
	}
	ops := h.TxnOps(t)
	w.number(uint64(len(ops)))
	for _, op := range ops {
		w.op(h, op)
	}
}

func (w *CompactWriter) op(h *register.History, op register.Op) {
	one := [1]int64{op.Value}
	values := one[:]
	switch {
	case op.Kind == register.ReadList:
		values = h.List(op)
	case op.Nil:
		values = nil
	}
	kind, named := uint64(op.Kind), false
	for _, v := range values {
		named = named || h.Named(v)
	}
	if op.Nil {
		kind |= compactNil
	}
	if named {
		kind |= compactNamed
	}
	w.number(kind)
	key, known := w.keys[op.Key]
	if !known {
		key = uint64(len(w.keys))
		w.keys[op.Key] = key
	}
	w.number(key)
	if !known {
		w.name(h.KeyName(op.Key))
	}
	if op.Kind == register.ReadList {
		w.number(uint64(len(values)))
	}
	for _, v := range values {
		if named {
			is := h.Named(v)
			w.buf = append(w.buf, map[bool]byte{true: 1}[is])
			if is {
				w.name(h.Name(v))
				continue
			}
		}
		w.signed(v - w.last)
		w.last = v
	}
}

// compactReader reads numbers and keeps the first error.
type compactReader struct {
	*sink
	in              io.Reader
	buf             []byte // what has been read; all before at is passed
	at              int
	pos             int64  // of buf in the file
	sum             uint32 // of what stood before it
	ended           error  // what its end is
	err             error
	keys            []int32
	id, start, last int64
	realTime        bool
	seen            idSet
	begun           map[int64]int64 // by session: when its last transaction began
	list            []int64
}

// fill reads on, so that there is a whole number unless the file ends.
func (c *compactReader) fill() {
	c.sum = crc32.Update(c.sum, crc32.IEEETable, c.buf[:c.at])
	c.pos += int64(c.at)
	c.buf, c.at = append(c.buf[:0], c.buf[c.at:]...), 0
	if have := len(c.buf); have < binary.MaxVarintLen64 && c.ended == nil {
		n := 0
		n, c.ended = io.ReadAtLeast(c.in, c.buf[have:cap(c.buf)], binary.MaxVarintLen64)
		c.buf = c.buf[:have+n]
	}
	if c.pos >= chunkSize {
		c.took(int(c.pos))
	}
}

func (c *compactReader) fail(format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Msg: fmt.Sprintf(format, args...) + " (byte " + strconv.FormatInt(c.pos+int64(c.at), 10) + ")"}
	}
}

func (c *compactReader) number() uint64 {
	if c.err != nil {
		return 0
	}
	if len(c.buf)-c.at < binary.MaxVarintLen64 {
		c.fill()
	}
	n, used := binary.Uvarint(c.buf[c.at:])
	switch {
	case used > 0:
		c.at += used
	case len(c.buf)-c.at < binary.MaxVarintLen64:
		c.broken()
	default:
		c.at += binary.MaxVarintLen64
		c.fail("binary: varint overflows a 64-bit integer")
	}
	return n
}

func (c *compactReader) signed() int64 {
	n := c.number()
	return int64(n>>1) ^ -int64(n&1)
}

// broken says that the file ends.
func (c *compactReader) broken() {
	c.at = len(c.buf)
	if errors.Is(c.ended, io.EOF) || errors.Is(c.ended, io.ErrUnexpectedEOF) {
		c.fail("ends in the middle of a history")
	}
	c.fail("%v", c.ended)
}

func (c *compactReader) name() string {
	n := c.number()
	if n > maxName {
		c.fail("a name of %d bytes", n)
	}
	if c.err != nil {
		return ""
	}
	text := make([]byte, 0, n)
	for len(text) < cap(text) {
		if c.at == len(c.buf) {
			if c.fill(); len(c.buf) == 0 {
				c.broken()
				return ""
			}
		}
		part := c.buf[c.at:min(len(c.buf), c.at+cap(text)-len(text))]
		text = append(text, part...)
		c.at += len(part)
	}
	return string(text)
}

// readCompact reads what WriteCompact writes.
func readCompact(r io.Reader, to *sink) error {
	c := &compactReader{sink: to, in: r, buf: make([]byte, 0, chunkSize), begun: map[int64]int64{}}
	if c.fill(); !looksCompact(c.buf) {
		return &Error{Msg: "is not a compact history"}
	}
	c.at = len(compactMagic)
	if v := c.number(); c.err == nil && v != compactVersion {
		return &Error{Msg: fmt.Sprintf("version %d of the compact form is unknown: this txweave reads version %d", v,
			compactVersion)}
	}
	flags := c.number()
	if flags >= compactFlags {
		c.fail("flags %d are unknown", flags)
	}
	if c.realTime = flags&compactRealTime != 0; c.realTime {
		c.SetRealTime()
	}
	switch {
	case flags&compactInitialName != 0:
		c.SetInitialValue(c.Number(c.name()))
	case flags&compactInitialValue != 0:
		c.SetInitialValue(c.signed())
	}
	if flags&compactPart != 0 {
		c.SetCut(register.Cut{Level: c.name(), SessionOrder: c.number() == 1, ClockSkew: c.name()})
	}
	txns := uint64(0)
	for c.err == nil && c.number() == 1 {
		c.txn()
		txns++
	}
	if n := c.number(); c.err == nil && n != txns {
		c.fail("holds %d transactions, and says %d", txns, n)
	}
	if c.err != nil {
		return c.err
	}
	const size = 4 // of the checksum
	c.fill()
	switch rest := c.buf; {
	case len(rest) < size || binary.LittleEndian.Uint32(rest) != c.sum:
		c.fail("is damaged: its checksum is another one")
	case len(rest) > size:
		c.fail("goes on after its end")
	}
	return c.err
}

func (c *compactReader) txn() {
	status := c.number()
	initial := status&compactInitialTxn != 0
	if status &^= compactInitialTxn; status > uint64(history.Unknown) {
		c.fail("a status of %d", status)
	}
	if c.err != nil {
		return
	}
	session := int64(0)
	if initial {
		if c.HasInitial() {
			c.fail("a second initial transaction")
			return
		}
		c.BeginInitial()
	} else {
		session = c.signed()
		if c.id += c.signed(); !c.seen.add(c.id) {
			c.fail("transaction %d a second time", c.id)
		}
		c.Begin(session, c.id)
	}
	start, end := c.times(history.Outcome(status), session, initial)
	for n := c.number(); n > 0 && c.err == nil; n-- {
		c.op()
	}
	c.End(history.Outcome(status), start, end)
}

func (c *compactReader) times(status history.Outcome, session int64, initial bool) (start, end int64) {
	if !c.realTime {
		return 0, 0
	}
	c.start += c.signed()
	if status != history.Unknown {
		if end = c.start + c.signed(); end < c.start {
			c.fail("transaction %d ends at %d, before it starts at %d", c.id, end, c.start)
		}
	}
	if initial {
		return c.start, end
	}
	if last, ok := c.begun[session]; ok && c.start < last {
		c.fail("transaction %d starts at %d, before the one before it in its session, which starts at %d", c.id,
			c.start, last)
	}
	c.begun[session] = c.start
	return c.start, end
}

func (c *compactReader) op() {
	kind := c.number()
	op := register.Op{Kind: register.Action(kind &^ (compactNil | compactNamed)), Nil: kind&compactNil != 0}
	named := kind&compactNamed != 0
	writes := op.Kind == register.Write || op.Kind == register.Append || op.Kind == register.Extend
	if kind&^(compactNil|compactNamed) > uint64(register.Extend) || op.Nil && (writes || op.Kind == register.ReadList) {
		c.fail("an operation of kind %d", kind)
	}
	key := c.number()
	if key == uint64(len(c.keys)) && c.err == nil {
		c.keys = append(c.keys, c.Key(c.name()))
	}
	if key >= uint64(len(c.keys)) {
		c.fail("key %d, of %d", key, len(c.keys))
	}
	if c.err != nil {
		return
	}
	op.Key = c.keys[key]
	if op.Kind == register.ReadList {
		c.list = c.list[:0]
		for n := c.number(); n > 0 && c.err == nil; n-- {
			c.list = append(c.list, c.value(named))
		}
		c.ReadList(op.Key, c.list)
		return
	}
	if !op.Nil {
		op.Value = c.value(named)
	}
	c.Op(op)
}

func (c *compactReader) value(named bool) int64 {
	if named && c.number() == 1 {
		return c.Number(c.name())
	}
	c.last += c.signed()
	return c.Integer(c.last)
}
