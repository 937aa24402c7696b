package minitx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history/register"
	"txweave/internal/testkit/cputime"
)

func generate(tb testing.TB, cfg histories.Config) *register.History {
	tb.Helper()
	h, err := histories.Generate(rand.New(rand.NewPCG(1, 2)), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// BenchmarkCheck checks histories of 20 sessions and 1,000 keys. The transactions of the history lie in order of
// their ends, as a recorder that merges its sessions leaves them.
func BenchmarkCheck(b *testing.B) {
	for _, dist := range []workload.Distribution{workload.Uniform, workload.Zipf} {
		for _, n := range []int{125_000, 250_000, 500_000, 1_000_000} {
			for _, c := range []struct {
				level dbms.Level
				from  dbms.Level
			}{{dbms.SI, dbms.SI}, {dbms.SER, dbms.SER}, {dbms.SSER, dbms.SSER}} {
				h := generate(b, histories.Config{Level: c.from, Txns: n, Distribution: dist})
				b.Run(fmt.Sprintf("%s/%s/%d", c.level, dist, n), func(b *testing.B) {
					cputime.Loop(b, n, func() {
						if v := Check(h, c.level, checker.Options{SessionOrder: true}); v.Outcome != checker.Valid {
							b.Fatal(v)
						}
					})
				})
			}
		}
	}
}
