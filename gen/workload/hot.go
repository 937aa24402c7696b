package workload

import "math/rand/v2"

// hotRounds is how many transactions of a session go to one key before all go on to the next one.
const hotRounds = 4

// hot sends the transactions of all sessions, which are let go together, to one row, the gaps beside it and the rows
// beside these: what happens there happens at the same moment.
func hot(c Config, _ *Keys) *Workload {
	return &Workload{Kind: Relational, Together: true, Tables: []TableSpec{{Name: "kv", Rows: c.Keys, Initial: 500}},
		Next: func(rng *rand.Rand, m *SessionMemory) Program {
			m.Round++
			key := int64(m.Round / hotRounds % c.Keys)
			return func(tx Tx) error {
				for range 1 + rng.IntN(2) {
					if err := hotStatement(rng, tx, key); err != nil {
						return err
					}
				}
				return nil
			}
		}}
}

func hotStatement(rng *rand.Rand, tx Tx, key int64) error {
	var err error
	switch rng.IntN(9) {
	case 0, 1, 2:
		_, err = tx.Put(0, key, payload(rng))
	case 3:
		_, err = tx.PutRange(0, max(0, key-1), key+1, Where{}, 1)
	case 4:
		_, err = tx.Insert(0, key, payload(rng))
	case 5:
		_, err = tx.Delete(0, key)
	case 6:
		_, _, err = tx.Get(0, key, true)
	case 7:
		_, err = tx.Scan(0, max(0, key-1), key+1, predicate(rng), rng.IntN(2) == 0)
	default:
		_, _, err = tx.Get(0, key, false)
	}
	return err
}
