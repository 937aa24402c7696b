// Package minitx checks histories of mini-transactions against serializability, snapshot isolation and strict
// serializability (Wei et al., "Boosting End-to-End Database Isolation Checking via Mini-Transactions", ICDE 2025):
// because every write follows a read of its key, and values are unique, the order of versions is known, and so is the
// dependency graph. The claim that it checks: the graph is acyclic (SER), also with real time (SSER), or has only
// cycles with two anti-dependencies in a row and no lost update (SI).
//
// SER and SI take time linear in the number of operations. SSER takes sorting the times on top: real time is a chain
// of moments rather than an edge for every pair of transactions.
//
// The paper's limits of two reads and two writes only bound the work of running the transactions: this checker takes
// transactions of any length in which every write follows a read. Where one does not, or a value that was written twice
// is read, or real time is missing, the verdict is unknown and says so; it is never valid.
package minitx

import (
	"cmp"
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
	"txweave/internal/graph"
)

// Check judges a history at SI, SER or SSER.
func Check(h *register.History, level dbms.Level, opt checker.Options) checker.Verdict {
	switch level {
	case dbms.SI, dbms.SER, dbms.SSER:
	default:
		return opt.Unknown(level, checker.Supported, "the mini-transaction checker does not know this level")
	}
	if level == dbms.SSER && !h.RealTime {
		return opt.Unknown(level, checker.RealTime, "the history has no real time")
	}
	r, verdict := checker.Trace(h, level, opt)
	if verdict != nil {
		return *verdict
	}
	g, verdict := build(r, level, opt)
	if verdict != nil {
		return *verdict
	}
	if level == dbms.SSER {
		g.realTime()
	}
	left := g.peel(level)
	if left == nil {
		return r.Valid(level, opt)
	}
	if level == dbms.SSER {
		// A cycle that needs no real time says more.
		plain := *g
		plain.startOrder = nil
		if l := plain.peel(dbms.SER); l != nil {
			return plain.cyclic(level, dbms.SER, l)
		}
	}
	return g.cyclic(level, level, left)
}

// realTime builds the chain of moments. Transactions whose times meet in one instant are concurrent.
func (g *dependencies) realTime() {
	h := g.h
	taken := make([]int32, 0, len(h.Txns))
	g.afterEnd = make([]int32, len(h.Txns))
	for t := range h.Txns {
		if g.R.Taken[t] && t != h.Initial {
			taken = append(taken, int32(t))
		}
	}
	g.startOrder = sortedBy(taken, func(t int32) int64 { return h.Start(int(t)) })
	at := 0
	for _, t := range sortedBy(taken, func(t int32) int64 { return h.End(int(t)) }) {
		for at < len(g.startOrder) && h.Start(int(g.startOrder[at])) <= h.End(int(t)) {
			at++
		}
		g.afterEnd[t] = int32(at)
	}
}

// sortedBy returns transactions in the order of a time, those of one time as they are: the same slice where they lie in
// it already.
func sortedBy(txns []int32, time func(int32) int64) []int32 {
	if slices.IsSortedFunc(txns, func(a, b int32) int { return cmp.Compare(time(a), time(b)) }) {
		return txns
	}
	type timed struct {
		time int64
		txn  int32
	}
	keyed := make([]timed, len(txns))
	for i, t := range txns {
		keyed[i] = timed{time(t), t}
	}
	slices.SortStableFunc(keyed, func(a, b timed) int { return cmp.Compare(a.time, b.time) })
	sorted := make([]int32, len(keyed))
	for i, k := range keyed {
		sorted[i] = k.txn
	}
	return sorted
}

// The nodes of the graph that is peeled: n transactions; at SI another n, the transactions as arrived at by a
// dependency, which an anti-dependency may follow (a cycle is then one of (SO ∪ WR ∪ WW) ; RW?, definition 6); at SSER
// the moments.
func (g *dependencies) nodes(level dbms.Level) int {
	n := len(g.h.Txns)
	switch level {
	case dbms.SI:
		return 2 * n
	case dbms.SSER:
		return n + len(g.startOrder)
	default:
		return n
	}
}

// successors returns the edges between nodes. It is what peel follows, spelled out for the search for a cycle.
func (g *dependencies) successors(level dbms.Level) checker.Adjacency {
	n := int32(len(g.h.Txns))
	return func(u int32, add func(int32, history.EdgeKind, int32)) {
		switch {
		case level == dbms.SI && u < n:
			g.Depends(u, func(to int32, k history.EdgeKind, key int32) { add(to+n, k, key) })
		case level == dbms.SI:
			add(u-n, history.NoEdge, -1)
			g.antiDepends(u-n, add)
		case u < n:
			g.Depends(u, add)
			g.antiDepends(u, add)
			if level == dbms.SSER && int(u) != g.h.Initial && int(g.afterEnd[u]) < len(g.startOrder) {
				add(n+g.afterEnd[u], history.RT, -1)
			}
		default:
			add(g.startOrder[u-n], history.NoEdge, -1)
			if int(u-n)+1 < len(g.startOrder) {
				add(u+1, history.NoEdge, -1)
			}
		}
	}
}

