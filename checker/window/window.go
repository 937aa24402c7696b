// Package window looks for a serial order of transactions while they come, holding no more of them than a window has
// room for. It needs memory for the window, and for each key and each session, not for the history.
//
// Where it comes to the end, the order in which it executed the transactions is a proof: the history is serializable,
// with session order, and so it is all that is weaker. Where it does not, nothing is known: there may be no such order,
// or it may put a transaction before another one that came more than a window earlier. What it never sees is whether
// two transactions wrote the same value, which the other checkers of registers refuse to judge.
package window

import "txweave/history/format"

// Serializer executes transactions in an order that explains what they read.
type Serializer struct {
	limit    int
	keys     map[int64]*key
	sessions map[int64]*session
	waiting  *txn // the oldest; a ring would not do, as others leave first
	newest   *txn
	count    int
	free     *txn
}

// key is what a key holds, 0 first, and which values waiting transactions read of it.
type key struct {
	value   int64
	readers []readers
}

type readers struct {
	value int64
	count int
}

// session counts its transactions: they leave in the order in which they came.
type session struct{ came, left int }

type txn struct {
	ops        []access
	session    *session
	number     int // in its session
	prev, next *txn
}

// access is an operation on its key. An inner read returns what its transaction wrote before.
type access struct {
	key   *key
	value int64
	write bool
	inner bool
}

// New returns a serializer with room for so many transactions that wait.
func New(limit int) *Serializer {
	return &Serializer{limit: limit, keys: map[int64]*key{}, sessions: map[int64]*session{}}
}

// Add takes the next transaction. It reports false where no transaction that waits can come next.
func (s *Serializer) Add(sessionID int64, ops []format.TextAccess) bool {
	of := s.sessions[sessionID]
	if of == nil {
		of = &session{}
		s.sessions[sessionID] = of
	}
	of.came++
	t := s.free
	if t == nil {
		t = &txn{}
	} else {
		s.free = t.next
	}
	*t = txn{ops: t.ops[:0], session: of, number: of.came, prev: s.newest}
	for _, op := range ops {
		k := s.keys[op.Key]
		if k == nil {
			k = &key{}
			s.keys[op.Key] = k
		}
		a := access{key: k, value: op.Value, write: op.Write, inner: !op.Write && t.writes(k)}
		t.ops = append(t.ops, a)
		if !a.write && !a.inner {
			k.count(a.value, 1)
		}
	}
	if s.newest == nil {
		s.waiting = t
	} else {
		s.newest.next = t
	}
	s.newest = t
	s.count++
	return s.count <= s.limit || s.next()
}

// Finish reports whether the transactions that still wait have an order.
func (s *Serializer) Finish() bool {
	for s.count > 0 {
		if !s.next() {
			return false
		}
	}
	return true
}

// next executes the oldest transaction that can come next.
func (s *Serializer) next() bool {
	for t := s.waiting; t != nil; t = t.next {
		if t.number == t.session.left+1 && t.ready() {
			s.execute(t)
			return true
		}
	}
	return false
}

func (t *txn) writes(k *key) bool {
	for i := range t.ops {
		if t.ops[i].key == k && t.ops[i].write {
			return true
		}
	}
	return false
}

// ready says whether the keys hold what the transaction read, and nobody else who waits has still to read what it
// replaces.
func (t *txn) ready() bool {
	for i := range t.ops {
		switch a := &t.ops[i]; {
		case a.inner:
			if a.value != t.last(a.key, i) {
				return false
			}
		case !a.write:
			if a.value != a.key.value {
				return false
			}
		case a.key.reading(a.key.value) > t.reads(a.key):
			return false
		}
	}
	return true
}

// last returns what the transaction wrote to a key before its operation i.
func (t *txn) last(k *key, i int) int64 {
	for i--; t.ops[i].key != k || !t.ops[i].write; i-- {
	}
	return t.ops[i].value
}

// reads counts the transaction's own reads of what the key holds.
func (t *txn) reads(k *key) (n int) {
	for i := range t.ops {
		if a := &t.ops[i]; a.key == k && !a.write && !a.inner && a.value == k.value {
			n++
		}
	}
	return n
}

func (s *Serializer) execute(t *txn) {
	for i := range t.ops {
		if a := &t.ops[i]; !a.write && !a.inner {
			a.key.count(a.value, -1)
		}
	}
	for i := range t.ops {
		if a := &t.ops[i]; a.write {
			a.key.value = a.value
		}
	}
	t.session.left++
	if t.prev == nil {
		s.waiting = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		s.newest = t.prev
	} else {
		t.next.prev = t.prev
	}
	s.count--
	t.next, s.free = s.free, t
}

// count changes how many reads of a value wait.
func (k *key) count(value int64, by int) {
	for i := range k.readers {
		r := &k.readers[i]
		if r.value != value {
			continue
		}
		if r.count += by; r.count == 0 {
			*r = k.readers[len(k.readers)-1]
			k.readers = k.readers[:len(k.readers)-1]
		}
		return
	}
	k.readers = append(k.readers, readers{value, by})
}

func (k *key) reading(value int64) int {
	for _, r := range k.readers {
		if r.value == value {
			return r.count
		}
	}
	return 0
}
