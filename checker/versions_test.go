package checker

import (
	"math/rand/v2"
	"testing"
)

// TestVersionTable fills tables with values of every kind that histories have, and looks for those in them and for others.
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
		for _, keyless := range []bool{false, true} {
			const n = 5000
			table, rng := newVersionTable(n), rand.New(rand.NewPCG(1, 2))
			table.keyless = keyless
			want := map[entry]versionRef{}
			for i := range n {
				e := draw(i, rng)
				want[e] = versionRef(i + 1)
				*table.slot(e.key, e.value) = versionSlot{value: e.value, key: e.key, ref: versionRef(i + 1)}
			}
			for e, ref := range want {
				if got := table.slot(e.key, e.value).ref; got != ref {
					t.Fatalf("%s, keyless %t: %v is %d, want %d", name, keyless, e, got, ref)
				}
			}
			for i := range n {
				e := draw(n+i, rng)
				if got := table.slot(e.key, e.value).ref; got != want[e] {
					t.Fatalf("%s, keyless %t: %v, which is not in it, is %d", name, keyless, e, got)
				}
			}
		}
	}
}
