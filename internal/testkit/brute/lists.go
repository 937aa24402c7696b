package brute

import (
	"math/rand/v2"
	"slices"

	"txweave/dbms"

	"txweave/history"
	"txweave/history/register"
)

// hasLists says whether the history is one of lists.
func hasLists(h *register.History) bool {
	return slices.ContainsFunc(h.Ops, func(op register.Op) bool {
		return op.Kind == register.Append || op.Kind == register.ReadList
	})
}

// lists is what the keys hold, and who appended each element.
type lists map[int32][]appended

type appended struct {
	value int64
	txn   int
}

func equal(list []appended, read []int64) bool {
	return slices.EqualFunc(list, read, func(a appended, v int64) bool { return a.value == v })
}

// executeLists runs transaction t on lists: it returns what it appended, and whether its reads return what it saw.
func (j *judge) executeLists(t int, s lists) (appends lists, ok bool) {
	appends = lists{}
	for _, op := range j.h.TxnOps(t) {
		switch op.Kind {
		case register.Append:
			appends[op.Key] = append(appends[op.Key], appended{op.Value, t})
		case register.ReadList:
			now := slices.Concat(s[op.Key], appends[op.Key])
			if !equal(now, j.h.List(op)) {
				return nil, false
			}
		}
	}
	return appends, true
}

func (s lists) with(appends lists) lists {
	after := lists{}
	for k, l := range s {
		after[k] = l
	}
	for k, l := range appends {
		after[k] = slices.Concat(after[k], l)
	}
	return after
}

// orders tries all orders of the transactions in which before holds, until one passes.
func (j *judge) orders(before func(a, b int) bool, passes func(order []int) bool) bool {
	var order []int
	var place func() bool
	place = func() bool {
		if len(order) == len(j.txns) {
			return passes(order)
		}
	next:
		for _, t := range j.txns {
			if slices.Contains(order, t) {
				continue
			}
			for _, u := range j.txns {
				if u != t && !slices.Contains(order, u) && before(u, t) {
					continue next
				}
			}
			order = append(order, t)
			if place() {
				return true
			}
			order = order[:len(order)-1]
		}
		return false
	}
	return place()
}

// serialLists looks for a serial order that returns what the history returned.
func (j *judge) serialLists(realTime bool) bool {
	before := func(a, b int) bool { return j.sessionBefore(a, b) || realTime && j.realTimeBefore(a, b) }
	return j.orders(before, func(order []int) bool {
		s := lists{}
		for _, t := range order {
			appends, ok := j.executeLists(t, s)
			if !ok {
				return false
			}
			s = s.with(appends)
		}
		return true
	})
}

// snapshotLists looks for an order of commits, and for each transaction a start among them, at which it sees what it
// returned, such that nobody committed an append to a key of its own since, and its session's earlier ones had
// committed.
func (j *judge) snapshotLists() bool {
	return j.orders(j.sessionBefore, func(order []int) bool {
		states := []lists{{}}
		wrote := []lists{}
	next:
		for i, t := range order {
			for start := i; start >= 0; start-- {
				if start < i && (j.sessionBefore(order[start], t) || overlap(wrote[start], j.h, t)) {
					break
				}
				if appends, ok := j.executeLists(t, states[start]); ok {
					states = append(states, states[i].with(appends))
					wrote = append(wrote, appends)
					continue next
				}
			}
			return false
		}
		return true
	})
}

// overlap says whether transaction t appends to one of these keys.
func overlap(appends lists, h *register.History, t int) bool {
	return slices.ContainsFunc(h.TxnOps(t), func(op register.Op) bool {
		return op.Kind == register.Append && len(appends[op.Key]) > 0
	})
}

// axiomaticLists looks for a commit order that contains session order and wr, satisfies the level's axiom, and makes
// the versions of each key: each is the one before and what its transaction appended. A list that a transaction read
// before it appended to it is such a version, and it reads from that one's transaction; one read after is what the
// transaction's own version begins with.
func (j *judge) axiomaticLists(level dbms.Level) bool {
	return j.orders(j.sessionBefore, func(order []int) bool {
		at := map[int]int{}
		versions := map[int32][]lists{} // by key: the versions in order, the empty one first
		own := map[[2]int]int{}         // by transaction and key: its version
		for i, t := range order {
			at[t] = i
			appends := lists{}
			for _, op := range j.h.TxnOps(t) {
				if op.Kind == register.Append {
					appends[op.Key] = append(appends[op.Key], appended{op.Value, t})
				}
			}
			for k := range appends {
				if len(versions[k]) == 0 {
					versions[k] = []lists{{}}
				}
				own[[2]int{t, int(k)}] = len(versions[k])
				versions[k] = append(versions[k], versions[k][len(versions[k])-1].with(lists{k: appends[k]}))
			}
		}
		reads := map[int][]external{}
		for _, t := range j.txns {
			done := lists{}
			for i, op := range j.h.TxnOps(t) {
				if op.Kind == register.Append {
					done[op.Key] = append(done[op.Key], appended{op.Value, t})
					continue
				}
				if len(done[op.Key]) > 0 {
					base := versions[op.Key][own[[2]int{t, int(op.Key)}]-1][op.Key]
					if !equal(slices.Concat(base, done[op.Key]), j.h.List(op)) {
						return false
					}
					continue
				}
				writer := -2
				if len(j.h.List(op)) == 0 {
					writer = initialState
				}
				for _, v := range versions[op.Key] {
					if l := v[op.Key]; len(l) > 0 && equal(l, j.h.List(op)) {
						writer = l[len(l)-1].txn
					}
				}
				if writer == -2 || writer == t {
					return false
				}
				reads[t] = append(reads[t], external{i, op.Key, writer})
			}
		}
		return j.axiom(level, at, reads, func(t int, key int32) bool { return own[[2]int{t, int(key)}] > 0 })
	})
}

