// Package polygraph checks general histories of registers and lists, blind writes included, against serializability,
// snapshot isolation and strict serializability. It follows Cobra (Tan et al., OSDI 2020) and King Cobra (Clark et
// al., section 7): a graph of what is known, and for each key pairs of writes whose order is not known. The claim
// that it checks: some choice of these orders leaves the graph without a cycle.
//
// What is known comes first and the search last. Writes that each read the one before are one chain (combining writes);
// the reads and the last write of a chain constrain another chain's head together (coalescing). An order of all
// transactions is then looked for directly, which settles most valid histories. Where that fails, pairs are decided by
// reachability (pruning), and only the pairs that an attempted order violates are given to a SAT solver, whose
// cycles come back to it as clauses.
package polygraph

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
)

// VersionOrder gives for keys the values that they held, in order. Values may be missing anywhere.
type VersionOrder map[int32][]int64

// Options of Check.
type Options struct {
	checker.Options
	// Order is what is known of the order of versions beyond the history, from the database for example. A cycle
	// that it closes counts: the verdict is then one on the history and this order.
	Order VersionOrder
	// MaxClosure bounds the memory for reachability, in bytes; 0: 512 MiB. Beyond it the search has to do without.
	MaxClosure int
}

const (
	// rounds bounds the calls of the SAT solver: then the verdict is unknown.
	rounds            = 20_000
	defaultMaxClosure = 512 << 20
	// Where an attempted order violates few pairs, the search is tried before all other pairs are decided.
	fewViolated = 1000
	fewRounds   = 100
)

// Check judges a history at SI, SER or SSER.
func Check(ctx context.Context, h *register.History, level dbms.Level, opt Options) checker.Verdict {
	switch level {
	case dbms.SI, dbms.SER, dbms.SSER:
	default:
		return opt.Unknown(level, checker.Supported, "the checker for general histories does not know this level")
	}
	if level == dbms.SSER && !h.RealTime {
		return opt.Unknown(level, checker.RealTime, "the history has no real time")
	}
	h, lists, verdict := checker.FromLists(h, level, opt.Options)
	if verdict != nil {
		return *verdict
	}
	r, verdict := checker.Trace(h, level, opt.Options)
	if verdict != nil {
		return *verdict
	}
	return judge(ctx, r, level, opt, func(g *polygraph) {
		if lists != nil {
			g.applyOrder(g.versionsOf(lists), true)
		} else {
			g.applyOrder(g.versionsOf(opt.Order), false)
		}
	})
}

// CheckTraced judges a history of registers whose reads have been traced, at SI or SER, with what is known of the order
// of each key's versions, by their numbers. Versions may be missing anywhere.
func CheckTraced(ctx context.Context, r *checker.Reads, level dbms.Level, opt Options,
	order [][]int32) checker.Verdict {
	return judge(ctx, r, level, opt, func(g *polygraph) { g.applyOrder(order, false) })
}

// judge builds the graph, adds what is known beyond the history, and decides.
func judge(ctx context.Context, r *checker.Reads, level dbms.Level, opt Options,
	know func(*polygraph)) checker.Verdict {
	g, verdict := build(r, level, opt)
	if verdict != nil {
		return *verdict
	}
	g.stopped = func() bool { return ctx.Err() != nil }
	know(g)
	v := g.solve()
	if v.Unmet == checker.SearchBudget {
		return *cmp.Or(opt.Stopped(ctx, level), &v)
	}
	return v
}

// solve decides the graph: what is known, then an attempted order, then reachability, then the search.
func (g *polygraph) solve() checker.Verdict {
	if v := g.knownCycle(); v != nil {
		return *v
	}
	if len(g.attempt(nil).violated) == 0 {
		return g.r.Valid(g.level, g.opt.Options)
	}
	g.known = make([]int, len(g.succ))
	for u, arcs := range g.succ {
		g.known[u] = len(arcs)
	}
	limit := cmp.Or(g.opt.MaxClosure, defaultMaxClosure)
	p, v := g.prune(limit)
	if v != nil {
		return *v
	}
	if p == nil {
		return g.search(rounds)
	}
	g.hint = p.positions()
	violated := len(g.attempt(nil).violated)
	if violated == 0 {
		return g.r.Valid(g.level, g.opt.Options)
	}
	if violated <= fewViolated {
		if v := g.search(fewRounds); v.Outcome != checker.Unknown {
			return v
		}
	}
	if p.decide(limit) {
		return g.r.Valid(g.level, g.opt.Options)
	}
	if p.propagate(limit, 0) == cyclic {
		return *g.knownCycle()
	}
	return g.search(rounds)
}

// knownCycle returns the verdict on a cycle of what is known, or nil.
func (g *polygraph) knownCycle() *checker.Verdict {
	if g.topological() != nil {
		return nil
	}
	v := g.invalid(checker.ShortCycle(len(g.succ), func(int32) bool { return true }, g.successors(nil)))
	taken := map[int32]bool{}
	for _, e := range v.Counterexample {
		taken[int32(e.FromTxn)] = true
	}
	free := func(u int32) bool {
		t := g.txn(u)
		return t < 0 || !taken[t]
	}
	if steps := checker.ShortCycle(len(g.succ), free, g.successors(nil)); steps != nil {
		v.Second = checker.NewCycle(g.h, g.edges(steps))
	}
	return &v
}

// invalid is the verdict on a cycle of the graph's nodes.
func (g *polygraph) invalid(steps []checker.Dependency) checker.Verdict {
	edges := g.edges(steps)
	return g.opt.Invalid(g.level, checker.Classify(g.h, edges), edges)
}

// edges explains a cycle of the graph's nodes.
func (g *polygraph) edges(steps []checker.Dependency) []checker.ExplainedEdge {
	cycle, inferred := g.join(steps)
	edges := checker.ExplainAll(g.r, cycle)
	for i := range edges {
		if inferred[i] {
			edges[i].Text += " (the other way round there is a cycle too)"
		}
	}
	return edges
}

// join makes of a cycle of nodes one of transactions: an edge begins with a step that has a kind and ends at the next
// node that is a transaction. It says of each one whether it is inferred or chosen, rather than known.
func (g *polygraph) join(steps []checker.Dependency) (cycle []checker.Dependency, inferred []bool) {
	for i, s := range steps {
		if s.Kind == history.NoEdge {
			continue
		}
		known := g.isKnown(s)
		s.From = g.txn(s.From)
		for j := i; ; j++ {
			if t := g.txn(steps[j%len(steps)].To); t >= 0 {
				s.To = t
				break
			}
		}
		if s.From != s.To {
			cycle, inferred = append(cycle, s), append(inferred, !known)
		}
	}
	return cycle, inferred
}

// isKnown says whether an edge was there before any was inferred.
func (g *polygraph) isKnown(s checker.Dependency) bool {
	if g.known == nil {
		return true
	}
	return slices.ContainsFunc(g.succ[s.From][:g.known[s.From]], func(a arc) bool {
		return a.to == s.To && a.kind == s.Kind && a.key == s.Key
	})
}

// noOrder is the verdict where every choice leads to a cycle, of which one example is shown.
func (g *polygraph) noOrder(steps []checker.Dependency, choices int) checker.Verdict {
	v := g.invalid(steps)
	v.Reason += fmt.Sprintf(" (one of the cycles to which every order of the writes leads; %d pairs of writes were tried)",
		choices)
	return v
}
