package polygraph

import (
	"math/rand/v2"
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/internal/testkit/brute"
)

// TestListsAgainstBruteForce compares verdicts on histories of lists with the search through all orders.
func TestListsAgainstBruteForce(t *testing.T) {
	shape := brute.Bounds{Txns: 5, Keys: 2, Sessions: 3, Ops: 4}
	for _, level := range []dbms.Level{dbms.SI, dbms.SER, dbms.SSER} {
		for _, opt := range []checker.Options{{SessionOrder: true}, {}} {
			valid := 0
			for i := range cases() {
				shape.NoAborts = i%2 == 0
				h := brute.RandomLists(rand.New(rand.NewPCG(uint64(i), 5)), shape)
				want := checker.Invalid
				if brute.Valid(h, level, opt) {
					want = checker.Valid
					valid++
				}
				got := Check(t.Context(), h, level, Options{Options: opt})
				if got.Outcome != want {
					t.Fatalf("seed %d, %s, %+v: want %s, got %v\n%s", i, level, opt, want, got, dump(h))
				}
				if got.Outcome == checker.Invalid {
					checkCounterexample(t, h, got)
				}
			}
			t.Logf("%s %+v: %d of %d valid", level, opt, valid, cases())
			if valid < cases()/20 || valid > cases()*19/20 {
				t.Errorf("%s %+v: %d of %d valid: the histories are one-sided", level, opt, valid, cases())
			}
		}
	}
}
