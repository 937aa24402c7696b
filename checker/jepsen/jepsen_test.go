package jepsen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
	"txweave/history/workload"
)

// TestAgainstDefinitions compares the checks of small random histories with the definitions, followed word by word.
func TestAgainstDefinitions(t *testing.T) {
	counts, kinds := map[string]int{}, map[fault.Kind]bool{}
	for seed := range uint64(5_000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		for _, w := range []WorkloadName{Counter, Set, SetFull, Bank} {
			h := random(rng, w)
			got := Check(h, Demands{Workload: w})
			want := definition(h, w)
			counts[fmt.Sprint(w, " ", want)]++
			kinds[got.Anomaly] = true
			if got.Outcome != want {
				t.Fatalf("seed %d, %s: %s: %s, want %s:\n%s", seed, w, got.Outcome, got.Reason, want, print(h))
			}
		}
		h := randomFork(rng)
		got, want := CheckLongFork(h), forked(h)
		counts[fmt.Sprint(LongFork, " ", want)]++
		if got.Outcome != want {
			t.Fatalf("seed %d, long-fork: %s: %s, want %s", seed, got.Outcome, got.Reason, want)
		}
	}
	for _, w := range Workloads {
		for _, o := range []checker.Validity{checker.Valid, checker.Invalid} {
			if counts[fmt.Sprint(w, " ", o)] < 100 {
				t.Errorf("%s: only %d histories are %s", w, counts[fmt.Sprint(w, " ", o)], o)
			}
		}
	}
	for _, e := range fault.All() {
		if strings.HasPrefix(e.Source, "Jepsen's workload") && !kinds[e.Kind] {
			t.Errorf("no history is wrong by %s", e.Kind)
		}
	}
	t.Log(counts)
}

func print(h *workload.Clients) (text string) {
	for _, op := range h.Ops {
		text += fmt.Sprintf("%+v\n", op)
	}
	return text
}

// random makes a history of a few overlapping operations that a simple engine executes, with a lie now and then.
func random(rng *rand.Rand, w WorkloadName) *workload.Clients {
	type open struct {
		op   workload.Call
		done bool
	}
	var ops []workload.Call
	var running []*open
	var number int64
	var set []int64
	balances := []int64{10, 10, 0}
	execute := func(o *open) {
		o.done = true
		op := &o.op
		lie := rng.IntN(12) == 0
		switch {
		case op.Func == workload.Transfer:
			if balances[op.From] >= op.Amount || lie {
				balances[op.From] -= op.Amount
				if !lie || rng.IntN(2) == 0 {
					balances[op.To] += op.Amount
				}
			}
		case op.Func == workload.Add && !lie:
			number += op.Value
			set = append(set, op.Value)
		case op.Func == workload.Read && w == Counter:
			op.Value, op.IsInteger = number, true
			if lie {
				op.Value += int64(rng.IntN(5)) - 2
			}
		case op.Func == workload.Read && w == Bank:
			op.IsMap = true
			for a, n := range balances {
				op.Balances = append(op.Balances, workload.Balance{Account: int64(a), Amount: n})
			}
			if lie {
				op.Balances[rng.IntN(3)] = workload.Balance{Account: int64(rng.IntN(5)), Amount: int64(rng.IntN(12)),
					Nil: rng.IntN(8) == 0}
			}
		case op.Func == workload.Read:
			op.IsList, op.Elements = true, append([]int64{}, set...)
			if n := len(set); lie && n > 0 {
				switch i := rng.IntN(n); rng.IntN(3) {
				case 0:
					op.Elements = append(op.Elements[:i], op.Elements[i+1:]...)
				case 1:
					op.Elements = append(op.Elements, op.Elements[i])
				default:
					op.Elements = append(op.Elements, 99)
				}
			}
		}
	}
	next := int64(0)
	for at := range int64(6 + rng.IntN(14)) {
		if len(running) == 3 || len(running) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(running))
			o := running[i]
			running = append(running[:i], running[i+1:]...)
			o.op.End = at
			switch rng.IntN(8) {
			case 0:
				o.op.Outcome = history.Aborted
				if o.done && rng.IntN(4) > 0 { // it did happen
					o.op.Outcome = history.Unknown
				}
			case 1:
				o.op.Outcome = history.Unknown
			default:
				if !o.done {
					execute(o)
				}
			}
			ops = append(ops, o.op)
			continue
		}
		o := &open{op: workload.Call{Func: workload.Read, Process: at, Start: at, End: register.Forever}}
		switch {
		case rng.IntN(3) == 0:
		case w == Bank:
			o.op.Func, o.op.From, o.op.To, o.op.Amount = workload.Transfer, int64(rng.IntN(3)), int64(rng.IntN(3)),
				int64(rng.IntN(5))
		case w == Counter:
			o.op.Func, o.op.Value, o.op.IsInteger = workload.Add, int64(rng.IntN(6)-1), true
		default:
			next++
			o.op.Func, o.op.Value, o.op.IsInteger = workload.Add, next, true
		}
		if rng.IntN(2) == 0 {
			execute(o)
		}
		running = append(running, o)
	}
	for _, o := range running {
		o.op.Outcome = history.Unknown
		ops = append(ops, o.op)
	}
	return workload.New(ops, true, &register.Names{})
}

