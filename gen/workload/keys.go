package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Distribution is how often each key is used.
type Distribution string

// The distributions of keys (Wei et al., ICDE 2025, section V-A).
const (
	Uniform     Distribution = "uniform"
	Zipf        Distribution = "zipf"        // key i with weight 1/(i+1)^theta
	Hotspot     Distribution = "hotspot"     // four fifths of the accesses go to a fifth of the keys
	Exponential Distribution = "exponential" // key i with weight e^(-10 i/n): half the accesses go to the first 7 %
)

// Distributions lists them all.
var Distributions = []Distribution{Uniform, Zipf, Hotspot, Exponential}

// Keys draws keys from 0 up to a number. It may be shared: only the generator of random numbers has a state.
type Keys struct {
	n    int
	dist Distribution
	cdf  []float64 // of Zipf and Exponential
}

// NewKeys returns a source of keys below n. Theta is how steep Zipf is; 0: 1.
func NewKeys(d Distribution, n int, theta float64) (*Keys, error) {
	switch {
	case n < 1:
		return nil, fmt.Errorf("workload: %d keys", n)
	case !(theta >= 0 && theta <= maxTheta):
		return nil, fmt.Errorf("--theta must be from 0 to %d", maxTheta)
	case theta > 0 && d != Zipf:
		return nil, fmt.Errorf("--theta belongs to --distribution zipf")
	}
	k := &Keys{n: n, dist: d}
	weight := func(i int) float64 { return 1 / float64(i+1) }
	if theta != 0 {
		weight = func(i int) float64 { return math.Pow(float64(i+1), -theta) }
	}
	switch d {
	case Uniform, Hotspot:
		return k, nil
	case Zipf:
	case Exponential:
		weight = func(i int) float64 { return math.Exp(-10 * float64(i) / float64(n)) }
	default:
		return nil, fmt.Errorf("workload: unknown distribution %q", d)
	}
	k.cdf = make([]float64, n)
	sum := 0.0
	for i := range k.cdf {
		sum += weight(i)
		k.cdf[i] = sum
	}
	return k, nil
}

// Draw returns one key.
func (k *Keys) Draw(rng *rand.Rand) int {
	switch k.dist {
	case Uniform:
		return rng.IntN(k.n)
	case Hotspot:
		hot := (k.n + 4) / 5
		if hot == k.n || rng.IntN(5) > 0 {
			return rng.IntN(hot)
		}
		return hot + rng.IntN(k.n-hot)
	}
	x := rng.Float64() * k.cdf[k.n-1]
	lo, hi := 0, k.n-1
	for lo < hi {
		if mid := (lo + hi) / 2; k.cdf[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// KeyAccess is one operation of a workload: which key, and whether it is written.
type KeyAccess struct {
	Key   int
	Write bool
}

// MiniAccesses draws the operations of a mini-transaction (Wei et al., ICDE 2025, definition 8): one or two reads, at
// most two writes, each after a read of its key. It appends to buf. The shapes are those that figure 5 needs:
// R, RR, RW, RRW, RWR, RWRW, RRWW.
func MiniAccesses(rng *rand.Rand, keys *Keys, buf []KeyAccess) []KeyAccess {
	x, y := keys.Draw(rng), keys.Draw(rng)
	r := func(k int) { buf = append(buf, KeyAccess{Key: k}) }
	w := func(k int) { buf = append(buf, KeyAccess{Key: k, Write: true}) }
	shape := rng.IntN(7)
	if x == y && shape >= 1 {
		shape = 2
	}
	r(x)
	switch shape {
	case 1:
		r(y)
	case 2:
		w(x)
	case 3:
		r(y)
		w(y)
	case 4:
		w(x)
		r(y)
	case 5:
		w(x)
		r(y)
		w(y)
	case 6:
		r(y)
		w(x)
		w(y)
	}
	return buf
}
