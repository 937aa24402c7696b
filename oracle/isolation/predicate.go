package isolation

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
)

// doubt is what must be true for an edge through a search to be one: the write took the item from a state that
// makes another contribution to the search than the one it left.
type doubt struct {
	op     int
	search *observe.PredicateRead
	seen   history.State // the state that the search looked at
	write  history.Write
	by     int  // op of the write
	next   bool // the write left the state seen, or overwrote it: its values count
}

// life is what committed statements did to an item as a whole.
type life struct {
	item         history.Item
	birth, death int  // ops that inserted and deleted it; -1: none
	tangled      bool // inserted or deleted twice, or one version overwritten twice: its order is not known
	undone       bool // what was rolled back deleted it: where it is absent, that may be why
}

// searchEdges adds the dependencies of committed searches, all of them in doubt: a version, the one seen or an
// earlier one, that changed the matches (predicate-read-dependency), and a later one that did
// (predicate-anti-dependency). Where the search used the values of rows without printing their versions, item
// dependencies on them too.
func (g *serialization) searchEdges() {
	var lives map[string][]*life
	for i := range g.o.Stmts {
		op := g.o.Stmts[i]
		if len(op.Search) == 0 || !g.o.Committed(op) {
			continue
		}
		if lives == nil {
			lives = g.lives()
		}
		for k := range op.Search {
			s := &op.Search[k]
			for _, l := range lives[s.Table] {
				if seen, ok := g.seen(i, s, l); ok {
					g.after(i, s, l, seen)
					g.before(i, s, l, seen)
				}
			}
		}
	}
}

// lives lists the items that committed statements wrote, by table, in the order in which they were first written.
func (g *serialization) lives() map[string][]*life {
	byItem, undone := map[history.Item]*life{}, map[history.Item]bool{}
	byTable := map[string][]*life{}
	overwritten := map[history.Version]bool{}
	for i := range g.o.Stmts {
		op := g.o.Stmts[i]
		for _, w := range op.Writes {
			if !g.o.Committed(op) {
				undone[w.Item] = undone[w.Item] || w.To == history.Dead
				continue
			}
			l := byItem[w.Item]
			if l == nil {
				l = &life{item: w.Item, birth: -1, death: -1}
				byItem[w.Item] = l
				byTable[w.Table] = append(byTable[w.Table], l)
			}
			from := history.Version{Item: w.Item, VKey: int64(w.From)}
			switch {
			case w.From == history.Unborn:
				l.tangled = l.tangled || l.birth >= 0
				l.birth = i
			case overwritten[from]:
				l.tangled = true
			}
			l.tangled = l.tangled || g.o.Recurring[from] || g.o.Recurring[history.Version{Item: w.Item, VKey: int64(w.To)}]
			overwritten[from] = true
			if w.To == history.Dead {
				l.tangled = l.tangled || l.death >= 0
				l.death = i
			}
		}
	}
	for item, l := range byItem {
		l.undone = undone[item]
	}
	return byTable
}

// seen returns the state of an item that a search looked at; false where it is not certain, or its transaction's
// own.
func (g *serialization) seen(at int, s *observe.PredicateRead, l *life) (history.State, bool) {
	op := g.o.Stmts[at]
	if l.tangled || op.Blurred[l.item] {
		return 0, false
	}
	if vkey, there := s.Seen[l.item.PKey]; there {
		i, written := g.writer[history.Version{Item: l.item, VKey: vkey}]
		if !written {
			initial, ok := g.o.Initial[l.item.Table][l.item.PKey]
			return history.State(vkey), ok && initial == vkey
		}
		return history.State(vkey), g.o.Stmts[i].Txn != op.Txn && g.o.Committed(g.o.Stmts[i])
	}
	if l.death >= 0 && g.o.Stmts[l.death].Txn == op.Txn && l.death < at || l.undone || g.unsure(s.Table, op) {
		return 0, false
	}
	_, initial := g.o.Initial[l.item.Table][l.item.PKey]
	later := func(by int) bool { return g.o.Stmts[by].Sent >= op.Done } // it had not even been sent
	switch {
	case initial && l.death >= 0 && !later(l.death):
		return history.Dead, true
	case initial:
		return 0, false
	case l.birth >= 0 && (l.death < 0 || later(l.birth) || later(l.death)):
		return history.Unborn, true
	}
	return 0, false // it may have been there and gone, or not have been there yet
}

// unsure says whether rows of a table may have been deleted before an op was answered without our knowing by whom.
func (g *serialization) unsure(table string, op *observe.ObservedStmt) bool {
	for i := range g.o.Stmts {
		if other := g.o.Stmts[i]; slices.Contains(other.Unsure, table) && other.Sent < op.Done {
			return true
		}
	}
	return false
}

// after adds the anti-dependencies on the writes after the state seen.
func (g *serialization) after(at int, s *observe.PredicateRead, l *life, seen history.State) {
	for state, n := seen, 0; state != history.Dead && n < len(g.o.Stmts); n++ {
		by, ok := l.birth, l.birth >= 0
		if state >= 0 {
			by, ok = g.next[history.Version{Item: l.item, VKey: int64(state)}]
		}
		if !ok || g.o.Stmts[by].Txn == g.o.Stmts[at].Txn {
			return
		}
		w, ok := g.left(&by, l.item)
		if !ok {
			return
		}
		g.add(edge{from: g.o.Stmts[at].Txn, to: g.o.Stmts[by].Txn, kind: history.RW, item: l.item, at: at,
			doubt: &doubt{op: at, search: s, seen: seen, write: w, by: by, next: state == seen}})
		state = w.To
	}
}

