package polygraph

import (
	"cmp"
	"slices"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
)

// none is no transaction, version or chain.
const none int32 = -1

// arc is an edge of the known graph.
type arc struct {
	to, key int32
	kind    history.EdgeKind
}

// chain is a sequence of versions of a key, each written by a transaction that read the one before: no other version
// comes between them.
type chain struct {
	key      int32
	versions []int32
	// readers are the transactions that read the last version, its writer left out.
	readers []int32
	initial bool // it begins with the key's initial state and precedes every other chain
}

// polygraph is what is known of the order of transactions, with the chains whose order is not.
//
// At SER a transaction is one node. At SI it is two, its start and its commit: a transaction starts after the commit of
// what it depends on, and before the commit of what overwrites its reads; a cycle of these is one of ((SO ∪ WR ∪
// WW) ; RW?) (Wei et al., ICDE 2025, definition 6). At SSER the moments at which transactions start are nodes too, a
// chain of them in place of an edge for each pair.
type polygraph struct {
	stopped func() bool // says that the check is to stop
	h       *register.History
	r       *checker.Reads
	level   dbms.Level
	opt     Options
	n       int32 // transactions

	succ    [][]arc // by node
	known   []int   // by node: how many of its edges are not inferred; nil while none is
	moments []int32 // at SSER: the transactions in order of their starts
	chains  []chain
	byKey   [][]int32 // by key: its chains, the initial one first if there is one
	chainOf []int32   // by version; none where its transaction does not count
	posOf   []int32   // by version: position in its chain
	heads   [][]int32 // by transaction: chains, not initial ones, whose first version it wrote
	reads   [][]int32 // by transaction: chains whose last version it read
	hint    []int64   // by node: when it probably happened
}

// start and commit return the nodes of a transaction.
func (g *polygraph) start(t int32) int32 { return t }

func (g *polygraph) commit(t int32) int32 {
	if g.level == dbms.SI {
		return g.n + t
	}
	return t
}

// txn returns the transaction of a node, none for other nodes.
func (g *polygraph) txn(node int32) int32 {
	switch {
	case node < g.n:
		return node
	case g.level == dbms.SI && node < 2*g.n:
		return node - g.n
	}
	return none
}

// txnNodes returns how many nodes stand for transactions; they come first.
func (g *polygraph) txnNodes() int32 {
	if g.level == dbms.SI {
		return 2 * g.n
	}
	return g.n
}

func (g *polygraph) addNode() int32 {
	g.succ = append(g.succ, nil)
	return int32(len(g.succ) - 1)
}

func (g *polygraph) add(from, to int32, kind history.EdgeKind, key int32) {
	g.succ[from] = append(g.succ[from], arc{to, key, kind})
}

// depends adds an edge from a transaction to one that depends on it; overwrites one to a transaction that
// overwrites what the first one read.
func (g *polygraph) depends(a, b int32, kind history.EdgeKind, key int32) {
	g.add(g.commit(a), g.start(b), kind, key)
}

func (g *polygraph) overwrites(reader, writer, key int32) {
	g.add(g.start(reader), g.commit(writer), history.RW, key)
}

// build makes the graph of what the reads, the sessions and the times say.
func build(r *checker.Reads, level dbms.Level, opt Options) (*polygraph, *checker.Verdict) {
	g := &polygraph{stopped: func() bool { return false }, h: r.H, r: r, level: level, opt: opt, n: int32(len(r.H.Txns))}
	nodes := g.n
	if level == dbms.SI {
		nodes *= 2
	}
	g.succ = make([][]arc, nodes)
	if level == dbms.SI {
		for t := range g.n {
			g.add(g.start(t), g.commit(t), history.NoEdge, none)
		}
	}
	if v := g.buildChains(); v != nil {
		return nil, v
	}
	g.sessions()
	if level == dbms.SSER {
		g.realTime()
	}
	g.hints()
	return g, nil
}

// sessions adds session order. The initial transaction precedes all others in any case.
func (g *polygraph) sessions() {
	last := slices.Repeat([]int32{none}, g.h.Sessions())
	initial := int32(g.h.Initial)
	for t := range g.n {
		if !g.r.Taken[t] || t == initial {
			continue
		}
		s := g.h.Txns[t].Session
		prev := none
		if g.opt.SessionOrder && s != register.NoSession {
			prev, last[s] = last[s], t
		}
		if prev == none {
			prev = initial
		}
		if prev != none {
			g.depends(prev, t, history.SO, none)
		}
	}
}

// realTime adds the chain of moments. Transactions whose times meet in one instant are concurrent.
func (g *polygraph) realTime() {
	for t := range g.n {
		if g.r.Taken[t] && t != int32(g.h.Initial) {
			g.moments = append(g.moments, t)
		}
	}
	slices.SortStableFunc(g.moments, func(a, b int32) int { return cmp.Compare(g.h.Start(int(a)), g.h.Start(int(b))) })
	base := int32(len(g.succ))
	for i, t := range g.moments {
		node := g.addNode()
		g.add(node, t, history.NoEdge, none)
		if i > 0 {
			g.add(node-1, node, history.NoEdge, none)
		}
	}
	for _, t := range g.moments {
		end := g.h.End(int(t))
		at, _ := slices.BinarySearchFunc(g.moments, end, func(x int32, end int64) int {
			if g.h.Start(int(x)) <= end {
				return -1
			}
			return 1
		})
		if at < len(g.moments) {
			g.add(t, base+int32(at), history.RT, none)
		}
	}
}

