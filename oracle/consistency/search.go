package consistency

import (
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Searches is an oracle for runs in which no other one finds anything wrong: it holds what a search finds against what
// the database says of each row that it saw, asked about by itself on a table without an index. A search that goes
// wrong in the run and in its replay alike shows here. Where another oracle tells, too, that says more of the cause, so
// this one comes last.
type Searches struct{}

// Name implements oracle.Oracle.
func (Searches) Name() string { return "search" }

// Class implements oracle.Oracle.
func (Searches) Class() string { return finding.ClassInconsistent }

// Judge implements oracle.Oracle.
func (Searches) Judge(o *observe.Observation) (oracle.Ruling, error) {
	j := &judge{o: o}
	if o.Matches == nil || o.Promise.Errors.KeysAtCommit {
		return oracle.Ruling{}, nil
	}
	for i, s := range o.Stmts {
		if s.Err != nil || s.Waited || s.Mixed || s.Undone || s.SawUndone || s.Run == nil ||
			s.Run.Block.Info.MatchWhere == "" {
			continue
		}
		if s.Target == "" {
			j.listed(i, s)
		} else {
			j.found(i, s)
		}
	}
	return oracle.Ruling{Differences: j.out}, nil
}

// comparable says whether a read and the version-set read beside it see the same: not where statements see what others
// have not committed, nor where rows have no name of their own.
func (j *judge) comparable(s *observe.ObservedStmt) bool {
	return s.Counted >= 0 && len(s.Search) == 1 && s.View == dbms.Snapshot && !j.o.Contents[s.Search[0].Table] &&
		slices.Contains(j.promise(s).Judged(), fault.G1a)
}

// read compares a SELECT of a whole table with the version-set read of the same snapshot: both find as many rows.
func (j *judge) read(s *observe.ObservedStmt) {
	if !j.comparable(s) || s.Waited || s.Mixed || s.Undone || s.SawUndone || s.Run != nil &&
		s.Run.Block.Info.MatchWhere != "" {
		return
	}
	if n := int64(len(s.Search[0].Seen)); s.Counted != n {
		j.odd(s, fault.Counted, "it finds %v rows in %v; a read of all columns that saw the same, right beside it, found %v",
			s.Counted, s.Search[0].Table, n)
	}
}

// listed compares how many rows a SELECT of one table finds with those of which the database says that its condition is
// true.
func (j *judge) listed(at int, s *observe.ObservedStmt) {
	if !j.comparable(s) {
		return
	}
	var n int64
	table := s.Search[0].Table
	for pkey, vkey := range s.Search[0].Seen {
		match, known := j.o.Matches(at, history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey})
		if !known {
			return
		}
		if match {
			n++
		}
	}
	if s.Counted != n {
		j.odd(s, fault.Searched,
			"it finds %v rows in %v; of those that a read right beside it saw its WHERE clause is true for %v, each asked "+
				"about by itself", s.Counted, table, n)
	}
}

// found compares the rows that a SELECT with a write's WHERE clause found right before it with what the database says
// of each of them: the same search may find too many for both.
func (j *judge) found(at int, s *observe.ObservedStmt) {
	if s.MatchTable != s.Target || j.o.Contents[s.Target] || s.Kind != sqltext.Update && s.Kind != sqltext.Delete {
		return
	}
	for _, pkey := range slices.Sorted(maps.Keys(s.Matched)) {
		v := history.Version{Item: history.Item{Table: s.Target, PKey: pkey}, VKey: s.Matched[pkey]}
		if match, known := j.o.Matches(at, v); known && !match {
			j.odd(s, fault.Searched, "a SELECT with the same WHERE clause found %v, version %v; "+
				"asked about it by itself, the database says that the clause is not true", history.Item{Table: s.Target,
				PKey: pkey}, v.VKey)
		}
	}
}
