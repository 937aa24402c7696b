package worker

import (
	"testing"

	"txweave/campaign"
	"txweave/sql"
)

// mostParsed is how often a generated statement of SQLite's is read, on the way of a case from its seed to its verdict. Lower it when
// less is read; there is no reason to raise it.
const mostParsed = 1.5

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
	parsed := sql.Parsed.Load()
	for n := range cases {
		if _, err := w.Check(t.Context(), campaign.Job{Case: n}); err != nil {
			t.Fatal(err)
		}
	}
	each := float64(sql.Parsed.Load()-parsed) / float64(statements)
	t.Logf("each of %d statements was read %.2f times", statements, each)
	if each > mostParsed {
		t.Errorf("each of %d statements was read %.2f times; %.2f at most", statements, each, mostParsed)
	}
}
