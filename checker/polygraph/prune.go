package polygraph

import (
	"cmp"
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/internal/graph"
)

// pruner decides by reachability which of two chains of a key comes first.
//
// The chains of a key are held as lines: in a line each one is known to come before the next. Where a chain of
// another line can go is then an interval, which two binary searches find: no pair of chains is looked at by itself. A
// known order of versions is one long line, and the chains that it does not mention are soon in a few more.
type pruner struct {
	*polygraph
	ends   []ends    // by chain
	pred   [][]int32 // the graph by predecessors, without most of those that others imply
	order  []int32   // its nodes, topologically
	pos    []int32   // by node: its place there
	reach  *graph.Ancestors
	lines  [][]int32
	open   []gap
	made   int     // how many gaps there were when the lines were made
	middle []int64 // of guesses, by chain: twice where it probably stood
	// record says that edges are inferred, not tried: they go into the graph itself.
	record bool
}

// gap is a chain and part of a line of the same key, from lo up to hi: before, after or among these it may stand.
type gap struct {
	x, line, lo, hi int32
}

// ends are the nodes of a chain that decide where it can stand.
type ends struct{ start, head, tail int32 } // start and commit of its first writer, commit of its last one

type arcFrom struct {
	from int32
	arc
}

// prune decides pairs of chains of which only one order leaves the graph acyclic, until little changes. It returns a
// verdict where there is a cycle, and neither where reachability would take too much memory or the check is to stop.
func (g *polygraph) prune(limit int) (*pruner, *checker.Verdict) {
	p := &pruner{polygraph: g, pred: make([][]int32, len(g.succ)), order: g.topological(), record: true}
	for u, arcs := range g.succ {
		for _, a := range arcs {
			if k := len(p.pred[a.to]); k == 0 || p.pred[a.to][k-1] != int32(u) {
				p.pred[a.to] = append(p.pred[a.to], int32(u))
			}
		}
	}
	p.ends = make([]ends, len(g.chains))
	for c := range g.chains {
		if !g.chains[c].initial {
			h := g.head(int32(c))
			p.ends[c] = ends{g.start(h), g.commit(h), g.commit(g.tail(int32(c)))}
		}
	}
	switch p.propagate(limit, len(g.succ)/100) {
	case cyclic:
		return nil, g.knownCycle()
	case givenUp:
		return nil, nil
	}
	return p, nil
}

// outcome is how pruning ended.
type outcome uint8

const (
	settled outcome = iota
	cyclic
	givenUp // reachability needs more memory than allowed, or the check is to stop
)

// propagate decides pairs until that gives no more than so many edges.
func (p *pruner) propagate(limit, few int) outcome {
	for {
		if !p.sort() {
			return cyclic
		}
		if p.reach = graph.NewAncestors(p.pred, p.order, p.txnNodes(), limit, p.stopped); p.reach == nil {
			return givenUp
		}
		arcs := p.step()
		if p.stopped() {
			return givenUp // the step may have stopped in the middle
		}
		p.insert(arcs)
		if len(arcs) <= few {
			return settled
		}
	}
}

// insert adds edges.
func (p *pruner) insert(arcs []arcFrom) {
	for _, a := range arcs {
		p.pred[a.to] = append(p.pred[a.to], a.from)
		if p.record {
			p.succ[a.from] = append(p.succ[a.from], a.arc)
		}
	}
}

// sort orders the nodes topologically, near the order that they had; false if there is a cycle.
func (p *pruner) sort() bool {
	order := graph.OrderNear(p.pred, p.order)
	if order == nil {
		return false
	}
	p.order, p.pos = order, make([]int32, len(order))
	for i, u := range order {
		p.pos[u] = int32(i)
	}
	return true
}

// must says whether chain a has to come before chain b: the other way round there is a cycle.
func (p *pruner) must(a, b int32) bool {
	e := &p.ends[a]
	if p.reach.Has(e.start, p.ends[b].tail) {
		return true
	}
	for _, t := range p.chains[b].readers {
		if s := p.start(t); s == e.head || p.reach.Has(e.head, s) {
			return true
		}
	}
	return false
}

// put lists the edges that put chain a before chain b and are not implied already.
func (p *pruner) put(a, b int32, out *[]arcFrom) {
	p.before(a, b, func(from, to int32, kind history.EdgeKind, key int32) {
		if !p.reach.Has(from, to) {
			*out = append(*out, arcFrom{from, arc{to, key, kind}})
		}
	})
}

// found is what a part of a round came to.
type found struct {
	arcs []arcFrom
	open []gap
}

// round makes the lines of all keys and holds every two lines of a key against each other. It returns the edges that
// follow, and sets the gaps.
func (p *pruner) round() []arcFrom {
	lines := make([][][]int32, len(p.byKey))
	within := make([]found, len(p.byKey))
	p.parallel(len(p.byKey), func(key int) { lines[key] = p.linesOf(key, &within[key]) })
	p.lines = p.lines[:0:0]
	var first []int // by line: the first line of its key
	for _, l := range lines {
		for range l {
			first = append(first, len(p.lines))
		}
		p.lines = append(p.lines, l...)
	}
	between := make([]found, len(p.lines))
	p.parallel(len(p.lines), func(i int) {
		for longer := first[i]; longer < i; longer++ {
			p.merge(p.lines[i], int32(longer), &between[i])
		}
	})
	return p.collect(within, between)
}

