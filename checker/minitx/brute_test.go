package minitx

import (
	"flag"
	"math/rand/v2"
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/fault"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/notation"
)

var cases = flag.Int("txweave.cases", 3000, "small random histories for each level, compared with brute force")

// TestAgainstBruteForce compares verdicts with the search through all orders: no disagreement, and no unknown.
func TestAgainstBruteForce(t *testing.T) {
	for _, level := range []dbms.Level{dbms.SI, dbms.SER, dbms.SSER} {
		for _, opt := range []checker.Options{{SessionOrder: true}, {}} {
			valid := 0
			anomalies := map[fault.Kind]int{}
			for i := range *cases {
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				h := brute.Random(rng, brute.Bounds{Txns: 5, Keys: 3, Sessions: 3, Ops: 4, RMW: true, NoAborts: i%2 == 0})
				got := Check(h, level, opt)
				want := checker.Invalid
				if brute.Valid(h, level, opt) {
					want = checker.Valid
					valid++
				}
				if got.Outcome != want {
					t.Fatalf("seed %d, %s, %+v: want %s, got %v\n%s", i, level, opt, want, got, notation.Format(h))
				}
				if got.Outcome == checker.Invalid {
					anomalies[got.Anomaly]++
					checkCounterexample(t, h, got)
				}
			}
			t.Logf("%s %+v: %d of %d valid; %v", level, opt, valid, *cases, anomalies)
			if valid < *cases/10 || valid > *cases*9/10 {
				t.Errorf("%s %+v: %d of %d valid: the histories are one-sided", level, opt, valid, *cases)
			}
		}
	}
}

// checkCounterexample checks that the counterexample is a closed cycle, or one bad read.
func checkCounterexample(t *testing.T, h *register.History, v checker.Verdict) {
	t.Helper()
	c := v.Counterexample
	if len(c) == 0 || v.Anomaly == "" || v.Reason == "" {
		t.Fatalf("no counterexample: %v", v)
	}
	if len(c) == 1 {
		return
	}
	seen := map[int]bool{}
	for i, e := range c {
		if e.ToTxn != c[(i+1)%len(c)].FromTxn || e.Text == "" || seen[e.FromTxn] {
			t.Fatalf("not a simple cycle: %v\n%s", v, notation.Format(h))
		}
		seen[e.FromTxn] = true
	}
}
