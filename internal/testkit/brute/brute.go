// Package brute judges small histories by the definitions themselves: it looks for an order of the transactions that
// the level's definition allows, among all orders. It shares no code with the checkers, whose tests compare with it.
package brute

import (
	"maps"
	"slices"
	"strconv"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
)

// Valid says whether the history of registers or lists satisfies the level. Transactions of unknown outcome count or
// not, whichever makes it valid, and a read of a value that was written twice may be of either. It takes time
// exponential in the number of transactions: use it for up to six or seven.
func Valid(h *register.History, level dbms.Level, opt checker.Options) bool {
	var certain, unknown []int
	for t := range h.Txns {
		switch h.Txns[t].Status {
		case history.Committed:
			certain = append(certain, t)
		case history.Unknown:
			unknown = append(unknown, t)
		}
	}
	for set := range 1 << len(unknown) {
		txns := slices.Clone(certain)
		for i, t := range unknown {
			if set>>i&1 == 1 {
				txns = append(txns, t)
			}
		}
		slices.Sort(txns)
		j := &judge{h: h, opt: opt, txns: txns}
		if j.satisfies(level) {
			return true
		}
	}
	return false
}

func (j *judge) satisfies(level dbms.Level) bool {
	lists := hasLists(j.h)
	switch {
	case level == dbms.SER && lists:
		return serial(j, false, j.executeLists)
	case level == dbms.SER:
		return serial(j, false, j.execute)
	case level == dbms.SSER && lists:
		return serial(j, true, j.executeLists)
	case level == dbms.SSER, level == dbms.LIN:
		return serial(j, true, j.execute)
	case level == dbms.SI && lists:
		return snapshot(j, j.executeLists)
	case level == dbms.SI:
		return snapshot(j, j.execute)
	case lists:
		return j.axiomaticLists(level)
	}
	return j.axiomatic(level)
}

type judge struct {
	h    *register.History
	opt  checker.Options
	txns []int // that count
}

// value is what a key holds; nothing was written where none is set.
type value struct {
	none bool
	n    int64
}

type state map[int32]value

func (s state) with(writes state) state {
	after := state{}
	maps.Copy(after, s)
	maps.Copy(after, writes)
	return after
}

func (s state) has(key int32) bool { _, ok := s[key]; return ok }

func (j *judge) initial(key int32) value {
	if j.h.HasInitialValue {
		return value{n: j.h.InitialValue}
	}
	return value{none: true}
}

func (j *judge) get(s state, key int32) value {
	if v, ok := s[key]; ok {
		return v
	}
	return j.initial(key)
}

func (j *judge) returned(op register.Op) value {
	if op.Nil {
		return j.initial(op.Key)
	}
	return value{n: op.Value}
}

// execute runs transaction t on a state: it returns what it wrote, and whether its reads return what it saw.
func (j *judge) execute(t int, s state) (writes state, ok bool) {
	writes = state{}
	for _, op := range j.h.TxnOps(t) {
		now, own := writes[op.Key]
		if !own {
			now = j.get(s, op.Key)
		}
		switch op.Kind {
		case register.Write:
			writes[op.Key] = value{n: op.Value}
		case register.Extend:
			writes[op.Key] = value{n: joined(now.n, op.Value)}
		case register.Read:
			if now != j.returned(op) {
				return nil, false
			}
		case register.NotEqual:
			if now == j.returned(op) {
				return nil, false
			}
		}
	}
	return writes, true
}

// joined appends one text to another, where both are made of digits: it is the number that they then are.
func joined(text, to int64) int64 {
	n, _ := strconv.ParseInt(strconv.FormatInt(text, 10)+strconv.FormatInt(to, 10), 10, 64)
	return n
}

// sessionBefore says whether a precedes b in session order, or is the initial transaction.
func (j *judge) sessionBefore(a, b int) bool {
	if a == j.h.Initial || b == j.h.Initial {
		return a == j.h.Initial && b != j.h.Initial
	}
	s := j.h.Txns[a].Session
	return j.opt.SessionOrder && a < b && s != register.NoSession && s == j.h.Txns[b].Session
}

func (j *judge) realTimeBefore(a, b int) bool {
	return a != j.h.Initial && b != j.h.Initial && j.h.End(a) < j.h.Start(b)
}

// contents is what the keys hold, or what a transaction wrote of them.
type contents[S any] interface {
	with(writes S) S
	has(key int32) bool
}

// serial looks for a serial order in which every read returns what it returned (SER: Wei et al., definition 5; SSER:
// definition 4). execute runs a transaction: it returns what it wrote, and whether its reads return what it saw.
func serial[S contents[S]](j *judge, realTime bool, execute func(t int, s S) (S, bool)) bool {
	before := func(a, b int) bool { return j.sessionBefore(a, b) || realTime && j.realTimeBefore(a, b) }
	return j.orders(before, func(order []int) bool {
		var s S
		for _, t := range order {
			writes, ok := execute(t, s)
			if !ok {
				return false
			}
			s = s.with(writes)
		}
		return true
	})
}

// snapshot looks for an order of commits, and for each transaction a start among them, at which it sees what it
// returned, such that nobody committed a key since that it writes, and its session's earlier ones had committed (SI as
// Berenson et al. describe it, with session order as in strong session SI). It is equivalent to the dependency graphs
// of Wei et al., definition 6 (Cerone and Gotsman).
func snapshot[S contents[S]](j *judge, execute func(t int, s S) (S, bool)) bool {
	return j.orders(j.sessionBefore, func(order []int) bool {
		states, wrote := make([]S, 1), []S{}
		for i, t := range order {
			var writes S
			for start, ok := i, false; !ok; start-- {
				if start < 0 || start < i && (j.sessionBefore(order[start], t) || overlap(wrote[start], j.h, t)) {
					return false
				}
				writes, ok = execute(t, states[start])
			}
			states, wrote = append(states, states[i].with(writes)), append(wrote, writes)
		}
		return true
	})
}

// overlap says whether transaction t writes some of these keys.
func overlap[S contents[S]](written S, h *register.History, t int) bool {
	return slices.ContainsFunc(h.TxnOps(t), func(op register.Op) bool {
		return (op.Kind == register.Write || op.Kind == register.Append) && written.has(op.Key)
	})
}

// orders tries all orders of the transactions in which before holds, until one passes. A beginning of an order that
// does not pass is not gone on with.
func (j *judge) orders(before func(a, b int) bool, passes func(order []int) bool) bool {
	var order []int
	follows := func(t int) bool {
		return !slices.Contains(order, t) && !slices.ContainsFunc(j.txns, func(u int) bool {
			return u != t && !slices.Contains(order, u) && before(u, t)
		})
	}
	var place func() bool
	place = func() bool {
		if !passes(order) {
			return false
		}
		if len(order) == len(j.txns) {
			return true
		}
		for _, t := range j.txns {
			if !follows(t) {
				continue
			}
			order = append(order, t)
			if place() {
				return true
			}
			order = order[:len(order)-1]
		}
		return false
	}
	return place()
}
