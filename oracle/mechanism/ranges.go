package mechanism

import (
	"math"
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// enumerate is up to how many keys a range is looked up key by key.
const enumerate = 256

// checkRange checks that every row in a range that the statement did not return may have been absent, or may not have
// met its condition.
func (p *partition) checkRange(e *event, reads []seen, r history.KeyRange) {
	if width := uint64(r.Hi) - uint64(r.Lo); r.Hi >= r.Lo && width < enumerate {
		for key := r.Lo; ; key++ {
			if it, _ := p.items.find(history.ItemID{Table: r.Table, Key: key}); it != nil {
				p.checkNotReturned(e, it, reads, r)
			}
			if key == r.Hi || key == math.MaxInt64 {
				return
			}
		}
	}
	for _, it := range p.tables[r.Table] {
		if it.id.Key >= r.Lo && it.id.Key <= r.Hi {
			p.checkNotReturned(e, it, reads, r)
		}
	}
}

// checkNotReturned is checkRange for one row of the range.
func (p *partition) checkNotReturned(e *event, it *item, reads []seen, r history.KeyRange) {
	if slices.ContainsFunc(reads, func(s seen) bool { return s.it == it }) {
		return
	}
	if k := e.t.find(it); k >= 0 && e.t.writes[k].first <= e.seq || len(it.chain) == 1 && it.chain[0].wild {
		return // its own row is checkOwnRange's
	}
	if r.If == nil {
		p.checkRead(e, it, history.Absent, nil)
	} else {
		p.checkPassedOver(e, it, r)
	}
}

// meets says whether the version surely meets a condition, and whether it surely does not.
func (v *version) meets(c *history.PayloadFilter) (yes, no bool) {
	if v.value == history.Absent && !v.wild {
		return false, true
	}
	return c.Holds(v.payload)
}

// surely says whether the version surely meets a condition.
func (v *version) surely(c *history.PayloadFilter) bool {
	yes, _ := v.meets(c)
	return yes
}

// writer is the number of the transaction that wrote the version; 0: it was there from the start.
func (v *version) writer() int64 {
	if v.w == nil {
		return 0
	}
	return v.w.id
}

// differ says whether two payloads surely differ.
func differ(a, b history.Payload) bool { return a != 0 && b != 0 && a != b }

// checkOwnRange checks that the answer to a range holds the transaction's own rows that surely meet its condition, and
// no row that surely does not. It is called when the writes of the statement itself are known and later ones are not.
func (p *partition) checkOwnRange(b *batch, e *event, r history.KeyRange) {
	in := func(id history.ItemID) bool { return id.Table == r.Table && r.Lo <= id.Key && id.Key <= r.Hi }
	reads := b.acc[e.r0:e.r1]
	for k := range e.t.writes {
		w := &e.t.writes[k]
		if w.value == history.Absent || w.end == forever || w.seq == e.seq || !in(w.it.id) ||
			slices.ContainsFunc(reads, func(a history.Access) bool { return a.ItemID == w.it.id }) {
			continue
		}
		if yes, _ := r.If.Holds(w.payload); yes {
			p.violation(fault.OwnWriteMissed, w.it, e, []int64{e.t.id}, p.ownWrite(e, w),
				finding.Say("its later statement in %v, of %v, did not find it",
					finding.Interval{From: e.start, To: e.end}, p.rangeName(r)))
		}
	}
	if r.If == nil || e.g1-e.g0 > 1 {
		return
	}
	for i := range reads {
		a := &reads[i]
		if _, no := r.If.Holds(a.Payload); no && a.Version != history.Absent && in(a.ItemID) {
			v, _ := a.Payload.Value()
			p.violation(fault.RowTooMany, p.item(a.ItemID), e, []int64{e.t.id},
				finding.Say("%v read %v in %v, and got %v with a payload of %v", finding.TxnNumber(e.t.id), p.rangeName(r),
					finding.Interval{From: e.start, To: e.end}, p.name(p.item(a.ItemID)), v))
		}
	}
}

// rangeName says which range it is: "t0:3 to 9 with a payload in 0..5".
func (p *partition) rangeName(r history.KeyRange) finding.Sentence {
	rows := finding.Say("%v to %v", finding.ItemName(p.v.opt.Symbols.ItemName(history.ItemID{Table: r.Table, Key: r.Lo})),
		r.Hi)
	if r.Lo == math.MinInt64+1 && r.Hi == math.MaxInt64 {
		rows = finding.Say("all of %v", p.v.opt.Symbols.TableName(r.Table))
	}
	if r.If == nil {
		return rows
	}
	return finding.Say("%v with %v", rows, r.If.String())
}

// checkPassedOver checks that a row that a range did not return may have failed its condition.
func (p *partition) checkPassedOver(e *event, it *item, r history.KeyRange) {
	p.stats.Reads++
	match, matches, all := p.candidates(it, history.Absent, r.If, e.lo, e.hi)
	p.stats.Candidates += int64(all)
	if p.bornAnew(e, it) {
		return
	}
	if matches == 0 {
		p.explainMissing(e, it, r)
		return
	}
	if matches > 1 || match.wild {
		return
	}
	p.deduce(it, match, e.lo)
	if !e.t.ended || e.t.outcome == committed {
		p.keep(e, it, match, r.If, e.lock != history.LockNone && p.promise.GapLocks)
	}
}

// dependThrough certifies the dependencies of a version that a committed transaction passed over because it does not
// meet a condition (Adya, definitions of predicate-read and predicate-anti-dependencies: only versions that change
// whether the row meets it count; the others order moments only).
func (p *partition) dependThrough(t *part, r *ownRead) {
	v := r.v
	i := slices.Index(r.it.chain, v)
	if i < 0 {
		return
	}
	at, point := r.point(p.promise)
	if v.w != nil && v.w != t && v.w.outcome == committed {
		d := dep{kind: history.WR, from: v.w.node, to: t.node, fromAt: atCommit, toAt: point, lo: r.lo, hi: r.hi, seq: r.seq,
			item: r.it.id, version: v.value, cond: r.cond}
		before := p.directlyBefore(r.it, i)
		if d.loose = before == nil || !before.surely(r.cond); !d.loose {
			p.stats.WR.All++
		}
		p.emit(d, v.ce, r.lo)
	}
	last := v
	for _, u := range r.it.chain[i+1:] {
		if u.w.outcome != committed || !p.before(last, u) {
			return // the order is not certain
		}
		yes, no := u.meets(r.cond)
		if u.w == t || !yes && !no {
			return
		}
		if yes || last == v {
			p.antiDepend(t, r, last, u, at, yes)
		}
		if yes {
			p.stats.RW.All++
			return
		}
		last = u
	}
	p.waitForNext(last, reader{t.node, r.cond})
}

// antiDepend certifies the predicate-anti-dependency of a transaction on the one that overwrote a version that it
// passed over, last, by u; meets says that u meets the condition.
func (p *partition) antiDepend(t *part, r *ownRead, last, u *version, at pointKind, meets bool) {
	d := dep{kind: history.RW, from: t.node, to: u.w.node, fromAt: at, toAt: atCommit, lo: r.lo, hi: r.hi, seq: r.seq,
		item: r.it.id, version: last.value, cond: r.cond, loose: !meets}
	hi := r.hi
	if at == atCommit {
		if meets {
			hi = t.ce
		} else {
			d.fromAt = atRow // who locks by the condition does not keep out what does not meet it
		}
	}
	p.emit(d, hi, u.cs)
}

// directlyBefore returns the version that surely comes directly before chain[i]; nil if that is not known.
func (p *partition) directlyBefore(it *item, i int) *version {
	if i == 0 || !it.chain[i].afterAll() || i > 1 && !it.chain[i-1].afterAll() {
		return nil
	}
	return it.chain[i-1]
}

// explainMissing reports a row that surely was there and met the condition.
func (p *partition) explainMissing(e *event, it *item, r history.KeyRange) {
	read := finding.Say("%v read %v at a moment in %v and did not find %v", finding.TxnNumber(e.t.id), p.rangeName(r),
		finding.Interval{From: e.lo, To: e.hi}, p.name(it))
	_, _, all := p.candidates(it, history.Absent, r.If, e.lo, e.hi)
	for _, v := range slices.Backward(it.chain) {
		if v.cs > e.hi || !v.surely(r.If) {
			continue
		}
		n, _ := v.payload.Value()
		why := []finding.Sentence{read, finding.Say("%v, there from the start, has a payload of %v",
			p.version(v.value), n)}
		txns := []int64{e.t.id}
		if v.w != nil {
			txns = append(txns, v.w.id)
			why[1] = finding.Say("%v wrote %v with a payload of %v and committed in %v", finding.TxnNumber(v.w.id),
				p.version(v.value), n,
				finding.Interval{From: v.cs, To: v.ce})
		}
		if all > 1 {
			why = append(why, finding.Say("so do all %v versions that it may have met there", all))
		}
		p.violation(fault.MissingRow, it, e, txns, why...)
		return
	}
	p.violation(fault.MissingRow, it, e, []int64{e.t.id}, read)
}

// wrongPayload reports a version that was read with another payload than it was written with.
func (p *partition) wrongPayload(e *event, it *item, writer, version int64, wrote, read history.Payload) {
	a, _ := wrote.Value()
	b, _ := read.Value()
	txns := []int64{e.t.id}
	why := finding.Say("it was there from the start with %v", a)
	if writer != 0 && writer != e.t.id {
		txns = append(txns, writer)
	}
	if writer != 0 {
		why = finding.Say("%v wrote it with %v", finding.TxnNumber(writer), a)
	}
	p.violation(fault.TornRow, it, e, txns, finding.Say("%v read %v with a payload of %v in %v",
		finding.TxnNumber(e.t.id), p.versionOf(version, it), b, finding.Interval{From: e.start, To: e.end}),
		why)
}
