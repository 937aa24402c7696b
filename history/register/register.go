// Package register holds the histories that black-box checkers judge: what transactions read from and wrote to keys
// that hold a register or a list, by session, with the outcomes and perhaps the times that the clients saw.
package register

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
)

// Action is what one operation of a transaction does to a key.
type Action uint8

// The kinds of an operation. A compare-and-set that succeeded is a Read of the expected value followed by a
// Write of the new one; one that failed is a NotEqual.
const (
	Read     Action = iota // read a register
	Write                  // write a register
	NotEqual               // a failed compare: the register held anything but Value
	Append                 // append one element to a list
	ReadList               // read a whole list
	Extend                 // append a text to the one that a register holds
)

// Op is one operation. 16 bytes: a history of a million transactions has several millions.
type Op struct {
	// Value is what a register operation read or wrote, or what an append added. Of a ReadList it says where
	// the list lies: use History.List.
	Value int64
	// Key is an interned key: see History.KeyName.
	Key  int32
	Kind Action
	// Nil marks a read that returned nothing: the key had not been written. Value is then 0 and means nothing.
	// Of an NotEqual it says that the key was compared with nothing.
	Nil bool
}

// NoSession is the session of a transaction that is in no session, as an initial transaction may be.
const NoSession int32 = -1

// Forever is the end of a transaction that was never known to have finished.
const Forever = math.MaxInt64

// TxnSpan is one transaction of a History, and where its operations lie (History.TxnOps). 24 bytes: when it ran is kept
// apart (History.Start).
type TxnSpan struct {
	// ID names the transaction in reports: its number in the file it came from.
	ID      int64
	first   uint32
	n       uint32
	Session int32 // dense, from 0; or NoSession
	Status  history.Outcome
}

// interval is when a transaction ran.
type interval struct{ start, end int64 }

// History is what a black-box test observed: transactions over keys that hold a register or a list, by session. It
// is compact: 24 bytes a transaction, 16 more where times are known, and 16 an operation, in arenas.
//
// The transactions of one session stand in Txns in session order. Between sessions the order of Txns means nothing.
type History struct {
	Txns []TxnSpan
	Ops  []Op
	// Initial is the index of the transaction that wrote the initial values and precedes all others, or -1.
	Initial int
	// RealTime says whether what Start and End return was recorded with clocks that can be compared.
	RealTime bool
	// InitialValue is what every key holds before its first write, where HasInitialValue is set: a read of it is
	// then a read of the initial state, as one marked Nil is.
	InitialValue    int64
	HasInitialValue bool
	// Doubt is why the record cannot prove that all is well: it contradicts itself in what no check looks at; "" where it
	// does not.
	Doubt string
	// Cut is what the history was cut out of a larger one for; nil: it is whole.
	Cut *Cut

	intervals  []interval // by transaction, as far as any is known
	elems      []int64
	keys       interner
	sessionIDs []int64
	names      Names
	places     []places
	lists      *History
}

// TxnOps returns the operations of transaction t, in program order. It shares the arena.
func (h *History) TxnOps(t int) []Op {
	x := &h.Txns[t]
	return h.Ops[x.first : x.first+x.n : x.first+x.n]
}

// FirstOp returns the index in Ops of the first operation of transaction t.
func (h *History) FirstOp(t int) int { return int(h.Txns[t].first) }

// Start returns when transaction t began, in ns, before its first operation was sent. It means something only where
// RealTime is set.
func (h *History) Start(t int) int64 {
	if t >= len(h.intervals) {
		return 0
	}
	return h.intervals[t].start
}

// End returns when the outcome of transaction t was known, in ns; Forever of one whose outcome is not known. It means
// something only where RealTime is set.
func (h *History) End(t int) int64 {
	switch {
	case h.Txns[t].Status == history.Unknown:
		return Forever
	case t >= len(h.intervals):
		return 0
	}
	return h.intervals[t].end
}

// Widened is the history with intervals that are longer at both ends by what the clock of their client may be off: what
// is certain of real time then. It shares all else.
func (h *History) Widened(b history.ClockBounds) *History {
	if b.None() || !h.RealTime {
		return h
	}
	out := *h
	out.intervals = make([]interval, len(h.intervals))
	for t, x := range h.intervals {
		off := int64(0)
		if s := h.Txns[t].Session; s != NoSession {
			off = b.Session(h.sessionIDs[s])
		}
		out.intervals[t] = interval{x.start - off, min(x.end, Forever-off) + off}
	}
	if h.lists != nil {
		out.lists = h.lists.Widened(b)
	}
	return &out
}

