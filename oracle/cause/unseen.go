package cause

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// unseenWrites says whether some statement wrote what the reads around it missed.
func (r *run) unseenWrites() bool {
	return slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
		return s.Bad == nil && !s.Waited && r.wroteMore(s)
	})
}

// unseenBefore says whether some statement before another one did: what comes later no read of that one can have
// missed.
func (r *run) unseenBefore(stmt string) bool {
	at := r.at(stmt)
	return slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
		return s.Bad == nil && !s.Waited && (at < 0 || s.Done <= r.Observation.Stmts[at].Sent &&
			s != r.Observation.Stmts[at]) && r.wroteMore(s)
	})
}

// wroteMore says whether the final contents show writes of a statement that the reads around it missed.
func (r *run) wroteMore(s *observe.ObservedStmt) bool {
	return r.wroteBeside(s, func(pkey int64) bool {
		return slices.ContainsFunc(s.Writes, func(w history.Write) bool { return w.PKey == pkey })
	})
}

// wroteUnread says whether they show such writes of rows of which no read of the statement is known to be wrong.
func (r *run) wroteUnread(s *observe.ObservedStmt) bool {
	return r.wroteBeside(s, func(pkey int64) bool {
		return r.misread(s, history.Item{Table: s.Target, PKey: pkey}) ||
			slices.ContainsFunc(s.Writes, func(w history.Write) bool { return w.PKey == pkey })
	})
}

// wroteBeside says whether the final contents show writes of a statement beside those of some rows.
func (r *run) wroteBeside(s *observe.ObservedStmt, wrote func(pkey int64) bool) bool {
	if s.Target == "" {
		return false
	}
	if s.VKey != 0 && r.readLater(s, wrote) {
		return true
	}
	rows, known := r.final[s.Target]
	if !known || r.Observation.Txns[s.Txn].Outcome != history.Committed {
		return false
	}
	for pkey, vkey := range rows {
		if s.VKey != 0 && vkey == s.VKey && !wrote(pkey) {
			return true
		}
	}
	if r.bears(s, wrote) {
		return true
	}
	more := s.Affected > int64(len(s.Writes))
	switch {
	case s.Kind == sqltext.Insert: // whoever wrote them last: nobody is seen to have made them
		return more && !r.unsure[s.Target] && r.unclaimed(s.Target, false)
	case s.VKey != 0 && !r.Observation.Contents[s.Target]:
		return false
	case s.Kind == sqltext.Update:
		return more && (r.unclaimed(s.Target, true) || r.unclaimedLater(s))
	}
	return r.deletedMore(s, wrote)
}

// deletedMore says whether rows are gone that a DELETE found, and that neither it nor another statement is seen to have
// deleted.
func (r *run) deletedMore(s *observe.ObservedStmt, wrote func(pkey int64) bool) bool {
	found := s.Matched
	if found == nil && s.Affected > int64(len(s.Writes)) {
		found = s.Seen(s.Target)
	}
	for pkey := range found {
		if _, there := r.final[s.Target][pkey]; !there && !wrote(pkey) && !r.deleted(s.Target, pkey) {
			return true
		}
	}
	return false
}

// readLater says whether versions that a statement names, and is not seen to have written, are read later: nobody else
// writes versions of that name.
func (r *run) readLater(s *observe.ObservedStmt, wrote func(pkey int64) bool) bool {
	for _, o := range r.Observation.Stmts {
		if o.Sent <= s.Done {
			continue
		}
		for pkey, vkey := range o.Seen(s.Target) {
			if vkey == s.VKey && !wrote(pkey) {
				return true
			}
		}
		if slices.ContainsFunc(o.Writes, func(w history.Write) bool {
			// What another statement seems to have made as this one's version is in the read after it, and was not in the one
			// before.
			return w.Table == s.Target && (w.From == history.State(s.VKey) || w.To == history.State(s.VKey)) && !wrote(w.PKey)
		}) {
			return true
		}
	}
	return false
}

// deleted says whether a statement is seen to have deleted a row.
func (r *run) deleted(table string, pkey int64) bool {
	return slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
		return slices.ContainsFunc(o.Writes, func(w history.Write) bool {
			return w.Table == table && w.PKey == pkey && w.To.Absent()
		})
	})
}

