package respell

import "testing"

func TestRespelledQueries(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT x, t.z AS v FROM t UNION SELECT y, z FROM u ORDER BY 1 LIMIT 2": "SELECT DISTINCT * FROM (SELECT +x AS x, " +
			"+t.z AS v FROM t UNION ALL SELECT +y AS y, +z AS z FROM u) ORDER BY 1 LIMIT 2",
		"WITH q AS (SELECT 1) SELECT x FROM q EXCEPT SELECT y AS z FROM u WHERE 1": "WITH q AS (SELECT 1) SELECT DISTINCT " +
			"* FROM (SELECT x FROM q) AS respelled_rows WHERE NOT EXISTS " +
			"(SELECT 1 FROM (SELECT y AS z FROM u WHERE 1) AS respelled_others WHERE +respelled_rows.x IS +respelled_others.z)",
		"SELECT x, y FROM t INTERSECT SELECT y, x FROM u ORDER BY 1": "SELECT DISTINCT * FROM (SELECT x, y FROM t) AS " +
			"respelled_rows WHERE EXISTS " +
			"(SELECT 1 FROM (SELECT y, x FROM u) AS respelled_others WHERE +respelled_rows.x IS +respelled_others.y AND " +
			"+respelled_rows.y IS +respelled_others.x) ORDER BY 1",
		"SELECT x FROM (SELECT x FROM t INTERSECT SELECT y FROM u) AS d":      "",
		"SELECT x + 1 FROM t UNION SELECT y FROM u":                           "",
		"SELECT x, x FROM t EXCEPT SELECT y, z FROM u":                        "",
		"SELECT x FROM t UNION ALL SELECT y FROM u":                           "",
		"SELECT x FROM t UNION SELECT y FROM u EXCEPT SELECT z FROM v":        "",
		"SELECT x FROM t UNION ALL SELECT y FROM u INTERSECT SELECT z FROM v": "",
		"SELECT * FROM t UNION SELECT y FROM u":                               "",
		"SELECT (SELECT x FROM t LIMIT 1 OFFSET 2) FROM u": "SELECT (SELECT * FROM (SELECT x FROM " +
			"t LIMIT 1 OFFSET 2)) FROM u",
		"SELECT (SELECT x FROM t UNION SELECT y FROM u ORDER BY 1 LIMIT 1) FROM u": "",
		"SELECT 1 + (SELECT (SELECT x FROM t LIMIT 1) FROM t LIMIT 1) FROM u": "SELECT 1 + (SELECT * FROM (SELECT " +
			"(SELECT * FROM (SELECT x FROM t LIMIT 1)) FROM t LIMIT 1)) FROM u",
		"SELECT x FROM (SELECT x FROM t LIMIT 1) WHERE EXISTS (SELECT 1 LIMIT 1)": "",
		"SELECT (SELECT MAX(x) + 1 FROM (SELECT x FROM t LIMIT 1)) FROM u":        "",
		"SELECT 1 FROM t WHERE x + 1 IN (SELECT y FROM u)":                        "",
		"SELECT 1 FROM t WHERE x IN (SELECT y + 1 FROM u)":                        "",
		"SELECT 1 FROM t WHERE x IN (SELECT y FROM u UNION SELECT z FROM v)":      "",
		"SELECT 1 FROM t WHERE x = y IN (SELECT y FROM u)":                        "",
		"DELETE FROM t WHERE x NOT IN (SELECT DISTINCT u.y FROM u WHERE y > 1)": "DELETE FROM t WHERE (NOT CASE WHEN " +
			"EXISTS (WITH respelled_rows (respelled_value) AS " +
			"(SELECT DISTINCT u.y FROM u WHERE y > 1) SELECT 1 FROM respelled_rows WHERE x = respelled_value) THEN 1 WHEN NOT " +
			"EXISTS (SELECT DISTINCT u.y FROM u WHERE y > 1) THEN 0 " +
			"WHEN x IS NULL OR EXISTS (WITH respelled_rows (respelled_value) AS (SELECT DISTINCT u.y FROM u WHERE y > 1) " +
			"SELECT 1 FROM respelled_rows WHERE respelled_value IS NULL) " +
			"THEN NULL ELSE 0 END)",
	} {
		if want == "" {
			want = sql
		}
		if got := respelt(t, sqlite, Respelled, sql); got != want {
			t.Errorf("%s\nis %s\nwant %s", sql, got, want)
		}
	}
}

func TestFenced(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT d.x FROM (SELECT x FROM t ORDER BY x LIMIT 2) AS d WHERE d.x > 1": "SELECT d.x FROM (WITH " +
			"respelled_derived AS MATERIALIZED (SELECT x FROM t ORDER BY x LIMIT 2) " +
			"SELECT * FROM respelled_derived) AS d WHERE d.x > 1",
		"SELECT 1 FROM u, (SELECT x FROM (SELECT x FROM t) AS e) AS d": "SELECT 1 FROM u, (WITH respelled_derived AS " +
			"MATERIALIZED (SELECT x FROM (WITH respelled_derived AS MATERIALIZED " +
			"(SELECT x FROM t) SELECT * FROM respelled_derived) AS e) SELECT * FROM respelled_derived) AS d",
		"SELECT y, (SELECT x FROM t) AS e FROM u":                    "",
		"SELECT y FROM v UNION ALL SELECT y, (SELECT x FROM t) AS e": "",
		"SELECT 1 FROM (SELECT x FROM t UNION SELECT y FROM u) AS d": "",
		"SELECT 1 FROM (SELECT x FROM t)":                            "",
		"SELECT x IN (SELECT x FROM t) AS e FROM u":                  "",
	} {
		if want == "" {
			want = sql
		}
		if got := respelt(t, sqlite, fenced, sql); got != want {
			t.Errorf("%s\nis %s\nwant %s", sql, got, want)
		}
	}
}

