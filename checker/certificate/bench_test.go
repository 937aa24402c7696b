package certificate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history/register"
	"txweave/internal/testkit/cputime"
)

// readModifyWrite makes the certificate that the reads themselves give: every write follows a read of its key.
func readModifyWrite(tb testing.TB, h *register.History) *Certificate {
	tb.Helper()
	c := &Certificate{Order: make([][]int64, h.Keys())}
	next := make([]map[int64]int64, h.Keys()) // by key: what replaced a version
	for k := range next {
		next[k] = map[int64]int64{}
	}
	for t := range h.Txns {
		read := map[int32]int64{}
		for _, op := range h.TxnOps(t) {
			switch {
			case op.Kind == register.Read:
				read[op.Key] = op.Value
			case t == h.Initial:
				c.Order[op.Key] = append(c.Order[op.Key], op.Value)
			default:
				next[op.Key][read[op.Key]] = op.Value
			}
		}
	}
	for k := range c.Order {
		v := int64(0)
		if len(c.Order[k]) > 0 {
			v = c.Order[k][0]
		}
		for len(next[k]) > 0 {
			n, ok := next[k][v]
			if !ok {
				tb.Fatalf("the order of %s has a gap after %d", h.KeyName(int32(k)), v)
			}
			delete(next[k], v)
			c.Order[k] = append(c.Order[k], n)
			v = n
		}
		c.Order[k] = slices.Clip(c.Order[k])
	}
	return c
}

// BenchmarkCheck checks histories of 20 sessions and 1,000 keys with their version orders.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{125_000, 250_000, 500_000, 1_000_000} {
		for _, l := range []struct {
			level dbms.Level
			from  dbms.Level
		}{{dbms.SER, dbms.SER}, {dbms.SI, dbms.SI}} {
			level, from := l.level, l.from
			h, err := histories.Generate(rand.New(rand.NewPCG(1, 2)), histories.Config{Level: from, Txns: n,
				Distribution: workload.Zipf})
			if err != nil {
				b.Fatal(err)
			}
			c := readModifyWrite(b, h)
			b.Run(fmt.Sprintf("%s/%d", level, n), func(b *testing.B) {
				cputime.Loop(b, n, func() {
					if v := Check(b.Context(), h, c, level, checker.Options{SessionOrder: true}, nil); v.Outcome != checker.Valid {
						b.Fatal(v)
					}
				})
			})
		}
	}
}
