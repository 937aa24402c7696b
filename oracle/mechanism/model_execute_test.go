package mechanism

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
)

// execute does as much of the session's operation as one step may.
func (m *model) execute(s *modelSession) {
	op, t := s.op, s.t
	switch op.Kind {
	case history.OpBegin:
		if op.Snapshot || m.promise.SnapshotAt == dbms.AtBegin {
			t.snapshot = m.commits
		}
		s.executed = true
	case history.OpCommit, history.OpAbort:
		m.finish(s)
	case history.OpRead:
		m.read(s)
	default:
		m.write(s)
	}
}

// takeSnapshot takes the transaction's snapshot where this statement is the one that does.
func (m *model) takeSnapshot(t *modelTxn, plain bool) {
	if t.snapshot < 0 && m.promise.ConsistentRead == dbms.PerTransaction &&
		(m.promise.SnapshotAt == dbms.AtFirstStatement || m.promise.SnapshotAt == dbms.AtFirstAccess || plain &&
			m.promise.SnapshotAt == dbms.AtFirstRead) {
		t.snapshot = m.commits
	}
}

// read executes a query: a plain one at once, a locking one row by row.
func (m *model) read(s *modelSession) {
	op, t := s.op, s.t
	plain := op.Lock == history.LockNone
	m.takeSnapshot(t, plain)
	for ; s.at < len(s.keys); s.at++ {
		k := s.keys[s.at]
		if !plain && m.skips(s, k) {
			s.at++
			break
		}
		if !plain && !m.acquire(s, k, op.Lock == history.LockExclusive) {
			return
		}
		at := m.commits
		if m.promise.ConsistentRead == dbms.PerTransaction && (plain || m.promise.DMLView == dbms.Snapshot) {
			at = t.snapshot
			if c := s.condition(); c != nil && !meets(c, t.own(k, m.visible(k, at).value)) {
				m.see(s, k, at, plain)
				continue
			}
			if !plain && m.conflicts(t, k) { // FOR UPDATE of a row changed since
				m.rollback(s)
				return
			}
		}
		m.see(s, k, at, plain)
		if !plain {
			s.at++
			break
		}
	}
	if s.executed = s.at == len(s.keys); s.executed {
		m.omit(s.op)
	}
}

// skips says whether a statement with a condition passes over a row without locking it: where gaps are not locked the
// row as it is committed decides, or the transaction's own.
func (m *model) skips(s *modelSession, k int64) bool {
	c := s.condition()
	if c == nil || m.promise.GapLocks || m.promise.DMLView == dbms.Snapshot {
		return false
	}
	return !meets(c, s.t.own(k, m.latest(k).value))
}

// omit takes absent rows out of a range's read set, and those that do not meet its condition, and with the bug one
// more.
func (m *model) omit(op *history.Operation) {
	if len(op.Ranges) == 0 {
		return
	}
	c := op.Ranges[0].If
	op.Reads = slices.DeleteFunc(op.Reads, func(a history.Access) bool {
		return a.Version == history.Absent || c != nil && !meets(c, a.Version)
	})
	if m.bug == missingRow && len(op.Reads) > 0 && m.hit() {
		op.Reads = slices.Delete(op.Reads, 0, 1)
		m.shown++
	}
}

// see adds what a statement sees of a key at a commit number to its read set.
func (m *model) see(s *modelSession, k, at int64, plain bool) {
	t := s.t
	v := m.visible(k, at)
	got, shown := v.value, m.shown
	own, wrote := t.writes[k]
	switch {
	case wrote && !(m.bug == ownWriteLost && own != got && m.hit()):
		got = own
	case wrote:
		m.shown++
	case !plain:
	case m.bug == staleRead && v.at > 0 && m.hit():
		if old := m.visible(k, v.at-1).value; old != got {
			got = old
			m.shown++
		}
	case m.bug == dirtyRead && len(m.pending[k]) > 0 && m.hit():
		if w := m.pending[k][0]; w != t && w.writes[k] != got {
			got = w.writes[k]
			m.shown++
		}
	case m.bug == fracturedRead && m.promise.ConsistentRead == dbms.PerTransaction && m.latest(k).value != got && m.hit():
		got = m.latest(k).value
		m.shown++
	}
	c := s.condition()
	if c != nil && !meets(c, got) && !meets(c, t.own(k, v.value)) {
		m.shown = shown // the answer is the same
	}
	switch {
	case wrote:
	case c != nil && !meets(c, v.value):
		t.passed = append(t.passed, passedOver{k, v.at, c})
	default:
		t.reads[k] = v.at
	}
	s.op.Reads = append(s.op.Reads, m.access(k, got))
}

