package certificate

import (
	"cmp"
	"fmt"
	"slices"

	"txweave/history/register"
	"txweave/oracle/check"
)

// Replay executes the transactions in the order in which they committed by the certificate's times, which strict two-phase
// locking promises to be a serial one, or in that of their timestamps, where they are timestamps (Enne: Clark et al.,
// section 6, algorithm 4), and compares what each operation and each search returns. It needs no version sets and no
// version order. An invalid verdict says that this order does not hold; another one might.
//
// What wrote nothing, and has no time, has no place in a log. It must find one point in the order at which its reads hold;
// where it searched too, the verdict is unknown.
func Replay(h *register.History, c *Certificate, opt check.Options, matches Matches) check.Verdict {
	if c.Times == nil {
		return opt.Unknown(check.SER, Complete, "the certificate has no times of transactions")
	}
	k, verdict := newChecker(h, c, check.SER, opt, matches)
	if verdict != nil {
		return *verdict
	}
	txns, unplaced, verdict := k.serialOrder()
	if verdict != nil {
		return *verdict
	}
	k.chains = make([][]int32, k.h.Keys())
	k.place = slices.Repeat([]int32{-1}, len(k.r.VersionTxn))
	for key := range k.chains {
		k.chains[key] = []int32{int32(key)}
		k.place[key] = 0
	}
	e := execution{k: k, current: make([]int32, k.h.Keys()), since: make([][]int32, k.h.Keys()), searches: make([][]int, len(k.h.Txns))}
	if v := e.prepare(txns); v != nil {
		return *v
	}
	for at, t := range txns {
		if v := e.execute(t, int32(at)); v != nil {
			return *v
		}
	}
	for _, t := range unplaced {
		if v := e.somewhere(t, int32(len(txns))); v != nil {
			return *v
		}
	}
	return opt.Valid(check.SER)
}

// serialOrder sorts the transactions that count by when they committed; those without a time are apart.
func (k *checker) serialOrder() (txns, unplaced []int, verdict *check.Verdict) {
	for t := range k.h.Txns {
		if !k.r.Taken[t] {
			continue
		}
		switch wrote := k.r.FirstVersion[t+1] > k.r.FirstVersion[t]; {
		case t == k.h.Initial || k.c.Times[t].Commit != 0:
			txns = append(txns, t)
		case wrote:
			return nil, nil, k.unknown(Complete, "the certificate does not say when %s committed", k.h.TxnName(t))
		default:
			unplaced = append(unplaced, t)
		}
	}
	slices.SortStableFunc(txns, func(a, b int) int {
		if a == k.h.Initial || b == k.h.Initial {
			return cmp.Compare(b2i(b == k.h.Initial), b2i(a == k.h.Initial))
		}
		return cmp.Compare(k.c.Times[a].Commit, k.c.Times[b].Commit)
	})
	for i := 1; i < len(txns); i++ {
		a, b := txns[i-1], txns[i]
		if a != k.h.Initial && k.c.Times[a].Commit == k.c.Times[b].Commit {
			return nil, nil, k.unknown(Complete, "%s and %s committed at the same time", k.h.TxnName(a), k.h.TxnName(b))
		}
	}
	return txns, unplaced, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// execution is the state of the database as transactions run one after the other.
type execution struct {
	k        *checker
	current  []int32   // by key: its version
	since    [][]int32 // by key: position in the order of each version of its chain
	searches [][]int   // by transaction: its searches
}

// prepare makes the chains that the order gives, for the matches of predicates.
func (e *execution) prepare(txns []int) *check.Verdict {
	k := e.k
	for key := range e.since {
		e.current[key] = int32(key)
		e.since[key] = []int32{-1}
	}
	for at, t := range txns {
		for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
			key := k.r.VersionKey[v]
			k.place[v] = int32(len(k.chains[key]))
			k.chains[key] = append(k.chains[key], v)
			e.since[key] = append(e.since[key], int32(at))
		}
	}
	for i := range k.c.Predicates {
		p := &k.c.Predicates[i]
		if p.Txn < 0 || p.Txn >= len(k.h.Txns) || p.Table < 0 || p.Table >= len(k.c.Tables) || p.At < 0 || p.At > len(k.h.TxnOps(p.Txn)) {
			return k.unknown(check.WellFormed, "search %d of the certificate is of no transaction, operation or table of the history", i+1)
		}
		if !k.r.Taken[p.Txn] || !p.Listed {
			continue
		}
		if err := k.evaluate(p); err != nil {
			return k.unknown(check.Precondition("predicates"), "%s: %v", k.name(p), err)
		}
		e.searches[p.Txn] = append(e.searches[p.Txn], i)
	}
	return nil
}