// bears says whether the table of a statement ends with a row that bears its version key and that it is not seen to
// write. Where versions are contents, this one may be seen by nobody before the end, and has no name; the key in it is
// the statement's all the same.
func (r *run) bears(s *observe.ObservedStmt, wrote func(pkey int64) bool) bool {
	rows := r.Final[s.Target]
	pkey, vkey := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.VKey)
	if pkey < 0 || vkey < 0 || s.VKey == 0 {
		return false
	}
	for i := range rows.Len() {
		k, _ := rows.Row(i)[pkey].Int64()
		if v, ok := rows.Row(i)[vkey].Int64(); ok && v == s.VKey && !wrote(k) {
			return true
		}
	}
	return false
}

// unclaimed says whether a table ends with rows that it did not have from the start, or had as another version if that
// is asked for, and that nobody seems to have written.
func (r *run) unclaimed(table string, changed bool) bool {
	for pkey, version := range r.final[table] {
		was, initial := r.Observation.Initial[table][pkey]
		if initial != changed || changed && was == version {
			continue
		}
		if !slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return slices.ContainsFunc(o.Writes, func(w history.Write) bool {
				return w.Table == table && w.PKey == pkey && w.To == history.State(version)
			})
		}) {
			return true
		}
	}
	return false
}

// unclaimedLater says whether a statement behind a write read, or wrote over, a version of a row in the write's table
// that was not there at the start and that nobody seems to have written.
func (r *run) unclaimedLater(s *observe.ObservedStmt) bool {
	nobodys := func(pkey, vkey int64) bool {
		was, initial := r.Observation.Initial[s.Target][pkey]
		return !(initial && was == vkey) && !slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return slices.ContainsFunc(o.Writes, func(w history.Write) bool {
				return w.Table == s.Target && w.PKey == pkey && w.To == history.State(vkey)
			})
		})
	}
	return slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
		if o.Sent <= s.Done {
			return false
		}
		for pkey, vkey := range o.Seen(s.Target) {
			if nobodys(pkey, vkey) {
				return true
			}
		}
		return slices.ContainsFunc(o.Writes, func(w history.Write) bool {
			return w.Table == s.Target && !w.From.Absent() && nobodys(w.PKey, int64(w.From))
		})
	})
}

// sawKept says whether one of some transactions saw, or wrote over, what another one of them had written whose ROLLBACK
// had been answered before it began: whatever became of the row later, that write was kept.
func (r *run) sawKept(txns []int) bool {
	among := func(txn int) bool { return slices.Contains(txns, txn) }
	kept := map[history.Version]int64{} // since when it should be gone
	for _, s := range r.Observation.Stmts {
		for _, w := range s.Writes {
			if t := r.Observation.Txns[s.Txn]; t.Outcome == history.RolledBack && !r.Observation.Contents[w.Table] &&
				!w.To.Absent() && among(s.Txn) {
				kept[history.Version{Item: w.Item, VKey: int64(w.To)}] = t.Done
			}
		}
	}
	return slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
		saw := func(table string, pkey, vkey int64) bool {
			gone, rolledBack := kept[history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey}]
			return rolledBack && gone < r.Observation.Txns[s.Txn].Began
		}
		for _, read := range s.Reads {
			for pkey, vkey := range read.Seen {
				if saw(read.Table, pkey, vkey) && among(s.Txn) {
					return true
				}
			}
		}
		return among(s.Txn) && slices.ContainsFunc(s.Writes, func(w history.Write) bool {
			return !w.From.Absent() && saw(w.Table, w.PKey, int64(w.From))
		})
	})
}

// writesNone says whether an INSERT that spells rows says that it wrote, and wrote none: reads that missed them are
// asked for before.
func (r *run) writesNone(s *observe.ObservedStmt) bool {
	if s.Kind != sqltext.Insert || s.Bad != nil || s.Err != nil || s.Affected <= 0 || len(s.Writes) > 0 || s.Waited ||
		s.Run == nil || s.Run.Block.Info.Spells == 0 {
		return false
	}
	return !r.Observation.MayKeep(s)
}

