package mechanism

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"txweave/dbms"
	"txweave/history"
)

// forever is after, and never before, every time of a trace.
const (
	forever = math.MaxInt64
	never   = math.MinInt64
)

// Options say what to check.
type Options struct {
	Promise dbms.Mechanisms
	// Symbols numbered the operations' items; they are only printed from it. nil prints numbers.
	Symbols  *history.Symbols
	Sessions int
	// Initial says that every row that existed at the start is loaded, as history.TraceHeader has it.
	Initial    bool
	Partitions int // 0: one for every two cores; the others read, deal out and certify
	Limit      int // violations to keep of each kind; 0: 1000
	// Found, unless nil, is told of each violation before it is kept, by several goroutines, and may add to its name and
	// its explanation.
	Found func(*Violation)
}

// Verifier checks a trace while it is made. Each session appends its operations, and closes; Wait returns what
// came of it.
type Verifier struct {
	opt      Options
	sessions []*LocalBuffer
	wake     chan struct{}
	done     chan struct{}
	report   *TraceReport
	recorded bool // the operations come from a file: nobody waits for what they show

	watermark  atomic.Int64
	passed     []atomic.Int64 // by partition: what is still to be checked looks at no earlier moment
	operations atomic.Int64
	found      atomic.Int64
	starving   atomic.Bool // the dispatcher waits for a session
}

// LocalBuffer is the local buffer of one session (Leopard, section IV-C); its methods are called by one goroutine.
type LocalBuffer struct {
	v  *Verifier
	id int

	mu     sync.Mutex
	buf    chunk
	low    int64 // no later operation starts before
	closed bool
	wanted atomic.Bool // the dispatcher waits for this session

	last int64 // start of the last operation
	txn  int64 // open transaction
	open bool
}

// chunk is a run of operations. Their sets lie in arenas, one behind the other, so that the operations that wait have
// no pointers, which the collector would follow.
type chunk struct {
	ops    []queued
	acc    []history.Access
	ranges []history.KeyRange
	// How many of each next has passed.
	at, accAt, rangeAt int
}

// queued is an operation with the sizes of its sets.
type queued struct {
	txn, start, end, unlocks int64
	reads, writes, ranges    int32
	kind                     history.OpKind
	lock                     history.LockIntent
	outcome                  history.OpOutcome
	snapshot                 bool
}

// wakeAt is how many operations of a session that is waited for wake the dispatcher at once; fewer are fetched
// after fetchEvery.
const (
	wakeAt     = 256
	fetchEvery = 2 * time.Millisecond
)

