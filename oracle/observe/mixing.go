package observe

import (
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// Where writes go to current rows and plain reads to a snapshot, the engine puts a transaction's own rows over those of
// its snapshot place by place, and a row's place is its key. A row that another transaction moved to another key after
// the snapshot was taken, and that the transaction then wrote, lies at two places for it: the old row at the old one,
// its own at the new one. It sees both, or the old one alone where it deleted its own; and a row of the snapshot whose
// place it has given to another row it does not see.

// Places are the places at which a transaction has written rows, by table and place: true where it has, false where it
// may have.
type Places map[string]map[string]bool

// Add notes that a row was written that lies at one of some places.
func (p Places) Add(table string, at []string) {
	if p[table] == nil {
		p[table] = map[string]bool{}
	}
	for _, place := range at {
		p[table][place] = p[table][place] || len(at) == 1
	}
}

// Free says whether a row that lies at one of some places may lie where nothing was written.
func (p Places) Free(table string, at []string) bool {
	return slices.ContainsFunc(at, func(place string) bool { return place == elsewhere || !p[table][place] })
}

// Taken says whether a row that lies at one of some places may lie where something was written.
func (p Places) Taken(table string, at []string) bool {
	return slices.ContainsFunc(at, func(place string) bool { _, may := p[table][place]; return may && place != elsewhere })
}

// placing returns, by table, the columns whose values are a row's place, for tables where that may change; nil where
// the level does not mix so.
func placing(schema *sqltext.Schema, mixing dbms.Mixing) map[string][]sqltext.KeyPart {
	out := map[string][]sqltext.KeyPart{}
	for _, t := range schema.Tables {
		key := placeOf(t, mixing)
		if mixing != dbms.ByRow && len(key) > 0 && !(len(key) == 1 && key[0].Column == sqltext.PKey) {
			out[t.Name] = key
		}
	}
	return out
}

// placeOf returns the columns whose values are a row's place; none where it lies by a number that the database gives
// it.
func placeOf(t *sqltext.Table, mixing dbms.Mixing) []sqltext.KeyPart {
	if mixing == dbms.ByPrimaryKey && t.Apart {
		return nil
	}
	if mixing == dbms.ByPrimaryKey {
		return t.Primary()
	}
	return t.Clustered()
}

// mixing is how the levels of the plan's transactions mix, those that do.
func mixing(plan *instrument.Plan) dbms.Mixing {
	m := dbms.ByRow
	for i := range plan.Txns {
		m = max(m, plan.Txns[i].Profile.ReadModes.Mixing)
	}
	return m
}

// mixes says whether the level of a transaction mixes so.
func (o *observer) mixes(txn int) bool {
	return o.plan.Txns[txn].Profile.ReadModes.Mixing != dbms.ByRow
}

// mayMove says whether rows of a table may come to lie at another place.
func (o *observer) mayMove(table string) bool {
	_, numbered := o.numbered[table]
	return numbered || len(o.placing[table]) > 0
}

// places returns the places at which a version's row may lie: one, but where it lies by a number; none where it cannot
// move, or is not known.
func (o *observer) places(v history.Version) []string {
	if _, numbered := o.numbered[v.Table]; numbered {
		return o.numberedPlaces(v)
	}
	if key, known := o.keyOf(o.placing[v.Table], v); known {
		return []string{key}
	}
	return nil
}

// keyOf returns what a version's row holds in the columns of a key; false where there is none, or the row is not known.
func (o *observer) keyOf(key []sqltext.KeyPart, v history.Version) (string, bool) {
	c, known := o.content[v]
	if len(key) == 0 || !known {
		return "", false
	}
	parts := make([]string, len(key))
	for i, p := range key {
		for at, name := range c.rows.Columns {
			if strings.EqualFold(name, p.Column) {
				parts[i] = prefix(c.rows.Row(c.at)[at], p.Prefix)
			}
		}
	}
	return strings.Join(parts, ", "), true
}

// prefix prints what a key holds of a value: its first n characters, or all where n is 0.
func prefix(v history.Value, n int) string {
	if r := []rune(v.S); n > 0 && len(r) > n {
		v.S = string(r[:n])
	}
	return v.String()
}

// wrote notes the places at which a statement wrote.
func (o *observer) wrote(s *ObservedStmt) {
	if o.settle(s); !o.mixed {
		return
	}
	for _, w := range s.Writes {
		if s.Undone {
			continue
		}
		if w.To == history.Dead {
			o.deleters[w.Item] = append(o.deleters[w.Item], s.Txn)
		} else {
			o.writers[history.Version{Item: w.Item, VKey: int64(w.To)}] = s.Txn
		}
	}
	o.occupy(s)
}

// occupy adds the places of what a statement wrote to those of its transaction.
func (o *observer) occupy(s *ObservedStmt) {
	own := &o.own[s.Txn]
	for _, w := range s.Writes {
		for _, state := range []history.State{w.From, w.To} {
			if v := (history.Version{Item: w.Item, VKey: int64(state)}); !state.Absent() {
				own.places.Add(w.Table, o.places(v))
			}
		}
	}
}

// isUnder says whether a transaction may see a version of a row beside, or after, what it wrote of the row itself: it
// lies in the snapshot at a place at which the transaction has written nothing.
func (o *observer) isUnder(txn int, v history.Version) bool {
	own := &o.own[txn]
	if !o.mixes(txn) {
		return false
	}
	if last, wrote := own.last[v.Item]; !wrote || last == history.State(v.VKey) || own.vkeys[v.VKey] {
		return false
	}
	return own.places.Free(v.Table, o.places(v))
}

// second takes the second one of two rows of one item that a read of the snapshot printed: the transaction's own stays,
// the one under it is noted. ok is false where there cannot be two.
func (o *observer) second(txn int, item history.Item, seen map[int64]int64, vkey int64,
	under map[history.Version]bool) (ok bool) {
	first := seen[item.PKey]
	own, wrote := o.own[txn].last[item]
	a, b := history.Version{Item: item, VKey: first}, history.Version{Item: item, VKey: vkey}
	pa, pb := o.places(a), o.places(b)
	apart := len(pa) == 0 || len(pb) == 0 || o.covers(txn, a, b)
	if o.own[txn].unsure[item.Table] && o.mayMove(item.Table) && apart {
		// which one is its own is not known: nothing is said of the row
		under[a], under[b] = true, true
		return true
	}
	if !wrote && o.covers(txn, a, b) && (o.rewrote(txn, a) || o.rewrote(txn, b)) {
		// which one is its own shows when it changes the row
		o.own[txn].unsure[item.Table] = true
		return true
	}
	if own == history.State(vkey) {
		first, vkey = vkey, first
	}
	v := history.Version{Item: item, VKey: vkey}
	if !wrote || own != history.State(first) || !o.isUnder(txn, v) || under[v] {
		return false
	}
	seen[item.PKey] = first
	under[v] = true
	return true
}

// twice returns what takes the second one of two rows of one item that a probe of a block printed, whose answer is
// given. Those that are the snapshot's are noted in under.
func (o *observer) twice(b *BlockRun, p instrument.Probe, answer *history.Event, under map[history.Version]bool) func(
	history.Item, map[int64]int64, int64) bool {
	switch p.Conn {
	case instrument.Own:
		return func(item history.Item, seen map[int64]int64, vkey int64) bool {
			return o.second(b.Block.Txn, item, seen, vkey, under)
		}
	case instrument.Latest:
		return func(item history.Item, seen map[int64]int64, vkey int64) bool {
			return o.halfMoved(b, answer, item, seen, vkey)
		}
	}
	return notTwice
}

// halfMoved takes the second one of two rows of one item that a read of uncommitted rows printed while a statement of
// another session was at work on their table: one that moves a row to another partition has put it there before it
// takes it away from where it was, and may wait in between; one that is undone moves it back so. The version that its
// transaction gave the row is left out; where that is not known, nothing is said of the statement. ok is false where no
// statement was at work that may have left either of the two.
//
// In a table that is not partitioned a row is taken away before it is put elsewhere, and while a statement waits it is
// never there twice: only one that ran while the rows were read, as somebody was seen to do then, lets them pass a row
// at both places. But a new row is put into the table before it is entered into the table's other keys, where it may
// meet another row of its pkey, and wait for that one's transaction.
func (o *observer) halfMoved(b *BlockRun, answer *history.Event, item history.Item, seen map[int64]int64,
	vkey int64) (ok bool) {
	t := o.plan.Schema.Table(item.Table)
	moves := t != nil && t.Partitioned || b.Waited || b.Reread
	if !moves && (t == nil || slices.Equal(t.Key, []string{sqltext.PKey})) {
		return false
	}
	first := seen[item.PKey]
	theirs, untold := o.atWork(b.Block.Txn, answer, item.Table, moves)
	if !untold && !theirs[first] && !theirs[vkey] {
		return false
	}
	own, wrote := o.own[b.Block.Txn].last[item]
	switch {
	case theirs[first] != theirs[vkey]:
		if theirs[first] {
			seen[item.PKey] = vkey
		}
	case wrote && own == history.State(vkey):
		seen[item.PKey] = vkey
	case !wrote || own != history.State(first):
		o.own[b.Block.Txn].unsure[item.Table] = true
	}
	return true
}

// atWork are the versions of a table that transactions other than txn write which were at work while a read was
// answered, a deadlock's victim, too; untold says that one of them writes versions that nothing tells. Where no row
// moves only new rows count, of the statement itself.
func (o *observer) atWork(txn int, answer *history.Event, table string, moves bool) (theirs map[int64]bool,
	untold bool) {
	theirs = map[int64]bool{}
	for _, e := range o.run.Trace.Events {
		if e.Role != history.Target || e.Txn < 0 || e.Stmt < 0 || e.Txn == txn || e.Start > answer.End ||
			e.End < answer.Start {
			continue
		}
		for i, w := range o.plan.Txns[e.Txn].Blocks[:e.Stmt+1] {
			switch {
			case !moves && (i < e.Stmt || w.Info.Kind != sqltext.Insert):
			case !slices.Contains(w.Writes, table) || w.Info.Kind == sqltext.Delete && !w.Carries():
			case w.Info.VKey == 0 || w.Carries() || o.plan.Contents[table]: // which version it writes is not told
				untold = true
			default:
				theirs[w.Info.VKey] = true
			}
		}
	}
	return theirs, untold
}

// covers says whether a plain read of the snapshot that printed a version of a row may do so whatever became, in its
// transaction, of another version of that row: that one lies at another place.
func (o *observer) covers(txn int, seen, current history.Version) bool {
	if seen == current || !o.mixes(txn) {
		return false
	}
	a, b := o.places(seen), o.places(current)
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(place string) bool {
		return slices.Contains(b, place)
	})
}

