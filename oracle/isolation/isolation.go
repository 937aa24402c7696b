// Package isolation is the isolation oracle. Its claim: from what the statements of a run printed and wrote it
// derives the direct serialization graph (Adya; TxCheck section 4), aborted transactions kept, and every
// phenomenon that it names has happened: only certain dependencies count, those between versions that were
// printed or overwritten. A phenomenon that shows in predicates alone is not seen.
package isolation

import (
	"fmt"
	"slices"

	"txweave/profile"
	"txweave/sdg"
)

// Outcome is how a transaction ended.
type Outcome uint8

// The outcomes of a transaction.
const (
	Committed Outcome = iota
	Aborted           // rolled back, by itself or by the database
)

// Op is one statement with the versions it printed and the items it wrote.
type Op struct {
	Name  string
	Txn   int
	Plain bool // a SELECT that takes no lock where the level gives it a snapshot
	Read  []sdg.Version
	Wrote []sdg.Write
}

// Txn is one transaction.
type Txn struct {
	Outcome Outcome
	End     int // number of ops that had been completed when it ended
}

// History is a run as the oracle wants it; Ops are in order of completion.
type History struct {
	Initial map[string]map[int64]int64 // table -> pkey -> vkey
	Ops     []Op
	Txns    []Txn
}

// Anomaly is one phenomenon that happened.
type Anomaly struct {
	Phenomenon profile.Phenomenon
	Txns       []int // in the order of the cycle, or reader and writer
	// Explanation says edge by edge why: "T1 read (t0, 4, 17); T2 wrote the next version (t0, 4, 23)".
	Explanation []string
}

// edgeKind is the kind of a dependency between transactions.
type edgeKind uint8

const (
	ww edgeKind = iota // overwrote a version
	wr                 // printed a version
	rw                 // printed a version that the other overwrote
)

// edge is one certain dependency.
type edge struct {
	from, to int
	kind     edgeKind
	why      string
	item     sdg.Item
	at       int // op that read, for wr and rw
}

// graph is the direct serialization graph of the committed transactions.
type graph struct {
	h      *History
	writer map[sdg.Version]int // op that wrote a version
	next   map[sdg.Version]int // committed op that overwrote it
	edges  []edge
}

// Find returns the forbidden phenomena that happened: G0 and the three kinds of G1 each by itself, and of those
// with anti-dependencies, of which each implies the ones after it, the first.
func Find(h *History, forbidden []profile.Phenomenon) []Anomaly {
	g := newGraph(h)
	var out []Anomaly
	for _, p := range []struct {
		name profile.Phenomenon
		anti bool
		find func() *Anomaly
	}{
		{profile.G0, false, g.dirtyWrite},
		{profile.G1a, false, g.abortedRead},
		{profile.G1b, false, g.intermediateRead},
		{profile.G1c, false, g.informationFlow},
		{profile.OTV, true, func() *Anomaly { return g.fractured(true) }},
		{profile.P2, true, g.fuzzyRead},
		{profile.PMP, true, func() *Anomaly { return g.fractured(false) }},
		{profile.P4, true, g.lostUpdate},
		{profile.GSingle, true, g.single},
		{profile.GSIb, true, func() *Anomaly { return g.antiCycle(false) }},
		{profile.G2Item, true, func() *Anomaly { return g.antiCycle(true) }},
	} {
		if !slices.Contains(forbidden, p.name) {
			continue
		}
		if a := p.find(); a != nil {
			a.Phenomenon = p.name
			out = append(out, *a)
			if p.anti {
				break
			}
		}
	}
	return out
}

func txnName(t int) string { return fmt.Sprintf("T%d", t) }

// newGraph derives versions and edges.
func newGraph(h *History) *graph {
	g := &graph{h: h, writer: map[sdg.Version]int{}, next: map[sdg.Version]int{}}
	for i, op := range h.Ops {
		for _, w := range op.Wrote {
			if w.To >= 0 {
				g.writer[sdg.Version{Item: w.Item, VKey: int64(w.To)}] = i
			}
			if w.From >= 0 && g.committed(op.Txn) {
				g.next[sdg.Version{Item: w.Item, VKey: int64(w.From)}] = i
			}
		}
	}
	for i, op := range h.Ops {
		if g.committed(op.Txn) {
			g.readEdges(i, &op)
			g.writeEdges(&op)
		}
	}
	return g
}

func (g *graph) committed(txn int) bool { return g.h.Txns[txn].Outcome == Committed }

