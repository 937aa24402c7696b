package histories

import (
	"math/rand/v2"

	"txweave/dbms"
)

// central is one multi-version store with a commit counter.
type central struct {
	level  dbms.Level
	keys   [][]committedVersion // oldest first
	latest int64
	seen   []int64 // by session: the newest commit that it has seen
}

type committedVersion struct{ commit, value int64 }

func newCentral(c Config) *central {
	return &central{level: c.Level, keys: make([][]committedVersion, c.Keys), seen: make([]int64, c.Sessions)}
}

func (c *central) load(key int, v int64) {
	c.keys[key] = append(c.keys[key], committedVersion{0, v})
}

func (c *central) begin(session int, t *transaction, rng *rand.Rand) {
	switch {
	case c.level == dbms.SI:
		t.snapshot = c.latest
	case c.level != dbms.SSER && t.readOnly:
		t.snapshot = c.latest - min(c.latest-c.seen[session], int64(rng.IntN(50)))
		c.seen[session] = t.snapshot
	default:
		t.snapshot = -1
	}
}

func (c *central) read(_ int, t *transaction, key int) int64 {
	v := c.keys[key]
	for i := len(v) - 1; i >= 0; i-- {
		if t.snapshot < 0 || v[i].commit <= t.snapshot {
			return v[i].value
		}
	}
	return noValue
}

func (c *central) commit(session int, t *transaction) bool {
	if t.readOnly && t.snapshot >= 0 {
		return true
	}
	for i, a := range t.accesses {
		v := c.keys[a.Key]
		switch {
		case c.level == dbms.SI:
			if a.Write && len(v) > 0 && v[len(v)-1].commit > t.snapshot {
				return false
			}
		case !a.Write && !wroteBefore(t, i):
			if c.read(session, t, a.Key) != t.vals[i] {
				return false
			}
		}
	}
	c.seen[session] = c.latest + 1
	c.install(t)
	return true
}

// install makes a transaction's writes the newest versions.
func (c *central) install(t *transaction) {
	c.latest++
	for i, a := range t.accesses {
		if !a.Write {
			continue
		}
		v := c.keys[a.Key]
		if n := len(v); n > 0 && v[n-1].commit == c.latest {
			v[n-1].value = t.vals[i]
			continue
		}
		c.keys[a.Key] = append(v, committedVersion{c.latest, t.vals[i]})
	}
}

// wroteBefore says whether the transaction wrote the key of access i before it.
func wroteBefore(t *transaction, i int) bool {
	for _, a := range t.accesses[:i] {
		if a.Write && a.Key == t.accesses[i].Key {
			return true
		}
	}
	return false
}

func (c *central) background(*rand.Rand) {}
