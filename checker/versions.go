package checker

import (
	"math"
	"math/bits"

	"txweave/history"
	"txweave/history/register"
)

// versionTable finds the version of a key that a value belongs to. Values that lie close together, as those of a
// counter do, share a page: a history has millions, and who looks for one soon looks for the next. Pages are found by
// open addressing.
type versionTable struct {
	heads []pageHead // no more than two thirds of them in use
	pages int
	slots []versionSlot // page after page
	bits  uint          // a page is of 1<<bits values
	// keyless: a page is of values of all keys, as no two keys share one, as far as is known. One that another key has,
	// too, is in a page of its key's own.
	keyless bool
}

// pageHead is empty where page is 0.
type pageHead struct {
	values int64 // of the page, without the last bits
	key    int32 // of all of them; anyKey
	page   int32 // its number, from 1
}

const anyKey int32 = -1

// pageBits are those of pages of values that lie close together.
const pageBits = 4

// versionSlot is empty where ref is 0.
type versionSlot struct {
	key int32
	ref versionRef
}

// versionRef is a version's number plus one, with flags.
type versionRef uint32

const (
	refIntermediate versionRef = 1 << 31 // its transaction wrote the key again, with another value
	refUncertain    versionRef = 1 << 30 // its transaction is not known to have committed
	refNumber                  = refUncertain - 1
)

func (r versionRef) version() int32 { return int32(r&refNumber) - 1 }

// newVersionTable returns a table that suits what is written, by the values of some of their groups.
func newVersionTable(h *register.History, writes int) *versionTable {
	const sample, most = 1 << 12, 1 << 14
	type group struct {
		values int64
		key    int32
	}
	n, shared, limit := 0, 0, math.MaxUint64/uint64(max(1, writes/sample))
	of, groups, own := map[int64]int32{}, map[int64]bool{}, map[group]bool{}
	for i := range h.Ops {
		op := &h.Ops[i]
		values := op.Value >> pageBits
		if op.Kind != register.Write || spread(uint64(values)) > limit {
			continue
		}
		if key, ok := of[op.Value]; ok && key != op.Key {
			shared++
		}
		of[op.Value], groups[values], own[group{values, op.Key}] = op.Key, true, true
		if n++; n == most {
			break
		}
	}
	t := &versionTable{keyless: n > 0 && shared <= n/100}
	pages, size := len(own), writes
	if t.keyless {
		pages = len(groups)
	}
	if full := pages << pageBits; full <= 4*n {
		t.bits = pageBits
		size = int(float64(writes) * float64(full) / float64(max(n, 1)))
	}
	t.slots = make([]versionSlot, 0, size+size/20)
	t.heads = make([]pageHead, 16+size>>t.bits*8/5)
	return t
}

// spread makes a number of which every bit depends on all of another one's.
func spread(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	return (n ^ n>>32) * 0x9e3779b97f4a7c15
}

// head returns the head of the page of the value, or the empty one where it belongs.
func (t *versionTable) head(key int32, value int64) *pageHead {
	values := value >> t.bits
	i, _ := bits.Mul64(spread(uint64(values)^uint64(uint32(key))*0xd6e8feb86659fd93), uint64(len(t.heads)))
	for ; ; i++ {
		if i == uint64(len(t.heads)) {
			i = 0
		}
		if h := &t.heads[i]; h.page == 0 || h.values == values && h.key == key {
			return h
		}
	}
}

// slot returns the slot of the value in a page, which it makes where there is none.
func (t *versionTable) slot(key int32, value int64) *versionSlot {
	if 3*t.pages >= 2*len(t.heads) {
		t.grow()
	}
	h := t.head(key, value)
	if h.page == 0 {
		var empty [1 << pageBits]versionSlot
		t.pages++
		t.slots = append(t.slots, empty[:1<<t.bits]...)
		*h = pageHead{values: value >> t.bits, key: key, page: int32(t.pages)}
	}
	return &t.slots[t.place(h, value)]
}

// place is where the slot of a value is.
func (t *versionTable) place(h *pageHead, value int64) int {
	return int(h.page-1)<<t.bits | int(value&(1<<t.bits-1))
}

func (t *versionTable) grow() {
	old := t.heads
	t.heads = make([]pageHead, max(16, 2*len(old)))
	for _, h := range old {
		if h.page != 0 {
			*t.head(h.key, h.values<<t.bits) = h
		}
	}
}