// New returns a verifier and starts it. Every one of its sessions must be closed in the end.
func New(o Options) *Verifier {
	if o.Partitions == 0 {
		o.Partitions = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if o.Limit == 0 {
		o.Limit = 1000
	}
	if o.Symbols == nil {
		o.Symbols = history.NewSymbols()
	}
	v := &Verifier{opt: o, wake: make(chan struct{}, 1), done: make(chan struct{}), passed: make([]atomic.Int64,
		o.Partitions)}
	for i := range v.passed {
		v.passed[i].Store(never)
	}
	for i := range o.Sessions {
		v.sessions = append(v.sessions, &LocalBuffer{v: v, id: i, low: never, last: never})
	}
	return v
}

// Start begins to check; initial are the rows that were there before the first transaction.
func (v *Verifier) Start(initial []history.Access) {
	go func() {
		defer close(v.done)
		v.report = newDispatcher(v).run(initial)
	}()
}

// Session returns session i, of Options.Sessions.
func (v *Verifier) Session(i int) *LocalBuffer { return v.sessions[i] }

// Wait returns the report, after every session has been closed.
func (v *Verifier) Wait() *TraceReport {
	<-v.done
	return v.report
}

// Progress returns how far a running verifier has come: every operation that starts before the watermark (in ns,
// as the trace has it) has been handed to the mechanisms, so many operations, so many violations found.
func (v *Verifier) Progress() (watermark, operations, violations int64) {
	return v.watermark.Load(), v.operations.Load(), v.found.Load()
}

// Passed returns a moment, in ns, before which nothing lies that a violation of consistent read still to be found was
// seen at.
func (v *Verifier) Passed() int64 {
	earliest := int64(forever)
	for i := range v.passed {
		earliest = min(earliest, v.passed[i].Load())
	}
	return earliest
}

// Append adds the session's next operation; op and its sets are copied. It fails where the operation starts before
// one that was appended earlier, or in another transaction while one is open, which no session can do.
func (s *LocalBuffer) Append(op *history.Operation) error {
	if op.Kind == history.OpLoad || op.Kind == history.OpClose {
		return fmt.Errorf("session %d: %s is not an operation of a session", s.id, op.Kind)
	}
	if op.Start < s.last {
		return fmt.Errorf("session %d: an operation of transaction %d starts at %d, before the one before it, at %d", s.id,
			op.Txn, op.Start, s.last)
	}
	if s.open && s.txn != op.Txn {
		return fmt.Errorf("session %d: an operation of transaction %d, while transaction %d has not ended", s.id,
			op.Txn, s.txn)
	}
	s.last, s.txn = op.Start, op.Txn
	s.open = op.Kind != history.OpCommit && op.Kind != history.OpAbort
	s.mu.Lock()
	s.buf.add(op)
	s.low = max(s.low, op.Start)
	n := len(s.buf.ops)
	s.mu.Unlock()
	if n >= wakeAt && s.wanted.CompareAndSwap(true, false) {
		s.v.signal()
	}
	return nil
}

// add copies an operation.
func (c *chunk) add(op *history.Operation) {
	c.ops = append(c.ops, queued{op.Txn, op.Start, op.End, op.Unlocks, int32(len(op.Reads)), int32(len(op.Writes)),
		int32(len(op.Ranges)),
		op.Kind, op.Lock, op.Outcome, op.Snapshot})
	c.acc = append(append(c.acc, op.Reads...), op.Writes...)
	c.ranges = append(c.ranges, op.Ranges...)
}

// next returns the operation that comes next, but for its session; its sets are the chunk's.
func (c *chunk) next() history.Operation {
	q := &c.ops[c.at]
	writes := c.accAt + int(q.reads)
	end, ranges := writes+int(q.writes), c.rangeAt+int(q.ranges)
	op := history.Operation{Txn: q.txn, Start: q.start, End: q.end, Unlocks: q.unlocks, Kind: q.kind, Lock: q.lock,
		Outcome:  q.outcome,
		Snapshot: q.snapshot, Reads: c.acc[c.accAt:writes], Writes: c.acc[writes:end], Ranges: c.ranges[c.rangeAt:ranges]}
	c.at, c.accAt, c.rangeAt = c.at+1, end, ranges
	return op
}

// Sending says that the session's next operation starts no earlier than start, so that operations of others before
// it need not wait until it has been answered. It is optional.
func (s *LocalBuffer) Sending(start int64) {
	s.mu.Lock()
	s.low = max(s.low, start)
	s.mu.Unlock()
}

// Close says that the session has no more operations. A transaction that it left open has an unknown outcome.
func (s *LocalBuffer) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.v.signal()
}

func (v *Verifier) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// take moves the session's buffer into c, whose arrays it reuses. low is the earliest start of what may follow.
func (s *LocalBuffer) take(c *chunk) (low int64, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*c, s.buf = s.buf, chunk{ops: c.ops[:0], acc: c.acc[:0], ranges: c.ranges[:0]}
	return s.low, s.closed
}

// Check checks a whole trace.
func Check(o Options, ops []*history.Operation) (*TraceReport, error) {
	var initial []history.Access
	for _, op := range ops {
		if op.Kind == history.OpLoad {
			initial = append(initial, op.Writes...)
		} else {
			o.Sessions = max(o.Sessions, int(op.Session)+1)
		}
	}
	byStart := slices.Clone(ops)
	slices.SortStableFunc(byStart, func(a, b *history.Operation) int {
		return int(min(1, max(-1, a.Start-b.Start)))
	})
	v := New(o)
	v.recorded = true
	var err error
	for _, op := range byStart {
		if op.Kind == history.OpLoad || op.Kind == history.OpClose {
			continue
		}
		if err = v.Session(int(op.Session)).Append(op); err != nil {
			break
		}
	}
	for _, s := range v.sessions {
		s.Close()
	}
	v.Start(initial)
	return v.Wait(), err
}
