package sdg

import (
	"txweave/history"
	"txweave/internal/graph"
	"txweave/sql/sqltext"
)

// run is a window: the states lo..hi of a chain, any of which a statement may see in a replay.
type run struct{ lo, hi int }

// choice is a statement that may see an item in several windows: it takes the one that it really saw
// unless that closes a cycle.
type choice struct {
	stmt  int
	table int
	chain *chain
	seen  history.State
	runs  []run
	first int // index in runs of the window really seen
}

// view is how one statement looks at one table: what equivalence of states depends on.
type view struct {
	stmt   int
	s      *Node
	read   *TableRead
	match  bool // match precision applies: the table is the one whose rows are judged one by one
	column bool
	silent bool // check what was seen, but make no edges: see TableRead.KeyCheck
}

// newView returns the view of Stmts[j] on the table of r at precision p.
func (b *builder) newView(j int, r *TableRead) view {
	s := &b.in.Stmts[j]
	return view{
		stmt:   j,
		s:      s,
		read:   r,
		silent: r.KeyCheck && len(s.Writes) > 0 && (b.p < Match || b.omit&ruleKeyCheck != 0),
		column: b.p >= Column && b.in.Content != nil,
		match:  b.p >= Match && b.in.Matches != nil && !r.Refers && (s.MatchTable == r.Table || s.KeyTable == r.Table),
	}
}

// printed says whether the result of the statement holds version v.
func (s *Node) printed(table string, pkey int64, v history.State) bool {
	for i := range s.Out {
		if o := &s.Out[i]; o.PKey == pkey && o.VKey == int64(v) && o.Table == table {
			return true
		}
	}
	return false
}

// equivalent says whether the statement of v has the same result and effect when it sees the item in
// state y as when it sees it in state x. The statement does not write the item itself.
func (b *builder) equivalent(v *view, pkey int64, x, y history.State) bool {
	if x == y || x.Absent() && y.Absent() {
		return true
	}
	if v.match && b.equalMatch(v, pkey, x, y) {
		return true
	}
	return v.column && b.equalColumns(v, pkey, x, y)
}

// equalColumns is column precision: neither version is printed, and both are equal in every used column.
func (b *builder) equalColumns(v *view, pkey int64, x, y history.State) bool {
	if x.Absent() || y.Absent() {
		return false
	}
	if b.omit&rulePrinted == 0 && (v.s.printed(v.read.Table, pkey, x) || v.s.printed(v.read.Table, pkey, y)) {
		return false
	}
	return b.sameContent(v, pkey, x, y)
}

// sameContent compares two versions in the used columns; unknown contents are not the same.
func (b *builder) sameContent(v *view, pkey int64, x, y history.State) bool {
	item := history.Item{Table: v.read.Table, PKey: pkey}
	cx, cy := b.in.Content(history.Version{Item: item, VKey: int64(x)}),
		b.in.Content(history.Version{Item: item, VKey: int64(y)})
	if cx == nil || cy == nil {
		return false
	}
	if v.read.Columns == nil {
		if len(cx) != len(cy) {
			return false
		}
		for name, value := range cx {
			if other, ok := cy[name]; !ok || other != value {
				return false
			}
		}
		return true
	}
	for _, name := range v.read.Columns {
		vx, okx := cx[name]
		vy, oky := cy[name]
		if !okx || !oky || vx != vy {
			return false
		}
	}
	return true
}

// equalMatch is match precision (Emme's "changes the matches"): both states contribute nothing, or both
// match with equal used columns and no version key in the result or the writes.
func (b *builder) equalMatch(v *view, pkey int64, x, y history.State) bool {
	mx, known := b.contributes(v, pkey, x)
	if !known {
		return false
	}
	my, known := b.contributes(v, pkey, y)
	if !known || mx != my {
		return false
	}
	if !mx {
		return true
	}
	// A row that an UPDATE or DELETE matches would be written: its version key is part of the effect.
	if v.s.Kind == sqltext.Update || v.s.Kind == sqltext.Delete || len(v.s.Out) > 0 || b.in.Content == nil {
		return false
	}
	return b.sameContent(v, pkey, x, y)
}

// contributes says whether a state has a part in what the statement does: it is a row, and it matches.
func (b *builder) contributes(v *view, pkey int64, x history.State) (part, known bool) {
	if x.Absent() {
		return false, true
	}
	return b.in.Matches(v.stmt, history.Version{Item: history.Item{Table: v.read.Table, PKey: pkey}, VKey: int64(x)})
}

// windows returns the maximal runs of states of c that are equivalent to the seen one, and the index of
// the run that holds the state really seen (position pos).
func (b *builder) windows(v *view, c *chain, seen history.State, pos int) (runs []run, first int) {
	runs = b.runs[:0]
	for k := 0; k < len(c.states); k++ {
		if !b.equivalent(v, c.pkey, seen, c.states[k]) {
			continue
		}
		lo := k
		for k+1 < len(c.states) && b.equivalent(v, c.pkey, seen, c.states[k+1]) {
			k++
		}
		if lo <= pos && pos <= k {
			first = len(runs)
		}
		runs = append(runs, run{lo, k})
	}
	b.runs = runs
	return runs, first
}

// closes says whether taking the window r closes a cycle.
func closes(c *graph.Closure, ch *choice, r run) bool {
	a, b := ch.chain.writer[r.lo], noWriter
	if r.hi+1 < len(ch.chain.writer) {
		b = ch.chain.writer[r.hi+1]
	}
	if a != noWriter && c.Reaches(ch.stmt, a) {
		return true
	}
	if b == noWriter {
		return false
	}
	return c.Reaches(b, ch.stmt) || a != noWriter && c.Reaches(b, a)
}
