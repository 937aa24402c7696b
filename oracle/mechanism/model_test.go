package mechanism

import (
	"math/rand/v2"

	"txweave/dbms"
	"txweave/history"
)

// model is an engine that runs random transactions of several sessions, one small step at a time: a statement is
// sent, executed (row by row where a real one is), and answered at moments between which others do theirs, so that
// the intervals overlap in every way. Locks are held to the commit, which makes a transaction visible first and
// releases its locks then. What it leaves is a valid trace of its promise, unless a bug is planted.
type model struct {
	rng     *rand.Rand
	promise dbms.Mechanisms
	locked  bool // plain reads lock (SERIALIZABLE of InnoDB)
	oneFile bool // one writer at a time (SQLite)
	keys    int
	unique  bool // written values are
	silent  bool // the trace does not tell payloads
	bug     bug
	shown   int // how often the bug made a difference

	clock, commits, values, txns int64
	chain                        map[int64][]state // committed, oldest first
	pending                      map[int64][]*modelTxn
	locks                        map[int64][]*modelLock
	finished                     []*modelTxn
	trace                        []*history.Operation
}

// bug is a fault planted in the model.
type bug uint8

const (
	noBug bug = iota
	staleRead
	dirtyRead
	fracturedRead // plain reads of a transaction do not share their snapshot
	lostLock
	noFirstUpdater
	noCertifier
	abortVisible
	missingRow
	ownWriteLost
	bugs
)

var bugNames = [...]string{"none", "stale read", "dirty read", "fractured read", "lock not waited for",
	"first updater does not win",
	"certifier off", "rollback undone", "row missing in a range", "own write not seen"}

type state struct {
	value, at int64 // at: number of the commit
	by        *modelTxn
}

type modelLock struct {
	t         *modelTxn
	exclusive bool
}

type modelTxn struct {
	id       int64
	snapshot int64 // -1: none yet
	writes   map[int64]int64
	order    []int64
	reads    map[int64]int64 // key: commit number of the version read from others
	commitAt int64
	late     bool // it overwrote what was committed after its snapshot
	passed   []passedOver
}

// passedOver is a row that a statement read and left out of its answer, because it did not meet a condition.
type passedOver struct {
	key, at int64
	cond    *history.PayloadFilter
}

// modelSession is a session: the operation that it has sent, and how far it is.
type modelSession struct {
	id       int32
	t        *modelTxn
	op       *history.Operation
	keys     []int64
	at       int
	executed bool
	left     int // statements to go in the transaction
	waitsFor *modelSession
}

func newModel(rng *rand.Rand, promise dbms.Mechanisms, keys int) *model {
	return &model{rng: rng, promise: promise, keys: keys, unique: true, chain: map[int64][]state{},
		pending: map[int64][]*modelTxn{}, locks: map[int64][]*modelLock{}}
}

// payload is what a version holds; the trace may not tell.
func payload(value int64) history.Payload { return history.PayloadOf(value * 7 % 10) }

func (m *model) access(k, value int64) history.Access {
	a := history.Access{ItemID: history.ItemID{Key: k}, Version: value}
	if value != history.Absent && !m.silent && m.rng.IntN(8) > 0 {
		a.Payload = payload(value)
	}
	return a
}

// meets says whether a version meets a condition.
func meets(c *history.PayloadFilter, value int64) bool {
	if value == history.Absent {
		return false
	}
	yes, _ := c.Holds(payload(value))
	return yes
}

// condition is the condition of the session's operation; nil: it has none.
func (s *modelSession) condition() *history.PayloadFilter {
	if len(s.op.Ranges) == 0 {
		return nil
	}
	return s.op.Ranges[0].If
}

// own returns the transaction's own version of a key, else another one.
func (t *modelTxn) own(k, other int64) int64 {
	if v, ok := t.writes[k]; ok {
		return v
	}
	return other
}

func (m *model) hit() bool { return m.rng.IntN(4) == 0 }

