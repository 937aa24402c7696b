// Package lin checks linearizability (Herlihy and Wing, TOPLAS 1990) of registers: reads, writes, and compare-and-sets
// that succeeded or failed, each on one key.
//
// Histories of compare-and-sets with unique values take linear time (package minitx). For the rest a search follows the
// history in time with the set of states that a key can be in: what it holds, and which of the operations in progress
// have taken effect (Lowe, "Testing for linearizability", 2017: just in time, an operation takes effect no earlier than
// another one's end makes it necessary). Its memory depends on how many operations overlap, not on the length of the
// history. Operations of unknown outcome never end: those with the same effect are counted, not told apart, and a state
// that used fewer of them stands for those that used more. The general problem is NP-complete: the search has a budget,
// and the verdict is unknown where it runs out.
package lin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"

	"txweave/checker"
	"txweave/checker/minitx"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// Check judges a history. Keys are independent of each other: linearizability is local.
func Check(ctx context.Context, h *register.History) checker.Verdict {
	v := minitx.CheckLinearizable(h)
	switch {
	case v.Outcome != checker.Unknown:
		return v
	case v.Unmet == checker.MiniTransactions || v.Unmet == checker.UniqueValues || v.Unmet == checker.Registers:
		return search(ctx, h, 0)
	default:
		return v
	}
}

// budget bounds how many states the search looks at of one key.
const budget = 20_000_000

// maxOpen bounds how many operations of known outcome may overlap on one key.
const maxOpen = 64

// maxUnknown bounds how many operations of unknown outcome may have the same effect on one key: a state counts them in
// a byte.
const maxUnknown = 255

// operation is one transaction on its key.
type operation struct {
	txn        int
	ops        []register.Op
	start, end int64
	class      int // of unknown outcome: its effect; else -1
}

// texts number what a register holds or held, where it holds texts that grow.
type texts struct {
	register.Names
	grown map[[2]int64]int64 // by the numbers of a text and of what was appended to it: that of both
}

// extended returns the number of a text to which another one was appended.
func (x *texts) extended(text, by int64) int64 {
	n, known := x.grown[[2]int64{text, by}]
	if !known {
		n = x.Number(x.Name(text) + x.Name(by))
		x.grown[[2]int64{text, by}] = n
	}
	return n
}

// value is what a register holds.
type value struct {
	none bool
	n    int64
}

// apply runs the operation: what the register holds after it, and whether that agrees with what was observed.
func (s *searcher) apply(o *operation, v value) (value, bool) {
	for _, op := range o.ops {
		arg := value{n: op.Value}
		if op.Nil {
			arg = s.initial
		}
		switch op.Kind {
		case register.Write:
			v = arg
		case register.Extend:
			v.n = s.texts.extended(v.n, op.Value)
		case register.Read:
			if v != arg {
				return v, false
			}
		case register.NotEqual:
			if v == arg {
				return v, false
			}
		}
	}
	return v, true
}

// search looks for an order of the operations of each key, by so many workers; 0: as many as there are processors.
func search(ctx context.Context, h *register.History, workers int) checker.Verdict {
	opt := checker.Options{}
	for _, op := range h.Ops {
		if op.Kind == register.Append || op.Kind == register.ReadList {
			return opt.Unknown(dbms.LIN, checker.Registers, "operation %s is not one of a register", h.FormatOp(op))
		}
	}
	empty := value{none: true}
	if h.HasInitialValue {
		empty = value{n: h.InitialValue}
	}
	start := slices.Repeat([]value{empty}, h.Keys())
	if h.Initial >= 0 {
		for _, op := range h.TxnOps(h.Initial) {
			if op.Kind == register.Write {
				start[op.Key] = value{n: op.Value}
			}
		}
	}
	byKey := operations(h)
	v := checker.Each(len(byKey), workers, func(key int) *checker.Verdict {
		s := &searcher{stopped: func() *checker.Verdict { return opt.Stopped(ctx, dbms.LIN) }, h: h, key: int32(key),
			initial: empty, budget: budget}
		return s.run(byKey[key], start[key])
	})
	if v != nil {
		return *v
	}
	return opt.Valid(dbms.LIN)
}

