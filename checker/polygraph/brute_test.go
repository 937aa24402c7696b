package polygraph

import (
	"math/rand/v2"
	"strings"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/effort"
)

var cases = effort.Flag("txweave.cases", 1500, "small random histories for each level, compared with brute force")

// dump prints a small history.
func dump(h *register.History) string {
	var b strings.Builder
	for t, x := range h.Txns {
		b.WriteString(h.TxnName(t))
		if x.Session != register.NoSession {
			b.WriteString(" s" + string(rune('0'+x.Session)))
		}
		b.WriteString(" " + x.Status.String())
		for _, op := range h.TxnOps(t) {
			b.WriteString(" " + h.FormatOp(op))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestAgainstBruteForce compares verdicts with the search through all orders, with and without pruning by
// reachability, so that the SAT search is compared by itself too: no disagreement, and no unknown.
func TestAgainstBruteForce(t *testing.T) {
	shape := brute.Bounds{Txns: 6, Keys: 3, Sessions: 4, Ops: 4}
	for _, level := range []dbms.Level{dbms.SI, dbms.SER, dbms.SSER} {
		for _, opt := range []checker.Options{{SessionOrder: true}, {}} {
			valid := 0
			for i := range cases() {
				rng := rand.New(rand.NewPCG(uint64(i), 2))
				shape.NoAborts = i%2 == 0
				h := brute.Random(rng, shape)
				want := checker.Invalid
				if brute.Valid(h, level, opt) {
					want = checker.Valid
					valid++
				}
				for _, closure := range []int{0, 1} {
					got := Check(t.Context(), h, level, Options{Options: opt, MaxClosure: closure})
					if got.Outcome != want {
						t.Fatalf("seed %d, %s, %+v, closure %d: want %s, got %v\n%s", i, level, opt, closure, want, got, dump(h))
					}
					if got.Outcome == checker.Invalid {
						checkCounterexample(t, h, got)
					}
				}
			}
			t.Logf("%s %+v: %d of %d valid", level, opt, valid, cases())
			if valid < cases()/20 || valid > cases()*19/20 {
				t.Errorf("%s %+v: %d of %d valid: the histories are one-sided", level, opt, valid, cases())
			}
		}
	}
}

// checkCounterexample checks that the counterexample is a closed cycle, or one bad read.
func checkCounterexample(t *testing.T, h *register.History, v checker.Verdict) {
	t.Helper()
	c := v.Counterexample
	if len(c) == 0 || v.Anomaly == "" || v.Reason == "" {
		t.Fatalf("no counterexample: %v\n%s", v, dump(h))
	}
	seen := map[int]bool{}
	for i, e := range c {
		if e.Text == "" || len(c) > 1 && (e.ToTxn != c[(i+1)%len(c)].FromTxn || seen[e.FromTxn]) {
			t.Fatalf("not a simple cycle: %v\n%s", v, dump(h))
		}
		seen[e.FromTxn] = true
	}
}