// AtOnce is the history as if all of its transactions had been at the same time. It shares all else.
func (h *History) AtOnce() *History {
	out := *h
	out.RealTime, out.intervals = true, nil
	if h.lists != nil {
		out.lists = h.lists.AtOnce()
	}
	return &out
}

// List returns the elements that a ReadList returned. It shares the arena.
func (h *History) List(op Op) []int64 {
	n := h.elems[op.Value]
	return h.elems[op.Value+1 : op.Value+1+n]
}

// Keys returns how many keys there are; keys are the numbers below it.
func (h *History) Keys() int { return len(h.keys.names) }

// KeyName returns the name that the key has in the file it came from.
func (h *History) KeyName(key int32) string { return h.keys.name(key) }

// Sessions returns how many sessions there are.
func (h *History) Sessions() int { return len(h.sessionIDs) }

// SessionID returns the number that the session has in the file it came from.
func (h *History) SessionID(session int32) int64 { return h.sessionIDs[session] }

// Name prints a number as the file wrote it: values and sessions that are no integers there have a number of their own.
func (h *History) Name(n int64) string { return h.names.Name(n) }

// Named says whether a number stands for what is no integer in the file.
func (h *History) Named(n int64) bool { return h.names.has(n) }

// MadeOf says that this history of registers was made of one of lists, with the same transactions.
func (h *History) MadeOf(lists *History) {
	h.names, h.places, h.lists = lists.names, lists.places, lists
}

// Lists returns the history of lists that this one was made of, or nil.
func (h *History) Lists() *History { return h.lists }

// WithoutReads returns the history without what transaction t read of a key. It shares all else.
func (h *History) WithoutReads(t int, key int32) *History {
	less := *h
	less.Ops, less.Txns = make([]Op, 0, len(h.Ops)), slices.Clone(h.Txns)
	for i := range h.Txns {
		less.Txns[i].first = uint32(len(less.Ops))
		for _, op := range h.TxnOps(i) {
			if i != t || op.Key != key || op.Kind == Write || op.Kind == Append || op.Kind == Extend {
				less.Ops = append(less.Ops, op)
			}
		}
		less.Txns[i].n = uint32(len(less.Ops)) - less.Txns[i].first
	}
	return &less
}

// TxnName names transaction t as reports do: "T" and its ID, or "init".
func (h *History) TxnName(t int) string {
	if t == h.Initial {
		return "init"
	}
	return "T" + strconv.FormatInt(h.Txns[t].ID, 10)
}

// FormatOp prints one operation: "R(x, 1)", "R(x, nil)", "W(x, 2)", "R(x) != 3", "A(x, 4)", "R(x, [1 2])".
func (h *History) FormatOp(op Op) string {
	key, val := h.KeyName(op.Key), "nil"
	if !op.Nil && op.Kind != ReadList {
		val = h.Name(op.Value)
	}
	switch op.Kind {
	case Read:
		return fmt.Sprintf("R(%s, %s)", key, val)
	case Write:
		return fmt.Sprintf("W(%s, %s)", key, val)
	case NotEqual:
		return fmt.Sprintf("R(%s) != %s", key, val)
	case Append, Extend:
		return fmt.Sprintf("A(%s, %s)", key, val)
	case ReadList:
		return fmt.Sprintf("R(%s, %s)", key, h.FormatList(h.List(op)))
	default:
		return fmt.Sprintf("?(%s, %s)", key, val)
	}
}

// FormatList prints the elements of a list: "[1 2]". Of a long one it prints the two ends.
func (h *History) FormatList(elements []int64) string {
	const most, end = 60, 25
	var names []string
	for i, e := range elements {
		switch {
		case len(elements) <= most || i < end || i >= len(elements)-end:
			names = append(names, h.Name(e))
		case i == end:
			names = append(names, fmt.Sprintf("… %d more …", len(elements)-2*end))
		}
	}
	return "[" + strings.Join(names, " ") + "]"
}

// Builder makes a History: Begin, the operations in program order, End; transaction after transaction, those of one
// session in session order. Nothing has to be escaped or sorted; sessions may alternate.
type Builder struct {
	h        History
	sessions numbering
	open     bool
	passOn   func(*History)
	passed   struct { // what is kept of the transactions that were passed on
		lowest  int64
		initial bool
	}
}

// NewBuilder returns a builder with room for so many transactions and operations; both may be 0.
func NewBuilder(txns, ops int) *Builder {
	return &Builder{h: History{Txns: make([]TxnSpan, 0, txns), Ops: make([]Op, 0, ops), Initial: -1}}
}

