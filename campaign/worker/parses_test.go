package worker

import (
	"testing"

	"txweave/campaign"
	"txweave/sql"
)

// mostParsed is how often a statement of a case of SQLite's is read, those of its schema and rows among them, from its
// seed to its verdict. Lower it when less is read; there is no reason to raise it.
const mostParsed = 0.88

// TestReadings: a statement is not read more often than it was.
func TestReadings(t *testing.T) {
	w, _, _ := onSQLite(t)
	const cases = 12
	statements, parsed := 0, int64(0)
	for n := range cases {
		before := sql.Parsed.Load()
		if _, err := w.Check(t.Context(), campaign.Job{Case: n}); err != nil {
			t.Fatal(err)
		}
		parsed += sql.Parsed.Load() - before
		c, err := w.source.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		statements += len(c.Schema) + len(c.Rows)
		for _, txn := range c.Txns {
			statements += len(txn.Stmts)
		}
	}
	each := float64(parsed) / float64(statements)
	t.Logf("each of %d statements was read %.2f times", statements, each)
	if each > mostParsed {
		t.Errorf("each of %d statements was read %.2f times; %.2f at most", statements, each, mostParsed)
	}
}