// readersOf lists, by version, the transactions that read it, each once, the writer left out.
func (g *polygraph) readersOf() [][]int32 {
	out := make([][]int32, len(g.r.VersionTxn))
	for t := range g.n {
		if !g.r.Taken[t] {
			continue
		}
		first := g.h.FirstOp(int(t))
		for i := range g.h.TxnOps(int(t)) {
			v := g.r.From[first+i]
			if v == checker.Inner || g.r.VersionTxn[v] == t {
				continue
			}
			if k := len(out[v]); k == 0 || out[v][k-1] != t {
				out[v] = append(out[v], t)
			}
		}
	}
	return out
}

// counts says whether a version is there: an initial state, or written by a transaction that counts.
func (g *polygraph) counts(v int32) bool {
	t := g.r.VersionTxn[v]
	return t < 0 || g.r.Taken[t]
}

// keyOf returns the key of a version.
func (g *polygraph) keyOf(v int32) int32 {
	if op := g.r.VersionOp[v]; op >= 0 {
		return g.h.Ops[op].Key
	}
	return v
}

// buildChains links versions into chains and adds the edges within them.
func (g *polygraph) buildChains() *checker.Verdict {
	readers := g.readersOf()
	next, follows, v := g.links()
	if v != nil {
		return v
	}
	g.byKey = make([][]int32, g.h.Keys())
	g.chainOf = slices.Repeat([]int32{none}, len(g.r.VersionTxn))
	g.posOf = make([]int32, len(g.r.VersionTxn))
	g.heads, g.reads = make([][]int32, g.n), make([][]int32, g.n)
	for v := range int32(len(g.r.VersionTxn)) {
		writer := g.r.VersionTxn[v]
		if writer >= 0 {
			for _, t := range readers[v] {
				g.depends(writer, t, history.WR, g.keyOf(v))
			}
		}
		if follows[v] || !g.counts(v) {
			continue
		}
		if writer < 0 && next[v] == none && len(readers[v]) == 0 {
			continue // an initial state that nobody saw
		}
		g.addChain(v, next, readers)
	}
	g.initialFirst()
	return nil
}

// addChain adds the chain that begins with a version.
func (g *polygraph) addChain(v int32, next []int32, readers [][]int32) {
	writer := g.r.VersionTxn[v]
	c := int32(len(g.chains))
	ch := chain{key: g.keyOf(v), initial: writer < 0 || writer == int32(g.h.Initial)}
	for at := v; at != none; at = next[at] {
		g.chainOf[at], g.posOf[at] = c, int32(len(ch.versions))
		ch.versions = append(ch.versions, at)
		w := next[at]
		if w == none {
			continue
		}
		for _, t := range readers[at] {
			if t != g.r.VersionTxn[w] {
				g.overwrites(t, g.r.VersionTxn[w], ch.key)
			}
		}
	}
	ch.readers = readers[ch.versions[len(ch.versions)-1]]
	for _, t := range ch.readers {
		g.reads[t] = append(g.reads[t], c)
	}
	g.chains = append(g.chains, ch)
	if ch.initial {
		g.byKey[ch.key] = slices.Insert(g.byKey[ch.key], 0, c)
	} else {
		g.byKey[ch.key] = append(g.byKey[ch.key], c)
		g.heads[writer] = append(g.heads[writer], c)
	}
}

// links finds, by version, the one that a reader of it wrote to the same key, and whether it follows another one so.
// Two transactions that both replaced the version that they read have lost an update.
func (g *polygraph) links() (next []int32, follows []bool, verdict *checker.Verdict) {
	next = slices.Repeat([]int32{none}, len(g.r.VersionTxn))
	follows = make([]bool, len(next))
	type read struct{ txn, version int32 }
	seen := slices.Repeat([]read{{none, none}}, g.h.Keys())
	for t := range g.n {
		if !g.r.Taken[t] {
			continue
		}
		first := g.h.FirstOp(int(t))
		for i, op := range g.h.TxnOps(int(t)) {
			if v := g.r.From[first+i]; v != checker.Inner {
				seen[op.Key] = read{t, v}
			}
		}
		for w := g.r.FirstVersion[t]; w < g.r.FirstVersion[t+1]; w++ {
			key := g.keyOf(w)
			if seen[key].txn != t {
				continue
			}
			v := seen[key].version
			if other := next[v]; other != none {
				u := g.r.VersionTxn[other]
				bad := g.invalid([]checker.Dependency{{From: u, To: t, Kind: history.RW, Key: key},
					{From: t, To: u, Kind: history.RW, Key: key}})
				return nil, nil, &bad
			}
			next[v], follows[w] = w, true
		}
	}
	return next, follows, nil
}

