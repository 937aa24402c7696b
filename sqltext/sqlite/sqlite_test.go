package sqlite

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/sqltext"
)

// TestWords: what SQLite alone has words for is said in the common grammar's, and printed as it was.
func TestWords(t *testing.T) {
	p := New()
	for _, c := range []struct{ sql, lowered, spelled string }{
		{"SELECT a || 'x' || b FROM t", "SELECT a ^ 'x' ^ b FROM t", ""},
		{"SELECT a == 1, a IS b, a IS NOT b, a IS NULL, a IS NOT NULL, a IS NOT TRUE FROM t", "SELECT a = 1, a <=> b, a <=> BINARY b, a IS NULL, a IS NOT NULL, a IS NOT TRUE FROM t",
			"SELECT a = 1, a IS b, a IS NOT b, a IS NULL, a IS NOT NULL, a IS NOT TRUE FROM t"},
		{"SELECT a FROM t WHERE a IS DISTINCT FROM b AND a IS NOT DISTINCT FROM c", "SELECT a FROM t WHERE a <=> BINARY b AND a <=> c", "SELECT a FROM t WHERE a IS NOT b AND a IS c"},
		{"SELECT a ISNULL, b NOTNULL FROM t", "SELECT a IS NULL, b IS NOT NULL FROM t", "SELECT a IS NULL, b IS NOT NULL FROM t"},
		{"SELECT a FROM t WHERE b GLOB 'x*' OR b NOT GLOB (c) OR GLOB('x*', b) OR NOT GLOB('y', b)",
			"SELECT a FROM t WHERE b ILIKE 'x*' OR b NOT ILIKE (c) OR GLOB('x*', b) OR NOT GLOB('y', b)", ""},
		{"SELECT a COLLATE nocase FROM t ORDER BY b COLLATE RTRIM", "SELECT a COLLATE utf8mb4_general_ci FROM t ORDER BY b COLLATE utf8mb4_unicode_ci",
			"SELECT a COLLATE NOCASE FROM t ORDER BY b COLLATE RTRIM"},
		{"SELECT MAX(a, b), MIN(a), MIN(MAX(a, 2), b) FROM t", "SELECT GREATEST(a, b), MIN(a), LEAST(GREATEST(a, 2), b) FROM t", ""},
		{"SELECT CAST(a AS INTEGER), CAST((a) AS TEXT), CAST(a AS BLOB), CAST(a AS REAL), CAST(a AS SIGNED), CAST(a AS UNSIGNED), CAST(a AS NUMERIC) FROM t",
			"SELECT CAST(a AS UNSIGNED), CAST((a) AS CHAR), CAST(a AS BINARY), CAST(a AS DOUBLE), CAST(a AS SIGNED), CAST(a AS SIGNED), CAST(a AS DECIMAL) FROM t",
			"SELECT CAST(a AS INTEGER), CAST((a) AS CHAR), CAST(a AS BLOB), CAST(a AS DOUBLE), CAST(a AS SIGNED), CAST(a AS SIGNED), CAST(a AS DECIMAL(10)) FROM t"},
		{"SELECT CAST(CAST(a AS INT) AS VARCHAR(3)) AS c FROM t", "SELECT CAST(CAST(a AS UNSIGNED) AS CHAR) AS c FROM t", "SELECT CAST(CAST(a AS INTEGER) AS CHAR) AS c FROM t"},
		{"SELECT r.a FROM t AS r INDEXED BY i JOIN u NOT INDEXED ON r.a = u.a", "SELECT r.a FROM t AS r FORCE INDEX (i) JOIN u USE INDEX () ON r.a = u.a", ""},
		{"WITH c AS MATERIALIZED (SELECT a FROM t), d AS NOT MATERIALIZED (SELECT a FROM c) SELECT a FROM d",
			"WITH c AS (SELECT SQL_BIG_RESULT a FROM t), d AS (SELECT SQL_SMALL_RESULT a FROM c) SELECT a FROM d", ""},
		{"SELECT COUNT(*) FILTER (WHERE a > 1), SUM(DISTINCT b) FILTER (WHERE a IS NOT b) FROM t", "SELECT COUNT(FILTER(a > 1)), SUM(DISTINCT FILTER(a <=> BINARY b, b)) FROM t", ""},
		{"SELECT SUM(a) FILTER (WHERE b IN (SELECT MAX(c) FILTER (WHERE c < 3) FROM u)) OVER (ORDER BY a) FROM t",
			"SELECT SUM(FILTER(b IN (SELECT MAX(FILTER(c < 3, c)) FROM u), a)) OVER (ORDER BY a) FROM t", ""},
		{"SELECT a FROM t ORDER BY a NULLS LAST, b DESC NULLS LAST, c DESC NULLS FIRST, d NULLS FIRST LIMIT 3",
			"SELECT a FROM t ORDER BY NULLS_LAST(a), NULLS_LAST(b) DESC, NULLS_FIRST(c) DESC, NULLS_FIRST(d) LIMIT 3",
			""},
		{"SELECT RANK() OVER (PARTITION BY b ORDER BY t.a + 1 ASC NULLS LAST) FROM t", "SELECT RANK() OVER (PARTITION BY b ORDER BY NULLS_LAST(t.a + 1) ASC) FROM t",
			"SELECT RANK() OVER (PARTITION BY b ORDER BY t.a + 1 NULLS LAST) FROM t"},
		{"SELECT a FROM t ORDER BY (SELECT b FROM u ORDER BY c NULLS LAST LIMIT 1) DESC NULLS FIRST, x OR a IS NULL, x OR a, 2 NULLS LAST",
			"SELECT a FROM t ORDER BY NULLS_FIRST((SELECT b FROM u ORDER BY NULLS_LAST(c) LIMIT 1)) DESC, x OR a IS NULL, x OR a, NULLS_LAST(2)", ""},
		{"SELECT a FROM t WHERE (a, b) IN ((1, 2)) AND (a, b) > (3, 4)", "SELECT a FROM t WHERE (a, b) IN ((1, 2)) AND (a, b) > (3, 4)", ""},
		{"UPDATE t SET a = u.a + 1, b = 2 FROM u WHERE u.a = t.a RETURNING b", "UPDATE t JOIN u SET t.a = u.a + 1, t.b = 2 WHERE u.a = t.a RETURNING b", ""},
		{"UPDATE t AS x SET a = 1 FROM u, (SELECT 1 AS e) AS v LEFT JOIN w ON w.a = v.e", "UPDATE t AS x JOIN (u, (SELECT 1 AS e) AS v LEFT JOIN w ON w.a = v.e) SET x.a = 1",
			"UPDATE t AS x SET a = 1 FROM (u) JOIN ((SELECT 1 AS e) AS v LEFT JOIN w ON w.a = v.e)"},
		{"UPDATE t SET a = b IS NOT DISTINCT FROM c WHERE a IS DISTINCT FROM 1", "UPDATE t SET a = b <=> c WHERE a <=> BINARY 1", "UPDATE t SET a = b IS c WHERE a IS NOT 1"},
		{"UPDATE t SET (a, b) = (1, c + 2), c = 3 WHERE a = 1", "UPDATE t SET a = 1, b = c + 2, c = 3 WHERE a = 1", "UPDATE t SET a = 1, b = c + 2, c = 3 WHERE a = 1"},
		{"SELECT [a], \"t\".b FROM \"t\" WHERE `a` = 'b'", "SELECT a, t.b FROM t WHERE `a` = 'b'", "SELECT a, t.b FROM t WHERE a = 'b'"},
		{"INSERT OR REPLACE INTO t (a) VALUES (1)", "REPLACE INTO t (a) VALUES (1)", "REPLACE INTO t (a) VALUES (1)"},
		{"INSERT OR ABORT INTO t (a) VALUES (1)", "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (a) VALUES (1)"},
		{"INSERT OR IGNORE INTO t (a) VALUES ('or ignore')", "INSERT IGNORE INTO t (a) VALUES ('or ignore')", ""},
		{"UPDATE OR IGNORE t SET a = 1 RETURNING b", "UPDATE IGNORE t SET a = 1 RETURNING b", ""},
		{"INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a=excluded.b, b = 2", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a=VALUES(b), b = 2",
			"INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = excluded.b, b = 2"},
		{"INSERT INTO t (a) VALUES (1) ON CONFLICT (a, \"b\") DO UPDATE SET a=excluded.b RETURNING a", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a=VALUES(b) RETURNING a",
			"INSERT INTO t (a) VALUES (1) ON CONFLICT (a, \"b\") DO UPDATE SET a = excluded.b RETURNING a"},
		{"INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2 WHERE t.b > excluded.b RETURNING a", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2 RETURNING a", ""},
		{"INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = (SELECT 1 FROM u WHERE a = 2) WHERE b IS NOT 1",
			"INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = (SELECT 1 FROM u WHERE a = 2)", ""},
		{"insert into t (a) select a from t on conflict do nothing", "INSERT IGNORE into t (a) select a from t", "INSERT INTO t (a) SELECT a FROM t ON CONFLICT DO NOTHING"},
		{"INSERT INTO t (a) VALUES ('on conflict (a) do update') ON CONFLICT(a) DO NOTHING RETURNING b", "INSERT IGNORE INTO t (a) VALUES ('on conflict (a) do update') RETURNING b",
			"INSERT INTO t (a) VALUES ('on conflict (a) do update') ON CONFLICT (a) DO NOTHING RETURNING b"},
	} {
		lowered, err := words{}.Lower(c.sql)
		if err != nil || lowered != c.lowered {
			t.Errorf("%s\nis lowered to %s, %v\nwant          %s", c.sql, lowered, err, c.lowered)
		}
		want := c.spelled
		if want == "" {
			want = c.sql
		}
		if got, ok := p.Spell(c.sql); !ok || got != want {
			t.Errorf("%s\nis spelled %s, %v\nwant       %s", c.sql, got, ok, want)
		}
	}
}

// TestRefused: what is read as something else is not read at all.
func TestRefused(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT)"})
	p := New()
	for _, sql := range []string{"SELECT a ^ 1 FROM t", "SELECT a <=> 1 FROM t", "SELECT a FROM t WHERE a ILIKE 'x'", "SELECT GREATEST(a, 1) FROM t", "SELECT a FROM t FORCE INDEX (i)",
		"SELECT a FROM t USE INDEX ()", "SELECT SQL_BIG_RESULT a FROM t", "SELECT FILTER(a, 1) FROM t", "UPDATE OR REPLACE t SET pvkey = vkey, vkey = 7, a = 1", "SELECT 1 FROM DUAL",
		"INSERT OR ROLLBACK INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3)", "UPDATE t SET (pvkey, vkey) = (SELECT vkey, 8)", `SELECT a FROM t WHERE "null" = 5`,
		`SELECT a AS "rank" FROM t`, "SELECT a FROM t ORDER BY NULLS_LAST(a)",
		"WITH c AS MATERIALIZED (VALUES (1)) SELECT * FROM c", "INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3) ON CONFLICT DO UPDATE SET a = 1 WHERE a IN (SELECT a FROM nowhere)"} {
		if a, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read: %+v", sql, a)
		}
	}
}