// passesOver says whether a statement wrote fewer rows than its WHERE clause is true for, none besides, and says so.
func (r *run) passesOver(at int) bool {
	s := r.Observation.Stmts[at]
	_, missed, extra, _ := r.searched(at)
	return missed && !extra && s.Err == nil && s.Affected == int64(len(s.Writes))
}

// changedBefore says whether a statement that failed, or says that it wrote fewer rows, seems to have written what a
// write before it in its transaction had: that one counted so many rows more than the reads around it saw it write. The
// read before the statement missed them, and the one after it does not.
func (r *run) changedBefore(s *observe.ObservedStmt) bool {
	over := int64(len(s.Writes))
	if s.Err == nil {
		over -= s.Affected
	}
	return over > 0 && !s.Loose && slices.ContainsFunc(s.Writes, func(w history.Write) bool {
		return slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			short := o.Affected - int64(len(o.Writes))
			if o.Replaces && len(o.Writes) > 0 {
				short = 0 // a row that it changes may count twice
			}
			return o.Txn == s.Txn && o.Done < s.Sent && o.Err == nil && o.Target == w.Table && !o.Undone &&
				(short >= over || s.Err != nil && short > 0)
		})
	})
}

// listsWrong says whether a query that prints the versions of the rows that match lists others than those of which the
// database says, of each row that the query saw by itself, that its clause is true.
func (r *run) listsWrong(at int) bool {
	s := r.Observation.Stmts[at]
	if len(s.Search) == 0 || !s.Search[0].Lists || r.Observation.Matches == nil {
		return false
	}
	table := s.Search[0].Table
	for pkey, vkey := range s.Search[0].Seen {
		v := history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey}
		match, known := r.Observation.Matches(at, v)
		if known && match != slices.Contains(s.Out, v) {
			return true
		}
	}
	return false
}

// missedInitial says whether a statement seems to have made a row as it was from the start, and nobody had changed that
// row by then: the read before the statement missed it.
func (r *run) missedInitial(s *observe.ObservedStmt) bool {
	return slices.ContainsFunc(s.Writes, func(w history.Write) bool {
		initial, there := r.Observation.Initial[w.Table][w.PKey]
		return there && w.From.Absent() && w.To == history.State(initial) && !slices.ContainsFunc(r.Observation.Stmts,
			func(o *observe.ObservedStmt) bool {
				return o != s && o.Sent < s.Done && slices.ContainsFunc(o.Writes, func(x history.Write) bool {
					return x.Item == w.Item
				})
			})
	})
}

// overtaken is the cause where a statement seems to have left a row as another transaction had, before it: the read
// before the statement missed that and the one after it did not. "" where that is not so.
func (r *run) overtaken(s *observe.ObservedStmt) finding.Cause {
	for _, o := range r.Observation.Stmts {
		if o.Txn == s.Txn || o.Done > s.Sent || r.Observation.Txns[o.Txn].Outcome != history.Committed {
			continue
		}
		for _, w := range s.Writes {
			had := slices.ContainsFunc(o.Writes, func(x history.Write) bool {
				return x.Item == w.Item && x.To == w.To && x.From == w.From
			})
			switch {
			case !had || w.To.Absent():
			case r.Observation.Txns[o.Txn].Done < r.Observation.Txns[s.Txn].Began:
				return finding.CauseStale
			default:
				return finding.CauseNewer
			}
		}
	}
	return finding.Cause{}
}

// keptOnly is the cause where writes were kept that should be gone; "" where none was.
func (r *run) keptOnly() finding.Cause {
	switch {
	case len(r.kept) > 0:
		return finding.CauseKept
	case len(r.keptTo) > 0:
		return finding.CauseKeptTo
	}
	return finding.Cause{}
}

// ofNone is the cause of a query that reads no table and has another number of rows in its transaction than without it:
// those of a table would be missing, or there twice, too. "" of others.
func (r *run) ofNone(at int, d *finding.Difference) finding.Cause {
	s := r.Observation.Stmts[at]
	in, without := d.Transaction.Rows, d.Replay.Rows
	switch {
	case s.Run == nil || len(s.Run.Block.Info.Tables) > 0 || in == nil || without == nil:
	case in.Total < without.Total:
		return finding.CauseMissing
	case in.Total > without.Total:
		return finding.CauseTwice
	}
	return finding.Cause{}
}
