package replay

import (
	"testing"

	"txweave/finding"
	"txweave/history"
)

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
