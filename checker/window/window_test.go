package window_test

import (
	"math/rand/v2"
	"testing"

	"txweave/checker"
	"txweave/checker/minitx"
	"txweave/checker/window"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
)

// serialize gives a history to a window.
func serialize(h *register.History, limit int) bool {
	s := window.New(limit)
	for t := range h.Txns {
		var ops []format.TextAccess
		for _, op := range h.TxnOps(t) {
			value := op.Value + 1
			if op.Nil {
				value = 0
			}
			ops = append(ops, format.TextAccess{Key: int64(op.Key), Value: value, Write: op.Kind == register.Write})
		}
		session := int64(-1)
		if t != h.Initial {
			session = h.SessionID(h.Txns[t].Session)
		}
		if !s.Add(session, ops) {
			return false
		}
	}
	return s.Finish()
}

// TestAgainstBruteForce gives small random histories to windows of every size: none of those that have no serial order
// has one here; and where every write follows a read of its key, a window as large as the history finds it.
func TestAgainstBruteForce(t *testing.T) {
	opt := checker.Options{SessionOrder: true}
	found, missed := 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		h := random(rng, seed%2 == 0)
		valid := brute.Valid(h, dbms.SER, opt)
		for limit := range len(h.Txns) + 1 {
			switch got := serialize(h, limit); {
			case got && !valid:
				t.Fatalf("seed %d, window %d: an order is found where there is none", seed, limit)
			case got:
				found++
			case valid && limit == len(h.Txns) && seed%2 == 0:
				t.Fatalf("seed %d: no order is found", seed)
			case valid:
				missed++
			}
		}
	}
	if found < 1000 || missed < 100 {
		t.Errorf("%d found, %d missed: the histories are too much alike", found, missed)
	}
}

// random makes a history of a few transactions of three keys, of an engine that now and then reads what is old. Where
// follow is set every write follows a read of its key.
func random(rng *rand.Rand, follow bool) *register.History {
	b := register.NewBuilder(0, 0)
	type version struct {
		value int64
		nil   bool
	}
	held := [3][]version{{{nil: true}}, {{nil: true}}, {{nil: true}}}
	next := int64(1)
	for id := range int64(2 + rng.IntN(5)) {
		b.Begin(int64(rng.IntN(3)), id)
		for range 1 + rng.IntN(2) {
			k := rng.IntN(3)
			key := b.IntKey(int64(k))
			if follow || rng.IntN(2) == 0 {
				v := held[k][len(held[k])-1]
				if rng.IntN(4) == 0 {
					v = held[k][rng.IntN(len(held[k]))]
				}
				if v.nil {
					b.ReadNil(key)
				} else {
					b.Read(key, v.value)
				}
			}
			if rng.IntN(2) == 0 {
				b.Write(key, next)
				held[k] = append(held[k], version{value: next})
				next++
			}
		}
		b.End(0, 0, 0)
	}
	return b.History()
}

// TestInOrder serializes a history that lies in order of ends, as a recorder that merges its sessions leaves it, in a
// small window.
func TestInOrder(t *testing.T) {
	for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
		h, err := histories.Generate(rand.New(rand.NewPCG(1, 2)), histories.Config{Level: level, Txns: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		want := minitx.Check(h, dbms.SER, checker.Options{SessionOrder: true}).Outcome == checker.Valid
		if got := serialize(h, 1000); got != want {
			t.Errorf("%s: an order is found: %t, want %t", level, got, want)
		}
	}
}
