package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// TPC-C's tables (revision 5.11, clause 1.3). A table here has a key and one payload, into which the columns are packed
// that its transactions use.
const (
	warehouse = iota // its year-to-date payment
	district         // its next order's number, and its year-to-date payment: districtRow
	customer         // balance and year-to-date payment: customerRow
	stock            // quantity, of an item
	item             // price
	order            // customer, carrier and number of lines: orderRow
	newOrder         // 1
	orderLine        // item, amount, whether it is delivered: lineRow
	paid             // TPC-C's history: amount and district: paymentRow
)

// Sizes. Orders of a district are numbered from 1; its keys are spread so that they cannot meet.
const (
	districts   = 10
	customers   = 30 // of a district; TPC-C: 3000
	maxOrders   = 1 << 24
	minLines    = 5
	maxLines    = 16 // an order has at most one line less
	stockOrders = 20 // orders that a stock level looks at
	price       = 7
	maxPayment  = 5000
	carriers    = 10
)

func orderKey(d, number int64) int64 { return d*maxOrders + number }

// allOrders are the keys of a district's orders from a number on, and linesOf those of the lines of orders.
func allOrders(d, from int64) (lo, hi int64) { return orderKey(d, from), orderKey(d+1, 0) - 1 }

func linesOf(lo, hi int64) (first, last int64) { return lo * maxLines, hi*maxLines + maxLines - 1 }

// districtRow packs a district: a new order adds 1, a payment paymentInDistrict.
type districtRow struct{ next, ytd int64 }

const paymentInDistrict = maxOrders

func (r districtRow) packed() int64 { return r.next + r.ytd*maxOrders }

func unpackDistrict(v int64) districtRow { return districtRow{v % maxOrders, v / maxOrders} }

// customerRow packs a customer. The balance may be below zero.
type customerRow struct{ balance, ytd int64 }

const paymentOfCustomer = 1 << 32

func unpackCustomer(v int64) customerRow {
	ytd := (v + paymentOfCustomer/2) >> 32
	return customerRow{v - ytd*paymentOfCustomer, ytd}
}

// orderRow packs an order. Carrier 0 is none: it is not delivered.
type orderRow struct{ customer, carrier, lines int64 }

const (
	orderCarrier = 1 << 8
	orderLines   = 1 << 16
)

func (r orderRow) packed() int64 { return r.customer + r.carrier*orderCarrier + r.lines*orderLines }

func unpackOrder(v int64) orderRow {
	return orderRow{v % orderCarrier, v / orderCarrier % (orderLines / orderCarrier), v / orderLines}
}

// lineRow packs an order line.
type lineRow struct{ item, amount, delivered int64 }

const (
	lineAmount    = 1 << 20
	lineDelivered = 1 << 40
)

func (r lineRow) packed() int64 { return r.item + r.amount*lineAmount + r.delivered*lineDelivered }

func unpackLine(v int64) lineRow {
	return lineRow{v % lineAmount, v / lineAmount % (lineDelivered / lineAmount), v / lineDelivered}
}

// paymentRow packs a row of TPC-C's history: how much was paid, and in which district. Its key begins with its
// customer's.
type paymentRow struct{ amount, district int64 }

const (
	paymentDistrict = 1 << 16
	paymentsEach    = 1 << 24 // keys of one customer's payments
)

func (r paymentRow) packed() int64 { return r.amount + r.district*paymentDistrict }

func unpackPayment(v int64) paymentRow { return paymentRow{v % paymentDistrict, v / paymentDistrict} }

