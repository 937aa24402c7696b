package sdg

import (
	"cmp"
	"slices"
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
	ruleReal                            // prefer the window really seen, take another where it closes a cycle
)

// found is a witness with the nodes that it orders.
type found struct {
	from, to int32
	Witness
}

// builder is the state of one inference.
type builder struct {
	in      *Input
	p       Precision
	omit    rule
	tables  []tableState
	index   map[string]int // table name -> index in tables
	found   []found
	choices []choice
	runs    []run // scratch of windows
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
	for k := range b.tables {
		b.writeEdges(&b.tables[k])
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
func (b *builder) unexplained(j int, item Item, s State, reason string) {
	b.missed = append(b.missed, Unexplained{j, item, s, reason})
}

// add records a witness unless its rule is left out.
func (b *builder) add(from, to int, r rule, w Witness) {
	if from == to || from == noWriter || b.omit&r != 0 {
		return
	}
	b.found = append(b.found, found{int32(from), int32(to), w})
}

// writeEdges orders the writers of each item (Definition 3): the window of a statement that writes the
// item itself is exactly the state before its own write.
func (b *builder) writeEdges(t *tableState) {
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
			b.add(c.writer[k-1], c.writer[k], ruleItemWrite, Witness{
				Item: Item{t.name, c.pkey}, State: c.states[k-1], Seen: c.states[k-1], Reads: true, Labels: labels,
			})
		}
	}
}

// writerLabels are the labels of a predicate dependency on or of a writing statement (Definitions 6, 8).
func (s *Stmt) writerLabels() Label {
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
			b.unexplained(j, Item{t.name, f.PKey}, Unborn, MissingRow)
		} else if v != f.VKey {
			b.unexplained(j, Item{t.name, f.PKey}, State(v), UnknownVersion)
		}
	}
	view := b.newView(j, r)
	for i := range t.chains {
		c := &t.chains[i]
		seen := Unborn
		if v, ok := r.Seen[c.pkey]; ok {
			seen = State(v)
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
			b.unexplained(j, Item{t.name, pkey}, State(v), UnknownVersion)
		}
	}
}

// itemEdges adds the edges of one statement and one item.
func (b *builder) itemEdges(v *view, table int, c *chain, seen State) {
	item := Item{v.read.Table, c.pkey}
	if own := c.written(v.stmt); own >= 0 {
		if from := c.from[own]; from != seen && !(from.absent() && seen.absent()) {
			b.unexplained(v.stmt, item, seen, SawOther)
		}
		return
	}
	pos := 0
	if seen.absent() {
		if pos = c.absentPosition(v.stmt); pos < 0 {
			b.unexplained(v.stmt, item, seen, MissingRow)
			return
		}
	} else if pos = c.position(seen); pos < 0 {
		b.unexplained(v.stmt, item, seen, UnknownVersion)
		return
	}
	runs, first := b.windows(v, c, seen, pos)
	if len(runs) > 1 {
		b.choices = append(b.choices, choice{v.stmt, table, c, c.states[pos], slices.Clone(runs), first})
		return
	}
	b.addWindow(v.stmt, item, c, c.states[pos], runs[0])
}

// addWindow adds the edges into and out of the window w of node j.
func (b *builder) addWindow(j int, item Item, c *chain, seen State, w run) {
	s := &b.in.Stmts[j]
	printed := s.printed(item.Table, item.PKey, seen)
	if from := c.writer[w.lo]; from != noWriter {
		labels, r := s.writerLabels(), rulePredicateWrite
		switch {
		case s.Kind == Select && printed:
			labels, r = ItemRead|PredicateRead, ruleItemRead
		case s.Kind == Select:
			labels, r = PredicateRead, rulePredicateRead
		case s.ValueDepends:
			r = ruleValueWrite
		}
		if c.states[w.lo] == Dead {
			r = ruleDeath
		}
		b.add(from, j, r, Witness{Item: item, State: c.states[w.lo], Seen: seen, Reads: true, Labels: labels})
	}
	if w.hi+1 < len(c.states) {
		labels, r := s.writerLabels(), rulePredicateWrite
		switch {
		case s.Kind == Select && printed:
			labels, r = ItemAnti|PredicateAnti, ruleItemAnti
		case s.Kind == Select:
			labels, r = PredicateAnti, rulePredicateAnti
		case s.ValueDepends:
			r = ruleValueWrite
		}
		if c.states[w.hi].absent() {
			r = ruleBirth
		}
		b.add(j, c.writer[w.hi+1], r, Witness{Item: item, State: c.states[w.hi+1], Seen: seen, Labels: labels})
	}
}

