// Package weak checks histories of registers, with blind writes and transactions of any length, against read committed,
// read atomic and transactional causal consistency.
//
// The definitions are those of Biswas and Enea ("On the Complexity of Checking Transactional Consistency", OOPSLA
// 2019, figure 2): there is a total commit order that contains session order and wr, and in which, wherever t3 reads a
// key from t1 and t2 wrote that key too, t2 comes before t1
//
//	rc:  if t3 read something else from t2 before, in program order
//	ra:  if t3 read something from t2, or t2 is before t3 in its session
//	tcc: if t2 is in the causal past of t3, by sessions and reads
//
// These conditions do not mention the commit order, so the pairs that they force are found first, and the history is
// valid if session order, wr and these pairs have no cycle. In the words of Liu et al. ("Plume", OOPSLA 2024): a cycle
// of session order and wr is CyclicCO, one that needs a forced pair is a NonMonoRead, FracturedRead or COConflict.
// Their read atomic is another one, as it builds on an order that the level itself does not have.
//
// A list's reads show more: the order in which transactions appended to it is part of the commit order. A read of a
// list reads from the transaction that appended its last element; appends are writes, no reads.
//
// The time is near linear: the pairs are found with the keys of the smaller of two transactions (rc, ra), or with
// vector clocks, one entry for each session (tcc); of pairs that follow from each other only one is kept.
package weak

import (
	"context"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history/register"
	"txweave/internal/graph"
)

const none = checker.None

// Check judges a history at RC, RA or TCC.
func Check(ctx context.Context, h *register.History, level dbms.Level, opt checker.Options) checker.Verdict {
	if level != dbms.RC && level != dbms.RA && level != dbms.TCC {
		return opt.Unknown(level, checker.Supported, "the checker of weak levels does not know this level")
	}
	h, lists, verdict := checker.FromLists(h, level, opt)
	if verdict != nil {
		return *verdict
	}
	r, verdict := checker.Trace(h, level, opt)
	if verdict != nil {
		return *verdict
	}
	c := &judge{Deps: checker.Link(r, opt), h: h, level: level, opt: opt}
	c.prev = c.PrevSO()
	order := c.order(nil)
	if len(order) < len(h.Txns) {
		return c.cyclic(order)
	}
	switch level {
	case dbms.RC:
		c.forceRC()
	case dbms.RA:
		c.forceRA()
	case dbms.TCC:
		if !c.forceTCC(ctx, order) {
			if v := opt.Stopped(ctx, level); v != nil {
				return *v
			}
			return opt.Unknown(level, checker.SearchBudget,
				"without session order, causality among %d transactions would take more than 1 GiB", len(h.Txns))
		}
	}
	c.follow(lists)
	if c.early != nil {
		return c.beforeInitial(*c.early)
	}
	if len(c.forced) == 0 {
		return r.Valid(level, opt)
	}
	c.index()
	if order = c.order(c.first); len(order) < len(h.Txns) {
		return c.cyclic(order)
	}
	return r.Valid(level, opt)
}

// judge collects the pairs that a level forces.
type judge struct {
	*checker.Deps
	prev   []int32 // by transaction: the one before it in its session, or none
	h      *register.History
	level  dbms.Level
	opt    checker.Options
	forced []pair
	first  []int32 // by transaction: its first pair in forced, which is then sorted by from
	early  *pair   // a transaction that is forced before the initial state
	// keysOf is, of transactions with many writes, their keys.
	keysOf map[int32]map[int32]bool
}

// pair says that from comes before to, because via read this version of a key from to although from, which wrote that
// key too, is visible to it. Where via is none, lists show that version follows one of from.
type pair struct {
	from, to, via, version int32
}

// force records a pair.
func (c *judge) force(from, version, via int32) {
	to := c.R.VersionTxn[version]
	switch {
	case from == to:
	case to < 0 || int(to) == c.h.Initial:
		if c.early == nil {
			c.early = &pair{from, to, via, version}
		}
	default:
		c.forced = append(c.forced, pair{from, to, via, version})
	}
}

// follow adds the order of versions that lists show: each comes before the next, and the last one before those that
// nobody saw.
func (c *judge) follow(lists map[int32][]int64) {
	if lists == nil {
		return
	}
	version := c.elements()
	seen := make([]bool, len(c.R.VersionTxn))
	last := make([]int32, c.h.Keys())
	for key := range last {
		last[key] = none
		for _, value := range lists[int32(key)] {
			v := version[element{int32(key), value}]
			if last[key] != none && last[key] != v {
				c.forced = append(c.forced, pair{c.R.VersionTxn[last[key]], c.R.VersionTxn[v], none, v})
			}
			last[key], seen[v] = v, true
		}
	}
	for v := c.h.Keys(); v < len(seen); v++ {
		t, l := c.R.VersionTxn[v], last[c.R.VersionKey[v]]
		if c.R.Taken[t] && !seen[v] && l != none {
			c.forced = append(c.forced, pair{c.R.VersionTxn[l], t, none, int32(v)})
		}
	}
}

// element is one of a list.
type element struct {
	key   int32
	value int64
}

// elements are the versions that the lists' elements were written as.
func (c *judge) elements() map[element]int32 {
	version := map[element]int32{}
	for t := range c.h.Txns {
		for v := c.R.FirstVersion[t]; c.R.Taken[t] && v < c.R.FirstVersion[t+1]; v++ {
			for _, op := range c.h.TxnOps(t) {
				if op.Kind == register.Write && op.Key == c.R.VersionKey[v] {
					version[element{op.Key, op.Value}] = v
				}
			}
		}
	}
	return version
}

// index sorts the pairs by where they come from (counting sort).
func (c *judge) index() {
	n := len(c.h.Txns)
	c.first = make([]int32, n+1)
	for _, p := range c.forced {
		c.first[p.from+1]++
	}
	for t := range n {
		c.first[t+1] += c.first[t]
	}
	at := append([]int32(nil), c.first[:n]...)
	sorted := make([]pair, len(c.forced))
	for _, p := range c.forced {
		sorted[at[p.from]] = p
		at[p.from]++
	}
	c.forced = sorted
}

// order returns the transactions in an order that session order, wr and, where first is given, the forced pairs
// allow. It is shorter than there are transactions if there is a cycle. Transactions that do not count are in it.
func (c *judge) order(first []int32) []int32 {
	return graph.Order(c.degrees(first != nil), func(t int32, buf []int32) []int32 {
		if s := c.NextSO[t]; s != none {
			buf = append(buf, s)
		}
		for v := c.R.FirstVersion[t]; v < c.R.FirstVersion[t+1]; v++ {
			buf = append(buf, c.ReadersOf(v)...)
		}
		if first != nil {
			for _, p := range c.forced[first[t]:first[t+1]] {
				buf = append(buf, p.to)
			}
		}
		return buf
	})
}

// degrees counts what must come right before each transaction; forced says that the forced pairs count.
func (c *judge) degrees(forced bool) []int32 {
	degree := make([]int32, len(c.h.Txns))
	for t := range int32(len(degree)) {
		if c.prev[t] != none {
			degree[t]++
		}
		for _, v := range c.R.Sources(t) {
			if v != checker.Inner && c.R.VersionTxn[v] >= 0 {
				degree[t]++
			}
		}
	}
	if forced {
		for _, p := range c.forced {
			degree[p.to]++
		}
	}
	return degree
}
