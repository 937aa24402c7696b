package certificate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// statementGraph is what statements and commits do to each other, where each statement reads one state of the database:
// a commit is one moment at which all that its transaction wrote becomes visible, and a statement one at which it looks
// at what is. Each statement is as a transaction that only reads, each commit as one that only writes, and these are
// strictly serializable: there is a cycle if and only if no order of the moments explains what was read.
//
// The nodes are the commits, by their transactions, then the statements, then moments: the ends of both in their order.
type statementGraph struct {
	k          *judge
	txns       int
	readers    map[int32][]int32 // by version: the statements that read it
	of         [][]int32         // by transaction: its statements
	next       []int32           // by statement: the next one of its transaction, or its commit
	first      []int32           // by transaction: the first node of the next one of its session; checker.None: none
	edges      map[int32][]edge  // by node: what follows from it through searches; to is a node
	ends       []moment          // when a node was over, in order of time; point is the node
	ended      map[int32]int32   // by node: its place in ends
	begins     [][]int32         // by place in ends: the nodes that began next
	notChecked int               // searches that cannot be evaluated
}

// Widen makes the times of statements and commits as much longer as the history's are (register.History.Widened).
func (c *Certificate) Widen(h *register.History, by history.ClockBounds) {
	if by.None() {
		return
	}
	of := func(t int) int64 {
		if h.Txns[t].Session == register.NoSession {
			return 0
		}
		return by.Session(h.SessionID(h.Txns[t].Session))
	}
	for i := range c.Statements {
		if s := &c.Statements[i]; s.End != 0 {
			s.Start, s.End = s.Start-of(s.Txn), s.End+of(s.Txn)
		}
	}
	for t, at := range c.Committing {
		if at != 0 {
			c.Committing[t] -= of(t)
		}
	}
}

// statements checks that every statement read one state, and statements after each other states that come after each
// other.
func (k *judge) statements(ctx context.Context) *checker.Verdict {
	if len(k.c.Statements) == 0 {
		return nil
	}
	g := &statementGraph{k: k, txns: len(k.h.Txns), readers: map[int32][]int32{}, of: make([][]int32, len(k.h.Txns)),
		next: make([]int32, len(k.c.Statements)), first: make([]int32, len(k.h.Txns)), edges: map[int32][]edge{},
		ended: map[int32]int32{}}
	if !g.wellFormed() {
		return k.unknown(checker.WellFormed, "a statement of the certificate is of no transaction or operation of the history")
	}
	g.link()
	g.clock()
	for i := range k.c.Predicates {
		if v := k.opt.Stopped(ctx, k.level); v != nil {
			return v
		}
		p := &k.c.Predicates[i]
		if p.Statement == 0 || !p.Listed || !k.wellFormed(p) || !k.r.Taken[p.Txn] {
			continue
		}
		if v := g.search(ctx, int32(i), p); v != nil {
			return v
		}
	}
	if g.notChecked > 0 {
		k.notChecked = append(k.notChecked, fmt.Sprintf("%d searches that cannot be evaluated", g.notChecked))
	}
	cycle := checker.ShortCycle(g.txns+len(g.next)+len(g.ends), func(int32) bool { return true }, func(node int32,
		add func(int32, history.EdgeKind, int32)) {
		g.out(node, func(e edge) { add(e.to, e.kind, e.key) })
	})
	if cycle == nil {
		return nil
	}
	return g.invalid(cycle)
}

// wellFormed says whether the statements are of transactions and operations that are there.
func (g *statementGraph) wellFormed() bool {
	k := g.k
	for _, s := range k.c.Statements {
		if s.Txn < 0 || s.Txn >= g.txns || s.At < 0 || s.Ops < 0 || s.At+s.Ops > len(k.h.TxnOps(s.Txn)) {
			return false
		}
	}
	return !slices.ContainsFunc(k.c.Predicates, func(p Predicate) bool {
		return p.Statement < 0 || p.Statement > len(k.c.Statements) ||
			p.Statement > 0 && k.c.Statements[p.Statement-1].Txn != p.Txn
	})
}

