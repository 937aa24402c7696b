package mechanism

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
)

// version is a state of an item that may have become visible to other transactions.
type version struct {
	value      int64
	payload    history.Payload
	w          *part      // nil for the initial one
	start, end int64      // of the writer's first write of the item: there it acquired the lock
	cs, ce     int64      // interval in which it became visible: the writer's commit; ce is forever if it may never have
	before     int64      // the latest ce of those before it in the chain
	prev       *version   // overwritten by it directly, as a read-modify-write shows
	older      []*version // surely before it, as a read of it shows
	reads      int64
	readers    []reader // committed, for the conflict graph
	wild       bool     // initial, of a value that is not known yet
	anew       bool     // its writer had deleted the row before it inserted this one
}

// reader is a transaction that read a version, or, where cond is not nil, passed over it because it does not meet a
// condition.
type reader struct {
	n    *node
	cond *history.PayloadFilter
}

// latest is the latest ce of the version and those before it in the chain.
func (v *version) latest() int64 { return max(v.before, v.ce) }

// afterAll says whether the version surely became visible after those before it in the chain.
func (v *version) afterAll() bool { return v.w == nil || v.before < v.cs }

// install adds the version of a transaction that committed, or may have, to the chain: transactions end in order of
// cs, so it is the last.
func (p *partition) install(t *part, w *ownWrite) {
	it := w.it
	v := &version{value: w.value, payload: w.payload, w: t, start: w.start, end: w.end, cs: t.cs, ce: t.ce,
		before: it.last.latest(), prev: w.prev, anew: w.anew && w.value != history.Absent}
	if t.outcome == committed {
		p.follow(it, v)
		p.updater(it, v)
	}
	it.chain, it.last = append(it.chain, v), v
	if len(it.chain) >= int(it.trimAt) {
		p.trim(it)
	}
}

// trim drops what no read to come can see: versions that ended to be visible before the horizon.
func (p *partition) trim(it *item) {
	n := len(it.chain)
	pivot := n - 1
	for pivot > 0 && it.chain[pivot].ce >= p.horizon {
		pivot--
	}
	cs := it.chain[pivot].cs
	if it.chain[pivot].ce >= p.horizon {
		cs = never
	}
	kept := it.chain[:0]
	for i, v := range it.chain {
		if i >= pivot || v.ce >= cs || len(kept) > 0 && p.reborn(v) {
			// a deletion says of those before it that their rows are gone
			kept = append(kept, v)
		}
	}
	clear(it.chain[len(kept):])
	it.chain = kept
	if len(kept) < n {
		latest := int64(never)
		for _, v := range kept {
			v.before = latest
			latest = v.latest()
			if v.prev != nil && !slices.Contains(kept, v.prev) {
				v.prev = nil // or every version would keep all before it alive
			}
			v.older = slices.DeleteFunc(v.older, func(u *version) bool { return !slices.Contains(kept, u) })
		}
	}
	it.trimAt = int32(max(4, 2*len(kept)))
}

// before says whether u surely comes before v in the version order: both are in the chain.
func (p *partition) before(u, v *version) bool {
	switch {
	case u == v || v.w == nil || u.w != nil && u.w == v.w:
		return false
	case u.w == nil || u.ce < v.cs || v.prev == u || slices.Contains(v.older, u):
		return true
	case v.ce < u.cs || u.prev == v || slices.Contains(u.older, v):
		return false
	}
	a, b := u.w, v.w
	if p.promise.MutualExclusion {
		// v's lock was released after u's was acquired, so v did not hold it first.
		if b.rs > u.end && a.rs <= v.end {
			return true
		}
	}
	if p.firstUpdater() && a.snapped && b.snapped && !p.reborn(v) {
		// v became visible after u's snapshot: u is not the later one of two that were not concurrent.
		if b.cs > a.hi && a.cs <= b.hi {
			return true
		}
	}
	return false
}

// reborn says whether a version is a deletion over which a transaction may write whose snapshot does not show it.
func (p *partition) reborn(v *version) bool { return p.promise.KeysReborn && v.value == history.Absent }

