package lin

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/checker"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/cputime"
	"txweave/internal/testkit/notation"
)

var cases = flag.Int("txweave.cases", 3000, "small random histories of each kind, compared with brute force")

// TestGolden runs the histories under testdata, rejecting ones beside accepting twins.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h, err := notation.Parse(d.Input)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			return fmt.Sprintln(Check(t.Context(), h))
		})
	})
}

// TestAgainstBruteForce compares verdicts with the search through all orders: no disagreement, and no unknown. The
// linear algorithm and the search are both held against it where both apply.
func TestAgainstBruteForce(t *testing.T) {
	for name, shape := range map[string]brute.Bounds{
		"compare-and-set": {Txns: 7, Keys: 2, Sessions: 4, Single: true},
		"registers":       {Txns: 7, Keys: 2, Sessions: 4, Single: true, NotEqual: true},
		"texts":           {Txns: 7, Keys: 2, Sessions: 4, Single: true, Texts: true},
		"few values":      {Txns: 7, Keys: 2, Sessions: 4, Single: true, NotEqual: true, Duplicates: true},
	} {
		valid := 0
		for i := range *cases {
			shape.NoAborts = i%2 == 0
			h := brute.Random(rand.New(rand.NewPCG(uint64(i), 3)), shape)
			want := checker.Invalid
			if brute.Valid(h, dbms.LIN, checker.Options{}) {
				want = checker.Valid
				valid++
			}
			verdicts := []checker.Verdict{Check(t.Context(), h), search(t.Context(), h, 0)}
			for _, got := range verdicts {
				if got.Outcome != want {
					t.Fatalf("%s, seed %d: want %s, got %v\n%s", name, i, want, got, notation.Format(h))
				}
				if want == checker.Invalid && (got.Anomaly == "" || len(got.Counterexample) == 0 ||
					got.Counterexample[0].Text == "") {
					t.Fatalf("%s, seed %d: no counterexample: %v", name, i, got)
				}
			}
		}
		t.Logf("%s: %d of %d valid", name, valid, *cases)
		if valid < *cases/10 || valid > *cases*9/10 {
			t.Errorf("%s: %d of %d valid: the histories are one-sided", name, valid, *cases)
		}
	}
}

func TestLargeHistories(t *testing.T) {
	for _, engine := range []dbms.Level{dbms.SSER, dbms.SER} {
		h, err := histories.Generate(
			rand.New(rand.NewPCG(5, 0)),
			histories.Config{Level: engine, Shape: histories.CompareAndSet,
				Txns: 3000, Keys: 3,
				Sessions: 6, Unknowns: 0.01},
		)
		if err != nil {
			t.Fatal(err)
		}
		want := checker.Valid
		if engine == dbms.SER {
			want = checker.Invalid
		}
		for name, got := range map[string]checker.Verdict{
			"linear": Check(t.Context(), h), "search": search(t.Context(), h, 0),
		} {
			if got.Outcome != want {
				t.Errorf("%s engine, %s: %s", engine, name, strings.Split(got.String(), "\n")[0])
			}
		}
	}
}

// BenchmarkCheck checks one key, the hardest case, and a thousand.
func BenchmarkCheck(b *testing.B) {
	for _, keys := range []int{1, 1000} {
		for _, n := range []int{250_000, 500_000, 1_000_000} {
			h, err := histories.Generate(
				rand.New(rand.NewPCG(1, 2)),
				histories.Config{Level: dbms.SSER, Shape: histories.CompareAndSet,
					Txns: n, Keys: keys},
			)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("keys=%d/%d", keys, n), func(b *testing.B) {
				cputime.Loop(b, n, func() {
					if v := Check(b.Context(), h); v.Outcome != checker.Valid {
						b.Fatal(v)
					}
				})
			})
		}
	}
}

// TestWorkers: any number of workers gives the same verdict, of valid histories and of such with a wrong key.
func TestWorkers(t *testing.T) {
	for seed := range uint64(20) {
		h, err := histories.Generate(rand.New(rand.NewPCG(seed, 0)), histories.Config{Level: dbms.SSER,
			Shape: histories.Blind, Ops: 1, Txns: 400, Keys: 12, Sessions: 6})
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []bool{false, true} {
			if wrong {
				h = misread(h)
			}
			want := search(t.Context(), h, 1)
			if (want.Outcome == checker.Invalid) != wrong {
				t.Errorf("seed %d, wrong %v: %s", seed, wrong, want)
			}
			for _, workers := range []int{2, 3, 16} {
				if got := search(t.Context(), h, workers); got.String() != want.String() {
					t.Errorf("seed %d, %d workers: %s, with one %s", seed, workers, got, want)
				}
			}
		}
	}
}

// misread makes the last reads of some keys return what was there at first.
func misread(h *register.History) *register.History {
	out := *h
	out.Ops = slices.Clone(h.Ops)
	done := map[int32]bool{}
	for i := range slices.Backward(out.Ops) {
		if op := &out.Ops[i]; op.Kind == register.Read && op.Key%3 == 0 && !done[op.Key] {
			done[op.Key] = true
			op.Value = int64(op.Key)
		}
	}
	return &out
}

// BenchmarkWorkers measures the search of many keys by one worker and by two.
func BenchmarkWorkers(b *testing.B) {
	h, err := histories.Generate(rand.New(rand.NewPCG(1, 2)), histories.Config{Level: dbms.SSER,
		Shape: histories.Blind, Ops: 1, Txns: 500_000, Keys: 1000, Sessions: 20})
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			for b.Loop() {
				if v := search(b.Context(), h, workers); v.Outcome != checker.Valid {
					b.Fatal(v)
				}
			}
		})
	}
}