// definition judges a history as the text of Jepsen's checkers says.
func definition(h *workload.Clients, w WorkloadName) checker.Validity {
	var reads, adds []workload.Call
	for _, op := range h.Ops {
		switch {
		case op.Func == workload.Add:
			adds = append(adds, op)
		case op.Func == workload.Read && op.Outcome == history.Committed:
			reads = append(reads, op)
		}
	}
	holds := func(read workload.Call, e int64) (n int) {
		for _, x := range read.Elements {
			if x == e {
				n++
			}
		}
		return n
	}
	attempted := func(e int64) bool {
		for _, a := range adds {
			if a.Value == e {
				return true
			}
		}
		return false
	}
	switch w {
	case Counter:
		for _, r := range reads {
			if !reachable(adds, r) {
				return checker.Invalid
			}
		}
		return checker.Valid
	case Set:
		if len(reads) == 0 {
			return checker.Unknown
		}
		last := reads[len(reads)-1]
		for _, a := range adds {
			if a.Outcome == history.Committed && holds(last, a.Value) == 0 {
				return checker.Invalid
			}
		}
		for _, e := range last.Elements {
			if !attempted(e) {
				return checker.Invalid
			}
		}
		return checker.Valid
	case SetFull:
		return fullDefinition(reads, adds, holds, attempted)
	}
	return bankDefinition(h, reads)
}

// reachable says whether some choice of the adds that may count makes a number at least, and one at most, as large.
func reachable(adds []workload.Call, read workload.Call) bool {
	below, above := false, false
	for set := range 1 << len(adds) {
		sum, possible := int64(0), true
		for i, a := range adds {
			in := set>>i&1 == 1
			must := a.Outcome == history.Committed && a.End < read.Start
			can := a.Outcome != history.Aborted && a.Start < read.End
			possible = possible && (!must || in) && (can || !in)
			if in {
				sum += a.Value
			}
		}
		if possible {
			below, above = below || sum <= read.Value, above || sum >= read.Value
		}
	}
	return below && above
}

// fullDefinition looks at each element's life alone.
func fullDefinition(reads, adds []workload.Call, holds func(workload.Call, int64) int,
	attempted func(int64) bool) checker.Validity {
	if len(reads) == 0 {
		return checker.Unknown
	}
	for _, r := range reads {
		for _, e := range r.Elements {
			if holds(r, e) > 1 || !attempted(e) {
				return checker.Invalid
			}
		}
	}
	stable := 0
	for _, a := range adds {
		known := int64(register.Forever)
		if a.Outcome == history.Committed {
			known = a.End
		}
		for _, r := range reads {
			if holds(r, a.Value) > 0 && r.End > a.Start {
				known = min(known, r.End)
			}
		}
		// The last read, by its beginning, of those that ended after the add had begun.
		var last *workload.Call
		for i, r := range reads {
			if r.End > a.Start && (last == nil || r.Start > last.Start) {
				last = &reads[i]
			}
		}
		switch {
		case last == nil:
		case holds(*last, a.Value) > 0:
			stable++
		case known < last.Start:
			return checker.Invalid
		}
	}
	if stable == 0 {
		return checker.Unknown
	}
	return checker.Valid
}

func bankDefinition(h *workload.Clients, reads []workload.Call) checker.Validity {
	if len(reads) == 0 {
		return checker.Valid
	}
	known := map[int64]bool{}
	for _, op := range h.Ops {
		if op.Func == workload.Transfer {
			known[op.From], known[op.To] = true, true
		}
	}
	for _, b := range reads[0].Balances {
		known[b.Account] = true
	}
	sums := map[int64]bool{}
	for _, r := range reads {
		sum := int64(0)
		for _, b := range r.Balances {
			if !known[b.Account] || b.Nil || b.Amount < 0 {
				return checker.Invalid
			}
			sum += b.Amount
		}
		sums[sum] = true
	}
	if len(sums) > 1 {
		return checker.Invalid
	}
	return checker.Valid
}

