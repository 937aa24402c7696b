package mechanism

import (
	"txweave/fault"
	"txweave/finding"
)

// lock is a lock on an item: acquired at a moment in [start, end], released at one in [rs, re] (Definition 3).
type lock struct {
	t          *part
	exclusive  bool
	entry      bool // it may be one of an index's entry alone
	start, end int64
	write      bool  // a write of its transaction came, which meets the entries of indexes, too …
	ws, we     int64 // … at a moment in here
	unlocks    int64 // it may be released from then on; 0: when its transaction ends
	rs, re     int64
	released   bool
}

// lock notes a lock, unless the transaction holds one that is as strong.
func (p *partition) lock(it *item, e *event, new lock) {
	if !p.promise.MutualExclusion {
		return
	}
	held := false
	for i := range it.locks {
		if l := &it.locks[i]; l.t == e.t {
			if new.write && l.exclusive && !l.write {
				l.write, l.ws, l.we = true, e.start, e.end
			}
			if held = true; l.covers(&new) && (l.unlocks == 0 || e.unlocks != 0) {
				return
			}
		}
	}
	p.stats.Locks++
	if new.write {
		new.ws, new.we = e.start, e.end
	}
	new.t, new.start, new.end, new.unlocks = e.t, e.start, e.end, e.unlocks
	it.locks = append(it.locks, new)
	if !held {
		e.t.locked = p.freeItems.add(e.t.locked, it)
	}
}

// covers says whether whoever meets another lock of the same transaction meets this one, too.
func (l *lock) covers(o *lock) bool { return (l.exclusive || !o.exclusive) && (!l.entry || o.entry) }

// meets says since when a lock surely excludes another one that excludes it: where an index holds all that a query asks
// for, the entry is locked and not the row, which a write changes and a locking read of the row does not.
func (l *lock) meets(o *lock) (start, end int64, ever bool) {
	if o.entry {
		return l.ws, l.we, l.write
	}
	return l.start, l.end, true
}

// release releases the locks of a transaction that ended and holds each against those that conflict with it: if
// neither can have been released before the other one was acquired, both were held at once (Theorem 3).
func (p *partition) release(e *event) {
	for _, it := range e.t.locked {
		for i := range it.locks {
			if l := &it.locks[i]; l.t == e.t {
				p.unlock(it, e, l)
			}
		}
		it.forgetLocks(e.start)
	}
}

// unlock releases one lock of a transaction that ended.
func (p *partition) unlock(it *item, e *event, l *lock) {
	l.rs, l.re, l.released = l.t.rs, l.t.ce, true
	if l.unlocks != 0 {
		l.rs = min(l.rs, l.unlocks)
	}
	for i := range it.locks {
		if o := &it.locks[i]; o.released && o.t != l.t {
			p.exclude(it, e, l, o)
		}
	}
}

// forgetLocks drops the released locks that matter no more at a moment: they do only to those acquired by operations
// that started before the release.
func (it *item) forgetLocks(now int64) {
	openFrom := int64(forever)
	for i := range it.locks {
		if l := &it.locks[i]; !l.released {
			openFrom = min(openFrom, l.start)
		}
	}
	kept := it.locks[:0]
	for _, l := range it.locks {
		if !l.released || l.rs >= openFrom || l.end >= now {
			kept = append(kept, l)
		}
	}
	clear(it.locks[len(kept):])
	it.locks = kept
}

// exclude reports two conflicting locks that were surely held at once.
func (p *partition) exclude(it *item, e *event, a, b *lock) {
	aStart, aEnd, aMeets := a.meets(b)
	bStart, bEnd, bMeets := b.meets(a)
	if !a.exclusive && !b.exclusive || !aMeets || !bMeets || a.rs <= bEnd || b.rs <= aEnd {
		return
	}
	what := fault.LockConflict
	if a.exclusive && b.exclusive {
		what = fault.G0
	}
	first, second := *a, *b
	first.start, first.end, second.start, second.end = aStart, aEnd, bStart, bEnd
	if first.start > second.start {
		first, second = second, first
	}
	p.violation(what, it, e, []int64{first.t.id, second.t.id}, p.held(&first), p.held(&second),
		finding.Say("whoever held it first, the other one acquired it before it was released"))
}

func (p *partition) held(l *lock) finding.Sentence {
	sentence := "%v acquired its shared lock at a moment in %v and released it in %v"
	if l.exclusive {
		sentence = "%v acquired its exclusive lock at a moment in %v and released it in %v"
	}
	return finding.Say(sentence, finding.TxnNumber(l.t.id), finding.Interval{From: l.start, To: l.end},
		finding.Interval{From: l.rs, To: l.re})
}

// updater checks first updater wins (Theorem 4): of two committed writers of an item, the first one must have
// committed before the other one's snapshot, if that one has any. Percolator and optimistic validation of write sets
// promise the same at commit. v is not in the chain yet.
func (p *partition) updater(it *item, v *version) {
	if !p.firstUpdater() {
		return
	}
	late := func(first, second *version) bool {
		return second.w.snapped && first.cs > second.w.hi && !p.insertedOver(it, first, second)
	}
	for i := len(it.chain) - 1; i >= 0; i-- {
		u := it.chain[i]
		if v.w.snapped && u.latest() < v.w.lo {
			return
		}
		if u.w == nil || u.ce == forever {
			continue
		}
		uLate, vLate := late(u, v), late(v, u)
		if !(uLate && (vLate || p.before(u, v)) || vLate && p.before(v, u)) {
			if !v.w.snapped && u.latest() < v.cs {
				return
			}
			continue
		}
		p.violation(fault.ConcurrentUpdate, it, &event{start: v.start}, []int64{u.w.id, v.w.id}, p.writer(u), p.writer(v),
			finding.Say("both wrote it, and the first of them had not committed when the other one took its snapshot"))
		return
	}
}

// writer says when the writer of a version took its snapshot and committed.
func (p *partition) writer(v *version) finding.Sentence {
	took := finding.Say("took no snapshot")
	if v.w.snapped {
		took = finding.Say("took its snapshot in %v", finding.Interval{From: v.w.lo, To: v.w.hi})
	}
	return finding.Say("%v %v and committed in %v", finding.TxnNumber(v.w.id), took,
		finding.Interval{From: v.cs, To: v.ce})
}
