package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"txweave/history"
	"txweave/history/register"
)

// abortedTxn is the transaction that Plume and AWDIT give to aborted writes. Here each becomes one of its own, numbered
// downwards from it, below all others.
const abortedTxn = -1

func looksText(head []byte) bool {
	_, ok := parseTextLine(firstLine(head))
	return ok
}

// firstLine returns the first line that is not blank, without white space at its ends.
func firstLine(head []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return bytes.TrimSpace(line)
}

// textOp is one line of the text format.
type textOp struct {
	key, value, session, txn int64
	write                    bool
}

// parseTextLine reads "r(key,value,session,transaction)".
func parseTextLine(line []byte) (op textOp, ok bool) {
	if len(line) < len("r(0,0,0,0)") || line[0] != 'r' && line[0] != 'w' || line[1] != '(' || line[len(line)-1] != ')' {
		return op, false
	}
	op.write = line[0] == 'w'
	rest := line[2 : len(line)-1]
	for i, to := range []*int64{&op.key, &op.value, &op.session, &op.txn} {
		n, used := parseInt(rest)
		if used == 0 {
			return op, false
		}
		*to = n
		rest = rest[used:]
		if i == 3 {
			break
		}
		if len(rest) == 0 || rest[0] != ',' {
			return op, false
		}
		for rest = rest[1:]; len(rest) > 0 && rest[0] == ' '; rest = rest[1:] {
		}
	}
	return op, len(rest) == 0
}

// parseInt reads a decimal integer at the start of s; used is 0 where there is none that fits.
func parseInt(s []byte) (n int64, used int) {
	i := 0
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		i++
	}
	start := i
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d := int64(s[i] - '0')
		if n > (1<<63-1-d)/10 {
			return 0, 0
		}
		n = n*10 + d
	}
	if i == start {
		return 0, 0
	}
	if neg {
		n = -n
	}
	return n, i
}

// textReader collects the operations of transactions, whose lines may stand anywhere.
type textReader struct {
	ops     [][]textItem // in chunks: a file may hold many millions
	n       int          // operations
	txns    []textTxn
	index   map[int64]int32 // of txns, by transaction
	last    int32           // the transaction of the line before; -1 for none
	apart   bool            // a transaction's lines do not stand together
	aborted []textOp
}

// textItem is one operation of a transaction that was not aborted.
type textItem struct {
	key, value int64
	txn        int32 // index in txns
	write      bool
}

type textTxn struct {
	session, id int64
	n           int // operations
}

// readText reads lines r(k,v,s,t) and w(k,v,s,t). A key holds 0 before it is written. The transactions of one
// session come in session order.
func readText(r io.Reader, b *register.Builder) error {
	t := &textReader{index: map[int64]int32{}, last: -1}
	err := eachLine(r, func(n int, line []byte) error {
		op, ok := parseTextLine(line)
		if !ok {
			return at(n, "want r(key,value,session,transaction) or w(…), not %q", clip(line))
		}
		return t.add(n, op)
	})
	if err != nil {
		return err
	}
	t.build(b)
	return nil
}

// eachLine calls do with every line that is not blank, without white space at its ends. The line is the
// callee's until the next call.
func eachLine(r io.Reader, do func(n int, line []byte) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for in.Scan() {
		n++
		line := in.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := do(n, line); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return at(n+1, "a line longer than %d MiB", maxLine>>20)
	}
	return in.Err()
}

// maxLine bounds what one line may take.
const maxLine = 64 << 20

func clip(b []byte) string {
	const limit = 60
	if len(b) > limit {
		return string(b[:limit]) + "…"
	}
	return string(b)
}

func (t *textReader) add(line int, op textOp) error {
	if op.txn == abortedTxn {
		if op.write {
			t.aborted = append(t.aborted, op)
		}
		return nil
	}
	if t.last < 0 || t.txns[t.last].id != op.txn {
		i, known := t.index[op.txn]
		if !known {
			i = int32(len(t.txns))
			t.index[op.txn] = i
			t.txns = append(t.txns, textTxn{session: op.session, id: op.txn})
		}
		t.apart = t.apart || known
		t.last = i
	}
	x := &t.txns[t.last]
	if x.session != op.session {
		return at(line, "transaction %d is in session %d and in session %d", op.txn, x.session, op.session)
	}
	x.n++
	t.append(textItem{op.key, op.value, t.last, op.write})
	return nil
}

// textChunk is how many operations lie together.
const textChunk = 1 << 15

