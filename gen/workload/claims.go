package workload

import (
	"math/rand/v2"

	clients "txweave/history/workload"
)

// bankInitial is what an account holds at first.
const bankInitial = 100

// bank moves money between accounts and reads all of them, by one statement or account by account: their sum never
// changes, and no account is overdrawn (Jepsen's bank).
func bank(c Config, keys *Keys) *Workload {
	accounts := int64(c.Keys)
	return &Workload{Kind: Accounts, Tables: []TableSpec{{Name: "accounts", Rows: c.Keys, Initial: bankInitial}},
		Next: func(rng *rand.Rand, _ *SessionMemory) Program {
			if rng.IntN(3) == 0 {
				return readBank(accounts, rng.IntN(3) == 0)
			}
			from, to, amount := int64(keys.Draw(rng)), int64(keys.Draw(rng)), 1+rng.Int64N(20)
			if from == to {
				to = (to + 1) % accounts
			}
			return func(tx Tx) error {
				tx.Did(0, clients.Call{Func: clients.Transfer, From: from, To: to, Amount: amount}, 2)
				if n, err := tx.PutRange(0, from, from, atLeast(amount), -amount); err != nil || n == 0 {
					return orRollback(err)
				}
				n, err := tx.PutRange(0, to, to, Where{}, amount)
				if err != nil || n == 0 {
					return orRollback(err)
				}
				return nil
			}
		}}
}

// atLeast matches payloads of n and more.
func atLeast(n int64) Where { return where("NOT ("+below(n).SQL+")", 0, [2]int64{n, highest}) }

// orRollback is an error, or ErrRollback where there is none.
func orRollback(err error) error {
	if err == nil {
		err = ErrRollback
	}
	return err
}

// piecewise is how many accounts are read one by one at most: many statements make it likely that others commit in
// between.
const piecewise = 12

// readBank reads all accounts; one by one where there are few.
func readBank(accounts int64, single bool) Program {
	return func(tx Tx) error {
		call, statements := clients.Call{Func: clients.Read, IsMap: true}, 1
		if single && accounts <= piecewise {
			statements = int(accounts)
			for a := range accounts {
				row, found, err := tx.Get(0, a, false)
				if err != nil {
					return err
				}
				call.Balances = append(call.Balances, clients.Balance{Account: a, Amount: row.Value, Nil: !found})
			}
		} else {
			rows, err := tx.Scan(0, 0, accounts-1, Where{}, false)
			if err != nil {
				return err
			}
			for _, r := range rows {
				call.Balances = append(call.Balances, clients.Balance{Account: r.Key, Amount: r.Value})
			}
		}
		tx.Did(0, call, statements)
		return nil
	}
}

// setWidth is how many elements a set may have; half of them are found and the sessions go on to the next set.
const setWidth = 128

// set adds elements to a set and reads it: whatever was added, and the client told so, is found from then on (Jepsen's
// set-full).
func set(Config, *Keys) *Workload {
	return &Workload{Kind: Elements, Tables: []TableSpec{{Name: "elements"}}, Next: func(rng *rand.Rand,
		m *SessionMemory) Program {
		base, read := m.At*setWidth, rng.IntN(4) == 0
		element := base + rng.Int64N(setWidth)
		return func(tx Tx) error {
			if read {
				rows, err := tx.Scan(0, base, base+setWidth-1, Where{}, false)
				if err != nil {
					return err
				}
				call := clients.Call{Func: clients.Read, IsList: true}
				for _, r := range rows {
					call.Elements = append(call.Elements, r.Key)
				}
				if len(rows) >= setWidth/2 && m.At == base/setWidth {
					m.At++
				}
				tx.Did(base/setWidth, call, 1)
				return nil
			}
			inserted, err := tx.Insert(0, element, element)
			if err == nil && inserted {
				tx.Did(base/setWidth, clients.Call{Func: clients.Add, Value: element}, 1)
			}
			return err
		}
	}}
}

// counter adds to counters and reads them: what is read lies between what was added surely and what may have been
// (Jepsen's counter).
func counter(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Counters, Tables: []TableSpec{{Name: "counters", Rows: c.Keys}}, Next: func(rng *rand.Rand,
		_ *SessionMemory) Program {
		key, add, read := int64(keys.Draw(rng)), 1+rng.Int64N(5), c.reads(rng, 3)
		return func(tx Tx) error {
			if read {
				row, _, err := tx.Get(0, key, false)
				tx.Did(key, clients.Call{Func: clients.Read, Value: row.Value, IsInteger: true}, 1)
				return err
			}
			tx.Did(key, clients.Call{Func: clients.Add, Value: add, IsInteger: true}, 1)
			_, err := tx.PutRange(0, key, key, Where{}, add)
			return err
		}
	}}
}

// How long a list grows before the sessions go on to other ones, and how many operations a transaction on lists has at
// most.
const (
	longList   = 24
	listLength = 4
)

// appendLists appends to lists and reads them: a list tells the order of all that was written to its row (Elle's
// list-append).
func appendLists(c Config, keys *Keys) *Workload {
	return &Workload{Kind: Lists, Tables: []TableSpec{{Name: "lists", Lists: true}}, Next: func(rng *rand.Rand,
		m *SessionMemory) Program {
		return func(tx Tx) error {
			for range 1 + rng.IntN(c.length(listLength)) {
				key, do := m.At+int64(keys.Draw(rng)), appendTo
				if c.reads(rng, 2) {
					do = m.readList
				}
				if err := do(tx, key); err != nil {
					return err
				}
			}
			return nil
		}
	}}
}

// readList reads a list. One that is long is left behind, and all lists before it.
func (m *SessionMemory) readList(tx Tx, key int64) error {
	list, err := tx.List(0, key)
	if err == nil && len(list) >= longList && key >= m.At {
		m.At = key + 1
	}
	return err
}

// appendTo appends to a list, which begins with its first element.
func appendTo(tx Tx, key int64) error {
	for {
		if found, err := tx.Append(0, key); err != nil || found {
			return err
		}
		inserted, err := tx.Insert(0, key, 0)
		if err != nil {
			return err
		}
		if !inserted { // somebody else's, which a snapshot may not show: the transaction cannot go on with it
			return ErrRollback
		}
	}
}
