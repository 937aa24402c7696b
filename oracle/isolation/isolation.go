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

// Find returns the forbidden phenomena that happened, each kind once, the most basic one first.
func Find(h *History, forbidden []profile.Phenomenon) []Anomaly {
	g := newGraph(h)
	var out []Anomaly
	for _, p := range []struct {
		name profile.Phenomenon
		find func() *Anomaly
	}{
		{profile.G0, g.dirtyWrite},
		{profile.G1a, g.abortedRead},
		{profile.G1b, g.intermediateRead},
		{profile.G1c, func() *Anomaly { return g.cycle(func(e *edge) bool { return e.kind != rw }, nil) }},
		{profile.OTV, func() *Anomaly { return g.fractured(true) }},
		{profile.P2, g.fuzzyRead},
		{profile.PMP, func() *Anomaly { return g.fractured(false) }},
		{profile.P4, g.lostUpdate},
		{profile.GSingle, g.single},
		{profile.G2Item, func() *Anomaly { return g.cycle(func(*edge) bool { return true }, nil) }},
	} {
		if !slices.Contains(forbidden, p.name) {
			continue
		}
		if a := p.find(); a != nil {
			a.Phenomenon = p.name
			out = append(out, *a)
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
func overwrote(w sdg.Write) string {
	if w.To == sdg.Dead {
		return "deleted"
	}
	return fmt.Sprintf("overwrote with version %d", int64(w.To))
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

// path returns edges from a to b over edges that ok admits, the fewest possible; nil if there is no path.
func (g *graph) path(a, b int, ok func(*edge) bool) []*edge {
	via := map[int]*edge{}
	queue := []int{a}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		for i := range g.edges {
			e := &g.edges[i]
			if e.from != t || via[e.to] != nil || !ok(e) {
				continue
			}
			via[e.to] = e
			if e.to == b {
				return unwind(via, a, b)
			}
			queue = append(queue, e.to)
		}
	}
	return nil
}

func unwind(via map[int]*edge, a, b int) []*edge {
	var out []*edge
	for t := b; ; {
		e := via[t]
		out = append(out, e)
		if t = e.from; t == a {
			slices.Reverse(out)
			return out
		}
	}
}

// cycle returns a shortest cycle over the edges that ok admits, beginning with an edge that first admits (nil:
// any).
func (g *graph) cycle(ok, first func(*edge) bool) *Anomaly {
	var best []*edge
	for i := range g.edges {
		e := &g.edges[i]
		if !ok(e) || first != nil && !first(e) {
			continue
		}
		if back := g.path(e.to, e.from, ok); back != nil && (best == nil || len(back)+1 < len(best)) {
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

// single is G-single: a cycle with exactly one anti-dependency.
func (g *graph) single() *Anomaly {
	for i := range g.edges {
		e := &g.edges[i]
		if e.kind != rw {
			continue
		}
		if back := g.path(e.to, e.from, func(o *edge) bool { return o.kind != rw }); back != nil {
			return anomaly(append([]*edge{e}, back...)...)
		}
	}
	return nil
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
