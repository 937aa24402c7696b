package workload

import (
	"errors"
	"math/rand/v2"
)

// ErrRollback is what a program returns that gives up by itself.
var ErrRollback = errors.New("the program rolls back")

// SmallBank's tables.
const (
	checking = iota
	savings
)

// smallBank is SmallBank (Alomari et al.: The Cost of Serializability on Platforms That Use Snapshot Isolation, ICDE
// 2008): under snapshot isolation Balance, WriteCheck and TransactSavings make write skew.
func smallBank(c Config, keys *Keys) *Workload {
	tables := []TableSpec{{Name: "checking", Rows: c.Keys, Initial: 100}, {Name: "savings", Rows: c.Keys, Initial: 100}}
	return &Workload{Kind: Registers, Tables: tables, Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		a, b, amount := int64(keys.Draw(rng)), int64(keys.Draw(rng)), 1+rng.Int64N(20)
		switch rng.IntN(6) {
		case 0: // Balance
			return func(tx Tx) error { _, err := balance(tx, a); return err }
		case 1: // DepositChecking
			return func(tx Tx) error { return addTo(tx, checking, a, amount) }
		case 2: // TransactSavings
			return func(tx Tx) error { return addTo(tx, savings, a, -amount) }
		case 3:
			return amalgamate(a, b)
		case 4:
			return writeCheck(a, amount)
		default:
			return sendPayment(a, b, amount)
		}
	}}
}

// amalgamate moves all that an account has to another one.
func amalgamate(a, b int64) Program {
	return func(tx Tx) error {
		sum, err := balance(tx, a)
		if err == nil {
			_, err = tx.Put(savings, a, 0)
		}
		if err == nil {
			_, err = tx.Put(checking, a, 0)
		}
		if err == nil && a != b {
			err = addTo(tx, checking, b, sum)
		}
		return err
	}
}

// writeCheck takes from an account, and a fee where it is overdrawn.
func writeCheck(a, amount int64) Program {
	return func(tx Tx) error {
		sum, err := balance(tx, a)
		if err != nil {
			return err
		}
		fee := int64(0)
		if sum < amount {
			fee = 1
		}
		return addTo(tx, checking, a, -amount-fee)
	}
}

// sendPayment moves an amount to another account, if it is there.
func sendPayment(a, b, amount int64) Program {
	return func(tx Tx) error {
		row, _, err := tx.Get(checking, a, false)
		if err != nil {
			return err
		}
		if row.Value < amount {
			return ErrRollback
		}
		if _, err = tx.Put(checking, a, row.Value-amount); err != nil {
			return err
		}
		return addTo(tx, checking, b, amount)
	}
}

func balance(tx Tx, account int64) (int64, error) {
	s, _, err := tx.Get(savings, account, false)
	if err != nil {
		return 0, err
	}
	c, _, err := tx.Get(checking, account, false)
	return s.Value + c.Value, err
}

func addTo(tx Tx, table int, account, amount int64) error {
	row, _, err := tx.Get(table, account, false)
	if err == nil {
		_, err = tx.Put(table, account, row.Value+amount)
	}
	return err
}
