package graph

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// Ancestors is reachability between the nodes of an acyclic graph, by the ancestors of each node. Where few nodes are
// concurrent, as where sessions or an order of versions are known, the nodes are covered with few paths ("tracks"), and
// a node needs one number for each: how far along it the ancestors go (Jagadish, TODS 1990). Else it needs a bit for
// each node.
type Ancestors struct {
	track []int32 // by node; noTrack where nothing comes after it, or where bits are used
	at    []int32 // by node: its position in its track, from 1
	rows  [][]int32
	bits  []bitset
	count []int32 // by track: its nodes
}

// askEvery is after how many nodes it is asked whether to stop.
const askEvery = 256

// noTrack is the track of a node that is in none.
const noTrack int32 = -1

// bitset is a set of nodes.
type bitset []uint64

func (b bitset) has(i int32) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }

// Has says whether there is a path from node u to node v.
func (r *Ancestors) Has(u, v int32) bool {
	if r.bits != nil {
		return r.bits[v].has(u)
	}
	k, row := r.track[u], r.rows[v]
	return int(k) < len(row) && k >= 0 && row[k] >= r.at[u]
}

// NewAncestors computes reachability of a graph given by the predecessors of each node; order is a topological one. On
// the way it drops predecessors that others imply. Of nodes from tracked on it need not be asked what they reach,
// unless Bits says that it may. It returns nil where that takes more than limit bytes, and once stopped says so.
func NewAncestors(pred [][]int32, order []int32, tracked int32, limit int, stopped func() bool) *Ancestors {
	n := len(order)
	words := (n + 63) / 64
	dense := 8 * words * n
	if r := newTracks(pred, order, tracked, min(limit, dense), stopped); r != nil {
		return r
	}
	if dense > limit || stopped() {
		return nil
	}
	return newBits(pred, order, words, stopped)
}

// newTracks covers the nodes with tracks, greedily: a node goes to the end of the track whose last node is its
// ancestor, the latest one if there are several.
func newTracks(pred [][]int32, order []int32, tracked int32, limit int, stopped func() bool) *Ancestors {
	n := len(order)
	r := &Ancestors{track: make([]int32, n), at: make([]int32, n), rows: make([][]int32, n)}
	pos := make([]int32, n)
	inner := make([]bool, n) // something comes after it
	for i, u := range order {
		pos[u] = int32(i)
		for _, p := range pred[u] {
			inner[p] = true
		}
	}
	var (
		last  []int32 // by track: position in order of its last node
		arena []int32
		row   []int32
	)
	for i, u := range order {
		row = append(row[:0], make([]int32, len(last))...)
		latestFirst(pred[u], pos)
		kept := pred[u][:0]
		for _, p := range pred[u] {
			k := r.track[p]
			if k != noTrack && row[k] >= r.at[p] {
				continue
			}
			kept = append(kept, p)
			for j, x := range r.rows[p] {
				row[j] = max(row[j], x)
			}
			if k != noTrack {
				row[k] = r.at[p]
			}
		}
		pred[u] = kept
		if limit -= 4 * len(row); limit < 0 || i%askEvery == 0 && stopped() {
			return nil
		}
		if cap(arena)-len(arena) < len(row) {
			arena = make([]int32, 0, max(1<<20, len(row)))
		}
		arena = append(arena, row...)
		r.rows[u] = arena[len(arena)-len(row) : len(arena) : len(arena)]
		r.track[u] = noTrack
		if u >= tracked || !inner[u] {
			continue
		}
		best := noTrack
		for k, x := range row {
			if x == r.count[k] && (best == noTrack || last[k] > last[best]) {
				best = int32(k)
			}
		}
		if best == noTrack {
			best = int32(len(last))
			last, r.count = append(last, 0), append(r.count, 0)
		}
		r.count[best]++
		r.track[u], r.at[u], last[best] = best, r.count[best], int32(i)
	}
	return r
}

// latestFirst sorts a few nodes by their positions, the last one first.
func latestFirst(nodes, pos []int32) {
	if len(nodes) > 16 {
		slices.SortFunc(nodes, func(a, b int32) int { return cmp.Compare(pos[b], pos[a]) })
		return
	}
	for i := range nodes {
		for j := i; j > 0 && pos[nodes[j]] > pos[nodes[j-1]]; j-- {
			nodes[j], nodes[j-1] = nodes[j-1], nodes[j]
		}
	}
}

// newBits computes a bitset for each node. Columns are worked on in parallel: the rows of one column of words depend on
// nothing outside it.
func newBits(pred [][]int32, order []int32, words int, stopped func() bool) *Ancestors {
	n := len(order)
	flat := make([]uint64, n*words)
	r := &Ancestors{bits: make([]bitset, n)}
	for i := range r.bits {
		r.bits[i] = flat[i*words : (i+1)*words : (i+1)*words]
	}
	workers := runtime.GOMAXPROCS(0)
	width := (words + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < words; from += width {
		to := min(from+width, words)
		wg.Go(func() {
			for i, u := range order {
				if i%askEvery == 0 && stopped() {
					return
				}
				row := r.bits[u][from:to]
				for _, p := range pred[u] {
					for i, w := range r.bits[p][from:to] {
						row[i] |= w
					}
					if w := int(p >> 6); w >= from && w < to {
						r.bits[u].set(p)
					}
				}
			}
		})
	}
	wg.Wait()
	if stopped() {
		return nil
	}
	pos := make([]int32, n)
	for i, u := range order {
		pos[u] = int32(i)
	}
	Parallel(n, func(u int) {
		latestFirst(pred[u], pos)
		kept := pred[u][:0]
	next:
		for _, p := range pred[u] {
			for _, q := range kept {
				if p == q || r.Has(p, q) {
					continue next
				}
			}
			kept = append(kept, p)
		}
		pred[u] = kept
	})
	return r
}

// Counts returns by node how many nodes reach it and how many it reaches.
func (r *Ancestors) Counts() (before, after []int32) {
	n := max(len(r.rows), len(r.bits))
	before, after = make([]int32, n), make([]int32, n)
	if r.bits == nil {
		sums := make([][]int32, len(r.count)) // by track and position: rows that end there, then: there or later
		for k, c := range r.count {
			sums[k] = make([]int32, c+2)
		}
		for v, row := range r.rows {
			for k, x := range row {
				before[v] += x
				sums[k][x]++
			}
		}
		for _, s := range sums {
			for i := len(s) - 2; i >= 0; i-- {
				s[i] += s[i+1]
			}
		}
		for u, k := range r.track {
			if k != noTrack {
				after[u] = sums[k][r.at[u]]
			}
		}
		return before, after
	}
	for v, row := range r.bits {
		for _, w := range row {
			before[v] += int32(bits.OnesCount64(w))
		}
	}
	Parallel((n+63)/64, func(w int) { r.column(w, after) })
	return before, after
}

// column counts, for the nodes of one column of words, in how many rows they are. The 64 counters are kept as bit
// planes, so that a row adds to all of them at once.
func (r *Ancestors) column(w int, count []int32) {
	var planes [32]uint64
	for u := range r.bits {
		carry := r.bits[u][w]
		for i := 0; carry != 0; i++ {
			planes[i], carry = planes[i]^carry, planes[i]&carry
		}
	}
	for b := range min(64, len(count)-w*64) {
		for i, plane := range planes {
			count[w*64+b] |= int32(plane>>b&1) << i
		}
	}
}
