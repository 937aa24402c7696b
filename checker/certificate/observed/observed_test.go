package observed

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/isolation"
	"txweave/oracle/observe"
	"txweave/sdg"
)

// serializable is what must not happen at SERIALIZABLE.
var serializable = []fault.Kind{fault.G0, fault.G1a, fault.G1b, fault.G1c, fault.P4, fault.GSingle, fault.GSIb,
	fault.G2Item, fault.G2}

// simulate runs transactions by turns: reads and searches see the state when their transaction began, or the current
// one if not snapshot; writes wait for nobody and give way to rows that another open transaction wrote. Without
// snapshots everything takes turns by whole transactions, so that the run is serial.
func simulate(rng *rand.Rand, snapshot bool) *observe.Observation {
	h := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 10, 2: 20}}, Txns: make([]observe.ObservedTxn,
		2+rng.IntN(3))}
	h.Matches = func(op int, v history.Version) (bool, bool) {
		return (v.VKey+int64(len(h.Stmts[op].Name)))%3 == 0, true
	}
	committed, next, clock := maps.Clone(h.Initial["t"]), int64(100), int64(1)
	type open struct {
		view   map[int64]int64 // what it sees
		wrote  map[int64]bool
		left   int
		writes []history.Write
	}
	txns, owner := map[int]*open{}, map[int64]int{}
	todo := rng.Perm(len(h.Txns))
	for len(todo) > 0 {
		at := 0
		if snapshot {
			at = rng.IntN(len(todo))
		}
		t := todo[at]
		x := txns[t]
		if x == nil {
			x = &open{maps.Clone(committed), map[int64]bool{}, 1 + rng.IntN(3), nil}
			txns[t] = x
		}
		clock += 2
		if x.left == 0 {
			h.Txns[t] = observe.ObservedTxn{Sent: clock, Done: clock + 1}
			for _, w := range x.writes {
				delete(owner, w.PKey)
				if w.To == history.Dead {
					delete(committed, w.PKey)
				} else {
					committed[w.PKey] = int64(w.To)
				}
			}
			todo = slices.Delete(todo, at, at+1)
			continue
		}
		x.left--
		op := &observe.ObservedStmt{Node: sdg.Node{Name: fmt.Sprintf("T%d.S%0*d", t, 1+rng.IntN(3), x.left), Txn: t,
			Reads: []sdg.TableRead{{Table: "t"}}}, Sent: clock, Done: clock + 1}
		pkey := 1 + rng.Int64N(4)
		item := history.Item{Table: "t", PKey: pkey}
		by, locked := owner[pkey]
		now, there := committed[pkey]
		if x.wrote[pkey] {
			now, there = x.view[pkey]
		}
		switch {
		case rng.IntN(2) == 0 || locked && by != t:
			op.Search = []observe.PredicateRead{{Table: "t", Seen: maps.Clone(x.view), Lists: true}}
			h.Stmts = append(h.Stmts, op)
			for _, k := range slices.Sorted(maps.Keys(x.view)) {
				v := history.Version{Item: history.Item{Table: "t", PKey: k}, VKey: x.view[k]}
				if m, _ := h.Matches(len(h.Stmts)-1, v); m {
					op.Out = append(op.Out, v)
				}
			}
			continue
		case there && rng.IntN(4) == 0 && !x.wrote[pkey] && pkey <= 2:
			op.Writes = []history.Write{{Item: item, From: history.State(now), To: history.Dead}}
			delete(x.view, pkey)
		case there:
			op.Writes = []history.Write{{Item: item, From: history.State(now), To: history.State(next)}}
			x.view[pkey] = next
		case pkey > 2:
			op.Writes = []history.Write{{Item: item, From: history.Unborn, To: history.State(next)}}
			x.view[pkey] = next
		default:
			continue // deleted: it stays so
		}
		next++
		owner[pkey], x.wrote[pkey] = t, true
		x.writes = append(x.writes, op.Writes...)
		h.Stmts = append(h.Stmts, op)
	}
	return h
}

// TestAgainstIsolation compares with the isolation oracle: what a serial run shows is valid, also in the order of
// commits, and a run with snapshots is invalid exactly if it shows a phenomenon.
func TestAgainstIsolation(t *testing.T) {
	bad := 0
	const cases = 3000
	for i := range cases {
		h := simulate(rand.New(rand.NewPCG(uint64(i), 3)), i%4 != 0)
		r, err := New(h)
		if err != nil {
			t.Fatalf("seed %d: %v", i, err)
		}
		c, err := r.Certify(r.History())
		if err != nil {
			t.Fatal(err)
		}
		v := certificate.Check(t.Context(), r.History(), c, dbms.SER, checker.Options{}, r)
		if v.Outcome == checker.Unknown {
			t.Fatalf("seed %d: %v", i, v)
		}
		found := isolation.Find(h, serializable)
		if (len(found) > 0) != (v.Outcome == checker.Invalid) {
			t.Fatalf("seed %d: the isolation oracle found %+v, the certificate says %v\n%+v", i, found, v, h.Stmts)
		}
		if i%4 == 0 {
			if v.Outcome != checker.Valid {
				t.Fatalf("seed %d: serial, but %v", i, v)
			}
			if v := certificate.Replay(t.Context(), r.History(), c, dbms.SER, checker.Options{}, r); v.Outcome != checker.Valid {
				t.Fatalf("seed %d: in order of commits: %v", i, v)
			}
		}
		if v.Outcome == checker.Invalid {
			bad++
		}
	}
	t.Logf("%d of %d runs are invalid", bad, cases)
	if bad < cases/20 {
		t.Errorf("only %d of %d runs are invalid", bad, cases)
	}
}
