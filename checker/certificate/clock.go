package certificate

import (
	"cmp"
	"slices"

	"txweave/history"
	"txweave/history/register"
)

// CommitClock is the Issuer of a database that tells when transactions committed: versions came in that order.
type CommitClock struct {
	Source string
	Times  []Times // by transaction of the history
}

// Certify implements Issuer. The versions of transactions without a commit time are left out.
func (c *CommitClock) Certify(h *register.History) (*Certificate, error) {
	out := &Certificate{Source: c.Source, Order: make([][]int64, h.Keys()), Times: c.Times}
	var writers []int
	for t := range h.Txns {
		if t == h.Initial || h.Txns[t].Status != history.Aborted && c.Times[t].Commit != 0 {
			writers = append(writers, t)
		}
	}
	when := func(t int) int64 {
		if t == h.Initial {
			return 0
		}
		return c.Times[t].Commit
	}
	slices.SortStableFunc(writers, func(a, b int) int { return cmp.Compare(when(a), when(b)) })
	last := map[int32]int64{}
	var keys []int32
	for _, t := range writers {
		clear(last)
		keys = keys[:0]
		for _, op := range h.TxnOps(t) {
			if op.Kind != register.Write {
				continue
			}
			if _, again := last[op.Key]; !again {
				keys = append(keys, op.Key)
			}
			last[op.Key] = op.Value
		}
		for _, key := range keys {
			out.Order[key] = append(out.Order[key], last[key])
		}
	}
	return out, nil
}
