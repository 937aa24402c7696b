package postgresql

import (
	"slices"
	"strings"
	"testing"

	"txweave/sqltext"
)

// TestGate: what MySQL's grammar would take for something else is not read at all.
func TestGate(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a TEXT)", "CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)"})
	p := New()
	for _, sql := range []string{"SELECT t.pkey FROM t FULL JOIN s ON t.pkey = s.pkey", "SELECT E'a' FROM t", `SELECT "a" FROM t`,
		"SELECT t.a::int FROM t", "SELECT t.pkey ^ 2 FROM t", "SELECT t.pkey # 2 FROM t", "SELECT 1 FROM ONLY t", "SELECT $1 FROM t", "SELECT $$a$$ FROM t",
		"SELECT a AS returning FROM t", "SELECT a ~ 'x' FROM t", "SELECT t.pkey FROM t WHERE a && a", "SELECT a FROM t WHERE a ILIKE 'x'",
		"SELECT CAST(' NOW' AS TIMESTAMP) FROM t", "SELECT DATE 'today' FROM t", "SELECT 1 FROM DUAL WHERE EXISTS (SELECT 1 FROM t)",
		"SELECT pkey, vkey, ctid FROM t", "SELECT pkey FROM t WHERE t.XMIN = t.xmax", "SELECT pkey, pg_try_advisory_lock(5) FROM t",
		"UPDATE t SET pvkey = vkey, vkey = 7 WHERE pg_advisory_unlock(5)", "SELECT pg_advisory_lock(5) AS x", "SELECT pg_advisory_unlock_all()",
		"SELECT pkey FROM t WHERE current_setting('transaction_read_only') = 'on'", "SELECT pg_table_size('t') FROM t"} {
		if a, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read: %+v", sql, a)
		}
	}
	for _, sql := range []string{"SELECT t.pkey, t.vkey FROM t WHERE t.a = 'E''a || full' AND t.pkey != 3", "UPDATE t SET pvkey = vkey, vkey = 1001, a = 'x' WHERE pkey = 1",
		"SELECT t.pkey, t.vkey FROM t WHERE t.a LIKE 'a#~%' FOR SHARE",
		"SELECT CAST('nowhere' AS CHAR) FROM t", "DELETE FROM t WHERE a > 'x' RETURNING pkey, a"} {
		if _, err := p.Analyze(schema, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestSpell(t *testing.T) {
	p := New()
	for sql, want := range map[string]string{
		"SELECT a FROM t FOR SHARE":                                                           "SELECT a FROM t FOR SHARE",
		"SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1":                                         "SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1",
		"SELECT 1 FROM t AS x CROSS JOIN s AS y WHERE 1 = 1":                                  "SELECT 1 FROM t AS x CROSS JOIN s AS y WHERE 1 = 1",
		"SELECT 1 FROM t INNER JOIN (SELECT 1 AS e FROM s CROSS JOIN s AS z) AS y ON y.e = 1": "SELECT 1 FROM t JOIN (SELECT 1 AS e FROM s CROSS JOIN s AS z) AS y ON y.e = 1",
		"SELECT 1 FROM t LEFT JOIN s ON TRUE WHERE a = 'LOCK IN SHARE MODE'":                  "SELECT 1 FROM t LEFT JOIN s ON TRUE WHERE a = 'LOCK IN SHARE MODE'",
	} {
		if got, ok := p.Spell(sql); !ok || got != want {
			t.Errorf("%s\nis spelled %s\nwant       %s", sql, got, want)
		}
	}
	got, err := p.BeforeRead(nil, "DELETE FROM t WHERE a < (SELECT r.a FROM t AS r JOIN t AS q ON TRUE ORDER BY r.pkey LIMIT 1 OFFSET 2)", false, false)
	if want := "SELECT t.pkey,t.vkey FROM t WHERE a < (SELECT r.a FROM t AS r JOIN t AS q ON TRUE ORDER BY r.pkey LIMIT 1 OFFSET 2)"; err != nil || got != want {
		t.Errorf("before a DELETE: %s, %v", got, err)
	}
}

// TestLower: what only PostgreSQL has words for means the same in the common grammar, and is printed as it was.
func TestLower(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT, CONSTRAINT u UNIQUE (a))",
		"CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT)", "CREATE VIEW v AS SELECT s.a AS e FROM s WHERE s.a IS NOT DISTINCT FROM 1"})
	p := New()
	for _, c := range []struct {
		sql, spelled string // "" where it is not printed again
		want         sqltext.Analysis
	}{
		{"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (3, 7, 0, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 7, a = EXCLUDED.a",
			"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (3, 7, 0, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 7, a = EXCLUDED.a",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 7, Diff: true, ChecksUnique: true}},
		{"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (3, 7, 0, 1) ON CONFLICT DO NOTHING", "INSERT INTO t (pkey, vkey, pvkey, a) VALUES (3, 7, 0, 1) ON CONFLICT DO NOTHING",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 7, ChecksUnique: true, Plain: true}},
		{"UPDATE t SET pvkey = t.vkey, vkey = 8, a = CASE WHEN t.a > 1 THEN 2 ELSE 3 END FROM s AS r0 WHERE t.pkey = r0.pkey AND r0.a = 4",
			"UPDATE t SET pvkey = t.vkey, vkey = 8, a = CASE WHEN t.a > 1 THEN 2 ELSE 3 END FROM s AS r0 WHERE t.pkey = r0.pkey AND r0.a = 4",
			sqltext.Analysis{Kind: sqltext.Update, Target: "t", VKey: 8, ChecksUnique: true}},
		{"DELETE FROM t USING s AS r0, v AS r1 WHERE t.pkey = r0.pkey AND r1.e = r0.a", "", sqltext.Analysis{Kind: sqltext.Delete, Target: "t", Diff: true}},
		{"MERGE INTO t USING s AS r0 ON t.pkey = r0.pkey WHEN MATCHED AND CASE WHEN r0.a > 1 THEN 2 ELSE 3 END = 2 THEN UPDATE SET pvkey = t.vkey, vkey = 9, a = r0.a" +
			" WHEN NOT MATCHED THEN INSERT (pkey, vkey, pvkey) VALUES (1000 + r0.pkey, 9, 0)", "",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 9, Diff: true, ChecksUnique: true}},
		{"MERGE INTO t AS x USING s ON x.pkey = s.pkey WHEN MATCHED AND s.a = 1 THEN UPDATE SET pvkey = x.vkey, vkey = 9 WHEN MATCHED THEN DELETE", "",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", VKey: 9, Diff: true, ChecksUnique: true}},
		{"MERGE INTO t USING s ON t.pkey = s.pkey WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN DO NOTHING", "",
			sqltext.Analysis{Kind: sqltext.Insert, Target: "t", Diff: true, ChecksUnique: true}},
		{"SELECT t.a || 'x' FROM t WHERE t.a IS DISTINCT FROM 3 OR EXISTS (SELECT 1 FROM s ORDER BY s.a NULLS FIRST, s.pkey DESC NULLS LAST, s.vkey NULLS LAST LIMIT 1)",
			"SELECT t.a || 'x' FROM t WHERE t.a IS DISTINCT FROM 3 OR EXISTS (SELECT 1 FROM s ORDER BY s.a NULLS FIRST, s.pkey DESC NULLS LAST, s.vkey NULLS LAST LIMIT 1)",
			sqltext.Analysis{Kind: sqltext.Select}},
		{"SELECT t.a AS e0 FROM t ORDER BY e0 NULLS FIRST FOR UPDATE",
			"SELECT t.a AS e0 FROM t ORDER BY e0 NULLS FIRST FOR UPDATE", sqltext.Analysis{Kind: sqltext.Select, Locking: true, RowLock: sqltext.ForUpdate}},
		{"WITH q AS NOT MATERIALIZED (SELECT SUM(s.a) FILTER (WHERE s.a > 1) AS e FROM s) SELECT q.e, COUNT(*) FILTER (WHERE q.e IS NULL) FROM q GROUP BY q.e",
			"WITH q AS NOT MATERIALIZED (SELECT SUM(s.a) FILTER (WHERE s.a > 1) AS e FROM s) SELECT q.e, COUNT(*) FILTER (WHERE q.e IS NULL) FROM q GROUP BY q.e", sqltext.Analysis{Kind: sqltext.Select}},
		{"SELECT t.pkey FROM t WHERE t.a IS NOT DISTINCT FROM 3 FOR NO KEY UPDATE", "SELECT t.pkey FROM t WHERE t.a IS NOT DISTINCT FROM 3 FOR NO KEY UPDATE",
			sqltext.Analysis{Kind: sqltext.Select, Locking: true, RowLock: sqltext.ForNoKeyUpdate}},
		{"SELECT t.pkey FROM t FOR KEY SHARE SKIP LOCKED", "SELECT t.pkey FROM t FOR KEY SHARE SKIP LOCKED",
			sqltext.Analysis{Kind: sqltext.Select, Locking: true, SkipsLocked: true, RowLock: sqltext.ForKeyShare}},
	} {
		a, err := p.Analyze(schema, c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if a.Kind != c.want.Kind || a.Target != c.want.Target || a.VKey != c.want.VKey || a.Diff != c.want.Diff || a.ChecksUnique != c.want.ChecksUnique ||
			a.Plain != c.want.Plain || a.Locking != c.want.Locking || a.SkipsLocked != c.want.SkipsLocked || a.RowLock != c.want.RowLock {
			t.Errorf("%s\nis %+v", c.sql, a)
		}
		if got, _ := p.Spell(c.sql); got != c.spelled {
			t.Errorf("%s\nis spelled %s\nwant       %s", c.sql, got, c.spelled)
		}
	}
	for _, sql := range []string{"INSERT INTO t (pkey) VALUES (3) ON CONFLICT (a) DO UPDATE SET a = 1 WHERE t.a > 3", "INSERT INTO t (pkey) VALUES (3) ON CONFLICT ON CONSTRAINT u DO NOTHING",
		"INSERT INTO t (pkey) VALUES (3) ON CONFLICT (a) WHERE a > 1 DO NOTHING", "UPDATE t SET (a, pvkey) = (1, 2) FROM s",
		"WITH q AS (SELECT 1 AS e) UPDATE t SET a = 1 FROM q", "MERGE INTO t USING s ON t.pkey = s.pkey WHEN MATCHED THEN DO NOTHING",
		"MERGE INTO t USING s ON t.pkey = s.pkey WHEN NOT MATCHED THEN INSERT VALUES (1, 2, 3, 4)", "MERGE INTO t USING s ON t.pkey = s.pkey WHEN MATCHED THEN UPDATE SET (a, pvkey) = (1, 2)",
		"MERGE INTO t USING s ON t.pkey = s.pkey WHEN MATCHED THEN UPDATE SET pkey = 3", "WITH q AS (SELECT 1 AS e) MERGE INTO t USING q ON t.pkey = q.e WHEN MATCHED THEN DELETE"} {
		if a, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read: %+v", sql, a)
		}
	}
}

