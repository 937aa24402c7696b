package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/history/register"
	"txweave/internal/input"
)

// binaryReader reads numbers and keeps the first error, with the offset at which it happened.
type binaryReader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	pos   int64
	err   error
	buf   [8]byte
}

func (b *binaryReader) bytes(n int) []byte {
	if b.err != nil {
		return b.buf[:n]
	}
	if _, err := io.ReadFull(b.r, b.buf[:n]); err != nil {
		b.fail("ends in the middle of a record")
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			b.err = err
		}
	}
	b.pos += int64(n)
	return b.buf[:n]
}

func (b *binaryReader) fail(what string) {
	if b.err == nil {
		b.err = &Error{Msg: what + " (byte " + strconv.FormatInt(b.pos, 10) + ")"}
	}
}

func (b *binaryReader) u64() uint64 { return b.order.Uint64(b.bytes(8)) }

func (b *binaryReader) boolean() bool {
	v := b.bytes(1)[0]
	if v > 1 {
		b.fail("a truth value is neither 0 nor 1")
	}
	return v == 1
}

// skipString skips a string with its length in front.
func (b *binaryReader) skipString() {
	n := b.u64()
	if b.err != nil {
		return
	}
	if n > maxString {
		b.fail("a text is longer than any in this format")
		return
	}
	m, err := b.r.Discard(int(n))
	b.pos += int64(m)
	if err != nil {
		b.fail("ends in the middle of a text")
	}
}

// maxString bounds dbcop's description and its two times.
const maxString = 1 << 16

// looksDBCop recognises dbcop's header: five counts, a text and two times that begin with a year.
func looksDBCop(head []byte) bool {
	const counts = 5 * 8
	if len(head) < counts+8 {
		return false
	}
	n := binary.LittleEndian.Uint64(head[counts:])
	if n > maxString {
		return false
	}
	rest := head[counts+8:]
	if uint64(len(rest)) < n+8+4 {
		return false
	}
	rest = rest[n:]
	return binary.LittleEndian.Uint64(rest) < 64 && isYear(rest[8:])
}

func isYear(s []byte) bool {
	return !slices.ContainsFunc(s[:4], func(c byte) bool { return c < '0' || c > '9' })
}

// readDBCop reads what dbcop writes with bincode 1.3: parameters, then sessions of transactions of events, lengths
// as 64-bit little-endian numbers. A variable holds 0 before it is written; an event without success did not happen.
func readDBCop(r io.Reader, b *register.Builder) error {
	in := &binaryReader{r: bufio.NewReader(r), order: binary.LittleEndian}
	for range 5 { // id, sessions, variables, transactions, events
		in.u64()
	}
	for range 3 { // description, start, end
		in.skipString()
	}
	b.SetInitialValue(0)
	id := int64(0)
	for session := range in.u64() {
		for range in.u64() {
			if in.err != nil {
				return in.err
			}
			b.Begin(int64(session), id)
			id++
			in.dbcopEvents(b)
			status := history.Aborted
			if in.boolean() {
				status = history.Committed
			}
			b.End(status, 0, 0)
		}
		if in.err != nil {
			return in.err
		}
	}
	if in.err == nil {
		if _, err := in.r.ReadByte(); !errors.Is(err, io.EOF) {
			in.fail("goes on after its end")
		}
	}
	return in.err
}

// dbcopEvents reads the events of a transaction, up to an error.
func (b *binaryReader) dbcopEvents(to *register.Builder) {
	for range b.u64() {
		write, key, value, success := b.boolean(), int64(b.u64()), int64(b.u64()), b.boolean()
		switch {
		case b.err != nil:
			return
		case success && write:
			to.Write(to.IntKey(key), value)
		case success:
			to.Read(to.IntKey(key), value)
		}
	}
}

// cobraLog is the number of a session's log, which is called T<n>.log.
func cobraLog(name string) (n int, ok bool) {
	digits, t := strings.CutPrefix(name, "T")
	digits, log := strings.CutSuffix(digits, ".log")
	if !t || !log || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, _ = strconv.Atoi(digits)
	return n, true
}

// cobraLogs returns the paths of a directory's T<n>.log files, by number.
func cobraLogs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	number := map[string]int{}
	var names []string
	for _, e := range entries {
		if n, ok := cobraLog(e.Name()); ok && !e.IsDir() {
			number[e.Name()] = n
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return number[a] - number[b] })
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names, nil
}

// Ids of Cobra's logs that name no write: the initial version of a key; and, in the logs that come with VeriStrong
// (UNIVERSAL_WRITE_ID of its history.cpp), any write: the value then tells the versions of a key apart.
const (
	cobraInitial   = 0xbebeebee
	cobraNull      = 0xdeadbeef
	cobraUniversal = 0xabddefee
)

// cobraVersion names a version as Cobra does, by the write's id and its transaction's; or by its value, where write is
// cobraUniversal.
type cobraVersion struct{ write, txn, value uint64 }

