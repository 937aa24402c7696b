package dbms

import (
	"testing"

	"txweave/sqltext"
)

func TestRespelledQueries(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT x, t.z AS v FROM t UNION SELECT y, z FROM u ORDER BY 1 LIMIT 2": "SELECT DISTINCT * FROM (SELECT +x AS x, +t.z AS v FROM t UNION ALL SELECT +y AS y, +z AS z FROM u) ORDER BY 1 LIMIT 2",
		"WITH q AS (SELECT 1) SELECT x FROM q EXCEPT SELECT y AS z FROM u WHERE 1": "WITH q AS (SELECT 1) SELECT DISTINCT * FROM (SELECT x FROM q) AS respelled_rows WHERE NOT EXISTS " +
			"(SELECT 1 FROM (SELECT y AS z FROM u WHERE 1) AS respelled_others WHERE +respelled_rows.x IS +respelled_others.z)",
		"SELECT x, y FROM t INTERSECT SELECT y, x FROM u ORDER BY 1": "SELECT DISTINCT * FROM (SELECT x, y FROM t) AS respelled_rows WHERE EXISTS " +
			"(SELECT 1 FROM (SELECT y, x FROM u) AS respelled_others WHERE +respelled_rows.x IS +respelled_others.y AND +respelled_rows.y IS +respelled_others.x) ORDER BY 1",
		"SELECT x FROM (SELECT x FROM t INTERSECT SELECT y FROM u) AS d":               "",
		"SELECT x + 1 FROM t UNION SELECT y FROM u":                                    "",
		"SELECT x, x FROM t EXCEPT SELECT y, z FROM u":                                 "",
		"SELECT x FROM t UNION ALL SELECT y FROM u":                                    "",
		"SELECT x FROM t UNION SELECT y FROM u EXCEPT SELECT z FROM v":                 "",
		"SELECT x FROM t UNION ALL SELECT y FROM u INTERSECT SELECT z FROM v":          "",
		"SELECT * FROM t UNION SELECT y FROM u":                                        "",
		"SELECT (SELECT x FROM t LIMIT 1 OFFSET 2) FROM u":                             "SELECT (SELECT * FROM (SELECT x FROM t LIMIT 1 OFFSET 2)) FROM u",
		"SELECT (SELECT x FROM t UNION SELECT y FROM u ORDER BY 1 LIMIT 1) FROM u":     "",
		"SELECT 1 + (SELECT (SELECT x FROM t LIMIT 1) FROM t LIMIT 1) FROM u":          "SELECT 1 + (SELECT * FROM (SELECT (SELECT * FROM (SELECT x FROM t LIMIT 1)) FROM t LIMIT 1)) FROM u",
		"SELECT x FROM (SELECT x FROM t LIMIT 1) AS d WHERE EXISTS (SELECT 1 LIMIT 1)": "",
		"SELECT (SELECT MAX(x) FROM (SELECT x FROM t LIMIT 1) AS d) FROM u":            "",
		"SELECT 1 FROM t WHERE x + 1 IN (SELECT y FROM u)":                             "",
		"SELECT 1 FROM t WHERE x IN (SELECT y + 1 FROM u)":                             "",
		"SELECT 1 FROM t WHERE x IN (SELECT y FROM u UNION SELECT z FROM v)":           "",
		"SELECT 1 FROM t WHERE x = y IN (SELECT y FROM u)":                             "",
		"DELETE FROM t WHERE x NOT IN (SELECT DISTINCT u.y FROM u WHERE y > 1)": "DELETE FROM t WHERE (NOT CASE WHEN EXISTS (WITH respelled_rows (respelled_value) AS " +
			"(SELECT DISTINCT u.y FROM u WHERE y > 1) SELECT 1 FROM respelled_rows WHERE x = respelled_value) THEN 1 WHEN NOT EXISTS (SELECT DISTINCT u.y FROM u WHERE y > 1) THEN 0 " +
			"WHEN x IS NULL OR EXISTS (WITH respelled_rows (respelled_value) AS (SELECT DISTINCT u.y FROM u WHERE y > 1) SELECT 1 FROM respelled_rows WHERE respelled_value IS NULL) " +
			"THEN NULL ELSE 0 END)",
	} {
		if want == "" {
			want = sql
		}
		if got := respelled(sql, sqltext.ANSI); got != want {
			t.Errorf("%s\nis %s\nwant %s", sql, got, want)
		}
	}
}