// operations are those that took effect, or may have, by key.
func operations(h *register.History) [][]operation {
	byKey := make([][]operation, h.Keys())
	for t, x := range h.Txns {
		ops := h.TxnOps(t)
		if t == h.Initial || x.Status == history.Aborted || len(ops) == 0 {
			continue
		}
		o := operation{txn: t, ops: ops, start: h.Start(t), end: h.End(t), class: -1}
		if x.Status == history.Unknown {
			o.class = 0
			if !slices.ContainsFunc(ops, writes) {
				continue // it may not have happened, and would have changed nothing
			}
		}
		byKey[ops[0].Key] = append(byKey[ops[0].Key], o)
	}
	return byKey
}

// writes says whether an operation may change its key.
func writes(op register.Op) bool { return op.Kind == register.Write || op.Kind == register.Extend }

// state is one that the register of a key may be in.
type state struct {
	value value
	done  uint64 // slots of the operations in progress that have taken effect
	used  string // by class: how many of unknown outcome have, as bytes
}

// searcher follows one key.
type searcher struct {
	stopped func() *checker.Verdict // a verdict once the check is to stop
	h       *register.History
	key     int32
	initial value
	budget  int // states that may still be looked at
	states  []state
	open    [maxOpen]*operation
	classes []*operation // one of each class
	ready   []int        // by class: how many of them have begun
	texts   *texts       // of a register of texts that grow: values are numbers of it; else nil
}

// name is a value as the file wrote it.
func (s *searcher) name(n int64) string {
	if s.texts != nil {
		return s.texts.Name(n)
	}
	return s.h.Name(n)
}

// number makes values of a register of texts that grow numbers of its texts.
func (s *searcher) number(ops []operation, start *value) {
	if !slices.ContainsFunc(ops, func(o operation) bool {
		return slices.ContainsFunc(o.ops, func(op register.Op) bool { return op.Kind == register.Extend })
	}) {
		return
	}
	s.texts = &texts{grown: map[[2]int64]int64{}}
	own := func(n int64) int64 { return s.texts.Number(s.h.Name(n)) }
	s.initial.n, start.n = own(s.initial.n), own(start.n)
	for i := range ops {
		ops[i].ops = slices.Clone(ops[i].ops)
		for k := range ops[i].ops {
			if op := &ops[i].ops[k]; !op.Nil {
				op.Value = own(op.Value)
			}
		}
	}
}

// event is the start or the end of an operation.
type event struct {
	time int64
	end  bool
	op   *operation
}

