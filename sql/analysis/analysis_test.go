package analysis_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "txweave/dbms/registry"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// grammar is that of a database, whose schema is defined by statements.
func grammar(dbms string, ddl ...string) (*analysis.Texts, *sqltext.Schema) {
	x := sqltext.SyntaxOf(dbms)
	return analysis.TextsOf(x), x.Schema(ddl)
}

// TestRowCount: which answers tell how many rows a table holds.
func TestRowCount(t *testing.T) {
	none, each := sqltext.RowCount{}, sqltext.RowCount{Told: true}
	column := func(i int) sqltext.RowCount { return sqltext.RowCount{Told: true, Counts: true, Column: i} }
	p, schema := grammar("mysql", "CREATE TABLE t (pkey INT NOT NULL PRIMARY KEY, vkey INT, c0 INT)",
		"CREATE TABLE s (pkey INT NOT NULL PRIMARY KEY, vkey INT)")
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
		"UPDATE t SET c0 = 1":                                 none,
		"SELECT c0 FROM t WHERE pkey IN (SELECT pkey FROM s)": none,
	} {
		a, err := p.Analyze(schema, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if a.RowCount != want {
			t.Errorf("%s: %+v, want %+v", sql, a.RowCount, want)
		}
	}
}

// TestColliding: the rows that make a difference to a write because of keys are those that have one of what it writes,
// and those that an UPDATE matches; where a value may be stored as another one, or a key is not of columns, nothing is
// known.
func TestColliding(t *testing.T) {
	const columns = "pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT, b VARCHAR(9), d DECIMAL(9,1), f DOUBLE PRECISION"
	p, schema := grammar("postgresql", "CREATE TABLE t ("+columns+", UNIQUE (a), UNIQUE (b, d))",
		"CREATE TABLE e ("+columns+")", "CREATE UNIQUE INDEX e_i ON e ((a + 1))",
		"CREATE TABLE g ("+columns+", UNIQUE (f))", "CREATE TABLE s ("+columns+
			", UNIQUE (a), FOREIGN KEY (d) REFERENCES s (a))")
	const into = " (pkey, vkey, pvkey, a, b, d, f) VALUES "
	for sql, want := range map[string]string{
		"INSERT INTO t" + into + "(7, 9, 0, -3, 'x', 2, 1.5), (8, 9, 0, NULL, '', 4, 1)": "" +
			"t.pkey = 7 OR t.a = -3 OR t.b = 'x' AND t.d = 2 OR t.pkey = 8 OR t.a IS NULL OR t.b = '' AND t.d = 4",
		// rounded
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x', 2.25, 1)": "",
		"INSERT INTO t" + into +
			"(7, 9, 0, '3', 'x', 2, 1)": "",
		// may lose its space
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x ', 2, 1)": "",
		"INSERT INTO t" + into +
			"(7, 9, 0, DEFAULT, 'x', 2, 1)": "",
		// defaults
		"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (7, 9, 0, 3)": "",
		"INSERT INTO t" + into +
			"(7, 9, 0, (SELECT MAX(a) FROM e), 'x', 2, 1)": "",
		"INSERT INTO t" + into +
			"(7, 9, 0, 3, 'x', 2, 1) ON CONFLICT DO NOTHING": "t.pkey = 7 OR t.a = 3 OR t.b = 'x' AND t.d = 2",
		"INSERT INTO t" + into +
			"(7, 9, 0, 3, 'x', 2, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 9, f = t.f + 1": "t.pkey = 7 OR t.a " +
			"= 3 OR t.b = 'x' AND t.d = 2",
		"INSERT INTO t" + into +
			"(7, 9, 0, 3, 'x', 2, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 9, b = 'y'": "",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = 4 WHERE t.pkey = 2 OR t.f > 1": "(t.pkey = 2 OR t.f > 1) OR t.a = 4",
		"UPDATE t SET pvkey = vkey, vkey = 9, b = 'z' WHERE t.pkey = 2":          "(t.pkey = 2) OR t.b = 'z'",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = a + 1 WHERE t.pkey = 2":        "",
		// judged by its condition alone
		"UPDATE t SET pvkey = vkey, vkey = 9, f = 2 WHERE t.pkey = 2":                     "",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = 4 WHERE t.pkey IN (SELECT pkey FROM e)": "",
		"INSERT INTO e" + into +
			"(7, 9, 0, 3, 'x', 2, 1)": "",
		"INSERT INTO g" + into +
			"(7, 9, 0, 3, 'x', 2, 1)": "",
		"INSERT INTO s" + into +
			"(7, 9, 0, 3, 'x', 2, 1)": "",
	} {
		if a, err := p.Analyze(schema, sql); err != nil || a.KeyWhere != want {
			t.Errorf("%s: %q, %v; want %q", sql, a.KeyWhere, err, want)
		}
	}
}

