package certificate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/history"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/cputime"
	"txweave/internal/testkit/notation"
)

// part keeps each version of an order with a probability.
func part(rng *rand.Rand, order [][]int64, share float64) [][]int64 {
	out := make([][]int64, len(order))
	for key, values := range order {
		for _, v := range values {
			if rng.Float64() < share {
				out[key] = append(out[key], v)
			}
		}
	}
	return out
}

// within says whether an order has all of another one, in its order.
func within(all, some [][]int64) bool {
	for key, values := range some {
		i := 0
		for _, v := range all[key] {
			if i < len(values) && v == values[i] {
				i++
			}
		}
		if i < len(values) {
			return false
		}
	}
	return true
}

// TestPartlyAgainstBruteForce: with a part of an order of versions a history is valid if and only if it is with one of
// the whole orders that have that part.
func TestPartlyAgainstBruteForce(t *testing.T) {
	for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
		valid, invalid, narrower := 0, 0, 0
		for i := range *cases {
			rng := rand.New(rand.NewPCG(uint64(i), 13))
			h := brute.Random(rng, brute.Bounds{Txns: 5, Keys: 2, Sessions: 3, Ops: 3, NoAborts: i%2 == 0})
			opt := checker.Options{SessionOrder: i%3 > 0}
			var orders [][][]int64
			certificates(h, func(c *Certificate) bool {
				orders = append(orders, part(rng, c.Order, 1))
				return len(orders) < 500
			})
			known := part(rng, orders[rng.IntN(len(orders))], []float64{0.3, 0.6, 0.8}[i%3])
			want, any := false, false
			certificates(h, func(c *Certificate) bool {
				is := Check(t.Context(), h, c, level, opt, nil).Outcome == checker.Valid
				any = any || is
				want = want || is && within(c.Order, known)
				return !want
			})
			got := Check(t.Context(), h, &Certificate{Order: known}, level, opt, nil)
			if got.Outcome != checker.Valid && got.Outcome != checker.Invalid || (got.Outcome == checker.Valid) != want {
				t.Fatalf("seed %d, %s, %+v, %v: want valid %v, got %v\n%s", i, level, opt, known, want, got, notation.Format(h))
			}
			if got.Outcome == checker.Invalid {
				checkCounterexample(t, h, got)
			}
			switch {
			case want:
				valid++
			case any:
				narrower++ // the part of the order is what shows it
			default:
				invalid++
			}
		}
		t.Logf("%s: %d valid, %d invalid by the part of the order, %d without it", level, valid, narrower, invalid)
		if valid < *cases/10 || narrower < *cases/50 || invalid < *cases/20 {
			t.Error("the histories are one-sided")
		}
	}
}

// TestPartlyWithMore: searches and instants are not judged where versions are missing, so that nothing is said to be
// valid.
func TestPartlyWithMore(t *testing.T) {
	h, err := histories.Generate(rand.New(rand.NewPCG(1, 2)), histories.Config{Level: dbms.SER, Txns: 50})
	if err != nil {
		t.Fatal(err)
	}
	c := readModifyWrite(t, h)
	c.Order[0] = c.Order[0][:len(c.Order[0])-1]
	if v := Check(t.Context(), h, c, dbms.SER, checker.Options{}, nil); v.Outcome != checker.Valid {
		t.Errorf("an order that lacks its last version: %v", v)
	}
	c.Times = make([]Times, len(h.Txns))
	if v := Check(t.Context(), h, c, dbms.SER, checker.Options{}, nil); v.Outcome != checker.Unknown ||
		v.Unmet != Complete {
		t.Errorf("with instants: %v", v)
	}
}

// blind makes a history of blind writes and the order of its versions: engines of these levels install them as their
// transactions end.
func blind(tb testing.TB, level dbms.Level, n int) (*register.History, [][]int64) {
	tb.Helper()
	h, err := histories.Generate(
		rand.New(rand.NewPCG(1, 2)),
		histories.Config{Level: level, Shape: histories.Blind, Txns: n,
			Keys: n / 40},
	)
	if err != nil {
		tb.Fatal(err)
	}
	return h, asEnded(h)
}

// asEnded is the order of versions in which the transactions ended.
func asEnded(h *register.History) [][]int64 {
	ended := make([]int, 0, len(h.Txns))
	for t := range h.Txns {
		if h.Txns[t].Status == history.Committed {
			ended = append(ended, t)
		}
	}
	slices.SortStableFunc(ended, func(a, b int) int {
		if a == h.Initial || b == h.Initial {
			return cmp.Compare(b2i(b == h.Initial), b2i(a == h.Initial))
		}
		return cmp.Compare(h.End(a), h.End(b))
	})
	order := make([][]int64, h.Keys())
	for _, t := range ended {
		left := map[int32]int64{}
		var keys []int32
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write {
				if _, has := left[op.Key]; !has {
					keys = append(keys, op.Key)
				}
				left[op.Key] = op.Value
			}
		}
		for _, key := range keys {
			order[key] = append(order[key], left[key])
		}
	}
	return order
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// BenchmarkPartly checks histories of blind writes, of which no client's clock tells the order, with a part of the
// order of versions, in per cent: one of SI at SI, which is valid, and at SER.
func BenchmarkPartly(b *testing.B) {
	h, order := blind(b, dbms.SI, 100_000)
	clockless := *h
	clockless.RealTime = false
	for _, x := range []struct {
		at   dbms.Level
		want checker.Validity
	}{{dbms.SI, checker.Valid}, {dbms.SER, checker.Invalid}} {
		for _, share := range []int{0, 10, 50, 90, 99, 100} {
			c := &Certificate{Order: part(rand.New(rand.NewPCG(3, 4)), order, float64(share)/100)}
			b.Run(fmt.Sprintf("%s/%s/%d", x.at, x.want, share), func(b *testing.B) {
				cputime.Loop(b, len(h.Txns), func() {
					if v := Check(b.Context(), &clockless, c, x.at, checker.Options{SessionOrder: true}, nil); v.Outcome != x.want {
						b.Fatal(v)
					}
				})
			})
		}
	}
}