// insertedOver says whether v may be a row that its transaction inserted over a deletion which its snapshot need not
// show: that of u itself, or one that comes between the two for all that is known. What v overwrites directly, if it is
// no deletion, its transaction did see.
func (p *partition) insertedOver(it *item, u, v *version) bool {
	if !p.promise.KeysReborn || u.value == history.Absent || v.prev == u {
		return p.reborn(u)
	}
	return slices.ContainsFunc(it.chain, func(d *version) bool {
		return d != u && d != v && p.reborn(d) && !p.before(d, u) && !p.before(v, d)
	})
}

// firstUpdater says whether of two concurrent writers of an item only one may commit, whoever sees to it.
func (p *partition) firstUpdater() bool {
	return p.promise.FirstUpdaterWins || p.promise.Certifier == dbms.Percolator || p.promise.Certifier == dbms.OCCWrites
}

// follow counts and certifies the write dependency of a version on the one before it; it is not in the chain yet.
func (p *partition) follow(it *item, v *version) {
	for i := len(it.chain) - 1; i >= 0; i-- {
		u := it.chain[i]
		if u.w == nil || u.ce == forever { // nobody wrote it, or maybe nobody did
			if u.w == nil {
				p.overwritten(it, u, v)
				return
			}
			continue
		}
		p.stats.WW.All++
		overlap := u.ce >= v.cs
		if overlap {
			p.stats.WW.Before++
		}
		switch {
		case p.before(u, v):
			p.overwritten(it, u, v)
			p.writeDependency(it, u, v)
			if !overlap {
				return
			}
		case p.before(v, u):
			p.writeDependency(it, v, u)
		default:
			p.stats.WW.After++
		}
	}
}

// writeDependency certifies that v comes after u. Where first updater wins, u was committed before the snapshot of
// v's writer, else before its commit.
func (p *partition) writeDependency(it *item, u, v *version) {
	at, lo := atCommit, v.cs
	if p.firstUpdater() && v.w.snapped && u.cs <= v.w.hi && !p.insertedOver(it, u, v) { // else updater reports it
		at, lo = atSnapshot, v.w.lo
	}
	if !p.implied(u.ce, lo) {
		p.emit(dep{kind: history.WW, from: u.w.node, to: v.w.node, fromAt: atCommit, toAt: at, item: it.id,
			version: u.value}, u.ce, lo)
	}
}

// overwritten accounts for the anti-dependencies of those who read u before v came.
func (p *partition) overwritten(it *item, u, v *version) {
	p.stats.RW.All += u.reads
	u.reads = 0
	if !p.conflicts {
		return
	}
	kept := u.readers[:0]
	for _, r := range u.readers {
		if r.cond != nil {
			yes, no := v.meets(r.cond)
			if no { // v changes nothing for it: the next one may
				v.readers = append(v.readers, r)
			}
			if !yes {
				continue
			}
		} else {
			kept = append(kept, r)
		}
		if r.n != v.w.node {
			p.deps = append(p.deps, dep{kind: history.RW, from: r.n, to: v.w.node, fromAt: atNone, item: it.id, version: u.value,
				cond: r.cond})
		}
	}
	clear(u.readers[len(kept):])
	u.readers = kept
}

// candidates finds the versions that a read at a moment in [lo, hi] may see (Leopard, section V-A): not the future
// ones, and not the garbage ones that a version surely visible by then has surely overwritten. It returns the one
// that has the value, or, where cond is not nil, the one that need not meet the condition; how many do; and how many
// candidates there are.
func (p *partition) candidates(it *item, value int64, cond *history.PayloadFilter, lo, hi int64) (match *version,
	matches, all int) {
	if last := it.last; last.ce < lo && !last.wild && last.afterAll() {
		if last.value == value || cond != nil && !last.surely(cond) { // nearly always
			return last, 1, 1
		}
		return nil, 0, 1
	}
	p.sure = p.sure[:0]
	pivot := int64(never)
	for i := it.lastBefore(hi); i >= 0; i-- {
		v := it.chain[i]
		if !p.garbage(v) {
			all++
			switch {
			case (v.value == value || cond != nil && !v.surely(cond)) && (!v.wild || cond != nil):
				matches++
				match = v
			case v.wild && match != nil:
				matches++ // it may have had the same value
			case v.wild:
				v.value, v.wild = value, false // the initial version, seen for the first time
				return v, 1, all
			}
		}
		if v.ce < lo {
			p.sure = append(p.sure, v)
			pivot = max(pivot, v.cs)
		}
		if v.before < pivot {
			break // older ones were overwritten by the pivot
		}
	}
	return match, matches, all
}

