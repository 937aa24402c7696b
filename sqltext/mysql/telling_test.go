package mysql

import (
	"slices"
	"testing"

	"txweave/sqltext"
)

// TestTelling: a query's tables are asked for all their rows, then for those that its conditions on one table alone let through; nothing is asked
// of what has no versions, or locks rows.
func TestTelling(t *testing.T) {
	s := sqltext.ReadSchema([]string{"CREATE TABLE t0 (pkey INT PRIMARY KEY, vkey INT, pvkey INT, c0 INT)", "CREATE TABLE t1 (pkey INT, vkey INT, pvkey INT, c1 INT)",
		"CREATE TABLE plain (a INT)"})
	const all0, all1 = "SELECT pkey, vkey FROM t0", "SELECT pkey, vkey FROM t1"
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT HEX(1) FROM t0", []string{all0}},
		{"SELECT 1", nil},
		{"SELECT a FROM plain WHERE a = 1", nil},
		{"SELECT 1 UNION ALL SELECT c1 FROM t1 WHERE c1 > 1", []string{all1}},
		{"SELECT c0 FROM t0 WHERE c0 BETWEEN 0 AND 1", []string{all0, "SELECT t0.pkey, t0.vkey FROM t0 AS t0 WHERE c0 BETWEEN 0 AND 1"}},
		{"SELECT r1.vkey FROM t0 AS r0 JOIN t0 AS r1 ON r1.c0 = r0.c0 AND r1.c0 < 9 WHERE (r0.c0 = 1 AND r0.pkey > 2) AND r1.pkey = r0.pkey",
			[]string{all0, "SELECT r0.pkey, r0.vkey FROM t0 AS r0 WHERE r0.c0 = 1 AND r0.pkey > 2", "SELECT r1.pkey, r1.vkey FROM t0 AS r1 WHERE r1.c0 < 9"}},
		{"SELECT 1 FROM t0 LEFT JOIN t1 ON t1.c1 = 1 WHERE t0.c0 = 1 OR t1.pkey = 1", []string{all0, all1}},
		{"SELECT 1 FROM t0 WHERE t0.c0 IN (SELECT t1.c1 FROM t1) AND t0.c0 = (SELECT 1) AND t0.c0 = 5",
			[]string{all0, all1, "SELECT t0.pkey, t0.vkey FROM t0 AS t0 WHERE t0.c0 = 5"}},
		{"SELECT d.c0 FROM (SELECT c0 FROM t0) AS d WHERE d.c0 = 1", []string{all0}},
		{"SELECT c0 FROM t0 WHERE c0 = 1 FOR UPDATE", nil},
		{"UPDATE t0 SET c0 = 1 WHERE c0 = 2", nil},
	} {
		if got := New(sqltext.MySQL).Telling(c.sql, s); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.sql, got, c.want)
		}
	}
}