// initialFirst adds the edges from the initial chain of each key to all others, over nodes of their own: there can be
// many readers and many writers.
func (g *polygraph) initialFirst() {
	for _, chains := range g.byKey {
		if len(chains) < 2 || !g.chains[chains[0]].initial {
			continue
		}
		first := &g.chains[chains[0]]
		afterWrite, afterReads := g.addNode(), g.addNode()
		if t := g.tail(chains[0]); t >= 0 {
			g.add(g.commit(t), afterWrite, history.WW, first.key)
		}
		for _, t := range first.readers {
			g.add(g.start(t), afterReads, history.RW, first.key)
		}
		for _, c := range chains[1:] {
			g.add(afterWrite, g.start(g.head(c)), history.NoEdge, first.key)
			g.add(afterReads, g.commit(g.head(c)), history.NoEdge, first.key)
		}
	}
}

// head and tail return the writers of a chain's first and last version.
func (g *polygraph) head(c int32) int32 { return g.r.VersionTxn[g.chains[c].versions[0]] }

func (g *polygraph) tail(c int32) int32 {
	v := g.chains[c].versions
	return g.r.VersionTxn[v[len(v)-1]]
}

// before adds the edges that put chain a before chain b of the same key. A transaction that read chain a and wrote
// the key is in chain a, so none is on both sides.
func (g *polygraph) before(a, b int32, add func(from, to int32, kind history.EdgeKind, key int32)) {
	h, key := g.head(b), g.chains[a].key
	if t := g.tail(a); t >= 0 {
		add(g.commit(t), g.start(h), history.WW, key)
	}
	for _, t := range g.chains[a].readers {
		add(g.start(t), g.commit(h), history.RW, key)
	}
}

// versionsOf are the versions that orders of values name, by key. A value that its transaction overwrote itself stands
// for what it left.
func (g *polygraph) versionsOf(order VersionOrder) [][]int32 {
	if len(order) == 0 {
		return nil
	}
	type versionKey struct {
		key   int32
		value int64
	}
	version := map[versionKey]int32{}
	for t := range g.n {
		if !g.r.Taken[t] {
			continue
		}
		left := map[int32]int32{}
		for w := g.r.FirstVersion[t]; w < g.r.FirstVersion[t+1]; w++ {
			left[g.keyOf(w)] = w
		}
		for _, op := range g.h.TxnOps(int(t)) {
			if op.Kind == register.Write && order[op.Key] != nil {
				version[versionKey{op.Key, op.Value}] = left[op.Key]
			}
		}
	}
	out := make([][]int32, g.h.Keys())
	for key := range int32(g.h.Keys()) {
		for _, value := range order[key] {
			if v, ok := version[versionKey{key, value}]; ok {
				out[key] = append(out[key], v)
			}
		}
	}
	return out
}

// applyOrder adds what is known of the order of versions, by key. Where the order is complete, all versions that it
// does not mention come after it.
func (g *polygraph) applyOrder(order [][]int32, complete bool) {
	if len(order) == 0 {
		return
	}
	placed := make([]bool, len(g.r.VersionTxn))
	lastOf := slices.Repeat([]int32{none}, g.h.Keys())
	for key, versions := range order {
		last := none
		for _, v := range versions {
			if v == last {
				continue
			}
			if last != none {
				g.ordered(last, v)
			}
			last, placed[v] = v, true
		}
		lastOf[key] = last
	}
	for v := int32(g.h.Keys()); complete && int(v) < len(placed); v++ {
		if last := lastOf[g.keyOf(v)]; last != none && !placed[v] && g.counts(v) {
			g.ordered(last, v)
		}
	}
}

// ordered adds that version a precedes version b of the same key.
func (g *polygraph) ordered(a, b int32) {
	ca, cb := g.chainOf[a], g.chainOf[b]
	if ca != cb && !g.chains[cb].initial {
		g.before(ca, cb, g.add)
	}
	if from := g.r.VersionTxn[a]; from >= 0 && (ca != cb || g.posOf[a] > g.posOf[b]) {
		g.depends(from, g.r.VersionTxn[b], history.WW, g.chains[ca].key)
	}
}

// hints guesses when each node happened: by the clients' clocks, else by how far its session had come.
func (g *polygraph) hints() {
	length := make([]int64, g.h.Sessions()+1)
	for i := range g.h.Txns {
		length[g.h.Txns[i].Session+1]++
	}
	at := make([]int64, len(length))
	g.hint = make([]int64, len(g.succ))
	for t := range g.n {
		x := &g.h.Txns[t]
		s := x.Session + 1
		at[s]++
		start, end := 2*at[s]<<30/length[s], (2*at[s]+1)<<30/length[s]
		if g.h.RealTime {
			start, end = g.h.Start(int(t)), g.h.End(int(t))
		}
		if g.level == dbms.SI {
			g.hint[g.start(t)], g.hint[g.commit(t)] = start, end
		} else {
			g.hint[t] = end
		}
	}
	for i := len(g.hint) - 1; i >= 0; i-- { // other nodes go as soon as they can
		if g.txn(int32(i)) < 0 {
			g.hint[i] = -1 << 62
		}
	}
}
