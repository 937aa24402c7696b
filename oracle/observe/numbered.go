package observe

import (
	"fmt"
	"slices"

	"txweave/history"
	"txweave/instrument"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// Where the rows of a table lie by a number that the database gives them, by a counter that no statement knows or
// because the table has no key to lie by, no value of theirs tells the place: how they came to be does. A row that is
// inserted lies at a place of its own, an UPDATE leaves it there, or moves it to another partition, whose numbers are
// its own, and REPLACE gives it a new one. Where the number is hidden, and no counter's, the row of a
// REPLACE may also be written over the last one that is in its way, at the place of that one, whatever the pkey of both
// (sql/sql_insert.cc, write_record).

// elsewhere is a place that nobody knows: neither one at which a given transaction has written nor that of another row.
const elsewhere = "?"

// replacing returns the tables whose rows lie by a number and in which some statement may replace rows, or move them to
// another partition, by name; true where the number is hidden. In others that lie so no row moves.
func (o *observer) replacing() map[string]bool {
	out := map[string]bool{}
	by := mixing(o.plan)
	for i := range o.plan.Txns {
		for _, b := range o.plan.Txns[i].Blocks {
			for _, name := range b.Writes {
				if t := o.plan.Schema.Table(name); t != nil && len(placeOf(t, by)) == 0 && (t.Partitioned || o.replaces(b, name)) {
					out[name] = !t.Numbered
				}
			}
		}
	}
	return out
}

// replaces says whether a statement may replace rows of a table, by itself or through a trigger.
func (o *observer) replaces(b *instrument.Block, table string) bool {
	n, inserts := b.Tree.(*sql.Insert)
	return table == b.Info.Target && inserts && (n.Replace || n.Or == "REPLACE") ||
		slices.ContainsFunc(o.plan.Schema.Triggers, func(t sqltext.Trigger) bool {
			return t.Replaces && t.Writes == table && slices.Contains(b.Writes, t.Table)
		})
}

// settle notes where the rows may lie that a statement wrote in tables whose rows lie by a number.
func (o *observer) settle(s *ObservedStmt) {
	for _, table := range s.Changes {
		hidden, numbered := o.numbered[table]
		if !numbered {
			continue
		}
		if o.replaces(s.Run.Block, table) {
			o.settleReplaced(s, table, hidden)
		} else {
			o.settleWritten(s, table)
		}
	}
}

// settleWritten notes where rows may lie that a statement inserted or changed: those that it changed where they lay
// before, and in another partition anew.
func (o *observer) settleWritten(s *ObservedStmt, table string) {
	for _, w := range s.Writes {
		if w.Table != table || w.To.Absent() {
			continue
		}
		v := history.Version{Item: w.Item, VKey: int64(w.To)}
		if !w.From.Absent() {
			o.lie(v, o.numberedPlaces(history.Version{Item: w.Item, VKey: int64(w.From)})...)
			if !o.plan.Schema.Table(table).Partitioned {
				continue
			}
		}
		o.lie(v, fmt.Sprintf("%s %d", s.Name, w.PKey))
	}
}

// settleReplaced notes where rows may lie that a statement wrote which takes rows away for new ones. Where the number
// is hidden it may be given a second time.
func (o *observer) settleReplaced(s *ObservedStmt, table string, hidden bool) {
	var left []string // places of rows that the statement took away, at one of which it may have put another
	for _, w := range s.Writes {
		if w.Table == table && !w.From.Absent() && hidden {
			left = append(left, o.numberedPlaces(history.Version{Item: w.Item, VKey: int64(w.From)})...)
		}
	}
	for _, w := range s.Writes {
		if w.Table == table && !w.To.Absent() {
			v := history.Version{Item: w.Item, VKey: int64(w.To)}
			o.lie(v, fmt.Sprintf("%s %d", s.Name, w.PKey))
			o.lie(v, left...)
		}
	}
	if !o.plan.Contents[table] {
		return
	}
	// a row that it replaced by one of equal contents lies elsewhere, and nothing shows it
	for v := range o.content {
		if v.Table == table {
			o.lie(v, elsewhere)
		}
	}
}

// lie adds places to those at which the row of a version may lie.
func (o *observer) lie(v history.Version, at ...string) {
	known := o.lies[v]
	if known == nil && o.isInitial(v) {
		known = o.numberedPlaces(v)
	}
	for _, place := range at {
		if !slices.Contains(known, place) {
			known = append(slices.Clip(known), place)
		}
	}
	o.lies[v] = known
}

func (o *observer) isInitial(v history.Version) bool {
	vkey, there := o.out.Initial[v.Table][v.PKey]
	return there && vkey == v.VKey
}

// numberedPlaces returns the places at which the row of a version may lie, in a table whose rows lie by a number:
// elsewhere where it is not known who wrote it.
func (o *observer) numberedPlaces(v history.Version) []string {
	switch at := o.lies[v]; {
	case at != nil:
		return at
	case o.isInitial(v):
		return []string{fmt.Sprintf("initial %d", v.PKey)}
	}
	return []string{elsewhere}
}
