package blackbox

import (
	"math/rand/v2"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/notation"
)

var cases = effort.Flag("txweave.cases", 1500, "small random histories for each level, compared with brute force")

// TestWrittenTwice compares verdicts on histories in which values are written more than once with the search through
// all orders: what is said to be valid is, what is said to be invalid is, and most have a verdict.
func TestWrittenTwice(t *testing.T) {
	for _, level := range dbms.HistoryLevels {
		if level != dbms.LIN && level != dbms.RR {
			writtenTwice(t, "registers", brute.Random, level)
			writtenTwice(t, "lists", brute.RandomLists, level)
		}
	}
}

func writtenTwice(t *testing.T, kind string, random func(*rand.Rand, brute.Bounds) *register.History,
	level dbms.Level) {
	t.Helper()
	shape := brute.Bounds{Txns: 5, Keys: 4, Sessions: 3, Ops: 4, Duplicates: true}
	counts := map[checker.Validity]int{}
	for i := range cases() {
		shape.NoAborts = i%2 == 0
		opt := checker.Options{SessionOrder: i%3 > 0}
		h := random(rand.New(rand.NewPCG(uint64(i), 11)), shape)
		got := Check(t.Context(), h, level, opt)
		counts[got.Outcome]++
		if got.Outcome == checker.Unknown {
			if got.Unmet != checker.UniqueValues {
				t.Fatalf("seed %d, %s: %v\n%s", i, level, got, notation.Format(h))
			}
			continue
		}
		if is := brute.Valid(h, level, opt); is != (got.Outcome == checker.Valid) {
			t.Fatalf("seed %d, %s, %+v: valid: %v, got %v\n%s", i, level, opt, is, got, notation.Format(h))
		}
	}
	t.Logf("%s, %s: %v", kind, level, counts)
	few := cases() / 20
	if counts[checker.Unknown] > cases()*2/3 || counts[checker.Valid] < few || counts[checker.Invalid] < few {
		t.Errorf("%s, %s: %v: the histories are one-sided", kind, level, counts)
	}
}

// TestSingle compares verdicts on histories of single operations, whose values repeat and whose compares fail, with
// the search through all orders.
func TestSingle(t *testing.T) {
	shape := brute.Bounds{Txns: 6, Keys: 2, Sessions: 4, Single: true, NotEqual: true, Duplicates: true}
	counts := map[checker.Validity]int{}
	for i := range cases() {
		opt := checker.Options{SessionOrder: i%3 > 0}
		shape.NotEqual = i%4 == 0
		h := brute.Random(rand.New(rand.NewPCG(uint64(i), 12)), shape)
		for _, level := range dbms.HistoryLevels {
			if level == dbms.RR || shape.NotEqual && level != dbms.SSER && level != dbms.SER && level != dbms.SI {
				continue // the search knows nothing of compares at weaker levels
			}
			if level == dbms.LIN {
				opt.SessionOrder = false // it is in real time, or no part of the level
			}
			got := Check(t.Context(), h, level, opt)
			counts[got.Outcome]++
			if got.Outcome == checker.Unknown {
				continue
			}
			if is := brute.Valid(h, level, opt); is != (got.Outcome == checker.Valid) {
				t.Fatalf("seed %d, %s, %+v: valid: %v, got %v\n%s", i, level, opt, is, got, notation.Format(h))
			}
		}
	}
	t.Logf("%v", counts)
	if counts[checker.Valid] < cases()/2 || counts[checker.Invalid] < cases()/2 {
		t.Errorf("%v: the histories are one-sided", counts)
	}
}
