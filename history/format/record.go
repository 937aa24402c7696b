package format

import (
	"cmp"
	"errors"
	"fmt"

	"txweave/history/register"
)

// record is one record of a Jepsen history: an invocation, or its outcome.
type record struct {
	place   register.Place
	outcome string // invoke, ok, fail, info
	f       string
	process int64
	client  string // in place of process, of one that is no number
	txn     bool   // the value is a list of micro-operations: mops; else it is value
	mops    []mop
	value   *datum // nil: null
	key     *datum // that the operation is on, where the record says so beside its value
	err     error  // of what is no record
}

// mop is one micro-operation of a transaction.
type mop struct {
	f       byte   // 'r', 'w', 'a' append, '+' append to a text, '!' failed compare, 'c' the compare of a compare-and-set
	kind    kind   // of the value: null, integer, list of the integers elems, or what other is
	keyText string // of a key that is no integer
	key     int64
	n       int64
	elems   []int64
	other   *datum
}

// noPlace is of a record that says nothing of where it stands.
var noPlace = register.Place{Index: -1, Time: -1}

// null stands for values that are absent or nil.
var nothing = datum{}

// newRecord makes a record of a value of EDN or JSON.
func newRecord(d *datum, line int) (r record) {
	r.place = noPlace
	r.place.Line = int32(line)
	if d.kind != dict {
		r.err = fmt.Errorf("want an operation such as {:type :ok, :f :txn, :value […], :process 0}, not %s",
			clip([]byte(d.String())))
		return r
	}
	outcome, f, value, process := d.get("type"), d.get("f"), d.get("value"), d.get("process")
	if outcome.kind != text {
		r.err = errNoType
		return r
	}
	if i := d.get("index"); i.kind == integer {
		r.setIndex(i.n)
	}
	if t := d.get("time"); t.kind == integer {
		r.place.Time = t.n
	}
	r.outcome, r.f, r.process = outcome.s, f.s, process.n
	if process.kind == text {
		r.client = process.s
	}
	if key := d.get("key"); key.kind != null {
		r.key = &key
	}
	r.setValue(&value)
	return r
}

var errNoType = errors.New("an operation without :type")

func (r *record) setIndex(n int64) {
	if n >= 0 && n == int64(int32(n)) {
		r.place.Index = int32(n)
	}
}

// setValue takes a value, as micro-operations where it is a list of lists.
func (r *record) setValue(value *datum) {
	switch {
	case value.kind == null:
	case value.kind == list && len(value.list) > 0 && value.list[0].kind == list:
		r.value = value
		if mops, err := listedOps(*value); err == nil {
			r.txn, r.mops = true, mops
		}
	default:
		r.value = value
	}
}

// listedOps reads [[:r 5 nil] [:w 5 7] [:append 6 8]].
func listedOps(value datum) ([]mop, error) {
	ops := make([]mop, 0, len(value.list))
	for _, e := range value.list {
		if e.kind != list || len(e.list) < 2 || len(e.list) > 3 || e.list[0].kind != text {
			return nil, fmt.Errorf("want [:r key value], [:w key value] or [:append key value], not %s", e)
		}
		f := mopFunc([]byte(e.list[0].s))
		if f == 0 {
			return nil, fmt.Errorf("micro-operation %q is unknown: want r, w or append", e.list[0].s)
		}
		op := mop{f: f, keyText: cmp.Or(e.list[1].String(), `""`)}
		if len(e.list) == 3 {
			op.set(&e.list[2])
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// mopFunc returns what a micro-operation of this name does; 0 where it is none.
func mopFunc(name []byte) byte {
	switch string(name) {
	case "r", "read":
		return 'r'
	case "w", "write":
		return 'w'
	case "append", "a":
		return 'a'
	}
	return 0
}

// set gives a micro-operation its value.
func (m *mop) set(value *datum) {
	m.kind = value.kind
	switch value.kind {
	case null:
	case integer:
		m.n = value.n
	default:
		m.other = value
	}
}

// datum returns the value.
func (m *mop) datum() datum {
	switch {
	case m.other != nil:
		return *m.other
	case m.kind == list:
		d := datum{kind: list}
		for _, e := range m.elems {
			d.list = append(d.list, datum{kind: integer, n: e})
		}
		return d
	}
	return datum{kind: m.kind, n: m.n}
}
