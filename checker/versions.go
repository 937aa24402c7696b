package checker

import (
	"math/bits"

	"txweave/history"
	"txweave/history/register"
)

// versionTable finds the version of a key that a value belongs to. Open addressing: a history has millions. Values that
// lie close together, as those of a counter do, lie side by side here, as far as there is room: who looks for one soon
// looks for the next.
type versionTable struct {
	slots  []versionSlot
	blocks uint64 // of slots
	// keyless: no two keys share a value, as far as is known, so that close values are to lie side by side whatever their keys.
	keyless bool
}

// versionSlot is empty where ref is 0.
type versionSlot struct {
	value int64
	key   int32
	ref   versionRef
}

// versionRef is a version's number plus one, with flags.
type versionRef uint32

const (
	refIntermediate versionRef = 1 << 31 // its transaction wrote the key again, with another value
	refUncertain    versionRef = 1 << 30 // its transaction is not known to have committed
	refNumber                  = refUncertain - 1
)

func (r versionRef) version() int32 { return int32(r&refNumber) - 1 }

const (
	blockSlots = 16             // how many values lie side by side
	nearSlots  = 2 * blockSlots // how far from there a value is looked for before it is looked for elsewhere
)

// newVersionTable returns a table with room for n values, at most 70 % full.
func newVersionTable(n int) *versionTable {
	blocks := (n+n/2+nearSlots)/blockSlots + 1
	return &versionTable{slots: make([]versionSlot, blocks*blockSlots), blocks: uint64(blocks)}
}

// slot returns the slot of the value, or the empty one where it belongs.
func (t *versionTable) slot(key int32, value int64) *versionSlot {
	mixed := uint64(uint32(key)) * 0xd6e8feb86659fd93
	near := uint64(value) / blockSlots
	if !t.keyless {
		near ^= mixed
	}
	i := int(t.block(near)*blockSlots + uint64(value)%blockSlots)
	for n := 0; ; n++ {
		if n == nearSlots {
			i = int(t.block(uint64(value)^mixed) * blockSlots)
		}
		s := &t.slots[i]
		if s.ref == 0 || s.value == value && s.key == key {
			return s
		}
		if i++; i == len(t.slots) {
			i = 0
		}
	}
}

// block spreads a number over the blocks.
func (t *versionTable) block(h uint64) uint64 {
	h *= 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	block, _ := bits.Mul64(h, t.blocks)
	return block
}

// keyless says whether no two keys share a value, by the first writes.
func keyless(h *register.History) bool {
	const sample = 1 << 15
	of := make(map[int64]int32, sample)
	shared := 0
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Kind != register.Write {
			continue
		}
		if key, ok := of[op.Value]; ok && key != op.Key {
			shared++
		}
		if of[op.Value] = op.Key; len(of) == sample {
			break
		}
	}
	return shared <= len(of)/100
}

// number gives every key's initial state and every transaction's last write of a key a number. A value that two
// transactions wrote, neither known to be aborted, is a duplicate: its two transactions are returned.
func (r *Reads) number() (dup *duplicate) {
	h := r.H
	writes := 0
	for i := range h.Ops {
		if h.Ops[i].Kind == register.Write {
			writes++
		}
	}
	keys := h.Keys()
	r.table = newVersionTable(writes)
	r.table.keyless = writes > 1000 && keyless(h)
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
			if d := r.numberWrite(t, first+i, op, flag); d != nil && dup == nil {
				dup = d
			}
		}
	}
	r.FirstVersion[len(h.Txns)] = int32(len(r.VersionTxn))
	return dup
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
			if s := r.table.slot(op.Key, old.Value); s.ref.version() == ver {
				s.ref |= refIntermediate
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
	s := r.table.slot(op.Key, op.Value)
	if s.ref != 0 && s.ref.version() != ver {
		other := int(r.VersionTxn[s.ref.version()])
		switch {
		case aborted:
			return nil // the value is the other's, or that of the first aborted one
		case h.Txns[other].Status != history.Aborted:
			return &duplicate{op, other, t}
		}
	}
	*s = versionSlot{value: op.Value, key: op.Key, ref: versionRef(ver+1) | flag}
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