// veiled says whether plain reads around a statement cannot tell of some row that it could write whether it is gone:
// they do not show it at all, or at the place where the snapshot has it alone.
func (o *observer) veiled(b *BlockRun, sets *versionSets, after map[int64]int64) bool {
	target := b.Block.Info.Target
	plain, read := sets.plain[target]
	if !read {
		return false
	}
	for pkey, current := range sets.visible[target] {
		item := history.Item{Table: target, PKey: pkey}
		_, before := plain[pkey]
		old, still := after[pkey]
		if !before && !still || still && o.covers(b.Block.Txn, history.Version{Item: item, VKey: old},
			history.Version{Item: item, VKey: current}) {
			return true
		}
	}
	return false
}

// mayLieUnder says whether some row that a DELETE was about to take away is in sight after it in another version, which
// may lie at another place, or at the same one: which of the two was taken away is not known.
func (o *observer) mayLieUnder(b *BlockRun, after map[int64]int64) bool {
	for pkey, current := range b.matched(b.BWR) {
		item := history.Item{Table: b.Block.Info.Target, PKey: pkey}
		seen, still := after[pkey]
		if !still || seen == current || !o.mixes(b.Block.Txn) {
			continue
		}
		old, taken := o.places(history.Version{Item: item, VKey: seen}), o.places(history.Version{Item: item, VKey: current})
		if len(old)+len(taken) > 2 && !o.covers(b.Block.Txn, history.Version{Item: item, VKey: seen},
			history.Version{Item: item, VKey: current}) {
			return true
		}
	}
	return false
}

