package workload

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// after plays TPC-C, and returns the rows that it leaves.
func after(t rapid.TB, txns int) *model {
	_, m := play(t, "tpcc", Config{Keys: 200, Distribution: Zipf}, 7, txns)
	if len(m.wrong) > 0 {
		t.Fatalf("while it runs: %s", m.wrong)
	}
	return m
}

// TestConditions: TPC-C leaves rows of which all conditions hold, and each that is broken is told.
func TestConditions(t *testing.T) {
	m := after(t, 500)
	if err := m.w.Audit(m); err != nil || len(m.wrong) > 0 {
		t.Fatalf("%v, %s", err, m.wrong)
	}
	delivered, waiting, inDistrict := int64(0), int64(0), map[int64]int{}
	for _, key := range slices.Sorted(maps.Keys(m.rows[order])) {
		if _, waits := m.rows[newOrder][key]; !waits {
			delivered = key
			continue
		}
		// of the third that waits in its district there is one in the middle
		if inDistrict[key/maxOrders]++; inDistrict[key/maxOrders] == 3 {
			waiting = key
		}
	}
	if delivered == 0 || waiting == 0 || len(m.rows[paid]) == 0 {
		t.Fatal("nothing was delivered, or nowhere do three orders wait, or nobody has paid")
	}
	who := delivered/maxOrders*customers + unpackOrder(m.rows[order][delivered].Value).customer
	add := func(table int, key, n int64) func(*model) {
		return func(m *model) { m.set(table, key, m.rows[table][key].Value+n) }
	}
	remove := func(table int, key int64) func(*model) { return func(m *model) { delete(m.rows[table], key) } }
	for condition, breaks := range map[string]func(*model){
		"3.3.2.1 ": add(warehouse, 0, 1), "3.3.2.2 ": add(district, 0, 1),
		"3.3.2.3 ": remove(newOrder, middle(m, waiting/maxOrders)),
		"3.3.2.4 ": remove(orderLine, delivered*maxLines), "3.3.2.5 ": remove(newOrder, waiting),
		"3.3.2.6 ": add(order, delivered, orderLines), "3.3.2.7 ": add(orderLine, waiting*maxLines, lineDelivered),
		"3.3.2.8 ": add(warehouse, 0, 1), "3.3.2.9 ": add(district, 0, paymentInDistrict),
		"3.3.2.10 ": add(customer, who, 1), "3.3.2.12 ": add(customer, who, paymentOfCustomer),
	} {
		m := after(t, 500)
		breaks(m)
		if err := m.w.Audit(m); err != nil || !strings.Contains(strings.Join(m.wrong, "\n"), condition) {
			t.Errorf("%s: %v, %s", condition, err, m.wrong)
		}
	}
}

// middle is a new order of a district that is neither the first nor the last.
func middle(m *model, d int64) int64 {
	lo, hi := allOrders(d, 0)
	first, last := hi, lo
	for key := range m.rows[newOrder] {
		if key >= lo && key <= hi {
			first, last = min(first, key), max(last, key)
		}
	}
	return (first + last) / 2
}

// TestPacked: what is packed into a payload comes out again, and what is added to a part of it is added to that alone.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
		d := districtRow{n("next", maxOrders-2), n("ytd", 1<<38)}
		c := customerRow{n("balance", 1<<31) - 1<<30, n("ytd", 1<<30)}
		o := orderRow{n("customer", customers-1), n("carrier", carriers), n("lines", maxLines-1)}
		l := lineRow{n("item", 1<<20-1), n("amount", 1<<20-1), n("delivered", 1)}
		p := paymentRow{n("amount", maxPayment), n("district", 1<<20)}
		for _, x := range [][2]any{
			{unpackDistrict(d.packed() + 1 + 5*paymentInDistrict), districtRow{d.next + 1, d.ytd + 5}},
			{unpackCustomer(c.balance - 5 + (c.ytd+5)*paymentOfCustomer), customerRow{c.balance - 5, c.ytd + 5}},
			{unpackOrder(o.packed()), o}, {unpackLine(l.packed()), l}, {unpackPayment(p.packed()), p},
		} {
			if fmt.Sprint(x[0]) != fmt.Sprint(x[1]) {
				t.Fatalf("%+v became %+v", x[1], x[0])
			}
		}
	})
}

// TestMix: transactions come in the shares of clause 5.2.3.
func TestMix(t *testing.T) {
	w, err := New("tpcc", Config{Keys: 100, Distribution: Uniform})
	if err != nil {
		t.Fatal(err)
	}
	m, rng, memory := newModel(t, w), rand.New(rand.NewPCG(1, 1)), SessionMemory{Seen: map[int64]int64{}}
	var orders, payments int
	for range 1500 {
		m.read, m.log = map[[2]int64]bool{}, strings.Builder{}
		_ = w.Next(rng, &memory)(m)
		switch log := m.log.String(); {
		case strings.Contains(log, fmt.Sprintf("insert %d ", newOrder)):
			orders++
		case strings.Contains(log, fmt.Sprintf("insert %d ", paid)):
			payments++
		}
	}
	if orders < 600 || orders > 750 || payments < 560 || payments > 720 {
		t.Errorf("%d new orders and %d payments of 1500 transactions", orders, payments)
	}
}
