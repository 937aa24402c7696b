package cause

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// notMissed is what was written of a row without what only seems to have made it, as it was from the start, while
// nobody is seen to have deleted it: the read before such a statement missed the row, and the one after it did not. Nor
// with a DELETE that only seems to have taken it away, and what is out of thin air.
func (r *run) notMissed(item history.Item, chain []write) []write {
	initial, there := r.Observation.Initial[item.Table][item.PKey]
	gone := !there
	return slices.DeleteFunc(slices.Clone(chain), func(w write) bool {
		missed := !gone && w.From.Absent() && w.To == history.State(initial)
		gone = gone || w.To.Absent()
		return missed || r.notTaken(w.at, w.Write) || r.outOfThinAir(w.at, w.Write)
	})
}

// passedOver notes the transactions whose last write of a row the data lacked while others still wrote: one that began
// when they had committed wrote over an older version, as the row itself says.
func (r *run) passedOver(chain []write) {
	for i, w := range chain {
		if !r.committed(w) || !w.last(chain[i+1:]) {
			continue
		}
		done := r.Observation.Txns[w.txn].Done
		next := slices.IndexFunc(chain[i+1:], func(x write) bool { return !x.undone && !r.rolledBack(x.txn) })
		if next < 0 {
			continue
		}
		x := chain[i+1+next]
		older := slices.ContainsFunc(chain[:i+1], func(y write) bool {
			return y.From == x.From && y.From != w.To && !y.From.Absent()
		})
		if x.named && older && done < r.Observation.Txns[x.txn].Began {
			r.lost = append(r.lost, w.txn)
		}
	}
}

// writtenOver notes the transactions of which a write was found, by another one that began when they had ended and
// wrote over it as the row itself says, though a ROLLBACK TO had undone it.
func (r *run) writtenOver(chain []write) {
	for i, w := range chain {
		if !w.undone || r.rolledBack(w.txn) || w.To.Absent() || slices.ContainsFunc(chain[:i], func(y write) bool {
			return y.To == w.To && !y.undone
		}) {
			continue
		}
		done := r.Observation.Txns[w.txn].Done
		if slices.ContainsFunc(chain[i+1:], func(x write) bool {
			return x.txn != w.txn && x.named && x.From == w.To && done < r.Observation.Txns[x.txn].Began
		}) {
			r.keptTo = append(r.keptTo, w.txn)
		}
	}
}

// neverWas says whether no row of a table can have had a version: no statement gives it, and none had it at the start.
func (r *run) neverWas(table string, vkey int64) bool {
	return vkey > 0 && !r.unsure[table] && r.givenByNone(vkey) && !slices.ContainsFunc(r.Observation.Stmts,
		func(s *observe.ObservedStmt) bool {
			return slices.ContainsFunc(s.Writes, func(w history.Write) bool {
				return w.Table == table && w.To == history.State(vkey)
			})
		})
}

// givenByNone says whether no statement gives rows a version, and none had it at the start.
func (r *run) givenByNone(vkey int64) bool {
	for _, rows := range r.Observation.Initial {
		for _, was := range rows {
			if was == vkey {
				return false
			}
		}
	}
	return !slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool { return s.VKey == vkey })
}

// outOfThinAir says whether a statement that gives rows one version seems to have written another one, which nobody
// gives: the read after it showed what is not.
func (r *run) outOfThinAir(at int, w history.Write) bool {
	s := r.Observation.Stmts[at]
	return s.VKey != 0 && !w.To.Absent() && !r.Observation.Contents[w.Table] && int64(w.To) != s.VKey &&
		r.givenByNone(int64(w.To))
}

// overwroteNone says whether a row that was changed names as what it was before a version that it cannot have been.
func (r *run) overwroteNone(w history.Write) bool {
	return !w.From.Absent() && !r.Observation.Contents[w.Table] && r.neverWas(w.Table, int64(w.From))
}