// lastBefore is the place in the chain of the last version that is not a future one at a moment; -1 for none.
func (it *item) lastBefore(t int64) int {
	if it.last.cs <= t {
		return len(it.chain) - 1
	}
	i, _ := slices.BinarySearchFunc(it.chain, t, func(v *version, t int64) int {
		if v.cs <= t {
			return -1
		}
		return 1
	})
	return i - 1
}

// garbage says whether a version that was surely visible has surely overwritten another one.
func (p *partition) garbage(v *version) bool {
	for _, u := range p.sure {
		if p.before(v, u) {
			return true
		}
	}
	return false
}

// checkReads checks what a statement read of others' versions, and what it did not find in the ranges that it read.
func (p *partition) checkReads(e *event, reads []seen, ranges []history.KeyRange, writes []*item) {
	for _, r := range reads {
		match := p.checkRead(e, r.it, r.version, writes)
		if match != nil && differ(match.payload, r.payload) {
			p.wrongPayload(e, r.it, match.writer(), r.version, match.payload, r.payload)
		}
	}
	for _, r := range ranges {
		p.checkRange(e, reads, r)
	}
}

// checkRead checks one version that was read, and returns it where it is certain which one it is.
func (p *partition) checkRead(e *event, it *item, value int64, writes []*item) *version {
	p.stats.Reads++
	match, matches, all := p.candidates(it, value, nil, e.lo, e.hi)
	p.stats.Candidates += int64(all)
	if value == history.Absent && p.bornAnew(e, it) {
		return nil
	}
	if matches == 0 {
		p.explain(e, it, value)
		return nil
	}
	if matches == 1 {
		p.deduce(it, match, e.lo)
	}
	if matches > 1 {
		if !e.t.ended || e.t.outcome == committed {
			p.stats.WR.All++
			p.stats.WR.Before++
			p.stats.WR.After++
		}
		return nil
	}
	if e.t.ended && e.t.outcome != committed {
		return match
	}
	p.keep(e, it, match, nil, e.lock != history.LockNone && (value != history.Absent || p.promise.GapLocks))
	for _, w := range writes { // a read-modify-write: it overwrote what it read
		if w == it {
			p.overwrote(e.t, it, match)
		}
	}
	return match
}

// bornAnew says whether a statement that locks what it reads may not have found a row because it met the old one
// deleted, by a transaction that inserted another one of its key before it committed (dbms.Mechanisms.DeletedGone).
func (p *partition) bornAnew(e *event, it *item) bool {
	return p.promise.DeletedGone && e.kind == evRow &&
		slices.ContainsFunc(it.chain, func(v *version) bool { return v.anew && v.cs <= e.hi && v.ce >= e.lo })
}

// keep notes what a transaction surely read, for its dependencies.
func (p *partition) keep(e *event, it *item, v *version, cond *history.PayloadFilter, locked bool) {
	e.t.reads = p.freeReads.add(e.t.reads, ownRead{it: it, v: v, cond: cond, kind: e.kind, locked: locked, lo: e.lo,
		hi: e.hi, seq: e.seq})
}

// deduce notes what a read of v at a moment after lo says of the order of versions: those that were visible by then
// come before v.
func (p *partition) deduce(it *item, v *version, lo int64) {
	if v == it.last && v.afterAll() || v.w == nil {
		return
	}
	for _, u := range slices.Backward(it.chain) {
		if u.latest() < v.cs {
			return
		}
		if u == v || u.w == nil || u.w.outcome != committed || u.ce >= lo || p.before(u, v) || p.before(v, u) {
			continue
		}
		v.older = append(v.older, u)
		if v.w.outcome == committed {
			p.stats.WW.After--
			p.writeDependency(it, u, v)
		}
	}
}

// overwrote notes that a transaction's version of an item follows u directly.
func (p *partition) overwrote(t *part, it *item, u *version) {
	if !t.ended {
		if k := t.find(it); k >= 0 && t.writes[k].prev == nil {
			t.writes[k].prev = u
		}
		return
	}
	for _, v := range it.chain {
		if v.w == t && v.prev == nil && v != u {
			v.prev = u
		}
	}
}
