package respell

import (
	"testing"

	postgresql "txweave/dbms/postgresql/dialect"
	"txweave/sql"
)

// TestKept: a statement whose rewriting would mean another thing, or nothing, stays; beside it what is rewritten all
// the same.
func TestKept(t *testing.T) {
	copies := (&Copies{Materialized: "MATERIALIZED", Unlisted: []string{"rowid"}}).Query
	pg := postgresql.New(postgresql.Server{Version: 18})
	for _, c := range []struct {
		d         *sql.Dialect
		f         func(sql.Stmt) sql.Stmt
		kept      string
		rewritten string
	}{
		// w may be u's
		{sqlite, Respelled, "UPDATE t SET v = w FROM u WHERE u.a = t.a", "UPDATE t SET v = t.w FROM u WHERE u.a = t.a"},
		{sqlite, Respelled, "SELECT 1 FROM t LEFT JOIN json_each(t.x) AS j ON 1", "SELECT 1 FROM t LEFT JOIN j ON 1"},
		{sqlite, Respelled, "SELECT a FROM t UNION SELECT b FROM u ORDER BY b",
			"SELECT a FROM t UNION SELECT b FROM u ORDER BY a"},
		{sqlite, Respelled, "SELECT a FROM t EXCEPT SELECT b FROM u ORDER BY t.a",
			"SELECT a FROM t EXCEPT SELECT b FROM u ORDER BY 1"},
		{sqlite, Respelled, "SELECT t.a, u.A FROM t JOIN u EXCEPT SELECT a, b FROM v",
			"SELECT t.a, u.b FROM t JOIN u EXCEPT SELECT a, b FROM v"},
		{sqlite, Respelled, "SELECT COUNT(x) OVER (), json_group_array(y) FROM t",
			"SELECT COUNT(x) OVER (), json_array(y) FROM t"},
		{sqlite, Respelled, "SELECT COUNT(x) OVER () FROM t ORDER BY MAX(y)", "SELECT COUNT(x) OVER () FROM t ORDER BY y"},
		{sqlite, Respelled, "INSERT INTO t VALUES (1) ON CONFLICT ((a IN (1, 2))) WHERE (b IN (3)) DO NOTHING",
			"INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2 WHERE (a IN (1, 2))"},
		{pg, Unquantified, "SELECT 1 FROM t WHERE t.a IN (SELECT DISTINCT ON (s.c) s.b FROM s)",
			"SELECT 1 FROM t WHERE t.a IN (SELECT DISTINCT s.b FROM s)"},
		{sqlite, Respelled, "SELECT 1 FROM t WHERE abs(random() % 2) IN (0, 1)",
			"SELECT 1 FROM t WHERE abs(a % 2) IN (0, 1)"},
		{sqlite, Respelled, "SELECT 1 FROM t WHERE a IN (SELECT b FROM u WHERE random() > 0)",
			"SELECT 1 FROM t WHERE a IN (SELECT b FROM u WHERE c > 0)"},
		{sqlite, Respelled, "SELECT 1 FROM t WHERE (a, b) IN (SELECT b, c FROM u ORDER BY random() LIMIT 1)",
			"SELECT 1 FROM t WHERE (a, b) IN (SELECT b, c FROM u LIMIT 1)"},
		{sqlite, Respelled, "SELECT COUNT(x) OVER () FROM t WHERE random() > 0",
			"SELECT COUNT(x) OVER () FROM t WHERE c > 0"},
		{pg, Unquantified, "SELECT 1 FROM t WHERE t.a = ANY (SELECT s.b FROM s WHERE nextval('q') > s.b)",
			"SELECT 1 FROM t WHERE t.a = ANY (SELECT s.b FROM s WHERE abs(s.c) > s.b)"},
		{mariadb, Unquantified, "SELECT 1 FROM t WHERE t.a IN (SELECT s.b FROM s WHERE (@n := @n + 1) > 2)",
			"SELECT 1 FROM t WHERE t.a IN (SELECT s.b FROM s WHERE (@n + 1) > 2)"},
		// Columns that are called by their text.
		{sqlite, Respelled, "SELECT d.\"MIN(x)\" FROM (SELECT MIN(x) FROM t) AS d",
			"SELECT d.m FROM (SELECT MIN(x) AS m FROM t) AS d"},
		{sqlite, Respelled, "CREATE TEMP TABLE s AS SELECT a IN (1, 2) FROM t",
			"CREATE TEMP TABLE s AS SELECT a IN (1, 2) AS e FROM t"},
		{sqlite, Opaque, "WITH q AS (SELECT (SELECT 1 FROM t WHERE a)) SELECT * FROM q",
			"WITH q (e) AS (SELECT (SELECT 1 FROM t WHERE a)) SELECT * FROM q"},
		{sqlite, copies, "SELECT t.RowId FROM t", "SELECT t.pkey FROM t"},
		{pg, copies, "WITH RECURSIVE q AS (SELECT a FROM t UNION SELECT a + 1 FROM q) SELECT a FROM q",
			"WITH q AS (SELECT a FROM t) SELECT a FROM q"},
		{pg, copies, "WITH q AS (INSERT INTO t SELECT a FROM u RETURNING a) SELECT a FROM q",
			"WITH q AS (SELECT a FROM u) SELECT a FROM q"},
	} {
		if got := respelt(t, c.d, c.f, c.kept); got != c.kept {
			t.Errorf("%s\nis %s", c.kept, got)
		}
		if respelt(t, c.d, c.f, c.rewritten) == c.rewritten {
			t.Errorf("%s stays", c.rewritten)
		}
	}
}

// TestGroupedAlike: what is printed stays the same as what it is grouped and ordered by.
func TestGroupedAlike(t *testing.T) {
	const in = "t.a IN (SELECT s.b FROM s)"
	said := respelt(t, mariadb, Unquantified, "SELECT "+in)[len("SELECT "):]
	got := respelt(t, mariadb, Unquantified, "SELECT "+in+" FROM t GROUP BY "+in+" ORDER BY "+in+" DESC")
	if want := "SELECT " + said + " FROM t GROUP BY " + said + " ORDER BY " + said + " DESC"; got != want || said == in {
		t.Errorf("%s\nwant %s", got, want)
	}
}
