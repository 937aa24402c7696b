package instrument

import (
	"fmt"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// planOf instruments a case of one statement on MariaDB.
func planOf(t *testing.T, schema, sql string) *Plan {
	t.Helper()
	return planFor(t, "mariadb", "repeatable-read", schema, sql)
}

func planFor(t *testing.T, target, isolation, schema, sql string) *Plan {
	t.Helper()
	p, err := dbms.Lookup(target, isolation)
	if err != nil {
		t.Fatal(err)
	}
	tc, err := testcase.Parse(sql, []byte("txweave case 1\ntarget: "+target+"\nisolation: "+isolation+"\n\n-- schema --\n"+
		schema+"\n\n-- T0 --\n"+sql+";\n\n-- schedule --\nT0\n"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Instrument(tc, p)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return plan
}

// TestSearch: before which writes a replay can ask for their rows, each of which they count.
func TestSearch(t *testing.T) {
	const schema = "CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v INT);"
	const keyed = "CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v INT, w VARCHAR(9), UNIQUE KEY u (v, w));"
	const refers = "CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, v BIGINT UNIQUE); " +
		"CREATE TABLE c (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v BIGINT, FOREIGN " +
		"KEY (v) REFERENCES t (v));"
	for _, c := range []struct{ schema, sql, want string }{
		{schema, "UPDATE t SET pvkey = vkey, vkey = 5, v = 1 WHERE v > 1", "SELECT t.pkey, t.vkey FROM t WHERE v > 1"},
		{schema, "DELETE FROM t WHERE v IN (SELECT v FROM t AS u) ORDER BY pkey LIMIT 1",
			"SELECT t.pkey, t.vkey FROM t WHERE v IN (SELECT v FROM t AS u) ORDER BY pkey LIMIT 1"},
		{schema, "DELETE FROM t", "SELECT t.pkey, t.vkey FROM t"},
		{schema, "UPDATE t SET v = 1 WHERE v > 1", ""}, // a row that has it already may count or not
		{schema, "UPDATE IGNORE t SET pvkey = vkey, vkey = 5, v = 1 WHERE v > 1", ""},
		{schema, "TRUNCATE TABLE t", ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1)", "SELECT 1 FROM t WHERE (pkey = 9)"},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1) RETURNING pkey",
			"SELECT 1 FROM t WHERE (pkey = 9)"},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1), (10, 5, 0, 1)", ""},
		{schema, "INSERT IGNORE INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1)", ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1) ON DUPLICATE KEY UPDATE v = 2", ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v) VALUES (4 + 5, 5, 0, 1)", ""},
		{keyed, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')",
			"SELECT 1 FROM t WHERE (pkey = 9) OR (v = 1 AND w = 'a')"},
		{keyed, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, NULL, 'a')", "SELECT 1 FROM t WHERE (pkey = 9)"},
		{keyed, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a ')", ""},
		{refers, "INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 3)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2 FROM (SELECT 1 AS c0) AS r0 WHERE NOT EXISTS (SELECT 1 FROM " +
				"t WHERE v = 3)"},
		{refers, "INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, NULL)", "SELECT 1 FROM c WHERE (pkey = 9)"},
		// there may be one
		{refers, "INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1 + 2)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2"},
		{refers, "INSERT INTO c (pkey, vkey, pvkey) VALUES (9, 5, 0)", "SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(v) REFERENCES c (pkey)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 9)", "SELECT 1 FROM c WHERE (pkey = 9)"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(v) REFERENCES c (pkey)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 8)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2 FROM (SELECT 1 AS c0) AS r0 WHERE NOT EXISTS (SELECT 1 FROM " +
				"c WHERE pkey = 8)"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(pkey, v) REFERENCES t (pkey, v)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 3)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2 FROM (SELECT 1 AS c0) AS r0 WHERE NOT EXISTS (SELECT 1 FROM " +
				"t WHERE pkey = 9 AND v = 3)"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(pkey, v) REFERENCES t (pkey, v)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, NULL)",
			"SELECT 1 FROM c WHERE (pkey = 9)"}, // one of them is NULL: it refers to none
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(pkey, v) REFERENCES t (pkey, v) MATCH FULL", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, NULL)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(v, vkey) REFERENCES c (v, vkey) MATCH FULL", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, NULL)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2"}, // refused: one of two is NULL
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(v) REFERENCES c (pvkey)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, DEFAULT, DEFAULT)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(pkey, v) REFERENCES c (v, pkey)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 9)",
			"SELECT 1 FROM c WHERE (pkey = 9)"},
		{strings.Replace(refers, "(v) REFERENCES t (v)", "(pkey, v) REFERENCES t (pkey)", 1),
			"INSERT INTO c (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 3)",
			"SELECT 1 FROM c WHERE (pkey = 9) UNION ALL SELECT 2"},
		{keyed, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, '1', 'a')", ""},
		{keyed, "INSERT INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1)", ""},
		{strings.Replace(keyed, "w VARCHAR(9)", "w VARCHAR(9) COLLATE utf8mb4_bin", 1),
			"INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')", ""},
		{strings.Replace(keyed, "w)", "w(2))", 1), "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')", ""},
		{schema + " CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 3;",
			"INSERT INTO t (pkey, vkey, pvkey, v) VALUES (9, 5, 0, 1)", ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v) SELECT pkey + 100, 5, 0, v FROM t AS u",
			"SELECT pkey + 100, 5, 0, v FROM t AS u"},
		{schema, "INSERT IGNORE INTO t (pkey, vkey, pvkey, v) SELECT pkey + 100, 5, 0, v FROM t AS u", ""},
		{schema, "REPLACE INTO t (pkey, vkey, pvkey, v) SELECT pkey + 100, 5, 0, v FROM t AS u", ""},
		{schema, "SELECT pkey FROM t WHERE v > 1", ""},
		{"CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v BIGINT, FOREIGN " +
			"KEY (v) REFERENCES t (pkey) ON DELETE CASCADE);",
			"DELETE FROM t WHERE v > 1", ""}, // what is carried along need not match
		{"CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, v INT);", "DELETE FROM t WHERE v > 1", ""},
	} {
		plan := planOf(t, c.schema, c.sql)
		got, err := plan.Search(plan.Txns[0].Blocks[0])
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.sql, got, err, c.want)
		}
	}
}

