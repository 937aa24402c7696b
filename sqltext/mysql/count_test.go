package mysql

import (
	"testing"

	"txweave/sqltext"
)

// TestRowCount: which answers tell how many rows a table holds.
func TestRowCount(t *testing.T) {
	none, each := sqltext.RowCount{}, sqltext.RowCount{Told: true}
	column := func(i int) sqltext.RowCount { return sqltext.RowCount{Told: true, Counts: true, Column: i} }
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey INT NOT NULL PRIMARY KEY, vkey INT, c0 INT)", "CREATE TABLE s (pkey INT NOT NULL PRIMARY KEY, vkey INT)"})
	for sql, want := range map[string]sqltext.RowCount{
		"SELECT c0 FROM t":                                    each,
		"SELECT * FROM t AS r ORDER BY r.c0":                  each,
		"SELECT ABS(c0) FROM t":                               each,
		"SELECT COUNT(*) FROM t":                              column(0),
		"SELECT SUM(c0) AS a, COUNT(*) AS b FROM t":           column(1),
		"SELECT COUNT(1) FROM t":                              column(0),
		"SELECT COUNT(*) + 1 FROM t":                          none,
		"SELECT COUNT(c0) FROM t":                             none,
		"SELECT COUNT(NULL) FROM t":                           none,
		"SELECT COUNT(DISTINCT 1) FROM t":                     none,
		"SELECT SUM(c0) FROM t":                               none,
		"SELECT *, COUNT(*) FROM t":                           none,
		"SELECT MIN(c0), COUNT(*) FROM t":                     none,
		"SELECT COUNT(*) OVER () FROM t":                      none,
		"SELECT COUNT(*) FROM t GROUP BY c0":                  none,
		"SELECT COUNT(*) FROM t HAVING COUNT(*) > 1":          none,
		"SELECT DISTINCT c0 FROM t":                           none,
		"SELECT c0 FROM t LIMIT 3":                            none,
		"SELECT c0 FROM t WHERE TRUE":                         each, // those for which it is
		"SELECT COUNT(*) FROM t WHERE c0 > 1":                 column(0),
		"SELECT c0 FROM t FOR UPDATE":                         none,
		"SELECT c0 FROM t LOCK IN SHARE MODE":                 none,
		"SELECT c0 FROM t PARTITION (p0)":                     none,
		"SELECT t.c0 FROM t, s":                               none,
		"SELECT c0 FROM (SELECT c0 FROM t) AS r":              none,
		"SELECT c0 FROM t UNION ALL SELECT c0 FROM t":         none,
		"WITH q AS (SELECT c0 FROM t) SELECT c0 FROM q":       none,
		"SELECT (SELECT COUNT(*) FROM s) FROM t":              none,
		"SELECT c0 FROM t AS OF TIMESTAMP '2020-01-01'":       none,
		"UPDATE t SET c0 = 1":                                 none,
		"SELECT c0 FROM t WHERE pkey IN (SELECT pkey FROM s)": none,
	} {
		a, err := New(sqltext.MySQL).Analyze(schema, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if a.RowCount != want {
			t.Errorf("%s: %+v, want %+v", sql, a.RowCount, want)
		}
	}
}