// TestInherited: what reads or writes one of several tables that hold a table's rows is understood as what reads or
// writes those rows of that table which its CHECK lets in.
func TestInherited(t *testing.T) {
	const columns = "pkey BIGINT, vkey BIGINT, pvkey BIGINT, a INT"
	p, schema := grammar("postgresql", "CREATE TABLE t ("+columns+", CHECK (pkey % 3 = 0) NO INHERIT)",
		"CREATE TABLE t_h1 (CHECK (pkey % 3 = 1)) INHERITS (t)",
		"CREATE TABLE t_h2 (CHECK (pkey % 3 = 2)) INHERITS (t)", "CREATE TABLE s ("+columns+")")
	_, plain := grammar("postgresql", "CREATE TABLE t ("+columns+")", "CREATE TABLE s ("+columns+")")
	for sql, want := range map[string]string{
		"SELECT COUNT(*) FROM t": "SELECT COUNT(*) FROM t",
		"SELECT COUNT(*) FROM ONLY t": "SELECT COUNT(*) FROM " +
			"(SELECT pkey, vkey, pvkey, a FROM t WHERE pkey % 3 = 0) AS x",
		"SELECT r.a FROM t_h2 AS r WHERE r.a > 3": "SELECT r.a FROM " +
			"(SELECT pkey, vkey, pvkey, a FROM t WHERE pkey % 3 = 2) AS r WHERE r.a > 3",
		"SELECT a FROM s WHERE a IN (SELECT a FROM t_h1)": "SELECT a FROM s WHERE " +
			"a IN (SELECT a FROM (SELECT pkey, vkey, pvkey, a FROM t WHERE pkey % 3 = 1) AS x)",
		"INSERT INTO t_h1 (pkey, vkey, pvkey, a) VALUES (4, 9, 0, 1)": "INSERT INTO t (pkey, " +
			"vkey, pvkey, a) VALUES (4, 9, 0, 1)",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = 1": "UPDATE t SET pvkey = " +
			"vkey, vkey = 9, a = 1",
		"UPDATE ONLY t SET pvkey = vkey, vkey = 9, a = 1": "UPDATE t SET pvkey = " +
			"vkey, vkey = 9, a = 1 WHERE t.pkey % 3 = 0",
		"UPDATE ONLY t SET pvkey = vkey, vkey = 9, a = 1 WHERE a = 2 OR a IS NOT DISTINCT FROM 3": "UPDATE t SET pvkey = " +
			"vkey, vkey = 9, a = 1 WHERE t.pkey % 3 = 0 AND (a = 2 OR a IS NOT DISTINCT FROM 3)",
		"DELETE FROM ONLY t WHERE a IN (SELECT a FROM s WHERE a = 1) RETURNING a": "DELETE FROM t WHERE " +
			"t.pkey % 3 = 0 AND a IN (SELECT a FROM s WHERE a = 1) RETURNING a",
		"DELETE FROM ONLY t": "DELETE FROM t WHERE " +
			"t.pkey % 3 = 0",
	} {
		got, err := p.Analyze(schema, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		same, err := p.Analyze(plain, want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if !reflect.DeepEqual(got, same) {
			t.Errorf("%s:\n%+v\nis not\n%+v", sql, got, same)
		}
	}
	for _, sql := range []string{"UPDATE t_h1 SET a = 1", "DELETE FROM t_h1", "UPDATE ONLY t AS x SET a = 1",
		"UPDATE ONLY t SET a = s.a FROM s",
		"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (4, 9, 0, 1) ON CONFLICT DO NOTHING"} {
		if _, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read", sql)
		}
	}
}

// TestRowLock: a lock clause is told where it is known which rows it locks.
func TestRowLock(t *testing.T) {
	p, schema := grammar("postgresql", "CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)",
		"CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)")
	for sql, want := range map[string]sqltext.RowLock{
		"SELECT pkey FROM t": sqltext.NoRowLock,
		"SELECT r0.pkey FROM t AS r0 INNER JOIN s AS r1 ON r0.pkey = r1.pkey ORDER BY r0.pkey LIMIT 1 FOR UPDATE": sqltext.ForUpdate,
		"SELECT r0.pkey FROM t AS r0 INNER JOIN s AS r1 ON r0.pkey = r1.pkey FOR SHARE OF r0, r1":                 sqltext.ForShare,
		"SELECT r0.pkey FROM t AS r0 INNER JOIN s AS r1 ON r0.pkey = r1.pkey FOR SHARE OF r0":                     sqltext.NoRowLock,
		"SELECT r0.pkey FROM t AS r0 INNER JOIN (SELECT s.pkey FROM s FOR UPDATE) AS r1 ON r0.pkey = r1.pkey":     sqltext.NoRowLock,
		"SELECT pkey FROM t WHERE pkey IN (SELECT s.pkey FROM s FOR UPDATE) FOR SHARE NOWAIT":                     sqltext.ForShare,
		"WITH c AS (SELECT s.pkey FROM s) SELECT c.pkey FROM c FOR UPDATE":                                        sqltext.NoRowLock,
	} {
		if a, err := p.Analyze(schema, sql); err != nil || a.RowLock != want {
			t.Errorf("%s: %+v, %v; want lock %d", sql, a, err, want)
		}
	}
}

// TestRefused: what the contents of the database do not tell is not read.
func TestRefused(t *testing.T) {
	p, schema := grammar("postgresql", "CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a TEXT)",
		"CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)")
	for _, sql := range []string{
		"SELECT $1 FROM t", `SELECT "A" FROM t`, "SELECT a FROM t TABLESAMPLE SYSTEM (50)", "SELECT DISTINCT ON (a) a FROM t",
		"SELECT x FROM generate_series(1, 3) AS x",
		"SELECT CURRENT_USER", "SELECT public.f(a) FROM t", "SELECT a FROM public.t", "TABLE t", "VALUES (1)",
		"WITH q AS (DELETE FROM t RETURNING a) SELECT a FROM q",
		"INSERT INTO t (pkey) VALUES (3) ON CONFLICT (pkey) DO UPDATE SET a = 'x' WHERE t.a > 'y'", "UPDATE t SET pkey = 3",

		"SELECT CAST(' NOW' AS TIMESTAMP) FROM t", "SELECT DATE 'today' FROM t",
		"SELECT 1 FROM DUAL WHERE EXISTS (SELECT 1 FROM t)",
		"SELECT pkey, vkey, ctid FROM t", "SELECT pkey FROM t WHERE t.XMIN = t.xmax",
		"SELECT pkey, pg_try_advisory_lock(5) FROM t",
		"UPDATE t SET pvkey = vkey, vkey = 7 WHERE pg_advisory_unlock(5)", "SELECT pg_advisory_lock(5) AS x",
		"SELECT pg_advisory_unlock_all()",
		"SELECT pkey FROM t WHERE current_setting('transaction_read_only') = 'on'", "SELECT pg_table_size('t') FROM t"} {
		if a, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read: %+v", sql, a)
		}
	}
	for _, sql := range []string{"SELECT t.pkey, t.vkey FROM t WHERE t.a = 'E''a || full' AND t.pkey != 3",
		"UPDATE t SET pvkey = vkey, vkey = 1001, a = 'x' WHERE pkey = 1",
		"SELECT t.pkey, t.vkey FROM t WHERE t.a LIKE 'a#~%' FOR SHARE",
		"SELECT CAST('nowhere' AS CHAR) FROM t", "SELECT t.a::int FROM t FULL JOIN s ON t.pkey = s.pkey",
		"SELECT \"a\" FROM t WHERE a ILIKE 'x' OR a ~ E'y'",
		"SELECT 1 FROM ONLY t, LATERAL (SELECT s.pkey FROM s WHERE s.pkey = t.pkey) AS l",
		"DELETE FROM t WHERE a > 'x' RETURNING pkey, a"} {
		if _, err := p.Analyze(schema, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestPostgreSQL: what only PostgreSQL has words for is understood.
func TestPostgreSQL(t *testing.T) {
	p, schema := grammar("postgresql",
		"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT, CONSTRAINT u UNIQUE (a))",
		"CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT)",
		"CREATE VIEW v AS SELECT s.a AS e FROM s WHERE s.a IS NOT DISTINCT FROM 1")
	for _, c := range []struct {
		sql  string
		want sqltext.Analysis
	}{
		{"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (3, 7, 0, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 7, " +
			"a = EXCLUDED.a",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 7, Diff: true, ChecksUnique: true}},
		{"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (3, 7, 0, 1) ON CONFLICT DO NOTHING",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 7, ChecksUnique: true, Plain: true}},
		{"UPDATE t SET pvkey = t.vkey, vkey = 8, a = CASE WHEN t.a > 1 THEN 2 ELSE 3 END FROM s AS r0 WHERE t.pkey = " +
			"r0.pkey AND r0.a = 4",
			sqltext.Analysis{Kind: sqltext.Update, Target: "t", VKey: 8, ChecksUnique: true}},
		{"DELETE FROM t USING s AS r0, v AS r1 WHERE t.pkey = r0.pkey AND r1.e = r0.a",
			sqltext.Analysis{Kind: sqltext.Delete, Target: "t", Diff: true}},
		{"MERGE INTO t USING s AS r0 ON t.pkey = r0.pkey WHEN MATCHED AND CASE WHEN r0.a > 1 THEN 2 ELSE 3 END = 2 THEN " +
			"UPDATE SET pvkey = t.vkey, vkey = 9, a = r0.a" +
			" WHEN NOT MATCHED THEN INSERT (pkey, vkey, pvkey) VALUES (1000 + r0.pkey, 9, 0)",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 9, Diff: true, ChecksUnique: true}},
		{"MERGE INTO t AS x USING s ON x.pkey = s.pkey WHEN MATCHED AND s.a = 1 THEN UPDATE SET pvkey = x.vkey, vkey = 9 " +
			"WHEN MATCHED THEN DELETE",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 9, Diff: true, ChecksUnique: true}},
		{"MERGE INTO t USING s ON t.pkey = s.pkey WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN DO NOTHING",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", Diff: true, ChecksUnique: true}},
		{"SELECT t.a || 'x' FROM t WHERE t.a IS DISTINCT FROM 3 OR EXISTS (SELECT 1 FROM s ORDER BY s.a NULLS FIRST, " +
			"s.pkey DESC NULLS LAST, s.vkey NULLS LAST LIMIT 1)",
			sqltext.Analysis{Kind: sqltext.Select}},
		{"SELECT t.a AS e0 FROM t ORDER BY e0 NULLS FIRST FOR UPDATE",
			sqltext.Analysis{Kind: sqltext.Select, Locking: true, RowLock: sqltext.ForUpdate}},
		{"WITH q AS NOT MATERIALIZED (SELECT SUM(s.a) FILTER (WHERE s.a > 1) AS e FROM s) SELECT q.e, COUNT(*) FILTER " +
			"(WHERE q.e IS NULL) FROM q GROUP BY q.e",
			sqltext.Analysis{Kind: sqltext.Select}},
		{"SELECT t.pkey FROM t WHERE t.a IS NOT DISTINCT FROM 3 FOR NO KEY UPDATE",
			sqltext.Analysis{Kind: sqltext.Select, Locking: true, RowLock: sqltext.ForNoKeyUpdate}},
		{"SELECT t.pkey FROM t FOR KEY SHARE SKIP LOCKED",
			sqltext.Analysis{Kind: sqltext.Select, Locking: true, SkipsLocked: true, RowLock: sqltext.ForKeyShare}},
	} {
		a, err := p.Analyze(schema, c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if a.Kind != c.want.Kind || a.Target != c.want.Target || a.VKey != c.want.VKey || a.Diff != c.want.Diff ||
			a.ChecksUnique != c.want.ChecksUnique ||
			a.Plain != c.want.Plain || a.Locking != c.want.Locking || a.SkipsLocked != c.want.SkipsLocked ||
			a.RowLock != c.want.RowLock {
			t.Errorf("%s\nis %+v", c.sql, a)
		}
	}
}

// TestSQLite: what only SQLite has words for is understood.
func TestSQLite(t *testing.T) {
	p, schema := grammar("sqlite",
		"CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT, CONSTRAINT k UNIQUE (a))",
		"CREATE TABLE u (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT)")
	a, err := p.Analyze(schema, "SELECT pkey, vkey FROM t WHERE a IS NOT 3 AND a || 'x' GLOB '1*'")
	if want := "a IS NOT 3 AND a || 'x' GLOB '1*'"; err != nil || a.MatchWhere != want || !a.EveryRow {
		t.Errorf("%+v, %v; want %s", a, err, want)
	}
	a, err = p.Analyze(schema,
		"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (9, 7, 0, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 7 "+
			"WHERE EXISTS (SELECT 1 FROM u WHERE u.a = excluded.a)")
	if err != nil || a.Upserts != 0 || a.Spells != 0 || a.Passes != 1 || !a.Diff || !a.ValueDepends || len(a.Tables) !=
		2 || a.VKey != 7 || !slices.Equal(a.Used["u"], []string{"a"}) {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = p.Analyze(schema, "UPDATE t SET pvkey = t.vkey, vkey = 8, a = 2 FROM u WHERE t.pkey = u.pkey")
	if err != nil || a.Target != "t" || a.VKey != 8 || a.Unkeyed || len(a.Also) > 0 || a.MatchTable != "" ||
		len(a.Tables) != 2 || !a.ChecksUnique {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = p.Analyze(schema,
		"INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3) ON CONFLICT (a) DO NOTHING ON CONFLICT DO UPDATE SET a = 1")
	if err != nil || a.Spells != 0 || a.Upserts != 0 || a.Plain || !a.Unkeyed || !a.Diff {
		t.Errorf("%+v, %v", a, err)
	}
	read, err := p.BeforeRead(schema, "DELETE FROM t WHERE a IS 3 ORDER BY a NULLS LAST LIMIT 1", false, false)
	if want := "SELECT t.pkey, t.vkey FROM t WHERE a IS 3 ORDER BY a NULLS LAST LIMIT 1"; err != nil || read != want {
		t.Errorf("%s, %v", read, err)
	}
	for _, sql := range []string{
		"UPDATE OR REPLACE t SET pvkey = vkey, vkey = 7, a = 1", "SELECT 1 FROM DUAL",
		"INSERT OR ROLLBACK INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3)",
		"WITH c AS MATERIALIZED (VALUES (1)) SELECT * FROM c", "SELECT value FROM json_each('[1]')",
		"SELECT a FROM t WHERE strftime('%f', 'now') > a",
		"INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3) ON CONFLICT DO UPDATE SET a = 1 WHERE a IN (SELECT a FROM " +
			"nowhere)",
		"INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3) ON CONFLICT (a) WHERE a > 1 DO NOTHING",
		"SELECT a FROM t WHERE a = ?1",
		"INSERT OR IGNORE INTO t (pkey, vkey, pvkey) VALUES (1, 2, 3) ON CONFLICT (a) DO NOTHING",
	} {
		if a, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read: %+v", sql, a)
		}
	}
}

// TestUpserts: what an upsert would have inserted is no value of the database's.
func TestUpserts(t *testing.T) {
	for dbms, sql := range map[string]string{
		"sqlite": "INSERT INTO t (pkey, vkey, pvkey, a, b) VALUES (9, 7, 0, 1, 2) ON CONFLICT (pkey) DO UPDATE SET " +
			"pvkey = vkey, vkey = 7, b = excluded.a",
		"mysql": "INSERT INTO t (pkey, vkey, pvkey, a, b) VALUES (9, 7, 0, 1, 2) ON DUPLICATE KEY UPDATE pvkey = " +
			"vkey, vkey = 7, b = VALUES(a)",
		"postgresql": "INSERT INTO t (pkey, vkey, pvkey, a, b) VALUES (9, 7, 0, 1, 2) ON CONFLICT (pkey) DO UPDATE SET " +
			"pvkey = t.vkey, vkey = 7, b = EXCLUDED.a",
	} {
		p, schema := grammar(dbms, "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, a INT, b INT)")
		a, err := p.Analyze(schema, sql)
		if err != nil || a.VKey != 7 || a.Unkeyed || a.Upserts != 1 || !slices.Equal(a.Used["t"], []string{"vkey"}) {
			t.Errorf("%s: %+v, %v", sql, a, err)
		}
	}
}

// TestWholeRows: where a row as a whole is printed, each of its columns is used.
func TestWholeRows(t *testing.T) {
	p, schema := grammar("postgresql", "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, a INT)")
	for sql, all := range map[string]bool{
		"SELECT t FROM t": true, "SELECT to_json(x.*) FROM t AS x": true, "SELECT x.b FROM t AS x (c, b)": true,
		"SELECT COUNT(*) FROM t": false, "SELECT a FROM t": false,
	} {
		if a, err := p.Analyze(schema, sql); err != nil || (len(a.Used) == 0) != all {
			t.Errorf("%s: %v, %v", sql, a, err)
		}
	}
}

// TestOddTexts: whatever words follow each other, a text is read or refused.
func TestOddTexts(t *testing.T) {
	words := strings.Fields(
		"SELECT INSERT UPDATE WITH t a 1 'x' ( ) , . = < <=> IS NOT NULL DISTINCT FROM SET WHERE FILTER OVER ORDER BY " +
			"NULLS FIRST LAST " +
			"DESC ROW CAST AS INTEGER UNSIGNED BINARY COLLATE NOCASE MAX GREATEST INDEXED USE INDEX MATERIALIZED OR IGNORE " +
			"REPLACE ON CONFLICT DO NOTHING " +
			"DUPLICATE KEY excluded VALUES INTO GLOB ILIKE || ^ == JOIN LIMIT \"a\" [t] RETURNING MERGE USING MATCHED WHEN " +
			"THEN DELETE")
	heads := []string{"", "SELECT a FROM t WHERE ", "UPDATE t SET a = ",
		"INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = ", "SELECT SUM(a) FILTER (WHERE a) "}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 14).Draw(rt, "words"), " ")
		head := rapid.SampledFrom(heads).Draw(rt, "head")
		p, schema := grammar(rapid.SampledFrom([]string{"sqlite", "mysql", "postgresql"}).Draw(rt, "dbms"),
			"CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, a INT)")
		_, _ = p.Analyze(schema, head+text)
		_, _ = p.BeforeRead(schema, head+text, false, false)
	})
}

