package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"txweave/checker/certificate/commits"
	"txweave/history"
)

// Events that matter, by their numbers in MySQL's and MariaDB's binary logs.
const (
	queryEvent       = 2
	formatEvent      = 15
	xidEvent         = 16
	tableMapEvent    = 19
	writeRowsV1      = 23
	updateRowsV1     = 24
	deleteRowsV1     = 25
	rowsQueryEvent   = 29 // MySQL: the statement that the next row events come from
	writeRowsV2      = 30
	updateRowsV2     = 31
	deleteRowsV2     = 32
	mysqlGTIDEvent   = 33
	anonymousEvent   = 34
	xaPrepareEvent   = 38
	partialUpdate    = 39
	payloadEvent     = 40 // MySQL: a transaction, compressed
	annotateEvent    = 160
	mariadbGTIDEvent = 162
	compressedFirst  = 165 // MariaDB's compressed events, to compressedLast
	compressedLast   = 171
)

// refused are events that say something and are not read.
var refused = map[byte]string{
	partialUpdate: "a partial update (binlog_row_value_options)",
	payloadEvent:  "a compressed transaction (binlog_transaction_compression)",
}

// Header and magic number of a log file.
const (
	headerSize   = 19
	checksumSize = 4
)

// parser reads the events of a log.
type parser struct {
	wanted    func(database, table string) bool
	checksum  bool
	tables    map[uint64]*tableMap
	statement string // that the row events come from, where the log says it
	now       []commits.Change
	prepared  map[string][]commits.Change // by the XA transaction's name, as statements in the log have it
	out       []commits.Commit
}

// stream reads events to their end. The descriptions of the format that they begin with say how they are read.
func (p *parser) stream(in io.Reader) error {
	p.tables = map[uint64]*tableMap{}
	var event []byte
	for at := int64(0); ; at += int64(len(event)) {
		var header [headerSize]byte
		switch _, err := io.ReadFull(in, header[:]); {
		case errors.Is(err, io.EOF):
			if len(p.now) > 0 {
				return errors.New("it ends within a transaction")
			}
			return nil
		case err != nil:
			return fmt.Errorf("at %d: %w", at, err)
		}
		size := int64(binary.LittleEndian.Uint32(header[9:]))
		if size < headerSize {
			return fmt.Errorf("at %d: an event of %d bytes", at, size)
		}
		var body bytes.Buffer
		body.Write(header[:])
		if n, err := io.CopyN(&body, in, size-headerSize); err != nil {
			return fmt.Errorf("at %d: the event has %d bytes of %d", at, headerSize+n, size)
		}
		event = body.Bytes()
		if err := p.event(event); err != nil {
			return fmt.Errorf("at %d: %w", at, err)
		}
	}
}

// event reads one event.
func (p *parser) event(e []byte) error {
	kind := e[4]
	if kind == formatEvent && len(e) >= headerSize+checksumSize+1 {
		p.checksum = e[len(e)-checksumSize-1] == 1
	}
	if p.checksum {
		end := len(e) - checksumSize
		if end < headerSize {
			return errors.New("an event without its checksum")
		}
		sum := e[:end:end]
		if kind == formatEvent && sum[17]&1 != 0 { // the log is still in use: the flag was set after the sum was taken
			sum = bytes.Clone(sum)
			sum[17] &^= 1
		}
		if crc32.ChecksumIEEE(sum) != binary.LittleEndian.Uint32(e[end:]) {
			return errors.New("the checksum of an event is wrong")
		}
		e = e[:end]
	}
	r := &reader{b: e[headerSize:]}
	switch {
	case refused[kind] != "":
		return unread(refused[kind])
	case kind >= compressedFirst && kind <= compressedLast:
		return unread("a compressed event (log_bin_compress)")
	case kind == annotateEvent:
		p.statement = string(r.b)
	case kind == rowsQueryEvent:
		r.take(1)
		p.statement = string(r.b)
	case kind == tableMapEvent:
		p.table(r)
	case kind >= writeRowsV1 && kind <= deleteRowsV1, kind >= writeRowsV2 && kind <= deleteRowsV2:
		return p.rows(kind, r)
	case kind == xidEvent:
		p.commit()
	case kind == xaPrepareEvent:
		p.prepare(r)
	case kind == queryEvent:
		p.query(r)
	case kind == mysqlGTIDEvent, kind == anonymousEvent, kind == mariadbGTIDEvent:
		p.statement = ""
	}
	return r.err
}

func unread(what string) error {
	return &commits.UnreadableError{Source: source, Why: what + " is not read"}
}

func (p *parser) commit() {
	if len(p.now) > 0 {
		p.out = append(p.out, commits.Commit{Changes: p.now})
	}
	p.now, p.statement = nil, ""
}

