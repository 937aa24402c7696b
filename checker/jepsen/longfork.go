package jepsen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// CheckLongFork judges a history of Jepsen's long-fork workload: transactions that write one key, each key once, and
// transactions that read a group of keys. Of two reads of a group one must have seen all that the other one saw.
func CheckLongFork(h *register.History) WorkloadVerdict {
	v := &WorkloadVerdict{Workload: LongFork, Outcome: checker.Valid}
	writer := map[int32]int{}
	groups := map[string][]groupRead{}
	var order []string
	size := 0
	for t := range h.Txns {
		ops := h.TxnOps(t)
		if len(ops) == 1 && ops[0].Kind == register.Write {
			if first, twice := writer[ops[0].Key]; twice {
				return v.unknown("%s and %s both write key %s: long-fork writes each key once", h.TxnName(first), h.TxnName(t),
					h.KeyName(ops[0].Key))
			}
			writer[ops[0].Key] = t
			continue
		}
		if h.Txns[t].Status != history.Committed || len(ops) == 0 {
			continue
		}
		r, ok := newGroupRead(h, t)
		switch {
		case !ok:
			return v.unknown("%s is neither a write of one key nor a read of several", h.TxnName(t))
		case size != 0 && len(r.ops) != size:
			return v.unknown("%s reads %d keys, another transaction %d: the groups of long-fork are of one size", h.TxnName(t),
				len(r.ops), size)
		}
		size = len(r.ops)
		name := r.group()
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], r)
	}
	if size == 0 {
		v.note("there are no reads")
	}
	for _, name := range order {
		if reason := v.forks(h, groups[name]); reason != "" {
			return v.unknown("%s", reason)
		}
	}
	return *v
}

// groupRead is what a transaction read of a group.
type groupRead struct {
	txn  int
	ops  []register.Op // by key
	seen int           // how many were there
}

func newGroupRead(h *register.History, t int) (r groupRead, ok bool) {
	r = groupRead{txn: t, ops: slices.Clone(h.TxnOps(t))}
	for _, op := range r.ops {
		if op.Kind != register.Read {
			return r, false
		}
	}
	slices.SortStableFunc(r.ops, func(a, b register.Op) int { return cmp.Compare(a.Key, b.Key) })
	kept := r.ops[:0] // of a key that was read twice the last one
	for i, op := range r.ops {
		if i+1 == len(r.ops) || r.ops[i+1].Key != op.Key {
			kept = append(kept, op)
		}
	}
	r.ops = kept
	for _, op := range r.ops {
		if !op.Nil {
			r.seen++
		}
	}
	return r, true
}

func (r *groupRead) group() string {
	var b strings.Builder
	for _, op := range r.ops {
		fmt.Fprintf(&b, "%d ", op.Key)
	}
	return b.String()
}

// forks compares the reads of one group. Sorted by how much they saw, each must have seen what the one before it saw.
// It returns why that cannot be judged.
func (v *WorkloadVerdict) forks(h *register.History, reads []groupRead) string {
	values := map[int32]int64{}
	for _, r := range reads {
		for _, op := range r.ops {
			if op.Nil {
				continue
			}
			if other, ok := values[op.Key]; ok && other != op.Value {
				return fmt.Sprintf("key %s was read as %s and as %s: long-fork writes each key once", h.KeyName(op.Key),
					h.Name(other), h.Name(op.Value))
			}
			values[op.Key] = op.Value
		}
	}
	slices.SortStableFunc(reads, func(a, b groupRead) int { return cmp.Compare(a.seen, b.seen) })
	for i := 1; i < len(reads); i++ {
		a, b := &reads[i-1], &reads[i]
		for k, op := range a.ops {
			if !op.Nil && b.ops[k].Nil {
				v.wrong(fault.HistoryLongFork, "%s and %s saw the writes in different orders:\n%s\n%s", h.TxnName(a.txn),
					h.TxnName(b.txn), h.Describe(a.txn), h.Describe(b.txn))
				break
			}
		}
	}
	return ""
}
