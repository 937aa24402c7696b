package observe

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
)

// TestUnmade: a table that a statement of the case made in autocommit must be there when it is dropped for the first
// time; what was not made yet, was undone or was dropped before need not.
func TestUnmade(t *testing.T) {
	failed := history.Answer{Err: &history.DBError{Code: 1}}
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	const create, drop = "CREATE TABLE n (a INT)", "DROP TABLE n"
	for _, test := range []struct {
		name   string
		begin  string // of what makes the table
		events []*history.Event
		want   bool
	}{
		{"made", "", []*history.Event{{Text: create, End: 1}, {Text: drop, Start: 2, Answer: failed}}, false},
		{"not made", "", []*history.Event{{Text: drop, Start: 2, Answer: failed}}, true},
		{"made later", "", []*history.Event{{Text: create, Start: 1, End: 3}, {Text: drop, Start: 2, Answer: failed}}, true},
		{"not made for an error", "", []*history.Event{{Text: create, End: 1, Answer: failed}, {Text: drop, Start: 2,
			Answer: failed}}, true},
		{"perhaps undone", "BEGIN", []*history.Event{{Text: create, End: 1}, {Text: drop, Start: 2, Answer: failed}}, true},
		{"dropped", "", []*history.Event{{Text: create, End: 1}, {Text: drop, Start: 2}, {Text: drop, Start: 3,
			Answer: failed}}, true},
		{"no DROP", "", []*history.Event{{Text: "SELECT 1 FROM n", Start: 2, Answer: failed}}, false},
	} {
		o := &observer{run: &Run{Trace: &history.Trace{Events: test.events}}, plan: &instrument.Plan{Profile: p,
			Txns: []instrument.TxnPlan{{Begin: test.begin}}}}
		if got := o.unmade(test.events[len(test.events)-1]); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