// tpcc is TPC-C (revision 5.11, clause 2), with its mix: new order 45 %, payment 43 %, order status, delivery and stock
// level 4 % each. One item in a hundred keys makes a warehouse. Beside that one transaction in a hundred checks the
// consistency conditions of some rows; in the end they are checked of all.
func tpcc(c Config, keys *Keys) *Workload {
	w := max(1, c.Keys/100)
	t := &tpccSize{warehouses: int64(w), items: keys}
	tables := []TableSpec{
		warehouse: {Name: "warehouse", Rows: w},
		district:  {Name: "district", Rows: w * districts, Initial: districtRow{next: 1}.packed()},
		customer:  {Name: "customer", Rows: w * districts * customers},
		stock:     {Name: "stock", Rows: c.Keys, Initial: 50}, item: {Name: "item", Rows: c.Keys, Initial: price},
		order: {Name: "orders"}, newOrder: {Name: "new_order"}, orderLine: {Name: "order_line"}, paid: {Name: "history"},
	}
	return &Workload{Kind: Relational, Tables: tables, Audit: t.audit, Next: func(rng *rand.Rand,
		m *SessionMemory) Program {
		d := rng.Int64N(t.warehouses * districts)
		if rng.IntN(100) == 0 {
			return t.look(rng, d)
		}
		switch n := rng.IntN(100); {
		case n < 45:
			return t.newOrder(rng, d)
		case n < 88:
			return t.payment(rng, d)
		case n < 92:
			return t.orderStatus(rng, d)
		case n < 96:
			return t.delivery(rng, m, d/districts)
		default:
			return t.stockLevel(d)
		}
	}}
}

type tpccSize struct {
	warehouses int64
	items      *Keys
}

func (t *tpccSize) customer(rng *rand.Rand, d int64) int64 {
	return d*customers + rng.Int64N(customers)
}

// next reads a district's next order number.
func next(tx Tx, d int64, lock bool) (int64, error) {
	row, _, err := tx.Get(district, d, lock)
	return unpackDistrict(row.Value).next, err
}

// newOrder takes the district's next number and orders some items; one in a hundred is rolled back (clause 2.4.1.4).
func (t *tpccSize) newOrder(rng *rand.Rand, d int64) Program {
	return func(tx Tx) error {
		if _, _, err := tx.Get(warehouse, d/districts, false); err != nil {
			return err
		}
		number, err := next(tx, d, true)
		if err != nil {
			return err
		}
		if _, err := tx.PutRange(district, d, d, Where{}, 1); err != nil {
			return err
		}
		of := orderRow{customer: rng.Int64N(customers), lines: minLines + rng.Int64N(maxLines-minLines)}
		if _, _, err := tx.Get(customer, d*customers+of.customer, false); err != nil {
			return err
		}
		o := orderKey(d, number)
		if ok, err := tx.Insert(order, o, of.packed()); err != nil || !ok {
			return rollbackUnless(err) // without locking reads two may take one number
		}
		if ok, err := tx.Insert(newOrder, o, 1); err != nil || !ok {
			return rollbackUnless(err)
		}
		if err := t.orderItems(rng, tx, o, of.lines); err != nil {
			return err
		}
		if rng.IntN(100) == 0 {
			return ErrRollback
		}
		return nil
	}
}

// orderItems orders so many items, in the order of their numbers, as others do, too.
func (t *tpccSize) orderItems(rng *rand.Rand, tx Tx, o, lines int64) error {
	ordered := make([]int64, lines)
	for i := range ordered {
		ordered[i] = int64(t.items.Draw(rng))
	}
	slices.Sort(ordered)
	for line, i := range ordered {
		costs, _, err := tx.Get(item, i, false)
		if err != nil {
			return err
		}
		row, _, err := tx.Get(stock, i, true)
		if err != nil {
			return err
		}
		quantity := 1 + rng.Int64N(10)
		left := row.Value - quantity
		if left < 10 {
			left += 91
		}
		if _, err := tx.Put(stock, i, left); err != nil {
			return err
		}
		of := lineRow{item: i, amount: quantity * costs.Value}
		if ok, err := tx.Insert(orderLine, o*maxLines+int64(line), of.packed()); err != nil || !ok {
			return rollbackUnless(err)
		}
	}
	return nil
}

func rollbackUnless(err error) error {
	if err == nil {
		err = ErrRollback
	}
	return err
}