// TestAnalyze: what the oracles are told of a statement that the common grammar has other words for.
func TestAnalyze(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT, CONSTRAINT k UNIQUE (a))",
		"CREATE TABLE u (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT)"})
	p := New()
	a, err := p.Analyze(schema, "SELECT pkey, vkey FROM t WHERE a IS NOT 3 AND a || 'x' GLOB '1*'")
	if want := "a IS NOT 3 AND a || 'x' GLOB '1*'"; err != nil || a.MatchWhere != want || !a.EveryRow {
		t.Errorf("%+v, %v; want %s", a, err, want)
	}
	a, err = p.Analyze(schema, "INSERT INTO t (pkey, vkey, pvkey, a) VALUES (9, 7, 0, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 7 WHERE EXISTS (SELECT 1 FROM u WHERE u.a = excluded.a)")
	if err != nil || a.Upserts != 0 || a.Spells != 0 || !a.Diff || !a.ValueDepends || len(a.Tables) != 2 || a.VKey != 7 || len(a.Used["u"]) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = p.Analyze(schema, "UPDATE t SET pvkey = t.vkey, vkey = 8, a = 2 FROM u WHERE t.pkey = u.pkey")
	if err != nil || a.Target != "t" || a.VKey != 8 || a.Unkeyed || len(a.Also) > 0 || a.MatchTable != "" || len(a.Tables) != 2 || !a.ChecksUnique {
		t.Errorf("%+v, %v", a, err)
	}
	read, err := p.BeforeRead(schema, "DELETE FROM t WHERE a IS 3 ORDER BY a NULLS LAST LIMIT 1", false, false)
	if want := "SELECT t.pkey,t.vkey FROM t WHERE a IS 3 ORDER BY a NULLS LAST LIMIT 1"; err != nil || read != want {
		t.Errorf("%s, %v", read, err)
	}
	if x, err := p.Condition("a IS 3"); err != nil || x.Op != sqltext.OpSame {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err := p.Condition("a IS NOT 3"); err != nil || len(x.Args) != 2 || x.Args[1].Op != sqltext.OpUnknown {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestOddTexts: whatever words follow each other, a text is read or refused.
func TestOddTexts(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT)"})
	p := New()
	words := strings.Fields("SELECT INSERT UPDATE WITH t a 1 'x' ( ) , . = < <=> IS NOT NULL DISTINCT FROM SET WHERE FILTER OVER " +
		"ORDER BY NULLS FIRST LAST DESC ROW CAST AS " +
		"INTEGER UNSIGNED BINARY COLLATE NOCASE MAX GREATEST INDEXED USE INDEX " +
		"MATERIALIZED SQL_BIG_RESULT OR IGNORE REPLACE ON CONFLICT DO NOTHING DUPLICATE KEY excluded VALUES INTO GLOB ILIKE || ^ == JOIN LIMIT \"a\" [t] " +
		"RETURNING")
	heads := []string{"", "SELECT a FROM t WHERE ", "UPDATE t SET a = ",
		"INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = ", "SELECT SUM(a) FILTER (WHERE a) "}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 14).Draw(rt, "words"), " ")
		head := rapid.SampledFrom(heads).Draw(rt, "head")
		_, _ = p.Analyze(schema, head+text)
		_, _ = p.Spell(head + text)
		_ = p.IsCondition(text)
		_, _ = raise(head + text)
	})
}