// Expect makes room for so many times what was built so far.
func (b *Builder) Expect(times float64) {
	h := &b.h
	h.Txns, h.Ops, h.elems = roomier(h.Txns, times), roomier(h.Ops, times), roomier(h.elems, times)
	h.intervals, h.places = roomier(h.intervals, times), roomier(h.places, times)
}

// roomier does not touch the memory that it makes room in: a room too large costs nothing.
func roomier[T any](s []T, times float64) []T {
	if n := int(times * float64(len(s))); n > cap(s) {
		return append(make([]T, 0, n), s...)
	}
	return s
}

// PassOn makes the builder hold no transaction longer than until it ends: it is given to do, as the only one of a
// history that do must not keep, and whose RealTime may yet be said.
func (b *Builder) PassOn(do func(h *History)) { b.passOn = do }

// SetRealTime says that Start and End of every transaction were recorded.
func (b *Builder) SetRealTime() { b.h.RealTime = true }

// SetInitialValue says what keys hold before their first write.
func (b *Builder) SetInitialValue(v int64) { b.h.InitialValue, b.h.HasInitialValue = v, true }

// SetCut says what the history was cut out of a larger one for.
func (b *Builder) SetCut(c Cut) { b.h.Cut = &c }

// Key returns the number of a key with this name. "7" is the same key as IntKey(7).
func (b *Builder) Key(name string) int32 { return b.h.keys.text(name) }

// IntKey returns the number of the key that is named by an integer.
func (b *Builder) IntKey(n int64) int32 { return b.h.keys.int(n) }

// Number returns the number that stands for a value or a session that is no integer: the same one for the same name.
func (b *Builder) Number(name string) int64 { return b.h.names.Number(name) }

// Integer returns the number of a value that is an integer, in a file that may hold names, too: see Names.Integer.
func (b *Builder) Integer(n int64) int64 { return b.h.names.Integer(n) }

// Name prints what a number was given to.
func (b *Builder) Name(n int64) string { return b.h.names.Name(n) }

// Names returns the names that have numbers. They are the builder's.
func (b *Builder) Names() *Names { return &b.h.names }

// EmptyLists makes the reads that returned nothing reads of empty lists.
func (b *Builder) EmptyLists() { b.h.EmptyLists() }

// EmptyLists makes the reads that returned nothing reads of empty lists.
func (h *History) EmptyLists() {
	at := int64(len(h.elems))
	h.elems = append(h.elems, 0)
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Kind == Read && op.Nil {
			*op = Op{Kind: ReadList, Key: op.Key, Value: at}
		}
	}
}

// Begin opens the next transaction of a session. The ID names it in reports.
func (b *Builder) Begin(session, id int64) {
	s, ok := b.sessions.get(session)
	if !ok {
		s = int32(len(b.h.sessionIDs))
		b.sessions.set(session, s)
		b.h.sessionIDs = append(b.h.sessionIDs, session)
	}
	b.begin(s, id)
}

// HasInitial says whether there is an initial transaction already.
func (b *Builder) HasInitial() bool { return b.h.Initial >= 0 || b.passed.initial }

// BeginInitial opens the initial transaction, which is in no session and precedes all others.
func (b *Builder) BeginInitial() {
	if b.HasInitial() {
		panic("register: a second initial transaction")
	}
	b.h.Initial = len(b.h.Txns)
	b.begin(NoSession, 0)
}

func (b *Builder) begin(session int32, id int64) {
	if b.open {
		panic("register: Begin in a transaction")
	}
	b.open = true
	b.h.Txns = append(b.h.Txns, TxnSpan{ID: id, Session: session, first: b.arena()})
}

// arena returns where the next operation goes.
func (b *Builder) arena() uint32 {
	if uint64(len(b.h.Ops)) > math.MaxUint32-1 {
		panic("register: more than 2^32 operations")
	}
	return uint32(len(b.h.Ops))
}

// Op adds an operation of any kind but ReadList.
func (b *Builder) Op(op Op) {
	if op.Nil {
		op.Value = 0
	}
	b.h.Ops = append(b.h.Ops, op)
}

// Read adds a read that returned v.
func (b *Builder) Read(key int32, v int64) { b.Op(Op{Kind: Read, Key: key, Value: v}) }

// ReadNil adds a read that returned nothing.
func (b *Builder) ReadNil(key int32) { b.Op(Op{Kind: Read, Key: key, Nil: true}) }

// Write adds a write.
func (b *Builder) Write(key int32, v int64) { b.Op(Op{Kind: Write, Key: key, Value: v}) }

