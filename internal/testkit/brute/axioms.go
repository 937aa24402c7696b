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
	var each func(txns []int) bool // tries all that the reads of these transactions may be of
	each = func(txns []int) bool {
		if len(txns) == 0 {
			must, ok := j.forced(level, reads, j.writesKey)
			return ok && j.orders(func(a, b int) bool { return must[[2]int{a, b}] }, func([]int) bool { return true })
		}
		return slices.ContainsFunc(j.externals(txns[0]), func(r []external) bool {
			reads[txns[0]] = r
			return each(txns[1:])
		})
	}
	return each(j.txns)
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

// externals returns what the external reads of a transaction may be of, one element for each possibility: more than one
// where a value was written twice; none where a read returns what no other transaction that counts left, or one after
// an own write does not return that.
func (j *judge) externals(t int) [][]external {
	own, all := state{}, [][]external{nil}
	for i, op := range j.h.TxnOps(t) {
		if op.Kind == register.Write {
			own[op.Key] = value{n: op.Value}
			continue
		}
		if v, wrote := own[op.Key]; wrote {
			if v != j.returned(op) || op.Nil {
				return nil
			}
			continue
		}
		var longer [][]external
		for _, reads := range all {
			for _, writer := range j.writers(t, op) {
				longer = append(longer, append(slices.Clip(reads), external{i, op.Key, writer}))
			}
		}
		all = longer
	}
	return all
}

// writers are those that left what a read of transaction t returned.
func (j *judge) writers(t int, op register.Op) (writers []int) {
	for _, u := range j.txns {
		if v, ok := j.lastWrite(u, op.Key); ok && (value{n: v}) == j.returned(op) && u != t {
			writers = append(writers, u)
		}
	}
	if j.returned(op) == j.initial(op.Key) && (j.h.Initial < 0 || !j.writesKey(j.h.Initial, op.Key)) {
		writers = append(writers, initialState) // unless the initial transaction is the initial state
	}
	return writers
}
