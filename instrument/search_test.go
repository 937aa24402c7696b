package instrument

import "testing"

// TestEveryRow checks of which statements it is known that every row that matches has a part in the result.
func TestEveryRow(t *testing.T) {
	s, err := readSchema(lines("CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v INT);"))
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]bool{
		"SELECT pkey, vkey FROM t WHERE v > 1":                                     true,
		"SELECT COUNT(*), SUM(v) FROM t WHERE v > 1":                               true,
		"SELECT v FROM t WHERE v > 1 FOR UPDATE":                                   true,
		"UPDATE t SET pvkey = vkey, vkey = 5, v = 1 WHERE v > 1":                   true,
		"DELETE FROM t WHERE v > 1":                                                true,
		"SELECT v FROM t WHERE v > 1 FOR UPDATE SKIP LOCKED":                       false,
		"SELECT MIN(v) FROM t WHERE v > 1":                                         false,
		"SELECT COUNT(*), MAX(v) FROM t":                                           false,
		"SELECT COUNT(DISTINCT v) FROM t":                                          false,
		"SELECT DISTINCT v FROM t":                                                 false,
		"SELECT v, COUNT(*) FROM t GROUP BY v":                                     false,
		"SELECT pkey FROM t ORDER BY pkey LIMIT 1":                                 false,
		"SELECT a.pkey FROM t a JOIN t b ON a.v = b.v":                             false,
		"SELECT pkey FROM t WHERE v IN (SELECT v FROM t)":                          false,
		"INSERT INTO t (pkey, vkey, pvkey, v) SELECT pkey + 9, 7, 0, v FROM t":     false,
		"DELETE FROM t WHERE v > 1 ORDER BY pkey LIMIT 1":                          false,
		"UPDATE t SET pvkey = vkey, vkey = 5, v = (SELECT 1) WHERE v > 1":          false,
		"SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.v = 3)": false,
		"SELECT pkey, vkey FROM t WHERE v > 1 UNION SELECT pkey, vkey FROM t":      false,
		"WITH c AS (SELECT v FROM t) SELECT COUNT(*) FROM c":                       false,
	} {
		a, err := parserOf(false).Analyze(s, sql)
		if err != nil {
			t.Fatal(err)
		}
		if a.EveryRow != want {
			t.Errorf("%s: EveryRow is %v", sql, a.EveryRow)
		}
	}
}
