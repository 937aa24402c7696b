package observe

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// told notes what a write says of itself, and need only say so where no trigger and no foreign key of its own table
// changes rows besides.
func (o *observer) told(s *ObservedStmt, info *sqltext.Analysis) {
	table := o.plan.Schema.Table(info.Target)
	if table == nil || s.Carries || len(o.plan.Schema.On(info.Target)) > 0 {
		return
	}
	if block := s.Run.Block; info.Returns && block.Returning == "" {
		s.Returned = analysis.Returned(block.Tree)
	}
	n := int64(info.Upserts)
	switch {
	case n == 0 || o.isVersioned(info.Target): // the row that it keeps of before counts, too
	case o.plan.Profile.Writes.CountsMatched: // a row, whether it is inserted or changed
		s.Least, s.Most = n, n
	case !info.Unkeyed:
		// Those that count so count two for one that is changed, and none for one that stays as an earlier one has left it
		s.Least, s.Most = 1, 2*n
	}
}

// MayKeep says whether a statement may have replaced each row that it counts by its equal, which leaves no trace: the
// rows of its table are told apart by their contents alone, and the read before it saw some, or was none.
func (o *Observation) MayKeep(s *ObservedStmt) bool {
	seen := s.Seen(s.Target)
	return s.Replaces && o.Contents[s.Target] && (seen == nil || len(seen) > 0)
}

// Rewrote says whether the transaction of a statement had written a version of a row before it that left the row as it
// was, where such versions are made: its snapshot shows that row then, whoever else wrote it and whenever that one
// committed.
func (o *Observation) Rewrote(s *ObservedStmt, v history.Version) bool {
	if p := o.PromiseOf(s.Txn); !o.Rewrites[v.Table] && (p == nil || !p.Writes.RewritesSame) {
		return false
	}
	return slices.ContainsFunc(o.Stmts, func(k *ObservedStmt) bool {
		return k.Txn == s.Txn && k.Sent < s.Sent && k.Err == nil && k.leaves(v.Table) && o.mayMeet(k, v)
	})
}

// mayMeet says whether a write may have met a version of a row: the read before it did, or it waited, and who wrote
// that version committed meanwhile.
func (o *Observation) mayMeet(k *ObservedStmt, v history.Version) bool {
	if seen, there := k.Seen(v.Table)[v.PKey]; there && seen == v.VKey {
		return true
	}
	return k.Waited && k.Seen(v.Table) != nil && slices.ContainsFunc(o.Stmts, func(w *ObservedStmt) bool {
		t := &o.Txns[w.Txn]
		return w.Txn != k.Txn && t.Outcome == history.Committed && t.Sent < k.Done && t.Done > k.Sent &&
			slices.ContainsFunc(w.Writes, func(x history.Write) bool { return x.Item == v.Item && int64(x.To) == v.VKey })
	})
}

// leaves says whether a statement may have written rows of a table that it left as they were, which no read tells: with
// assignments that need not change anything, by replacing a row, or through what it fires in other tables.
func (s *ObservedStmt) leaves(table string) bool {
	if table == s.Target {
		return s.Keeps || s.Replaces
	}
	return slices.Contains(s.Changes, table)
}

// rewrote says whether a transaction may have written a version of a row so that it stayed as it was, before what is
// observed now.
func (o *observer) rewrote(txn int, v history.Version) bool {
	if !o.plan.Txns[txn].Profile.Writes.RewritesSame && !o.isVersioned(v.Table) {
		return false
	}
	return slices.ContainsFunc(o.own[txn].stmts, func(k *ObservedStmt) bool {
		return k.Err == nil && k.leaves(v.Table) && o.out.mayMeet(k, v)
	})
}

// rewritten notes of plain reads the rows that their transactions had written and left as they were.
func (o *observer) rewritten() {
	o.out.Rewrites = map[string]bool{}
	for _, t := range o.plan.Schema.Tables {
		o.out.Rewrites[t.Name] = t.Versioned
	}
	for _, s := range o.out.Stmts {
		if s.View != dbms.Snapshot {
			continue
		}
		saw := slices.Clone(s.Out)
		for _, r := range s.Reads {
			for pkey, vkey := range r.Seen {
				saw = append(saw, history.Version{Item: history.Item{Table: r.Table, PKey: pkey}, VKey: vkey})
			}
		}
		for _, v := range saw {
			if !o.out.Rewrote(s, v) {
				continue
			}
			if s.Blurred == nil {
				s.Blurred = map[history.Item]bool{}
			}
			s.Blurred[v.Item] = true
		}
	}
}
