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
	b := builder{dependencies: &dependencies{Deps: checker.Link(r, opt), h: h, opt: opt},
		read: make([]readVersion, h.Keys())}
	for k := range b.read {
		b.read[k].txn = none
	}
	for t := range h.Txns {
		if !r.Taken[t] {
			continue
		}
		if op := b.replacements(t); op != nil {
			u := opt.Unknown(level, checker.MiniTransactions, "%s does %s without having read that key before", h.TxnName(t),
				h.FormatOp(*op))
			return nil, &u
		}
	}
	if b.diverged != nil {
		x, y, key := b.diverged[0], b.diverged[1], b.diverged[2]
		cycle := []checker.Dependency{{From: x, To: y, Kind: history.RW, Key: key},
			{From: y, To: x, Kind: history.RW, Key: key}}
		v := opt.Invalid(level, fault.HistoryLostUpdate, checker.ExplainAll(r, cycle))
		return nil, &v
	}
	return b.dependencies, nil
}

// builder finds who replaced each version.
type builder struct {
	*dependencies
	read     []readVersion // by key
	diverged *[3]int32     // two transactions that replaced the same version, the first that were found, and its key
}

// readVersion is what a transaction read of a key last.
type readVersion struct{ txn, version int32 }

// replacements notes what a transaction replaces. It returns a write that does not follow a read; nil for none.
func (b *builder) replacements(t int) *register.Op {
	first := b.h.FirstOp(t)
	for i, op := range b.h.TxnOps(t) {
		if op.Kind == register.Read {
			if v := b.R.From[first+i]; v != checker.Inner {
				b.read[op.Key] = readVersion{int32(t), v}
			}
			continue
		}
		v := b.read[op.Key].version
		if b.read[op.Key].txn != int32(t) {
			if t != b.h.Initial {
				return &op
			}
			v = op.Key
		}
		switch x := &b.Versions[v]; {
		case x.Over == none:
			x.Over = int32(t)
		case x.Over != int32(t) && b.diverged == nil:
			b.diverged = &[3]int32{x.Over, int32(t), b.R.VersionKey[v]}
		}
	}
	return nil
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
