package minitx

import (
	"txweave/checker"
	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

const none = checker.None

// dependencies is the dependency graph of a history in which every write follows a read of its key (Wei et al., ICDE
// 2025, algorithm 1 without the transitive closures that section IV-C removes). It is not stored: its edges follow from
// who read and who replaced each version. A WW edge always has a WR edge beside it.
type dependencies struct {
	*checker.Deps
	h   *register.History
	opt checker.Options
	// Of SSER: startOrder is the transactions in order of starting; each has a node in a chain of moments, right
	// before its start. afterEnd is, by transaction, the first moment after its end.
	startOrder []int32
	afterEnd   []int32
}

// build finds who replaced each version. It returns a verdict where a write does not follow a read (unknown), or where
// two transactions replaced the same version: the DIVERGENCE pattern, which breaks SI and all above (lemma 1).
func build(r *checker.Reads, level dbms.Level, opt checker.Options) (*dependencies, *checker.Verdict) {
	h := r.H
	g := &dependencies{Deps: checker.Link(r, opt), h: h, opt: opt}
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
				if v := r.From[first+i]; v != checker.Inner {
					read[op.Key].txn, read[op.Key].version = int32(t), v
				}
				continue
			}
			v := read[op.Key].version
			if read[op.Key].txn != int32(t) {
				if v = op.Key; t != h.Initial {
					u := opt.Unknown(level, checker.MiniTransactions, "%s does %s without having read that key before", h.TxnName(t),
						h.FormatOp(op))
					return nil, &u
				}
			}
			switch x := &g.Versions[v]; {
			case x.Over == none:
				x.Over = int32(t)
			case x.Over != int32(t) && diverged == nil:
				diverged = &[3]int32{x.Over, int32(t), r.VersionKey[v]}
			}
		}
	}
	if diverged != nil {
		a, b, key := diverged[0], diverged[1], diverged[2]
		cycle := []checker.Dependency{{From: a, To: b, Kind: history.RW, Key: key},
			{From: b, To: a, Kind: history.RW, Key: key}}
		v := opt.Invalid(level, fault.HistoryLostUpdate, checker.ExplainAll(r, cycle))
		return nil, &v
	}
	return g, nil
}

// antiDepends calls add for every transaction that replaced a version that t read.
func (g *dependencies) antiDepends(t int32, add func(to int32, kind history.EdgeKind, key int32)) {
	for _, v := range g.R.Sources(t) {
		if v == checker.Inner {
			continue
		}
		if to := g.Versions[v].Over; to != none && to != t {
			add(to, history.RW, g.R.VersionKey[v])
		}
	}
}