// payment pays in a district: 85 % of its own customers', 15 % of another one's (clause 2.5.1.2).
func (t *tpccSize) payment(rng *rand.Rand, d int64) Program {
	return func(tx Tx) error {
		amount, home := 1+rng.Int64N(maxPayment), d
		if rng.IntN(100) < 15 {
			home = rng.Int64N(t.warehouses * districts)
		}
		who := t.customer(rng, home)
		if _, err := tx.PutRange(warehouse, d/districts, d/districts, Where{}, amount); err != nil {
			return err
		}
		if _, err := tx.PutRange(district, d, d, Where{}, amount*paymentInDistrict); err != nil {
			return err
		}
		if _, err := tx.PutRange(customer, who, who, Where{}, amount*paymentOfCustomer-amount); err != nil {
			return err
		}
		receipt := who*paymentsEach + rng.Int64N(paymentsEach)
		if ok, err := tx.Insert(paid, receipt, paymentRow{amount, d}.packed()); err != nil || !ok {
			return rollbackUnless(err)
		}
		return nil
	}
}

// orderStatus reads a customer, and the last of its orders among the district's last ones, with its lines.
func (t *tpccSize) orderStatus(rng *rand.Rand, d int64) Program {
	return func(tx Tx) error {
		who := t.customer(rng, d)
		if _, _, err := tx.Get(customer, who, false); err != nil {
			return err
		}
		number, err := next(tx, d, false)
		if err != nil {
			return err
		}
		orders, err := tx.Scan(order, orderKey(d, max(1, number-stockOrders)), orderKey(d, number), Where{}, false)
		if err != nil {
			return err
		}
		last := int64(-1)
		for _, o := range orders {
			if unpackOrder(o.Value).customer == who%customers {
				last = max(last, o.Key)
			}
		}
		if last < 0 {
			return nil
		}
		lo, hi := linesOf(last, last)
		_, err = tx.Scan(orderLine, lo, hi, Where{}, false)
		return err
	}
}

// delivery delivers the oldest new order of each district of a warehouse.
func (t *tpccSize) delivery(rng *rand.Rand, m *SessionMemory, w int64) Program {
	return func(tx Tx) error {
		carrier := 1 + rng.Int64N(carriers)
		for d := w * districts; d < (w+1)*districts; d++ {
			if err := deliver(tx, m, d, carrier); err != nil {
				return err
			}
		}
		return nil
	}
}

// deliver delivers the oldest new order of a district, if there is one.
func deliver(tx Tx, m *SessionMemory, d, carrier int64) error {
	o, found, err := oldest(tx, m, d)
	if err != nil || !found {
		return err
	}
	if found, err := tx.Delete(newOrder, o); err != nil || !found {
		return rollbackUnless(err)
	}
	row, found, err := tx.Get(order, o, true)
	if err != nil || !found {
		return rollbackUnless(err)
	}
	if _, err := tx.PutRange(order, o, o, Where{}, carrier*orderCarrier); err != nil {
		return err
	}
	lo, hi := linesOf(o, o)
	lines, err := tx.Scan(orderLine, lo, hi, Where{}, true)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, l := range lines {
		total += unpackLine(l.Value).amount
	}
	if _, err := tx.PutRange(orderLine, lo, hi, Where{}, lineDelivered); err != nil {
		return err
	}
	who := d*customers + unpackOrder(row.Value).customer
	_, err = tx.PutRange(customer, who, who, Where{}, total)
	return err
}