// isHidden says whether a version that a plain read did not see may lie in its snapshot, at a place that its
// transaction has given to another row.
func (o *observer) isHidden(s *ObservedStmt, v history.Version) bool {
	own := &o.own[s.Txn]
	if _, wrote := own.last[v.Item]; wrote {
		return false
	}
	if by, written := o.writers[v]; written && (o.run.Txns[by] != history.Committed || o.out.Txns[by].Done > s.Sent) {
		return false
	}
	for _, by := range o.deleters[v.Item] {
		if o.run.Txns[by] == history.Committed && o.out.Txns[by].Done < o.out.Txns[s.Txn].Began {
			return false
		}
	}
	return own.places.Taken(v.Table, o.places(v))
}

// blur notes the items of which a plain read of the snapshot does not say what the snapshot holds: those of which it
// saw what lies under its transaction's own writes, and those whose place its transaction gave to another row.
func (o *observer) blur(s *ObservedStmt) {
	own := &o.own[s.Txn]
	if !o.mixed || !o.mixes(s.Txn) || s.View != dbms.Snapshot || len(own.last) == 0 && len(s.Under) == 0 {
		return
	}
	for v := range s.Under {
		s.blurs(v.Item)
	}
	for _, r := range s.Reads {
		if len(own.places[r.Table]) > 0 {
			o.blurPlaces(s, r)
		}
	}
	for _, v := range s.Out {
		if o.isUnder(s.Txn, v) {
			s.blurs(v.Item)
		}
	}
}

// blurPlaces notes the items of a table to whose places the statement's transaction moved other rows.
func (o *observer) blurPlaces(s *ObservedStmt, r sdg.TableRead) {
	for pkey, vkey := range r.Seen {
		if v := (history.Version{Item: history.Item{Table: r.Table, PKey: pkey}, VKey: vkey}); o.isUnder(s.Txn, v) {
			s.blurs(v.Item)
		}
	}
	for v := range o.content {
		if _, seen := r.Seen[v.PKey]; v.Table == r.Table && !seen && o.isHidden(s, v) {
			s.blurs(v.Item)
			s.Mixed = true
		}
	}
}

func (s *ObservedStmt) blurs(i history.Item) {
	if s.Blurred == nil {
		s.Blurred = map[history.Item]bool{}
	}
	s.Blurred[i] = true
}
