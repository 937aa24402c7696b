package sdg

import (
	"cmp"
	"slices"

	"txweave/fault"
	"txweave/history"
	"txweave/internal/graph"
	"txweave/sql/sqltext"
)

// rule names one way in which an edge comes about; a mask of rules can be left out to show that every one
// of them is needed.
type rule uint16

// The rules. Each witness belongs to exactly one of them, save that severalWindows stands above the others.
const (
	ruleItemRead       rule = 1 << iota // writer of a printed version → its reader
	ruleItemWrite                       // writer of a state → the node that overwrote it
	ruleItemAnti                        // reader of a printed version → the node that overwrote it
	rulePredicateRead                   // writer of a version in the version set → the SELECT
	rulePredicateWrite                  // the same, and the next rule, between writers
	rulePredicateAnti                   // SELECT → the node that overwrote a version in its version set
	ruleValueWrite                      // predicate write of a statement whose written values depend on reads
	ruleBirth                           // a statement that saw no row → the one that inserted it
	ruleDeath                           // a statement that deleted a row → one that did not see it
	ruleSeveral                         // the window that is chosen where there are several
	ruleKeyCheck                        // what a successful INSERT … VALUES saw of unique keys, at match precision
	rulePrinted                         // a printed version is equivalent to no other at column precision
	ruleReal                            // prefer the window really seen, take another where it closes a cycle
)

// found is a witness with the nodes that it orders, without pointers: there are thousands of them.
type found struct {
	from, to          int32
	table             int32
	labels            Label
	reads             bool
	pkey, state, seen int64
}

// same says whether both belong to the same edge.
func (f *found) same(g *found) bool { return f.from == g.from && f.to == g.to }

// builder is the state of one inference.
type builder struct {
	in      *Input
	p       Precision
	omit    rule
	tables  []tableState
	index   map[string]int // table name -> index in tables
	found   []found
	choices []choice
	runs    []run           // scratch of windows
	states  []history.State // room for the chains
	writers []int
	missed  []Unexplained
}

// Infer computes the statement-dependency graph of in (Definition 1) at precision p. For every item it
// builds the chain of its states from the nodes' writes; for every statement and item it finds the window
// of states that the statement may see without a change in what it does. The writer of the window's first
// state comes before the statement, the writer of the first state after it comes later. What no chain
// explains is in Graph.Unexplained; an error means malformed input.
func Infer(in *Input, p Precision) (*Graph, error) { return infer(in, p, 0) }

// InferUpTo infers at the lowest precision up to most at which the graph is acyclic, and says which one
// that is; where none is, it returns the graph at most, which has the fewest edges.
func InferUpTo(in *Input, most Precision) (*Graph, Precision, error) {
	for p := Exact; ; p++ {
		g, err := Infer(in, p)
		if err != nil {
			return nil, p, err
		}
		if p >= most || g.Acyclic() {
			return g, p, nil
		}
	}
}

// infer is Infer without the rules in omit.
func infer(in *Input, p Precision, omit rule) (*Graph, error) {
	if err := checkInput(in); err != nil {
		return nil, err
	}
	b := &builder{in: in, p: p, omit: omit}
	if err := b.collectTables(); err != nil {
		return nil, err
	}
	b.reserve()
	for k := range b.tables {
		b.writeEdges(k)
	}
	for j := range in.Stmts {
		b.checkPrinted(j)
		for r := range in.Stmts[j].Reads {
			b.readEdges(j, &in.Stmts[j].Reads[r])
		}
	}
	if omit&ruleSeveral == 0 {
		b.choose()
	}
	return b.graph(), nil
}

// unexplained records that node j met a state which no order of the nodes explains.
func (b *builder) unexplained(j int, item history.Item, s history.State, reason fault.Kind) {
	b.missed = append(b.missed, Unexplained{j, item, s, reason})
}

// add records a witness unless its rule is left out.
func (b *builder) add(r rule, f found) {
	if f.from == f.to || f.from == noWriter || b.omit&r != 0 {
		return
	}
	b.found = append(b.found, f)
}

// reserve makes room for as many witnesses as there can be about.
func (b *builder) reserve() {
	n := 0
	for j := range b.in.Stmts {
		for r := range b.in.Stmts[j].Reads {
			n += len(b.tables[b.index[b.in.Stmts[j].Reads[r].Table]].chains)
		}
	}
	b.found = make([]found, 0, n+n/2)
}

// writeEdges orders the writers of each item (Definition 3): the window of a statement that writes the
// item itself is exactly the state before its own write.
func (b *builder) writeEdges(table int) {
	t := &b.tables[table]
	for i := range t.chains {
		c := &t.chains[i]
		for k := 2; k < len(c.states); k++ {
			s := &b.in.Stmts[c.writer[k]]
			labels := ItemWrite
			for r := range s.Reads {
				if s.Reads[r].Table == t.name {
					labels |= s.writerLabels()
				}
			}
			b.add(ruleItemWrite, found{
				from: int32(c.writer[k-1]), to: int32(c.writer[k]), table: int32(table), labels: labels, reads: true,
				pkey: c.pkey, state: int64(c.states[k-1]), seen: int64(c.from[k]),
			})
		}
	}
}

