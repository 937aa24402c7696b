package notation

import (
	"math/rand/v2"
	"testing"

	"txweave/internal/testkit/brute"
)

func TestRoundTrip(t *testing.T) {
	texts := []string{"init: W(x, 1)\nT7 s3 unknown: R(x, nil) R(x) != -3 A(z, 4) R(z, [4 -5]) R(z, [])\nT8 s3:\n"}
	for i := range 50 {
		texts = append(texts, Format(brute.Random(rand.New(rand.NewPCG(uint64(i), 0)), brute.Bounds{Txns: 5, Keys: 3,
			Sessions: 3, Ops: 4})))
	}
	for _, text := range texts {
		h, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(h); got != text {
			t.Errorf("got\n%swant\n%s", got, text)
		}
	}
	for _, bad := range []string{"T1: R(x, 1)", "T1 s0: R(x 1)", "T1 s0: X(x, 1)", "T1 s0 1-2: R(x, 1)\nT2 s0: R(x, 1)"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