// randomFork makes a history of the long-fork workload with two groups of three keys.
func randomFork(rng *rand.Rand) *register.History {
	b := register.NewBuilder(0, 0)
	id := int64(0)
	for range rng.IntN(6) {
		b.Begin(id, id)
		group := int64(rng.IntN(2)) * 3
		seen := rng.IntN(4)
		order := []int64{0, 1, 2}
		if rng.IntN(2) == 0 {
			rng.Shuffle(3, func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for i, k := range order {
			if key := b.IntKey(group + k); i < seen {
				b.Read(key, 1)
			} else {
				b.ReadNil(key)
			}
		}
		b.End(history.Outcome(rng.IntN(8)/6), 0, 0)
		id++
	}
	return b.History()
}

// forked compares each two reads of a group.
func forked(h *register.History) checker.Validity {
	more := func(a, b int) bool { // a saw something that b did not
		for _, x := range h.TxnOps(a) {
			for _, y := range h.TxnOps(b) {
				if x.Key == y.Key && !x.Nil && y.Nil {
					return true
				}
			}
		}
		return false
	}
	for a := range h.Txns {
		for b := range a {
			if h.Txns[a].Status == history.Committed && h.Txns[b].Status == history.Committed && more(a, b) && more(b, a) {
				return checker.Invalid
			}
		}
	}
	return checker.Valid
}

// TestMalformed has histories that no workload's definition can judge.
func TestMalformed(t *testing.T) {
	read := workload.Call{Func: workload.Read, Told: register.Place{Line: 7, Index: -1, Time: -1}}
	number, list, accounts := read, read, read
	number.IsInteger = true
	list.IsList = true
	accounts.IsMap = true
	add := workload.Call{Func: workload.Add, Value: 1, IsInteger: true, Told: read.Told}
	named := add
	named.IsInteger = false
	transfer := workload.Call{Func: workload.Transfer, Told: read.Told}
	for _, tc := range []struct {
		workload WorkloadName
		ops      []workload.Call
		want     string
	}{
		{Counter, []workload.Call{read}, "the read of process 0 (line 7) returned no number"},
		{Counter, []workload.Call{list}, "the read of process 0 (line 7) returned no number"},
		{Counter, []workload.Call{named}, "the operation of process 0 (line 7) is not an operation of a counter"},
		{Counter, []workload.Call{transfer}, "the operation of process 0 (line 7) is not an operation of a counter"},
		{Set, []workload.Call{add}, "the set was never read"},
		{Set, []workload.Call{number}, "the operation of process 0 (line 7) is not an operation of a set"},
		{SetFull, []workload.Call{add, transfer}, "the operation of process 0 (line 7) is not an operation of a set"},
		{Bank, []workload.Call{read}, "the read of process 0 (line 7) returned no balances"},
		{Bank, []workload.Call{add}, "the add of process 0 (line 7) is not an operation of a bank"},
		{Auto, []workload.Call{add, list, number}, "some reads return lists as of a set, others numbers as of a counter"},
		{Auto, []workload.Call{add, accounts}, "the history has operations of a bank and others"},
		{Auto, []workload.Call{add}, "there are no reads: this may be a set or a counter (--workload)"},
		{LongFork, []workload.Call{add}, "the history is none of workload long-fork"},
	} {
		if v := Check(workload.New(tc.ops, true, &register.Names{}), Demands{Workload: tc.workload}); v.Outcome !=
			checker.Unknown || v.Reason != tc.want {
			t.Errorf("%s: %s: %s, want unknown: %s", tc.workload, v.Outcome, v.Reason, tc.want)
		}
	}
	for _, tc := range []struct {
		text []string
		want string
	}{
		{[]string{"w0", "w0"}, "T0 and T1 both write key 0: long-fork writes each key once"},
		{[]string{"r01", "r0"}, "T1 reads 1 keys, another transaction 2: the groups of long-fork are of one size"},
		{[]string{"r0w1"}, "T0 is neither a write of one key nor a read of several"},
	} {
		b := register.NewBuilder(0, 0)
		for id, ops := range tc.text {
			b.Begin(0, int64(id))
			for i := 0; i < len(ops); i++ {
				switch key := b.IntKey(int64(ops[i] - '0')); {
				case ops[i] >= 'a':
				case ops[0] == 'w' || i > 1 && ops[i-1] == 'w':
					b.Write(key, 1)
				default:
					b.Read(key, 1)
				}
			}
			b.End(history.Committed, 0, 0)
		}
		if v := CheckLongFork(b.History()); v.Outcome != checker.Unknown || v.Reason != tc.want {
			t.Errorf("%v: %s: %s, want unknown: %s", tc.text, v.Outcome, v.Reason, tc.want)
		}
	}
}

// TestByKey compares the checks of histories of several sets or counters with those of each by itself.
func TestByKey(t *testing.T) {
	counts := map[checker.Validity]int{}
	for seed := range uint64(1_000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		for _, w := range []WorkloadName{Counter, Set, SetFull} {
			want := checker.Valid
			all := &workload.Clients{Paired: true, Keyed: true}
			for key := range int64(3) {
				h := random(rng, w)
				switch o := definition(h, w); {
				case o == checker.Invalid, o == checker.Unknown && want == checker.Valid:
					want = o
				}
				for _, op := range h.Ops {
					op.Key = key
					all.Ops = append(all.Ops, op)
				}
			}
			for range 50 { // each key's order is that of the ends
				if i := rng.IntN(len(all.Ops) - 1); all.Ops[i].Key != all.Ops[i+1].Key {
					all.Ops[i], all.Ops[i+1] = all.Ops[i+1], all.Ops[i]
				}
			}
			got := Check(all, Demands{Workload: w})
			if got.Outcome != want {
				t.Fatalf("seed %d, %s: %s: %s, want %s:\n%s", seed, w, got.Outcome, got.Reason, want, print(all))
			}
			counts[got.Outcome]++
		}
	}
	if counts[checker.Valid] < 20 || counts[checker.Invalid] < 100 || counts[checker.Unknown] < 20 {
		t.Errorf("too few of a kind: %v", counts)
	}
}
