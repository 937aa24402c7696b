package weak

import (
	"context"
	"sort"

	"txweave/checker"
	"txweave/history/register"
)

// causal finds what TCC forces. Each transaction has a vector clock: by session, how many of its transactions are in
// the causal past, the transaction itself included. A clock lives until the last transaction that depends on it
// directly has been looked at. Without session order, tracks take the place of sessions: sequences of transactions in
// which each one reads from the one before.
type causal struct {
	*judge
	session  []int32 // by transaction: its session, or track; register.NoSession of the initial one
	sessions int
	clocks   [][]int32 // by transaction; nil when it is not needed, any more or yet
	free     [][]int32
	covers   [][]int32    // to be used again
	needed   []int32      // by transaction: how many still need its clock
	number   []int32      // by transaction: its number in its session, from 1
	keys     [][]keyWrite // by key: who wrote it, by session
	// covered is, by version with several readers, how far the pairs that have been found reach in each session: pairs
	// with earlier transactions follow. It goes when the last reader has been looked at.
	covered map[int32]*cover
}

type cover struct {
	upTo []int32 // by session
	left int     // readers that have not been looked at
}

// keyWrite is the transactions of one session that wrote a key, as far as the order has been gone through.
type keyWrite struct {
	session int32
	txns    []int32
}

// forceTCC goes through the transactions in an order that causality allows. For a read of a key from t1, and each
// session, only the last one of its transactions in the causal past that wrote the key matters: the earlier ones come
// before it. It is no pair where t1 depends on it already.
//
// It reports false where that would take too much memory, and where ctx has ended: what it found then is not all.
func (c *judge) forceTCC(ctx context.Context, order []int32) bool {
	n := len(c.h.Txns)
	x := &causal{judge: c, session: make([]int32, n), clocks: make([][]int32, n), needed: make([]int32, n),
		number: make([]int32, n),
		keys:   make([][]keyWrite, c.h.Keys()), covered: make(map[int32]*cover)}
	if c.opt.SessionOrder {
		x.bySession()
	} else if x.byTrack(order); x.sessions*n > maxClocks {
		return false
	}
	for t := range int32(n) {
		if p := c.prev[t]; p != none {
			x.needed[p]++
		}
		for _, v := range c.R.Sources(t) {
			if v != checker.Inner && c.R.VersionTxn[v] >= 0 {
				x.needed[c.R.VersionTxn[v]]++
			}
		}
	}
	for i, t := range order {
		if i%1024 == 0 && ctx.Err() != nil {
			return false
		}
		if c.R.Taken[t] && int(t) != c.h.Initial {
			x.visit(t)
		}
	}
	return true
}

// maxClocks bounds transactions times tracks: a clock of four bytes for each would then take 1 GiB.
const maxClocks = 1 << 28

func (x *causal) bySession() {
	x.sessions = x.h.Sessions()
	for t := range x.h.Txns {
		x.session[t], x.number[t] = x.h.Txns[t].Session, 1
		if p := x.prev[t]; p != none {
			x.number[t] = x.number[p] + 1
		}
	}
}

// byTrack puts each transaction at the end of the track of one that it reads from, if that is its last one.
func (x *causal) byTrack(order []int32) {
	var last []int32 // by track: its last transaction
	for _, t := range order {
		x.session[t] = register.NoSession
		if !x.R.Taken[t] || int(t) == x.h.Initial {
			continue
		}
		for _, v := range x.R.Sources(t) {
			if v == checker.Inner || x.R.VersionTxn[v] < 0 {
				continue
			}
			w := x.R.VersionTxn[v]
			if k := x.session[w]; k != register.NoSession && last[k] == w {
				x.session[t], x.number[t], last[k] = k, x.number[w]+1, t
				break
			}
		}
		if x.session[t] == register.NoSession {
			x.session[t], x.number[t] = int32(len(last)), 1
			last = append(last, t)
		}
	}
	x.sessions = len(last)
}