func (t *textReader) append(op textItem) {
	if t.n%textChunk == 0 {
		t.ops = append(t.ops, make([]textItem, 0, textChunk))
	}
	last := &t.ops[len(t.ops)-1]
	*last = append(*last, op)
	t.n++
}

// gather puts the operations of each transaction together.
func (t *textReader) gather() {
	next := make([]int, len(t.txns)) // where each transaction's next operation goes
	at := 0
	for i, x := range t.txns {
		next[i] = at
		at += x.n
	}
	sorted := make([]textItem, t.n)
	for _, chunk := range t.ops {
		for _, op := range chunk {
			sorted[next[op.txn]] = op
			next[op.txn]++
		}
	}
	t.ops = [][]textItem{sorted}
}

// build gives the transactions to the builder, in order of their first lines. Aborted writes become transactions
// of their own at the ends of their sessions.
func (t *textReader) build(b *register.Builder) {
	if t.apart {
		t.gather()
	}
	b.Grow(len(t.txns)+len(t.aborted), t.n+len(t.aborted))
	initial := len(t.txns) > 0 && t.startsWithInitial()
	if !initial {
		b.SetInitialValue(0)
	}
	open := int32(-1)
	for _, chunk := range t.ops {
		for _, op := range chunk {
			if op.txn != open {
				if open >= 0 {
					b.End(history.Committed, 0, 0)
				}
				if open = op.txn; open == 0 && initial {
					b.BeginInitial()
				} else {
					b.Begin(t.txns[open].session, t.txns[open].id)
				}
			}
			if op.write {
				b.Write(b.IntKey(op.key), op.value)
			} else {
				b.Read(b.IntKey(op.key), op.value)
			}
		}
	}
	if open >= 0 {
		b.End(history.Committed, 0, 0)
	}
	id := int64(abortedTxn)
	for _, x := range t.txns {
		id = min(id, x.id-1)
	}
	for i, op := range t.aborted {
		b.Begin(op.session, id-int64(i))
		b.Write(b.IntKey(op.key), op.value)
		b.End(history.Aborted, 0, 0)
	}
}

// startsWithInitial tells whether the file spells out its initial transaction, as IsoVista's do: transaction 0,
// alone in session 0, writes every key of the history, so that nobody reads a 0 that is not its own.
func (t *textReader) startsWithInitial() bool {
	first := t.txns[0]
	if first.id != 0 || first.session != 0 || slices.ContainsFunc(t.txns[1:], func(x textTxn) bool { return x.session == 0 }) {
		return false
	}
	written := map[int64]int64{}
	for _, chunk := range t.ops {
		for _, op := range chunk {
			if op.txn == 0 {
				if !op.write {
					return false
				}
				written[op.key] = op.value
			}
			v, ok := written[op.key]
			if !ok || !op.write && op.value == 0 && v != 0 {
				return false
			}
		}
	}
	return true
}

func looksAWDIT(head []byte) bool {
	line := firstLine(head)
	f := bytes.Fields(line)
	return len(line) > 0 && bytes.Trim(line, "=-") == nil || len(f) == 3 && (string(f[0]) == "r" || string(f[0]) == "w")
}

// readAWDIT reads AWDIT's tests: "r key value" and "w key value", transactions parted by lines of '-', sessions by
// lines of '='. There are no initial values.
func readAWDIT(r io.Reader, b *register.Builder) error {
	session, txn, open := int64(0), int64(0), false
	end := func() {
		if open {
			b.End(history.Committed, 0, 0)
			open = false
		}
	}
	err := eachLine(r, func(n int, line []byte) error {
		switch {
		case len(bytes.Trim(line, "=")) == 0:
			end()
			session++
			return nil
		case len(bytes.Trim(line, "-")) == 0:
			end()
			return nil
		}
		f := bytes.Fields(line)
		if len(f) != 3 || string(f[0]) != "r" && string(f[0]) != "w" {
			return at(n, "want \"r key value\", \"w key value\", a line of - or a line of =, not %q", clip(line))
		}
		key, usedKey := parseInt(f[1])
		value, usedValue := parseInt(f[2])
		if usedKey != len(f[1]) || usedValue != len(f[2]) {
			return at(n, "key and value must be integers, not %q", clip(line))
		}
		if !open {
			b.Begin(session, txn)
			txn++
			open = true
		}
		if f[0][0] == 'w' {
			b.Write(b.IntKey(key), value)
		} else {
			b.Read(b.IntKey(key), value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	end()
	return nil
}
