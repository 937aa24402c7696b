package checker

import (
	"math/rand/v2"
	"testing"
)

// TestVersionTable fills tables with values of every kind that histories have, and looks for those in them and for
// others.
func TestVersionTable(t *testing.T) {
	type entry struct {
		key   int32
		value int64
	}
	for name, draw := range map[string]func(i int, rng *rand.Rand) entry{
		"one counter":        func(i int, rng *rand.Rand) entry { return entry{rng.Int32N(50), int64(i)} },
		"a counter a key":    func(i int, _ *rand.Rand) entry { return entry{int32(i % 50), int64(i / 50)} },
		"one value a key":    func(i int, _ *rand.Rand) entry { return entry{int32(i), 1} },
		"anything":           func(_ int, rng *rand.Rand) entry { return entry{rng.Int32N(9), int64(rng.Uint64())} },
		"multiples":          func(i int, _ *rand.Rand) entry { return entry{3, int64(i) << 20} },
		"a counter downward": func(i int, _ *rand.Rand) entry { return entry{3, -int64(i)} },
	} {
		for mode := range 4 {
			const n = 5000
			table, rng := &versionTable{keyless: mode&1 != 0, bits: uint(mode / 2 * pageBits)}, rand.New(rand.NewPCG(1, 2))
			want := map[entry]versionRef{}
			for i := range n {
				e := draw(i, rng)
				want[e] = versionRef(i + 1)
				*table.claim(e.key, e.value) = versionRef(i + 1)
			}
			for e, ref := range want {
				if got := table.find(e.key, e.value); got != ref {
					t.Fatalf("%s, mode %d: %v is %d, want %d", name, mode, e, got, ref)
				}
			}
			for i := range n {
				e := draw(n+i, rng)
				if got := table.find(e.key, e.value); got != want[e] {
					t.Fatalf("%s, mode %d: %v, which is not in it, is %d", name, mode, e, got)
				}
			}
		}
	}
}
