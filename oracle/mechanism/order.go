package mechanism

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// pointKind says which moment of a transaction a dependency orders.
type pointKind uint8

const (
	atNone      pointKind = iota // none: the dependency is only one of the conflict graph
	atCommit                     // its commit
	atSnapshot                   // its snapshot
	atStatement                  // the one moment at which statement seq read, in [lo, hi]
	atRow                        // a moment in [lo, hi] that no other dependency shares
)

// dep is a certain dependency between two committed transactions: from's moment precedes to's.
type dep struct {
	kind         history.EdgeKind
	fromAt, toAt pointKind
	from, to     *node
	lo, hi, seq  int64 // of atStatement and atRow
	item         history.ItemID
	version      int64
	// cond is the condition through which it depends; nil: through the item itself.
	cond *history.PayloadFilter
	// loose says that it orders moments only: by definition it is no dependency between transactions, because the
	// version changes nothing for the condition.
	loose bool
}

// implied says whether a dependency tells the certifier nothing: its first moment lies no later than fromHi and its
// second no earlier than toLo, so that the order graph gains nothing by it, and there is no conflict graph.
func (p *partition) implied(fromHi, toLo int64) bool { return fromHi <= toLo && !p.conflicts }

// emit hands a dependency to the certifier, unless it is implied.
func (p *partition) emit(d dep, fromHi, toLo int64) {
	if d.from == d.to || p.implied(fromHi, toLo) {
		return
	}
	if fromHi <= toLo {
		if d.loose {
			return
		}
		d.fromAt = atNone
	}
	p.deps = append(p.deps, d)
}

// point is one moment in the order graph, in [lo, hi]: bounds that dependencies tighten.
type point struct {
	n        *node
	kind     pointKind
	seq      int64
	lo, hi   int64
	lo0, hi0 int64 // as recorded
	loBy     *link // what tightened it; nil: the trace
	hiBy     *link
	out, in  []*link
	mark     int64
	done     bool // too old for anything that may still come
	reported bool
}

// link is a dependency between two moments whose intervals overlap.
type link struct {
	from, to *point
	d        dep
}

// orderNode is what the order graph keeps of a transaction.
type orderNode struct {
	commit, snapshot *point
	statements       []*point
}

// orderGraph finds out whether real moments can exist for all snapshots and commits: moments in their intervals, in
// the order that the certain dependencies ask for. They cannot if and only if there is a cycle, or a path from a
// moment to one whose interval ends before the first one's begins. Dependencies that the intervals imply are not
// stored, so the graph holds only what overlaps.
type orderGraph struct {
	v     *Verifier
	out   *findings
	live  []*point
	marks int64
}

// at returns the point that a dependency names.
func (g *orderGraph) at(n *node, kind pointKind, d *dep) *point {
	switch kind {
	case atCommit:
		if n.commit == nil {
			n.commit = g.point(n, kind, n.cs, n.ce, 0)
		}
		return n.commit
	case atSnapshot:
		if n.snapshot == nil {
			n.snapshot = g.point(n, kind, n.lo, n.hi, 0)
		}
		return n.snapshot
	case atStatement:
		for _, s := range n.statements {
			if s.seq == d.seq {
				return s
			}
		}
		s := g.point(n, kind, d.lo, d.hi, d.seq)
		n.statements = append(n.statements, s)
		return s
	}
	return g.point(n, kind, d.lo, d.hi, d.seq)
}

func (g *orderGraph) point(n *node, kind pointKind, lo, hi, seq int64) *point {
	p := &point{n: n, kind: kind, lo: lo, hi: hi, lo0: lo, hi0: hi, seq: seq}
	g.live = append(g.live, p)
	return p
}

