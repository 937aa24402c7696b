package consistency_test

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestReadOnly: a write in a READ ONLY transaction that was not refused is one too many, where the DBMS refuses such.
func TestReadOnly(t *testing.T) {
	for name, c := range map[string]struct {
		code     int
		readOnly bool
		err      *history.DBError
		target   string
		odd      bool
	}{
		"a write":                  {25006, true, nil, "t", true},
		"in another transaction":   {25006, false, nil, "t", false},
		"refused":                  {25006, true, &history.DBError{Code: 25006}, "t", false},
		"a read":                   {25006, true, nil, "", false},
		"where nothing is claimed": {0, true, nil, "t", false},
	} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Delete}, Target: c.target,
			Counted: -1, Err: c.err}
		o := &observe.Observation{Promise: &dbms.Profile{Errors: dbms.Errors{ReadOnlyRefused: c.code}},
			Txns: []observe.ObservedTxn{
				{ReadOnly: c.readOnly}}, Stmts: []*observe.ObservedStmt{s}}
		r, err := consistency.Oracle{}.Judge(o)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Differences) == 1 && r.Differences[0].What == "write-in-read-only"; got != c.odd ||
			len(r.Differences) > 1 {
			t.Errorf("%s: it says %+v", name, r.Differences)
		}
	}
}