// execute runs one transaction. What it reads of its own writes was checked before.
func (e *execution) execute(t int, at int32) *check.Verdict {
	k := e.k
	for i, v := range k.r.Sources(int32(t)) {
		if v != check.Inner && e.current[k.r.VersionKey[v]] != v {
			return e.wrong(t, k.h.TxnOps(t)[i], e.current[k.r.VersionKey[v]])
		}
	}
	for _, i := range e.searches[t] {
		p := &k.c.Predicates[i]
		var matched []int32
		for _, key := range k.c.Tables[p.Table].Keys {
			own := k.ownWrite(p, key)
			if own != nil {
				if _, known := k.changes(p).own[*own]; !known {
					return k.unknown(Complete, "the certificate lacks the row of version %d of %s", own.Value, k.h.KeyName(key))
				}
			}
			if k.matchesOf(p, e.current[key], own) {
				matched = append(matched, key)
			}
		}
		if v := k.result(p, matched); v != nil {
			v.Anomaly, v.Reason = check.ExpectedOrderViolation, check.ExpectedOrderViolation.Meaning()
			return v
		}
	}
	for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
		e.current[k.r.VersionKey[v]] = v
	}
	return nil
}

// wrong is the verdict about a read that returned something else than the version that is current.
func (e *execution) wrong(t int, op register.Op, current int32) *check.Verdict {
	k := e.k
	name, writer := k.h.TxnName(t), k.r.VersionTxn[current]
	x := check.Edge{To: name, FromTxn: int(writer), ToTxn: t, Kind: check.WR, Key: k.h.KeyName(op.Key)}
	if writer < 0 {
		x.Text = fmt.Sprintf("%s did %s, but at its place nobody had written %s", name, k.h.FormatOp(op), x.Key)
	} else {
		x.From = k.h.TxnName(int(writer))
		x.Text = fmt.Sprintf("%s did %s, but at its place %s had last written %d", name, k.h.FormatOp(op), x.From, k.value(current))
	}
	return k.invalid(check.ExpectedOrderViolation, x)
}

// somewhere looks for a place in the order at which all reads of a transaction hold.
func (e *execution) somewhere(t int, end int32) *check.Verdict {
	k := e.k
	if len(e.searches[t]) > 0 {
		return k.unknown(Complete, "the certificate does not say when %s, which searched, committed", k.h.TxnName(t))
	}
	from, to := int32(-1), end // the versions read are there after from and before to
	for i, v := range k.r.Sources(int32(t)) {
		if v == check.Inner {
			continue
		}
		key, place := k.r.VersionKey[v], k.place[v]
		from = max(from, e.since[key][place])
		if int(place)+1 < len(e.since[key]) {
			to = min(to, e.since[key][place+1])
		}
		if from >= to {
			op := k.h.TxnOps(t)[i]
			return k.invalid(check.ExpectedOrderViolation, check.Edge{To: k.h.TxnName(t), FromTxn: -1, ToTxn: t, Kind: check.WR, Key: k.h.KeyName(op.Key),
				Text: fmt.Sprintf("%s did %s: it and the reads before it hold together at no place of the order", k.h.TxnName(t), k.h.FormatOp(op))})
		}
	}
	return nil
}