// TestRowLock: a lock clause is told where it is known which rows it locks.
func TestRowLock(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)", "CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)"})
	p := New()
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

// TestMerge: the keys that a list of rows spells are known, and MERGE gets smaller by its WHEN clauses and their conditions.
func TestMerge(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT)"})
	p := New()
	sql := "MERGE INTO t USING (SELECT 7 AS a, 2001 AS pkey UNION ALL SELECT 8, 5) AS q ON t.pkey = q.pkey WHEN MATCHED AND t.a = 3 THEN UPDATE SET pvkey = t.vkey, vkey = 9, a = q.a" +
		" WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (pkey, vkey, pvkey, a) VALUES (q.pkey, 9, 0, q.a)"
	a, err := p.Analyze(schema, sql)
	if err != nil || !slices.Equal(a.PKeys, []int64{2001, 5}) || !slices.Equal(a.Tables, []string{"t"}) {
		t.Errorf("%+v, %v", a, err)
	}
	head, update, insert := sql[:strings.Index(sql, " WHEN")], " WHEN MATCHED AND t.a = 3 THEN UPDATE SET pvkey = t.vkey, vkey = 9, a = q.a", sql[strings.Index(sql, " WHEN NOT"):]
	var got []string
	for i, more := 0, true; more; i++ {
		var text string
		if text, more = p.Edit(sql, schema, i); text != "" {
			got = append(got, text)
		}
	}
	want := []string{head + " WHEN MATCHED THEN DELETE" + insert, head + strings.Replace(update, " AND t.a = 3", "", 1) + " WHEN MATCHED THEN DELETE" + insert,
		head + update + insert, head + update + " WHEN MATCHED THEN DELETE"}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
