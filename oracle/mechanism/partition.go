package mechanism

import (
	"slices"
	"sync"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// outcome is how a transaction ended.
type outcome uint8

const (
	open outcome = iota
	committed
	aborted
	unknown // it may have committed, at any time from cs on
)

// eventKind says what an operation means to a partition: for a statement, at which moment it read.
type eventKind uint8

const (
	evUnchecked eventKind = iota // reads are not checked
	evSnapshot                   // the transaction's snapshot, in [lo, hi]
	evStatement                  // one moment in [lo, hi] for all that the statement read
	evRow                        // a moment in [lo, hi] for each row by itself
	evEnd                        // the transaction ended; its node says how
)

// event is one operation, as far as it touches one partition.
type event struct {
	seq        int64
	kind       eventKind
	lock       history.LockIntent
	t          *part
	start, end int64
	unlocks    int64 // its locks may be gone from then on; 0: when its transaction ends
	lo, hi     int64
	r0, r1, w1 int // acc[r0:r1] was read, acc[r1:w1] written
	g0, g1     int // ranges[g0:g1] were read whole
}

// batch is a run of events, in order of start.
type batch struct {
	events    []event
	acc       []history.Access
	ranges    []history.KeyRange
	watermark int64 // later events start no earlier
	horizon   int64 // nothing still to be checked looks at an earlier moment
}

// node is a transaction as all partitions and the certifier share it. The dispatcher writes it before it sends the
// transaction's end; from then on only the certifier touches it.
type node struct {
	id      int64
	begin   int64
	outcome outcome
	wrote   bool
	snapped bool
	lo, hi  int64 // snapshot
	cs, ce  int64 // commit or rollback
	rs      int64 // earliest release of its locks

	orderNode
	*conflictNode // nil where no certifier is claimed
}

// part is what one transaction did in one partition; it belongs to the partition.
type part struct {
	node   *node
	id     int64
	writes []ownWrite
	reads  []ownRead
	locked []*item
	own    map[*item]int // position in writes, once they are many
	checks int           // reads that wait for their check
	ended  bool
	done   bool // its end has been accounted for
	// Copies of the node's, once it has ended.
	outcome outcome
	snapped bool
	lo, hi  int64
	cs, ce  int64
	rs      int64
}

// ownWrite is the last version that a transaction wrote of an item. start and end are of its first write.
type ownWrite struct {
	it         *item
	value      int64
	payload    history.Payload
	start, end int64
	first, seq int64    // numbers of the operations of its first and of its last write
	prev       *version // the one that it surely overwrote; nil if not known
	anew       bool     // it deleted the row, and inserted another one of its key
}

// ownRead is a version that a transaction surely read: in an answer, or, where cond is not nil, as one that did not
// meet a condition and is in no answer.
type ownRead struct {
	it     *item
	v      *version
	cond   *history.PayloadFilter
	kind   eventKind
	locked bool
	lo, hi int64
	seq    int64
}

// seen is a version that a statement read.
type seen struct {
	it      *item
	version int64
	payload history.Payload
}

// waiting is a check or an account that can be made once all operations up to due are known.
type waiting struct {
	due, seq int64
	t        *part
	end      bool // account for the end of t
	told     bool // the reads are certain violations: say why
	ev       event
	reads    []seen
	ranges   []history.KeyRange
	writes   []*item
}

// waitingHeap is a min-heap by due, then seq.
type waitingHeap []*waiting

func (h waitingHeap) less(i, j int) bool {
	return h[i].due < h[j].due || h[i].due == h[j].due && h[i].seq < h[j].seq
}

func (h *waitingHeap) push(w *waiting) {
	*h = append(*h, w)
	a := *h
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !a.less(i, up) {
			break
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
}

func (h *waitingHeap) pop() *waiting {
	a := *h
	top, last := a[0], len(a)-1
	a[0], a[last] = a[last], nil
	a = a[:last]
	*h = a
	for i := 0; ; {
		least := 2*i + 1
		if least >= last {
			return top
		}
		if least+1 < last && a.less(least+1, least) {
			least++
		}
		if !a.less(least, i) {
			return top
		}
		a[i], a[least] = a[least], a[i]
		i = least
	}
}

// findings collects violations.
type findings struct {
	v          *Verifier
	violations []Violation
	kept       map[kind]int
	dropped    int
}

// kind is what violations have in common of which so many are kept: one that is seen everywhere hides no other.
type kind struct {
	mechanism  Mechanism
	what       fault.Kind
	phenomenon fault.Kind
}

func (v *Violation) kind() kind { return kind{v.Mechanism, v.What, v.Phenomenon} }

// add keeps a violation; of each kind 8 times the limit, because they are sorted before they are cut.
func (f *findings) add(v Violation) {
	f.v.found.Add(1)
	if f.v.opt.Found != nil {
		f.v.opt.Found(&v)
	}
	k := v.kind()
	if f.kept[k] >= 8*f.v.opt.Limit {
		f.dropped++
		return
	}
	if f.kept == nil {
		f.kept = map[kind]int{}
	}
	f.kept[k]++
	f.violations = append(f.violations, v)
}

// cut keeps of violations the first limit of each kind, and returns how many the others are.
func cut(vs []Violation, limit int) (kept []Violation, dropped int) {
	n := map[kind]int{}
	kept = slices.DeleteFunc(vs, func(v Violation) bool {
		n[v.kind()]++
		return n[v.kind()] > limit
	})
	return kept, len(vs) - len(kept)
}

// partition checks some of the items, in one goroutine.
type partition struct {
	v       *Verifier
	promise *dbms.Mechanisms
	id      int
	in      chan *batch
	to      chan []dep // to the certifier, one answer for each batch
	back    chan []dep // from it, to be used again
	items   itemTable
	tables  map[int32][]*item // for ranges
	wait    waitingHeap
	deps    []dep
	horizon int64
	// compactAt is how many items there have to be before deleted ones are forgotten.
	compactAt int
	stats     TraceStats
	out       findings
	// Scratch: of candidates, of one event, and what has been used and can be again.
	sure       []*version
	seen       []seen
	written    []*item
	freeWaits  []*waiting
	freeReads  spare[ownRead]
	freeWrites spare[ownWrite]
	freeItems  spare[*item]
	// conflicts says that the certifier wants every dependency, those that time implies too.
	conflicts bool
}

func newPartition(v *Verifier, id int) *partition {
	return &partition{v: v, promise: &v.opt.Promise, id: id, in: make(chan *batch, 8), to: make(chan []dep, 8),
		back:   make(chan []dep, 16),
		tables: map[int32][]*item{}, out: findings{v: v}, horizon: never, compactAt: minCompact,
		conflicts: wantsConflicts(&v.opt.Promise)}
}

// run handles batches until there are no more.
func (p *partition) run(free *sync.Pool) {
	for b := range p.in {
		p.horizon = b.horizon
		for i := range b.events {
			e := &b.events[i]
			p.advance(e.start)
			p.handle(b, e)
		}
		p.advance(b.watermark)
		p.v.passed[p.id].Store(b.horizon)
		p.compact()
		free.Put(b)
		p.to <- p.deps
		select {
		case p.deps = <-p.back:
		default:
			p.deps = nil
		}
	}
	close(p.to)
}

// advance makes the checks that were waiting for operations that start before now.
func (p *partition) advance(now int64) {
	for len(p.wait) > 0 && (p.wait[0].due < now || now == forever) {
		w := p.wait.pop()
		if w.end {
			p.account(w.t)
		} else {
			p.check(w)
		}
		*w = waiting{reads: w.reads[:0], writes: w.writes[:0], ranges: w.ranges[:0]}
		p.freeWaits = append(p.freeWaits, w)
	}
}

// check makes the checks of a statement, and accounts for its transaction if these were its last ones.
func (p *partition) check(w *waiting) {
	w.t.checks--
	for _, r := range w.reads {
		r.it.pins--
	}
	if w.told {
		for _, r := range w.reads {
			p.tell(&w.ev, r.it, r.version)
		}
	} else {
		p.checkReads(&w.ev, w.reads, w.ranges, w.writes)
	}
	if w.t.checks == 0 && w.t.ended && w.t.done {
		p.account(w.t)
	}
}

// later returns an empty entry for the waiting heap.
func (p *partition) later() *waiting {
	if n := len(p.freeWaits); n > 0 {
		w := p.freeWaits[n-1]
		p.freeWaits = p.freeWaits[:n-1]
		return w
	}
	return &waiting{}
}

// handle takes one event in.
func (p *partition) handle(b *batch, e *event) {
	if e.kind == evEnd {
		p.end(e)
		return
	}
	p.seen, p.written = p.seen[:0], p.written[:0]
	if e.kind == evUnchecked {
		p.stats.Unchecked += int64(e.r1 - e.r0)
	} else {
		for _, a := range b.acc[e.r0:e.r1] {
			p.saw(e, p.item(a.ItemID), &a)
		}
	}
	for _, a := range b.acc[e.r1:e.w1] {
		it := p.item(a.ItemID)
		p.written = append(p.written, it)
		p.write(e, it, &a)
	}
	for _, r := range b.ranges[e.g0:e.g1] {
		p.checkOwnRange(b, e, r)
	}
	if e.kind == evUnchecked || len(p.seen) == 0 && e.g0 == e.g1 {
		return
	}
	ranges := b.ranges[e.g0:e.g1]
	if e.hi < e.start {
		p.checkReads(e, p.seen, ranges, p.written)
		return
	}
	e.t.checks++
	w := p.later()
	w.due, w.seq, w.t, w.ev = e.hi, e.seq, e.t, *e
	w.reads, w.ranges, w.writes = append(w.reads, p.seen...), append(w.ranges, ranges...), append(w.writes, p.written...)
	for _, r := range p.seen {
		r.it.pins++
	}
	p.wait.push(w)
}

// saw takes a version in that a statement read: its own transaction's is checked at once, others' are left to
// checkReads.
func (p *partition) saw(e *event, it *item, a *history.Access) {
	version := a.Version
	if e.lock != history.LockNone && version != history.Absent {
		p.lock(it, e, lock{exclusive: e.lock == history.LockExclusive, entry: e.lock == history.LockEntries})
	}
	k := e.t.find(it)
	if k < 0 {
		p.seen = append(p.seen, seen{it, version, a.Payload})
		return
	}
	p.stats.Reads++
	switch w := &e.t.writes[k]; {
	case w.end == forever: // of unknown outcome
	case w.value != version:
		p.violation(fault.OwnWriteMissed, it, e, []int64{e.t.id}, p.ownWrite(e, w),
			finding.Say("its later statement in %v read %v", finding.Interval{From: e.start, To: e.end}, p.version(version)))
	case differ(w.payload, a.Payload):
		p.wrongPayload(e, it, e.t.id, version, w.payload, a.Payload)
	}
}

func (p *partition) ownWrite(e *event, w *ownWrite) finding.Sentence {
	during := finding.Interval{From: w.start, To: w.end}
	if w.value == history.Absent {
		return finding.Say("%v deleted %v in %v", finding.TxnNumber(e.t.id), p.name(w.it), during)
	}
	return finding.Say("%v wrote %v in %v", finding.TxnNumber(e.t.id), p.versionOf(w.value, w.it), during)
}

// find returns the position of the transaction's own write of an item, -1 if there is none.
func (t *part) find(it *item) int {
	if t.own != nil {
		if k, ok := t.own[it]; ok {
			return k
		}
		return -1
	}
	for k := range t.writes {
		if t.writes[k].it == it {
			return k
		}
	}
	return -1
}

// write notes a version that a transaction wrote.
func (p *partition) write(e *event, it *item, a *history.Access) {
	start, end := e.start, e.end
	if e.kind == evUnchecked { // of unknown outcome
		start, end = never, forever
	} else {
		p.lock(it, e, lock{exclusive: true, write: true})
	}
	if k := e.t.find(it); k >= 0 {
		w := &e.t.writes[k]
		it.hide(hidden{value: w.value, txn: e.t.id, why: overwrittenByItself})
		w.anew = w.anew || w.value == history.Absent
		w.value, w.payload, w.seq = a.Version, a.Payload, e.seq
		return
	}
	e.t.writes = p.freeWrites.add(e.t.writes, ownWrite{it: it, value: a.Version, payload: a.Payload, start: start,
		end: end, first: e.seq, seq: e.seq})
	it.writers = append(it.writers, e.t)
	const many = 16
	switch n := len(e.t.writes); {
	case e.t.own != nil:
		e.t.own[it] = n - 1
	case n > many:
		e.t.own = make(map[*item]int, 2*many)
		for k := range e.t.writes {
			e.t.own[e.t.writes[k].it] = k
		}
	}
}

// end takes the end of a transaction in: its versions become visible, its locks are released.
func (p *partition) end(e *event) {
	t, n := e.t, e.t.node
	t.ended, t.outcome, t.snapped, t.lo, t.hi = true, n.outcome, n.snapped, n.lo, n.hi
	t.cs, t.ce, t.rs = n.cs, n.ce, n.rs
	for i := range t.writes {
		w := &t.writes[i]
		w.it.remove(t)
		if t.outcome == aborted {
			w.it.hide(hidden{value: w.value, txn: t.id, why: rolledBack, end: t.ce})
			continue
		}
		p.install(t, w)
	}
	p.release(e)
	p.freeItems.give(t.locked)
	t.own, t.locked = nil, nil
	if t.outcome != committed {
		t.reads, t.done = nil, true
	}
	if len(t.reads) == 0 && t.checks == 0 {
		p.forget(t)
		return
	}
	if t.done {
		return
	}
	w := p.later()
	w.due, w.seq, w.t, w.end = t.ce, e.seq, t, true
	p.wait.push(w)
}

// account derives the dependencies of what a committed transaction read, once all its reads have been checked and
// every version that may matter is known.
func (p *partition) account(t *part) {
	t.done = true
	if t.checks > 0 {
		return
	}
	for i := range t.reads {
		p.depend(t, &t.reads[i])
	}
	p.forget(t)
}

// forget gives back what the transaction's accesses took.
func (p *partition) forget(t *part) {
	p.freeReads.give(t.reads)
	p.freeWrites.give(t.writes)
	t.reads, t.writes = nil, nil
}

func (p *partition) name(it *item) finding.ItemName {
	return finding.ItemName(p.v.opt.Symbols.ItemName(it.id))
}

// version names one: "version 7", or "no row" where it is none.
func (p *partition) version(v int64) finding.Sentence {
	if v == history.Absent {
		return finding.Say("no row")
	}
	return finding.Say("version %v", finding.VersionName(p.v.opt.Symbols.VersionName(v)))
}

// versionOf names a version of an item: "version 7 of t0:4", or "no row t0:4".
func (p *partition) versionOf(v int64, it *item) finding.Sentence {
	if v == history.Absent {
		return finding.Say("no row %v", p.name(it))
	}
	return finding.Say("%v of %v", p.version(v), p.name(it))
}

// over says what a version did to the one before it.
func (p *partition) over(v int64) finding.Sentence {
	if v == history.Absent {
		return finding.Say("deleted it")
	}
	return finding.Say("overwritten it with %v", p.version(v))
}

// by names the transaction that a version is of.
func by(txn, version int64) finding.Sentence {
	if version == history.Absent {
		return finding.Say("%v, which deleted it,", finding.TxnNumber(txn))
	}
	return finding.Say("%v, which wrote it,", finding.TxnNumber(txn))
}

// violation reports one.
func (p *partition) violation(what fault.Kind, it *item, e *event, txns []int64, why ...finding.Sentence) {
	m := Mechanism(fault.Of(what).Mechanism)
	if m == FUW && !p.promise.FirstUpdaterWins { // validation of write sets promises the same at commit
		m = SC
	}
	p.out.add(Violation{Mechanism: m, What: what, Item: string(p.name(it)), Table: p.v.opt.Symbols.TableName(it.id.Table),
		Txns: txns, At: e.start, Seen: [2]int64{e.lo, e.hi}, Explanation: why})
}