// choose settles the statements with several windows, after all forced edges are known.
func (b *builder) choose() {
	if len(b.choices) == 0 {
		return
	}
	reach := newClosure(len(b.in.Stmts))
	for i := range b.found {
		reach.edge(int(b.found[i].from), int(b.found[i].to))
	}
	reach.close()
	for i := range b.choices {
		ch := &b.choices[i]
		best := ch.runs[ch.first]
		if b.omit&ruleReal == 0 && reach.closes(ch, best) {
			for _, r := range ch.runs {
				if !reach.closes(ch, r) {
					best = r
					break
				}
			}
		}
		before := len(b.found)
		b.addWindow(ch.stmt, Item{b.tables[ch.table].name, ch.chain.pkey}, ch.chain, ch.seen, best)
		for _, f := range b.found[before:] {
			reach.insert(int(f.from), int(f.to))
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
				b.unexplained(j, o.Item, State(o.VKey), PrintedUnseen)
				continue
			}
			read = &s.Reads[k]
		}
		if v, ok := read.Seen[o.PKey]; !ok || v != o.VKey {
			b.unexplained(j, o.Item, State(o.VKey), PrintedUnseen)
		}
	}
}

// graph gathers the witnesses into edges.
func (b *builder) graph() *Graph {
	g := &Graph{Stmts: b.in.Stmts}
	slices.SortFunc(b.missed, func(x, y Unexplained) int {
		return cmp.Or(cmp.Compare(x.Stmt, y.Stmt), compareItems(x.Item, y.Item), cmp.Compare(x.State, y.State), cmp.Compare(x.Reason, y.Reason))
	})
	g.Unexplained = slices.Compact(b.missed)
	b.bucket()
	ws := make([]Witness, len(b.found))
	edges := 0
	for i := range b.found {
		ws[i] = b.found[i].Witness
		if i == 0 || b.found[i].from != b.found[i-1].from || b.found[i].to != b.found[i-1].to {
			edges++
		}
	}
	g.Edges = make([]Edge, 0, edges)
	for i := 0; i < len(ws); {
		e := Edge{From: int(b.found[i].from), To: int(b.found[i].to)}
		lo := i
		for ; i < len(ws) && int(b.found[i].from) == e.From && int(b.found[i].to) == e.To; i++ {
			e.Labels |= ws[i].Labels
		}
		e.Witnesses = ws[lo:i:i]
		if !slices.IsSortedFunc(e.Witnesses, compareWitnesses) {
			slices.SortFunc(e.Witnesses, compareWitnesses)
		}
		g.Edges = append(g.Edges, e)
	}
	g.link()
	return g
}

// bucket sorts the witnesses by the edge that they belong to: a two-pass radix sort over nodes.
func (b *builder) bucket() {
	spare := make([]found, len(b.found))
	count := make([]int, len(b.in.Stmts)+1)
	pass := func(key func(*found) int32) {
		clear(count)
		for i := range b.found {
			count[key(&b.found[i])+1]++
		}
		for i := 1; i < len(count); i++ {
			count[i] += count[i-1]
		}
		for i := range b.found {
			k := key(&b.found[i])
			spare[count[k]] = b.found[i]
			count[k]++
		}
		b.found, spare = spare, b.found
	}
	pass(func(f *found) int32 { return f.to })
	pass(func(f *found) int32 { return f.from })
}

func compareItems(x, y Item) int {
	return cmp.Or(cmp.Compare(x.Table, y.Table), cmp.Compare(x.PKey, y.PKey))
}

func compareWitnesses(x, y Witness) int {
	if c := compareItems(x.Item, y.Item); c != 0 {
		return c
	}
	if x.Reads != y.Reads {
		if x.Reads {
			return -1
		}
		return 1
	}
	return cmp.Compare(x.State, y.State)
}
