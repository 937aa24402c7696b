package cause

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// found are the rows that a write's WHERE clause is true for: those of the read before it; where there was none, what
// the database says of each row that it saw by itself. nil: not known.
func (r *run) found(at int) map[int64]int64 {
	s := r.Observation.Stmts[at]
	seen := s.Seen(s.Target)
	if s.Matched != nil || seen == nil || s.Waited || s.Kind != sqltext.Update && s.Kind != sqltext.Delete {
		return s.Matched
	}
	out := map[int64]int64{}
	for pkey, vkey := range seen {
		if r.Observation.Matches == nil {
			return nil
		}
		match, known := r.Observation.Matches(at, history.Version{Item: history.Item{Table: s.Target,
			PKey: pkey}, VKey: vkey})
		if !known {
			return nil
		}
		if match {
			out[pkey] = vkey
		}
	}
	return out
}

// searched compares what a read with the same WHERE clause found before a write with what it wrote: rows that were
// found and not written, rows that were written and not found; and whether the search is to blame, as the database
// evaluates the clause on those rows by themselves; unknown where it does not say of one that was written and not
// found.
func (r *run) searched(at int) (wrong, missed, extra, unknown bool) {
	s, found := r.Observation.Stmts[at], r.found(at)
	if found == nil {
		return false, false, false, false
	}
	wrote := map[int64]history.State{}
	for _, w := range s.Writes {
		wrote[w.PKey] = w.From
		if _, match := found[w.PKey]; match || w.From.Absent() {
			continue
		}
		extra = true
		if r.Observation.Matches != nil {
			match, known := r.Observation.Matches(at, history.Version{Item: w.Item, VKey: int64(w.From)})
			wrong, unknown = wrong || known && match, unknown || !known
		}
	}
	for pkey, vkey := range found {
		from, written := wrote[pkey]
		missed = missed || !written
		wrong = wrong || written && from != history.State(vkey) // another version of the row
	}
	return wrong, missed, extra, unknown
}

// joined is the cause where a write of joined tables wrote other rows than a SELECT of the same joins had found; "" of
// other differences.
func (r *run) joined(what fault.Kind, s *observe.ObservedStmt) finding.Cause {
	missed, extra := false, false
	for _, w := range s.Writes {
		_, found := s.Joined[w.Table][w.PKey]
		extra = extra || !found
	}
	for table, found := range s.Joined {
		for pkey := range found {
			missed = missed || !slices.ContainsFunc(s.Writes, func(w history.Write) bool {
				return w.Table == table && w.PKey == pkey
			})
		}
	}
	switch verb := oracle.Verb(s.Kind); {
	case what != fault.MatchedWritten:
	case missed && !extra:
		return finding.Cause{Kind: fault.PassesOver, Of: verb}
	case extra && !missed:
		return finding.Cause{Kind: fault.WritesOthers, Of: verb}
	}
	return finding.Cause{}
}
