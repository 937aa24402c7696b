package consistency_test

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
)

// TestUnmatched: a COMMIT is refused for a foreign key where a row refers to none right before it, and only there;
// where that is not known it may be.
func TestUnmatched(t *testing.T) {
	key, other := &history.DBError{Code: 787}, &history.DBError{Code: 4}
	checked, known := observe.Unmatched{Checked: true}, observe.Unmatched{Checked: true, Known: true}
	lacking := observe.Unmatched{Checked: true, Known: true, Rows: 2, Read: "SELECT 1"}
	for name, c := range map[string]struct {
		unmatched observe.Unmatched
		err       *history.DBError
		want      fault.Kind
	}{
		"each row has its own":               {known, nil, ""},
		"refused though each has":            {known, key, fault.RefusedUnmatched},
		"refused as some have none":          {lacking, key, ""},
		"committed though some have none":    {lacking, nil, fault.CommittedUnmatched},
		"refused, and nobody has looked":     {checked, key, ""},
		"committed, and nobody has looked":   {checked, nil, ""},
		"another error":                      {known, other, "failed-commit"},
		"another error, and nobody looked":   {checked, other, "failed-commit"},
		"no key of the case is checked then": {observe.Unmatched{}, key, "failed-commit"},
	} {
		o := &observe.Observation{Promise: &dbms.Profile{Errors: dbms.Errors{ForeignKey: []int{787}}},
			Txns: []observe.ObservedTxn{
				{End: "COMMIT", Unmatched: c.unmatched, Err: c.err}}}
		r, err := consistency.Oracle{}.Judge(o)
		if err != nil {
			t.Fatal(err)
		}
		got := fault.Kind("")
		if len(r.Differences) > 0 {
			got = r.Differences[0].What
		}
		if got != c.want || len(r.Differences) > 1 {
			t.Errorf("%s: it says %+v, want %q", name, r.Differences, c.want)
		}
		if got == fault.RefusedUnmatched && (!r.Differences[0].OfCommit(0) || r.Differences[0].OfCommit(1)) {
			t.Errorf("%s: of which transaction %+v is", name, r.Differences[0])
		}
	}
}
