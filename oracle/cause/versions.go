package cause

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/observe"
	"txweave/sqltext"
)

// notMissed is what was written of a row without what only seems to have made it, as it was from the start, while nobody is seen to have deleted it:
// the read before such a statement missed the row, and the one after it did not.
func (r *run) notMissed(item history.Item, chain []write) []write {
	initial, there := r.Observation.Initial[item.Table][item.PKey]
	gone := !there
	return slices.DeleteFunc(slices.Clone(chain), func(w write) bool {
		missed := !gone && w.From.Absent() && w.To == history.State(initial)
		gone = gone || w.To.Absent()
		return missed
	})
}

// passedOver notes the transactions whose last write of a row the data lacked while others still wrote: one that began when they had
// committed wrote over an older version, as the row itself says.
func (r *run) passedOver(chain []write) {
	for i, w := range chain {
		if !r.committed(w) || slices.ContainsFunc(chain[i+1:], func(x write) bool { return x.txn == w.txn }) {
			continue
		}
		done := r.Observation.Txns[w.txn].Done
		next := slices.IndexFunc(chain[i+1:], func(x write) bool { return !x.undone && !r.rolledBack(x.txn) })
		if next < 0 {
			continue
		}
		x := chain[i+1+next]
		older := slices.ContainsFunc(chain[:i+1], func(y write) bool { return y.From == x.From && y.From != w.To && !y.From.Absent() })
		if x.named && older && done < r.Observation.Txns[x.txn].Began {
			r.lost = append(r.lost, history.SessionName(w.txn))
		}
	}
}

// writtenOver notes the transactions of which a write was found, by another one that began when they had ended and wrote over it as the row itself says,
// though a ROLLBACK TO had undone it.
func (r *run) writtenOver(chain []write) {
	for i, w := range chain {
		if !w.undone || r.rolledBack(w.txn) || w.To.Absent() || slices.ContainsFunc(chain[:i], func(y write) bool { return y.To == w.To && !y.undone }) {
			continue
		}
		done := r.Observation.Txns[w.txn].Done
		if slices.ContainsFunc(chain[i+1:], func(x write) bool {
			return x.txn != w.txn && x.named && x.From == w.To && done < r.Observation.Txns[x.txn].Began
		}) {
			r.keptTo = append(r.keptTo, history.SessionName(w.txn))
		}
	}
}

// neverWas says whether no row of a table can have had a version: no statement gives it, and none had it at the start.
func (r *run) neverWas(table string, vkey int64) bool {
	if vkey <= 0 || r.unsure[table] {
		return false
	}
	for _, rows := range r.Observation.Initial {
		for _, was := range rows {
			if was == vkey {
				return false
			}
		}
	}
	return !slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
		return s.VKey == vkey || slices.ContainsFunc(s.Writes, func(w history.Write) bool { return w.Table == table && w.To == history.State(vkey) })
	})
}

// overwroteNone says whether a row that was changed names as what it was before a version that it cannot have been.
func (r *run) overwroteNone(w history.Write) bool {
	return !w.From.Absent() && !r.Observation.Contents[w.Table] && r.neverWas(w.Table, int64(w.From))
}

// namesNone is the cause where a table ends with a row that was changed and names as what it was before a version that it cannot have been; ""
// where no row does.
func (r *run) namesNone(table string) string {
	rows := r.Final[table]
	if rows == nil || r.unsure[table] {
		return ""
	}
	pkey, pvkey := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.PVKey)
	if pkey < 0 || pvkey < 0 {
		return ""
	}
	for i := range rows.Len() {
		k, _ := rows.Row(i)[pkey].Int64()
		before, ok := rows.Row(i)[pvkey].Int64()
		item := history.Item{Table: table, PKey: k}
		changed := slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
			return s.Kind == sqltext.Update && r.Observation.Committed(s) && s.VKey != 0 && slices.ContainsFunc(s.Writes, func(w history.Write) bool { return w.Item == item })
		})
		if ok && changed && r.neverWas(table, before) {
			return finding.CauseUnwritten
		}
	}
	return ""
}

// stillThere is the cause where a DELETE seems to have taken a row away that a SELECT with its WHERE clause did not find, and that is there in
// the end as it was, written by nobody else: the read after the statement missed it. "" where that is not so.
func (r *run) stillThere(at int) string {
	s, found := r.Observation.Stmts[at], r.found(at)
	if s.Kind != sqltext.Delete || found == nil || r.unsure[s.Target] || !r.Observation.Committed(s) {
		return ""
	}
	for _, w := range s.Writes {
		_, matched := found[w.PKey]
		if matched || !w.To.Absent() || w.From.Absent() || w.Table != s.Target {
			continue
		}
		end, there := r.final[w.Table][w.PKey]
		if there && history.State(end) == w.From && !slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return o != s && o.Done > s.Sent && slices.ContainsFunc(o.Writes, func(x history.Write) bool { return x.Item == w.Item })
		}) {
			return finding.CauseMissing
		}
	}
	return ""
}