// writeEdges adds the write dependencies of one op.
func (g *graph) writeEdges(op *Op) {
	for _, w := range op.Wrote {
		if w.From < 0 {
			continue
		}
		v := sdg.Version{Item: w.Item, VKey: int64(w.From)}
		if i, ok := g.writer[v]; ok {
			from := &g.h.Ops[i]
			g.add(edge{from.Txn, op.Txn, ww, fmt.Sprintf("%s wrote %s, which %s %s", from.Name, v, op.Name, overwrote(w)), w.Item, 0})
		}
	}
}

// overwrote says what a write left.
func overwrote(w sdg.Write) string { return overwroteThat(w, "") }

func overwroteIt(w sdg.Write) string { return overwroteThat(w, " it") }

func overwroteThat(w sdg.Write, object string) string {
	if w.To == sdg.Dead {
		return "deleted" + object
	}
	return fmt.Sprintf("overwrote%s with version %d", object, int64(w.To))
}

// readEdges adds the read and anti dependencies of one op.
func (g *graph) readEdges(at int, op *Op) {
	for _, v := range op.Read {
		if i, ok := g.writer[v]; ok {
			from := &g.h.Ops[i]
			g.add(edge{from.Txn, op.Txn, wr, fmt.Sprintf("%s wrote %s, which %s read", from.Name, v, op.Name), v.Item, at})
		}
		if i, ok := g.next[v]; ok {
			to := &g.h.Ops[i]
			g.add(edge{op.Txn, to.Txn, rw, fmt.Sprintf("%s read %s, which %s overwrote", op.Name, v, to.Name), v.Item, at})
		}
	}
}

// add keeps an edge between two committed transactions.
func (g *graph) add(e edge) {
	if e.from != e.to && g.committed(e.from) && g.committed(e.to) {
		g.edges = append(g.edges, e)
	}
}

// step is a state of the search for a cycle: a transaction, and whether an anti-dependency led to it.
type step struct {
	txn  int
	anti bool
}

// path returns edges from a to b, the fewest possible, over dependencies and, with anti, anti-dependencies, which
// must not follow each other unless adjacent is set. It begins as if an anti-dependency led to a, and ends with a
// dependency unless adjacent is set. nil if there is no path.
func (g *graph) path(a, b int, anti, adjacent bool) []*edge {
	via := map[step]*edge{}
	from := map[step]step{}
	start := step{a, true}
	queue := []step{start}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for i := range g.edges {
			e := &g.edges[i]
			if e.from != s.txn || e.kind == rw && (!anti || s.anti && !adjacent) {
				continue
			}
			to := step{e.to, e.kind == rw}
			if via[to] != nil {
				continue
			}
			via[to], from[to] = e, s
			if e.to != b || to.anti && !adjacent {
				queue = append(queue, to)
				continue
			}
			var out []*edge
			for at := to; ; at = from[at] {
				out = append(out, via[at])
				if from[at] == start {
					slices.Reverse(out)
					return out
				}
			}
		}
	}
	return nil
}

// informationFlow is G1c: a cycle of dependencies.
func (g *graph) informationFlow() *Anomaly {
	return g.shortest(func(e *edge) bool { return e.kind != rw }, false, false)
}

// single is G-single: a cycle with exactly one anti-dependency.
func (g *graph) single() *Anomaly {
	return g.shortest(func(e *edge) bool { return e.kind == rw }, false, false)
}

// antiCycle finds a cycle with at least one anti-dependency. Without adjacent no two of them follow each other:
// every cycle under snapshot isolation has two that do (Fekete et al.), so such a one is G-SIb.
func (g *graph) antiCycle(adjacent bool) *Anomaly {
	return g.shortest(func(e *edge) bool { return e.kind == rw }, true, adjacent)
}

// shortest returns a shortest cycle that begins with an edge that first admits.
func (g *graph) shortest(first func(*edge) bool, anti, adjacent bool) *Anomaly {
	var best []*edge
	for i := range g.edges {
		e := &g.edges[i]
		if !first(e) {
			continue
		}
		if back := g.path(e.to, e.from, anti, adjacent); back != nil && (best == nil || len(back)+1 < len(best)) {
			best = append([]*edge{e}, back...)
		}
	}
	if best == nil {
		return nil
	}
	return anomaly(best...)
}

// anomaly explains a cycle.
func anomaly(cycle ...*edge) *Anomaly {
	a := &Anomaly{}
	for _, e := range cycle {
		a.Txns = append(a.Txns, e.from)
		a.Explanation = append(a.Explanation, e.why)
	}
	return a
}

// lostUpdate is P4: a transaction printed a version and overwrote a later one of another transaction.
func (g *graph) lostUpdate() *Anomaly {
	for i := range g.edges {
		for j := range g.edges {
			r, w := &g.edges[i], &g.edges[j]
			if r.kind == rw && w.kind == ww && r.from == w.to && r.to == w.from && r.item == w.item {
				return anomaly(r, w)
			}
		}
	}
	return nil
}
