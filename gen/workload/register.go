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
		return blindWriter(rng, keys, c.length(blindLength))
	}}
}

func blindReadWrite(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Registers, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		if !c.reads(rng, 2) {
			return blindWriter(rng, keys, c.length(blindLength))
		}
		return reader(rng, keys, c.length(blindLength))
	}}
}

// generalLength is how many operations a general transaction has (Wei et al., ICDE 2025, section V-D).
const generalLength = 20

// general sends what Cobra's generator and, after it, Wei et al. (ICDE 2025, section V-A) call general transactions:
// 20 % only read, 40 % only write, 40 % write what they have read before.
func general(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Registers, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		n := c.length(generalLength)
		switch x := rng.IntN(5); {
		case x == 0:
			return reader(rng, keys, n)
		case x <= 2:
			return blindWriter(rng, keys, n)
		}
		return func(tx Tx) error {
			for range (n + 1) / 2 {
				key := int64(keys.Draw(rng))
				if _, _, err := tx.Get(0, key, false); err != nil {
					return err
				}
				if _, err := tx.Put(0, key, payload(rng)); err != nil {
					return err
				}
			}
			return nil
		}
	}}
}

// blindRange is how many keys a range of BlindW-RW+ has.
const blindRange = 10

func blindRanges(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Relational, Tables: oneTable(c), Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		if !c.reads(rng, 2) {
			return blindWriter(rng, keys, c.length(blindLength))
		}
		return func(tx Tx) error {
			for range c.length(blindLength) {
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

func blindWriter(rng *rand.Rand, keys *Keys, length int) Program {
	return func(tx Tx) error {
		for range length {
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
			for range c.length(ycsbLength) {
				key := int64(keys.Draw(rng))
				var err error
				if c.reads(rng, 2) {
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