// axiom checks an order of commits, by transaction, against wr and the level's axiom.
func (j *judge) axiom(level dbms.Level, at map[int]int, reads map[int][]external,
	writes func(t int, key int32) bool) bool {
	before := j.relation(func(a, b int) bool { return j.sessionBefore(a, b) || readsFrom(reads[b], a) })
	past := before
	if level == dbms.TCC {
		past = closure(before, j.txns)
	}
	for p := range before {
		if at[p[0]] > at[p[1]] {
			return false
		}
	}
	for _, t3 := range j.txns {
		for _, r := range reads[t3] {
			for _, t2 := range j.txns {
				if t2 == r.writer || t2 == t3 || !writes(t2, r.key) {
					continue
				}
				seen := past[[2]int{t2, t3}]
				if level == dbms.RC {
					seen = slices.ContainsFunc(reads[t3], func(e external) bool { return e.writer == t2 && e.at < r.at })
				}
				if seen && (r.writer == initialState || at[t2] > at[r.writer]) {
					return false
				}
			}
		}
	}
	return true
}

// RandomLists makes a small history of lists: it executes transactions that interleave, and changes some of what they
// read.
func RandomLists(rng *rand.Rand, s Bounds) *register.History {
	b, n, keys, sessions := s.draw(rng)
	current := make([][]int64, keys)
	past := make([][][]int64, keys) // by key: what it held
	ends := map[int64]int64{}
	next := int64(1)
	wild := []int{0, 5, 15, 40}[rng.IntN(4)] // how many of a hundred reads return something else
	stale := []int{0, 20, 50}[rng.IntN(3)]   // how many of a hundred transactions read an old state
	for i := range n {
		session := rng.Int64N(sessions)
		start := max(ends[session], int64(10*i)-rng.Int64N(40)) + 1
		end := max(start, int64(10*i)) + rng.Int64N(20)
		ends[session] = end
		status := history.Committed
		if !s.NoAborts {
			status = []history.Outcome{history.Aborted, history.Unknown, history.Committed, history.Committed, history.Committed,
				history.Committed, history.Committed, history.Committed}[rng.IntN(8)]
		}
		view := make([][]int64, keys)
		for k := range keys {
			view[k] = slices.Clone(current[k])
			if len(past[k]) > 0 && rng.IntN(100) < stale {
				view[k] = slices.Clone(past[k][rng.IntN(len(past[k]))])
			}
		}
		own := make([][]int64, keys)
		b.Begin(session, int64(i+1))
		for range 1 + rng.IntN(s.Ops) {
			k := int32(rng.IntN(keys))
			if rng.IntN(2) == 0 {
				b.Append(k, next)
				own[k] = append(own[k], next)
				next++
				continue
			}
			base := view[k]
			if len(own[k]) > 0 && rng.IntN(4) > 0 {
				base = current[k] // an update of the current version
			}
			b.ReadList(k, spoil(rng, wild, slices.Concat(base, own[k]), next))
		}
		b.End(status, start, end)
		if status == history.Committed || rng.IntN(3) == 0 {
			for k := range keys {
				past[k] = append(past[k], current[k])
				current[k] = slices.Concat(current[k], own[k])
			}
		}
	}
	return b.History()
}

// spoil changes some lists.
func spoil(rng *rand.Rand, wild int, list []int64, next int64) []int64 {
	if rng.IntN(100) >= wild {
		return list
	}
	n := len(list)
	switch x := rng.IntN(5); {
	case x == 0 && n > 0:
		return list[:rng.IntN(n)]
	case x == 1 && n > 0:
		at := rng.IntN(n)
		return slices.Delete(list, at, at+1)
	case x == 2 && n > 1:
		at := rng.IntN(n - 1)
		list[at], list[at+1] = list[at+1], list[at]
		return list
	default:
		return slices.Insert(list, rng.IntN(n+1), 1+rng.Int64N(next+1))
	}
}