// node is that of a statement.
func (g *statementGraph) node(statement int) int32 { return int32(g.txns + statement) }

// statement returns the statement that a node is.
func (g *statementGraph) statement(node int32) (*Statement, bool) {
	n := int(node) - g.txns
	if n < 0 || n >= len(g.next) {
		return nil, false
	}
	return &g.k.c.Statements[n], true
}

// link finds who read what, and what comes next in each transaction and session.
func (g *statementGraph) link() {
	k := g.k
	for i, s := range k.c.Statements {
		if !k.r.Taken[s.Txn] {
			continue
		}
		if of := g.of[s.Txn]; len(of) > 0 {
			g.next[int(of[len(of)-1])-g.txns] = g.node(i)
		}
		g.of[s.Txn] = append(g.of[s.Txn], g.node(i))
		g.next[i] = int32(s.Txn)
		for _, v := range g.sources(&s) {
			if v != checker.Inner && k.r.VersionTxn[v] >= 0 {
				g.readers[v] = append(g.readers[v], g.node(i))
			}
		}
	}
	for t := range g.first {
		g.first[t] = k.d.NextSO[t]
		if next := k.d.NextSO[t]; next != checker.None && len(g.of[next]) > 0 {
			g.first[t] = g.of[next][0]
		}
	}
}

// sources are the versions that a statement's operations returned.
func (g *statementGraph) sources(s *Statement) []int32 {
	return g.k.r.Sources(int32(s.Txn))[s.At : s.At+s.Ops]
}

// clock finds what was over when a node began, where the history has times.
func (g *statementGraph) clock() {
	k := g.k
	if !k.h.RealTime {
		return
	}
	var begun []moment
	add := func(node int32, start, end int64) {
		begun = append(begun, moment{start, node})
		g.ends = append(g.ends, moment{end, node})
	}
	for t := range k.h.Txns {
		if !k.r.Taken[t] || t == k.h.Initial {
			continue
		}
		start := k.h.Start(t)
		if k.c.Committing != nil && k.c.Committing[t] != 0 {
			start = k.c.Committing[t]
		}
		add(int32(t), start, k.h.End(t))
		for _, node := range g.of[t] {
			if s, _ := g.statement(node); s.End != 0 {
				add(node, s.Start, s.End)
			}
		}
	}
	slices.SortStableFunc(g.ends, func(a, b moment) int { return cmp.Compare(a.time, b.time) })
	for i, m := range g.ends {
		g.ended[m.point] = int32(i)
	}
	g.begins = make([][]int32, len(g.ends))
	for _, m := range begun {
		if n := sort.Search(len(g.ends), func(i int) bool { return g.ends[i].time >= m.time }); n > 0 {
			g.begins[n-1] = append(g.begins[n-1], m.point)
		}
	}
}

// moment is the node of a place in ends.
func (g *statementGraph) moment(place int32) int32 { return int32(g.txns+len(g.next)) + place }

// out calls add for every edge from a node, always in the same order.
func (g *statementGraph) out(node int32, add func(edge)) {
	to := func(to int32, kind history.EdgeKind, key int32) {
		add(edge{from: node, to: to, kind: kind, key: key, pred: -1, version: -1})
	}
	if place := node - g.moment(0); place >= 0 {
		if int(place)+1 < len(g.ends) {
			to(node+1, history.NoEdge, -1)
		}
		for _, next := range g.begins[place] {
			to(next, history.NoEdge, -1)
		}
		return
	}
	if place, timed := g.ended[node]; timed {
		to(g.moment(place), history.RT, -1)
	}
	if s, is := g.statement(node); is {
		if g.k.r.Taken[s.Txn] {
			g.after(node, s, to)
		}
	} else if g.k.r.Taken[node] {
		g.committed(node, to)
	}
	for _, e := range g.edges[node] {
		add(e)
	}
}

