package mechanism

import (
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// depend certifies the dependencies of one version that a committed transaction read.
func (p *partition) depend(t *part, r *ownRead) {
	if r.cond != nil {
		p.dependThrough(t, r)
		return
	}
	v := r.v
	at, point := r.point(p.promise)
	if v.w != nil && v.w != t {
		p.stats.WR.All++
		if v.ce >= r.lo {
			p.stats.WR.Before++
		}
		if !p.implied(v.ce, r.lo) && v.w.outcome == committed {
			p.emit(dep{kind: history.WR, from: v.w.node, to: t.node, fromAt: atCommit, toAt: point, lo: r.lo, hi: r.hi,
				seq: r.seq, item: r.it.id, version: v.value},
				v.ce, r.lo)
		}
	}
	next := p.next(r.it, v, t, r)
	if next == nil {
		v.reads++
		p.waitForNext(v, reader{n: t.node})
		return
	}
	hi := r.hi
	if at == atCommit {
		if v.value != history.Absent && t.cs > next.end && next.w.rs > r.hi {
			return // the locks were held at once: release reports it
		}
		hi = t.ce
	}
	p.emit(dep{kind: history.RW, from: t.node, to: next.w.node, fromAt: at, toAt: atCommit, lo: r.lo, hi: r.hi, seq: r.seq,
		item: r.it.id, version: v.value},
		hi, next.cs)
}

// waitForNext notes a reader of a version that nobody has overwritten yet.
func (p *partition) waitForNext(v *version, r reader) {
	if !p.conflicts {
		return
	}
	if n := len(v.readers); n >= 16 && n&(n-1) == 0 {
		v.readers = slices.DeleteFunc(v.readers, func(r reader) bool { return r.n.dead.Load() })
	}
	v.readers = append(v.readers, r)
}

// point returns the moment of the reader that precedes the commit of whoever overwrote what it read, and the one
// that the writer of what it read precedes.
func (r *ownRead) point(c *dbms.Mechanisms) (before, after pointKind) {
	switch r.kind {
	case evSnapshot:
		return atSnapshot, atSnapshot
	case evStatement:
		if r.locked && c.MutualExclusion {
			return atCommit, atStatement
		}
		return atStatement, atStatement
	}
	if r.locked && c.MutualExclusion {
		return atCommit, atRow
	}
	return atRow, atRow
}

// next returns the first version that surely comes after v and counts the anti-dependency.
func (p *partition) next(it *item, v *version, t *part, r *ownRead) *version {
	if v == it.last && v.afterAll() {
		return nil
	}
	from := len(it.chain) - 1
	for from > 0 && it.chain[from].before >= v.cs {
		from--
	}
	doubt := false
	for _, u := range it.chain[from:] {
		if u == v || u.w == nil || u.w == t || u.w.outcome != committed {
			continue
		}
		if p.before(v, u) {
			p.stats.RW.All++
			if u.cs <= r.hi {
				p.stats.RW.Before++
			}
			return u
		}
		doubt = doubt || !p.before(u, v)
	}
	if doubt {
		p.stats.RW.All++
		p.stats.RW.Before++
		p.stats.RW.After++
	}
	return nil
}

// explain reports a version that the statement cannot have seen. What was committed after the transaction's snapshot
// and before the statement was answered is another fault than what was not committed at all: which one it is shows when
// all is known that began before the answer.
func (p *partition) explain(e *event, it *item, value int64) {
	if e.kind != evSnapshot || e.hi >= e.start {
		p.tell(e, it, value)
		return
	}
	e.t.checks++
	it.pins++
	w := p.later()
	w.due, w.seq, w.t, w.ev, w.told = e.end, e.seq, e.t, *e, true
	w.reads = append(w.reads, seen{it: it, version: value})
	p.wait.push(w)
}

// tell says why a version cannot have been seen.
func (p *partition) tell(e *event, it *item, value int64) {
	read := finding.Say("%v read %v at a moment in %v", finding.TxnNumber(e.t.id), p.versionOf(value, it),
		finding.Interval{From: e.lo, To: e.hi})
	txns := []int64{e.t.id}
	for _, because := range []func(*event, *item, int64) (impossible, bool){p.notThen, p.neverThere, p.notYetThere} {
		if why, ok := because(e, it, value); ok {
			p.violation(why.what, it, e, append(txns, why.txn), read, why.said)
			return
		}
	}
	if value == history.Absent {
		p.violation(fault.MissingRow, it, e, txns, read, finding.Say("the row was surely there then"))
		return
	}
	p.violation(fault.UnwrittenVersion, it, e, txns, read,
		finding.Say("no transaction wrote it, or it had long been overwritten"))
}

// impossible is why a version cannot have been seen: what that is, and the transaction by which it is so.
type impossible struct {
	what fault.Kind
	txn  int64
	said finding.Sentence
}

// ofRow is a fault of a read, or the one that it is called where the row was seen absent.
func ofRow(value int64, what, absent fault.Kind) fault.Kind {
	if value == history.Absent {
		return absent
	}
	return what
}

// notThen says whether a version was there later, or had been overwritten.
func (p *partition) notThen(e *event, it *item, value int64) (impossible, bool) {
	for _, v := range slices.Backward(it.chain) {
		if v.value != value || v.wild {
			continue
		}
		if v.cs > e.hi {
			what := fault.DirtyRead
			if e.kind == evSnapshot && v.cs <= e.end {
				what = fault.NewerRead
			}
			return impossible{what, v.w.id, finding.Say("%v began to commit at %v, after that", by(v.w.id, value), v.cs)}, true
		}
		for _, u := range it.chain {
			if u.ce < e.lo && p.before(v, u) {
				return impossible{ofRow(value, fault.StaleRead, fault.MissingRow), u.w.id,
					finding.Say("%v surely had %v and had committed by %v, before that",
						finding.TxnNumber(u.w.id), p.over(u.value), u.ce)}, true
			}
		}
	}
	return impossible{}, false
}

// neverThere says whether a version was rolled back, or overwritten by the transaction that wrote it.
func (p *partition) neverThere(e *event, it *item, value int64) (impossible, bool) {
	for _, h := range it.hidden {
		switch {
		case h.value != value || h.txn == e.t.id || value == history.Absent && it.thereSince(h.end, e.lo):
		case h.why == rolledBack:
			return impossible{ofRow(value, fault.G1a, fault.G1aDelete), h.txn, finding.Say("%v rolled back",
				by(h.txn, value))}, true
		default:
			return impossible{fault.G1b, h.txn, finding.Say("%v overwrote it itself before it committed",
				by(h.txn, value))}, true
		}
	}
	return impossible{}, false
}

// notYetThere says whether a version is one of a transaction that had not begun to commit.
func (p *partition) notYetThere(e *event, it *item, value int64) (impossible, bool) {
	for _, w := range it.writers {
		if k := w.find(it); k >= 0 && w.writes[k].value == value && w != e.t {
			return impossible{fault.DirtyRead, w.id, finding.Say("%v had not begun to commit by then",
				by(w.id, value))}, true
		}
	}
	return impossible{}, false
}