// step decides what it can; it returns the edges that follow. Lines are made anew, fewer and longer
// ones, whenever half the gaps are gone and many are left.
func (p *pruner) step() []arcFrom {
	if p.lines == nil || len(p.open) > len(p.chains) && len(p.open) < p.made/2 {
		arcs := p.round()
		p.made = len(p.open)
		return arcs
	}
	const block = 256
	results := make([]found, (len(p.open)+block-1)/block)
	p.parallel(len(results), func(i int) {
		for _, g := range p.open[i*block : min((i+1)*block, len(p.open))] {
			p.narrow(g, &results[i])
		}
	})
	return p.collect(results)
}

// collect joins what the parts of a round came to.
func (p *pruner) collect(parts ...[]found) (arcs []arcFrom) {
	n := 0
	for _, f := range parts {
		for i := range f {
			n += len(f[i].open)
		}
	}
	open := make([]gap, 0, n)
	for _, f := range parts {
		for i := range f {
			arcs = append(arcs, f[i].arcs...)
			open = append(open, f[i].open...)
		}
	}
	p.open = open
	return arcs
}

// narrow looks at a gap again.
func (p *pruner) narrow(g gap, f *found) {
	line := p.lines[g.line]
	lo, hi := p.window(g.x, line, g.lo, g.hi)
	if lo > g.lo {
		p.put(line[lo-1], g.x, &f.arcs)
	}
	if hi < g.hi {
		p.put(g.x, line[hi], &f.arcs)
	}
	p.keep(gap{g.x, g.line, lo, hi}, f)
}

// window returns which of some chains of a line have no known place relative to chain x.
func (p *pruner) window(x int32, line []int32, from, to int32) (lo, hi int32) {
	for lo, hi = from, to; lo < hi; {
		if mid := (lo + hi) / 2; p.must(line[mid], x) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	first := lo
	for hi = to; first < hi; {
		if mid := (first + hi) / 2; p.must(x, line[mid]) {
			hi = mid
		} else {
			first = mid + 1
		}
	}
	return lo, hi
}

// keep notes a gap, unless it does not matter.
func (p *pruner) keep(g gap, f *found) {
	line := p.lines[g.line]
	for g.lo < g.hi && p.trivial(g.x, line[g.lo]) {
		g.lo++
	}
	for g.lo < g.hi && p.trivial(g.x, line[g.hi-1]) {
		g.hi--
	}
	if g.lo < g.hi {
		f.open = append(f.open, g)
	}
}

// linesOf makes the lines of a key, the longest first, and notes the edges within them.
func (p *pruner) linesOf(key int, f *found) (lines [][]int32) {
	chains := p.byKey[key]
	if len(chains) > 0 && p.chains[chains[0]].initial {
		chains = chains[1:]
	}
	chains = slices.Clone(chains)
	slices.SortFunc(chains, func(a, b int32) int {
		return cmp.Compare(p.pos[p.commit(p.head(a))], p.pos[p.commit(p.head(b))])
	})
	for _, c := range chains {
		i := slices.IndexFunc(lines, func(l []int32) bool { return p.must(l[len(l)-1], c) })
		if i < 0 {
			lines = append(lines, nil)
			i = len(lines) - 1
		} else {
			p.put(lines[i][len(lines[i])-1], c, &f.arcs)
		}
		line := append(lines[i], c)
		copy(lines[1:i+1], lines[:i]) // the one that grew last is tried first
		lines[0] = line
	}
	slices.SortStableFunc(lines, func(a, b []int32) int { return len(b) - len(a) })
	return lines
}

// merge finds for every chain of a line where it can stand in a longer line. That it comes after one chain of the
// longer line implies that those after it do so, too.
func (p *pruner) merge(line []int32, longer int32, f *found) {
	into := p.lines[longer]
	end := int32(len(into))
	gaps := make([]gap, len(line))
	from := int32(0)
	for i, x := range line {
		lo, hi := p.window(x, into, from, end)
		if lo > 0 && (i == 0 || lo > from) {
			p.put(into[lo-1], x, &f.arcs)
		}
		gaps[i], from = gap{x, longer, lo, hi}, lo
	}
	for i, g := range gaps {
		if g.hi < end && (i+1 == len(gaps) || g.hi < gaps[i+1].hi) {
			p.put(g.x, into[g.hi], &f.arcs)
		}
		p.keep(g, f)
	}
}

// trivial says whether any order of all transactions orders the two chains well enough: at SER, two single writes
// that nobody read.
func (p *pruner) trivial(a, b int32) bool {
	x, y := &p.chains[a], &p.chains[b]
	return p.level != dbms.SI && len(x.readers)+len(y.readers) == 0 && len(x.versions) == 1 && len(y.versions) == 1
}

// parallel calls do with every number below n, on all cores, unless the check is to stop.
func (p *pruner) parallel(n int, do func(i int)) {
	graph.Parallel(n, func(i int) {
		if !p.stopped() {
			do(i)
		}
	})
}
