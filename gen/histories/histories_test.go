package histories

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
)

func generate(tb testing.TB, seed uint64, cfg Config) *register.History {
	tb.Helper()
	h, err := Generate(rand.New(rand.NewPCG(seed, 0)), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

func TestSameSeedSameHistory(t *testing.T) {
	for _, level := range Levels {
		cfg := Config{Level: level, Shape: General, Txns: 300, Keys: 20, Aborts: 0.1, KeepAborted: true, Unknowns: 0.1}
		a, b := generate(t, 7, cfg), generate(t, 7, cfg)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: two histories from one seed differ", level)
		}
		if c := generate(t, 8, cfg); fmt.Sprint(a) == fmt.Sprint(c) {
			t.Errorf("%s: two seeds give one history", level)
		}
	}
}

// TestConfiguration checks that a history has what was asked for.
func TestConfiguration(t *testing.T) {
	for _, level := range Levels {
		for _, shape := range []Shape{Mini, Blind, General, CompareAndSet} {
			for _, dist := range workload.Distributions {
				h := generate(t, 1, Config{Level: level, Shape: shape, Distribution: dist, Sessions: 5, Txns: 400, Keys: 30,
					Ops: 3, Aborts: 0.2, KeepAborted: true, Unknowns: 0.2})
				var n [3]int
				for _, x := range h.Txns {
					n[x.Status]++
				}
				if n[history.Committed] != 401 || n[history.Aborted] < 60 || n[history.Unknown] < 60 {
					t.Errorf("%s %s %s: %d committed, aborted, unknown", level, shape, dist, n)
				}
				if h.Sessions() != 5 || h.Keys() != 30 {
					t.Errorf("%s %s %s: %d sessions, %d keys", level, shape, dist, h.Sessions(), h.Keys())
				}
				if shape == Mini {
					for i := range h.Txns[1:] {
						if ops := h.TxnOps(i + 1); len(ops) < 1 || len(ops) > 4 || ops[0].Kind != register.Read {
							t.Fatalf("not a mini-transaction: %v", ops)
						}
					}
				}
			}
		}
	}
}

func TestRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{
		{Level: "best"}, {Shape: "long"}, {Distribution: "normal"}, {Keys: -1}, {Sessions: -1}, {Txns: -1}, {Aborts: 1},
		{Unknowns: -0.1},
	} {
		if _, err := Generate(rand.New(rand.NewPCG(1, 1)), cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}

// TestSkew checks the order in which the distributions favour their first keys.
func TestSkew(t *testing.T) {
	share := map[workload.Distribution]float64{}
	for _, d := range workload.Distributions {
		keys, err := workload.NewKeys(d, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		rng, first := rand.New(rand.NewPCG(3, 0)), 0
		for range 100000 {
			switch k := keys.Draw(rng); {
			case k < 0 || k >= 100:
				t.Fatalf("%s: key %d", d, k)
			case k < 10:
				first++
			}
		}
		share[d] = float64(first) / 100000
	}
	for d, want := range map[workload.Distribution]float64{workload.Uniform: 0.10, workload.Hotspot: 0.40,
		workload.Zipf: 0.565, workload.Exponential: 0.632} {
		if got := share[d]; got < want-0.02 || got > want+0.02 {
			t.Errorf("%s: the first tenth of the keys gets %.3f of the accesses, want about %.3f", d, got, want)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, level := range Levels {
		b.Run(string(level), func(b *testing.B) {
			for b.Loop() {
				generate(b, 1, Config{Level: level, Txns: 100_000, Distribution: workload.Zipf})
			}
		})
	}
}
