package polygraph

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"txweave/oracle/check"
)

// bitset is a set of nodes.
type bitset []uint64

func (b bitset) has(i int32) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }

func (b bitset) union(c bitset) {
	for i, w := range c {
		b[i] |= w
	}
}

// closure is, by node, what can be reached from it.
type closure []bitset

// closure computes reachability; order is a topological one. Columns are worked on in parallel: the rows of one
// column of words depend on nothing outside it.
func (g *graph) closure(order []int32) closure {
	n := len(g.succ)
	words := (n + 63) / 64
	flat := make([]uint64, n*words)
	reach := make(closure, n)
	for i := range reach {
		reach[i] = flat[i*words : (i+1)*words : (i+1)*words]
	}
	workers := runtime.GOMAXPROCS(0)
	width := (words + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < words; from += width {
		to := min(from+width, words)
		wg.Go(func() {
			for i := n - 1; i >= 0; i-- {
				u := order[i]
				row := reach[u][from:to]
				for _, a := range g.succ[u] {
					row.union(reach[a.to][from:to])
					if w := int(a.to >> 6); w >= from && w < to {
						reach[u].set(a.to)
					}
				}
			}
		})
	}
	wg.Wait()
	return reach
}

// cannotPrecede says whether putting chain b before chain a would close a cycle.
func (g *graph) cannotPrecede(reach closure, b, a int32) bool {
	h := g.head(a)
	if reach[g.start(h)].has(g.commit(g.tail(b))) {
		return true
	}
	row := reach[g.commit(h)]
	for _, t := range g.chains[b].readers {
		if s := g.start(t); s == g.commit(h) || row.has(s) {
			return true
		}
	}
	return false
}

// pruner decides pairs of chains by reachability: it keeps those that are open.
type pruner struct {
	*graph
	reach closure
	open  []pair
}

// prune decides every pair of chains of which only one order leaves the graph acyclic, until nothing changes. It
// returns a verdict where a pair has no such order.
func (g *graph) prune() (*pruner, *check.Verdict) {
	p := &pruner{graph: g}
	order := g.topological()
	p.reach = g.closure(order)
	p.first(order)
	if !p.propagate() {
		return nil, g.knownCycle()
	}
	return p, nil
}

// propagate decides pairs until nothing changes; false: there is a cycle.
func (p *pruner) propagate() bool {
	for {
		order := p.topological()
		if order == nil {
			return false
		}
		p.reach = p.closure(order)
		if !p.again() {
			return true
		}
	}
}

// again decides open pairs and reports whether that added an edge.
func (p *pruner) again() bool {
	const block = 4096
	type result struct {
		arcs []arcFrom
		open []pair
	}
	results := make([]result, (len(p.open)+block-1)/block)
	p.parallel(len(results), func(i int) {
		r := &results[i]
		for _, x := range p.open[i*block : min((i+1)*block, len(p.open))] {
			ab, ba := !p.cannotPrecede(p.reach, x.a, x.b), !p.cannotPrecede(p.reach, x.b, x.a)
			if ab && ba {
				r.open = append(r.open, x)
				continue
			}
			if !ab {
				p.order(x.b, x.a, &r.arcs)
			}
			if !ba {
				p.order(x.a, x.b, &r.arcs)
			}
		}
	})
	p.open = p.open[:0:0]
	changed := false
	for i := range results {
		p.open = append(p.open, results[i].open...)
		changed = p.insert(results[i].arcs) || changed
	}
	return changed
}

// order lists the edges that put chain a before chain b and are not implied already.
func (p *pruner) order(a, b int32, out *[]arcFrom) {
	p.before(a, b, func(from, to int32, kind uint8, key int32) {
		if !p.reach[from].has(to) {
			*out = append(*out, arcFrom{from, arc{to, key, kind}})
		}
	})
}

func (p *pruner) insert(arcs []arcFrom) bool {
	for _, a := range arcs {
		p.succ[a.from] = append(p.succ[a.from], a.arc)
	}
	return len(arcs) > 0
}

// parallel calls do with every number below n, on all cores.
func (p *pruner) parallel(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

type arcFrom struct {
	from int32
	arc
}

// first looks at every pair of chains of every key.
func (p *pruner) first(order []int32) {
	pos := make([]int32, len(order))
	for i, u := range order {
		pos[u] = int32(i)
	}
	arcs, open := make([][]arcFrom, len(p.byKey)), make([][]pair, len(p.byKey))
	p.parallel(len(p.byKey), func(key int) { arcs[key], open[key] = p.firstOfKey(pos, p.byKey[key]) })
	for key := range arcs {
		p.insert(arcs[key])
		p.open = append(p.open, open[key]...)
	}
}

// firstOfKey returns the edges that follow for one key and are not implied already, and the pairs that stay open.
func (p *pruner) firstOfKey(pos []int32, chains []int32) (out []arcFrom, open []pair) {
	if len(chains) > 0 && p.chains[chains[0]].initial {
		chains = chains[1:]
	}
	chains = slices.Clone(chains)
	slices.SortFunc(chains, func(a, b int32) int { return int(pos[p.commit(p.head(a))] - pos[p.commit(p.head(b))]) })
	words := (len(chains) + 63) / 64
	after := make([]bitset, len(chains)) // by position: the chains that must come after
	for i, a := range chains {
		after[i] = make(bitset, words)
		for j, b := range chains {
			if i != j && p.cannotPrecede(p.reach, b, a) {
				after[i].set(int32(j))
			}
		}
	}
	for i, a := range chains {
		for j, b := range chains[:i] {
			if !after[i].has(int32(j)) && !after[j].has(int32(i)) && !p.trivial(a, b) {
				open = append(open, pair{b, a})
			}
		}
		left := slices.Clone(after[i])
		for w := range left {
			for left[w] != 0 {
				j := w*64 + bits.TrailingZeros64(left[w])
				left[w] &= left[w] - 1
				p.order(a, chains[j], &out)
				for k := w; k < len(left); k++ { // what follows chain j follows by that
					left[k] &^= after[j][k]
				}
			}
		}
	}
	return out, open
}

// trivial says whether any order of all transactions orders the two chains well enough: at SER, two single writes
// that nobody read.
func (p *pruner) trivial(a, b int32) bool {
	x, y := &p.chains[a], &p.chains[b]
	return p.level != check.SI && len(x.readers)+len(y.readers) == 0 && len(x.versions) == 1 && len(y.versions) == 1
}