// writerLabels are the labels of a predicate dependency on or of a writing statement (Definitions 6, 8).
func (s *Node) writerLabels() Label {
	if s.ValueDepends {
		return PredicateWrite | ValueWrite
	}
	return PredicateWrite
}

// readEdges adds the edges that come from what node j saw of one table, and reports what no chain explains.
func (b *builder) readEdges(j int, r *TableRead) {
	ti := b.index[r.Table]
	t := &b.tables[ti]
	known := 0
	for i := range t.fixed {
		f := &t.fixed[i]
		v, ok := r.Seen[f.PKey]
		if ok {
			known++
		}
		if !ok {
			b.unexplained(j, history.Item{Table: t.name, PKey: f.PKey}, history.Unborn, MissingRow)
		} else if v != f.VKey {
			b.unexplained(j, history.Item{Table: t.name, PKey: f.PKey}, history.State(v), UnknownVersion)
		}
	}
	view := b.newView(j, r)
	for i := range t.chains {
		c := &t.chains[i]
		seen := history.Unborn
		if v, ok := r.Seen[c.pkey]; ok {
			seen = history.State(v)
			known++
		}
		b.itemEdges(&view, ti, c, seen)
	}
	if known == len(r.Seen) {
		return
	}
	for pkey, v := range r.Seen { // order does not matter: graph sorts what is unexplained
		if _, ok := t.find(pkey); ok {
			continue
		}
		if _, ok := b.in.Initial[t.name][pkey]; !ok {
			b.unexplained(j, history.Item{Table: t.name, PKey: pkey}, history.State(v), UnknownVersion)
		}
	}
}

// itemEdges adds the edges of one statement and one item.
func (b *builder) itemEdges(v *view, table int, c *chain, seen history.State) {
	item := history.Item{Table: v.read.Table, PKey: c.pkey}
	if own := c.written(v.stmt); own >= 0 {
		if from := c.from[own]; from != seen && !(from.Absent() && seen.Absent()) {
			b.unexplained(v.stmt, item, seen, SawOther)
		}
		return
	}
	pos := c.seenPosition(v.stmt, seen)
	if pos < 0 {
		reason := UnknownVersion
		if seen.Absent() {
			reason = MissingRow
		}
		b.unexplained(v.stmt, item, seen, reason)
		return
	}
	if v.silent {
		return
	}
	if !seen.Absent() && !v.column && !v.match && !c.recurs(seen) {
		b.addWindow(v.stmt, table, c, seen, run{pos, pos})
		return
	}
	runs, first := b.windows(v, c, seen, pos)
	if len(runs) > 1 {
		b.choices = append(b.choices, choice{v.stmt, table, c, c.states[pos], slices.Clone(runs), first})
		return
	}
	b.addWindow(v.stmt, table, c, c.states[pos], runs[0])
}

// addWindow adds the edges into and out of the window w of node j.
func (b *builder) addWindow(j, table int, c *chain, seen history.State, w run) {
	s := &b.in.Stmts[j]
	in, out := s.writerLabels(), s.writerLabels()
	ruleIn, ruleOut := rulePredicateWrite, rulePredicateWrite
	switch {
	case s.Kind == sqltext.Select && s.printed(b.tables[table].name, c.pkey, seen):
		in, out = ItemRead|PredicateRead, ItemAnti|PredicateAnti
		ruleIn, ruleOut = ruleItemRead, ruleItemAnti
	case s.Kind == sqltext.Select:
		in, out = PredicateRead, PredicateAnti
		ruleIn, ruleOut = rulePredicateRead, rulePredicateAnti
	case s.ValueDepends:
		ruleIn, ruleOut = ruleValueWrite, ruleValueWrite
	}
	if c.states[w.lo] == history.Dead {
		ruleIn = ruleDeath
	}
	f := found{table: int32(table), pkey: c.pkey, seen: int64(seen)}
	f.from, f.to, f.state, f.labels, f.reads = int32(c.writer[w.lo]), int32(j), int64(c.states[w.lo]), in, true
	b.add(ruleIn, f)
	if w.hi+1 == len(c.states) {
		return
	}
	if c.states[w.hi].Absent() {
		ruleOut = ruleBirth
	}
	f.from, f.to, f.state, f.labels, f.reads = int32(j), int32(c.writer[w.hi+1]), int64(c.states[w.hi+1]), out, false
	b.add(ruleOut, f)
}

