package workload

import (
	"fmt"
	"math/rand/v2"
)

// randomLength is how many statements a transaction of random-sql has at most, randomWidth how many keys a range.
const (
	randomLength = 6
	randomWidth  = 12
)

// randomSQL reads and writes two tables by key, range and predicate, locking or not. Twice as many keys are used as
// there are rows at first, so rows come as well as go.
func randomSQL(c Config, keys *Keys) *Workload {
	tables := []TableSpec{{Name: "t0", Rows: c.Keys, Initial: 500}, {Name: "t1", Rows: c.Keys, Initial: 500}}
	return &Workload{Kind: Relational, Tables: tables, Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		return func(tx Tx) error {
			for range 1 + rng.IntN(c.length(randomLength)) {
				if err := randomStatement(rng, tx, keys, &c); err != nil {
					return err
				}
			}
			if rng.IntN(20) == 0 {
				return ErrRollback
			}
			return nil
		}
	}}
}

// randomReads is how many of ten statements of random-sql read.
const randomReads = 5

// randomKind draws a kind of statement: below randomReads they read.
func (c *Config) randomKind(rng *rand.Rand) int {
	switch {
	case c.Reads == nil:
		return rng.IntN(10)
	case c.reads(rng, 2):
		return rng.IntN(randomReads)
	}
	return randomReads + rng.IntN(10-randomReads)
}

func randomStatement(rng *rand.Rand, tx Tx, keys *Keys, c *Config) error {
	table, key := rng.IntN(2), int64(keys.Draw(rng)+c.Keys*rng.IntN(2))
	hi := key + rng.Int64N(randomWidth)
	var err error
	switch c.randomKind(rng) {
	case 0, 1:
		_, _, err = tx.Get(table, key, rng.IntN(4) == 0)
	case 2, 3:
		_, err = tx.Scan(table, key, hi, Where{}, rng.IntN(4) == 0)
	case 4:
		_, err = tx.Scan(table, key, hi, predicate(rng), rng.IntN(4) == 0)
	case 5:
		_, err = tx.Put(table, key, payload(rng))
	case 6:
		_, err = tx.PutRange(table, key, hi, predicate(rng), 1+payload(rng)%9)
	case 7:
		_, err = tx.Insert(table, key, payload(rng))
	case 8:
		_, err = tx.Delete(table, key)
	default: // what a predicate selected is deleted by key
		rows, serr := tx.Scan(table, key, hi, predicate(rng), true)
		if err = serr; err == nil && len(rows) > 0 {
			_, err = tx.Delete(table, rows[rng.IntN(len(rows))].Key)
		}
	}
	return err
}

// predicate draws a condition on the payload.
func predicate(rng *rand.Rand) Where {
	n := payload(rng)
	switch rng.IntN(4) {
	case 0:
		return below(n)
	case 1:
		return where(fmt.Sprintf("v BETWEEN %d AND %d", n/2, n), 0, [2]int64{n / 2, n})
	case 2:
		return where(fmt.Sprintf("v %% %d = 0", 2+n%3), 2+n%3, [2]int64{lowest, highest})
	default:
		return where(fmt.Sprintf("NOT (v = %d OR v > %d)", n, n+200), 0, [2]int64{lowest, n - 1}, [2]int64{n + 1, n + 200})
	}
}
