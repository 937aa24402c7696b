package brute

import (
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
	before := j.relation(func(a, b int) bool { return j.sessionBefore(a, b) || readsFrom(reads[b], a) })
	past := before
	if level == dbms.TCC {
		past = closure(before, j.txns)
	}
	// must: pairs that the axiom forces into the commit order.
	must := map[[2]int]bool{}
	for _, t3 := range j.txns {
		for _, r := range reads[t3] {
			for _, t2 := range j.txns {
				if t2 == r.writer || t2 == t3 || !j.writesKey(t2, r.key) {
					continue
				}
				seen := past[[2]int{t2, t3}]
				if level == dbms.RC {
					seen = false
					for _, earlier := range reads[t3] {
						seen = seen || earlier.writer == t2 && earlier.at < r.at
					}
				}
				if !seen {
					continue
				}
				if r.writer == initialState {
					return false
				}
				must[[2]int{t2, r.writer}] = true
			}
		}
	}
	placed := map[int]bool{}
	var place func() bool
	place = func() bool {
		if len(placed) == len(j.txns) {
			return true
		}
	next:
		for _, t := range j.txns {
			if placed[t] {
				continue
			}
			for _, u := range j.txns {
				if p := [2]int{u, t}; !placed[u] && (must[p] || before[p]) {
					continue next
				}
			}
			placed[t] = true
			if place() {
				return true
			}
			delete(placed, t)
		}
		return false
	}
	return place()
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

func readsFrom(reads []external, writer int) bool {
	for _, r := range reads {
		if r.writer == writer {
			return true
		}
	}
	return false
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