// prepare reads the end of what an XA transaction has done: it commits there (ONE PHASE), or where a statement says so.
func (p *parser) prepare(r *reader) {
	onePhase := r.byte() != 0
	format, global, branch := r.uint(4), r.uint(4), r.uint(4)
	name := fmt.Sprintf("X'%x',X'%x',%d", r.take(int(global)), r.take(int(branch)), int32(format))
	if onePhase {
		p.commit()
		return
	}
	if p.prepared == nil {
		p.prepared = map[string][]commits.Change{}
	}
	p.prepared[name], p.now, p.statement = p.now, nil, ""
}

// end ends a prepared transaction. Of one that was prepared before the log was kept nothing is known: it was done
// before, too.
func (p *parser) end(name string, commit bool) {
	if commit {
		p.now = p.prepared[name]
	}
	delete(p.prepared, name)
	p.commit()
}

// query reads the end of a transaction where it is a statement. What else is logged as a statement changes no rows of
// tables that are logged by rows.
func (p *parser) query(r *reader) {
	r.take(8)
	schema := int(r.byte())
	r.take(2)
	r.take(int(r.uint(2)))
	r.take(schema + 1)
	statement := string(r.b)
	committed, isCommit := strings.CutPrefix(statement, "XA COMMIT ")
	undone, isRollback := strings.CutPrefix(statement, "XA ROLLBACK ")
	switch {
	case statement == "COMMIT":
		p.commit()
	case statement == "ROLLBACK":
		p.now, p.statement = nil, ""
	case isCommit:
		p.end(committed, true)
	case isRollback:
		p.end(undone, false)
	}
}

// tableMap is what row events know of a table.
type tableMap struct {
	database, name string
	types          []byte
	meta           []uint16
}

func (p *parser) table(r *reader) {
	id := r.uint(6)
	r.take(2)
	t := &tableMap{}
	for _, name := range []*string{&t.database, &t.name} {
		*name = string(r.take(int(r.byte())))
		r.take(1)
	}
	t.types = bytes.Clone(r.take(r.length()))
	if len(t.types) == 0 && r.err == nil { // rows of it would have no length
		r.err = errors.New("a table without columns")
	}
	m := &reader{b: r.take(r.length())}
	for _, kind := range t.types {
		var meta uint16
		switch kind {
		case typeFloat, typeDouble, typeBlob, typeJSON, typeGeometry, typeTimestamp2, typeDatetime2, typeTime2:
			meta = uint16(m.byte())
		case typeVarchar, typeBit, typeDecimal, typeString, typeVarString, typeEnum, typeSet:
			meta = uint16(m.uint(2))
		}
		t.meta = append(t.meta, meta)
	}
	if m.err != nil {
		r.err = m.err
	}
	p.tables[id] = t
}

// rows reads the rows of one event.
func (p *parser) rows(kind byte, r *reader) error {
	t := p.tables[r.uint(6)]
	r.take(2)
	if kind >= writeRowsV2 {
		r.take(int(r.uint(2)) - 2)
		kind -= writeRowsV2 - writeRowsV1
	}
	if t == nil || r.err != nil {
		if r.err == nil && len(r.b) <= 1 {
			return nil // MySQL ends some statements with an event of no table
		}
		return errors.New("rows of a table that the log does not describe")
	}
	if !p.wanted(t.database, t.name) {
		return nil
	}
	if n := r.length(); n != len(t.types) {
		return fmt.Errorf("rows of %s have %d columns, not %d", t.name, n, len(t.types))
	}
	images := 1
	if kind == updateRowsV1 {
		images = 2
	}
	for range images {
		if err := t.whole(r); err != nil {
			return err
		}
	}
	for len(r.b) > 0 {
		c, err := p.change(kind, t, r)
		if err != nil {
			return err
		}
		p.now = append(p.now, c)
	}
	return nil
}

// change reads one row, as it was and as it became.
func (p *parser) change(kind byte, t *tableMap, r *reader) (c commits.Change, err error) {
	c = commits.Change{Table: t.name}
	if kind != writeRowsV1 {
		if c.Before, err = t.image(r); err != nil {
			return c, err
		}
	}
	if kind == deleteRowsV1 {
		c.Deletion, c.Marked = markOf(p.statement)
		return c, nil
	}
	c.After, err = t.image(r)
	return c, err
}

// whole reads which columns the rows of an event have, and refuses those that lack some.
func (t *tableMap) whole(r *reader) error {
	for i := range t.types {
		if i%8 == 0 && len(r.b) <= i/8 {
			return errShort
		}
		if r.b[i/8]>>(i%8)&1 == 0 {
			return fmt.Errorf("rows of %s lack columns (binlog_row_image must be FULL)", t.name)
		}
	}
	r.take((len(t.types) + 7) / 8)
	return nil
}

const (
	markBegins = "/* deletion "
	markEnds   = " */"
)

// mark is a comment for a DELETE: it names the version that the deletion is, which its rows in the log do not say.
func mark(version int64) string { return " " + markBegins + strconv.FormatInt(version, 10) + markEnds }

