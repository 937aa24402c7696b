package respell

import "testing"

func TestTurned(t *testing.T) {
	for _, c := range [][2]string{
		{
			"SELECT a.x FROM t AS a RIGHT JOIN u AS b ON a.x = b.x WHERE b.y",
			"SELECT a.x FROM u AS b LEFT JOIN t AS a ON a.x = b.x WHERE b.y",
		},
		{
			"SELECT COUNT(*) FROM t a RIGHT JOIN (SELECT x FROM u) AS b ON (a.x, 1) < 2 INNER JOIN v ON 1",
			"SELECT COUNT(*) FROM (SELECT x FROM u) AS b LEFT JOIN t a ON (a.x, 1) < 2 INNER JOIN v ON 1",
		},
		{
			"SELECT 1 FROM (SELECT c.x FROM t c RIGHT JOIN u d ON 1) a RIGHT JOIN v b ON a.x",
			"SELECT 1 FROM v b LEFT JOIN (SELECT c.x FROM u d LEFT JOIN t c ON 1) a ON a.x",
		},
		{
			"SELECT a.x FROM t AS a LEFT JOIN u AS b ON a.x = b.x LEFT JOIN v ON v.x = b.x",
			"SELECT a.x FROM u AS b RIGHT JOIN t AS a ON a.x = b.x LEFT JOIN v ON v.x = b.x",
		},
		{
			"SELECT (SELECT 1 FROM u c LEFT JOIN v d ON 1) FROM t a LEFT JOIN u b ON a.x IN (SELECT 1 FROM u c RIGHT JOIN v d " +
				"ON 1) UNION SELECT 1 FROM t LEFT JOIN u ON 1",
			"SELECT (SELECT 1 FROM v d RIGHT JOIN u c ON 1) FROM u b RIGHT JOIN t a ON a.x IN (SELECT 1 FROM v d LEFT JOIN u " +
				"c ON 1) UNION SELECT 1 FROM u RIGHT JOIN t ON 1",
		},
		{
			"SELECT 1 FROM t a LEFT JOIN u b ON 1 NATURAL JOIN v",
			"",
		},
		{
			"DELETE FROM t WHERE x IN (SELECT a.x FROM t a RIGHT JOIN u b ON a.x = b.x)",
			"DELETE FROM t WHERE x IN (SELECT a.x FROM u b LEFT JOIN t a ON a.x = b.x)",
		},
		{
			"SELECT * FROM t a RIGHT JOIN u b ON a.x = b.x",
			"",
		},
		{
			"SELECT 1, b.* FROM t a RIGHT JOIN u b ON a.x = b.x",
			"",
		},
		{
			"SELECT 1 FROM t a RIGHT JOIN u b USING (x)",
			"",
		},
		{
			"SELECT 1 FROM t a NATURAL RIGHT JOIN u b",
			"",
		},
		{
			"SELECT 1 FROM v, t a RIGHT JOIN u b ON a.x = b.x",
			"",
		},
		{
			"SELECT 1 FROM v LEFT JOIN t a ON 1 RIGHT JOIN u b ON a.x = b.x",
			"SELECT 1 FROM t a RIGHT JOIN v ON 1 RIGHT JOIN u b ON a.x = b.x",
		},
		{
			"SELECT 1 FROM t a RIGHT OUTER JOIN u b ON a.x = b.x",
			"SELECT 1 FROM u b LEFT JOIN t a ON a.x = b.x",
		},
		{
			"SELECT right FROM t",
			"",
		},
	} {
		sql, want := c[0], c[1]
		if want == "" {
			want = sql
		}
		if got := respelt(t, sqlite, turned, sql); got != want {
			t.Errorf("%s\nis %s\nwant %s", sql, got, want)
		}
	}
}