// choose settles the statements with several windows, after all forced edges are known.
func (b *builder) choose() {
	if len(b.choices) == 0 {
		return
	}
	reach := graph.NewClosure(len(b.in.Stmts))
	for i := range b.found {
		reach.Edge(int(b.found[i].from), int(b.found[i].to))
	}
	reach.Close()
	for i := range b.choices {
		ch := &b.choices[i]
		best := ch.runs[ch.first]
		if b.omit&ruleReal == 0 && closes(reach, ch, best) {
			for _, r := range ch.runs {
				if !closes(reach, ch, r) {
					best = r
					break
				}
			}
		}
		before := len(b.found)
		b.addWindow(ch.stmt, ch.table, ch.chain, ch.seen, best)
		for _, f := range b.found[before:] {
			reach.Insert(int(f.from), int(f.to))
		}
	}
}

// checkPrinted reports printed versions that the statement's version-set read did not see.
func (b *builder) checkPrinted(j int) {
	s := &b.in.Stmts[j]
	var read *TableRead
	for _, o := range s.Out {
		if read == nil || read.Table != o.Table {
			k := slices.IndexFunc(s.Reads, func(r TableRead) bool { return r.Table == o.Table })
			if k < 0 {
				b.unexplained(j, o.Item, history.State(o.VKey), PrintedUnseen)
				continue
			}
			read = &s.Reads[k]
		}
		if v, ok := read.Seen[o.PKey]; !ok || v != o.VKey {
			b.unexplained(j, o.Item, history.State(o.VKey), PrintedUnseen)
		}
	}
}

// graph gathers the witnesses into edges.
func (b *builder) graph() *Graph {
	g := &Graph{Stmts: b.in.Stmts}
	slices.SortFunc(b.missed, func(x, y Unexplained) int {
		return cmp.Or(cmp.Compare(x.Stmt, y.Stmt), compareItems(x.Item, y.Item), cmp.Compare(x.State, y.State),
			cmp.Compare(x.Reason, y.Reason))
	})
	g.Unexplained = slices.Compact(b.missed)
	order := b.bucket()
	ws := make([]Witness, len(order))
	edges := 0
	for lo := 0; lo < len(order); edges++ {
		hi := lo + 1
		for hi < len(order) && b.found[order[hi]].same(&b.found[order[lo]]) {
			hi++
		}
		b.sortWitnesses(order[lo:hi])
		lo = hi
	}
	g.Edges = make([]Edge, 0, edges)
	for i, k := range order {
		f := &b.found[k]
		ws[i] = Witness{history.Item{Table: b.tables[f.table].name, PKey: f.pkey}, history.State(f.state),
			history.State(f.seen), f.reads, f.labels}
		if i == 0 || !f.same(&b.found[order[i-1]]) {
			g.Edges = append(g.Edges, Edge{From: int(f.from), To: int(f.to), Witnesses: ws[i:i:len(ws)]})
		}
		e := &g.Edges[len(g.Edges)-1]
		e.Labels |= f.labels
		e.Witnesses = e.Witnesses[:len(e.Witnesses)+1]
	}
	for i := range g.Edges {
		g.Edges[i].Witnesses = slices.Clip(g.Edges[i].Witnesses)
	}
	g.link()
	return g
}

// bucket returns the indexes of the witnesses, sorted by the edge that they belong to and, within it, as
// they were found: a two-pass radix sort over nodes.
func (b *builder) bucket() []int32 {
	order, spare := make([]int32, len(b.found)), make([]int32, len(b.found))
	for i := range order {
		order[i] = int32(i)
	}
	count := make([]int32, len(b.in.Stmts)+1)
	pass := func(key func(*found) int32) {
		clear(count)
		for i := range b.found {
			count[key(&b.found[i])+1]++
		}
		for i := 1; i < len(count); i++ {
			count[i] += count[i-1]
		}
		for _, i := range order {
			k := key(&b.found[i])
			spare[count[k]] = i
			count[k]++
		}
		order, spare = spare, order
	}
	pass(func(f *found) int32 { return f.to })
	pass(func(f *found) int32 { return f.from })
	return order
}

func compareItems(x, y history.Item) int {
	return cmp.Or(cmp.Compare(x.Table, y.Table), cmp.Compare(x.PKey, y.PKey))
}

// sortWitnesses sorts the witnesses of one edge by item; tables are indexed in the order of their names.
func (b *builder) sortWitnesses(order []int32) {
	compare := func(i, j int32) int {
		f, g := &b.found[i], &b.found[j]
		if f.table != g.table {
			return int(f.table - g.table)
		}
		if c := cmp.Compare(f.pkey, g.pkey); c != 0 {
			return c
		}
		if f.reads != g.reads {
			if f.reads {
				return -1
			}
			return 1
		}
		return cmp.Compare(f.state, g.state)
	}
	if !slices.IsSortedFunc(order, compare) {
		slices.SortFunc(order, compare)
	}
}
