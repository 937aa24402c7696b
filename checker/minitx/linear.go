package minitx

import (
	"slices"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history"
	"txweave/history/register"
)

// CheckLinearizable judges a history of compare-and-set operations on single keys in linear time (Wei et al., ICDE
// 2025, algorithm 2): each transaction is a read, or a read and a write of the same key; an insert-if-not-exists is one
// whose read returned nothing. As every write names the version that it replaces, the versions of a key make a
// chain, which, with the readers of each version beside its writer, leaves one order up to that of concurrent readers.
//
// The paper's algorithm has no reads. Session order is no part of linearizability: where a session's operations do not
// overlap, real time contains it.
func CheckLinearizable(h *register.History) checker.Verdict {
	opt := checker.Options{}
	if !h.RealTime {
		return opt.Unknown(dbms.LIN, checker.RealTime, "the history has no real time")
	}
	for t, x := range h.Txns {
		if t == h.Initial || x.Status == history.Aborted {
			continue
		}
		for i, op := range h.TxnOps(t) {
			if i > 0 && op.Key != h.TxnOps(t)[0].Key {
				return opt.Unknown(dbms.LIN, checker.CompareAndSet, "%s has more than one key", h.TxnName(t))
			}
		}
	}
	r, verdict := checker.Trace(h, dbms.LIN, opt)
	if verdict != nil {
		return *verdict
	}
	g, verdict := build(r, dbms.LIN, opt)
	if verdict != nil {
		return *verdict
	}
	if g.chains() {
		return r.Valid(dbms.LIN, opt)
	}
	// For single operations strict serializability is the same, and finds the cycle.
	v := Check(h, dbms.SSER, opt)
	v.Level = dbms.LIN
	return v
}

// chains says whether the versions of each key make one chain that agrees with real time.
func (g *dependencies) chains() bool {
	linked := 0
	var chain []int32
	for key := range int32(g.h.Keys()) {
		chain = chain[:0]
		for v := key; v != checker.Inner; v = g.successor(v) {
			chain = append(chain, v)
		}
		linked += len(chain) - 1
		if !g.inTime(chain) {
			return false
		}
	}
	return linked == g.taken() // else versions replace each other in a circle
}

// inTime says whether a chain agrees with real time: seen from its end, no operation began after one that comes later
// in the chain had ended.
func (g *dependencies) inTime(chain []int32) bool {
	first := int64(register.Forever) // end of the operation, of those later in the chain, that ended first
	for _, v := range slices.Backward(chain) {
		group := first
		for _, t := range g.ReadersOf(v) {
			if t == g.Versions[v].Over {
				continue // the next version's writer
			}
			if g.h.Start(int(t)) > first {
				return false
			}
			group = min(group, g.h.End(int(t)))
		}
		first = group
		if w := g.R.VersionTxn[v]; w >= 0 && int(w) != g.h.Initial {
			if g.h.Start(int(w)) > first {
				return false
			}
			first = min(first, g.h.End(int(w)))
		}
	}
	return true
}

// successor returns the version that replaced v, or Inner.
func (g *dependencies) successor(v int32) int32 {
	t := g.Versions[v].Over
	if t == none {
		return checker.Inner
	}
	for w := g.R.FirstVersion[t]; w < g.R.FirstVersion[t+1]; w++ {
		if g.R.VersionKey[w] == g.R.VersionKey[v] {
			return w
		}
	}
	return checker.Inner
}

// taken counts the versions of transactions that count.
func (g *dependencies) taken() int {
	n := 0
	for t, taken := range g.R.Taken {
		if taken {
			n += int(g.R.FirstVersion[t+1] - g.R.FirstVersion[t])
		}
	}
	return n
}
