package graph

import "math/bits"

// Small is a graph of at most 64 nodes, without edges at first; a set of nodes is a word. It serves searches that take
// nodes away again and again: alive are those that are there. It is used by one goroutine at a time.
type Small struct {
	succ, pred [64]uint64
	layers     [65]uint64 // of the last search for a cycle; here it need not be cleared each time
}

// Edge adds u → v.
func (g *Small) Edge(u, v int) {
	g.succ[u] |= 1 << v
	g.pred[v] |= 1 << u
}

// Trim removes the nodes that are on no cycle because nothing leads to them or from them, until none is left.
func (g *Small) Trim(alive uint64) uint64 {
	for {
		before := alive
		for rest := alive; rest != 0; rest &= rest - 1 {
			v := bits.TrailingZeros64(rest) & 63 // 63: so that the compiler sees the bound
			if g.succ[v]&alive == 0 || g.pred[v]&alive == 0 {
				alive &^= 1 << v
			}
		}
		if alive == before {
			return alive
		}
	}
}

// ShortestCycle returns the nodes of a shortest cycle among the alive ones, 0 if there is none.
func (g *Small) ShortestCycle(alive uint64) uint64 {
	var best uint64
	size := 65
	for rest := alive; rest != 0; rest &= rest - 1 {
		v := bits.TrailingZeros64(rest)
		if cycle, n := g.cycleThrough(v, alive, size); n < size {
			best, size = cycle, n
			if size == 2 {
				break
			}
		}
	}
	return best
}

// cycleThrough returns a shortest cycle through v if it has fewer than limit nodes: breadth-first layers
// forward, then one node of each layer on the way back.
func (g *Small) cycleThrough(v int, alive uint64, limit int) (uint64, int) {
	layers := &g.layers
	layers[0] = 1 << v
	seen := layers[0]
	for d := 1; d < limit; d++ {
		var next uint64
		for rest := layers[d-1]; rest != 0; rest &= rest - 1 {
			next |= g.succ[bits.TrailingZeros64(rest)&63]
		}
		next &= alive
		if next&(1<<v) != 0 {
			cycle, at := uint64(1)<<v, v
			for k := d - 1; k > 0; k-- {
				at = bits.TrailingZeros64(layers[k]&g.pred[at&63]) & 63
				cycle |= 1 << at
			}
			return cycle, d
		}
		if layers[d] = next &^ seen; layers[d] == 0 {
			break
		}
		seen |= next
	}
	return 0, 65
}
