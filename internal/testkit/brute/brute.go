// Package brute judges small histories by the definitions themselves: it looks for an order of the transactions that
// the level's definition allows, among all orders. It shares no code with the checkers, whose tests compare with it.
package brute

import (
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
)

// Valid says whether the history of registers or lists satisfies the level. Transactions of unknown outcome count or
// not, whichever makes it valid. Values must be unique at RC, RA and TCC. It takes time exponential in the number of
// transactions: use it for up to six or seven.
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
		return j.serialLists(false)
	case level == dbms.SER:
		return j.serial(false)
	case level == dbms.SSER && lists:
		return j.serialLists(true)
	case level == dbms.SSER, level == dbms.LIN:
		return j.serial(true)
	case level == dbms.SI && lists:
		return j.snapshotLists()
	case level == dbms.SI:
		return j.snapshot()
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

// serial looks for a serial order in which every read returns what it returned (SER: Wei et al., definition 5; SSER:
// definition 4).
func (j *judge) serial(realTime bool) bool {
	placed := make(map[int]bool)
	var place func(s state) bool
	place = func(s state) bool {
		if len(placed) == len(j.txns) {
			return true
		}
	next:
		for _, t := range j.txns {
			if placed[t] {
				continue
			}
			for _, u := range j.txns {
				if !placed[u] && u != t && (j.sessionBefore(u, t) || realTime && j.realTimeBefore(u, t)) {
					continue next
				}
			}
			writes, ok := j.execute(t, s)
			if !ok {
				continue
			}
			after := state{}
			for k, v := range s {
				after[k] = v
			}
			for k, v := range writes {
				after[k] = v
			}
			placed[t] = true
			if place(after) {
				return true
			}
			delete(placed, t)
		}
		return false
	}
	return place(state{})
}

// snapshot looks for an order of starts and commits in which every transaction reads the state at its start and none
// commits a key that another one committed since (SI as Berenson et al. describe it, with session order as in strong
// session SI). It is equivalent to the dependency graphs of Wei et al., definition 6 (Cerone and Gotsman).
func (j *judge) snapshot() bool {
	started, committed := map[int]int{}, map[int]bool{} // started: at which step
	writes := map[int]state{}
	lastCommit := map[int32]int{} // by key: step of its last commit
	step := 0
	var next func(s state) bool
	next = func(s state) bool {
		if len(committed) == len(j.txns) {
			return true
		}
		step++
		defer func() { step-- }()
	start:
		for _, t := range j.txns {
			if _, ok := started[t]; ok {
				continue
			}
			for _, u := range j.txns {
				if !committed[u] && j.sessionBefore(u, t) {
					continue start
				}
			}
			w, ok := j.execute(t, s)
			if !ok {
				continue
			}
			started[t], writes[t] = step, w
			if next(s) {
				return true
			}
			delete(started, t)
		}
	commit:
		for _, t := range j.txns {
			at, ok := started[t]
			if !ok || committed[t] {
				continue
			}
			for k := range writes[t] {
				if lastCommit[k] > at {
					continue commit
				}
			}
			after, old := state{}, map[int32]int{}
			for k, v := range s {
				after[k] = v
			}
			for k, v := range writes[t] {
				after[k] = v
				old[k] = lastCommit[k]
				lastCommit[k] = step
			}
			committed[t] = true
			if next(after) {
				return true
			}
			delete(committed, t)
			for k, v := range old {
				lastCommit[k] = v
			}
		}
		return false
	}
	return next(state{})
}
