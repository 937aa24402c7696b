package workload

import "math/rand/v2"

// lightRounds is how many transactions for each key a session draws before it goes on to the next keys.
const lightRounds = 8

// unseen is what a session that has not read a row knows of its version: that the row is there.
const unseen = -1

// lightweight sends lightweight transactions: reads, compare-and-sets and inserts of what is not there (Wei et al.,
// ICDE 2025, section IV-E). No row is there at first. When its keys have been used for some time a session goes on to
// the next ones, as of one key one insert alone succeeds.
func lightweight(c Config, keys *Keys) *Workload {
	return &Workload{Kind: CompareAndSet, Tables: []TableSpec{{Name: "kv"}}, Next: func(rng *rand.Rand,
		m *SessionMemory) Program {
		m.Round++
		key := int64(m.Round/(lightRounds*c.Keys))*int64(c.Keys) + int64(keys.Draw(rng))
		expected, known := m.Seen[key]
		switch {
		case c.reads(rng, 3), known && expected == unseen:
			return look(m, key)
		case known:
			return swap(m, key, expected, payload(rng))
		}
		return func(tx Tx) error {
			inserted, err := tx.Insert(0, key, payload(rng))
			if err == nil && !inserted {
				m.Seen[key] = unseen
			}
			return err
		}
	}}
}

// compareAndSet expects what the session saw last of a key, so that some succeed and some fail.
func compareAndSet(c Config, keys *Keys) *Workload {
	return &Workload{Kind: CompareAndSet, Tables: oneTable(c), Next: func(rng *rand.Rand, m *SessionMemory) Program {
		key := int64(keys.Draw(rng))
		if expected, known := m.Seen[key]; known && !c.reads(rng, 2) {
			return swap(m, key, expected, payload(rng))
		}
		return look(m, key)
	}}
}

// look reads a row and remembers its version.
func look(m *SessionMemory, key int64) Program {
	return func(tx Tx) error {
		row, found, err := tx.Get(0, key, false)
		if found {
			m.Seen[key] = row.Version
		}
		return err
	}
}

// swap writes a row if it has the version still that the session has seen.
func swap(m *SessionMemory, key, expected, value int64) Program {
	return func(tx Tx) error {
		_, err := tx.CompareAndSet(0, key, expected, value)
		if err == nil {
			delete(m.Seen, key) // either way it has another version now
		}
		return err
	}
}
