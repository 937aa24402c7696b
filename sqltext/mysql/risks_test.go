package mysql

import (
	"testing"

	"txweave/sqltext"
)

// TestRisks: the statements that generators write have no risks; those that rewrites must not make have.
func TestRisks(t *testing.T) {
	tests := []struct {
		want sqltext.Risk
		sql  string
	}{
		{0, "SELECT c0 FROM t0 ORDER BY pkey LIMIT 1"},
		{0, "SELECT c0, c1 FROM t0 ORDER BY 2, 1 LIMIT 1"},
		{sqltext.RiskTies, "SELECT c0, c1 FROM t0 ORDER BY 1 LIMIT 1"},
		{sqltext.RiskTies, "SELECT c0 FROM t0 LIMIT 1"},
		{sqltext.RiskTies, "SELECT a.c0 FROM t0 AS a JOIN t0 AS b ORDER BY a.pkey LIMIT 1"},
		{sqltext.RiskTies, "DELETE FROM t0 ORDER BY c0 LIMIT 1"},
		{0, "SELECT c0, MAX(c1) FROM t0 GROUP BY c0"},
		{sqltext.RiskBare, "SELECT c0, MAX(c1) FROM t0"},
		{sqltext.RiskBare, "SELECT c0 FROM t0 GROUP BY c1"},
		{0, "SELECT (SELECT MAX(c0) FROM t0) FROM t0"},
		{0, "SELECT (SELECT c0 FROM t0 WHERE c1 = 'a' AND pkey = 3) FROM t0"},
		{0, "SELECT (SELECT DISTINCT 'a' FROM t0 AS a JOIN t0 AS b WHERE a.c0 > 1) FROM t0"},
		{0, "SELECT (SELECT DISTINCT DATE '2020-01-02' FROM t0) FROM t0"},
		{sqltext.RiskRows, "SELECT (SELECT 'a' FROM t0) FROM t0"},
		{sqltext.RiskRows, "SELECT (SELECT DISTINCT c0 FROM t0) FROM t0"},
		{sqltext.RiskRows, "SELECT (SELECT c0 FROM t0) FROM t0"},
		{sqltext.RiskRows, "SELECT 1 FROM t0 WHERE c0 = (SELECT c0 FROM t0 WHERE pkey > 3)"},
		{sqltext.RiskRows, "UPDATE t0 SET c0 = (SELECT c0 FROM t0)"},
		{0, "SELECT 1 FROM t0 WHERE c0 IN (SELECT c0 FROM t0) AND EXISTS (SELECT c0 FROM t0)"},
		{0, "SELECT SUM(c0) FROM t0"},
		{sqltext.RiskFloats, "SELECT SUM(c2) FROM t0"},
		{sqltext.RiskFloats, "SELECT AVG(c1) FROM t0"},
		{0, "UPDATE t0 SET c3 = 1"},
		{0, "UPDATE t0 SET c3 = -1"},
		{0, "UPDATE t0 SET c3 = t0.c3, c0 = c3 + 1"},
		{sqltext.RiskUnique, "UPDATE t0 SET c3 = -c3"},
		{sqltext.RiskUnique, "UPDATE t0 SET c3 = c0"},
		{0, "UPDATE t0 SET c3 = c3 + 1 WHERE pkey = 1"},
		{sqltext.RiskUnique, "UPDATE t0 SET c3 = c3 + 1 WHERE pkey > 1"},
		{0, "UPDATE t0 AS r0 INNER JOIN t1 AS r1 ON r0.pkey = r1.pkey SET r1.c3 = r1.c3 + 1"},
		{sqltext.RiskUnique, "UPDATE t1 AS r0 INNER JOIN t0 AS r1 ON r0.pkey = r1.pkey SET r1.c3 = r1.c3 + 1"},
		{0, "UPDATE t9 INNER JOIN t8 ON c3 = 1 SET c3 = c3 + 1"}, // tables that are not known
		{sqltext.RiskDangles, "SELECT r1.c0 FROM t0 AS r0"},
		{sqltext.RiskDangles, "SELECT c9 FROM t0 AS r0"},
		{0, "SELECT c9 FROM (SELECT c0 AS c9 FROM t0) AS r0"},
	}
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t0 (pkey INT NOT NULL PRIMARY KEY, c0 INT, c1 VARCHAR(9), c2 DOUBLE, c3 INT, UNIQUE KEY u (c3))",
		"CREATE TABLE t1 (pkey INT NOT NULL PRIMARY KEY, c3 INT)"})
	for _, test := range tests {
		got, ok := New(sqltext.MySQL).Risks(test.sql, schema)
		if !ok {
			t.Fatalf("cannot read %s", test.sql)
		}
		if got != test.want {
			t.Errorf("%s: risks %b, want %b", test.sql, got, test.want)
		}
	}
}