// before adds the read dependencies on the writes that led to the state seen.
func (g *serialization) before(at int, s *observe.PredicateRead, l *life, seen history.State) {
	for state, n := seen, 0; state != history.Unborn && n < len(g.o.Stmts); n++ {
		by, ok := l.death, true
		if state >= 0 {
			by, ok = g.writer[history.Version{Item: l.item, VKey: int64(state)}]
		}
		if !ok || g.o.Stmts[by].Txn == g.o.Stmts[at].Txn || !g.o.Committed(g.o.Stmts[by]) {
			return
		}
		w, ok := g.found(by, l.item)
		if !ok {
			return
		}
		g.add(edge{from: g.o.Stmts[by].Txn, to: g.o.Stmts[at].Txn, kind: history.WR, item: l.item, at: at,
			doubt: &doubt{op: at, search: s, seen: seen, write: w, by: by, next: state == seen}})
		state = w.From
	}
}

// left is what the transaction of an op that wrote an item did to it from there on as a whole: only the version that it
// left counts (Adya). By becomes the last op of that. It is false where the versions lead back to one another: they
// tell no order.
func (g *serialization) left(by *int, item history.Item) (w history.Write, ok bool) {
	w = g.writeOf(*by, item)
	for range g.o.Stmts {
		later, again := g.next[history.Version{Item: item, VKey: int64(w.To)}]
		if w.To == history.Dead || !again || g.o.Stmts[later].Txn != g.o.Stmts[*by].Txn {
			return w, true
		}
		*by, w.To = later, g.writeOf(later, item).To
	}
	return w, false
}

// found is what the transaction of an op that wrote an item did to it up to there as a whole: what it wrote before was
// nobody else's to see. It is false where the versions lead back to one another.
func (g *serialization) found(by int, item history.Item) (w history.Write, ok bool) {
	w = g.writeOf(by, item)
	for range g.o.Stmts {
		earlier, again := g.writer[history.Version{Item: item, VKey: int64(w.From)}]
		if w.From == history.Unborn || !again || g.o.Stmts[earlier].Txn != g.o.Stmts[by].Txn {
			return w, true
		}
		w.From = g.writeOf(earlier, item).From
	}
	return w, false
}

// writeOf returns what an op did to an item that it wrote.
func (g *serialization) writeOf(op int, item history.Item) history.Write {
	for _, w := range g.o.Stmts[op].Writes {
		if w.Item == item {
			return w
		}
	}
	return history.Write{Item: item}
}

// settle decides about an edge in doubt.
func (g *serialization) settle(e *edge) {
	d := e.doubt
	e.doubt, e.dead = nil, true
	before, known1 := g.part(d, d.write.From)
	after, known2 := g.part(d, d.write.To)
	if !known1 || !known2 || !g.listed(d) {
		return
	}
	switch {
	case before != after:
		e.pred = true
	case before && d.next && d.search.Values && g.differ(d):
	default:
		return
	}
	e.dead = false
	op, by := g.o.Stmts[d.op], g.o.Stmts[d.by]
	what := finding.Say("%v %v", finding.StmtName(by.Name), changed(d.write, before, after))
	if e.kind == history.WR {
		e.why = finding.Say("%v, and the search of %v saw that", what, finding.StmtName(op.Name))
		return
	}
	e.why = finding.Say("%v searched %v as it was before %v", finding.StmtName(op.Name), d.write.Table, what)
}

// part says whether the item in a state has a part in what the search gives.
func (g *serialization) part(d *doubt, s history.State) (part, known bool) {
	switch {
	case s < 0:
		return false, true
	case g.o.Matches == nil:
		return false, false
	}
	return g.o.Matches(d.op, history.Version{Item: d.write.Item, VKey: int64(s)})
}

// listed checks what is believed about the search against what the statement printed: where the two disagree it is
// not certain what the statement looked at.
func (g *serialization) listed(d *doubt) bool {
	if !d.search.Lists {
		return true
	}
	part, known := g.part(d, d.seen)
	printed := false
	for _, v := range g.o.Stmts[d.op].Out {
		if v.Item == d.write.Item {
			if history.State(v.VKey) != d.seen {
				return false
			}
			printed = true
		}
	}
	return known && part == printed
}

// differ says whether the write changed a column that the searching statement uses.
func (g *serialization) differ(d *doubt) bool {
	same, known := g.o.Same(d.op, history.Version{Item: d.write.Item, VKey: int64(d.write.From)},
		history.Version{Item: d.write.Item, VKey: int64(d.write.To)})
	return known && !same
}

// changed says what a write did to its row, and which of the two states match.
func changed(w history.Write, before, after bool) finding.Sentence {
	old, now := history.Version{Item: w.Item, VKey: int64(w.From)}, history.Version{Item: w.Item, VKey: int64(w.To)}
	switch {
	case w.From == history.Unborn:
		return finding.Say("inserted %v, which matches", now)
	case w.To == history.Dead:
		return finding.Say("deleted %v, which matched", old)
	case before && after:
		return finding.Say("overwrote %v with version %v, and both match, with other values", old, now.VKey)
	case before:
		return finding.Say("overwrote %v, which matched, with version %v, which does not", old, now.VKey)
	}
	return finding.Say("overwrote %v, which did not match, with version %v, which does", old, now.VKey)
}
