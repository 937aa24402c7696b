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

// TestSearched: a row that a search finds and one before it did not, which waited and has kept locked all that it
// scanned, was passed over. What the first one found besides says nothing, nor does a search that nobody repeated.
func TestSearched(t *testing.T) {
	p, err := dbms.Lookup("mysql", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	none, row := map[int64]int64{}, map[int64]int64{1: 101}
	const detail = "row 1 of t: a locking SELECT with the same WHERE waited and did not find it; the same right after it, with all locks of the first one held, found version 101"
	for _, c := range []struct {
		name           string
		first, matched map[int64]int64
		moved          bool
		want           string // what and detail of the difference; "": there is none
	}{
		{"passed over", none, row, false, "passed-over-after-wait " + detail},
		{"passed over, at another key", none, row, true, "passed-over-moved-row " + detail},
		{"found", row, row, false, ""},
		{"found in another version", map[int64]int64{1: 1}, row, false, ""},
		{"found once", row, none, false, ""},
		{"none waited", nil, row, false, ""},
		{"none is known", none, nil, false, ""},
	} {
		item := history.Item{Table: "t", PKey: 1}
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Delete}, Target: "t", Waited: true,
			Searched: c.first, Matched: c.matched}
		writer := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update,
			Writes: []history.Write{{Item: item, From: 1, To: 101}}}, Target: "t", VKey: 101, Waited: true}
		o := &observe.Observation{Promise: p, Txns: make([]observe.ObservedTxn, 2), Stmts: []*observe.ObservedStmt{writer, s},
			Moved: func(a, b history.Version) bool { return c.moved && a.VKey == 1 && b.VKey == 101 }}
		r, err := consistency.Oracle{}.Judge(o)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, d := range r.Differences {
			said = append(said, string(d.What)+" "+d.Detail())
		}
		if got := strings.Join(said, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
