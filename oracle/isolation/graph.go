package isolation

import (
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/graph"
	"txweave/oracle/observe"
)

// edge is one dependency. One with a doubt is made certain, or removed, when a cycle needs it.
type edge struct {
	from, to int
	kind     history.EdgeKind
	why      finding.Sentence
	item     history.Item
	at       int  // op that read, for wr and rw; that wrote, for ww
	pred     bool // through a predicate: the version changes the matches
	doubt    *doubt
	dead     bool // it turned out to be none
}

// serialization is the direct serialization graph of the committed transactions.
type serialization struct {
	o      *observe.Observation
	writer map[history.Version]int // op that wrote a version
	next   map[history.Version]int // committed op that overwrote it
	edges  []*edge
	out    [][]*edge // by transaction: those that leave it
	// held says whether the level of a transaction forbids a phenomenon; nil: the levels of all do.
	held func(txn int, p fault.Kind) bool
	now  fault.Kind // the one that is looked for
}

// suffers says whether a transaction's level forbids the phenomenon that is looked for.
func (g *serialization) suffers(txn int) bool { return g.held == nil || g.held(txn, g.now) }

// newGraph derives versions and edges.
func newGraph(o *observe.Observation) *serialization {
	g := &serialization{o: o, writer: map[history.Version]int{}, next: map[history.Version]int{},
		out: make([][]*edge, len(o.Txns))}
	for i := range o.Stmts {
		op := o.Stmts[i]
		for _, w := range op.Writes {
			if v := (history.Version{Item: w.Item, VKey: int64(w.To)}); w.To >= 0 && !o.Recurring[v] {
				g.writer[v] = i
			}
			if v := (history.Version{Item: w.Item, VKey: int64(w.From)}); w.From >= 0 && o.Committed(op) && !o.Recurring[v] {
				g.next[v] = i
			}
		}
	}
	for i := range o.Stmts {
		if op := o.Stmts[i]; o.Committed(op) {
			g.readEdges(i, op)
			g.writeEdges(i, op)
			g.keptEdges(i, op)
		}
	}
	g.searchEdges()
	return g
}

func (g *serialization) committed(txn int) bool { return g.o.Txns[txn].Outcome == history.Committed }

// writeEdges adds the write dependencies of one op.
func (g *serialization) writeEdges(at int, op *observe.ObservedStmt) {
	for _, w := range op.Writes {
		if w.From < 0 {
			continue
		}
		v := history.Version{Item: w.Item, VKey: int64(w.From)}
		if i, ok := g.writer[v]; ok && g.o.Committed(g.o.Stmts[i]) {
			from := g.o.Stmts[i]
			g.add(edge{from: from.Txn, to: op.Txn, kind: history.WW, item: w.Item, at: at,
				why: finding.Say("%v wrote %v, which %v %v", finding.StmtName(from.Name), v, finding.StmtName(op.Name),
					overwrote(w))})
		}
	}
}

// overwrote says what a write left.
func overwrote(w history.Write) finding.Sentence {
	if w.To == history.Dead {
		return finding.Say("deleted")
	}
	return finding.Say("overwrote with version %v", int64(w.To))
}

func overwroteIt(w history.Write) finding.Sentence {
	if w.To == history.Dead {
		return finding.Say("deleted it")
	}
	return finding.Say("overwrote it with version %v", int64(w.To))
}

// readEdges adds the read and anti dependencies of one op through the versions that it printed.
func (g *serialization) readEdges(at int, op *observe.ObservedStmt) {
	told := make(map[history.Version]bool, len(op.Out)) // a join prints one row many times
	for _, v := range op.Out {
		if told[v] {
			continue
		}
		told[v] = true
		if i, ok := g.writer[v]; ok && g.o.Committed(g.o.Stmts[i]) {
			from := g.o.Stmts[i]
			g.add(edge{from: from.Txn, to: op.Txn, kind: history.WR, item: v.Item, at: at,
				why: finding.Say("%v wrote %v, which %v read", finding.StmtName(from.Name), v, finding.StmtName(op.Name))})
		}
		if i, ok := g.next[v]; ok {
			to := g.o.Stmts[i]
			g.add(edge{from: op.Txn, to: to.Txn, kind: history.RW, item: v.Item, at: at,
				why: finding.Say("%v read %v, which %v overwrote", finding.StmtName(op.Name), v, finding.StmtName(to.Name))})
		}
	}
}