func markOf(statement string) (int64, bool) {
	_, mark, _ := strings.Cut(statement, markBegins)
	version, _, ok := strings.Cut(mark, markEnds)
	n, err := strconv.ParseInt(version, 10, 64)
	return n, ok && err == nil
}

// image reads one row.
func (t *tableMap) image(r *reader) ([]commits.Field, error) {
	out := make([]commits.Field, len(t.types))
	nulls := r.take((len(t.types) + 7) / 8)
	for i := range t.types {
		if r.err != nil {
			return nil, r.err
		}
		if nulls[i/8]>>(i%8)&1 != 0 {
			out[i].Known = true
			continue
		}
		v, known, err := readValue(r, t.types[i], t.meta[i])
		if err != nil {
			return nil, fmt.Errorf("column %d of %s: %w", i+1, t.name, err)
		}
		out[i] = commits.Field{Value: v, Known: known}
	}
	return out, r.err
}

// Types of columns.
const (
	typeTiny       = 1
	typeShort      = 2
	typeLong       = 3
	typeFloat      = 4
	typeDouble     = 5
	typeTimestamp  = 7
	typeLongLong   = 8
	typeInt24      = 9
	typeDate       = 10
	typeTime       = 11
	typeDatetime   = 12
	typeYear       = 13
	typeVarchar    = 15
	typeBit        = 16
	typeTimestamp2 = 17
	typeDatetime2  = 18
	typeTime2      = 19
	typeJSON       = 245
	typeDecimal    = 246
	typeEnum       = 247
	typeSet        = 248
	typeBlob       = 252
	typeVarString  = 253
	typeString     = 254
	typeGeometry   = 255
)

var integers = map[byte]int{typeTiny: 1, typeShort: 2, typeInt24: 3, typeLong: 4, typeLongLong: 8}

// fixed are the sizes of what is passed over.
var fixed = map[byte]int{typeFloat: 4, typeDouble: 8, typeTimestamp: 4, typeDate: 3, typeTime: 3,
	typeDatetime: 8, typeYear: 1}

// readValue reads an integer, taken to be signed, or a string. Others are passed over, where their size is known.
func readValue(r *reader, kind byte, meta uint16) (v history.Value, known bool, err error) {
	if n := integers[kind]; n > 0 {
		u := r.uint(n)
		return history.IntValue(int64(u<<(64-8*n)) >> (64 - 8*n)), true, nil
	}
	fraction := (int(meta) + 1) / 2
	size := fixed[kind]
	switch kind {
	case typeVarchar, typeVarString:
		n := 1
		if meta > 255 {
			n = 2
		}
		return history.TextValue(string(r.take(int(r.uint(n))))), true, nil
	case typeBlob:
		return history.TextValue(string(r.take(int(r.uint(min(int(meta), 4)))))), true, nil
	case typeJSON, typeGeometry:
		size = int(r.uint(min(int(meta), 4)))
	case typeString:
		real := byte(meta)
		if real == typeEnum || real == typeSet {
			size = int(meta >> 8)
			break
		}
		// The two high bits of a length over 255 are hidden, inverted, in the type.
		n := 1
		if int(meta>>8)|int(^real&0x30)<<4 > 255 {
			n = 2
		}
		return history.TextValue(string(r.take(int(r.uint(n))))), true, nil
	case typeTimestamp2:
		size = 4 + fraction
	case typeDatetime2:
		size = 5 + fraction
	case typeTime2:
		size = 3 + fraction
	case typeBit:
		size = int(meta>>8) + (int(meta&0xff)+7)/8
	case typeDecimal:
		size = decimalSize(int(meta&0xff)-int(meta>>8)) + decimalSize(int(meta>>8))
	default:
		if size == 0 {
			return v, false, fmt.Errorf("type %d is not read", kind)
		}
	}
	r.take(size)
	return v, false, nil
}

// decimalSize is how many bytes so many decimal digits take: four for nine of them.
func decimalSize(digits int) int {
	return digits/9*4 + [...]int{0, 1, 1, 2, 2, 3, 3, 4, 4}[max(digits, 0)%9]
}

// reader reads the parts of an event. After an error it gives zeros.
type reader struct {
	b   []byte
	err error
}

var errShort = errors.New("an event is too short")

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.err, r.b = errShort, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte { return byte(r.uint(1)) }

// uint reads a little-endian integer of n bytes.
func (r *reader) uint(n int) uint64 {
	var v uint64
	for i, b := range r.take(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// length reads a length-encoded integer that counts bytes of the event.
func (r *reader) length() int {
	n := uint64(r.byte())
	switch n {
	case 0xfc:
		n = r.uint(2)
	case 0xfd:
		n = r.uint(3)
	case 0xfe:
		n = r.uint(8)
	}
	if n > 1<<30 {
		r.err = errShort
		return 0
	}
	return int(n)
}
