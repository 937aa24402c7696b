package brute

import (
	"maps"
	"math"
	"slices"

	"txweave/dbms"
	"txweave/history/register"
)

// source is a transaction, or the initial state.
const initialState = -1

// external is a read of another transaction's write: Biswas and Enea's wr relates transactions and such reads.
type external struct {
	at     int // position in its transaction
	key    int32
	writer int
}

// axiomatic looks for a total commit order that contains session order and wr and satisfies the level's axiom (Biswas
// and Enea, OOPSLA 2019, figure 2: Read Committed, Read Atomic, Causal). The initial state is written by a transaction
// before all others.
func (j *judge) axiomatic(level dbms.Level) bool {
	reads := map[int][]external{}
	for _, t := range j.txns {
		r, ok := j.externals(t)
		if !ok {
			return false
		}
		reads[t] = r
	}
	must, ok := j.forced(level, reads, j.writesKey)
	return ok && j.orders(func(a, b int) bool { return must[[2]int{a, b}] }, func([]int) bool { return true })
}

// forced are the pairs that session order, wr and the level's axiom force into the commit order; ok is false where a
// transaction would have to commit before the initial state.
func (j *judge) forced(level dbms.Level, reads map[int][]external, writes func(t int, key int32) bool) (
	must map[[2]int]bool, ok bool) {
	before := j.relation(func(a, b int) bool { return j.sessionBefore(a, b) || readsFrom(reads[b], a, math.MaxInt) })
	past := before
	if level == dbms.TCC {
		past = closure(before, j.txns)
	}
	seen := func(t2, t3 int, r external) bool { return past[[2]int{t2, t3}] }
	if level == dbms.RC {
		seen = func(t2, t3 int, r external) bool { return readsFrom(reads[t3], t2, r.at) }
	}
	must = maps.Clone(before)
	for _, t3 := range j.txns {
		for _, r := range reads[t3] {
			for _, t2 := range j.txns {
				if t2 == r.writer || t2 == t3 || !seen(t2, t3, r) || !writes(t2, r.key) {
					continue
				}
				if r.writer == initialState {
					return nil, false
				}
				must[[2]int{t2, r.writer}] = true
			}
		}
	}
	return must, true
}

func (j *judge) relation(in func(a, b int) bool) map[[2]int]bool {
	rel := map[[2]int]bool{}
	for _, a := range j.txns {
		for _, b := range j.txns {
			if a != b && in(a, b) {
				rel[[2]int{a, b}] = true
			}
		}
	}
	return rel
}

func closure(rel map[[2]int]bool, txns []int) map[[2]int]bool {
	out := map[[2]int]bool{}
	for p := range rel {
		out[p] = true
	}
	for _, k := range txns {
		for _, a := range txns {
			for _, b := range txns {
				if out[[2]int{a, k}] && out[[2]int{k, b}] {
					out[[2]int{a, b}] = true
				}
			}
		}
	}
	return out
}

// readsFrom says whether one of the reads before a position is of a transaction.
func readsFrom(reads []external, writer, before int) bool {
	return slices.ContainsFunc(reads, func(r external) bool { return r.writer == writer && r.at < before })
}

func (j *judge) writesKey(t int, key int32) bool {
	_, ok := j.lastWrite(t, key)
	return ok
}

func (j *judge) lastWrite(t int, key int32) (v int64, ok bool) {
	for _, op := range j.h.TxnOps(t) {
		if op.Kind == register.Write && op.Key == key {
			v, ok = op.Value, true
		}
	}
	return v, ok
}

// externals returns the external reads of a transaction; not ok where one returns what no other transaction that
// counts left, or where a read after an own write does not return that.
func (j *judge) externals(t int) (reads []external, ok bool) {
	own := state{}
	for i, op := range j.h.TxnOps(t) {
		if op.Kind == register.Write {
			own[op.Key] = value{n: op.Value}
			continue
		}
		if v, wrote := own[op.Key]; wrote {
			if v != j.returned(op) || op.Nil {
				return nil, false
			}
			continue
		}
		writer, found := j.writer(t, op)
		if !found {
			return nil, false
		}
		reads = append(reads, external{i, op.Key, writer})
	}
	return reads, true
}

func (j *judge) writer(t int, op register.Op) (writer int, found bool) {
	if !op.Nil {
		for _, u := range j.txns {
			if v, ok := j.lastWrite(u, op.Key); ok && v == op.Value && u != t {
				return u, true
			}
		}
	}
	if j.returned(op) != j.initial(op.Key) {
		return 0, false
	}
	if j.h.Initial >= 0 && j.writesKey(j.h.Initial, op.Key) {
		return 0, false // the initial transaction is the initial state
	}
	return initialState, true
}
