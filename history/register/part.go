package register

import "slices"

// Cut says what a part of a history was cut out for. A part that nothing connects to the rest at one level may be
// connected to it at another.
type Cut struct {
	Level        string // see package dbms
	SessionOrder bool   // the order of each session's transactions is part of the level
	ClockSkew    string // by which clients' clocks may be off, as a flag has it
}

// Part is a history of some transactions, which are named by their indices in ascending order, and of the initial one,
// of which it has what is written to their keys. Keys, sessions, names and lists are those of the whole.
func (h *History) Part(txns []int) *History {
	part := *h
	part.Initial, part.lists = -1, nil
	part.Txns, part.Ops, part.intervals, part.places = nil, nil, nil, nil
	used := map[int32]bool{}
	size := 0
	for _, t := range txns {
		ops := h.TxnOps(t)
		size += len(ops)
		for i := range ops {
			used[ops[i].Key] = true
		}
	}
	part.Txns, part.Ops = make([]TxnSpan, 0, len(txns)+1), make([]Op, 0, size)
	add := func(t int, ops []Op) {
		x := h.Txns[t]
		x.first, x.n = uint32(len(part.Ops)), uint32(len(ops))
		part.Txns, part.Ops = append(part.Txns, x), append(part.Ops, ops...)
		if t < len(h.intervals) {
			part.intervals = append(part.intervals, h.intervals[t])
		}
		if t < len(h.places) {
			part.places = append(part.places, h.places[t])
		}
	}
	if h.Initial >= 0 {
		part.Initial = 0
		add(h.Initial, slices.DeleteFunc(slices.Clone(h.TxnOps(h.Initial)), func(op Op) bool { return !used[op.Key] }))
	}
	for _, t := range txns {
		add(t, h.TxnOps(t))
	}
	return &part
}

// InitialPart is a history of the initial transaction alone, with what is kept of it.
func (h *History) InitialPart(keep func(Op) bool) *History {
	part := h.Part(nil)
	part.Ops = slices.DeleteFunc(slices.Clone(h.TxnOps(h.Initial)), func(op Op) bool { return !keep(op) })
	part.Txns[0].n = uint32(len(part.Ops))
	return part
}
