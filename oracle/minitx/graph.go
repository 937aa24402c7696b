package minitx

import (
	"txweave/history/register"
	"txweave/oracle/check"
)

const none int32 = -1

// graph is the dependency graph of a history in which every write follows a read of its key (Wei et al., ICDE 2025,
// algorithm 1 without the transitive closures that section IV-C removes). It is not stored: its edges follow from who
// read and who replaced each version. A WW edge always has a WR edge beside it.
type graph struct {
	h        *register.History
	r        *check.Reads
	opt      check.Options
	versions []version
	readers  []reader
	nextSO   []int32 // by transaction: the next one that counts in its session, or none
	prevSO   []int32
	// Of SSER: startOrder is the transactions in order of starting; each has a node in a chain of moments, right
	// before its start. afterEnd is, by transaction, the first moment after its end.
	startOrder []int32
	afterEnd   []int32
}

// version is who read a version, as a list in readers, and who replaced it.
type version struct {
	head  int32 // last reader, index into readers; none
	over  int32 // the transaction that read it and overwrote the key; none
	count int32 // of readers
}

type reader struct{ txn, next int32 }

// build links readers and writers. It returns a verdict where a write does not follow a read (unknown), or where two
// transactions replaced the same version: the DIVERGENCE pattern, which breaks SI and all above (lemma 1).
func build(h *register.History, r *check.Reads, level check.Level, opt check.Options) (*graph, *check.Verdict) {
	g := &graph{h: h, r: r, opt: opt}
	g.versions = make([]version, len(r.VersionTxn))
	for i := range g.versions {
		g.versions[i] = version{head: none, over: none}
	}
	g.readers = make([]reader, 0, len(h.Ops)/2)
	read := make([]struct{ txn, version int32 }, h.Keys())
	for k := range read {
		read[k].txn = none
	}
	var diverged *[3]int32
	for t := range h.Txns {
		if !r.Taken[t] {
			continue
		}
		first := h.FirstOp(t)
		for i, op := range h.TxnOps(t) {
			if op.Kind == register.Read {
				if v := r.From[first+i]; v != check.Inner {
					x := &g.versions[v]
					g.readers = append(g.readers, reader{int32(t), x.head})
					x.head = int32(len(g.readers) - 1)
					x.count++
					read[op.Key].txn, read[op.Key].version = int32(t), v
				}
				continue
			}
			v := read[op.Key].version
			if read[op.Key].txn != int32(t) {
				if v = op.Key; t != h.Initial {
					u := opt.Unknown(level, check.MiniTransactions, "%s does %s without having read that key before", h.TxnName(t), h.FormatOp(op))
					return nil, &u
				}
			}
			switch x := &g.versions[v]; {
			case x.over == none:
				x.over = int32(t)
			case x.over != int32(t) && diverged == nil:
				diverged = &[3]int32{x.over, int32(t), v}
			}
		}
	}
	if diverged != nil {
		v := g.divergence(level, int(diverged[0]), int(diverged[1]), diverged[2])
		return nil, &v
	}
	g.sessions()
	return g, nil
}

// sessions links each transaction that counts with the next one of its session.
func (g *graph) sessions() {
	n := len(g.h.Txns)
	g.nextSO, g.prevSO = make([]int32, n), make([]int32, n)
	last := make([]int32, g.h.Sessions())
	for s := range last {
		last[s] = none
	}
	for t := range g.h.Txns {
		g.nextSO[t], g.prevSO[t] = none, none
		s := g.h.Txns[t].Session
		if !g.opt.SessionOrder || s == register.NoSession || !g.r.Taken[t] {
			continue
		}
		if p := last[s]; p != none {
			g.nextSO[p], g.prevSO[t] = int32(t), p
		}
		last[s] = int32(t)
	}
}

// depends calls f for every transaction that directly depends on t: by SO, WR (and WW, which is beside it).
func (g *graph) depends(t int32, f func(to int32, kind check.EdgeKind, key int32)) {
	if to := g.nextSO[t]; to != none {
		f(to, check.SO, -1)
	}
	for v := g.r.FirstVersion[t]; v < g.r.FirstVersion[t+1]; v++ {
		for i := g.versions[v].head; i != none; i = g.readers[i].next {
			f(g.readers[i].txn, check.WR, g.h.Ops[g.r.VersionOp[v]].Key)
		}
	}
}

// antiDepends calls f for every transaction that replaced a version that t read.
func (g *graph) antiDepends(t int32, f func(to int32, kind check.EdgeKind, key int32)) {
	first := g.h.FirstOp(int(t))
	for i, op := range g.h.TxnOps(int(t)) {
		if v := g.r.From[first+i]; v != check.Inner {
			if to := g.versions[v].over; to != none && to != t {
				f(to, check.RW, op.Key)
			}
		}
	}
}

// divergence is the verdict on two transactions that read the same version v and both replaced it.
func (g *graph) divergence(level check.Level, a, b int, v int32) check.Verdict {
	key := v
	if w := g.r.VersionTxn[v]; w >= 0 {
		key = g.h.Ops[g.r.VersionOp[v]].Key
	}
	edges := []check.Edge{
		check.Explain(g.r, check.Step{From: int32(a), To: int32(b), Kind: check.RW, Key: key}),
		check.Explain(g.r, check.Step{From: int32(b), To: int32(a), Kind: check.RW, Key: key}),
	}
	return g.opt.Invalid(level, check.LostUpdate, edges)
}
