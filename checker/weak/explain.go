package weak

import (
	"fmt"

	"txweave/dbms"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// cyclic is the verdict where the transactions that are not in the order make a cycle.
func (c *judge) cyclic(order []int32) checker.Verdict {
	placed := make([]bool, len(c.h.Txns))
	for _, t := range order {
		placed[t] = true
	}
	cycle := checker.ShortCycle(len(placed), func(t int32) bool { return !placed[t] }, c.successors)
	edges := make([]checker.ExplainedEdge, len(cycle))
	var pairs []pair
	for i, s := range cycle {
		if s.Kind != history.CO {
			edges[i] = checker.Explain(c.R, s)
			continue
		}
		p := c.between(s.From, s.To)
		if p.via == none {
			edges[i] = checker.Explain(c.R, checker.Dependency{From: p.from, To: p.to, Kind: history.WW,
				Key: c.R.VersionKey[p.version]})
			continue
		}
		pairs = append(pairs, p)
		edges[i] = c.explain(p)
	}
	switch len(pairs) {
	case 0:
		return c.opt.Invalid(c.level, fault.HistoryCyclicInformationFlow, edges)
	case 1:
		return c.opt.Invalid(c.level, c.classify(pairs[0]), edges)
	default:
		return c.opt.Invalid(c.level, fault.HistoryConflictingOrder, edges)
	}
}

func (c *judge) successors(t int32, add func(int32, history.EdgeKind, int32)) {
	c.Depends(t, add)
	if c.first == nil {
		return
	}
	for _, p := range c.forced[c.first[t]:c.first[t+1]] {
		add(p.to, history.CO, -1)
	}
}

func (c *judge) between(from, to int32) pair {
	for _, p := range c.forced[c.first[from]:c.first[from+1]] {
		if p.to == to {
			return p
		}
	}
	panic("weak: no such pair")
}

// beforeInitial is the verdict where a transaction read an initial value although one that replaced it is visible to
// it.
func (c *judge) beforeInitial(p pair) checker.Verdict {
	path := c.path(p.from, p.via)
	stale := checker.Explain(c.R, checker.Dependency{From: p.via, To: p.from, Kind: history.RW,
		Key: c.R.VersionKey[p.version]})
	stale.Text = fmt.Sprintf("%s did %s, the initial value, which %s replaced: %s",
		stale.From, c.readOf(p.via, p.version), stale.To, c.writeOf(p))
	return c.opt.Invalid(c.level, c.classify(p), append(checker.ExplainAll(c.R, path), stale))
}

// classify names the anomaly of one forced pair that contradicts session order and wr.
func (c *judge) classify(p pair) fault.Kind {
	if c.level == dbms.RC {
		return fault.HistoryNonMonotonicRead
	}
	for _, v := range c.R.Sources(p.via) {
		switch {
		case v == checker.Inner:
		case v == p.version && c.readsFrom(p.via, p.from):
			return fault.HistoryFracturedRead // what it missed, it read before what it saw
		case c.R.VersionTxn[v] == p.from:
			return fault.HistoryNonMonotonicRead
		}
	}
	if c.sameSession(p.from, p.via) {
		return fault.HistorySessionGuaranteeViolation
	}
	return fault.HistoryCausalityViolation
}

func (c *judge) sameSession(a, b int32) bool {
	s := c.h.Txns[a].Session
	return c.opt.SessionOrder && s != register.NoSession && s == c.h.Txns[b].Session && a < b
}

func (c *judge) readsFrom(t, writer int32) bool {
	for _, v := range c.R.Sources(t) {
		if v != checker.Inner && c.R.VersionTxn[v] == writer {
			return true
		}
	}
	return false
}

// explain makes the edge of a forced pair.
func (c *judge) explain(p pair) checker.ExplainedEdge {
	e := checker.Explain(c.R, checker.Dependency{From: p.from, To: p.to, Kind: history.CO, Key: c.R.VersionKey[p.version]})
	via := c.h.TxnName(int(p.via))
	var seen string
	switch {
	case c.readsFrom(p.via, p.from):
		v := c.firstFrom(p.via, p.from)
		seen = fmt.Sprintf("%s, which it saw by %s, had written %s", e.From, c.readOf(p.via, v), c.writeOf(p))
	case c.sameSession(p.from, p.via):
		seen = fmt.Sprintf("%s, before it in session %s, had written %s", e.From,
			c.h.Name(c.h.SessionID(c.h.Txns[p.via].Session)), c.writeOf(p))
	default:
		seen = fmt.Sprintf("%s, in its causal past, had written %s", e.From, c.writeOf(p))
	}
	e.Text = fmt.Sprintf("%s did %s, which %s wrote, although %s: so %s comes before %s",
		via, c.readOf(p.via, p.version), e.To, seen, e.From, e.To)
	return e
}

func (c *judge) firstFrom(t, writer int32) int32 {
	for _, v := range c.R.Sources(t) {
		if v != checker.Inner && c.R.VersionTxn[v] == writer {
			return v
		}
	}
	return checker.Inner
}

// readOf prints the operation by which t read the version.
func (c *judge) readOf(t, version int32) string {
	for i, v := range c.R.Sources(t) {
		if v == version {
			return c.h.FormatOp(c.h.TxnOps(int(t))[i])
		}
	}
	return ""
}

// writeOf prints how the pair's first transaction wrote the key.
func (c *judge) writeOf(p pair) string {
	for v := c.R.FirstVersion[p.from]; v < c.R.FirstVersion[p.from+1]; v++ {
		if c.R.VersionKey[v] == c.R.VersionKey[p.version] {
			return c.h.FormatOp(c.h.Ops[c.R.VersionOp[v]])
		}
	}
	return ""
}

// path returns steps of session order and wr from one transaction to another that depends on it.
func (c *judge) path(from, to int32) []checker.Dependency {
	if v := c.firstFrom(to, from); v != checker.Inner {
		return []checker.Dependency{{From: from, To: to, Kind: history.WR, Key: c.R.VersionKey[v]}}
	}
	if c.sameSession(from, to) {
		return []checker.Dependency{{From: from, To: to, Kind: history.SO, Key: -1}}
	}
	return checker.ShortestPath(len(c.h.Txns), from, to, c.Depends)
}