// run returns a verdict that is not valid, or nil.
func (s *searcher) run(ops []operation, start value) *checker.Verdict {
	s.number(ops, &start)
	s.classify(ops)
	var events []event
	for i := range ops {
		events = append(events, event{ops[i].start, false, &ops[i]})
		if ops[i].class < 0 {
			events = append(events, event{ops[i].end, true, &ops[i]})
		}
	}
	// Operations that meet in one instant are concurrent: starts come first.
	slices.SortStableFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.time, b.time); c != 0 {
			return c
		}
		return cmp.Compare(btoi(a.end), btoi(b.end))
	})
	s.states = []state{{value: start, used: strings.Repeat("\x00", len(s.classes))}}
	for _, e := range events {
		switch {
		case e.end:
			if v := s.finish(e.op); v != nil {
				return v
			}
		case e.op.class >= 0:
			if s.ready[e.op.class]++; s.ready[e.op.class] > maxUnknown {
				v := checker.Options{}.Unknown(dbms.LIN, checker.SearchBudget,
					"more than %d operations of unknown outcome do the same to key %s",
					maxUnknown, s.h.KeyName(s.key))
				return &v
			}
		default:
			i := slices.Index(s.open[:], nil)
			if i < 0 {
				v := checker.Options{}.Unknown(dbms.LIN, checker.SearchBudget, "more than %d operations overlap on key %s", maxOpen,
					s.h.KeyName(s.key))
				return &v
			}
			s.open[i] = e.op
		}
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// classify gives operations of unknown outcome with the same effect the same class.
func (s *searcher) classify(ops []operation) {
	class := map[string]int{}
	for i := range ops {
		if ops[i].class < 0 {
			continue
		}
		id := fmt.Sprint(ops[i].ops)
		c, ok := class[id]
		if !ok {
			c = len(s.classes)
			class[id] = c
			s.classes = append(s.classes, &ops[i])
		}
		ops[i].class = c
	}
	s.ready = make([]int, len(s.classes))
}

// finish replaces the states by those in which the operation has taken effect, with whatever had to before it.
func (s *searcher) finish(o *operation) *checker.Verdict {
	slot := slices.Index(s.open[:], o)
	bit := uint64(1) << slot
	before := s.states
	todo := newFrontier()
	after := newFrontier()
	for _, x := range before {
		if x.done&bit != 0 {
			x.done &^= bit
			after.add(x)
		} else {
			todo.add(x)
		}
	}
	for x, ok := todo.take(); ok; x, ok = todo.take() {
		if s.budget--; s.budget < 0 {
			v := checker.Options{}.Unknown(dbms.LIN, checker.SearchBudget, "the search of key %s was given up after %d states",
				s.h.KeyName(s.key), budget)
			return &v
		}
		if s.budget%1024 == 0 {
			if v := s.stopped(); v != nil {
				return v
			}
		}
		if v, ok := s.apply(o, x.value); ok {
			after.add(state{v, x.done, x.used})
		}
		s.others(o, x, todo)
	}
	s.open[slot] = nil
	s.states = after.all()
	if len(s.states) == 0 {
		v := s.fail(o, before)
		return &v
	}
	return nil
}

// others adds the states that follow on one when an operation other than o takes effect first.
func (s *searcher) others(o *operation, x state, todo *frontier) {
	for i, p := range s.open {
		if p == nil || p == o || x.done>>i&1 == 1 {
			continue
		}
		if v, ok := s.apply(p, x.value); ok {
			todo.add(state{v, x.done | 1<<i, x.used})
		}
	}
	for c, p := range s.classes {
		if int(x.used[c]) >= s.ready[c] {
			continue
		}
		if v, ok := s.apply(p, x.value); ok && v != x.value {
			used := []byte(x.used)
			used[c]++
			todo.add(state{v, x.done, string(used)})
		}
	}
}

// fail is the verdict where no state explains an operation.
func (s *searcher) fail(o *operation, before []state) checker.Verdict {
	var holds []string
	for _, x := range before {
		text := "nothing"
		if !x.value.none {
			text = s.name(x.value.n)
		}
		if !slices.Contains(holds, text) {
			holds = append(holds, text)
		}
	}
	slices.Sort(holds)
	var ops []string
	for _, op := range s.h.TxnOps(o.txn) {
		ops = append(ops, s.h.FormatOp(op))
	}
	name := s.h.TxnName(o.txn)
	e := checker.ExplainedEdge{FromTxn: -1, ToTxn: o.txn, To: name, Kind: history.RT, Key: s.h.KeyName(s.key)}
	e.Text = fmt.Sprintf(
		"%s did %s and ended at %s; the operations that had ended before left the key with %s, and no order of those in "+
			"progress changes that to fit",
		name, strings.Join(ops, " "), s.h.EndText(o.txn), strings.Join(holds, " or "))
	return checker.Options{}.Invalid(dbms.LIN, fault.HistoryNotLinearizable, []checker.ExplainedEdge{e})
}