// Append adds an append to a list.
func (b *Builder) Append(key int32, v int64) { b.Op(Op{Kind: Append, Key: key, Value: v}) }

// ReadList adds a read of a list, which is copied. A nil list is an empty one.
func (b *Builder) ReadList(key int32, list []int64) {
	at := int64(len(b.h.elems))
	b.h.elems = append(append(b.h.elems, int64(len(list))), list...)
	b.Op(Op{Kind: ReadList, Key: key, Value: at})
}

// End closes the transaction that Begin opened. Start and end are in ns; both 0 without real time. The end of an
// Unknown transaction is taken as Forever.
func (b *Builder) End(status history.Outcome, start, end int64) {
	if !b.open {
		panic("register: End without Begin")
	}
	b.open = false
	t := &b.h.Txns[len(b.h.Txns)-1]
	t.n = b.arena() - t.first
	t.Status = status
	if start != 0 || end != 0 {
		for len(b.h.intervals) < len(b.h.Txns)-1 {
			b.h.intervals = append(b.h.intervals, interval{})
		}
		b.h.intervals = append(b.h.intervals, interval{start, end})
	}
	if b.passOn == nil {
		return
	}
	h := &b.h
	b.passOn(h)
	if h.Initial >= 0 {
		b.passed.initial = true
	} else {
		b.passed.lowest = min(b.passed.lowest, t.ID-1)
	}
	h.Initial = -1
	h.Txns, h.Ops, h.elems, h.intervals = h.Txns[:0], h.Ops[:0], h.elems[:0], h.intervals[:0]
}

// FirstIsInitial makes the first transaction the initial one if that is what it is; see First.
func (b *Builder) FirstIsInitial() bool {
	h := &b.h
	if len(h.Txns) == 0 || h.Initial >= 0 {
		return false
	}
	var f First
	for t := range h.Txns {
		f.Take(h, t)
	}
	if !f.IsInitial(h) {
		return false
	}
	h.Initial = 0
	h.sessionIDs = h.sessionIDs[1:] // it was the first one, and has no other transaction
	b.sessions = numbering{}
	for s, id := range h.sessionIDs {
		b.sessions.set(id, int32(s))
	}
	for t := range h.Txns {
		h.Txns[t].Session--
	}
	return true
}

// First finds out whether the first transaction of a history is the initial one: it is number 0 and alone in session 0,
// writes every key of the history and reads none, and nobody reads a 0 that it did not write.
type First struct {
	not    bool
	wrote  map[int32]int64 // by key: its value; nil: no transaction has been taken
	counts int             // transactions
}

// Take takes the next transaction.
func (f *First) Take(h *History, t int) {
	f.counts++
	x := &h.Txns[t]
	if f.counts == 1 {
		f.wrote = map[int32]int64{}
		f.not = x.ID != 0
	}
	if f.not = f.not || x.Session == NoSession || (h.sessionIDs[x.Session] == 0) != (f.counts == 1); f.not {
		return
	}
	for _, op := range h.TxnOps(t) {
		switch value, is := f.wrote[op.Key]; {
		case f.counts == 1:
			f.not = f.not || op.Kind != Write
			f.wrote[op.Key] = op.Value
		case !is || op.Kind == Read && op.Value == 0 && value != 0:
			f.not = true
		}
	}
}

// IsInitial says whether it is, once all have been taken.
func (f *First) IsInitial(h *History) bool { return f.counts > 0 && !f.not && len(f.wrote) == h.Keys() }

// LowestID returns a number below that of every transaction, or the one given where that is lower.
func (b *Builder) LowestID(id int64) int64 {
	id = min(id, b.passed.lowest)
	for t := range b.h.Txns {
		if t != b.h.Initial {
			id = min(id, b.h.Txns[t].ID-1)
		}
	}
	return id
}

// IndexOf returns which of the transactions has a number; -1 if none does.
func (b *Builder) IndexOf(id int64) int {
	return slices.IndexFunc(b.h.Txns, func(t TxnSpan) bool { return t.ID == id && t.Session != NoSession })
}

// Place says where the transaction that was closed last was begun, and where its outcome was told.
func (b *Builder) Place(begun, told Place) {
	if b.passOn != nil {
		return
	}
	for len(b.h.places) < len(b.h.Txns)-1 {
		b.h.places = append(b.h.places, places{})
	}
	b.h.places = append(b.h.places, places{begun, told})
}

// History returns what was built. The builder must not be used after it.
func (b *Builder) History() *History {
	if b.open {
		panic("register: a transaction is still open")
	}
	h := b.h
	b.h = History{}
	return &h
}
