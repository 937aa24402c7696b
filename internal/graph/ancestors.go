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
	t := tracker{Ancestors: &Ancestors{track: make([]int32, n), at: make([]int32, n), rows: make([][]int32, n)}}
	pos := make([]int32, n)
	inner := make([]bool, n) // something comes after it
	for i, u := range order {
		pos[u] = int32(i)
		for _, p := range pred[u] {
			inner[p] = true
		}
	}
	for i, u := range order {
		latestFirst(pred[u], pos)
		pred[u] = t.reach(pred[u])
		if limit -= 4 * len(t.row); limit < 0 || i%askEvery == 0 && stopped() {
			return nil
		}
		t.rows[u] = t.keep()
		t.track[u] = noTrack
		if u < tracked && inner[u] {
			t.extend(u, int32(i))
		}
	}
	return t.Ancestors
}

// tracker covers nodes with tracks, one after the other.
type tracker struct {
	*Ancestors
	last  []int32 // by track: position in order of its last node
	row   []int32 // by track: how many of its nodes reach the node at hand
	arena []int32
}

// reach makes the row of a node with these predecessors, the latest first, and keeps those that no other one implies.
func (t *tracker) reach(pred []int32) []int32 {
	t.row = append(t.row[:0], make([]int32, len(t.last))...)
	kept := pred[:0]
	for _, p := range pred {
		k := t.track[p]
		if k != noTrack && t.row[k] >= t.at[p] {
			continue
		}
		kept = append(kept, p)
		for j, x := range t.rows[p] {
			t.row[j] = max(t.row[j], x)
		}
		if k != noTrack {
			t.row[k] = t.at[p]
		}
	}
	return kept
}

// keep is a copy of the row.
func (t *tracker) keep() []int32 {
	if cap(t.arena)-len(t.arena) < len(t.row) {
		t.arena = make([]int32, 0, max(1<<20, len(t.row)))
	}
	t.arena = append(t.arena, t.row...)
	return t.arena[len(t.arena)-len(t.row) : len(t.arena) : len(t.arena)]
}

// extend puts the node at hand, which has that position, at the end of a track.
func (t *tracker) extend(u, pos int32) {
	best := noTrack
	for k, x := range t.row {
		if x == t.count[k] && (best == noTrack || t.last[k] > t.last[best]) {
			best = int32(k)
		}
	}
	if best == noTrack {
		best = int32(len(t.last))
		t.last, t.count = append(t.last, 0), append(t.count, 0)
	}
	t.count[best]++
	t.track[u], t.at[u], t.last[best] = best, t.count[best], pos
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
		wg.Go(func() { r.fill(pred, order, from, min(from+width, words), stopped) })
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
		pred[u] = r.unimplied(pred[u])
	})
	return r
}

// fill computes the words from one to another of all bitsets.
func (r *Ancestors) fill(pred [][]int32, order []int32, from, to int, stopped func() bool) {
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
}

// unimplied keeps the predecessors, the latest first, that no other one of them implies.
func (r *Ancestors) unimplied(pred []int32) []int32 {
	kept := pred[:0]
	for _, p := range pred {
		if !slices.ContainsFunc(kept, func(q int32) bool { return p == q || r.Has(p, q) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// Counts returns by node how many nodes reach it and how many it reaches.
func (r *Ancestors) Counts() (before, after []int32) {
	n := max(len(r.rows), len(r.bits))
	before, after = make([]int32, n), make([]int32, n)
	if r.bits == nil {
		r.countTracks(before, after)
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

// countTracks is Counts of tracks.
func (r *Ancestors) countTracks(before, after []int32) {
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