// claim returns where the version of a value is, or belongs.
func (t *versionTable) claim(key int32, value int64) *versionRef {
	if t.keyless {
		if s := t.slot(anyKey, value); s.ref == 0 || s.key == key {
			s.key = key
			return &s.ref
		}
	}
	s := t.slot(key, value)
	s.key = key
	return &s.ref
}

// find returns the version of a value; 0 where there is none.
func (t *versionTable) find(key int32, value int64) versionRef {
	if t.keyless {
		if s := t.in(anyKey, value); s.ref == 0 || s.key == key {
			return s.ref
		}
	}
	return t.in(key, value).ref
}

// in returns what slot does, as it is now.
func (t *versionTable) in(key int32, value int64) versionSlot {
	if h := t.head(key, value); h.page != 0 {
		return t.slots[t.place(h, value)]
	}
	return versionSlot{}
}

// number gives every key's initial state and every transaction's last write of a key a number. A value that two
// transactions wrote, neither known to be aborted, is a duplicate.
func (r *Reads) number() {
	h := r.H
	writes := 0
	for i := range h.Ops {
		if h.Ops[i].Kind == register.Write {
			writes++
		}
	}
	keys := h.Keys()
	r.table = newVersionTable(h, writes)
	r.VersionTxn = make([]int32, keys, keys+writes)
	r.VersionOp = make([]int32, keys, keys+writes)
	r.VersionKey = make([]int32, keys, keys+writes)
	for k := range keys {
		r.VersionTxn[k], r.VersionOp[k], r.VersionKey[k] = -1, -1, int32(k)
	}
	r.FirstVersion = make([]int32, len(h.Txns)+1)
	for t := range h.Txns {
		r.FirstVersion[t] = int32(len(r.VersionTxn))
		flag := versionRef(0)
		if h.Txns[t].Status != history.Committed {
			flag = refUncertain
		}
		first := h.FirstOp(t)
		for i, op := range h.TxnOps(t) {
			if op.Kind != register.Write {
				continue
			}
			if d := r.numberWrite(t, first+i, op, flag); d != nil {
				r.duplicate(*d)
			}
		}
	}
	r.FirstVersion[len(h.Txns)] = int32(len(r.VersionTxn))
}

// duplicate notes a value that was written twice.
func (r *Reads) duplicate(d duplicate) {
	if r.duplicated == nil {
		r.duplicated, r.twice = &d, map[element]duplicate{}
	}
	if e := (element{d.op.Key, d.op.Value}); r.twice[e] == (duplicate{}) {
		r.twice[e] = d
	}
}

type duplicate struct {
	op   register.Op
	a, b int // transactions; b is -1 where the value is the initial one
}

func (r *Reads) numberWrite(t, at int, op register.Op, flag versionRef) *duplicate {
	h := r.H
	ver := r.ownVersion(t, op.Key)
	if ver >= 0 {
		if old := h.Ops[r.VersionOp[ver]]; old.Value != op.Value {
			if ref := r.table.claim(op.Key, old.Value); ref.version() == ver {
				*ref |= refIntermediate
			}
		}
		r.VersionOp[ver] = int32(at)
	} else {
		ver = int32(len(r.VersionTxn))
		r.VersionTxn = append(r.VersionTxn, int32(t))
		r.VersionOp = append(r.VersionOp, int32(at))
		r.VersionKey = append(r.VersionKey, op.Key)
	}
	aborted := h.Txns[t].Status == history.Aborted
	if h.HasInitialValue && op.Value == h.InitialValue && t != h.Initial {
		if aborted {
			return nil // who reads that value reads the initial state
		}
		return &duplicate{op, t, -1}
	}
	ref := r.table.claim(op.Key, op.Value)
	if *ref != 0 && ref.version() != ver {
		other := int(r.VersionTxn[ref.version()])
		switch {
		case aborted:
			return nil // the value is the other's, or that of the first aborted one
		case h.Txns[other].Status != history.Aborted:
			return &duplicate{op, other, t}
		}
	}
	*ref = versionRef(ver+1) | flag
	return nil
}

// ownVersion returns the version of the key that transaction t, which is being numbered, has; or -1, and then
// remembers that it gets the next one.
func (r *Reads) ownVersion(t int, key int32) int32 {
	s := &r.keys[key]
	if s.txn == int32(t) {
		return s.version
	}
	*s = keyState{txn: int32(t), version: int32(len(r.VersionTxn))}
	return -1
}
