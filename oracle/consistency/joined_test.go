package consistency_test

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestJoined: a write of joined tables writes each row of each of them that a SELECT of the same joins found, and none
// besides.
func TestJoined(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	write := func(table string, pkey int64, from history.State) history.Write {
		return history.Write{Item: history.Item{Table: table, PKey: pkey}, From: from, To: 9}
	}
	both := map[string]map[int64]int64{"a": {1: 1}, "b": {1: 2, 2: 3}}
	for _, c := range []struct {
		name   string
		writes []history.Write
		edit   func(*observe.ObservedStmt)
		want   string // of the difference; "": there is none
	}{
		{"all of them", []history.Write{write("a", 1, 1), write("b", 1, 2), write("b", 2, 3)}, nil, ""},
		{"one passed over", []history.Write{write("a", 1, 1), write("b", 1, 2)}, nil,
			"row 2 of b: a SELECT with the same joins and WHERE found version 3, the write overwrote nothing"},
		{"another version", []history.Write{write("a", 1, 7), write("b", 1, 2), write("b", 2, 3)}, nil,
			"row 1 of a: a SELECT with the same joins and WHERE found version 1, the write overwrote version 7"},
		{"one besides", []history.Write{write("a", 1, 1), write("b", 1, 2), write("b", 2, 3), write("b", 4, 8)}, nil,
			"row 4 of b: a SELECT with the same joins and WHERE found nothing, the write overwrote version 8"},
		{"one passed over by a statement that waited", []history.Write{write("a", 1, 1)}, func(s *observe.ObservedStmt) {
			s.Waited = true
		}, ""},
		{"… of which not all is known", []history.Write{write("a", 1, 1)}, func(s *observe.ObservedStmt) {
			s.Unsure = []string{"b"}
		}, ""},
		{"… that failed", nil, func(s *observe.ObservedStmt) { s.Err = &history.DBError{Code: 1062} }, ""},
		{"… before which nobody looked", []history.Write{write("a", 1, 1)}, func(s *observe.ObservedStmt) { s.Joined = nil },
			""},
	} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update, Writes: c.writes,
			Reads: []sdg.TableRead{{Table: "a", Seen: map[int64]int64{1: 1}}}},
			Target: "a", VKey: 9, Compared: true, Carries: true, Loose: true, Joined: both}
		if c.edit != nil {
			c.edit(s)
		}
		r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: p, Txns: make([]observe.ObservedTxn, 1),
			Stmts: []*observe.ObservedStmt{s}})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, d := range r.Differences {
			if d.What == "matched-versus-written" {
				said = append(said, d.Detail())
			}
		}
		if got := strings.Join(said, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