// namesNone is the cause where a table ends with a row that was changed and names as what it was before a version that
// it cannot have been; "" where no row does.
func (r *run) namesNone(table string) finding.Cause {
	rows := r.Final[table]
	if rows == nil || r.unsure[table] {
		return finding.Cause{}
	}
	pkey, pvkey := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.PVKey)
	if pkey < 0 || pvkey < 0 {
		return finding.Cause{}
	}
	for i := range rows.Len() {
		k, _ := rows.Row(i)[pkey].Int64()
		before, ok := rows.Row(i)[pvkey].Int64()
		item := history.Item{Table: table, PKey: k}
		changed := slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
			return s.Kind == sqltext.Update && r.Observation.Committed(s) && s.VKey != 0 && slices.ContainsFunc(s.Writes,
				func(w history.Write) bool { return w.Item == item })
		})
		if ok && changed && r.neverWas(table, before) {
			return finding.CauseUnwritten
		}
	}
	return finding.Cause{}
}

// notTaken says whether one of the rows that a DELETE seems to have taken away is such a row.
func (r *run) notTaken(at int, w history.Write) bool {
	s := r.Observation.Stmts[at]
	if s.Kind != sqltext.Delete || w.Table != s.Target || !w.To.Absent() || w.From.Absent() || r.unsure[s.Target] ||
		!r.Observation.Committed(s) {
		return false
	}
	found := r.found(at)
	if _, matched := found[w.PKey]; matched || found == nil {
		return false
	}
	end, there := r.final[w.Table][w.PKey]
	return there && history.State(end) == w.From && !slices.ContainsFunc(r.Observation.Stmts,
		func(o *observe.ObservedStmt) bool {
			return o != s && o.Done > s.Sent && slices.ContainsFunc(o.Writes, func(x history.Write) bool {
				return x.Item == w.Item
			})
		})
}

// sawNotTaken says whether a statement saw a row, as it was, that a DELETE before it only seems to have taken away.
func (r *run) sawNotTaken(stmt string) bool {
	return r.sawOf(stmt, func(s, o *observe.ObservedStmt, at int, w history.Write) bool {
		return o.Done < s.Sent && saw(s, w.Item, w.From) && r.notTaken(at, w)
	})
}

// sawOf says whether something is so of a statement s and of what some statement o, the run's at-th, seems to have
// written.
func (r *run) sawOf(stmt string, is func(s, o *observe.ObservedStmt, at int, w history.Write) bool) bool {
	s := r.at(stmt)
	if s < 0 {
		return false
	}
	for at, o := range r.Observation.Stmts {
		if slices.ContainsFunc(o.Writes, func(w history.Write) bool { return is(r.Observation.Stmts[s], o, at, w) }) {
			return true
		}
	}
	return false
}

// saw says whether a statement, or the read beside it, saw a version of a row.
func saw(s *observe.ObservedStmt, item history.Item, version history.State) bool {
	vkey, there := s.Seen(item.Table)[item.PKey]
	return there && history.State(vkey) == version || slices.Contains(s.Out, history.Version{Item: item,
		VKey: int64(version)})
}

// sawLater says whether a statement saw a version that a later one of its own transaction gives rows.
func (r *run) sawLater(stmt string) bool {
	at := r.at(stmt)
	if at < 0 {
		return false
	}
	s := r.Observation.Stmts[at]
	later := func(table string, vkey int64) bool {
		return slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return o.Txn == s.Txn && o.Sent > s.Done && o.VKey != 0 && o.VKey == vkey && o.Target == table
		})
	}
	if slices.ContainsFunc(s.Out, func(v history.Version) bool { return later(v.Table, v.VKey) }) {
		return true
	}
	for _, read := range s.Reads {
		for _, vkey := range read.Seen {
			if later(read.Table, vkey) {
				return true
			}
		}
	}
	return false
}

// sawNewer says whether a statement wrote over, or its after-write read saw, what another transaction had committed and
// the reads before it, which are right, did not see.
func (r *run) sawNewer(s *observe.ObservedStmt) bool {
	seen := s.Seen(s.Target)
	others := func(v history.State) bool {
		return !v.Absent() && slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return o.VKey == int64(v) && o.Target == s.Target && o.Txn != s.Txn && r.Observation.Txns[o.Txn].Outcome ==
				history.Committed
		})
	}
	return slices.ContainsFunc(s.Writes, func(w history.Write) bool {
		return history.State(seen[w.PKey]) != w.From && others(w.From) || int64(w.To) != s.VKey && others(w.To)
	})
}
