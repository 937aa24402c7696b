package certificate

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/notation"
)

// TestReplayAgainstBruteForce: a history with searches is serializable, or of snapshot isolation, if and only if the
// replay holds in one of all orders of commits. It needs neither version orders nor version sets.
func TestReplayAgainstBruteForce(t *testing.T) {
	for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
		t.Run(string(level), func(t *testing.T) { replayAgainstBruteForce(t, level) })
	}
}

func replayAgainstBruteForce(t *testing.T, level dbms.Level) {
	valid := 0
	for i := range *cases {
		rng := rand.New(rand.NewPCG(uint64(i), 13))
		h := brute.Random(rng, brute.Bounds{Txns: 4, Keys: 2, Sessions: 3, Ops: 3, NoAborts: true})
		tables, predicates := searches(rng, h)
		want, got := (&executor{h: h, searches: predicates}).valid(level), false
		for n := range predicates {
			predicates[n].Seen = nil
		}
		for range 1000 {
			c := &Certificate{Order: make([][]int64, h.Keys()), Times: make([]Times, len(h.Txns)), Tables: tables,
				Predicates: predicates}
			for at, txn := range rng.Perm(len(h.Txns)) {
				c.Times[txn].Commit = int64(at + 1)
			}
			v := Replay(t.Context(), h, c, level, checker.Options{}, below{})
			if v.Outcome == checker.Unknown || v.Outcome == checker.Valid && !want {
				t.Fatalf("seed %d: %v\n%s%+v", i, v, notation.Format(h), predicates)
			}
			if got = v.Outcome == checker.Valid; got {
				break
			}
			if !want && rng.IntN(20) == 0 {
				break // as good as tried
			}
		}
		if got != want {
			t.Fatalf("seed %d: brute force says %v, the replay in no order\n%s%+v", i, want, notation.Format(h), predicates)
		}
		if want {
			valid++
		}
	}
	t.Logf("%d of %d %s", valid, *cases, level)
	if valid < *cases/10 || valid > *cases*9/10 {
		t.Errorf("%d of %d %s: one-sided", valid, *cases, level)
	}
}

// FuzzRead reads any certificate of a small history, and judges it: no panic.
func FuzzRead(f *testing.F) {
	h, err := notation.Parse("init: W(x, 1)\nT1 s0: R(x, 1) W(x, 2) W(x, 3)\nT2 s1 unknown: W(y, 4)\nT3 s0: R(x, 3)\n")
	if err != nil {
		f.Fatal(err)
	}
	head := `{"format":"txweave-certificate","version":1}` + "\n" + `{"table":"t","keys":["x","y"]}` + "\n"
	f.Add(head + `{"key":"x","order":[1,3]}` + "\n" + `{"key":"y","order":[4]}` + "\n" +
		`{"txn":3,"at":0,"table":"t","where":"value < 3","seen":{"x":3},"result":[]}`)
	f.Add(head + `{"key":"x","order":[3,1]}` + "\n" + `{"txn":1,"start":4,"commit":2}` + "\n" +
		`{"txn":1,"at":1,"table":"t","where":"value < 3","as_of":3,"result":["x"]}`)
	f.Add(strings.Replace(head, "}", `,"reborn":true}`, 1) + `{"key":"x","order":[1,3]}` + "\n" + `{"key":"x","value":1}` +
		"\n" + `{"key":"y","order":[4]}` + "\n" +
		`{"txn":1,"commit":2,"number":7,"snapshot":"5:9:7"}` + "\n" + `{"txn":2,"number":8,"snapshot":"6:8:6"}` + "\n" +
		`{"txn":3,"at":0,"table":"t","where":"","result":["x"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read(strings.NewReader(text), h)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, h, c); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b, h); err != nil {
			t.Fatalf("written and not read: %v", err)
		}
		for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
			Check(t.Context(), h, c, level, checker.Options{SessionOrder: true}, nil)
		}
		Replay(t.Context(), h, c, dbms.SER, checker.Options{}, nil)
	})
}