// peel takes away, again and again, nodes that nothing left comes before. It returns nil if nothing is left: the
// graph is acyclic. Else it returns, by node, how many edges from what is left lead to it.
func (g *dependencies) peel(level dbms.Level) []int32 {
	degree := g.degrees(level)
	order := graph.Order(degree, func(u int32, buf []int32) []int32 { return g.arcs(level, u, buf) })
	if len(order) == len(degree) {
		return nil
	}
	return degree
}

// arcs appends what successors leads to.
func (g *dependencies) arcs(level dbms.Level, u int32, buf []int32) []int32 {
	n := int32(len(g.h.Txns))
	switch {
	case level == dbms.SI && u < n:
		return g.follows(u, n, buf)
	case level == dbms.SI: // arrived at
		return g.overwrites(u-n, append(buf, u-n))
	case u >= n: // a moment of real time
		if buf = append(buf, g.startOrder[u-n]); int(u-n)+1 < len(g.startOrder) {
			buf = append(buf, u+1)
		}
		return buf
	}
	buf = g.overwrites(u, g.follows(u, 0, buf))
	if level == dbms.SSER && int(u) != g.h.Initial && g.R.Taken[u] && int(g.afterEnd[u]) < len(g.startOrder) {
		buf = append(buf, n+g.afterEnd[u])
	}
	return buf
}

// follows appends the transactions that come after one in its session or read from it, as the nodes offset behind
// theirs.
func (g *dependencies) follows(t, offset int32, buf []int32) []int32 {
	if s := g.NextSO[t]; s != none {
		buf = append(buf, s+offset)
	}
	for v := g.R.FirstVersion[t]; v < g.R.FirstVersion[t+1]; v++ {
		for _, to := range g.ReadersOf(v) {
			buf = append(buf, to+offset)
		}
	}
	return buf
}

// overwrites appends the transactions that replaced what one read.
func (g *dependencies) overwrites(t int32, buf []int32) []int32 {
	for _, v := range g.R.Sources(t) {
		if v == checker.Inner {
			continue
		}
		if o := g.Versions[v].Over; o != none && o != t {
			buf = append(buf, o)
		}
	}
	return buf
}

// degrees counts the edges into each node.
func (g *dependencies) degrees(level dbms.Level) []int32 {
	n := int32(len(g.h.Txns))
	degree := make([]int32, g.nodes(level))
	arrived := int32(0)
	if level == dbms.SI {
		arrived = n
	}
	for t := range n {
		if !g.R.Taken[t] {
			continue
		}
		if next := g.NextSO[t]; next != none {
			degree[next+arrived]++
		}
		if level == dbms.SI {
			degree[t]++ // from itself, as arrived at
		}
		for _, v := range g.R.Sources(t) {
			if v == checker.Inner {
				continue
			}
			if g.R.VersionTxn[v] >= 0 {
				degree[t+arrived]++
			}
			if x := &g.Versions[v]; x.Over == t {
				degree[t] += x.Readers - 1
			}
		}
	}
	if level == dbms.SSER {
		g.timeDegrees(degree)
	}
	return degree
}

// timeDegrees counts the edges of real time.
func (g *dependencies) timeDegrees(degree []int32) {
	n := int32(len(g.h.Txns))
	for i, t := range g.startOrder {
		degree[t]++
		if i > 0 {
			degree[n+int32(i)]++
		}
		if a := g.afterEnd[t]; int(a) < len(g.startOrder) {
			degree[n+a]++
		}
	}
}

// cyclic is the verdict on a graph that peeling left something of. A second cycle is one that shares no transaction
// with the first one.
func (g *dependencies) cyclic(level, peeled dbms.Level, left []int32) checker.Verdict {
	taken := map[int32]bool{}
	edges := g.cycle(peeled, left, taken)
	v := g.opt.Invalid(level, checker.Classify(g.h, edges), edges)
	for _, e := range edges {
		taken[int32(e.FromTxn)] = true
	}
	if more := g.cycle(peeled, left, taken); more != nil {
		v.Second = checker.NewCycle(g.h, more)
	}
	return v
}

// cycle returns a short cycle of what peeling left, without the transactions that are taken; nil if there is none.
func (g *dependencies) cycle(peeled dbms.Level, left []int32, taken map[int32]bool) []checker.ExplainedEdge {
	n := int32(len(g.h.Txns))
	free := func(u int32) bool {
		if u >= n && peeled == dbms.SI {
			return left[u] > 0 && !taken[u-n]
		}
		return left[u] > 0 && !taken[u]
	}
	steps := checker.ShortCycle(len(left), free, g.successors(peeled))
	// Nodes that are one transaction are joined, and so are the moments between two transactions.
	var cycle []checker.Dependency
	for i, s := range steps {
		if s.From >= n && peeled == dbms.SSER || s.Kind == history.NoEdge {
			continue
		}
		s.From %= n
		for j := i; ; j++ {
			next := steps[j%len(steps)]
			if next.To < n || peeled == dbms.SI {
				s.To = next.To % n
				break
			}
		}
		cycle = append(cycle, s)
	}
	if cycle == nil {
		return nil
	}
	return checker.ExplainAll(g.R, cycle)
}
