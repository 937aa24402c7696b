package certificate

import (
	"fmt"
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
)

// edge is one of the direct serialization graph. The graph is not stored, but for what goes through predicates: a
// transaction's edges follow from its versions, its reads and its session.
type edge struct {
	from, to int32
	kind     history.EdgeKind
	key      int32
	// pred is, of what goes through a predicate, its index, and version the one that changes its matches.
	pred, version int32
}

// out calls add for every edge from a transaction, always in the same order.
func (k *judge) out(t int32, add func(edge)) {
	if !k.r.Taken[t] {
		return
	}
	plain := func(to int32, kind history.EdgeKind, key int32) {
		if to != t {
			add(edge{t, to, kind, key, -1, -1})
		}
	}
	if int(t) == k.h.Initial {
		for to := range int32(len(k.h.Txns)) {
			if k.r.Taken[to] {
				plain(to, history.SO, -1)
			}
		}
	}
	k.d.Depends(t, plain)
	for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
		if next := k.after(v); next != checker.None && !k.reborn(v) {
			plain(k.r.VersionTxn[next], history.WW, k.r.VersionKey[v])
		}
	}
	for _, v := range k.r.Sources(t) {
		if v != checker.Inner {
			k.antiDepends(v, plain)
		}
	}
	for _, e := range k.pred[t] {
		add(e)
	}
}

// antiDepends calls add for those that overwrote a version that was read.
func (k *judge) antiDepends(v int32, add func(to int32, kind history.EdgeKind, key int32)) {
	for next := k.after(v); next != checker.None; next = k.after(next) {
		add(k.r.VersionTxn[next], history.RW, k.r.VersionKey[v])
		if !k.reborn(next) { // else what comes after it follows from nothing
			return
		}
	}
}

// anti says whether an edge is an anti-dependency.
func anti(kind history.EdgeKind) bool { return kind == history.RW || kind == history.PRW }

// counts says whether an edge is one of the cycles that a level other than SI forbids (Adya, Liskov and O'Neil, section
// 5): at RC those are of dependencies alone (G1c). At RR the anti-dependencies of reads count, too (G2-item), those of
// searches do not: locks on what was read keep nobody from changing what a search would find.
func (k *judge) counts(kind history.EdgeKind) bool {
	switch k.level {
	case dbms.RC:
		return !anti(kind)
	case dbms.RR:
		return kind != history.PRW
	}
	return true
}

// cycle looks for the cycle that the level forbids. At SI that is one without two anti-dependencies in a row (Fekete et
// al., TODS 2005; Cerone and Gotsman, PODC 2016): a transaction is two nodes, the odd one reached by an
// anti-dependency, from which no other one leads on.
func (k *judge) cycle() *checker.Verdict {
	all := func(int32) bool { return true }
	var cycle []checker.Dependency
	switch k.level {
	default:
		cycle = checker.ShortCycle(len(k.h.Txns), all, func(t int32, add func(int32, history.EdgeKind, int32)) {
			k.out(t, func(e edge) {
				if k.counts(e.kind) {
					add(e.to, e.kind, e.key)
				}
			})
		})
	case dbms.SI:
		cycle = checker.ShortCycle(2*len(k.h.Txns), all, func(node int32, add func(int32, history.EdgeKind, int32)) {
			k.out(node/2, func(e edge) {
				switch {
				case !anti(e.kind):
					add(2*e.to, e.kind, e.key)
				case node%2 == 0:
					add(2*e.to+1, e.kind, e.key)
				}
			})
		})
		for i := range cycle {
			cycle[i].From, cycle[i].To = cycle[i].From/2, cycle[i].To/2
		}
	}
	if cycle == nil {
		return nil
	}
	edges := make([]checker.ExplainedEdge, len(cycle))
	for i, s := range cycle {
		edges[i] = k.explain(k.find(s))
	}
	return k.invalid(k.classify(edges), edges...)
}

// find returns the edge of a step.
func (k *judge) find(s checker.Dependency) (found edge) {
	found.from = checker.None
	k.out(s.From, func(e edge) {
		if found.from == checker.None && e.to == s.To && e.kind == s.Kind && e.key == s.Key {
			found = e
		}
	})
	if found.from == checker.None {
		panic("certificate: a step that is no edge")
	}
	return found
}

