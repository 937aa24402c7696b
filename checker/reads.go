package checker

import (
	"fmt"
	"runtime"

	"txweave/dbms"

	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// Inner is the version of an operation that reads from no other transaction: a write, a read of the transaction's
// own write, and everything in a transaction that is not taken.
const Inner int32 = -1

// Reads is a history in which every read has been traced to the version that it returned. A version is what a
// transaction left of a key: its last write of it. The versions below the number of keys are the keys' initial
// states, as nobody wrote them.
type Reads struct {
	H *register.History
	// Taken says, by transaction, whether it counts: it committed, or its outcome is unknown and a transaction that
	// counts read from it. One of unknown outcome that nobody read from explains nothing and may be left out.
	Taken []bool
	// From is, by operation, the version that an external read returned, or Inner. An external read is a transaction's
	// first read of a key that it has not written before; at RC, the later ones too.
	From []int32
	// VersionTxn and VersionOp are, by version, the transaction that wrote it and the index of that write among the
	// history's operations; -1 of an initial state.
	VersionTxn []int32
	VersionOp  []int32
	// VersionKey is, by version, its key.
	VersionKey []int32
	// FirstVersion is, by transaction, its first version: they are numbered in order of transactions. It has one
	// more element than there are transactions.
	FirstVersion []int32

	table       *versionTable
	twice       map[element]duplicate // values of which nobody can say whose they are
	ambiguous   *duplicate            // one of these that somebody reads
	duplicated  *duplicate            // the first one of these
	initialized []bool                // by key: the initial transaction wrote it; nil without one
	keys        []keyState
	queue       []int32 // transactions of unknown outcome that were read from
}

// keyState is what the transaction that is being looked at has done to a key.
type keyState struct {
	txn     int32 // it means something only where this is that transaction
	version int32 // read, or written
	wrote   bool
	value   int64 // written
}

// Trace traces the reads of registers. It gives a verdict, and no Reads, where the history does not meet a
// precondition (operations on lists, failed compares) or where a read or the reads of one transaction alone show an
// anomaly: those of Wei et al. (ICDE 2025), table I (a) to (g). The last one of these, NonRepeatableReads, is none at
// RC.
//
// A read of a value that two transactions wrote to its key is passed over, as nobody knows from whom it is. What is
// invalid without that read is invalid with it: an order that explains all reads explains the others. What is not is
// for Reads.Valid to say.
func Trace(h *register.History, level dbms.Level, opt Options) (*Reads, *Verdict) {
	r, v := TraceIndexed(h, level, opt)
	if r != nil {
		large := len(r.table.slots) > largeTable
		r.table = nil
		if large {
			runtime.GC() // what the table took is to serve what comes now: the collector would let the heap grow first
		}
	}
	return r, v
}

// largeTable is from how many slots on a table takes more memory than one would leave lying.
const largeTable = 1 << 22

// TraceIndexed is Trace; its Reads can also tell who wrote a value.
func TraceIndexed(h *register.History, level dbms.Level, opt Options) (*Reads, *Verdict) {
	for i := range h.Ops {
		if k := h.Ops[i].Kind; k != register.Read && k != register.Write {
			v := opt.Unknown(level, Registers, "operation %s is not a read or a write of a register", h.FormatOp(h.Ops[i]))
			return nil, &v
		}
	}
	r := &Reads{H: h, keys: make([]keyState, h.Keys())}
	r.resetKeys()
	r.number()
	r.resetKeys()
	if h.Initial >= 0 {
		r.initialized = make([]bool, h.Keys())
		for _, op := range h.TxnOps(h.Initial) {
			r.initialized[op.Key] = r.initialized[op.Key] || op.Kind == register.Write
		}
	}
	r.Taken = make([]bool, len(h.Txns))
	r.From = make([]int32, len(h.Ops))
	for i := range r.From {
		r.From[i] = Inner
	}
	repeatable := level != dbms.RC
	for t := range h.Txns {
		if h.Txns[t].Status == history.Committed {
			r.Taken[t] = true
			if a := r.traceTxn(t, repeatable); a != nil {
				return nil, a.verdict(level, opt)
			}
		}
	}
	for len(r.queue) > 0 {
		t := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if a := r.traceTxn(int(t), repeatable); a != nil {
			return nil, a.verdict(level, opt)
		}
	}
	r.keys, r.initialized = nil, nil
	return r, nil
}

// Written returns the version that a value of a key belongs to, and the transaction that wrote it; both -1 if nobody
// did. The version is -1 where its transaction overwrote it itself. Where an aborted transaction wrote what another one
// wrote too, the other one's counts.
func (r *Reads) Written(key int32, value int64) (version, txn int32) {
	ref := r.table.find(key, value)
	if ref == 0 {
		return -1, -1
	}
	version = ref.version()
	txn = r.VersionTxn[version]
	if ref&refIntermediate != 0 {
		version = -1
	}
	return version, txn
}

// Unique gives a verdict where two transactions wrote one value to a key, whether or not anybody reads it.
func (r *Reads) Unique(level dbms.Level, opt Options) *Verdict {
	if r.duplicated == nil {
		return nil
	}
	v := opt.Unknown(level, UniqueValues, "%s", r.duplicated.reason(r.H))
	return &v
}

// Valid is the verdict where nothing is wrong with what was traced: that nobody can tell, where a read was passed over.
func (r *Reads) Valid(level dbms.Level, opt Options) Verdict {
	switch {
	case r.ambiguous != nil:
		return opt.Unknown(level, UniqueValues, "%s", r.ambiguous.reason(r.H))
	case r.H.Lists() != nil && r.H.Doubt != "":
		return opt.Unknown(level, UniqueValues, "%s", r.H.Doubt)
	}
	return opt.Valid(level)
}

// unclear says whether nobody can say whose the value is that a read returned.
func (r *Reads) unclear(op register.Op) bool {
	if len(r.twice) == 0 {
		return false
	}
	if op.Nil {
		op.Value = r.H.InitialValue
	}
	d, is := r.twice[element{op.Key, op.Value}]
	if is = is && (!op.Nil || r.H.HasInitialValue); is && r.ambiguous == nil {
		r.ambiguous = &d
	}
	return is
}

func (r *Reads) resetKeys() {
	for k := range r.keys {
		r.keys[k].txn = -1
	}
}

func (d *duplicate) reason(h *register.History) string {
	if d.b < 0 {
		return fmt.Sprintf("%s wrote %s: that is the initial value", h.TxnName(d.a), h.FormatOp(d.op))
	}
	return fmt.Sprintf("%s and %s both wrote %s", h.TxnName(d.a), h.TxnName(d.b), h.FormatOp(d.op))
}

// badRead is an anomaly of one read.
type badRead struct {
	r       *Reads
	anomaly fault.Kind
	op      register.Op
	at      int // transaction that read
	writer  int // transaction that wrote what it read; -1 if none did
	text    string
}

func (b *badRead) verdict(level dbms.Level, opt Options) *Verdict {
	e := ExplainedEdge{FromTxn: b.writer, ToTxn: b.at, To: b.r.H.TxnName(b.at), Kind: history.WR,
		Key: b.r.H.KeyName(b.op.Key), Text: b.text}
	if b.writer >= 0 {
		e.From = b.r.H.TxnName(b.writer)
	}
	v := opt.Invalid(level, b.anomaly, []ExplainedEdge{e})
	return &v
}

// traceTxn traces the reads of one transaction; it returns the first anomaly.
func (r *Reads) traceTxn(t int, repeatable bool) *badRead {
	h := r.H
	first := h.FirstOp(t)
	own, end := r.FirstVersion[t], r.FirstVersion[t+1]
	for i, op := range h.TxnOps(t) {
		s := &r.keys[op.Key]
		if s.txn != int32(t) {
			*s = keyState{txn: int32(t), version: Inner}
		}
		switch {
		case op.Kind == register.Write:
			s.wrote, s.value = true, op.Value
			continue
		case s.wrote && !op.Nil && op.Value == s.value:
			continue
		case !s.wrote && r.unclear(op):
			continue
		}
		ref := r.lookup(op)
		ver := ref.version()
		mine := ver >= own && ver < end
		if s.wrote || ref == 0 || mine || ref&(refIntermediate|refUncertain) != 0 {
			if a := r.judge(t, i, op, ref, s); a != nil {
				return a
			}
		}
		again := repeatable && s.version != Inner
		if again && s.version != ver {
			return r.bad(fault.HistoryNonRepeatableReads, t, op, ref, "%s did %s, but %s before", h.TxnName(t), h.FormatOp(op),
				opText(h, t, register.Read, op.Key))
		}
		if !again {
			r.From[first+i] = ver
		}
		s.version = ver
	}
	return nil
}

// lookup returns the version that a read returned; 0 if there is none.
func (r *Reads) lookup(op register.Op) versionRef {
	if !op.Nil {
		if ref := r.table.find(op.Key, op.Value); ref != 0 {
			return ref
		}
		if !r.H.HasInitialValue || op.Value != r.H.InitialValue {
			return 0
		}
	}
	if r.initialized != nil && r.initialized[op.Key] {
		return 0 // no transaction precedes the initial one
	}
	return versionRef(op.Key + 1)
}

// judge looks at a read that is not simply one of another, committed transaction's last write: it takes a writer of
// unknown outcome, and returns the anomaly if there is one.
func (r *Reads) judge(t, i int, op register.Op, ref versionRef, s *keyState) *badRead {
	h, name := r.H, r.H.TxnName(t)
	if ref == 0 && r.initialized != nil && r.initialized[op.Key] &&
		(op.Nil || h.HasInitialValue && op.Value == h.InitialValue) {
		return r.bad(fault.HistoryThinAirRead, t, op, ref, "%s did %s, but the initial transaction wrote that key", name,
			h.FormatOp(op))
	}
	if ref == 0 {
		return r.bad(fault.HistoryThinAirRead, t, op, ref, "%s did %s, which nobody wrote", name, h.FormatOp(op))
	}
	w := r.VersionTxn[ref.version()]
	switch {
	case int(w) == t && wroteLater(h.TxnOps(t)[i+1:], op):
		return r.bad(fault.HistoryFutureRead, t, op, ref, "%s did %s, which it wrote only later", name, h.FormatOp(op))
	case int(w) == t:
		return r.bad(fault.HistoryNotMyLastWrite, t, op, ref, "%s did %s, its own write, but had overwritten it", name,
			h.FormatOp(op))
	case s.wrote:
		return r.bad(fault.HistoryNotMyOwnWrite, t, op, ref, "%s did %s, but had written %s itself", name, h.FormatOp(op),
			h.Name(s.value))
	case w >= 0 && h.Txns[w].Status == history.Aborted:
		return r.bad(fault.HistoryAbortedRead, t, op, ref, "%s did %s, which %s wrote; that one aborted", name,
			h.FormatOp(op), h.TxnName(int(w)))
	case ref&refIntermediate != 0:
		return r.bad(fault.HistoryIntermediateRead, t, op, ref, "%s did %s, which %s wrote and then overwrote itself", name,
			h.FormatOp(op), h.TxnName(int(w)))
	}
	if w >= 0 && !r.Taken[w] {
		r.Taken[w] = true
		r.queue = append(r.queue, w)
	}
	return nil
}

func wroteLater(ops []register.Op, read register.Op) bool {
	for _, op := range ops {
		if op.Kind == register.Write && op.Key == read.Key && op.Value == read.Value {
			return true
		}
	}
	return false
}

func (r *Reads) bad(a fault.Kind, t int, op register.Op, ref versionRef, format string, args ...any) *badRead {
	b := &badRead{r: r, anomaly: a, op: op, at: t, writer: -1, text: fmt.Sprintf(format, args...)}
	if ref != 0 {
		b.writer = int(r.VersionTxn[ref.version()])
	}
	return b
}
