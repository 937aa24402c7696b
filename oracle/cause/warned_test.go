package cause

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
)

// TestWarned: where two executions differ in warnings alone, these are the cause, whichever kind of statement is
// warned; another code, the other execution's, and whatever else differs, are not.
func TestWarned(t *testing.T) {
	own := func(more int) finding.Difference {
		return finding.Difference{Stmt: "T0.S1", Kind: "UPDATE", What: fault.Warnings, Warned: []finding.Warned{
			{Warning: history.Warning{Level: "Warning", Code: 1364, Message: "Field '_tidb_tid' doesn't have a default value"},
				More: more}}}
	}
	cut := func(value string) finding.Warned {
		return finding.Warned{Warning: history.Warning{Level: "Warning", Code: 1292,
			Message: "Truncated incorrect DOUBLE value: '" + value + "'"}, More: 1}
	}
	of := func(kind string, ws ...finding.Warned) finding.Difference {
		return finding.Difference{Stmt: "T0.S2", Kind: kind, What: fault.Warnings, Warned: ws}
	}
	field := finding.Warned{Warning: history.Warning{Level: "Warning", Code: 1364,
		Message: "Field 'c0' doesn't have a default value"}, More: 1}
	hint := finding.Warned{Warning: history.Warning{Level: "Warning", Code: 1105, Message: "Unknown hint 'x'"}, More: 1}
	select1 := own(1)
	select1.Kind = "SELECT"
	tid := finding.Cause{Kind: fault.WarnedOfOwn, Of: "warning 1364 '_tidb_tid', in transactions"}
	truncated := finding.Cause{Kind: fault.WarnedOtherwise, Of: "warning 1292, in transactions"}
	for _, c := range []struct {
		name  string
		diffs []finding.Difference
		want  finding.Cause
	}{
		{"a column of the database's own", []finding.Difference{own(1)}, tid},
		{"more often, in another kind of statement, and twice", []finding.Difference{select1, own(4)}, tid},
		{"without transactions", []finding.Difference{own(-1)}, finding.Cause{Kind: fault.WarnedOfOwn,
			Of: "warning 1364 '_tidb_tid', without transactions"}},
		{"a column of the case's", []finding.Difference{of("INSERT", field)}, finding.Cause{Kind: fault.WarnedOtherwise,
			Of: "warning 1364, in transactions"}},
		{"a value", []finding.Difference{of("UPDATE", cut("a"))}, truncated},
		{"another value", []finding.Difference{of("DELETE", cut("b"))}, truncated},
		{"a code that says nothing", []finding.Difference{of("SELECT", hint)}, finding.Cause{Kind: fault.WarnedOtherwise,
			Of: "warning 1105 Unknown hint ?, in transactions"}},
		{"two codes", []finding.Difference{own(1), of("UPDATE", cut("a"))},
			finding.Cause{Kind: fault.WarnedOtherwise,
				Of: "warning 1292, in transactions; warning 1364 '_tidb_tid', in transactions"}},
		{"rows, too", []finding.Difference{own(1), {Stmt: "T0.S2", Kind: "SELECT", What: fault.Rows}}, finding.Cause{}},
		{"… which come first", []finding.Difference{{Stmt: "T0.S2", Kind: "SELECT", What: fault.Rows}, own(1)},
			finding.Cause{}},
		{"a finding of before warnings were told", []finding.Difference{{Stmt: "T0.S2", Kind: "UPDATE",
			What: fault.Warnings}}, finding.Cause{}},
	} {
		f := finding.Finding{Class: finding.ClassReplay, Differences: c.diffs}
		if got := Of(&f, Facts{Observation: &observe.Observation{Promise: &dbms.Profile{}}}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