func TestRespelledWindows(t *testing.T) {
	rows := "(WITH respelled_rows AS MATERIALIZED (SELECT x AS respelled_value FROM t AS r WHERE y > 1) SELECT "
	for sql, want := range map[string]string{
		"SELECT y, COUNT(x) OVER () AS e FROM t AS r WHERE y > 1 ORDER BY 1": "SELECT y, " + rows +
			"COUNT(respelled_value) FROM (SELECT respelled_value FROM respelled_rows WHERE 1)) AS e FROM t AS r WHERE y > 1 " +
			"ORDER BY 1",
		"SELECT LAG(x) OVER (PARTITION BY z ORDER BY pkey DESC) FROM t": "SELECT (WITH respelled_rows AS MATERIALIZED " +
			"(SELECT x AS respelled_value, z AS respelled_part0, pkey AS respelled_key0 FROM t) " +
			"SELECT MAX(respelled_value) FROM (SELECT * FROM (SELECT respelled_value FROM respelled_rows WHERE 1 AND " +
			"+respelled_part0 IS +z AND " +
			"(+pkey < +respelled_key0 OR +pkey IS NULL AND +respelled_key0 IS NOT NULL OR +respelled_key0 IS +pkey AND 0) " +
			"ORDER BY respelled_key0 LIMIT 1 OFFSET 0))) FROM t",
		"SELECT LAG(x) OVER (ORDER BY y) FROM t":                                   "", // peers
		"SELECT ROW_NUMBER() OVER (ORDER BY r.pkey) FROM t AS r INNER JOIN u AS s": "",
		"SELECT ROW_NUMBER() OVER (ORDER BY pkey) FROM (SELECT 1 AS pkey)":         "",
		"SELECT COUNT(x) OVER (ORDER BY y ROWS UNBOUNDED PRECEDING) FROM t":        "",
		"SELECT COUNT(x) OVER (ORDER BY pkey GROUPS UNBOUNDED PRECEDING) FROM t":   "",
		"SELECT COUNT(x + 1) OVER () FROM t":                                       "",
		"SELECT COUNT(x) OVER (ORDER BY y NULLS LAST) FROM t":                      "",
		"SELECT COUNT(x) OVER (ORDER BY t.y DESC NULLS FIRST) FROM t": "SELECT COUNT(x) OVER (ORDER BY t.y IS " +
			"NULL DESC, t.y DESC) FROM t",
		"SELECT COUNT(x) OVER (ORDER BY t.y NULLS LAST RANGE 1 PRECEDING) FROM t":  "",
		"SELECT t.b AS a FROM t ORDER BY a NULLS LAST LIMIT 3":                     "", // t may have a column of that name
		"SELECT t.b AS a FROM t ORDER BY (a) COLLATE NOCASE NULLS LAST LIMIT 3":    "",
		"UPDATE t SET v = 7 FROM u WHERE u.a = t.a LIMIT 1":                        "",
		"SELECT t.b AS a, t.a FROM t ORDER BY a NULLS LAST LIMIT 3":                "",
		"SELECT a + 1 AS e FROM t UNION SELECT x + 1 FROM u ORDER BY e NULLS LAST": "",
		"SELECT a FROM t ORDER BY 1 NULLS LAST":                                    "",
		"SELECT a FROM t ORDER BY 1 NULLS FIRST, t.a DESC NULLS LAST":              "SELECT a FROM t ORDER BY 1, t.a DESC",
		"UPDATE t SET v = 7, (a, b) = (1, 'q') WHERE (c, d) < (1, 2)": "UPDATE t SET v = 7, (a, b) = (1, 'q') " +
			"WHERE ((c < 1 OR (c = 1 AND d < 2)))",
		"SELECT COUNT(x) OVER (ORDER BY y COLLATE NOCASE) FROM t": "",
		"SELECT COUNT(x) FILTER (WHERE y) OVER () FROM t": "SELECT COUNT(CASE WHEN y THEN x END) " +
			"OVER () FROM t",
		"SELECT MIN(x) FILTER (WHERE y) OVER () FROM t": "",
		"SELECT COUNT(x) OVER w FROM t WINDOW w AS ()":  "",
		"SELECT COUNT(x) OVER () FROM t GROUP BY x":     "",
		"SELECT COUNT(x) OVER (), MAX(y) FROM t":        "",
		"SELECT y FROM t ORDER BY COUNT(x) OVER ()":     "",
		"SELECT GROUP_CONCAT(x) OVER () FROM t":         "",
		"SELECT MIN(x), MAX(x) FROM t":                  "",
		"SELECT MIN(x, y) FROM t":                       "",
		"SELECT MIN(x) FROM t HAVING y > 1":             "",
		"SELECT DISTINCT MIN(x) FROM t":                 "",
		"SELECT MIN(x) + 1 FROM t":                      "",
		"SELECT (SELECT MIN(r.x) FROM t AS r) AS e, y FROM t ORDER BY 1": "SELECT (SELECT MIN(r.x) FILTER (WHERE " +
			"r.x IS NOT NULL) FROM t AS r) AS e, y FROM t ORDER BY 1",
		"SELECT COUNT(x) AS n FROM t GROUP BY y": "SELECT COUNT(x) FILTER (WHERE x IS " +
			"NOT NULL) AS n FROM t GROUP BY y",
	} {
		if want == "" {
			want = sql
		}
		if got := respelt(t, sqlite, Respelled, sql); got != want {
			t.Errorf("%s\nis %s\nwant %s", sql, got, want)
		}
	}
}