func (m *model) latest(key int64) state {
	c := m.chain[key]
	return c[len(c)-1]
}

// visible returns the state of a key at a commit number.
func (m *model) visible(key, at int64) state {
	c := m.chain[key]
	for i := len(c) - 1; ; i-- {
		if c[i].at <= at || i == 0 {
			return c[i]
		}
	}
}

func (m *model) tick() int64 {
	m.clock += m.rng.Int64N(4) // moments may coincide
	return m.clock
}

// run runs so many operations in so many sessions.
func (m *model) run(sessions, operations int) {
	load := &history.Operation{Kind: history.OpLoad}
	for k := range int64(m.keys) {
		v := state{value: history.Absent}
		if m.rng.IntN(4) > 0 {
			v.value = m.value()
			load.Writes = append(load.Writes, m.access(k, v.value))
		}
		m.chain[k] = []state{v}
	}
	m.trace = append(m.trace, load)
	all := make([]*modelSession, sessions)
	for i := range all {
		all[i] = &modelSession{id: int32(i)}
	}
	for len(m.trace) < operations {
		m.step(all[m.rng.IntN(len(all))])
	}
}

func (m *model) value() int64 {
	if !m.unique {
		return m.rng.Int64N(3)
	}
	m.values++
	return m.values
}

// step does the next thing in a session.
func (m *model) step(s *modelSession) {
	now := m.tick()
	switch {
	case s.op == nil:
		m.send(s, now)
	case !s.executed:
		m.execute(s)
	default:
		s.op.End = now
		m.trace = append(m.trace, s.op)
		if s.op.Kind == history.OpCommit || s.op.Kind == history.OpAbort {
			s.t = nil
		}
		s.op = nil
	}
}

// send makes up the session's next operation.
func (m *model) send(s *modelSession, now int64) {
	op := &history.Operation{Session: s.id, Start: now}
	s.op, s.at, s.executed, s.waitsFor = op, 0, false, nil
	if s.t == nil {
		m.txns++
		s.t = &modelTxn{id: m.txns, snapshot: -1, writes: map[int64]int64{}, reads: map[int64]int64{}}
		s.left = 1 + m.rng.IntN(5)
		op.Kind, op.Txn = history.OpBegin, s.t.id
		op.Snapshot = m.promise.ConsistentRead == dbms.PerTransaction && m.rng.IntN(5) == 0
		return
	}
	op.Txn = s.t.id
	if s.left--; s.left < 0 {
		op.Kind = history.OpCommit
		if m.rng.IntN(6) == 0 {
			op.Kind = history.OpAbort
		}
		return
	}
	s.keys = nil
	for _, k := range m.rng.Perm(m.keys)[:1+m.rng.IntN(min(3, m.keys))] {
		s.keys = append(s.keys, int64(k))
	}
	switch n := m.rng.IntN(10); {
	case n < 5:
		op.Kind, op.Lock = history.OpWrite, history.LockExclusive
	case n < 6 && m.promise.MutualExclusion:
		op.Kind, op.Lock = history.OpRead, history.LockExclusive
	default:
		op.Kind = history.OpRead
		if m.locked {
			op.Lock = history.LockShared
		}
		if m.rng.IntN(4) == 0 && !m.locked {
			m.scan(s, nil)
		}
	}
	if m.rng.IntN(4) == 0 {
		lo := m.rng.Int64N(10)
		c := &history.PayloadFilter{In: [][2]int64{{lo, lo + m.rng.Int64N(10)}}}
		if m.rng.IntN(3) == 0 {
			c.Divisor = 1 + m.rng.Int64N(3)
		}
		m.scan(s, c)
	}
}

// scan makes the operation one on all rows that meet a condition.
func (m *model) scan(s *modelSession, c *history.PayloadFilter) {
	s.op.Ranges = []history.KeyRange{{Lo: 0, Hi: int64(m.keys) - 1, If: c}}
	s.keys = s.keys[:0]
	for k := range int64(m.keys) {
		s.keys = append(s.keys, k)
	}
}