func (x *causal) visit(t int32) {
	clock := x.newClock(t)
	for _, v := range x.R.Sources(t) {
		if v != checker.Inner {
			x.hold(clock, v, t)
		}
	}
	x.release(x.prev[t])
	for _, v := range x.R.Sources(t) {
		if v != checker.Inner {
			x.release(x.R.VersionTxn[v])
		}
	}
	session := x.session[t]
	if session == register.NoSession {
		x.free = append(x.free, clock)
		return
	}
	clock[session] = x.number[t]
	if x.needed[t] > 0 {
		x.clocks[t] = clock
	} else {
		x.free = append(x.free, clock)
	}
	for v := x.R.FirstVersion[t]; v < x.R.FirstVersion[t+1]; v++ {
		x.record(x.R.VersionKey[v], session, t)
	}
}

// newClock joins the clocks of what t depends on.
func (x *causal) newClock(t int32) []int32 {
	var clock []int32
	if n := len(x.free); n > 0 {
		clock, x.free = x.free[n-1], x.free[:n-1]
		clear(clock)
	} else {
		clock = make([]int32, x.sessions)
	}
	join := func(from int32) {
		if from < 0 {
			return
		}
		for s, n := range x.clocks[from] {
			clock[s] = max(clock[s], n)
		}
	}
	join(x.prev[t])
	last := none
	for _, v := range x.R.Sources(t) {
		if v != checker.Inner && x.R.VersionTxn[v] != last {
			last = x.R.VersionTxn[v]
			join(last)
		}
	}
	return clock
}

func (x *causal) release(t int32) {
	if t < 0 {
		return
	}
	if x.needed[t]--; x.needed[t] == 0 && x.clocks[t] != nil {
		x.free = append(x.free, x.clocks[t])
		x.clocks[t] = nil
	}
}

func (x *causal) record(key, session, t int32) {
	for i := range x.keys[key] {
		if w := &x.keys[key][i]; w.session == session {
			w.txns = append(w.txns, t)
			return
		}
	}
	x.keys[key] = append(x.keys[key], keyWrite{session, []int32{t}})
}

// hold forces the last writers of version v's key in the causal past of t before the version's writer.
func (x *causal) hold(clock []int32, v, t int32) {
	writer := x.R.VersionTxn[v]
	var known []int32 // the writer's clock
	if writer >= 0 {
		known = x.clocks[writer]
	}
	covered := x.cover(v)
	for _, w := range x.keys[x.R.VersionKey[v]] {
		limit := clock[w.session]
		if limit == 0 || known != nil && x.number[w.txns[0]] > limit {
			continue
		}
		seen := x.lastUpTo(w.txns, limit)
		if seen == none || seen == writer || known != nil && known[w.session] >= x.number[seen] {
			continue
		}
		if covered == nil {
			x.force(seen, v, t)
		} else if covered.upTo[w.session] < x.number[seen] {
			covered.upTo[w.session] = x.number[seen]
			x.force(seen, v, t)
		}
	}
	if covered != nil && covered.left == 0 {
		clear(covered.upTo)
		x.covers = append(x.covers, covered.upTo)
		delete(x.covered, v)
	}
}

// cover returns what has been found for a version that another read of it, now or later, may repeat; nil if there is
// none.
func (x *causal) cover(v int32) *cover {
	c := x.covered[v]
	if c == nil {
		reads := int(x.Versions[v].Readers)
		if reads < 2 {
			return nil
		}
		c = &cover{left: reads}
		if n := len(x.covers); n > 0 {
			c.upTo, x.covers = x.covers[n-1], x.covers[:n-1]
		} else {
			c.upTo = make([]int32, x.sessions)
		}
		x.covered[v] = c
	}
	c.left--
	return c
}

// lastUpTo returns the last of a session's transactions with at most this number in the session. It is near the end.
func (x *causal) lastUpTo(txns []int32, limit int32) int32 {
	hi := len(txns) // all from here on are later
	for step := 1; ; step *= 2 {
		lo := max(hi-step, 0)
		if x.number[txns[lo]] <= limit {
			i := lo + sort.Search(hi-lo, func(i int) bool { return x.number[txns[lo+i]] > limit })
			return txns[i-1]
		}
		if lo == 0 {
			return none
		}
		hi = lo
	}
}
