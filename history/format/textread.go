package format

import (
	"errors"
	"io"
	"strconv"

	"txweave/history"
	"txweave/history/register"
)

// readText reads lines r(k,v,s,t) and w(k,v,s,t). A key holds 0 before it is written. The transactions of one
// session come in session order, in order of their first lines.
func readText(r io.Reader, to *sink) error {
	t := &textReader{to: to}
	err := inOrder(lineChunks(r, chunkSize), scanText, t.chunk)
	if err != nil {
		return err
	}
	if t.apart != nil {
		to.Builder = t.apart.build()
	} else {
		t.close()
	}
	t.finish()
	return nil
}

// textReader gives transactions to the builder as they come, as long as the lines of each stand together.
type textReader struct {
	to      *sink
	open    bool
	txn     int64 // the transaction of the line before, where one is open
	session int64 // its session
	seen    idSet
	apart   *textParts
	aborted []textOp
}

// chunk takes the lines of one part.
func (t *textReader) chunk(c *textChunk) error {
	for i := range c.ops {
		if err := t.op(&c.ops[i]); errors.Is(err, ErrApart) {
			return err
		} else if err != nil {
			return at(c.ops[i].line, "%v", err)
		}
	}
	if c.err != nil {
		return c.err
	}
	t.to.took(len(c.text))
	c.release()
	return nil
}

func (t *textReader) op(op *textOp) error {
	if op.txn == abortedTxn {
		if op.write {
			t.aborted = append(t.aborted, *op)
		}
		return nil
	}
	if t.apart != nil {
		return t.apart.add(*op)
	}
	if !t.open || t.txn != op.txn {
		if !t.seen.add(op.txn) { // its lines do not stand together: all is gathered first
			if t.to.streamed {
				return ErrApart
			}
			t.close()
			t.apart = newTextParts(t.to.Builder.History())
			return t.apart.add(*op)
		}
		t.close()
		t.to.Begin(op.session, op.txn)
		t.open, t.txn, t.session = true, op.txn, op.session
	}
	if t.session != op.session {
		return twoSessions(op.txn, t.session, op.session)
	}
	if key := t.to.IntKey(op.key); op.write {
		t.to.Write(key, op.value)
	} else {
		t.to.Read(key, op.value)
	}
	return nil
}

func (t *textReader) close() {
	if t.open {
		t.to.End(history.Committed, 0, 0)
		t.open = false
	}
}

// finish makes the first transaction the initial one where the file spells it out, as IsoVista's do: transaction 0,
// alone in session 0, writes every key of the history, so that nobody reads a 0 that is not its own. Aborted writes
// become transactions of their own at the ends of their sessions.
func (t *textReader) finish() {
	if !t.to.FirstIsInitial() {
		t.to.SetInitialValue(0)
	}
	id := t.to.LowestID(abortedTxn)
	for i, op := range t.aborted {
		t.to.Begin(op.session, id-int64(i))
		t.to.Write(t.to.IntKey(op.key), op.value)
		t.to.End(history.Aborted, 0, 0)
	}
}

// textParts gathers the operations of transactions whose lines stand anywhere.
type textParts struct {
	ops   []textItem
	txns  []textTxn
	index map[int64]int32 // of txns, by transaction
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

// newTextParts begins with what has been read already.
func newTextParts(h *register.History) *textParts {
	p := &textParts{index: map[int64]int32{}}
	for t := range h.Txns {
		x := &h.Txns[t]
		p.index[x.ID] = int32(t)
		p.txns = append(p.txns, textTxn{h.SessionID(x.Session), x.ID, len(h.TxnOps(t))})
		for _, op := range h.TxnOps(t) {
			key, _ := strconv.ParseInt(h.KeyName(op.Key), 10, 64) // a text has no other keys
			p.ops = append(p.ops, textItem{key, op.Value, int32(t), op.Kind == register.Write})
		}
	}
	return p
}

func (p *textParts) add(op textOp) error {
	i, known := p.index[op.txn]
	if !known {
		i = int32(len(p.txns))
		p.index[op.txn] = i
		p.txns = append(p.txns, textTxn{session: op.session, id: op.txn})
	}
	x := &p.txns[i]
	if x.session != op.session {
		return twoSessions(op.txn, x.session, op.session)
	}
	x.n++
	p.ops = append(p.ops, textItem{op.key, op.value, i, op.write})
	return nil
}

// build gives the transactions to a builder, in order of their first lines.
func (p *textParts) build() *register.Builder {
	next := make([]int, len(p.txns)) // where each transaction's next operation goes
	at := 0
	for i, x := range p.txns {
		next[i] = at
		at += x.n
	}
	sorted := make([]textItem, len(p.ops))
	for _, op := range p.ops {
		sorted[next[op.txn]] = op
		next[op.txn]++
	}
	b := register.NewBuilder(len(p.txns), len(p.ops))
	for _, x := range p.txns {
		b.Begin(x.session, x.id)
		for _, op := range sorted[:x.n] {
			if key := b.IntKey(op.key); op.write {
				b.Write(key, op.value)
			} else {
				b.Read(key, op.value)
			}
		}
		sorted = sorted[x.n:]
		b.End(history.Committed, 0, 0)
	}
	return b
}
