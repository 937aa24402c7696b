package consistency_test

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/finding"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestCount: a SELECT of a whole table finds as many rows as the read beside it, where both see the same.
func TestCount(t *testing.T) {
	seen := map[int64]int64{1: 1, 2: 1001, 7: 3}
	for name, c := range map[string]struct {
		change func(*observe.Observation, *observe.ObservedStmt)
		level  string
		odd    bool
	}{
		"one less": {nil, "read-committed", true},
		"as many": {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Counted = 3 },
			"read-committed", false},
		"it does not say": {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Counted = -1 },
			"read-committed", false},
		"it waited": {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Waited = true },
			"read-committed", false},
		"two views": {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Mixed = true },
			"read-committed", false},
		"it reads what is current": {func(_ *observe.Observation, s *observe.ObservedStmt) { s.View = dbms.Current },
			"read-committed", false},
		"rows without a name": {func(o *observe.Observation, _ *observe.ObservedStmt) {
			o.Contents = map[string]bool{
				"t": true}
		}, "read-committed", false},
		"a condition": {func(_ *observe.Observation, s *observe.ObservedStmt) { s.Search = nil },
			"read-committed", false},
		"dirty reads": {nil, "read-uncommitted", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := dbms.Lookup("mariadb", c.level)
			if err != nil {
				t.Fatal(err)
			}
			s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Select}, Counted: 2,
				Search: []observe.PredicateRead{{Table: "t", Seen: seen}}}
			o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}}, Stmts: []*observe.ObservedStmt{s}}
			if c.change != nil {
				c.change(o, s)
			}
			r, err := consistency.Oracle{}.Judge(o)
			if err != nil {
				t.Fatal(err)
			}
			const want = "T0.S0 SELECT count-versus-seen: it finds 2 rows in t; a read of all columns that saw the same, right beside it, found 3"
			if got := told(r.Differences); (got != "") != c.odd || c.odd && got != want {
				t.Errorf("it says %s", got)
			}
		})
	}
}

// told prints differences as reports name them.
func told(differences []finding.Difference) string {
	var out []string
	for i := range differences {
		d := &differences[i]
		out = append(out, d.Where()+" "+d.Told()+": "+d.Detail())
	}
	return strings.Join(out, "\n")
}
