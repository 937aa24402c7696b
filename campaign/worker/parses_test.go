package worker

import (
	"testing"

	"txweave/campaign"
	"txweave/sql"
	"txweave/sqltext/mysql"
)

// What a generated statement of SQLite's costs in readings of text, on the way of a case from its seed to its verdict: by TiDB's
// parser, and as a tree. Lower them when less is read; there is no reason to raise them.
const (
	mostAsked  = 2.6
	mostParsed = 1.8
)

// TestReadings: a statement is not read more often than it was.
func TestReadings(t *testing.T) {
	w, _, _ := onSQLite(t)
	const cases = 12
	statements := 0
	for n := range cases {
		c, err := w.source.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, txn := range c.Txns {
			statements += len(txn.Stmts)
		}
	}
	asked, parsed := mysql.Asked.Load(), sql.Parsed.Load()
	for n := range cases {
		if _, err := w.Check(t.Context(), campaign.Job{Case: n}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []struct {
		by    string
		times int64
		most  float64
	}{{"TiDB's parser", mysql.Asked.Load() - asked, mostAsked}, {"our readers", sql.Parsed.Load() - parsed, mostParsed}} {
		each := float64(r.times) / float64(statements)
		t.Logf("%d statements: %s read %.1f times each", statements, r.by, each)
		if each > r.most {
			t.Errorf("%s read each of %d statements %.1f times; %.1f at most", r.by, statements, each, r.most)
		}
	}
}
