package weak

import "txweave/checker"

// manyWrites is from how many writes on a transaction's keys are put into a set.
const manyWrites = 32

// writes says whether the transaction writes the key.
func (c *judge) writes(t, key int32) bool {
	keys := c.R.VersionKey[c.R.FirstVersion[t]:c.R.FirstVersion[t+1]]
	if len(keys) < manyWrites {
		for _, k := range keys {
			if k == key {
				return true
			}
		}
		return false
	}
	set := c.keysOf[t]
	if set == nil {
		if c.keysOf == nil {
			c.keysOf = make(map[int32]map[int32]bool)
		}
		set = make(map[int32]bool, len(keys))
		for _, k := range keys {
			set[k] = true
		}
		c.keysOf[t] = set
	}
	return set[key]
}

// reading is which version of each key a transaction reads. It serves one transaction after another.
type reading struct {
	byKey []struct{ txn, version int32 }
	keys  []int32 // that the transaction reads
	txn   int32
}

func newReading(keys int) *reading {
	r := &reading{byKey: make([]struct{ txn, version int32 }, keys), txn: none}
	for k := range r.byKey {
		r.byKey[k].txn = none
	}
	return r
}

func (r *reading) reset(txn int32) { r.txn, r.keys = txn, r.keys[:0] }

func (r *reading) set(key, version int32) {
	if r.byKey[key].txn != r.txn {
		r.byKey[key].txn = r.txn
		r.keys = append(r.keys, key)
	}
	r.byKey[key].version = version
}

// overlap forces the transaction seen before the writers of the versions in the reading whose keys it writes, too. It
// walks through the shorter of the two sets of keys.
func (c *judge) overlap(r *reading, seen int32) {
	own := c.R.VersionKey[c.R.FirstVersion[seen]:c.R.FirstVersion[seen+1]]
	if len(own) <= len(r.keys) {
		for _, k := range own {
			if x := r.byKey[k]; x.txn == r.txn {
				c.force(seen, x.version, r.txn)
			}
		}
		return
	}
	for _, k := range r.keys {
		if c.writes(seen, k) {
			c.force(seen, r.byKey[k].version, r.txn)
		}
	}
}

// forceRC goes through each transaction's reads from the last to the first, with the next version read of each key. The
// pair with that version implies those with versions read after it: its writer was then seen before them. Where the
// next version is the seen transaction's own, that read finds the pair.
func (c *judge) forceRC() {
	later := newReading(c.h.Keys())
	for t := range int32(len(c.h.Txns)) {
		sources := c.R.Sources(t)
		later.reset(t)
		seen := none // writer of the read after this one: what it forces has been found
		for i := len(sources) - 1; i >= 0; i-- {
			v := sources[i]
			if v == checker.Inner {
				continue
			}
			if w := c.R.VersionTxn[v]; w >= 0 && int(w) != c.h.Initial && w != seen && len(later.keys) > 0 {
				c.overlap(later, w)
			}
			seen = c.R.VersionTxn[v]
			later.set(c.R.VersionKey[v], v)
		}
	}
}

// forceRA holds each transaction's reads against what it read from, and against the last write of each key before it in
// its session, which comes after the earlier ones.
func (c *judge) forceRA() {
	reads := newReading(c.h.Keys())
	done := make([]int32, len(c.h.Txns)) // by transaction: the last one that it was held against
	for t := range done {
		done[t] = none
	}
	for t := range int32(len(c.h.Txns)) {
		reads.reset(t)
		for _, v := range c.R.Sources(t) {
			if v != checker.Inner {
				reads.set(c.R.VersionKey[v], v)
			}
		}
		for _, v := range c.R.Sources(t) {
			if v == checker.Inner {
				continue
			}
			if w := c.R.VersionTxn[v]; w >= 0 && int(w) != c.h.Initial && done[w] != t {
				done[w] = t
				c.overlap(reads, w)
			}
		}
	}
	if c.opt.SessionOrder {
		c.forceSessions()
	}
}

// forceSessions goes through each session with the last writer of each key.
func (c *judge) forceSessions() {
	last := make([]sessionWrite, c.h.Keys())
	for k := range last {
		last[k].session = none
	}
	for head := range int32(len(c.h.Txns)) {
		if c.prev[head] != none || c.NextSO[head] == none {
			continue
		}
		for t := head; t != none; t = c.NextSO[t] {
			c.forceAfter(last, c.h.Txns[head].Session, t)
		}
	}
}

// sessionWrite is who wrote a key last, and in which session.
type sessionWrite struct{ session, txn int32 }

// forceAfter holds what a transaction read against the last writes before it in its session, and adds its own.
func (c *judge) forceAfter(last []sessionWrite, session, t int32) {
	for _, v := range c.R.Sources(t) {
		if v == checker.Inner {
			continue
		}
		if w := last[c.R.VersionKey[v]]; w.session == session {
			c.force(w.txn, v, t)
		}
	}
	for v := c.R.FirstVersion[t]; v < c.R.FirstVersion[t+1]; v++ {
		last[c.R.VersionKey[v]] = sessionWrite{session, t}
	}
}
