package polygraph

import (
	"cmp"
	"math/bits"
	"slices"
)

// decide decides the pairs that reachability leaves open by where their transactions probably stood, the surest ones
// first, many at once, and lets reachability draw the consequences. A decision that closes a cycle is taken back,
// and made the other way round where it was the only one. It reports whether that came to an end without a cycle: then
// the history is valid. If it did not, nothing is known. The graph stays as it is.
func (p *pruner) decide() bool {
	work := *p.graph
	d := &pruner{graph: &work, reach: p.reach, open: p.open}
	work.succ = slices.Clone(work.succ)
	for n := len(d.open); len(d.open) > 0; n *= 2 {
		d.thin()
		sure := d.surest()
		succ, reach, open := d.succ, d.reach, d.open
		for n = max(1, min(n, len(sure)/2)); !d.try(sure[:n]); n /= 4 {
			work.succ, d.reach, d.open = succ, reach, open
			if n < 4 { // the surest alone
				n = 1
				if d.try(sure[:1]) {
					break
				}
				work.succ, d.reach, d.open = succ, reach, open
				sure[0].a, sure[0].b = sure[0].b, sure[0].a
				if !d.try(sure[:1]) {
					return false
				}
				break
			}
		}
	}
	return true
}

// thin drops edges that others imply: reachability stays, and takes less time to compute.
func (p *pruner) thin() {
	p.parallel(len(p.succ), func(u int) {
		var kept []arc
		for i, a := range p.succ[u] {
			implied := slices.ContainsFunc(p.succ[u][:i], func(b arc) bool { return b.to == a.to }) ||
				slices.ContainsFunc(p.succ[u], func(b arc) bool { return p.reach[b.to].has(a.to) })
			if !implied {
				kept = append(kept, a)
			}
		}
		p.succ[u] = kept
	})
}

// try puts the first chain of each pair before the second one and draws the consequences. What it adds to, it copies.
func (p *pruner) try(pairs []pair) bool {
	var arcs []arcFrom
	for _, x := range pairs {
		p.order(x.a, x.b, &arcs)
	}
	p.succ = slices.Clone(p.succ)
	for u := range p.succ {
		p.succ[u] = slices.Clip(p.succ[u])
	}
	p.insert(arcs)
	return p.propagate()
}

// surest returns the open pairs, each in its probable order, those first whose chains probably lay farthest apart.
func (p *pruner) surest() []pair {
	at := p.positions()
	middle := func(c int32) int64 {
		first := at[p.commit(p.head(c))]
		last := first
		if t := p.tail(c); t >= 0 {
			last = max(last, at[p.commit(t)])
		}
		for _, t := range p.chains[c].readers {
			last = max(last, at[p.start(t)])
		}
		return first + last
	}
	type ranked struct {
		pair
		gap int64
	}
	pairs := make([]ranked, len(p.open))
	for i, x := range p.open {
		gap := middle(x.b) - middle(x.a)
		if gap < 0 {
			x.a, x.b, gap = x.b, x.a, -gap
		}
		pairs[i] = ranked{x, gap}
	}
	slices.SortStableFunc(pairs, func(x, y ranked) int { return cmp.Compare(y.gap, x.gap) })
	out := make([]pair, len(pairs))
	for i, x := range pairs {
		out[i] = x.pair
	}
	return out
}

// positions guesses each node's place in an order of all nodes: its hint's rank, but behind as many nodes as must come
// before it and before as many as must come after.
func (p *pruner) positions() []int64 {
	n := len(p.succ)
	byHint := make([]int32, n)
	for i := range byHint {
		byHint[i] = int32(i)
	}
	slices.SortStableFunc(byHint, func(a, b int32) int { return cmp.Compare(p.hint[a], p.hint[b]) })
	at, before := make([]int64, n), p.ancestors()
	for rank, u := range byHint {
		after := 0
		for _, w := range p.reach[u] {
			after += bits.OnesCount64(w)
		}
		at[u] = max(int64(before[u]), min(int64(rank), int64(n-1-after)))
	}
	return at
}

// ancestors counts, by node, those that reach it. Counters of 64 nodes are kept as bit planes, so that a row adds to
// all of them at once.
func (p *pruner) ancestors() []int32 {
	n := len(p.succ)
	count := make([]int32, n)
	words := (n + 63) / 64
	p.parallel(words, func(w int) {
		var planes [32]uint64
		for u := range n {
			carry := p.reach[u][w]
			for i := 0; carry != 0; i++ {
				planes[i], carry = planes[i]^carry, planes[i]&carry
			}
		}
		for b := range min(64, n-w*64) {
			for i, plane := range planes {
				count[w*64+b] |= int32(plane>>b&1) << i
			}
		}
	})
	return count
}
