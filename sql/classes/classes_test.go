package classes_test

import (
	"fmt"
	"strings"
	"testing"

	mysql "txweave/dbms/mysql/dialect"
	postgresql "txweave/dbms/postgresql/dialect"
	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

var (
	lite   = sqlite.New(3_053_004)
	server = mysql.New(mysql.Server{Product: "MySQL", Version: 80400})
	pg     = postgresql.New(postgresql.Server{Version: 18})
)

// read is a statement as the first dialect of the list reads it.
func read(t testing.TB, text string, dialects ...*sql.Dialect) sql.Stmt {
	t.Helper()
	var last error
	for _, d := range append(dialects, server, lite, pg) {
		stmt, err := d.Parse(text)
		if err == nil {
			return stmt
		}
		last = err
	}
	t.Fatalf("%s: %v", text, last)
	return nil
}

var schema = sqltext.ReadSchema(server, []string{
	"CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, i INT, f DOUBLE, s TEXT, d DATE, b BLOB)",
	"CREATE TABLE u (pkey INT PRIMARY KEY, vkey INT, i TEXT, g DECIMAL(4,2))",
})

// TestClasses: what the first thing that a query prints is like.
func TestClasses(t *testing.T) {
	names := map[sqltext.Class]string{sqltext.Exact: "exact", sqltext.Floating: "floating", sqltext.Text: "text",
		sqltext.Temporal: "temporal"}
	for text, want := range map[string]string{
		"SELECT i FROM t": "exact", "SELECT f FROM t": "floating", "SELECT T.S FROM t": "text",
		"SELECT x.d FROM t AS x": "temporal", "SELECT b FROM t": "",
		"SELECT nothing FROM t": "", "SELECT i FROM t, u": "", "SELECT pkey FROM t, u": "exact",
		"SELECT 1": "exact", "SELECT 1.5": "exact", "SELECT -1e3": "floating", "SELECT 'a'": "text", "SELECT x'61'": "",
		"SELECT 0x61": "", "SELECT NULL": "",
		"SELECT TRUE": "exact", "SELECT DATE '2020-01-01'": "temporal", "SELECT (s) FROM t": "text",
		"SELECT -s FROM t": "floating", "SELECT +s FROM t": "text",
		"SELECT i + 1 FROM t": "exact", "SELECT i + f FROM t": "floating", "SELECT i / 2 FROM t": "floating",
		"SELECT i DIV 2 FROM t":   "exact",
		"SELECT MOD(i, 2) FROM t": "exact", "SELECT i || f FROM t": "exact", "SELECT i ^ 2 FROM t": "exact",
		"SELECT d + INTERVAL 1 DAY FROM t": "",
		"SELECT NOT s FROM t":              "exact", "SELECT s IN (1) FROM t": "exact", "SELECT s IS NULL FROM t": "exact",
		"SELECT BINARY i FROM t":                        "text",
		"SELECT CASE i WHEN 1 THEN i ELSE f END FROM t": "floating", "SELECT IF(i, d, d) FROM t": "temporal",
		"SELECT COALESCE(NULL, i, s) FROM t": "text",
		"SELECT GREATEST(i, f) FROM t":       "floating", "SELECT NULLIF(s, 1) FROM t": "text",
		"SELECT ABS(s) FROM t":   "floating",
		"SELECT ROUND(i) FROM t": "exact",
		"SELECT COUNT(*) FROM t": "exact", "SELECT SUM(s) FROM t": "floating", "SELECT AVG(i) FROM t": "exact",
		"SELECT MAX(d) FROM t":    "temporal",
		"SELECT STDDEV(i) FROM t": "floating", "SELECT JSON_ARRAYAGG(i) FROM t": "", "SELECT GROUP_CONCAT(i) FROM t": "text",
		"SELECT RANK() OVER (ORDER BY i) FROM t": "exact", "SELECT LAG(s) OVER (ORDER BY i) FROM t": "text",
		"SELECT s COLLATE utf8mb4_bin FROM t": "text",
		"SELECT CAST(s AS SIGNED) FROM t":     "exact", "SELECT CAST(s AS DOUBLE) FROM t": "floating",
		"SELECT CAST(i AS CHAR(3)) FROM t":  "text",
		"SELECT CAST(s AS DATETIME) FROM t": "temporal", "SELECT CAST(s AS JSON) FROM t": "", "SELECT s -> '$.a' FROM t": "",
		"SELECT EXTRACT(YEAR FROM d) FROM t": "exact",
		"SELECT (SELECT s FROM t)":           "text", "SELECT (SELECT i, s FROM t)": "",
		"SELECT INSERT(s, 1, 2, 'x') FROM t":                                                   "text",
		"SELECT VALUES(s)":                                                                     "",
		"SELECT e FROM (SELECT d AS e FROM t) AS x":                                            "temporal",
		"SELECT x.e FROM (SELECT i AS e FROM t UNION SELECT s FROM t) AS x":                    "text",
		"SELECT s FROM (SELECT * FROM t) AS x":                                                 "text",
		"SELECT z.s FROM (SELECT x.* FROM u, t AS x) AS z":                                     "text",
		"WITH q AS (SELECT f AS e FROM t) SELECT e FROM q":                                     "floating",
		"WITH q (e) AS (SELECT d FROM t) SELECT q.e FROM q":                                    "temporal",
		"WITH RECURSIVE q AS (SELECT 1 AS e UNION ALL SELECT e || 'x' FROM q) SELECT e FROM q": "exact",
		// the table within, the expression without
		"WITH t AS (SELECT * FROM t) SELECT s FROM t": "text",
		"SELECT g FROM t NATURAL JOIN u":              "exact",
		"SELECT g FROM t RIGHT JOIN u USING (pkey)":   "exact",
		// What only others have words for.
		"SELECT i::text FROM t": "text", "SELECT i::int[] FROM t": "", "SELECT d AT TIME ZONE 'UTC' FROM t": "temporal",
		"SELECT 'a'::timestamptz":                       "temporal",
		"SELECT q.c FROM (VALUES (1, 'a')) AS q (a, c)": "text", "SELECT ARRAY[1]": "", "SELECT s FROM ONLY t AS x": "text",
		"WITH q AS (DELETE FROM t RETURNING s AS e) SELECT e FROM q": "text", "SELECT e FROM json_each('[1]') AS j (e)": "",
		"SELECT CAST(s AS INTEGER) FROM t": "exact", "SELECT max(i, f) FROM t": "floating",
		"SELECT s GLOB 'x' FROM t": "exact", "SELECT iif(i, s, s) FROM t": "text",
		"SELECT s FROM (t AS x JOIN u AS y ON TRUE) AS z": "text",
	} {
		stmt := read(t, text)
		q := stmt.(*sql.Query)
		got := names[classes.Of(stmt, schema).ClassOf(q.Body.(*sql.Select).Items[0].X)]
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	stmt := read(t, "SELECT i || s FROM t", lite)
	if got := classes.Of(stmt, schema).ClassOf(stmt.(*sql.Query).Body.(*sql.Select).Items[0].X); got != sqltext.Text {
		t.Errorf("texts that are put together are %d", got)
	}
}

// TestOutputs: what columns a query has.
func TestOutputs(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT *, 1, i AS E FROM t": "[{pkey 1} {vkey 1} " +
			"{i 1} {f 2} {s 3} {d 4} {b 0} { 1} {e 1}]",
		"SELECT u.*, x.d FROM t AS x, u": "[{pkey 1} {vkey 1} " +
			"{i 3} {g 1} {d 4}]",
		"SELECT * FROM u JOIN (SELECT pkey, t.i FROM t) AS x": "[{pkey 1} {vkey 1} " +
			"{i 3} {g 1} {pkey 1} {i 1}]",
		"SELECT * FROM (SELECT pkey, f FROM t) AS x NATURAL JOIN u": "[{pkey 1} {f 2} " +
			"{vkey 1} {i 3} {g 1}]",
		"SELECT * FROM (SELECT g, u.i FROM u) AS x RIGHT JOIN (SELECT t.i, d FROM t) AS y USING (i)": "[{i 3} {d 4} {g 1}]",
		"SELECT i FROM t UNION ALL (SELECT f FROM t)":                                                "[{i 2}]",
		"TABLE u":               "[{pkey 1} {vkey 1} {i 3} {g 1}]",
		"SELECT * FROM nowhere": "[]",
	} {
		stmt := read(t, text)
		if got := fmt.Sprint(classes.Of(stmt, schema).Outputs(stmt.(*sql.Query))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestOneRow: which queries give one row at most.
func TestOneRow(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1": true, "SELECT i FROM t": false, "SELECT i FROM t LIMIT 1": true, "SELECT i FROM t LIMIT 2": false,
		"SELECT i FROM t LIMIT 1 OFFSET 3": true,
		"SELECT MAX(i) FROM t":             true, "SELECT MAX(i) FROM t GROUP BY s": false,
		"SELECT COUNT(*) OVER () FROM t": false,
		"SELECT i FROM t WHERE pkey = 3": true, "SELECT i FROM t WHERE i > 1 AND (-3 = t.pkey)": true,
		"SELECT i FROM t WHERE pkey = i":          false,
		"SELECT i FROM t WHERE pkey = 3 OR i = 1": false, "SELECT t.i FROM t, u WHERE t.pkey = 3": false,
		"SELECT DISTINCT 'a' FROM t": true, "SELECT DISTINCT DATE '2020-01-01' FROM t, u": true,
		"SELECT DISTINCT i FROM t": false,
		"SELECT 1 UNION SELECT 2":  false, "SELECT i FROM t UNION SELECT 2 LIMIT 1": true, "(SELECT i FROM t LIMIT 1)": true,
		"VALUES ROW(1)":   true,
		"VALUES (1), (2)": false, "SELECT i FROM t FETCH FIRST ROW ONLY": true,
		"SELECT i FROM t ORDER BY i FETCH FIRST 1 ROW WITH TIES": false,
		"SELECT i FROM t LIMIT ALL":                              false, "SELECT (SELECT MAX(i) FROM t) FROM t": false,
	} {
		if got := classes.OneRow(read(t, text).(*sql.Query)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestPlanDecides: which queries may raise an error or a warning, or not, as the plan is.
func TestPlanDecides(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT i, s, d FROM t WHERE i = 1 AND s = 'a' AND d = '2020-01-01'": false,
		"SELECT i / 2, i % 3, MOD(i, 5), i DIV 2 FROM t":                     false,
		"SELECT i / 0 FROM t":                                               true,
		"SELECT i / f FROM t":                                               true,
		"SELECT MOD(i, f) FROM t":                                           true,
		"SELECT 1 FROM t WHERE s = 1":                                       true,
		"SELECT 1 FROM t WHERE i = '12'":                                    false, // a literal that is a number
		"SELECT 1 FROM t WHERE i = '12x'":                                   true,
		"SELECT 1 FROM t WHERE d < '2020-01-01 10:00:00'":                   false,
		"SELECT 1 FROM t WHERE d < 'soon'":                                  true,
		"SELECT 1 FROM t WHERE d < 5":                                       true,
		"SELECT 1 FROM t WHERE d < s":                                       true,
		"SELECT 1 FROM t WHERE s":                                           true,
		"SELECT 1 FROM t HAVING MAX(s)":                                     true,
		"SELECT 1 FROM t WHERE i":                                           false,
		"SELECT 1 FROM t WHERE NOT s":                                       true,
		"SELECT 1 FROM t WHERE s IS TRUE":                                   true,
		"SELECT 1 FROM t WHERE s IS NULL AND s IS UNKNOWN":                  false,
		"SELECT 1 FROM t JOIN u ON s":                                       true,
		"SELECT 1 FROM t NATURAL JOIN u":                                    true, // i is a number here and a text there
		"SELECT 1 FROM t JOIN u USING (pkey)":                               false,
		"SELECT i + 9007199254740992 FROM t":                                true,
		"SELECT i + 100000 FROM t":                                          false,
		"SELECT i + 99999999999999999999 FROM t":                            true,
		"SELECT s + 1 FROM t":                                               true,
		"SELECT s & 1, s << 2, ~s FROM t":                                   true,
		"SELECT CASE WHEN s THEN 1 END FROM t":                              true,
		"SELECT CASE s WHEN 1 THEN 1 END FROM t":                            true,
		"SELECT CASE s WHEN 'a' THEN 1 END FROM t":                          false,
		"SELECT 1 FROM t WHERE (i, s) IN ((1, 'a'))":                        false,
		"SELECT 1 FROM t WHERE (i, s) IN (('a', 'a'))":                      true,
		"SELECT 1 FROM t WHERE i IN (SELECT s FROM t)":                      true,
		"SELECT 1 FROM t WHERE i IN (SELECT f FROM t)":                      false,
		"SELECT 1 FROM t WHERE i = ANY (SELECT i FROM u)":                   true,
		"SELECT 1 FROM t WHERE EXISTS (SELECT i FROM u)":                    false,
		"SELECT 1 FROM t WHERE i = (SELECT pkey FROM u)":                    true,
		"SELECT 1 FROM t WHERE f = (SELECT pkey FROM u LIMIT 1)":            false,
		"WITH q AS (SELECT i FROM t) SELECT i FROM q":                       false,
		"SELECT 1 FROM t WHERE i BETWEEN 'a' AND 3":                         true,
		"SELECT SUM(s) FROM t":                                              true,
		"SELECT SUM(i), MAX(s), COUNT(s) FROM t":                            false,
		"SELECT SUM(s) OVER () FROM t":                                      true,
		"SELECT CAST(s AS SIGNED) FROM t":                                   true,
		"SELECT CAST(i AS SIGNED), CAST(i AS CHAR), CAST(d AS DATE) FROM t": false,
		"SELECT CAST(i AS UNSIGNED) FROM t":                                 true,
		"SELECT CAST(s AS CHAR(2)) FROM t":                                  true,
		"SELECT CAST(s AS JSON) FROM t":                                     true,
		"SELECT GREATEST('a', 'b', 'c') FROM t":                             false,
		"SELECT GREATEST(1, 2, 3, 'x') FROM t":                              true,
		"SELECT NULLIF(s, 1) FROM t":                                        true,
		"SELECT GREATEST(c0, c0, c0) FROM (SELECT i AS c0 FROM t UNION SELECT i FROM u) AS a JOIN (SELECT i AS c0 FROM u) " +
			"AS b": true,
		"SELECT ABS(s) FROM t": true,
		"SELECT LEFT(s, 1), LPAD(s, 1, 'x'), CONCAT(i, s) FROM t":                    false,
		"SELECT LEFT(s, s) FROM t":                                                   true,
		"SELECT SUBSTRING(s FROM 2 FOR 3), TRIM(LEADING 'x' FROM s) FROM t":          false,
		"SELECT SUBSTRING(s FROM s) FROM t":                                          true,
		"SELECT YEAR(d), EXTRACT(DAY FROM d), DATEDIFF(d, d) FROM t":                 false,
		"SELECT EXTRACT(DAY FROM s) FROM t":                                          true,
		"SELECT TIMESTAMPDIFF(DAY, d, i) FROM t":                                     true,
		"SELECT d + INTERVAL 1 DAY, DATE_SUB(d, INTERVAL '1:30' HOUR_MINUTE) FROM t": false,
		"SELECT s + INTERVAL 1 DAY FROM t":                                           true,
		"SELECT DATE_ADD(d, INTERVAL s DAY) FROM t":                                  true,
		"SELECT LN(i) FROM t":                                                        true,
		"SELECT POW(2, 3) FROM t":                                                    false,
		"SELECT /*+ INL_JOIN(t) */ 1 FROM t":                                         true, // TiDB warns where it does not
		"SELECT /*+ SEMIJOIN(LOOSESCAN) */ 1 FROM t":                                 false,
		"SELECT 1 FROM t WHERE i IS DISTINCT FROM 3":                                 false,
		"SELECT 1 FROM t WHERE s IS NOT 3":                                           true,
		"SELECT s::int FROM t":                                                       true,
		"SELECT MAX(s) FILTER (WHERE i > 1) FROM t":                                  false,
		"SELECT max(s, 1) FROM t":                                                    true,
	} {
		if got := classes.PlanDecides(read(t, text), schema); got != want {
			t.Errorf("%s: the plan decides: %v", text, got)
		}
	}
	for d, want := range map[*sql.Dialect]bool{lite: false, server: true} {
		if got := classes.PlanDecides(read(t, "SELECT s || 'x' FROM t", d), schema); got != want {
			t.Errorf("%s of texts in ||: %v", d.Product, got)
		}
	}
}

// TestSourcesThatDisagree: two derived tables of one name, one within the other's statement, whose columns are of two
// classes, come to an end; so do expressions that read one of their own name.
func TestSourcesThatDisagree(t *testing.T) {
	for _, text := range []string{
		"SELECT d.x AS e0 FROM (SELECT i AS x FROM t) AS d WHERE EXISTS (SELECT 1 FROM (SELECT d AS x FROM t) AS d)",
		"WITH RECURSIVE q AS (SELECT * FROM r), r AS (SELECT * FROM q) SELECT * FROM q",
		"WITH RECURSIVE q AS (SELECT * FROM q UNION SELECT 1) SELECT * FROM q AS q, (SELECT * FROM q) AS r",
	} {
		classes.PlanDecides(read(t, text), schema)
	}
}

// Each operator of a chain is asked about by itself: what it is may not be found anew from all that it encloses.
func BenchmarkChain(b *testing.B) {
	stmt := read(b, "SELECT 1"+strings.Repeat("+1", 4_000))
	for b.Loop() {
		classes.PlanDecides(stmt, schema)
	}
}