// after is out of a statement: what comes next in its transaction, and what replaced a version that it read.
func (g *statementGraph) after(node int32, s *Statement, to func(int32, history.EdgeKind, int32)) {
	k := g.k
	to(g.next[int(node)-g.txns], history.SO, -1)
	for _, v := range g.sources(s) {
		if v == checker.Inner {
			continue
		}
		if next := k.after(v); next != checker.None && int(k.r.VersionTxn[next]) != s.Txn {
			to(k.r.VersionTxn[next], history.RW, k.r.VersionKey[v])
		}
	}
}

// committed is out of a commit: who read or replaced what it left, and what comes next in its session. Who replaces a
// row, or inserts it where it was deleted, has waited for that commit.
func (g *statementGraph) committed(t int32, to func(int32, history.EdgeKind, int32)) {
	k := g.k
	if next := g.first[t]; next != checker.None {
		to(next, history.SO, -1)
	}
	for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
		if next := k.after(v); next != checker.None && k.r.VersionTxn[next] != t {
			to(k.r.VersionTxn[next], history.WW, k.r.VersionKey[v])
		}
		for _, reader := range g.readers[v] {
			to(reader, history.WR, k.r.VersionKey[v])
		}
	}
}

// search adds what follows of the result of a statement's search. Of each key it is known between which versions of its
// chain the one is that the statement saw: the first and the last one that match if it was found, else that do not.
func (g *statementGraph) search(ctx context.Context, i int32, p *Predicate) *checker.Verdict {
	k := g.k
	m, err := k.evaluate(ctx, p)
	if err != nil {
		g.notChecked++
		return nil
	}
	own, found := k.ownWrites(p), map[int32]bool{}
	for _, key := range p.Result {
		found[key] = true
	}
	left := len(found)
	for _, key := range k.c.among(p) {
		if found[key] {
			left--
		}
		if mine, wrote := own[key]; wrote {
			if m.at(m.row[mine]) != found[key] {
				return g.mismatch(p, key, found[key])
			}
			continue
		}
		if v := g.between(i, p, m, key, found[key]); v != nil {
			return v
		}
	}
	if left > 0 { // a key that it could not find
		return k.result(p, nil)
	}
	return nil
}

// between is search for one key.
func (g *statementGraph) between(i int32, p *Predicate, m *matching, key int32, found bool) *checker.Verdict {
	k, places := g.k, &m.flipsOf(key).between[0]
	if found {
		places = &m.flipsOf(key).between[1]
	}
	lo, hi := places.first, places.last
	if lo < 0 {
		return g.mismatch(p, key, found)
	}
	chain, node := k.chains[key], g.node(p.Statement-1)
	if w := k.r.VersionTxn[chain[lo]]; lo > 0 && w >= 0 {
		g.edges[w] = append(g.edges[w], edge{from: w, to: node, kind: history.PWR, key: key, pred: i, version: chain[lo]})
	}
	if int(hi)+1 < len(chain) {
		next := chain[hi+1]
		if w := k.r.VersionTxn[next]; w >= 0 && int(w) != p.Txn {
			g.edges[node] = append(g.edges[node], edge{from: node, to: w, kind: history.PRW, key: key, pred: i, version: next})
		}
	}
	return nil
}

// mismatch is the verdict on a search that found a key which matches in no version that it can have seen, or missed one
// that matches in all of them.
func (g *statementGraph) mismatch(p *Predicate, key int32, found bool) *checker.Verdict {
	k := g.k
	text := "did not find %s, which matches in every version that it can have seen"
	if found {
		text = "found %s, which matches in no version that it can have seen"
	}
	return k.invalid(fault.HistoryResultSetMismatch, checker.ExplainedEdge{To: k.h.TxnName(p.Txn), FromTxn: -1,
		ToTxn: p.Txn, Kind: history.PWR, Key: k.h.KeyName(key),
		Text: fmt.Sprintf("%s searched for %s and "+text, k.h.TxnName(p.Txn), k.name(p), k.h.KeyName(key))})
}

