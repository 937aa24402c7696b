package checker

import (
	"cmp"
	"fmt"
	"slices"

	"txweave/dbms"

	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// FromLists turns a history of lists into one of registers: an append is a write, a read of a list one of its last
// element. A list holds what was appended before by transactions that committed, all of it and in the order in which
// the versions of the key came: that order is returned, by key, as far as somebody saw it; nil for a history that has
// no lists. All versions that are not in it come after. Lists that no order of appends explains give a verdict. A list
// with an element that two transactions appended is passed over, as Trace passes over a value of a register.
//
// A read after appends of its own shows what the list held before them. At SI and above, that is read before them. At
// RC, RA and TCC, where a register's own value is no read of another transaction, it shows the order of the versions
// alone.
func FromLists(h *register.History, level dbms.Level, opt Options) (*register.History, map[int32][]int64, *Verdict) {
	lists, others := false, false
	for i := range h.Ops {
		switch h.Ops[i].Kind {
		case register.Append, register.ReadList:
			lists = true
		default:
			others = true
		}
	}
	if !lists {
		return h, nil, nil
	}
	if others {
		v := opt.Unknown(level, Registers, "the history mixes lists and registers")
		return nil, nil, &v
	}
	l := &lister{h: h, level: level, opt: opt, weak: level == dbms.RC || level == dbms.RA || level == dbms.TCC,
		writer: map[element]int{}, twice: map[element]string{}, longest: map[int32]listRead{}}
	l.appends()
	if v := l.prefixes(); v != nil {
		return nil, nil, v
	}
	order := map[int32][]int64{}
	for key, r := range l.longest {
		order[key] = r.list
	}
	return l.convert(), order, nil
}

type element struct {
	key   int32
	value int64
}

// listRead is a list as one transaction read it.
type listRead struct {
	txn  int
	list []int64
}

type lister struct {
	h       *register.History
	level   dbms.Level
	opt     Options
	weak    bool // RC, RA or TCC
	writer  map[element]int
	twice   map[element]string // those that nobody can say whose they are, with the reason
	unclear string             // the reason why a list that somebody read was passed over; "": none was
	longest map[int32]listRead
	seen    []bool // by transaction: somebody read an element that it appended
	queue   []int  // transactions of unknown outcome that were seen, whose reads have not been looked at
}

// appends finds who appended each element: of one that aborted and one that did not, the other one.
func (l *lister) appends() {
	for t := range l.h.Txns {
		for _, op := range l.h.TxnOps(t) {
			if op.Kind != register.Append {
				continue
			}
			e := element{op.Key, op.Value}
			other, dup := l.writer[e]
			switch {
			case dup && l.h.Txns[t].Status == history.Aborted:
				continue
			case dup && l.h.Txns[other].Status != history.Aborted:
				l.twice[e] = fmt.Sprintf("%s and %s both append %s to %s", l.h.TxnName(other), l.h.TxnName(t), l.h.Name(op.Value),
					l.h.KeyName(op.Key))
			}
			l.writer[e] = t
		}
	}
}

// passedOver says whether nobody can say of whom a list is.
func (l *lister) passedOver(op register.Op) bool {
	if len(l.twice) == 0 {
		return false
	}
	for _, e := range l.h.List(op) {
		if why, is := l.twice[element{op.Key, e}]; is {
			l.unclear = cmp.Or(l.unclear, why)
			return true
		}
	}
	return false
}

func (l *lister) invalid(a fault.Kind, edges []ExplainedEdge) *Verdict {
	v := l.opt.Invalid(l.level, a, edges)
	return &v
}

// edge explains a read by its text.
func (l *lister) edge(from, to int, kind history.EdgeKind, key int32, format string, args ...any) ExplainedEdge {
	e := ExplainedEdge{To: l.h.TxnName(to), ToTxn: to, FromTxn: from, Kind: kind, Key: l.h.KeyName(key),
		Text: fmt.Sprintf(format, args...)}
	if from >= 0 {
		e.From = l.h.TxnName(from)
	}
	return e
}

// counts says whether a transaction committed: its client knows it, or somebody saw what it appended.
func (l *lister) counts(t int) bool {
	status := l.h.Txns[t].Status
	return status == history.Committed || status == history.Unknown && l.seen[t]
}

// prefixes checks that every list that a transaction that counts read begins like every other one of its key, and is
// made of elements that committed transactions appended.
func (l *lister) prefixes() *Verdict {
	l.seen = make([]bool, len(l.h.Txns))
	for t := range l.h.Txns {
		if l.h.Txns[t].Status == history.Committed {
			if v := l.txn(t); v != nil {
				return v
			}
		}
	}
	for len(l.queue) > 0 {
		t := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		if v := l.txn(t); v != nil {
			return v
		}
	}
	return nil
}

// txn checks what one transaction read.
func (l *lister) txn(t int) *Verdict {
	own := map[int32]int{} // appends so far
	for _, op := range l.h.TxnOps(t) {
		if op.Kind == register.Append {
			own[op.Key]++
			continue
		}
		if l.passedOver(op) {
			continue
		}
		list := l.h.List(op)
		if v := l.elements(t, op, list); v != nil {
			return v
		}
		// What the transaction appended itself stands at the end, and may yet come elsewhere for others: only a
		// transaction that commits without another one in between keeps it there, which the order must show.
		if v := l.own(t, op, list, own[op.Key]); v != nil {
			return v
		}
		if v := l.blocks(t, op, list); v != nil {
			return v
		}
		best := l.longest[op.Key]
		short, long := list, best.list
		if len(short) > len(long) {
			short, long = long, short
		}
		if !slices.Equal(short, long[:len(short)]) {
			return l.invalid(fault.HistoryLongFork, []ExplainedEdge{
				l.edge(best.txn, t, history.WR, op.Key, "%s did R(%s, %s), and %s did %s: neither begins like the other",
					l.h.TxnName(best.txn), l.h.KeyName(op.Key), l.h.FormatList(best.list), l.h.TxnName(t), l.h.FormatOp(op))})
		}
		if len(list) > len(best.list) {
			l.longest[op.Key] = listRead{t, list}
		}
	}
	return nil
}

// elements checks who appended the elements of a list.
func (l *lister) elements(t int, op register.Op, list []int64) *Verdict {
	at := map[int64]bool{}
	for i, e := range list {
		w, known := l.writer[element{op.Key, e}]
		switch {
		case !known:
			return l.invalid(fault.HistoryThinAirRead, []ExplainedEdge{l.edge(-1, t, history.WR, op.Key,
				"%s did %s, and nobody appended %s", l.h.TxnName(t), l.h.FormatOp(op), l.h.Name(e))})
		case at[e]:
			v := l.invalid(fault.HistoryThinAirRead, []ExplainedEdge{l.edge(w, t, history.WR, op.Key,
				"%s did %s, where %s stands twice, and %s appended it once",
				l.h.TxnName(t), l.h.FormatOp(op), l.h.Name(e), l.h.TxnName(w))})
			v.Adya = "duplicate-elements"
			return v
		case l.h.Txns[w].Status == history.Aborted:
			return l.invalid(fault.HistoryAbortedRead, []ExplainedEdge{l.edge(w, t, history.WR, op.Key,
				"%s appended %s and was rolled back%s, and %s did %s",
				l.h.TxnName(w), l.h.Name(e), l.builtOn(op.Key, list[i+1:]), l.h.TxnName(t), l.h.FormatOp(op))})
		}
		at[e] = true
		if !l.seen[w] && l.h.Txns[w].Status == history.Unknown {
			l.queue = append(l.queue, w)
		}
		l.seen[w] = true
	}
	return nil
}

// builtOn tells of the first element behind one of an aborted transaction that another one, which did not abort,
// appended: what should not be there has become part of what is. Elle calls it a dirty update.
func (l *lister) builtOn(key int32, behind []int64) string {
	for _, next := range behind {
		if w, known := l.writer[element{key, next}]; known && l.h.Txns[w].Status != history.Aborted {
			return fmt.Sprintf(", %s appended %s behind it", l.h.TxnName(w), l.h.Name(next))
		}
	}
	return ""
}

// blocks checks that a list holds what each transaction appended together, all of it and in its order. The reader's own
// appends may be incomplete at the end.
func (l *lister) blocks(t int, op register.Op, list []int64) *Verdict {
	for len(list) > 0 {
		w := l.writer[element{op.Key, list[0]}]
		left := l.appended(w, op.Key)
		if w == t {
			left = left[:min(len(left), len(list))]
		}
		if len(list) >= len(left) && slices.Equal(list[:len(left)], left) {
			list = list[len(left):]
			continue
		}
		for i, e := range list[:min(len(list), len(left))] {
			if other := l.writer[element{op.Key, e}]; other != w && slices.Contains(list[i:], left[i]) {
				return l.invalid(fault.HistoryCyclicInformationFlow, []ExplainedEdge{
					l.edge(w, other, history.WW, op.Key, "%s appended %s to %s, and %s appended %s in between: %s did %s",
						l.h.TxnName(w), l.h.FormatList(left), l.h.KeyName(op.Key), l.h.TxnName(other), l.h.Name(e), l.h.TxnName(t),
						l.h.FormatOp(op)),
					l.edge(other, w, history.WW, op.Key, "%s appended %s to %s, and %s appended %s after it", l.h.TxnName(other),
						l.h.Name(e), l.h.KeyName(op.Key), l.h.TxnName(w), l.h.Name(left[i]))})
			}
		}
		return l.invalid(fault.HistoryIntermediateRead, []ExplainedEdge{l.edge(w, t, history.WR, op.Key,
			"%s appended %s to %s, all or nothing, and %s did %s",
			l.h.TxnName(w), l.h.FormatList(left), l.h.KeyName(op.Key), l.h.TxnName(t), l.h.FormatOp(op))})
	}
	return nil
}

// appended returns what a transaction appended to a key.
func (l *lister) appended(t int, key int32) (own []int64) {
	for _, o := range l.h.TxnOps(t) {
		if o.Kind == register.Append && o.Key == key {
			own = append(own, o.Value)
		}
	}
	return own
}

// own checks that a list ends with the n elements that its reader appended before, and holds none of those that it
// appended later.
func (l *lister) own(t int, op register.Op, list []int64, n int) *Verdict {
	own := l.appended(t, op.Key)
	for _, e := range own[n:] {
		if slices.Contains(list, e) {
			return l.invalid(fault.HistoryFutureRead, []ExplainedEdge{l.edge(t, t, history.WR, op.Key,
				"%s did %s, and appended %s only after that", l.h.TxnName(t), l.h.FormatOp(op), l.h.Name(e))})
		}
	}
	rest, ends := list, len(list) >= n
	if ends {
		rest = list[:len(list)-n]
		ends = slices.Equal(list[len(rest):], own[:n])
	}
	if ends && !slices.ContainsFunc(rest, func(e int64) bool { return slices.Contains(own, e) }) {
		return nil
	}
	return l.invalid(fault.HistoryNotMyOwnWrite, []ExplainedEdge{l.edge(t, t, history.WR, op.Key,
		"%s had appended %s to %s, and did %s, which does not end so",
		l.h.TxnName(t), l.h.FormatList(own[:n]), l.h.KeyName(op.Key), l.h.FormatOp(op))})
}

// convert makes the history of registers. The part of a list that others appended is read before the transaction's own
// appends to it.
func (l *lister) convert() *register.History {
	b := register.NewBuilder(len(l.h.Txns), len(l.h.Ops))
	if l.h.RealTime {
		b.SetRealTime()
	}
	for key := range int32(l.h.Keys()) { // keys keep their numbers: the order of versions is by number
		b.Key(l.h.KeyName(key))
	}
	for t := range l.h.Txns {
		x := &l.h.Txns[t]
		if t == l.h.Initial {
			b.BeginInitial()
		} else {
			b.Begin(l.session(x), x.ID)
		}
		for _, op := range l.operations(t) {
			b.Op(op)
		}
		status := x.Status
		if l.counts(t) {
			status = history.Committed
		}
		b.End(status, l.h.Start(t), l.h.End(t))
	}
	h := b.History()
	h.MadeOf(l.h)
	h.Doubt = l.unclear
	return h
}

// session returns the number of a transaction's session; one without has one of its own.
func (l *lister) session(x *register.TxnSpan) int64 {
	if x.Session == register.NoSession {
		return -1 - x.ID
	}
	return l.h.SessionID(x.Session)
}

// operations returns the register operations of a transaction, with the keys of the history of lists.
func (l *lister) operations(t int) []register.Op {
	var reads, ops []register.Op
	own := map[int32]int{}
	for _, op := range l.h.TxnOps(t) {
		if op.Kind == register.Append {
			own[op.Key]++
			ops = append(ops, register.Op{Kind: register.Write, Key: op.Key, Value: op.Value})
			continue
		}
		list := l.h.List(op)
		if !l.counts(t) || len(list) < own[op.Key] || l.passedOver(op) {
			continue
		}
		r := register.Op{Kind: register.Read, Key: op.Key, Nil: true}
		if rest := list[:len(list)-own[op.Key]]; len(rest) > 0 {
			r = register.Op{Kind: register.Read, Key: op.Key, Value: rest[len(rest)-1]}
		}
		switch {
		case own[op.Key] == 0:
			ops = append(ops, r)
		case !l.weak:
			reads = append(reads, r)
		}
	}
	return append(reads, ops...)
}