// newCobraVersion returns the version that a record names.
func newCobraVersion(write, txn, value uint64) cobraVersion {
	if write == cobraUniversal {
		return cobraVersion{write: write, value: value}
	}
	return cobraVersion{write: write, txn: txn}
}

// cobraRead is what is read of a directory of logs.
type cobraRead struct {
	b        *register.Builder
	versions map[cobraVersion]int64
	txns     map[uint64]bool // that have begun
	// What the logs say beside the version that a record names: what was written, and what was read. A version's name says
	// what a read is of; that it held something else there is no order of transactions that explains, nor one that
	// contradicts it.
	written map[cobraVersion]uint64
	found   []cobraFound
}

// cobraFound is what a read found.
type cobraFound struct {
	version  cobraVersion
	txn, key uint64
	value    uint64
}

// number is a version's number in the history.
func (c *cobraRead) number(v cobraVersion) int64 {
	n, ok := c.versions[v]
	if !ok {
		n = int64(len(c.versions)) + 1
		c.versions[v] = n
	}
	return n
}

// doubt says which read found another value than the write says that it names; "" where none did, or all, as then the
// logs do not tell values so that they can be compared.
func (c *cobraRead) doubt() string {
	var first *cobraFound
	other, compared := 0, 0
	for i, f := range c.found {
		wrote, known := c.written[f.version]
		if !known {
			continue
		}
		if compared++; wrote != f.value {
			if other++; first == nil {
				first = &c.found[i]
			}
		}
	}
	if other == 0 || other == compared {
		return ""
	}
	return fmt.Sprintf(
		"%d of %d reads found another value than the write has that they name: the first is transaction %d, of key %d: %d, "+
			"and write %d of transaction %d wrote %d",
		other, compared, first.txn, first.key, first.value, first.version.write, first.version.txn, c.written[first.version])
}

// readCobra reads Cobra's logs, one for each session: big-endian records S txn; W write key value; R txn write key
// value, the version that was read; C txn. There are no aborted transactions in them.
func readCobra(ctx context.Context, paths []string) (*register.History, error) {
	c := &cobraRead{b: register.NewBuilder(0, 0), versions: map[cobraVersion]int64{}, txns: map[uint64]bool{},
		written: map[cobraVersion]uint64{}}
	for i, path := range paths {
		if err := c.log(ctx, path, int64(i)); err != nil {
			if e, ok := errors.AsType[*Error](err); ok && e.Path == "" {
				e.Path = path
			}
			return nil, err
		}
	}
	h := c.b.History()
	if len(h.Txns) == 0 {
		return nil, &Error{Msg: "holds no transaction"}
	}
	h.Doubt = c.doubt()
	return h, nil
}

// log reads the log of a session.
func (c *cobraRead) log(ctx context.Context, path string, session int64) error {
	f, err := input.Open(ctx, path)
	if err != nil {
		return plainError(err)
	}
	defer f.Close()
	in := &binaryReader{r: bufio.NewReader(f), order: binary.BigEndian}
	open, txn := false, uint64(0)
	for in.err == nil {
		kind, err := in.r.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		in.pos++
		switch {
		case open == (kind == 'S'):
			in.fail("a record is out of place")
		case kind == 'S':
			open, txn = true, in.u64()
			if c.txns[txn] {
				in.fail(fmt.Sprintf("transaction %d began before", txn))
			}
			c.txns[txn] = true
			c.b.Begin(session, int64(txn))
		case kind == 'C':
			if in.u64() != txn {
				in.fail("a transaction ends under another number than it began")
			}
			c.b.End(history.Committed, 0, 0)
			open = false
		default:
			c.access(in, kind, txn)
		}
	}
	if in.err != nil {
		return in.err
	}
	if open { // the log was cut: nobody knows whether it committed
		c.b.End(history.Unknown, 0, 0)
	}
	return nil
}

// access reads a write or a read of a transaction.
func (c *cobraRead) access(in *binaryReader, kind byte, txn uint64) {
	switch kind {
	case 'W':
		write, key, written := in.u64(), in.u64(), in.u64()
		v := newCobraVersion(write, txn, written)
		c.b.Write(c.b.IntKey(int64(key)), c.number(v))
		c.written[v] = written
	case 'R':
		writer, write, name, read := in.u64(), in.u64(), in.u64(), in.u64()
		key := c.b.IntKey(int64(name))
		switch {
		case write == cobraInitial || write == cobraNull:
			c.b.ReadNil(key)
		case (writer == cobraUniversal) != (write == cobraUniversal):
			in.fail("a version is named by a write's id or by its value, not by half of each")
		default:
			v := newCobraVersion(write, writer, read)
			c.b.Read(key, c.number(v))
			c.found = append(c.found, cobraFound{v, txn, name, read})
		}
	default:
		in.fail("a record of unknown kind " + strconv.QuoteRune(rune(kind)))
	}
}