// TestSearchOfNone: of a statement that nobody has looked at, as in a case that gives its own order, no rows are known.
func TestSearchOfNone(t *testing.T) {
	for _, kind := range []sqltext.Kind{sqltext.Insert, sqltext.Update, sqltext.Delete, sqltext.Select} {
		b := &Block{SQL: "DELETE FROM t", Info: &sqltext.Analysis{Kind: kind, Plain: true}}
		if sql, err := (&Plan{Schema: &sqltext.Schema{}}).Search(b); sql != "" || err != nil {
			t.Errorf("%s: %q, %v", kind, sql, err)
		}
	}
}

// TestEveryRow checks of which statements it is known that every row that matches has a part in the result.
func TestEveryRow(t *testing.T) {
	s, err := readSchema(sqltext.SyntaxOf("mariadb"),
		lines("CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v INT);"))
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
		a, err := analysis.TextsOf(sqltext.SyntaxOf("mariadb")).Analyze(s, sql)
		if err != nil {
			t.Fatal(err)
		}
		if a.EveryRow != want {
			t.Errorf("%s: EveryRow is %v", sql, a.EveryRow)
		}
	}
}

// TestSpelled: the keys that an upsert spells are known where they are literals that are stored and compared as they
// are spelled; those with NULL meet nobody.
func TestSpelled(t *testing.T) {
	const schema = "CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v INT, w VARCHAR(9), UNIQUE KEY u (v, w));"
	const tail = " ON DUPLICATE KEY UPDATE pvkey = t.vkey, vkey = 5"
	for _, c := range []struct{ schema, sql, want string }{
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')" + tail, "[[{pkey 9}] [{v 1} {w 'a'}]]"},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, NULL, 'a'), (10, 5, 0, 2, 'b')" + tail,
			"[[{pkey 9}] [{pkey 10}] [{v 2} {w 'b'}]]"},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1 + 1, 'a')" + tail, ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, w) VALUES (9, 5, 0, 'a')" + tail, ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'ä')" + tail, ""},
		{schema, "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')", ""},
		{schema, "REPLACE INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')", ""},
		{strings.Replace(schema, "w)", "w(2))", 1), "INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')" + tail,
			""},
		// 2024
		{strings.Replace(schema, "v INT", "v YEAR", 1),
			"INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 24, 'a')" + tail, ""},
		{schema + " CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 3;",
			"INSERT INTO t (pkey, vkey, pvkey, v, w) VALUES (9, 5, 0, 1, 'a')" + tail, ""},
	} {
		plan := planOf(t, c.schema, c.sql)
		keys, ok := plan.Meets(plan.Txns[0].Blocks[0])
		got := ""
		if ok {
			got = fmt.Sprint(keys)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %q", c.sql, got, c.want)
		}
	}
}

// TestPasses: of an upsert of one row with a condition the query is known for the rows in its way, and for those of
// them that it changes.
func TestPasses(t *testing.T) {
	const schema = "CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT, b TEXT, c TEXT COLLATE NOCASE, d DOUBLE(10, 2), CONSTRAINT u UNIQUE (a));"
	const met = "SELECT 1 FROM t WHERE (pkey = 9) OR (a = 3) UNION ALL SELECT 3 FROM t WHERE ((pkey = 9) OR (a = 3)) AND (%s)"
	for _, c := range []struct{ values, where, want string }{
		{"(9, 5, 0, 3, 'x', NULL)", "t.b IS NOT excluded.b", "t.b IS NOT CAST('x' AS text)"},
		{"(9, 5, 0, 3, 'x', NULL)", "a < excluded.a + 1 AND c = 'y' RETURNING a", "a < CAST(3 AS int) + 1 AND c = 'y'"},
		{"(9, 5, 0, 3, NULL, NULL)", "excluded.b IS NULL", "CAST(NULL AS text) IS NULL"},
		{"(9, 5, 0, 3, NULL, 'x')", "excluded.c = 'X'", ""}, // by its collation
		{"(9, 5, 0, 3, x'31', 'x')", "excluded.b > 'X'", ""},
		{"(9, 5, 0, 3, 'ж 1:2', 'x')", "excluded.b > 'X'", "CAST('ж 1:2' AS text) > 'X'"},
		{"(9, 5, 0, 1 + 2, 'x', 'x')", "a > 1", ""},
		{"(9, 5, 0, 3, 'x', NULL)", "excluded.d > 1.5", "CAST(2.5 AS double) > 1.5"},
		{"(9, 5, 0, 3, 'x', 'x'), (10, 5, 0, 4, 'x', 'x')", "a > 1", ""},
	} {
		sql := "INSERT INTO t (pkey, vkey, pvkey, a, b, c, d) VALUES " + strings.ReplaceAll(c.values, ")", ", 2.5)") +
			" ON CONFLICT DO UPDATE SET pvkey = t.vkey, vkey = 5 WHERE " + c.where
		plan := planFor(t, "sqlite", "serializable", schema, sql)
		want := c.want
		if want != "" {
			want = fmt.Sprintf(met, want)
		}
		if got, err := plan.Search(plan.Txns[0].Blocks[0]); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", sql, got, err, want)
		}
	}
}