// add adds a dependency and reports what it contradicts.
func (g *orderGraph) add(d dep) {
	a, b := g.at(d.from, d.fromAt, &d), g.at(d.to, d.toAt, &d)
	if a.hi <= b.lo || a.reported || b.reported {
		return
	}
	l := &link{a, b, d}
	if a.lo > b.hi {
		g.contradiction(l)
		return
	}
	g.marks++
	if back := g.path(b, a); back != nil {
		g.report(append([]*link{l}, back...), true)
		return
	}
	a.out, b.in = append(a.out, l), append(b.in, l)
	g.raise(b, l)
	g.lower(a, l)
}

// path returns links from a to b; nil if there is no path.
func (g *orderGraph) path(a, b *point) []*link {
	if a.mark == g.marks || a.done {
		return nil
	}
	a.mark = g.marks
	for _, l := range a.out {
		if l.to == b {
			return []*link{l}
		}
		if l.to.lo > b.hi {
			continue
		}
		if rest := g.path(l.to, b); rest != nil {
			return append([]*link{l}, rest...)
		}
	}
	return nil
}

// raise makes sure that p is not before the beginning of l.
func (g *orderGraph) raise(p *point, l *link) {
	if p.done || p.lo >= l.from.lo {
		return
	}
	p.lo, p.loBy = l.from.lo, l
	if p.lo > p.hi {
		g.contradiction(l)
		return
	}
	for _, next := range p.out {
		g.raise(next.to, next)
	}
}

// lower makes sure that p is not after the end of l.
func (g *orderGraph) lower(p *point, l *link) {
	if p.done || p.hi <= l.to.hi {
		return
	}
	p.hi, p.hiBy = l.to.hi, l
	if p.lo > p.hi {
		g.contradiction(l)
		return
	}
	for _, prev := range p.in {
		g.lower(prev.from, prev)
	}
}

// contradiction reports the path through l from the moment whose beginning is later than the end of the last one.
func (g *orderGraph) contradiction(l *link) {
	path := []*link{l}
	for by := l.from.loBy; by != nil && len(path) < maxPath; by = by.from.loBy {
		path = append([]*link{by}, path...)
	}
	for by := l.to.hiBy; by != nil && len(path) < maxPath; by = by.to.hiBy {
		path = append(path, by)
	}
	g.report(path, false)
}

// maxPath bounds the explanation of a violation.
const maxPath = 64

// report reports a cycle, or a path against time.
func (g *orderGraph) report(path []*link, cycle bool) {
	for _, l := range path {
		if l.from.reported || l.to.reported {
			return // one violation for each tangle
		}
	}
	if cycle { // begin with the first transaction, wherever the search began
		first := 0
		for i := range path {
			if path[i].d.from.id < path[first].d.from.id {
				first = i
			}
		}
		path = append(slices.Clone(path[first:]), path[:first]...)
	}
	v := Violation{Mechanism: Isolation, What: fault.OrderCycle, At: never}
	for _, l := range path {
		l.from.reported, l.to.reported = true, true
		v.Txns = append(v.Txns, l.d.from.id)
		v.At = max(v.At, l.d.from.begin, l.d.to.begin)
		v.Explanation = append(v.Explanation, finding.Say("%v, so %v precedes %v", g.v.explainDep(&l.d), l.from.said(),
			l.to.said()))
	}
	if cycle {
		deps := make([]dep, len(path))
		for i, l := range path {
			deps[i] = l.d
		}
		v.Phenomenon = phenomenon(deps)
	} else {
		first, last := path[0], path[len(path)-1]
		v.What, v.Mechanism = fault.OrderAgainstTime, orderMechanism(path)
		v.Txns = append(v.Txns, last.d.to.id)
		v.Explanation = append(v.Explanation, finding.Say("yet %v is no earlier than %v and %v no later than %v",
			first.from.said(), first.from.lo0, last.to.said(), last.to.hi0))
	}
	g.out.add(v)
}

// orderMechanism says whose promise a path breaks.
func orderMechanism(path []*link) Mechanism {
	m := ME
	for _, l := range path {
		if l.d.kind == history.WR || l.d.kind == history.RW && l.d.fromAt != atCommit {
			// a reader's commit comes first where it has locked
			return CR
		}
		if l.d.toAt == atSnapshot {
			m = FUW
		}
	}
	return m
}

