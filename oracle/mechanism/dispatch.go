package mechanism

import (
	"sync"
	"time"

	"txweave/dbms"
	"txweave/history"
)

// source is one session in the global heap, ordered by its next operation's start; a session whose buffer is empty
// stands at the earliest start that may come.
type source struct {
	s    *LocalBuffer
	buf  chunk
	key  int64
	open *txn // &txn, or nil
	txn  txn
}

// sources is the global min-heap.
type sources []*source

func (h sources) less(i, j int) bool {
	return h[i].key < h[j].key || h[i].key == h[j].key && h[i].s.id < h[j].s.id
}

// down restores the order after h[0] has become later.
func (h sources) down() {
	for i := 0; ; {
		least := 2*i + 1
		if least >= len(h) {
			return
		}
		if least+1 < len(h) && h.less(least+1, least) {
			least++
		}
		if !h.less(least, i) {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// txn is a transaction as the dispatcher knows it.
type txn struct {
	node   *node
	local  []*part // by partition; nil where it touched nothing
	begin  int64   // start of its first operation
	lo, hi int64   // interval of its snapshot
	taken  bool    // a statement that succeeded took it: lo and hi are final
	tried  bool    // one that failed may have taken it: lo is final
	lastOK int64   // start of its last operation that succeeded
	last   int64   // end of its last operation
}

// retired is a transaction that ended and whose reads may still be waiting for others.
type retired struct{ begin, last int64 }

// dispatcher merges the sessions and deals operations out to the partitions (Leopard, Algorithm 1 and appendix II).
type dispatcher struct {
	v       *Verifier
	promise *dbms.Mechanisms
	heap    sources
	parts   []*partition
	cert    *certifier
	batch   []*batch // being filled, by partition
	ended   []*node  // in this batch
	n       int      // operations in this batch
	seq     int64    // number of the operation
	retired []retired
	stats   TraceStats
	free    sync.Pool
}

// batchOps is how many operations are handed on at once.
const batchOps = 2048

func newDispatcher(v *Verifier) *dispatcher {
	d := &dispatcher{v: v, promise: &v.opt.Promise}
	d.cert = newCertifier(v)
	for i := range v.opt.Partitions {
		d.parts = append(d.parts, newPartition(v, i))
	}
	d.cert.from = d.parts
	d.batch = make([]*batch, len(d.parts))
	d.renew()
	return d
}

func (d *dispatcher) renew() {
	for i := range d.batch {
		b, _ := d.free.Get().(*batch)
		if b == nil {
			b = &batch{}
		}
		b.events, b.acc, b.ranges = b.events[:0], b.acc[:0], b.ranges[:0]
		d.batch[i] = b
	}
}

// run does everything until the last session is closed.
func (d *dispatcher) run(initial []history.Access) *TraceReport {
	var work sync.WaitGroup
	for _, a := range initial {
		d.parts[d.home(a.ItemID)].load(a)
	}
	for _, p := range d.parts {
		work.Go(func() { p.run(&d.free) })
	}
	work.Go(d.cert.run)
	for _, s := range d.v.sessions {
		d.heap = append(d.heap, &source{s: s, key: never, txn: txn{local: make([]*part, len(d.parts))}})
	}
	for len(d.heap) > 0 {
		d.step()
	}
	d.flush(forever)
	for _, p := range d.parts {
		close(p.in)
	}
	close(d.cert.in)
	work.Wait()
	return d.finish()
}

// step dispatches what the session with the earliest operation has before any other's, or fetches from it: the
// session that holds all others back is the one to fetch from (adaptive fetching).
func (d *dispatcher) step() {
	top := d.heap[0]
	if top.buf.at == len(top.buf.ops) {
		d.fetch(top)
		return
	}
	next, id := int64(forever), len(d.v.sessions)
	for i := 1; i < min(3, len(d.heap)); i++ {
		if h := d.heap[i]; h.key < next || h.key == next && h.s.id < id {
			next, id = h.key, h.s.id
		}
	}
	for top.buf.at < len(top.buf.ops) { // a run of them at once (batch dispatch)
		start := top.buf.ops[top.buf.at].start
		if start > next || start == next && top.s.id > id {
			break
		}
		op := top.buf.next()
		d.dispatch(top, &op)
		if d.n >= batchOps {
			d.flush(start)
		}
	}
	top.key = d.nextKey(top)
	d.heap.down()
}

func (d *dispatcher) nextKey(s *source) int64 {
	if s.buf.at < len(s.buf.ops) {
		return s.buf.ops[s.buf.at].start
	}
	return max(s.key, s.buf.ops[len(s.buf.ops)-1].start)
}

// fetch gets what a session has. If that is nothing, what was dispatched is handed on and the session waited for. Of a
// recorded trace nothing is handed on then: where batches end decides what is forgotten, and so in which words a
// violation is told, and may not depend on how fast the trace is read.
func (d *dispatcher) fetch(top *source) {
	for waited := false; ; waited = true {
		low, closed := top.s.take(&top.buf)
		switch {
		case len(top.buf.ops) > 0:
			top.key = top.buf.ops[0].start
		case closed:
			if top.open != nil {
				d.lose(top)
			}
			last := len(d.heap) - 1
			d.heap[0] = d.heap[last]
			d.heap = d.heap[:last]
			d.heap.down()
			return
		case low > top.key:
			top.key = low
		default:
			if !waited && !d.v.recorded {
				d.flush(top.key)
			}
			top.s.wanted.Store(true)
			d.v.starving.Store(true)
			select {
			case <-d.v.wake:
			case <-time.After(fetchEvery):
			}
			d.v.starving.Store(false)
			continue
		}
		d.heap.down()
		return
	}
}

// flush hands the batch on. Every operation that starts before watermark is in it or in an earlier one.
func (d *dispatcher) flush(watermark int64) {
	horizon := d.horizon(watermark)
	for i, p := range d.parts {
		d.batch[i].watermark, d.batch[i].horizon = watermark, horizon
		p.in <- d.batch[i]
	}
	d.cert.in <- certBatch{ended: d.ended, horizon: horizon}
	d.ended = make([]*node, 0, len(d.ended))
	d.v.operations.Add(int64(d.n))
	d.v.watermark.Store(watermark)
	d.n = 0
	d.renew()
}

// horizon is the earliest moment that anything still to be checked can look at: the S_e of Definition 4.
func (d *dispatcher) horizon(watermark int64) int64 {
	h := watermark
	for _, s := range d.heap {
		if s.open != nil {
			h = min(h, s.open.begin)
		}
	}
	keep := d.retired[:0]
	for _, r := range d.retired {
		if r.last >= d.v.watermark.Load() { // it was still waiting when this batch began
			h = min(h, r.begin)
			keep = append(keep, r)
		}
	}
	d.retired = keep
	return h
}

// home is the partition of an item.
func (d *dispatcher) home(i history.ItemID) int {
	if len(d.parts) == 1 {
		return 0
	}
	h := (uint64(i.Key) + uint64(i.Table)<<32) * 0x9E3779B97F4A7C15
	return int((h >> 32) * uint64(len(d.parts)) >> 32)
}

// event returns the event of the current operation in a partition, which it begins where there is none.
func (d *dispatcher) event(p int, t *txn, kind eventKind, op *history.Operation) *event {
	b := d.batch[p]
	if n := len(b.events); n > 0 && b.events[n-1].seq == d.seq {
		return &b.events[n-1]
	}
	if t.local[p] == nil {
		t.local[p] = &part{node: t.node, id: t.node.id}
	}
	b.events = append(b.events, event{seq: d.seq, kind: kind, t: t.local[p], start: op.Start, end: op.End,
		unlocks: op.Unlocks, lock: op.Lock, r0: len(b.acc), r1: len(b.acc), w1: len(b.acc)})
	return &b.events[len(b.events)-1]
}

// dispatch deals out one operation.
func (d *dispatcher) dispatch(s *source, op *history.Operation) {
	d.seq++
	d.n++
	if op.Kind == history.OpClose || op.Kind == history.OpLoad {
		return
	}
	d.stats.Operations++
	t := s.open
	if t == nil {
		t = &s.txn
		clear(t.local)
		*t = txn{node: &node{id: op.Txn, begin: op.Start}, local: t.local, begin: op.Start, lastOK: op.Start}
		if d.cert.graph != nil {
			t.node.conflictNode = new(conflictNode)
		}
		s.open = t
	}
	t.last = max(t.last, op.End)
	switch op.Kind {
	case history.OpBegin:
		switch {
		case op.Snapshot:
			t.snapshot(op)
		case d.promise.SnapshotAt == dbms.AtBegin:
			// The timestamp is asked for at BEGIN, and waited for only by the first statement that needs it.
			t.lo, t.hi, t.tried = op.Start, op.End, true
		}
	case history.OpRead, history.OpWrite:
		d.statement(t, op)
	case history.OpCommit, history.OpAbort:
		d.end(s, op)
		return
	}
	if op.Outcome == history.OpOK {
		t.lastOK = op.Start
	}
}

// snapshot notes that an operation took the transaction's snapshot, unless one before it did.
func (t *txn) snapshot(op *history.Operation) {
	if t.taken {
		return
	}
	if !t.tried {
		t.lo = op.Start
	}
	t.hi, t.tried, t.taken = op.End, true, op.Outcome == history.OpOK
}

// statement deals out a query or DML.
func (d *dispatcher) statement(t *txn, op *history.Operation) {
	plain := op.Kind == history.OpRead && op.Lock == history.LockNone
	scope := d.promise.ConsistentRead
	if scope == dbms.PerTransaction && (plain || d.promise.SnapshotAt != dbms.AtFirstRead) {
		t.snapshot(op)
	}
	if op.Outcome == history.OpFailed {
		return
	}
	kind := evRow
	lo, hi := op.Start, op.End
	switch {
	case plain && scope == dbms.NoConsistentRead:
		kind = evUnchecked
	case (plain || d.promise.DMLView == dbms.Snapshot) && scope == dbms.PerTransaction:
		kind, lo, hi = evSnapshot, t.lo, t.hi
	case plain || d.promise.DMLView == dbms.Snapshot:
		kind = evStatement
	}
	if op.Outcome == history.OpUnknown {
		kind = evUnchecked
	}
	for _, a := range op.Reads {
		p := d.home(a.ItemID)
		e, b := d.event(p, t, kind, op), d.batch[p]
		b.acc = append(b.acc, a)
		e.lo, e.hi = lo, hi
		e.r1, e.w1 = len(b.acc), len(b.acc)
	}
	if len(op.Ranges) > 0 && kind != evUnchecked {
		for p, b := range d.batch {
			e := d.event(p, t, kind, op)
			e.lo, e.hi, e.g0 = lo, hi, len(b.ranges)
			b.ranges = append(b.ranges, op.Ranges...)
			e.g1 = len(b.ranges)
		}
	}
	for _, a := range op.Writes {
		p := d.home(a.ItemID)
		e, b := d.event(p, t, kind, op), d.batch[p]
		b.acc = append(b.acc, a)
		e.w1 = len(b.acc)
		t.node.wrote = true
	}
}

// end ends the session's transaction.
func (d *dispatcher) end(s *source, op *history.Operation) {
	t := s.open
	s.open = nil
	n := t.node
	d.stats.Transactions++
	n.lo, n.hi, n.snapped = t.lo, t.hi, t.tried
	n.cs, n.ce, n.rs = op.Start, op.End, op.Start
	switch {
	case op.Outcome == history.OpUnknown && op.Kind == history.OpAbort:
		// its connection was ended, at any time since it last answered
		n.outcome, n.rs = aborted, t.lastOK
		d.stats.Aborted++
	case op.Outcome == history.OpUnknown:
		n.outcome, n.ce, n.rs = unknown, forever, t.lastOK
		d.stats.Unknown++
	case op.Kind == history.OpCommit && op.Outcome == history.OpOK:
		n.outcome = committed
		d.stats.Committed++
	default:
		n.outcome = aborted
		d.stats.Aborted++
	}
	d.retired = append(d.retired, retired{t.begin, t.last})
	d.ended = append(d.ended, n)
	for p, l := range t.local {
		if l != nil {
			d.event(p, t, evEnd, op)
		}
	}
}

// lose ends the transaction that a session left open: it may have committed at any time after its last operation, or
// never.
func (d *dispatcher) lose(s *source) {
	d.seq++
	d.end(s, &history.Operation{Kind: history.OpCommit, Outcome: history.OpUnknown, Start: s.key, End: forever})
}

// finish puts the report together.
func (d *dispatcher) finish() *TraceReport {
	r := &TraceReport{Stats: d.stats}
	vs := d.cert.out.violations
	r.Dropped = d.cert.out.dropped
	for _, p := range d.parts {
		p.stats.Items = int64(p.items.n)
		r.Stats.add(&p.stats)
		vs = append(vs, p.out.violations...)
		r.Dropped += p.out.dropped
	}
	sortViolations(vs)
	over := 0
	r.Violations, over = cut(vs, d.v.opt.Limit)
	r.Dropped += over
	r.NotChecked = notChecked(d.promise)
	return r
}

// notChecked says which mechanisms the level does not promise.
func notChecked(c *dbms.Mechanisms) []string {
	var out []string
	for _, m := range []struct {
		name Mechanism
		have bool
	}{
		{CR, c.ConsistentRead != dbms.NoConsistentRead}, {ME, c.MutualExclusion},
		{FUW, c.FirstUpdaterWins}, {SC, c.Certifier != dbms.NoCertifier},
	} {
		if !m.have {
			out = append(out, string(m.name)+": the level does not promise it")
		}
	}
	return out
}
