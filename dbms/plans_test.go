package dbms

import (
	"testing"

	"txweave/sqltext"
)

// TestCopies: a query reads a copy of each table that it names, also where it has tables of its own; whatever is no query stays.
func TestCopies(t *testing.T) {
	s := &PlanSetting{Copies: "%[1]s AS MATERIALIZED (SELECT * FROM main.%[1]s)"}
	const t0, t1 = "t0 AS MATERIALIZED (SELECT * FROM main.t0)", "t1 AS MATERIALIZED (SELECT * FROM main.t1)"
	for sql, want := range map[string]string{
		"SELECT COUNT(*) FROM t0":                                          "WITH " + t0 + " SELECT COUNT(*) FROM t0",
		"(SELECT a FROM t0) UNION SELECT a FROM t1":                        "WITH " + t0 + ", " + t1 + " (SELECT a FROM t0) UNION SELECT a FROM t1",
		"SELECT r.a FROM t0 AS r WHERE EXISTS (SELECT 1 FROM t1, t0)":      "WITH " + t0 + ", " + t1 + " SELECT r.a FROM t0 AS r WHERE EXISTS (SELECT 1 FROM t1, t0)",
		"WITH c AS (SELECT a FROM t0) SELECT a FROM c":                     "WITH " + t0 + ", c AS (SELECT a FROM t0) SELECT a FROM c",
		"WITH RECURSIVE c AS (SELECT 1 FROM t0 UNION SELECT 2) SELECT 1 x": "WITH RECURSIVE " + t0 + ", c AS (SELECT 1 FROM t0 UNION SELECT 2) SELECT 1 x",
		"SELECT 1":                           "SELECT 1",
		"UPDATE t0 SET a = 1":                "UPDATE t0 SET a = 1",
		"INSERT INTO t0 SELECT a FROM t1":    "INSERT INTO t0 SELECT a FROM t1",
		"SELECT 'WITH', a FROM t0 FOR SHARE": "WITH " + t0 + " SELECT 'WITH', a FROM t0 FOR SHARE",
	} {
		if got := s.Query(sql, sqltext.ANSI); got != want {
			t.Errorf("%s\nis sent as %s\nwant       %s", sql, got, want)
		}
	}
	if got := (*PlanSetting)(nil).Query("SELECT a FROM t0", sqltext.ANSI); got != "SELECT a FROM t0" {
		t.Errorf("without a setting: %s", got)
	}
}
