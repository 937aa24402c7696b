package sqlite

import (
	"strings"
	"testing"

	"txweave/dbms"
)

// TestPlainer: what is counted among all rows for each of them is said by other words, and as it is where there are
// many.
func TestPlainer(t *testing.T) {
	s := Levels()[0].PlanSetting("copies")
	const ranked = "SELECT RANK() OVER (ORDER BY r0.pkey) AS e0 FROM t0 AS r0"
	if told := s.Query(ranked); strings.Contains(told, "OVER") {
		t.Errorf("of few rows: %s", told)
	}
	if told := s.Plainer().Query(ranked); !strings.Contains(told, "OVER") || !strings.Contains(told, "MATERIALIZED") {
		t.Errorf("of many: %s", told)
	}
	var none *dbms.PlanSetting
	if none.Plainer() != nil {
		t.Error("no setting becomes one")
	}
}
