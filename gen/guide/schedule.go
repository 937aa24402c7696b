package guide

import (
	"slices"

	"txweave/gen/guide/interleave"
	"txweave/instrument"
	"txweave/testcase"
)

// mix spreads the steps of a transaction over the schedule at random.
func (m *mutator) mix(txn int) {
	rest := m.c.Schedule.Without(txn)
	for range m.c.Txns[txn].Steps() {
		rest = rest.Insert(m.rng.IntN(len(rest)+1), txn, 1)
	}
	m.c.Schedule = rest
}

// move takes a run of steps of one transaction elsewhere.
func move(m *mutator) bool {
	s := m.c.Schedule
	if len(s) < 3 {
		return false
	}
	at := m.rng.IntN(len(s))
	txn, end := s[at], at+1
	for end < len(s) && s[end] == txn {
		end++
	}
	place := m.rng.IntN(len(s) - (end - at) + 1) // among the others
	if place > at {
		place += end - at
	}
	m.c.Schedule = s.Move(testcase.Stretch{From: at, To: end}, place)
	return true
}

// manyInterleavings is how many classes of interleavings a case may have of which one is drawn.
const manyInterleavings = 256

// otherInterleaving draws one of the interleavings of a small case that can be told apart, each as likely as another
// one: the schedules that move makes are mostly alike.
func otherInterleaving(m *mutator) bool {
	plan, err := instrument.Instrument(m.c, m.profile)
	if err != nil {
		return false
	}
	some, whole := interleave.Some(plan, interleave.NewDependence(plan), manyInterleavings)
	if !whole || len(some) < 2 {
		return false
	}
	m.c.Schedule = interleave.Numbers(some[m.rng.IntN(len(some))])
	return true
}

// overlap begins every transaction that has a session of its own before anything else.
func overlap(m *mutator) bool {
	var first []int
	for n := range m.c.Txns {
		if m.c.Txns[n].Session == 0 && !m.c.Txns[n].Autocommit() {
			first = append(first, n)
		}
	}
	slices.SortFunc(first, func(a, b int) int { return slices.Index(m.c.Schedule, a) - slices.Index(m.c.Schedule, b) })
	m.rng.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	m.c.Schedule = m.c.Schedule.Lead(first...)
	return len(first) > 1
}

// rivals draws two statements of different transactions that mention a table which one of them writes: writer first.
func (m *mutator) rivals() (writer, other place, ok bool) {
	writes := m.targets(m.c, nil)
	m.rng.Shuffle(len(writes), func(i, j int) { writes[i], writes[j] = writes[j], writes[i] })
	all := slices.Clone(writes)
	m.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, w := range writes {
		s := m.statement(m.sql(w))
		target := s.Target()
		if target == "" || !s.Kind.Writes() {
			continue
		}
		for _, o := range all {
			if o.txn != w.txn && slices.Contains(m.statement(m.sql(o)).Tables(), target) {
				return w, o, true
			}
		}
	}
	return writer, other, false
}

// conflict makes a statement run right behind one of another transaction that touches the same table: what comes before
// it in its transaction has run by then, what follows there waits.
func conflict(m *mutator) bool {
	a, b, ok := m.rivals()
	if !ok {
		return false
	}
	if m.pct(50) {
		a, b = b, a
	}
	m.after(b, a)
	return true
}

// after makes a statement, and what comes before it in its transaction and has not run yet, run right behind another
// one; what comes behind it in its transaction runs no earlier.
func (m *mutator) after(b, a place) {
	step := m.c.Txns[b.txn].Steps() // of b, counted from 1
	if step > 1 {
		step = b.stmt + 2
	}
	m.c.Schedule = m.c.Schedule.Behind(b.txn, step, m.at(a))
}

// at is the place of a statement in the schedule.
func (m *mutator) at(p place) int {
	return m.c.StepOf(testcase.Ref{Txn: p.txn, Stmt: p.stmt})
}

// commitBeside ends a transaction right before or right behind a statement of another one that touches what it wrote:
// where that has waited for it, it wakes then.
func commitBeside(m *mutator) bool {
	w, o, ok := m.rivals()
	if !ok || m.c.Txns[w.txn].Autocommit() {
		return false
	}
	m.after(o, w)
	at := m.at(o)
	if m.pct(40) { // right before it
		at--
	}
	m.c.Schedule = m.c.Schedule.Finish(w.txn, at)
	return true
}

// nest lets whole transactions run between two steps of another one, which then reads and writes behind their commits
// on the snapshot of before.
func nest(m *mutator) bool {
	var long []int
	for n := range m.c.Txns {
		if len(m.c.Txns[n].Stmts) > 1 && !m.c.Txns[n].Autocommit() {
			long = append(long, n)
		}
	}
	outer, ok := one(m, long)
	if !ok {
		return false
	}
	var inner []int
	for n := range m.c.Txns {
		if t := &m.c.Txns[n]; n != outer && (t.Session == 0 || t.Session != m.c.Txns[outer].Session) {
			inner = append(inner, n)
		}
	}
	m.rng.Shuffle(len(inner), func(i, j int) { inner[i], inner[j] = inner[j], inner[i] })
	inner = inner[:min(len(inner), 1+m.rng.IntN(2))]
	if len(inner) == 0 {
		return false
	}
	at := 2 + m.rng.IntN(m.c.Txns[outer].Steps()-2) // behind its first statement, or a later one
	m.c.Schedule = m.c.Schedule.Nest(outer, at, inner)
	return true
}

// late begins a transaction when all others have ended, in a session of theirs or in its own: all that it reads lies
// behind commits.
func late(m *mutator) bool {
	if len(m.c.Txns) < 2 {
		return false
	}
	n := m.rng.IntN(len(m.c.Txns))
	for range 2 { // one that reads much
		if o := m.rng.IntN(len(m.c.Txns)); len(m.c.Txns[o].Stmts) > len(m.c.Txns[n].Stmts) {
			n = o
		}
	}
	rest := m.c.Schedule.Without(n)
	ended := rest[m.rng.IntN(len(rest))]
	m.c.Schedule = rest.Insert(len(rest), n, m.c.Txns[n].Steps())
	if m.c.Txns[n].Session == 0 && !m.c.Txns[n].Autocommit() && m.pct(sharedSession) {
		m.follow(ended, n)
	}
	return true
}