// said names the moment.
func (p *point) said() finding.Sentence {
	sentence := "the reading of %v"
	switch p.kind {
	case atCommit:
		sentence = "the commit of %v"
	case atSnapshot:
		sentence = "the snapshot of %v"
	}
	return finding.Say(sentence, finding.TxnNumber(p.n.id))
}

// phenomenon names a cycle by its dependencies.
func phenomenon(deps []dep) fault.Kind {
	anti, adjacent, reads, predicate := 0, false, false, false
	for i := range deps {
		d := &deps[i]
		if d.kind == history.RW {
			anti++
			adjacent = adjacent || len(deps) > 1 && deps[(i+1)%len(deps)].kind == history.RW
			predicate = predicate || d.cond != nil
		}
		reads = reads || d.kind == history.WR
	}
	switch {
	case anti == 0 && !reads:
		return fault.G0
	case anti == 0:
		return fault.G1c
	case anti == 1:
		return fault.GSingle
	case !adjacent:
		return fault.GSIb
	case predicate:
		return fault.G2
	}
	return fault.G2Item
}

// explainDep says what a dependency rests on.
func (v *Verifier) explainDep(d *dep) finding.Sentence {
	name := finding.ItemName(v.opt.Symbols.ItemName(d.item))
	if d.version == history.Absent {
		return explainAbsent(d, name)
	}
	value := finding.VersionName(v.opt.Symbols.VersionName(d.version))
	switch {
	case d.cond != nil && d.kind == history.WR:
		return finding.Say("%v wrote version %v of %v, so %v, which read the rows with %v, did not find it",
			finding.TxnNumber(d.from.id), value, name, finding.TxnNumber(d.to.id), d.cond)
	case d.cond != nil:
		return finding.Say("%v read the rows with %v and passed over version %v of %v, which %v overwrote",
			finding.TxnNumber(d.from.id), d.cond, value, name, finding.TxnNumber(d.to.id))
	}
	switch d.kind {
	case history.WW:
		return finding.Say("%v wrote version %v of %v, which %v overwrote", finding.TxnNumber(d.from.id), value, name,
			finding.TxnNumber(d.to.id))
	case history.WR:
		return finding.Say("%v wrote version %v of %v, which %v read", finding.TxnNumber(d.from.id), value, name,
			finding.TxnNumber(d.to.id))
	}
	return finding.Say("%v read version %v of %v, which %v overwrote", finding.TxnNumber(d.from.id), value, name,
		finding.TxnNumber(d.to.id))
}

// explainAbsent says what a dependency rests on where it is by a row that is not there.
func explainAbsent(d *dep, name finding.ItemName) finding.Sentence {
	from, to := finding.TxnNumber(d.from.id), finding.TxnNumber(d.to.id)
	switch {
	case d.cond != nil && d.kind == history.WR:
		return finding.Say("%v deleted %v, so %v, which read the rows with %v, did not find it", from, name, to, d.cond)
	case d.cond != nil:
		return finding.Say("%v read the rows with %v and did not find %v, which %v wrote", from, d.cond, name, to)
	case d.kind == history.WW:
		return finding.Say("%v deleted %v, which %v wrote again", from, name, to)
	case d.kind == history.WR:
		return finding.Say("%v deleted %v, and %v read that there is no row", from, name, to)
	}
	return finding.Say("%v read no row %v, which %v wrote", from, name, to)
}

// collect forgets the points that end before the horizon: what they say is in the bounds of the others.
func (g *orderGraph) collect(horizon int64) {
	g.live = slices.DeleteFunc(g.live, func(p *point) bool {
		if p.hi >= horizon {
			return false
		}
		p.done, p.out, p.in, p.loBy, p.hiBy = true, nil, nil, nil, nil
		return true
	})
}
