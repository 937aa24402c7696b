package postgresql

import (
	"slices"
	"testing"
)

// TestAnswers: truth values are printed as PostgreSQL prints them; a statement that returns no columns has no rows but
// what it counts, unless it is a query.
func TestAnswers(t *testing.T) {
	db := server(t)
	if err := db.Control().Must(t.Context(),
		"CREATE TABLE t (a INT PRIMARY KEY, b BOOLEAN); INSERT INTO t VALUES (1, true), (2, false)"); err != nil {
		t.Fatal(err)
	}
	s := sessions(t, db, "read-committed", 1)[0]
	for _, c := range []struct {
		sql      string
		rows     int // -1: none are returned
		affected int64
	}{
		{"MERGE INTO t USING (SELECT 1 AS k) s ON a = k WHEN MATCHED THEN UPDATE SET b = NOT b", -1, 1},
		{"PREPARE p AS UPDATE t SET b = b", -1, -1},
		{"EXECUTE p", -1, 2},
		{"VACUUM t", -1, -1},
		{"SELECT FROM t", 2, -1},
		{"TABLE t", 2, -1},
	} {
		a, err := s.Query(t.Context(), c.sql)
		if err != nil || a.Err != nil {
			t.Fatalf("%s: %v %v", c.sql, err, a.Err)
		}
		if rows := a.Rows; (rows == nil) != (c.rows < 0) || rows != nil && rows.Len() != c.rows && len(rows.Columns) > 0 ||
			a.Affected != c.affected {
			t.Errorf("%s: %v rows, %d affected", c.sql, rows, a.Affected)
		}
	}
	a, err := s.Query(t.Context(), "SELECT b, b IS NULL FROM t ORDER BY a")
	if err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
	if got := a.Rows.Cell(0, 0).S + a.Rows.Cell(1, 0).S + a.Rows.Cell(1, 1).S; got != "fff" {
		t.Errorf("truth values are %q", got)
	}
	if d := db.Describe(); !slices.Contains(d.Changed, "deadlock_timeout") || slices.Contains(d.Changed,
		"synchronous_standby_names") {
		t.Errorf("settings that differ from the default: %v", d.Changed)
	}
}