// invalid is the verdict on a cycle.
func (g *statementGraph) invalid(cycle []checker.Dependency) *checker.Verdict {
	k := g.k
	start := slices.IndexFunc(cycle, func(s checker.Dependency) bool { return s.From < g.moment(0) })
	var edges []checker.ExplainedEdge
	kinds, statements := map[history.EdgeKind]bool{}, map[int32]bool{}
	for n := 0; n < len(cycle); n++ {
		s := cycle[(start+n)%len(cycle)]
		e := edge{from: s.From, to: s.To, kind: s.Kind, key: s.Key, pred: -1}
		for e.to >= g.moment(0) { // through moments
			n++
			e.to = cycle[(start+n)%len(cycle)].To
		}
		kinds[e.kind] = true
		if _, is := g.statement(e.from); is {
			statements[e.from] = true
		}
		edges = append(edges, g.explain(e))
	}
	kind := fault.HistoryFracturedRead
	switch {
	case kinds[history.RT]:
		kind = fault.HistoryRealTimeViolation
	case len(statements) == 0:
		kind = fault.HistoryCyclicInformationFlow
	case kinds[history.SO]:
		kind = fault.HistoryNonMonotonicRead
	case len(statements) > 1:
		kind = fault.HistoryLongFork
	}
	return k.invalid(kind, edges...)
}

// name is a node in words.
func (g *statementGraph) name(node int32) string {
	s, is := g.statement(node)
	if !is {
		return g.k.h.TxnName(int(node))
	}
	return fmt.Sprintf("statement %d of %s", 1+slices.Index(g.of[s.Txn], node), g.k.h.TxnName(s.Txn))
}

// txn is the transaction of a node.
func (g *statementGraph) txn(node int32) int {
	if s, is := g.statement(node); is {
		return s.Txn
	}
	return int(node)
}

// explain makes an edge of a counterexample.
func (g *statementGraph) explain(e edge) checker.ExplainedEdge {
	k, from, to := g.k, g.name(e.from), g.name(e.to)
	x := checker.ExplainedEdge{From: from, To: to, FromTxn: g.txn(e.from), ToTxn: g.txn(e.to), Kind: e.kind}
	if e.key >= 0 {
		x.Key = k.h.KeyName(e.key)
	}
	switch e.kind {
	case history.WW:
		return checker.Explain(k.r, checker.Dependency{From: e.from, To: e.to, Kind: e.kind, Key: e.key})
	case history.SO:
		x.Text = fmt.Sprintf("%s comes before %s", from, to)
		if int(e.to) == x.FromTxn {
			x.Text = fmt.Sprintf("%s comes before the commit of %s", from, to)
		}
	case history.RT:
		if x.Text = fmt.Sprintf("%s had ended before %s was sent", from, to); int(e.to) == x.ToTxn {
			x.Text = fmt.Sprintf("%s had ended before the commit of %s was asked for", from, to)
		}
	case history.WR:
		x.Text = fmt.Sprintf("%s read what %s had written: %s", to, from, g.read(e.to, e.key, e.from))
	case history.RW:
		x.Text = fmt.Sprintf("%s did %s, and %s replaced that version", from, g.read(e.from, e.key, -1), to)
	case history.PWR:
		x.Text = fmt.Sprintf("%s: what it found of %s was so from what %s wrote on", to, x.Key, from)
	case history.PRW:
		x.Text = fmt.Sprintf("%s: what it found of %s was so no longer once %s had written it", from, x.Key, to)
	}
	return x
}

// read prints the read of a key by a statement, of what a transaction wrote unless that is -1.
func (g *statementGraph) read(node, key, writer int32) string {
	s, _ := g.statement(node)
	for i, v := range g.sources(s) {
		if v != checker.Inner && g.k.r.VersionKey[v] == key && (writer < 0 || g.k.r.VersionTxn[v] == writer) {
			return g.k.h.FormatOp(g.k.h.TxnOps(s.Txn)[s.At+i])
		}
	}
	return "a read of " + g.k.h.KeyName(key)
}
