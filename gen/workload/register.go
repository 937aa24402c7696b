package workload

import (
	"math/rand/v2"
)

// blindLength is how many operations a transaction of BlindW has (Li et al., Leopard, section VI).
const blindLength = 8

// oneTable is the table of the workloads that have one.
func oneTable(c Config) []TableSpec { return []TableSpec{{Name: "kv", Rows: c.Keys}} }

func blindWrites(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Registers, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		return blindWriter(rng, keys)
	}}
}

func blindReadWrite(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Registers, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		if rng.IntN(2) == 0 {
			return blindWriter(rng, keys)
		}
		return reader(rng, keys, blindLength)
	}}
}

// blindRange is how many keys a range of BlindW-RW+ has.
const blindRange = 10

func blindRanges(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Relational, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		if rng.IntN(2) == 0 {
			return blindWriter(rng, keys)
		}
		return func(tx Tx) error {
			for range blindLength {
				key := int64(keys.Draw(rng))
				var err error
				if rng.IntN(2) == 0 {
					_, _, err = tx.Get(0, key, false)
				} else {
					_, err = tx.Scan(0, key, key+blindRange-1, Where{}, false)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}}
}

// payload draws a value: what is written does not matter, only that it changes.
func payload(rng *rand.Rand) int64 { return rng.Int64N(1000) }

func blindWriter(rng *rand.Rand, keys *Keys) Program {
	return func(tx Tx) error {
		for range blindLength {
			if _, err := tx.Put(0, int64(keys.Draw(rng)), payload(rng)); err != nil {
				return err
			}
		}
		return nil
	}
}

func reader(rng *rand.Rand, keys *Keys, length int) Program {
	return func(tx Tx) error {
		for range length {
			if _, _, err := tx.Get(0, int64(keys.Draw(rng)), false); err != nil {
				return err
			}
		}
		return nil
	}
}

// ycsbLength is how many of YCSB's operations make a transaction; YCSB itself has none.
const ycsbLength = 4

func ycsbA(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Registers, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		return func(tx Tx) error {
			for range ycsbLength {
				key := int64(keys.Draw(rng))
				var err error
				if rng.IntN(2) == 0 {
					_, _, err = tx.Get(0, key, false)
				} else {
					_, err = tx.Put(0, key, payload(rng))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}}
}

func mini(c Config, keys *Keys) *Workload {
	return &Workload{Kind: MiniTransaction, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		shape := MiniAccesses(rng, keys, nil)
		return func(tx Tx) error {
			for _, a := range shape {
				var err error
				if a.Write {
					_, err = tx.Put(0, int64(a.Key), payload(rng))
				} else {
					_, _, err = tx.Get(0, int64(a.Key), false)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}}
}

// compareAndSet expects what the session saw last of a key, so that some succeed and some fail.
func compareAndSet(c Config, keys *Keys) *Workload {
	return &Workload{Kind: CompareAndSet, Tables: oneTable(c), Next: func(rng *rand.Rand, m *SessionMemory) Program {
		key := int64(keys.Draw(rng))
		expected, known := m.Seen[key]
		if !known || rng.IntN(2) == 0 {
			return func(tx Tx) error {
				row, found, err := tx.Get(0, key, false)
				if found {
					m.Seen[key] = row.Version
				}
				return err
			}
		}
		return func(tx Tx) error {
			_, err := tx.CompareAndSet(0, key, expected, payload(rng))
			if err == nil {
				delete(m.Seen, key) // either way it has another version now
			}
			return err
		}
	}}
}