// oldest finds a district's oldest new order. What was delivered before stays so: the session looks no further back
// than where it found one last.
func oldest(tx Tx, m *SessionMemory, d int64) (o int64, found bool, err error) {
	from := max(m.Seen[d], orderKey(d, 1))
	_, last := allOrders(d, 0)
	for _, to := range []int64{from + stockOrders, last} {
		rows, err := tx.Scan(newOrder, from, min(to, last), Where{}, true)
		if err != nil {
			return 0, false, err
		}
		if len(rows) > 0 {
			m.Seen[d] = slices.MinFunc(rows, func(a, b Row) int { return int(a.Key - b.Key) }).Key
			return m.Seen[d], true, nil
		}
		if number, err := next(tx, d, false); err != nil || orderKey(d, number) <= to {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// stockLevel counts items of the last orders that run short.
func (t *tpccSize) stockLevel(d int64) Program {
	return func(tx Tx) error {
		number, err := next(tx, d, false)
		if err != nil {
			return err
		}
		lo, hi := linesOf(orderKey(d, max(1, number-stockOrders)), orderKey(d, number-1))
		lines, err := tx.Scan(orderLine, lo, hi, Where{}, false)
		if err != nil {
			return err
		}
		var items []int64
		for _, l := range lines {
			items = append(items, unpackLine(l.Value).item)
		}
		slices.Sort(items)
		items = slices.Compact(items)
		for _, i := range items[:min(len(items), stockOrders)] {
			if _, err := tx.Scan(stock, i, i, below(15), false); err != nil {
				return err
			}
		}
		return nil
	}
}

// look checks the conditions of a district's last orders and of its warehouse, where what a transaction reads is of one
// state; elsewhere it is an order status.
func (t *tpccSize) look(rng *rand.Rand, d int64) Program {
	return func(tx Tx) error {
		if !tx.Whole() {
			return t.orderStatus(rng, d)(tx)
		}
		row, _, err := tx.Get(district, d, false)
		if err != nil {
			return err
		}
		var a audit
		w := d / districts
		from := max(1, unpackDistrict(row.Value).next-stockOrders)
		lo, hi := allOrders(d, from)
		first, last := linesOf(lo, hi)
		firstNew, lastNew := allOrders(d, 0)
		for _, x := range []struct {
			table  int
			lo, hi int64
		}{
			{warehouse, w, w}, {district, w * districts, (w+1)*districts - 1}, {order, lo, hi}, {newOrder, firstNew, lastNew},
			{orderLine, first, last},
		} {
			if err := a.read(tx, x.table, x.lo, x.hi); err != nil {
				return err
			}
		}
		a.warehouses(tx, w)
		a.orders(tx, d, from)
		return nil
	}
}

// audit checks all conditions.
func (t *tpccSize) audit(tx Tx) error {
	const top = 1 << 50
	var a audit
	for table := warehouse; table <= paid; table++ {
		if err := a.read(tx, table, 0, top); err != nil {
			return err
		}
	}
	for w := range t.warehouses {
		a.warehouses(tx, w)
	}
	for d := range t.warehouses * districts {
		a.orders(tx, d, 1)
	}
	a.payments(tx)
	a.customers(tx)
	return nil
}

// audit holds rows, by table and key, against the consistency conditions of clause 3.3.2. Condition 11 is of the rows
// that are there at first alone, of which there are none here.
type audit struct{ rows [paid + 1]map[int64]int64 }

// read reads the rows of a table with keys from lo to hi.
func (a *audit) read(tx Tx, table int, lo, hi int64) error {
	rows, err := tx.Scan(table, lo, hi, Where{}, false)
	a.rows[table] = map[int64]int64{}
	for _, r := range rows {
		a.rows[table][r.Key] = r.Value
	}
	return err
}

// equal says that a condition does not hold unless two numbers are the same.
func equal(tx Tx, condition int, of string, x, y int64) {
	if x != y {
		tx.Violates(fmt.Sprintf("TPC-C's condition 3.3.2.%d does not hold of %s: %d is not %d", condition, of, x, y))
	}
}

// warehouses is condition 1: W_YTD is the sum of the districts' D_YTD.
func (a *audit) warehouses(tx Tx, w int64) {
	sum := int64(0)
	for d := w * districts; d < (w+1)*districts; d++ {
		sum += unpackDistrict(a.rows[district][d]).ytd
	}
	equal(tx, 1, fmt.Sprintf("warehouse %d (W_YTD, sum of D_YTD)", w), a.rows[warehouse][w], sum)
}

// orders are conditions 2 to 7 of a district's orders from a number on.
func (a *audit) orders(tx Tx, d, from int64) {
	of := fmt.Sprintf("district %d", d)
	next := unpackDistrict(a.rows[district][d]).next
	count, lines, firstNew, lastNew, waiting := int64(0), int64(0), int64(0), int64(0), int64(0)
	lo, hi := allOrders(d, 0)
	for key := range a.rows[newOrder] {
		if n := key - lo; key >= lo && key <= hi {
			waiting++
			lastNew = max(lastNew, n)
			if firstNew == 0 || n < firstNew {
				firstNew = n
			}
		}
	}
	if waiting > 0 {
		equal(tx, 2, of+" (D_NEXT_O_ID - 1, max(NO_O_ID))", next-1, lastNew)
		equal(tx, 3, of+" (number of NEW-ORDER rows, of their numbers)", waiting, lastNew-firstNew+1)
	}
	for number := from; number < next; number++ {
		v, found := a.rows[order][orderKey(d, number)]
		if !found {
			continue
		}
		count++
		lines += a.order(tx, orderKey(d, number), unpackOrder(v))
	}
	equal(tx, 2, of+" (D_NEXT_O_ID - 1, its last order: numbers from the first one on, rows)", next-from, count)
	sum, held := int64(0), int64(0)
	for key, v := range a.rows[order] {
		if key >= orderKey(d, from) && key <= hi {
			sum += unpackOrder(v).lines
		}
	}
	first, last := linesOf(orderKey(d, from), hi)
	for key := range a.rows[orderLine] {
		if key >= first && key <= last {
			held++
		}
	}
	equal(tx, 4, of+" (sum of O_OL_CNT, ORDER-LINE rows)", sum, held)
}

// order are conditions 5 to 7 of an order. It returns how many lines there are.
func (a *audit) order(tx Tx, o int64, row orderRow) (lines int64) {
	of := fmt.Sprintf("order %d of district %d", o%maxOrders, o/maxOrders)
	delivered := int64(0)
	for key := o * maxLines; key < (o+1)*maxLines; key++ {
		if v, found := a.rows[orderLine][key]; found {
			lines++
			delivered += unpackLine(v).delivered
		}
	}
	_, waits := a.rows[newOrder][o]
	if (row.carrier == 0) != waits {
		tx.Violates(
			fmt.Sprintf("TPC-C's condition 3.3.2.5 does not hold of %s: O_CARRIER_ID is %d, and a NEW-ORDER row is there: %v",
				of, row.carrier, waits))
	}
	equal(tx, 6, of+" (O_OL_CNT, its ORDER-LINE rows)", row.lines, lines)
	want := lines
	if row.carrier == 0 {
		want = 0
	}
	equal(tx, 7, of+" (lines with OL_DELIVERY_D, lines that must have it)", delivered, want)
	return lines
}

// payments are conditions 8 and 9: W_YTD and D_YTD are what was paid there.
func (a *audit) payments(tx Tx) {
	inDistrict, inWarehouse := map[int64]int64{}, map[int64]int64{}
	for _, v := range a.rows[paid] {
		p := unpackPayment(v)
		inDistrict[p.district] += p.amount
		inWarehouse[p.district/districts] += p.amount
	}
	for w := range int64(len(a.rows[warehouse])) {
		equal(tx, 8, fmt.Sprintf("warehouse %d (W_YTD, sum of H_AMOUNT)", w), a.rows[warehouse][w], inWarehouse[w])
	}
	for d := range int64(len(a.rows[district])) {
		ytd := unpackDistrict(a.rows[district][d]).ytd
		equal(tx, 9, fmt.Sprintf("district %d (D_YTD, sum of H_AMOUNT)", d), ytd, inDistrict[d])
	}
}

// customers are conditions 10 and 12: C_BALANCE is what was delivered less what was paid, and with C_YTD_PAYMENT what
// was delivered.
func (a *audit) customers(tx Tx) {
	spent, delivered := map[int64]int64{}, map[int64]int64{}
	for key, v := range a.rows[paid] {
		spent[key/paymentsEach] += unpackPayment(v).amount
	}
	for key, v := range a.rows[orderLine] {
		if l := unpackLine(v); l.delivered > 0 {
			o := key / maxLines
			delivered[o/maxOrders*customers+unpackOrder(a.rows[order][o]).customer] += l.amount
		}
	}
	for c := range int64(len(a.rows[customer])) {
		row, of := unpackCustomer(a.rows[customer][c]), fmt.Sprintf("customer %d", c)
		equal(tx, 10, of+" (C_BALANCE, what was delivered less what was paid)", row.balance, delivered[c]-spent[c])
		equal(tx, 12, of+" (C_BALANCE + C_YTD_PAYMENT, what was delivered)", row.balance+row.ytd, delivered[c])
	}
}
