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
	"txweave/history"
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
	c := NewCutter(level, opt, history.ClockBounds{})
	for t := range h.Txns {
		c.Take(h, t)
	}
	out := make([][]int, c.Cut(most))
	for t := range h.Txns {
		if t != h.Initial {
			p := c.Part(h, t)
			out[p] = append(out[p], t)
		}
	}
	return out
}

// Cutter finds what of a history hangs together, transaction by transaction. A node stands for what hangs together:
// each key has one, and each transaction without operations.
type Cutter struct {
	level dbms.Level
	opt   checker.Options
	skew  history.ClockBounds
	of    sets
	ops   []int   // by node: operations of the transactions that were put there, and one for each
	keys  []int32 // by key: its node and 1; 0: none yet
	alone []int32 // the nodes of the transactions without operations
	given int     // how many of these Part has come to
	last  []ended // by session
	parts []int32 // by node: its part
}

// ended is the last transaction of a session.
type ended struct {
	node int32 // and 1; 0: there is none
	end  int64
}

// NewCutter returns one for a level and histories of clients whose clocks may be off by so much.
func NewCutter(level dbms.Level, opt checker.Options, skew history.ClockBounds) *Cutter {
	return &Cutter{level: level, opt: opt, skew: skew}
}

// Take takes the next transaction: t of h, whose keys and sessions have the same numbers in all histories that it gets.
func (c *Cutter) Take(h *register.History, t int) {
	ops := h.TxnOps(t)
	if t == h.Initial {
		return
	}
	var node int32
	if len(ops) == 0 {
		node = c.newNode()
		c.alone = append(c.alone, node)
	} else {
		node = c.keyNode(ops[0].Key)
		for _, op := range ops[1:] {
			c.of.join(node, c.keyNode(op.Key))
		}
	}
	c.ops[node] += len(ops) + 1
	s := h.Txns[t].Session
	if s == register.NoSession || !c.opt.SessionOrder || c.level == dbms.LIN {
		return
	}
	c.last = append(c.last, make([]ended, max(0, int(s)+1-len(c.last)))...)
	if before := c.last[s]; before.node > 0 && !c.inTime(h, before.end, t) {
		c.of.join(before.node-1, node)
	}
	c.last[s] = ended{node + 1, h.End(t)}
}

// inTime says whether the level knows by the times of the history that a transaction of the session ended before t
// began, however far off the session's clock was.
func (c *Cutter) inTime(h *register.History, end int64, t int) bool {
	off := c.skew.Session(h.SessionID(h.Txns[t].Session))
	return c.level == dbms.SSER && h.RealTime && end < register.Forever-off && end+off < h.Start(t)-off
}

func (c *Cutter) newNode() int32 {
	n := int32(len(c.of))
	c.of, c.ops = append(c.of, n), append(c.ops, 0)
	return n
}

func (c *Cutter) keyNode(key int32) int32 {
	c.keys = append(c.keys, make([]int32, max(0, int(key)+1-len(c.keys)))...)
	if c.keys[key] == 0 {
		c.keys[key] = c.newNode() + 1
	}
	return c.keys[key] - 1
}

// Cut makes at most so many parts of about the same size of what has been taken, and says how many there are.
func (c *Cutter) Cut(most int) int {
	size := make([]int, len(c.of)) // by node that stands for others
	var roots []int32
	for n := range c.of {
		root := c.of.find(int32(n))
		if root == int32(n) {
			roots = append(roots, root)
		}
		size[root] += c.ops[n]
	}
	slices.SortStableFunc(roots, func(a, b int32) int { return cmp.Compare(size[b], size[a]) })
	full := make([]int, min(most, len(roots)))
	c.parts = make([]int32, len(c.of))
	for _, root := range roots {
		least := 0
		for p := range full {
			if full[p] < full[least] {
				least = p
			}
		}
		full[least] += size[root]
		c.parts[root] = int32(least)
	}
	return len(full)
}

// Part says which part the next transaction is of: t of h, from the first one on once more.
func (c *Cutter) Part(h *register.History, t int) int {
	ops := h.TxnOps(t)
	if len(ops) == 0 {
		c.given++
		return int(c.parts[c.of.find(c.alone[c.given-1])])
	}
	return c.PartOf(ops[0].Key)
}

// PartOf says which part a key is of; 0 of one that no transaction but the initial one uses.
func (c *Cutter) PartOf(key int32) int {
	if int(key) >= len(c.keys) || c.keys[key] == 0 {
		return 0
	}
	return int(c.parts[c.of.find(c.keys[key]-1)])
}

// sets are disjoint sets of keys.
type sets []int32

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
