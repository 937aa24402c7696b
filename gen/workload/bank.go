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
		case 3: // Amalgamate
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
		case 4: // WriteCheck, with a fee where the account is overdrawn
			return func(tx Tx) error {
				sum, err := balance(tx, a)
				if err != nil {
					return err
				}
				if sum < amount {
					amount++
				}
				return addTo(tx, checking, a, -amount)
			}
		default: // SendPayment
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
	}}
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

// TPC-C's tables, of one payload column each.
const (
	warehouse = iota // its year-to-date payment
	district         // its next order's number
	customer         // balance
	stock            // quantity
	order            // its customer, as a key
	newOrder         // 1
	orderLine        // quantity
)

// The sizes of the subset. Orders of a district are numbered from 1; its keys are spread so that they cannot meet.
const (
	districts   = 10
	customers   = 30
	maxOrders   = 1 << 24
	maxLines    = 8
	stockOrders = 10 // orders that a stock level looks at; TPC-C: 20
)

func orderKey(d, number int64) int64 { return d*maxOrders + number }

// tpcc is a subset of TPC-C (revision 5.11, clause 2), with its mix: new order 45 %, payment 43 %, order status,
// delivery and stock level 4 % each. One item in a hundred keys makes a warehouse.
func tpcc(c Config, keys *Keys) *Workload {
	w := max(1, c.Keys/100)
	t := &tpccSize{warehouses: w, items: keys}
	tables := []TableSpec{
		warehouse: {Name: "warehouse", Rows: w}, district: {Name: "district", Rows: w * districts, Initial: 1},
		customer: {Name: "customer", Rows: w * districts * customers}, stock: {Name: "stock", Rows: c.Keys, Initial: 50},
		order: {Name: "orders"}, newOrder: {Name: "new_order"}, orderLine: {Name: "order_line"},
	}
	return &Workload{Kind: Relational, Tables: tables, Next: func(rng *rand.Rand, _ *SessionMemory) Program {
		d := rng.Int64N(int64(w * districts))
		switch n := rng.IntN(100); {
		case n < 45:
			return t.newOrder(rng, d)
		case n < 88:
			return t.payment(rng, d)
		case n < 92:
			return t.orderStatus(d)
		case n < 96:
			return t.delivery(d)
		default:
			return t.stockLevel(d)
		}
	}}
}

type tpccSize struct {
	warehouses int
	items      *Keys
}

// newOrder takes the district's next number and orders some items; one in a hundred is rolled back (clause 2.4.1.4).
func (t *tpccSize) newOrder(rng *rand.Rand, d int64) Program {
	return func(tx Tx) error {
		if _, _, err := tx.Get(warehouse, d/districts, false); err != nil {
			return err
		}
		next, _, err := tx.Get(district, d, true)
		if err != nil {
			return err
		}
		if _, err := tx.Put(district, d, next.Value+1); err != nil {
			return err
		}
		o := orderKey(d, next.Value)
		if ok, err := tx.Insert(order, o, d*customers+rng.Int64N(customers)); err != nil || !ok {
			return rollbackUnless(err) // without locking reads two may take one number
		}
		if ok, err := tx.Insert(newOrder, o, 1); err != nil || !ok {
			return rollbackUnless(err)
		}
		for line := range 1 + rng.Int64N(maxLines-1) {
			item := int64(t.items.Draw(rng))
			row, _, err := tx.Get(stock, item, true)
			if err != nil {
				return err
			}
			left := row.Value - 1
			if left < 10 {
				left += 91
			}
			if _, err := tx.Put(stock, item, left); err != nil {
				return err
			}
			if ok, err := tx.Insert(orderLine, o*maxLines+line, item); err != nil || !ok {
				return rollbackUnless(err)
			}
		}
		if rng.IntN(100) == 0 {
			return ErrRollback
		}
		return nil
	}
}

func rollbackUnless(err error) error {
	if err == nil {
		err = ErrRollback
	}
	return err
}

func (t *tpccSize) payment(rng *rand.Rand, d int64) Program {
	return func(tx Tx) error {
		amount := 1 + rng.Int64N(50)
		if _, err := tx.PutRange(warehouse, d/districts, d/districts, Where{}, amount); err != nil {
			return err
		}
		return addTo(tx, customer, d*customers+rng.Int64N(customers), -amount)
	}
}

// orderStatus reads a district's last order with its lines.
func (t *tpccSize) orderStatus(d int64) Program {
	return func(tx Tx) error {
		next, _, err := tx.Get(district, d, false)
		if err != nil {
			return err
		}
		o := orderKey(d, next.Value-1)
		row, found, err := tx.Get(order, o, false)
		if err != nil || !found {
			return err
		}
		if _, _, err := tx.Get(customer, row.Value, false); err != nil {
			return err
		}
		_, err = tx.Scan(orderLine, o*maxLines, o*maxLines+maxLines-1, Where{}, false)
		return err
	}
}

// delivery delivers the oldest of the last new orders.
func (t *tpccSize) delivery(d int64) Program {
	return func(tx Tx) error {
		next, _, err := tx.Get(district, d, false)
		if err != nil {
			return err
		}
		rows, err := tx.Scan(newOrder, orderKey(d, max(1, next.Value-stockOrders)), orderKey(d, next.Value-1), Where{}, true)
		if err != nil || len(rows) == 0 {
			return err
		}
		oldest := rows[0].Key
		for _, r := range rows {
			oldest = min(oldest, r.Key)
		}
		if found, err := tx.Delete(newOrder, oldest); err != nil || !found {
			return err
		}
		row, found, err := tx.Get(order, oldest, true)
		if err != nil || !found {
			return err
		}
		lines, err := tx.PutRange(orderLine, oldest*maxLines, oldest*maxLines+maxLines-1, Where{}, 0)
		if err != nil {
			return err
		}
		_, err = tx.PutRange(customer, row.Value, row.Value, Where{}, int64(lines))
		return err
	}
}

// stockLevel counts items of the last orders that run short.
func (t *tpccSize) stockLevel(d int64) Program {
	return func(tx Tx) error {
		next, _, err := tx.Get(district, d, false)
		if err != nil {
			return err
		}
		from := max(1, next.Value-stockOrders)
		lines, err := tx.Scan(orderLine, orderKey(d, from)*maxLines, orderKey(d, next.Value)*maxLines-1, Where{}, false)
		if err != nil {
			return err
		}
		for _, l := range lines[:min(len(lines), stockOrders)] {
			if _, err := tx.Scan(stock, l.Value, l.Value, below(15), false); err != nil {
				return err
			}
		}
		return nil
	}
}
