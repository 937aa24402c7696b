// Package parts cuts a history into parts that can be judged one by one, by several workers or on several machines. The
// history is of a level where all parts are, and is not where one is not.
//
// Two transactions go into one part where they use the same key, and where the level has an order between them that is
// not in the times of the history: transactions of one session. A part is a union of connected components of that
// graph.
//
// That is sound and complete. A part of a history that is of a level is of it, too: the order that shows it for the
// whole does so for the transactions of the part, as the writer of what they read is among them. Conversely, let each
// part have its order.
//
//   - rc, ra, tcc, si and ser (Biswas and Enea, figure 2; Wei et al., definitions 5 and 6) demand that a relation over
//     the transactions is acyclic, or may be made a total order: session order, reads, versions, and what the axiom
//     derives of them for one key. All of these stay within a part, so a cycle does, and there is none. The orders of
//     the parts one after the other are an order of all.
//   - sser and lin have real time, too, which is between parts. A part is then what Herlihy and Wing (TOPLAS 1990,
//     theorem 1: linearizability is local) call an object, and each transaction uses one of them. Suppose the orders of
//     the parts and real time had a cycle, and take the shortest. As both are transitive, they alternate: in it are a
//     before b by time, b before c by the order of their part, c before d by time. In that part c does not end before b
//     begins, as its order has real time. So a ends before b begins, that is no later than c ends, and that is before d
//     begins: a is before d by time, and the cycle was not the shortest. One of two steps would lie in one part.
//
// A session's order is in its times where each transaction ends before the next one begins. It is not where the
// intervals were widened for the skew of clocks: they overlap then, and the two go into one part.
package parts

import (
	"cmp"
	"context"
	"slices"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	"txweave/history/register"
)

// Holds says whether parts that were cut for one level are parts at another: whether what connects two transactions
// there did so here. The clocks' skew matters where it decides which transactions of a session overlap.
func Holds(cut, at register.Cut) bool {
	have, want := connects(cut), connects(at)
	return have > want || have == want && (have != sessionsByTime || cut.ClockSkew == at.ClockSkew)
}

// What connects transactions, each more than the one before it.
const (
	keysAlone      = iota // the keys that they use
	sessionsByTime        // and the transactions of a session that overlap
	wholeSessions         // and all transactions of a session
)

func connects(c register.Cut) int {
	switch level := dbms.Level(c.Level); {
	case !c.SessionOrder || level == dbms.LIN:
		return keysAlone
	case level == dbms.SSER:
		return sessionsByTime
	}
	return wholeSessions
}

// Most is how many parts Check cuts a history into: more than workers, so that all have something to do to the end.
const Most = 64

// Cut cuts a history into at most so many parts of about the same size, each the indices of its transactions in
// ascending order. The initial transaction is in none of them: it belongs to all. There is one part of a history that
// hangs together.
func Cut(h *register.History, level dbms.Level, opt checker.Options, most int) [][]int {
	components := components(h, level, opt)
	slices.SortStableFunc(components, func(a, b component) int { return cmp.Compare(b.ops, a.ops) })
	parts := make([]component, min(most, len(components)))
	for _, c := range components {
		least := &parts[0]
		for i := range parts {
			if parts[i].ops < least.ops {
				least = &parts[i]
			}
		}
		least.ops += c.ops
		least.txns = append(least.txns, c.txns...)
	}
	out := make([][]int, len(parts))
	for i := range parts {
		slices.Sort(parts[i].txns)
		out[i] = parts[i].txns
	}
	return out
}

// component is a set of transactions that hang together.
type component struct {
	txns []int
	ops  int // … of theirs, and one for each
}

// components finds them. Keys stand for the transactions that use them; one that uses none stands for itself.
func components(h *register.History, level dbms.Level, opt checker.Options) (out []component) {
	of := newSets(h.Keys())
	alone := map[int]int32{} // by transaction without operations: what stands for it
	node := func(t int) int32 {
		if ops := h.TxnOps(t); len(ops) > 0 {
			return ops[0].Key
		}
		return alone[t]
	}
	last := make([]int, h.Sessions()) // transaction of the session, and 1
	for t := range h.Txns {
		if t == h.Initial {
			continue
		}
		ops := h.TxnOps(t)
		if len(ops) == 0 {
			alone[t] = int32(len(of))
			of = append(of, alone[t])
		}
		for _, op := range ops {
			of.join(ops[0].Key, op.Key)
		}
		s := h.Txns[t].Session
		if s == register.NoSession || !opt.SessionOrder || level == dbms.LIN {
			continue
		}
		if before := last[s] - 1; before >= 0 && !inTime(h, level, before, t) {
			of.join(node(before), node(t))
		}
		last[s] = t + 1
	}
	at := make([]int, len(of)) // by what stands for a component: its number, and 1
	for t := range h.Txns {
		if t == h.Initial {
			continue
		}
		root := of.find(node(t))
		if at[root] == 0 {
			out = append(out, component{})
			at[root] = len(out)
		}
		c := &out[at[root]-1]
		c.txns, c.ops = append(c.txns, t), c.ops+len(h.TxnOps(t))+1
	}
	return out
}

// inTime says whether the level knows by the times of the history that one transaction came before another.
func inTime(h *register.History, level dbms.Level, before, after int) bool {
	return level == dbms.SSER && h.RealTime && h.End(before) < h.Start(after)
}

// sets are disjoint sets of keys.
type sets []int32

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func (s sets) find(key int32) int32 {
	for s[key] != key {
		s[key] = s[s[key]]
		key = s[key]
	}
	return key
}

func (s sets) join(a, b int32) { s[s.find(a)] = s.find(b) }

// Check judges a history part by part, by so many workers. The verdict does not depend on how many there are: it is
// that of the first part that is invalid, else of the first one that is unknown. What is wrong with one part makes the
// whole invalid, even where another one cannot be judged.
func Check(ctx context.Context, h *register.History, level dbms.Level, opt checker.Options,
	workers int) checker.Verdict {
	cut := Cut(h, level, opt, Most)
	if len(cut) < 2 {
		return blackbox.Check(ctx, h, level, opt)
	}
	v := checker.Each(len(cut), workers, func(i int) *checker.Verdict {
		part := h.Part(cut[i])
		v := blackbox.Check(ctx, part, level, opt)
		if v.Outcome == checker.Valid {
			return nil
		}
		within(&v, h, cut[i])
		return &v
	})
	if v != nil {
		return *v
	}
	return opt.Valid(level)
}

// within makes indices of the whole of those of a part in a verdict.
func within(v *checker.Verdict, h *register.History, txns []int) {
	index := func(t int) int {
		switch {
		case t < 0:
			return t
		case h.Initial < 0:
			return txns[t]
		case t == 0:
			return h.Initial
		}
		return txns[t-1]
	}
	all := [][]checker.ExplainedEdge{v.Counterexample}
	if v.Second != nil {
		all = append(all, v.Second.Edges)
	}
	for _, edges := range all {
		for i := range edges {
			edges[i].FromTxn, edges[i].ToTxn = index(edges[i].FromTxn), index(edges[i].ToTxn)
		}
	}
}