// keptEdges adds the anti-dependency of an INSERT that a row kept from writing on who deleted that row: behind him it
// would have written.
func (g *serialization) keptEdges(at int, op *observe.ObservedStmt) {
	if op.Kept == nil {
		return
	}
	for _, to := range g.o.Stmts {
		for _, w := range to.Writes {
			if w.Item == op.Kept.Item && w.To == history.Dead && g.o.Committed(to) && !g.o.Recurring[*op.Kept] {
				g.add(edge{from: op.Txn, to: to.Txn, kind: history.RW, item: w.Item, at: at,
					why: finding.Say("%v was kept from inserting by %v, which %v deleted", finding.StmtName(op.Name), *op.Kept,
						finding.StmtName(to.Name))})
			}
		}
	}
}

// add keeps an edge between two committed transactions.
func (g *serialization) add(e edge) {
	if e.from != e.to && g.committed(e.from) && g.committed(e.to) {
		g.edges = append(g.edges, &e)
		g.out[e.from] = append(g.out[e.from], &e)
	}
}

// certain repeats a search until it finds nothing, or edges of which none is in doubt. Searches pass over edges
// that are dead.
func (g *serialization) certain(find func() []*edge) *Occurrence {
	for {
		found := find()
		if found == nil {
			return nil
		}
		settled := true
		for _, e := range found {
			if e.doubt != nil {
				settled = false
				g.settle(e)
			}
		}
		if settled {
			return anomaly(found)
		}
	}
}

// cycle says what a cycle may hold beyond its first edge and dependencies.
type cycle struct {
	anti     bool // anti-dependencies
	adjacent bool // one right after the other, too
	items    bool // anti-dependencies on items only
}

// admits says whether an edge may be part of the cycle.
func (g *serialization) admits(c cycle, e *edge) bool {
	switch {
	case e.dead || c.items && e.kind == history.RW && e.pred:
		return false
	case g.held == nil:
		return true
	case e.kind == history.RW:
		return g.suffers(e.from)
	}
	return e.kind != history.WR || g.held(e.to, fault.G1c)
}

// path returns edges from a to b, the fewest possible, over dependencies and, as c allows, anti-dependencies. It
// begins as if an anti-dependency led to a, and ends with a dependency unless they may be adjacent. nil if there is
// no path. A node of the search is a transaction, the odd one as an anti-dependency led to it.
func (g *serialization) path(a, b int, c cycle) []*edge {
	goal := func(node int32) bool { return int(node/2) == b && (node%2 == 0 || c.adjacent) }
	steps := graph.ShortestPath(2*len(g.out), int32(2*a+1), goal, func(node int32, add func(int32, *edge)) {
		for _, e := range g.out[node/2] {
			switch {
			case !g.admits(c, e):
			case e.kind != history.RW:
				add(int32(2*e.to), e)
			case c.anti && (node%2 == 0 || c.adjacent):
				add(int32(2*e.to+1), e)
			}
		}
	})
	var path []*edge
	for _, s := range steps {
		path = append(path, s.Label)
	}
	return path
}

// shortest returns a shortest cycle that begins with an edge of a kind that first admits.
func (g *serialization) shortest(first func(history.EdgeKind) bool, c cycle) []*edge {
	type ends struct {
		from, to int
		kind     history.EdgeKind
	}
	var best []*edge
	tried := map[ends]bool{}
	for _, e := range g.edges {
		k := ends{e.from, e.to, e.kind}
		if !first(e.kind) || !g.admits(c, e) || tried[k] {
			continue
		}
		tried[k] = true
		if back := g.path(e.to, e.from, c); back != nil && (best == nil || len(back)+1 < len(best)) {
			best = append([]*edge{e}, back...)
		}
	}
	return best
}
