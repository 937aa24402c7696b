package polygraph

import (
	"cmp"
	"slices"
	"sort"
)

// decide decides the pairs that reachability leaves open by where their transactions probably stood, the surest ones
// first, many at once, and lets reachability draw the consequences. A decision that closes a cycle is taken back,
// and made the other way round where it was the only one. It reports whether that came to an end without a cycle: then
// the history is valid. If it did not, nothing is known. The graph stays as it is.
func (p *pruner) decide(limit int) bool {
	d := &pruner{polygraph: p.polygraph, ends: p.ends, pred: p.pred, order: p.order, pos: p.pos, reach: p.reach,
		lines: p.lines, open: p.open, made: p.made}
	for n := len(d.open); len(d.open) > 0; n *= 2 {
		d.estimate()
		count := d.count()
		before := *d
		for n = max(1, min(n, len(d.open))); !d.try(d.guesses(count, n), limit); n /= 4 {
			*d = before
			if n >= 4 {
				continue
			}
			n = 1 // the surest alone
			surest := d.guesses(count, n)
			if d.try(surest, limit) {
				break
			}
			*d = before
			surest[0].a, surest[0].b = surest[0].b, surest[0].a
			if !d.try(surest, limit) {
				return false
			}
			break
		}
	}
	return d.sort()
}

// try puts chain a before chain b of each pair and draws the consequences.
func (p *pruner) try(pairs []pair, limit int) bool {
	p.pred = slices.Clone(p.pred)
	for u := range p.pred {
		p.pred[u] = slices.Clone(p.pred[u])
	}
	var arcs []arcFrom
	for _, x := range pairs {
		p.put(x.a, x.b, &arcs)
	}
	p.insert(arcs)
	return p.propagate(limit, 0) == settled
}

// estimate guesses where the middle of each chain stood.
func (p *pruner) estimate() {
	at := p.positions()
	p.middle = make([]int64, len(p.chains))
	for c, e := range p.ends {
		if p.chains[c].initial {
			continue
		}
		last := max(at[e.head], at[e.tail])
		for _, t := range p.chains[c].readers {
			last = max(last, at[p.start(t)])
		}
		p.middle[c] = at[e.head] + last
	}
}

// sureties returns how far a gap's chain probably lay from the first and from the last one that it may precede or
// follow: positive where it lay between them.
func (p *pruner) sureties(g gap) (first, last int64) {
	line := p.lines[g.line]
	return p.middle[g.x] - p.middle[line[g.lo]], p.middle[line[g.hi-1]] - p.middle[g.x]
}

// count returns by surety how many guesses, two for each gap, are that sure or surer.
func (p *pruner) count() []int {
	n := make([]int, 2*len(p.pred)+1)
	for _, g := range p.open {
		first, last := p.sureties(g)
		n[max(first, -first)]++
		n[max(last, -last)]++
	}
	for i := len(n) - 2; i >= 0; i-- {
		n[i] += n[i+1]
	}
	return n
}

// guesses returns the n surest guesses, or more if some are as sure. A guess about an end of a gap holds further into
// the line, as far as it is sure enough.
func (p *pruner) guesses(count []int, n int) (out []pair) {
	least := int64(sort.Search(len(count), func(i int) bool { return count[i] < n })) - 1
	for _, g := range p.open {
		line := p.lines[g.line][g.lo:g.hi]
		first, last := p.sureties(g)
		switch {
		case first >= least:
			i := sort.Search(len(line), func(i int) bool { return p.middle[g.x]-p.middle[line[i]] < least })
			out = append(out, pair{line[max(0, i-1)], g.x})
		case -first >= least:
			out = append(out, pair{g.x, line[0]})
			continue
		}
		switch {
		case last >= least:
			i := sort.Search(len(line), func(i int) bool { return p.middle[line[i]]-p.middle[g.x] >= least })
			out = append(out, pair{g.x, line[min(len(line)-1, i)]})
		case -last >= least:
			out = append(out, pair{line[len(line)-1], g.x})
		}
	}
	if n == 1 {
		return out[:1]
	}
	return out
}

// positions guesses each node's place in an order of all nodes: its hint's rank, but behind as many nodes as must come
// before it and before as many as must come after.
func (p *pruner) positions() []int64 {
	n := len(p.pred)
	byHint := make([]int32, n)
	for i := range byHint {
		byHint[i] = int32(i)
	}
	slices.SortStableFunc(byHint, func(a, b int32) int { return cmp.Compare(p.hint[a], p.hint[b]) })
	at := make([]int64, n)
	before, after := p.reach.Counts()
	for rank, u := range byHint {
		at[u] = max(int64(before[u]), min(int64(rank), int64(n-1)-int64(after[u])))
	}
	return at
}
