package weak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/checker"
	"txweave/dbms"
	"txweave/fault"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/cputime"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/notation"
)

var cases = effort.Flag("txweave.cases", 1500, "small random histories for each level, compared with brute force")

// TestGolden runs the histories under testdata, one file for each anomaly, rejecting ones beside accepting twins.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h, err := notation.Parse(d.Input)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			var b strings.Builder
			for _, a := range d.CmdArgs {
				if a.Key != "no-session-order" {
					fmt.Fprintln(&b, Check(t.Context(), h, dbms.Level(a.Key),
						checker.Options{SessionOrder: !d.HasArg("no-session-order")}))
				}
			}
			return b.String()
		})
	})
}

// TestAgainstBruteForce compares verdicts with the search through all commit orders: no disagreement, and no unknown.
func TestAgainstBruteForce(t *testing.T) {
	compare(t, cases(), func(rng *rand.Rand, i int) *register.History {
		return brute.Random(rng, brute.Bounds{Txns: 6, Keys: 3, Sessions: 3, Ops: 4, RMW: i%4 == 0, NoAborts: i%2 == 0})
	})
}

// TestListsAgainstBruteForce does so for histories of lists.
func TestListsAgainstBruteForce(t *testing.T) {
	compare(t, cases(), func(rng *rand.Rand, i int) *register.History {
		return brute.RandomLists(rng, brute.Bounds{Txns: 5, Keys: 2, Sessions: 3, Ops: 5, NoAborts: i%2 == 0})
	})
}

func compare(t *testing.T, cases int, random func(rng *rand.Rand, i int) *register.History) {
	for _, level := range []dbms.Level{dbms.RC, dbms.RA, dbms.TCC} {
		for _, opt := range []checker.Options{{SessionOrder: true}, {}} {
			valid := 0
			anomalies := map[fault.Kind]int{}
			for i := range cases {
				h := random(rand.New(rand.NewPCG(uint64(i), 2)), i)
				got := Check(t.Context(), h, level, opt)
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
			t.Logf("%s %+v: %d of %d valid; %v", level, opt, valid, cases, anomalies)
			if valid < cases/10 || valid > cases*9/10 {
				t.Errorf("%s %+v: %d of %d valid: the histories are one-sided", level, opt, valid, cases)
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
	for i, e := range c {
		if len(c) > 1 && e.ToTxn != c[(i+1)%len(c)].FromTxn || e.Text == "" {
			t.Fatalf("not a cycle: %v\n%s", v, notation.Format(h))
		}
	}
}

func generate(tb testing.TB, seed uint64, cfg histories.Config) *register.History {
	tb.Helper()
	h, err := histories.Generate(rand.New(rand.NewPCG(seed, 2)), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// TestEnginesKeepTheirLevels checks larger histories, in which every level is kept by its engine and all stronger ones,
// and broken by the weaker ones.
func TestEnginesKeepTheirLevels(t *testing.T) {
	strength := map[dbms.Level]int{dbms.RC: 1, dbms.RA: 2, dbms.TCC: 3, dbms.SI: 4,
		dbms.RR: 5, dbms.SER: 5, dbms.SSER: 6}
	for _, engine := range histories.Levels {
		for _, shape := range []histories.Shape{histories.Mini, histories.Blind, histories.General} {
			h := generate(t, 3, histories.Config{Level: engine, Shape: shape, Txns: 4000, Keys: 20, Ops: 5, Aborts: 0.1,
				KeepAborted: true,
				Unknowns:    0.05})
			for i, level := range []dbms.Level{dbms.RC, dbms.RA, dbms.TCC} {
				want := checker.Invalid
				if strength[engine] > i {
					want = checker.Valid
				}
				if v := Check(t.Context(), h, level, checker.Options{SessionOrder: true}); v.Outcome != want {
					t.Errorf("%s history of a %s engine: want %s, got %v", shape, engine, want, v)
				}
			}
		}
	}
}

// BenchmarkCheck checks histories of 20 sessions and 1,000 keys from an engine of the level itself.
func BenchmarkCheck(b *testing.B) {
	levels := map[dbms.Level]dbms.Level{dbms.RC: dbms.RC, dbms.RA: dbms.RA, dbms.TCC: dbms.TCC}
	for _, shape := range []histories.Shape{histories.Mini, histories.General} {
		for _, dist := range []workload.Distribution{workload.Uniform, workload.Zipf} {
			for _, n := range []int{125_000, 250_000, 500_000, 1_000_000} {
				for _, level := range []dbms.Level{dbms.RC, dbms.RA, dbms.TCC} {
					h := generate(b, 1, histories.Config{Level: levels[level], Shape: shape, Txns: n, Distribution: dist})
					b.Run(fmt.Sprintf("%s/%s/%s/%d", level, shape, dist, n), func(b *testing.B) {
						cputime.Loop(b, n, func() {
							if v := Check(b.Context(), h, level, checker.Options{SessionOrder: true}); v.Outcome != checker.Valid {
								b.Fatal(v)
							}
						})
					})
				}
			}
		}
	}
}
