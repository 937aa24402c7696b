package consistency_test

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestSearches: a search finds the rows for which the database, asked about each by itself, says that its condition is
// true; where it cannot be told what the search saw, or what is true, nothing is said.
func TestSearches(t *testing.T) {
	seen := map[int64]int64{1: 1, 2: 1001, 7: 3}
	matches := func(_ int, v history.Version) (match, known bool) { return v.PKey != 7, true }
	for name, c := range map[string]struct {
		change func(*observe.Observation, *observe.ObservedStmt)
		odd    bool
	}{
		"it finds both": {nil, false},
		"one too few":   {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Counted = 1 }, true},
		"one too many":  {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Counted = 3 }, true},
		"a condition that may fail": {func(o *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, o.Matches = 1,
				unknown
		}, false},
		"nobody can be asked": {func(o *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, o.Matches = 1,
				nil
		}, false},
		"no condition": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			s.Counted,
				s.Run.Block.Info.MatchWhere = 1, ""
		}, false},
		"it waited": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, s.Waited = 1,
				true
		}, false},
		"two views": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, s.Mixed = 1,
				true
		}, false},
		"what was undone": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, s.SawUndone = 1,
				true
		}, false},
		"it failed": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, s.Err = 1,
				&history.DBError{}
		}, false},
		"it reads what is current": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, s.View = 1,
				dbms.Current
		}, false},
		"rows without a name": {func(o *observe.Observation, s *observe.ObservedStmt) {
			s.Counted, o.Contents = 1, map[string]bool{"t": true}
		}, false},
		"it does not say":        {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Counted = -1 }, false},
		"a write of both":        {func(_ *observe.Observation, s *observe.ObservedStmt) { write(s, 1, 2) }, false},
		"a write of another one": {func(_ *observe.Observation, s *observe.ObservedStmt) { write(s, 1, 7) }, true},
		"a write, nothing known": {func(o *observe.Observation, s *observe.ObservedStmt) {
			write(s, 1, 7)
			o.Matches = unknown
		}, false},
		"of another table": {func(_ *observe.Observation, s *observe.ObservedStmt) {
			write(s, 1, 7)
			s.MatchTable = ""
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := dbms.Lookup("mariadb", "read-committed")
			if err != nil {
				t.Fatal(err)
			}
			info := &sqltext.Analysis{MatchTable: "t", MatchWhere: "a > 0"}
			s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Select, MatchTable: "t"}, Counted: 2,
				Search: []observe.PredicateRead{{Table: "t", Seen: seen}},
				Run:    &observe.BlockRun{Block: &instrument.Block{Info: info}}}
			o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}}, Stmts: []*observe.ObservedStmt{s},
				Matches: matches}
			if c.change != nil {
				c.change(o, s)
			}
			r, err := consistency.Searches{}.Judge(o)
			if err != nil {
				t.Fatal(err)
			}
			if odd := len(r.Differences) == 1 && r.Differences[0].What == "search-versus-rows"; odd != c.odd ||
				len(r.Differences) > 1 {
				t.Errorf("it says %+v", r.Differences)
			}
		})
	}
}

func unknown(int, history.Version) (match, known bool) { return false, false }

// write makes of a statement an UPDATE whose WHERE clause finds rows.
func write(s *observe.ObservedStmt, rows ...int64) {
	s.Kind, s.Target, s.Counted, s.Search, s.Matched = sqltext.Update, "t", -1, nil, map[int64]int64{}
	for _, pkey := range rows {
		s.Matched[pkey] = 1
	}
}
