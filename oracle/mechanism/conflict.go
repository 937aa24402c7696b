package mechanism

import (
	"cmp"
	"slices"
	"sync/atomic"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// certBatch tells the certifier what ended in a batch.
type certBatch struct {
	ended   []*node
	horizon int64
}

// certifier gathers the dependencies that the partitions certify (Leopard, section V-D).
type certifier struct {
	v       *Verifier
	promise *dbms.Mechanisms
	in      chan certBatch
	from    []*partition
	out     findings
	order   orderGraph
	graph   *conflictGraph // nil where no certifier is claimed
}

// wantsConflicts says whether the promise need the conflict graph. Percolator and the validation of write sets are
// checked where the versions are.
func wantsConflicts(c *dbms.Mechanisms) bool {
	switch c.Certifier {
	case dbms.SSI, dbms.TimestampOrder, dbms.OCC, dbms.ConflictCycles:
		return true
	}
	return false
}

func newCertifier(v *Verifier) *certifier {
	c := &certifier{v: v, promise: &v.opt.Promise, in: make(chan certBatch, 8), out: findings{v: v}}
	c.order = orderGraph{v: v, out: &c.out}
	if wantsConflicts(c.promise) {
		c.graph = &conflictGraph{v: v, promise: c.promise, out: &c.out}
	}
	return c
}

// run handles batch after batch: what the dispatcher says of it, then what each partition does.
func (c *certifier) run() {
	for b := range c.in {
		if c.graph != nil {
			c.graph.begin(b.ended)
		}
		for _, p := range c.from {
			c.take(<-p.to, p)
		}
		c.order.collect(b.horizon)
		if c.graph != nil {
			c.graph.collect(b.horizon)
		}
	}
}

// take adds the dependencies of a batch that a partition certifies, and gives it their memory back.
func (c *certifier) take(deps []dep, p *partition) {
	for i := range deps {
		d := &deps[i]
		if d.fromAt != atNone {
			c.order.add(*d)
		}
		if c.graph != nil && !d.loose {
			c.graph.add(d)
		}
	}
	clear(deps)
	select {
	case p.back <- deps[:0]:
	default:
	}
}

// conflictNode is what the conflict graph keeps of a transaction.
type conflictNode struct {
	position int64 // in a topological order
	outs     []conflict
	ins      []*node
	inDegree int
	mark     int64
	dead     atomic.Bool // garbage (Definition 4): no cycle to come can go through it
	entered  bool
}

// conflict is an edge of the graph.
type conflict struct {
	to *node
	d  dep
}

// conflictGraph is the direct serialization graph of the committed transactions, kept acyclic and in topological
// order while it grows (Pearce and Kelly, A dynamic topological sort algorithm, JEA 2007): transactions enter it in
// order of their commits, with which nearly all dependencies agree.
type conflictGraph struct {
	v       *Verifier
	promise *dbms.Mechanisms
	out     *findings
	live    []*node
	next    int64
	marks   int64
}

// begin enters the transactions that committed.
func (g *conflictGraph) begin(ended []*node) {
	for _, n := range ended {
		if n.outcome == committed {
			g.next++
			n.position, n.entered = g.next, true
			g.live = append(g.live, n)
		}
	}
}

// add adds a dependency and reports what it completes.
func (g *conflictGraph) add(d *dep) {
	a, b := d.from, d.to
	if a == b || !a.entered || !b.entered || a.dead.Load() || b.dead.Load() {
		return
	}
	for i := len(a.outs) - 1; i >= max(0, len(a.outs)-4); i-- { // most repeat one of the last
		if a.outs[i].to == b && a.outs[i].d.kind == d.kind {
			return
		}
	}
	if a.position > b.position && !g.reorder(d) {
		return
	}
	a.outs = append(a.outs, conflict{b, *d})
	b.ins = append(b.ins, a)
	b.inDegree++
	switch g.promise.Certifier {
	case dbms.SSI:
		if d.kind == history.RW {
			g.dangerous(*d)
		}
	case dbms.TimestampOrder:
		if b.ce < a.begin {
			g.report(fault.TimestampOrder, []dep{*d},
				finding.Say("%v began at %v, after %v had ended, by %v: the older depends on the newer", finding.TxnNumber(a.id),
					a.begin, finding.TxnNumber(b.id), b.ce))
		}
	case dbms.OCC:
		if d.kind == history.RW && a.wrote && b.ce < a.cs {
			g.report(fault.Validation, []dep{*d}, finding.Say("%v had committed by %v, before %v, which wrote, "+
				"began to commit at %v: its validation had to fail", finding.TxnNumber(b.id), b.ce, finding.TxnNumber(a.id), a.cs))
		}
	}
}

// reorder makes room for an edge against the topological order. It reports a cycle and returns false if there is
// one.
func (g *conflictGraph) reorder(d *dep) bool {
	lower, upper := d.to.position, d.from.position
	g.marks++
	forward, cycle := g.forward(d.to, d.from, upper, nil, nil)
	if cycle != nil {
		cycle = append(cycle, *d)
		first := 0 // begin with the first transaction, wherever the search began
		for i := range cycle {
			if cycle[i].from.id < cycle[first].from.id {
				first = i
			}
		}
		g.report(fault.ConflictCycle, append(slices.Clone(cycle[first:]), cycle[:first]...))
		return false
	}
	g.marks++
	backward := g.backward(d.from, lower, nil)
	byPosition := func(a, b *node) int { return cmp.Compare(a.position, b.position) }
	slices.SortFunc(backward, byPosition)
	slices.SortFunc(forward, byPosition)
	nodes := append(backward, forward...)
	places := make([]int64, len(nodes))
	for i, n := range nodes {
		places[i] = n.position
	}
	slices.Sort(places)
	for i, n := range nodes {
		n.position = places[i]
	}
	return true
}

// forward collects what can be reached from n up to a position; cycle is the path to goal, if it is met.
func (g *conflictGraph) forward(n, goal *node, upper int64, path []dep, seen []*node) (reached []*node, cycle []dep) {
	n.mark = g.marks
	seen = append(seen, n)
	for _, e := range n.outs {
		if e.to == goal {
			return seen, append(slices.Clone(path), e.d)
		}
		if e.to.mark != g.marks && e.to.position < upper && !e.to.dead.Load() {
			if seen, cycle = g.forward(e.to, goal, upper, append(path, e.d), seen); cycle != nil {
				return seen, cycle
			}
		}
	}
	return seen, nil
}

// backward collects what reaches n from a position on.
func (g *conflictGraph) backward(n *node, lower int64, seen []*node) []*node {
	n.mark = g.marks
	seen = append(seen, n)
	for _, m := range n.ins {
		if m.mark != g.marks && m.position > lower && !m.dead.Load() {
			seen = g.backward(m, lower, seen)
		}
	}
	return seen
}

// dangerous looks for SSI's dangerous structure with a new anti-dependency: T1 -rw-> T2 -rw-> T3, both pairs
// concurrent, T3 the first of the three to commit, and before the snapshot of a T1 that only read (Ports and
// Grittner, section 3 and theorem 3). Two anti-dependencies alone are no violation.
func (g *conflictGraph) dangerous(d dep) {
	for _, e := range d.to.outs {
		if e.d.kind == history.RW && g.pivot(d, e.d) {
			return
		}
	}
	for _, z := range d.from.ins {
		if z.dead.Load() {
			continue
		}
		for _, e := range z.outs {
			if e.to == d.from && e.d.kind == history.RW && g.pivot(e.d, d) {
				return
			}
		}
	}
}

// pivot reports the structure of two anti-dependencies if it is surely dangerous.
func (g *conflictGraph) pivot(in, out dep) bool {
	t1, t2, t3 := in.from, in.to, out.to
	concurrent := func(a, b *node) bool { return a.snapped && b.snapped && a.hi < b.cs && b.hi < a.cs }
	if t1 == t3 || !concurrent(t1, t2) || !concurrent(t2, t3) || t3.ce >= t2.cs || t3.ce >= t1.cs || !t1.wrote &&
		t3.ce >= t1.lo {
		return false
	}
	why := finding.Say("%v had committed by %v, before %v, which began to commit at %v, and %v, at %v",
		finding.TxnNumber(t3.id), t3.ce, finding.TxnNumber(t2.id), t2.cs, finding.TxnNumber(t1.id), t1.cs)
	g.report(fault.DangerousStructure, []dep{in, out}, why)
	return true
}

// report reports dependencies that the certifier should have kept from coming about.
func (g *conflictGraph) report(what fault.Kind, path []dep, why ...finding.Sentence) {
	v := Violation{Mechanism: SC, What: what, At: never}
	for i := range path {
		d := &path[i]
		v.Txns = append(v.Txns, d.from.id)
		v.At = max(v.At, d.from.begin, d.to.begin)
		v.Explanation = append(v.Explanation, g.v.explainDep(d))
	}
	if last := path[len(path)-1].to.id; last != v.Txns[0] {
		v.Txns = append(v.Txns, last)
	} else {
		v.Phenomenon = phenomenon(path)
	}
	v.Explanation = append(v.Explanation, why...)
	g.out.add(v)
}

// collect drops garbage transactions: those that nothing points to and that ended before the horizon, and so on.
func (g *conflictGraph) collect(horizon int64) {
	var free []*node
	garbage := func(n *node) bool { return n.inDegree == 0 && n.ce < horizon && !n.dead.Load() }
	for _, n := range g.live {
		if garbage(n) {
			n.dead.Store(true)
			free = append(free, n)
		}
	}
	for len(free) > 0 {
		n := free[len(free)-1]
		free = free[:len(free)-1]
		for _, e := range n.outs {
			if e.to.inDegree--; garbage(e.to) {
				e.to.dead.Store(true)
				free = append(free, e.to)
			}
		}
		n.outs, n.ins = nil, nil
	}
	g.live = slices.DeleteFunc(g.live, func(n *node) bool { return n.dead.Load() })
	for _, n := range g.live {
		if len(n.ins) > 2*n.inDegree+8 {
			n.ins = slices.DeleteFunc(n.ins, func(m *node) bool { return m.dead.Load() })
		}
	}
}