// TestBounded: what nests deeper than any statement does would take time, memory and stack without end.
func TestBounded(t *testing.T) {
	for _, dbms := range []string{"sqlite", "mariadb", "postgresql"} {
		p, schema := grammar(dbms, "CREATE TABLE t (pkey INT PRIMARY KEY)")
		if _, err := p.Analyze(schema, "SELECT pkey FROM t WHERE pkey = "+strings.Repeat("- ", 100*sqltext.MaxDepth)+
			"1"); err == nil {
			t.Errorf("%s reads %d signs", dbms, 100*sqltext.MaxDepth)
		}
	}
}

// TestPlanDecides: an operator that has errors of its own leaves it to the plan whether one arises.
func TestPlanDecides(t *testing.T) {
	p, schema := grammar("postgresql", "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, a INT, b TEXT)")
	for sql, decides := range map[string]bool{
		"SELECT a FROM t WHERE a + 1 = 2 AND b || 'x' LIKE b": false, "SELECT a FROM t WHERE a ^ 2 = 4": true,
		"SELECT a FROM t WHERE b ~ 'x'": true,
		"SELECT a FROM t WHERE b ~ b":   true, "SELECT b::int FROM t": true, "SELECT a::text FROM t": false,
		"SELECT a FROM t WHERE b -> 'x' IS NULL": true,
	} {
		if a, err := p.Analyze(schema, sql); err != nil || a.PlanDecides != decides {
			t.Errorf("%s: %+v, %v", sql, a, err)
		}
	}
}

// TestPartitions: a statement of some partitions does not judge the rows of the others.
func TestPartitions(t *testing.T) {
	p, schema := grammar("mysql",
		"CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, a INT) PARTITION BY HASH (pkey) PARTITIONS 3")
	for sql, judged := range map[string]string{
		"SELECT a FROM t PARTITION (p0) WHERE a > 1": "", "DELETE FROM t PARTITION (p0, p1) WHERE a > 1": "",
		"UPDATE t PARTITION (p0) SET pvkey = vkey, vkey = 7": "", "DELETE FROM t WHERE a > 1": "t",
	} {
		if a, err := p.Analyze(schema, sql); err != nil || a.MatchTable != judged {
			t.Errorf("%s: %+v, %v", sql, a, err)
		}
	}
}