// conflicts says whether another transaction committed a key after t's snapshot.
func (m *model) conflicts(t *modelTxn, k int64) bool {
	if !m.promise.FirstUpdaterWins || t.snapshot < 0 || m.latest(k).at <= t.snapshot {
		return false
	}
	if _, own := t.writes[k]; own {
		return false
	}
	if m.bug == noFirstUpdater && m.hit() {
		t.late = true
		return false
	}
	return true
}

// write executes DML, row by row.
func (m *model) write(s *modelSession) {
	op, t := s.op, s.t
	if m.oneFile && !m.acquire(s, -1, true) {
		return
	}
	m.takeSnapshot(t, false)
	k := s.keys[s.at]
	next := func() {
		s.at++
		s.executed = s.at == len(s.keys)
	}
	c := s.condition()
	if m.skips(s, k) {
		next()
		return
	}
	if v := m.visible(k, t.snapshot); c != nil && m.promise.DMLView == dbms.Snapshot && !meets(c, t.own(k, v.value)) {
		if _, own := t.writes[k]; !own {
			t.passed = append(t.passed, passedOver{k, v.at, c})
		}
		next()
		return
	}
	if m.promise.MutualExclusion && !m.acquire(s, k, true) {
		return
	}
	if c != nil && m.promise.DMLView == dbms.Current && !meets(c, t.own(k, m.latest(k).value)) {
		next()
		return
	}
	if m.oneFile && t.snapshot < m.commits && len(t.writes) == 0 || m.conflicts(t, k) {
		m.rollback(s)
		return
	}
	_, own := t.writes[k]
	if !own {
		v := m.latest(k)
		if m.promise.DMLView == dbms.Snapshot {
			v = m.visible(k, t.snapshot)
		}
		if m.rng.IntN(3) > 0 {
			t.reads[k] = v.at
			op.Reads = append(op.Reads, m.access(k, v.value))
		}
		t.order = append(t.order, k)
		m.pending[k] = append(m.pending[k], t)
	}
	value := m.value()
	if m.rng.IntN(6) == 0 {
		value = history.Absent
	}
	t.writes[k] = value
	op.Writes = append(op.Writes, m.access(k, value))
	next()
}

// acquire takes a lock, or says that the session must wait. A wait that closes a circle rolls the transaction back.
func (m *model) acquire(s *modelSession, k int64, exclusive bool) bool {
	s.waitsFor = nil
	if !m.promise.MutualExclusion {
		return true
	}
	var mine *modelLock
	for _, l := range m.locks[k] {
		if l.t == s.t {
			mine = l
			continue
		}
		if !exclusive && !l.exclusive {
			continue
		}
		if m.bug == lostLock && m.hit() {
			m.shown++
			continue
		}
		if m.rng.IntN(8) == 0 { // as good as a deadlock or a time-out, and sometimes one
			m.rollback(s)
		}
		return false
	}
	if mine == nil {
		mine = &modelLock{t: s.t}
		m.locks[k] = append(m.locks[k], mine)
	}
	mine.exclusive = mine.exclusive || exclusive
	return true
}

// rollback ends a transaction with an error of its statement: the statement failed, and an abort has its interval.
func (m *model) rollback(s *modelSession) {
	op := s.op
	op.Kind, op.Lock, op.Snapshot, op.Reads, op.Writes, op.Ranges = history.OpAbort, 0, false, nil, nil, nil
	m.forget(s.t)
	s.executed = true
}

// forget drops what a transaction wrote and locked.
func (m *model) forget(t *modelTxn) {
	for _, k := range t.order {
		m.pending[k] = slices.DeleteFunc(m.pending[k], func(o *modelTxn) bool { return o == t })
	}
	m.release(t)
}

func (m *model) release(t *modelTxn) {
	for k := int64(-1); k < int64(m.keys); k++ {
		if len(m.locks[k]) > 0 {
			m.locks[k] = slices.DeleteFunc(m.locks[k], func(l *modelLock) bool { return l.t == t })
		}
	}
}

// finish commits or rolls back: in one step the transaction becomes visible, in a later one its locks are released.
func (m *model) finish(s *modelSession) {
	t, op := s.t, s.op
	if s.at == 1 {
		m.forget(t)
		s.executed = true
		return
	}
	s.at = 1
	abort := op.Kind == history.OpAbort
	if !abort && !m.certified(t) {
		op.Outcome, abort = history.OpFailed, true
	}
	if abort {
		if m.bug == abortVisible && len(t.order) > 0 && m.hit() {
			m.shown++
			m.install(t)
		}
		return
	}
	if len(t.order) > 0 {
		m.install(t)
	}
	if t.late {
		m.shown++
	}
	t.commitAt = m.commits
	m.finished = append(m.finished, t)
	if m.rng.IntN(40) == 0 {
		op.Outcome = history.OpUnknown
	}
}

func (m *model) install(t *modelTxn) {
	m.commits++
	for _, k := range t.order {
		m.chain[k] = append(m.chain[k], state{t.writes[k], m.commits, t})
	}
}
