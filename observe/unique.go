package observe

import (
	"slices"

	"txweave/history"
	"txweave/sdg"
	"txweave/sqltext"
)

// pastSnapshot notes the writes whose unique keys may have been judged by other rows than they saw: where statements read
// their transaction's snapshot, whether a key is free is asked of what is committed by then. Such a statement has two
// views, and no order need explain it.
func (o *observer) pastSnapshot() {
	for _, s := range o.out.Stmts {
		p := o.plan.Txns[s.Txn].Profile
		if p.FixedViews() && p.KeysReborn && s.Run.Block.Info.ChecksUnique && slices.ContainsFunc(o.out.Stmts, func(other *ObservedStmt) bool { return o.freed(s, other) }) {
			s.Mixed = true
		}
	}
}

// freed says whether another statement may have freed a key for a write, or taken it, behind the write's snapshot.
func (o *observer) freed(s, other *ObservedStmt) bool {
	txn := &o.out.Txns[other.Txn]
	if other.Txn == s.Txn || other.Undone || txn.Outcome != history.Committed || txn.Sent > s.Done {
		return false
	}
	if slices.Contains(other.Unsure, s.Target) {
		return true
	}
	at := slices.IndexFunc(s.Reads, func(r sdg.TableRead) bool { return r.Table == s.Target })
	if at < 0 {
		return false
	}
	seen := s.Reads[at].Seen
	duplicate := s.Err != nil && slices.Contains(o.plan.Txns[s.Txn].Profile.Duplicate, s.Err.Code)
	for _, w := range other.Writes {
		if w.Table != s.Target {
			continue
		}
		vkey, visible := seen[w.PKey]
		switch {
		case duplicate && w.To >= 0 && !(visible && vkey == int64(w.To)):
			return true
		case visible && w.From >= 0 && vkey == int64(w.From) && o.meets(s, history.Version{Item: w.Item, VKey: vkey}):
			return true
		}
	}
	return false
}

// meets says whether a row that a write left may have a key in common with another version of its table.
func (o *observer) meets(s *ObservedStmt, v history.Version) bool {
	for _, key := range o.plan.Schema.Table(s.Target).Deciding() {
		held, known := o.keyOf(key, v)
		for _, w := range s.Writes {
			if w.Table != s.Target || w.To < 0 {
				continue
			}
			if wrote, told := o.keyOf(key, history.Version{Item: w.Item, VKey: int64(w.To)}); !known || !told || held == wrote {
				return true
			}
		}
	}
	return len(s.Unsure) > 0 || s.Run.Block.Info.Kind == sqltext.Insert && !s.Run.Block.Info.Plain
}

// kept notes the row that kept an INSERT … ON CONFLICT DO NOTHING of one row from writing it, where that is certain: of the
// rows that it saw one has a key of the row that it offered, and nobody else wrote such a row.
func (o *observer) kept() {
	for _, s := range o.out.Stmts {
		info := s.Run.Block.Info
		if info.Kind != sqltext.Insert || !info.ChecksUnique || !info.Plain || s.Err != nil || s.Affected != 0 || s.Waited || s.Undone || s.SawUndone {
			continue
		}
		at := slices.IndexFunc(s.Reads, func(r sdg.TableRead) bool { return r.Table == s.Target })
		values, ok := sqltext.SplitOffered(s.Run.Block.SQL)
		if at < 0 || !ok {
			continue
		}
		var met []history.Version
		for v := range o.content {
			if v.Table != s.Target || !o.offers(values, v) {
				continue
			}
			if vkey, seen := s.Reads[at].Seen[v.PKey]; seen && vkey == v.VKey {
				met = append(met, v)
			} else if !seen {
				met = append(met, v, v) // another row has the key at some time
			}
		}
		if len(met) == 1 {
			s.Kept = &met[0]
		}
	}
}

// offers says whether a row that is offered, column -> literal, has a key in common with a version.
func (o *observer) offers(values map[string]string, v history.Version) bool {
	row := o.row(v)
	return slices.ContainsFunc(o.plan.Schema.Table(v.Table).Deciding(), func(key []sqltext.KeyPart) bool {
		return !slices.ContainsFunc(key, func(p sqltext.KeyPart) bool {
			value, named := values[p.Column]
			return !named || p.Prefix > 0 || value == "NULL" || value != row[p.Column]
		})
	})
}
