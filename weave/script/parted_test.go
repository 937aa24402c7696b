package script

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
	"txweave/testcase"
)

// TestParted: a wait that ends by a limit, and a deadlock that ends another transaction, are why two runs of a script
// part; an error of the statement itself is not.
func TestParted(t *testing.T) {
	const limit, deadlock, other = 1, 2, 3
	profile := &dbms.Profile{Errors: dbms.Errors{
		Classes: map[int]dbms.ErrorClass{limit: dbms.StatementLost, deadlock: dbms.TxnLost}}}
	answered := func(code int, waited bool) *history.Event {
		e := &history.Event{Blocked: waited}
		if code != 0 {
			e.Err = &history.DBError{Code: code}
		}
		return e
	}
	for _, c := range []struct {
		name        string
		here, there []*history.Event
		want        string
	}{
		{"the same", []*history.Event{answered(0, true)}, []*history.Event{answered(0, true)}, ""},
		{"a limit", []*history.Event{answered(limit, true)}, []*history.Event{answered(0, true)},
			"the wait on line 1 is given up"},
		{"not for a lock", []*history.Event{answered(limit, false)}, []*history.Event{answered(0, false)}, ""},
		{"another victim", []*history.Event{answered(deadlock, true), answered(0, true)},
			[]*history.Event{answered(0, true), answered(deadlock, true)},
			"the one of line 1 is rolled back here and the one of line 2"},
		{"a victim here alone", []*history.Event{answered(deadlock, true)}, []*history.Event{answered(0, true)}, ""},
		{"an error of its own", []*history.Event{answered(other, true)}, []*history.Event{answered(0, true)}, ""},
	} {
		o := &Showing{Script: &testcase.Script{}, Run: &exec.Played{Steps: c.here}}
		w := &Watched{profile: profile, ran: map[testcase.Ref]*history.Event{}}
		for i := range c.here {
			o.Script.Steps = append(o.Script.Steps, testcase.ScriptStmt{Line: i + 1})
			w.at = append(w.at, testcase.Ref{Txn: i})
			w.ran[w.at[i]] = c.there[i]
		}
		if got := o.Parted(w); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
