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

func (s lists) has(key int32) bool { return len(s[key]) > 0 }

// axiomaticLists looks for a commit order that contains session order and wr, satisfies the level's axiom, and makes
// the versions of each key: each is the one before and what its transaction appended. A list that a transaction read
// before it appended to it is such a version, and it reads from that one's transaction; one read after is what the
// transaction's own version begins with.
func (j *judge) axiomaticLists(level dbms.Level) bool {
	return j.orders(j.sessionBefore, func(order []int) bool {
		if len(order) < len(j.txns) {
			return true
		}
		at := map[int]int{}
		for i, t := range order {
			at[t] = i
		}
		v := j.listVersions(order)
		reads := map[int][]external{}
		for _, t := range j.txns {
			var ok bool
			if reads[t], ok = j.listExternals(t, v); !ok {
				return false
			}
		}
		return j.axiom(level, at, reads, func(t int, key int32) bool { return v.own[[2]int{t, int(key)}] > 0 })
	})
}

// listVersions are the versions that an order of commits makes.
type listVersions struct {
	of  map[int32][][]appended // by key: the versions in order, the empty one first
	own map[[2]int]int         // by transaction and key: its version
}

func (j *judge) listVersions(order []int) listVersions {
	v := listVersions{map[int32][][]appended{}, map[[2]int]int{}}
	for _, t := range order {
		appends := lists{}
		for _, op := range j.h.TxnOps(t) {
			if op.Kind == register.Append {
				appends[op.Key] = append(appends[op.Key], appended{op.Value, t})
			}
		}
		for k, list := range appends {
			if len(v.of[k]) == 0 {
				v.of[k] = [][]appended{nil}
			}
			last := len(v.of[k]) - 1
			v.own[[2]int{t, int(k)}] = last + 1
			v.of[k] = append(v.of[k], slices.Concat(v.of[k][last], list))
		}
	}
	return v
}

// listExternals are the reads that a transaction made before it appended to their keys; ok is false where one is of no
// version of another transaction, or where one after is not what its own version begins with.
func (j *judge) listExternals(t int, v listVersions) (reads []external, ok bool) {
	done := lists{}
	for i, op := range j.h.TxnOps(t) {
		if op.Kind == register.Append {
			done[op.Key] = append(done[op.Key], appended{op.Value, t})
			continue
		}
		switch list := j.h.List(op); {
		case len(done[op.Key]) > 0:
			base := v.of[op.Key][v.own[[2]int{t, int(op.Key)}]-1]
			if !equal(slices.Concat(base, done[op.Key]), list) {
				return nil, false
			}
		case len(list) == 0:
			reads = append(reads, external{i, op.Key, initialState})
		default:
			at := slices.IndexFunc(v.of[op.Key], func(l []appended) bool { return equal(l, list) })
			if at < 0 {
				return nil, false
			}
			writer := v.of[op.Key][at][len(list)-1].txn
			if writer == t {
				return nil, false
			}
			reads = append(reads, external{i, op.Key, writer})
		}
	}
	return reads, true
}

// axiom checks an order of commits, by transaction, against wr and the level's axiom.
func (j *judge) axiom(level dbms.Level, at map[int]int, reads map[int][]external,
	writes func(t int, key int32) bool) bool {
	must, ok := j.forced(level, reads, writes)
	for p := range must {
		ok = ok && at[p[0]] <= at[p[1]]
	}
	return ok
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
		view := drawView(rng, current, past, stale)
		b.Begin(session, int64(i+1))
		own := make([][]int64, keys)
		for range 1 + rng.IntN(s.Ops) {
			k := int32(rng.IntN(keys))
			if rng.IntN(2) == 0 {
				e := s.write(rng, k, &next).Value
				b.Append(k, e)
				own[k] = append(own[k], e)
				continue
			}
			base := view[k]
			if len(own[k]) > 0 && rng.IntN(4) > 0 {
				base = current[k] // an update of the current version
			}
			b.ReadList(k, spoil(rng, wild, slices.Concat(base, own[k]), next))
		}
		b.End(status, start, end)
		if status != history.Committed && rng.IntN(3) > 0 {
			continue
		}
		for k := range keys {
			past[k] = append(past[k], current[k])
			current[k] = slices.Concat(current[k], own[k])
		}
	}
	return b.History()
}

// drawView draws what a transaction reads, by key: what is there or, in so many of a hundred, what was.
func drawView(rng *rand.Rand, current [][]int64, past [][][]int64, stale int) [][]int64 {
	view := slices.Clone(current)
	for k := range view {
		if len(past[k]) > 0 && rng.IntN(100) < stale {
			view[k] = past[k][rng.IntN(len(past[k]))]
		}
	}
	return view
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
