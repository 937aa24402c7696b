package polygraph

import (
	"container/heap"
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/internal/graph"
)

// topological returns the known graph's nodes in an order that its edges allow, nil if there is a cycle.
func (g *polygraph) topological() []int32 {
	degree := make([]int32, len(g.succ))
	for _, arcs := range g.succ {
		for _, a := range arcs {
			degree[a.to]++
		}
	}
	order := graph.Order(degree, func(u int32, buf []int32) []int32 {
		for _, a := range g.succ[u] {
			buf = append(buf, a.to)
		}
		return buf
	})
	if len(order) < len(degree) {
		return nil
	}
	return order
}

// successors gives the edges of a node, the chosen ones included.
func (g *polygraph) successors(chosen *choice) checker.Adjacency {
	return func(u int32, add func(int32, history.EdgeKind, int32)) {
		for _, a := range g.succ[u] {
			add(a.to, a.kind, a.key)
		}
		if chosen != nil {
			for _, a := range chosen.arcs[u] {
				add(a.to, a.kind, a.key)
			}
		}
	}
}

// pair is two chains of one key.
type pair struct{ a, b int32 }

// attempted is an order of all nodes, and the pairs of chains of which one began before the other was complete.
type attempted struct {
	violated []pair // the chain that was open, and the one that began
}

// attempt puts the nodes into an order that the edges allow, one that can go next at a time, the one with the earliest
// hint first, and keeps chains apart: a transaction that begins a chain of a key waits until the chain that is open
// has all its writes and all reads of its last version. Where nothing else can go, one that waits goes all the same.
func (g *polygraph) attempt(chosen *choice) *attempted {
	p := newPlacer(g, chosen)
	for {
		for p.ready.Len() > 0 {
			u := heap.Pop(&p.ready).(int32)
			if key := p.blockedOn(u); key != none {
				p.waiting[key] = append(p.waiting[key], u)
				p.blocked++
				continue
			}
			p.place(u)
		}
		if p.blocked == 0 {
			return &p.attempted
		}
		p.place(p.leastBlocked())
	}
}

// placer is an attempt in progress.
type placer struct {
	*polygraph
	attempted
	chosen  *choice
	degree  []int32
	ready   nodeHeap
	placed  []bool
	open    []int32 // by key: the chain that began last; none
	writes  []int32 // by chain: versions that have not been written
	unread  []int32 // by chain: reads of its last version that have not happened
	locked  []int32 // at SI, by key: the transaction that has started and will begin a chain; none
	waiting [][]int32
	blocked int
	seen    map[pair]bool
}

// nodeHeap gives the node with the earliest hint.
type nodeHeap struct {
	nodes []int32
	hint  []int64
}

func (q *nodeHeap) Len() int { return len(q.nodes) }
func (q *nodeHeap) Less(i, j int) bool {
	a, b := q.nodes[i], q.nodes[j]
	return q.hint[a] < q.hint[b] || q.hint[a] == q.hint[b] && a < b
}
func (q *nodeHeap) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }
func (q *nodeHeap) Push(x any)    { q.nodes = append(q.nodes, x.(int32)) }
func (q *nodeHeap) Pop() any {
	last := len(q.nodes) - 1
	u := q.nodes[last]
	q.nodes = q.nodes[:last]
	return u
}

func newPlacer(g *polygraph, chosen *choice) *placer {
	p := &placer{polygraph: g, chosen: chosen, degree: make([]int32, len(g.succ)), placed: make([]bool, len(g.succ)),
		open: slices.Repeat([]int32{none}, len(g.byKey)), locked: slices.Repeat([]int32{none}, len(g.byKey)),
		writes: make([]int32, len(g.chains)), unread: make([]int32, len(g.chains)), waiting: make([][]int32, len(g.byKey)),
		seen: map[pair]bool{}}
	for u := range g.succ {
		p.each(int32(u), func(a arc) { p.degree[a.to]++ })
	}
	for c := range g.chains {
		ch := &g.chains[c]
		p.writes[c], p.unread[c] = int32(len(ch.versions)), int32(len(ch.readers))
		if ch.initial {
			p.open[ch.key] = int32(c)
			if g.r.VersionTxn[ch.versions[0]] < 0 {
				p.writes[c]--
			}
		}
	}
	p.ready.hint = g.hint
	for u, d := range p.degree {
		if d == 0 {
			p.ready.nodes = append(p.ready.nodes, int32(u))
		}
	}
	heap.Init(&p.ready)
	return p
}