// classify names a cycle. A search that misses a change of a transaction which another read of its own transaction has
// seen is predicate-many-preceders (Bailis et al., Highly Available Transactions: of two predicate reads of one
// transaction the sets of transactions that changed the matches differ). A lost update with blind version order is one
// read and two writes of a key.
func (k *judge) classify(edges []checker.ExplainedEdge) fault.Kind {
	is := func(kinds ...history.EdgeKind) bool {
		return slices.ContainsFunc(edges, func(e checker.ExplainedEdge) bool { return slices.Contains(kinds, e.Kind) })
	}
	switch {
	case is(history.PRW) && len(edges) == 2 && is(history.PWR, history.WR):
		return fault.PMP
	case is(history.PRW):
		return fault.HistoryPhantom
	}
	if len(edges) == 2 && edges[0].Key == edges[1].Key {
		kinds := []history.EdgeKind{edges[0].Kind, edges[1].Kind}
		if slices.Contains(kinds, history.RW) && slices.Contains(kinds, history.WW) {
			return fault.HistoryLostUpdate
		}
	}
	return checker.Classify(k.h, edges)
}

// explain makes an edge of a counterexample.
func (k *judge) explain(e edge) checker.ExplainedEdge {
	if e.pred < 0 {
		return checker.Explain(k.r, checker.Dependency{From: e.from, To: e.to, Kind: e.kind, Key: e.key})
	}
	from, to, key := k.h.TxnName(int(e.from)), k.h.TxnName(int(e.to)), k.h.KeyName(e.key)
	p := &k.c.Predicates[e.pred]
	out := checker.ExplainedEdge{From: from, To: to, FromTxn: int(e.from), ToTxn: int(e.to), Kind: e.kind, Key: key}
	m := k.found[search{p.Table, p.Where}]
	now := m.matches(e.key, state{place: k.place[e.version]})
	what := fmt.Sprintf("wrote version %d of %s, which %s", k.value(e.version), key, map[bool]string{true: "matches",
		false: "unlike the one before does not match"}[now])
	if e.kind == history.PWR {
		out.Text = fmt.Sprintf("%s %s, before %s searched for %s and saw %s", from, what, to, k.name(p), k.seenText(p, e.key))
	} else {
		out.Text = fmt.Sprintf("%s searched for %s and saw %s; after that %s %s", from, k.name(p),
			k.seenText(p, e.key), to, what)
	}
	return out
}

// times checks the start dependencies of SI (Adya's G-SIa and, as they are an order of intervals, G-SIb): what a
// transaction depends on had committed when it started, and what replaced something that it saw had not. Transactions
// without times are not judged by them.
func (k *judge) times() *checker.Verdict {
	if k.level != dbms.SI || k.c.Times == nil {
		return nil
	}
	return k.against(k.untimely)
}

// against holds every edge against what the certificate says of transactions: why says how that contradicts one, "" if
// it does not.
func (k *judge) against(why func(edge) string) *checker.Verdict {
	var bad *checker.Verdict
	for t := range int32(len(k.h.Txns)) {
		if int(t) == k.h.Initial {
			continue
		}
		k.out(t, func(e edge) {
			if text := why(e); text != "" && bad == nil {
				x := k.explain(e)
				x.Text += "; but " + text
				bad = k.invalid(fault.HistoryStartOrderViolation, x)
			}
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}

// untimely says how the times contradict an edge; "" if they do not.
func (k *judge) untimely(e edge) string {
	from, to := k.c.Times[e.from], k.c.Times[e.to]
	switch {
	case anti(e.kind):
		if to.Commit != 0 && to.Commit < from.Start {
			return fmt.Sprintf("%s had committed at %d, before %s started at %d", k.h.TxnName(int(e.to)), to.Commit,
				k.h.TxnName(int(e.from)), from.Start)
		}
	case to.Start != 0 && from.Commit > to.Start:
		return fmt.Sprintf("%s committed at %d, after %s had started at %d", k.h.TxnName(int(e.from)), from.Commit,
			k.h.TxnName(int(e.to)), to.Start)
	}
	return ""
}
