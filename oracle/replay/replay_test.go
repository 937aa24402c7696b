package replay

import (
	"testing"

	"txweave/finding"
	"txweave/history"
	"txweave/sqltext"
)

// TestPlanDecides: where the plan decides whether an error or a warning arises, the rows are compared and nothing else;
// elsewhere both are compared.
func TestPlanDecides(t *testing.T) {
	rows := func(n int64) *history.Event {
		return &history.Event{Answer: history.Answer{Rows: &history.Rows{Columns: []string{"a"}, Cells: []history.Value{history.IntValue(n)}}}}
	}
	warned := rows(1)
	warned.Warnings = []history.Warning{{Level: "Warning", Code: 1292}}
	failed := &history.Event{Answer: history.Answer{Err: &history.DBError{Code: 1242}}}
	for _, c := range []struct {
		a, b            *history.Event
		decides, always int
	}{
		{rows(1), failed, 0, 1}, {rows(1), warned, 0, 1}, {rows(1), rows(2), 1, 1}, {failed, failed, 0, 0},
	} {
		for decides, want := range map[bool]int{true: c.decides, false: c.always} {
			if got := compareStatement(&sqltext.Analysis{PlanDecides: decides}, c.a, c.b); len(got) != want {
				t.Errorf("plan decides: %v: %v", decides, got)
			}
		}
	}
}

// TestDeclaredTypes: the type that a server declares for a column can depend on the plan (MySQL 9.7 calls
// ((c > 15) * 5) a BIGINT or an INT), the values' own kinds cannot.
func TestDeclaredTypes(t *testing.T) {
	rows := func(declared string, v history.Value) *history.Rows {
		return &history.Rows{Columns: []string{"e0"}, Types: []string{declared}, Cells: []history.Value{v}}
	}
	if d, differ := compareRows(rows("BIGINT", history.IntValue(5)), rows("INT", history.IntValue(5)), true); differ {
		t.Errorf("the same value declared otherwise counts as different: %+v", d)
	}
	d, differ := compareRows(rows("BIGINT", history.IntValue(5)), rows("DOUBLE", history.FloatValue(5)), true)
	if !differ || d.What != finding.Rows {
		t.Errorf("5 and 5.0 count as the same value")
	}
	d, differ = compareRows(rows("TEXT", history.TextValue("5")), rows("BIGINT", history.IntValue(5)), true)
	if !differ || d.What != finding.Rows {
		t.Errorf("'5' and 5 count as the same value")
	}
}