// each calls do with every edge out of a node.
func (p *placer) each(u int32, do func(arc)) {
	for _, a := range p.succ[u] {
		do(a)
	}
	if p.chosen != nil {
		for _, a := range p.chosen.arcs[u] {
			do(a.arc)
		}
	}
}

// blockedOn returns the key of a chain that has to be complete before the node may go; none if it may.
func (p *placer) blockedOn(u int32) int32 {
	t := p.txn(u)
	if t < 0 || !p.r.Taken[t] {
		return none
	}
	for _, c := range p.heads[t] {
		key := p.chains[c].key
		o := p.open[key]
		starts, commits := u == p.start(t), u == p.commit(t)
		switch {
		case starts && (o != none && p.writes[o] > 0 || p.locked[key] != none):
			return key
		case commits && o != none && p.unread[o] > 0:
			return key
		}
	}
	return none
}

// place puts a node next.
func (p *placer) place(u int32) {
	p.placed[u] = true
	if t := p.txn(u); t >= 0 && p.r.Taken[t] {
		if u == p.start(t) {
			p.started(t)
		}
		if u == p.commit(t) {
			p.committed(t)
		}
	}
	p.each(u, func(a arc) {
		if p.degree[a.to]--; p.degree[a.to] == 0 {
			heap.Push(&p.ready, a.to)
		}
	})
}

// started counts what a transaction read, and at SI takes the keys whose next chain it begins.
func (p *placer) started(t int32) {
	for _, c := range p.reads[t] {
		if p.unread[c]--; p.unread[c] == 0 {
			p.wake(p.chains[c].key)
		}
	}
	if p.level != dbms.SI {
		return
	}
	for _, c := range p.heads[t] {
		key := p.chains[c].key
		if o := p.open[key]; o != none && p.writes[o] > 0 {
			p.violate(o, c)
		}
		if other := p.locked[key]; other != none {
			for _, x := range p.heads[other] {
				if p.chains[x].key == key {
					p.violate(x, c)
				}
			}
		}
		p.locked[key] = t
	}
}

// committed counts what a transaction wrote and begins its chains.
func (p *placer) committed(t int32) {
	for _, c := range p.heads[t] {
		key := p.chains[c].key
		if o := p.open[key]; o != none && (p.writes[o] > 0 || p.unread[o] > 0) {
			p.violate(o, c)
		}
		p.open[key] = c
		if p.locked[key] == t {
			p.locked[key] = none
		}
		p.wake(key)
	}
	for v := p.r.FirstVersion[t]; v < p.r.FirstVersion[t+1]; v++ {
		c := p.chainOf[v]
		key := p.chains[c].key
		if o := p.open[key]; o != c && o != none {
			p.violate(c, o)
		}
		if p.writes[c]--; p.writes[c] == 0 {
			p.wake(key)
		}
	}
}

// violate notes that chain b began before chain a was complete.
func (p *placer) violate(a, b int32) {
	if p.chains[a].initial || p.chains[b].initial || a == b || p.seen[pair{a, b}] {
		return // what concerns the initial chain is an edge
	}
	p.seen[pair{a, b}] = true
	p.violated = append(p.violated, pair{a, b})
}

// wake lets those try again that wait for a key.
func (p *placer) wake(key int32) {
	for _, u := range p.waiting[key] {
		heap.Push(&p.ready, u)
	}
	p.blocked -= len(p.waiting[key])
	p.waiting[key] = p.waiting[key][:0]
}

// leastBlocked takes, of the nodes that wait, the one with the earliest hint.
func (p *placer) leastBlocked() int32 {
	best, bestKey, bestAt := none, 0, 0
	for key, nodes := range p.waiting {
		for i, u := range nodes {
			if best == none || p.hint[u] < p.hint[best] || p.hint[u] == p.hint[best] && u < best {
				best, bestKey, bestAt = u, key, i
			}
		}
	}
	p.waiting[bestKey] = slices.Delete(p.waiting[bestKey], bestAt, bestAt+1)
	p.blocked--
	return best
}
