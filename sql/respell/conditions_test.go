package respell

import (
	"strings"
	"testing"

	"txweave/sql"
)

// TestCopies: a query reads a copy of each table that it names, also where it has tables of its own; whatever is no
// query stays.
func TestCopies(t *testing.T) {
	copies := (&Copies{Schema: "main", Materialized: "MATERIALIZED"}).Query
	sent := func(stmt sql.Stmt) sql.Stmt { return copies(Unhinted(stmt)) }
	const t0, t1 = "t0 AS MATERIALIZED (SELECT * FROM main.t0)", "t1 AS MATERIALIZED (SELECT * FROM main.t1)"
	for text, want := range map[string]string{
		"SELECT COUNT(*) FROM t0": "WITH " + t0 + " SELECT COUNT(*) FROM t0",
		"(SELECT a FROM t0) UNION SELECT a FROM t1": "WITH " + t0 + ", " + t1 +
			" (SELECT a FROM t0) UNION SELECT a FROM t1",
		"SELECT r.a FROM t0 AS r WHERE EXISTS (SELECT 1 FROM t1, t0)": "WITH " + t0 + ", " + t1 +
			" SELECT r.a FROM t0 AS r WHERE EXISTS (SELECT 1 FROM t1, t0)",
		"WITH c AS (SELECT a FROM t0) SELECT a FROM c": "WITH " + t0 +
			", c AS (SELECT a FROM t0) SELECT a FROM c",
		"WITH RECURSIVE c AS (SELECT 1 FROM t0 UNION SELECT 2) SELECT 1 x": "WITH RECURSIVE " + t0 +
			", c AS (SELECT 1 FROM t0 UNION SELECT 2) SELECT 1 x",
		"SELECT main.t0.a FROM t0":       "SELECT main.t0.a FROM t0",
		"SELECT 1 FROM t0 AS r, T0 AS q": "WITH " + t0 + " SELECT 1 FROM t0 AS r, T0 AS q",
		"WITH C AS (SELECT a FROM t0) SELECT a FROM c": "WITH " + t0 +
			", C AS (SELECT a FROM t0) SELECT a FROM c",
		"SELECT 1":                                    "SELECT 1",
		"SELECT a FROM t0 PARTITION (p1)":             "SELECT a FROM t0 PARTITION (p1)",
		"SELECT a FROM t0 AS OF TIMESTAMP 1":          "SELECT a FROM t0 AS OF TIMESTAMP 1",
		"SELECT RANK() OVER (PARTITION BY a) FROM t0": "WITH " + t0 + " SELECT RANK() OVER (PARTITION BY a) FROM t0",
		"SELECT r.a FROM t0 AS r INDEXED BY i JOIN t0 AS q NOT INDEXED ON r.a = q.a": "WITH " + t0 +
			" SELECT r.a FROM t0 AS r JOIN t0 AS q ON r.a = q.a",
		"SELECT a FROM t0 FORCE INDEX FOR ORDER BY (i, j) WHERE a IN (1)": "WITH " + t0 +
			" SELECT a FROM t0 WHERE a IN (1)",
		"UPDATE t0 INDEXED BY i SET a = 'NOT INDEXED'": "UPDATE t0 SET a = 'NOT INDEXED'",
		"UPDATE t0 SET a = 1":                          "UPDATE t0 SET a = 1",
		"INSERT INTO t0 SELECT a FROM t1":              "INSERT INTO t0 SELECT a FROM t1",
		"SELECT a FROM t0 AS r FOR UPDATE OF r NOWAIT": "WITH " + t0 + " SELECT a FROM t0 AS r FOR UPDATE NOWAIT",
		"SELECT 'WITH', a FROM t0 FOR SHARE":           "WITH " + t0 + " SELECT 'WITH', a FROM t0 FOR SHARE",
	} {
		if got := respelt(t, nil, sent, text); got != want {
			t.Errorf("%s\nis sent as %s\nwant       %s", text, got, want)
		}
	}
}

// TestRespelled: a list of literals that is a condition of its own is comparisons, in queries and in writes; another
// stays.
func TestRespelled(t *testing.T) {
	copies := (&Copies{Schema: "main", Materialized: "MATERIALIZED"}).Query
	sent := func(stmt sql.Stmt) sql.Stmt { return copies(Respelled(Unhinted(stmt))) }
	for text, want := range map[string]string{
		"a IN (1, -2.5, NULL)": "((a >= 1 AND a <= 1) OR (a >= -2.5 AND a <= -2.5) OR (a >= NULL AND a <= " +
			"NULL))",
		"r.a NOT IN ('x', 'in (1)') AND b": "(NOT ((r.a >= 'x' AND r.a <= 'x') OR (r.a >= 'in (1)' AND r.a <= 'in " +
			"(1)'))) AND b",
		"NOT lower(a, b) IN ('x') OR c": "NOT ((lower(a, b) >= 'x' AND lower(a, b) <= 'x')) OR c",
		"b = 1 AND (a + 1) IN (2)":      "b = 1 AND (((a + 1) >= 2 AND (a + 1) <= 2))",
		"(a IN (1) OR NOT (b IN (2, 3)))": "(((a >= 1 AND a <= 1)) OR NOT (((b >= 2 AND b <= 2) OR (b >= 3 AND b <= " +
			"3))))",
		"b BETWEEN 1 AND 2 AND a IN (1)":       "b BETWEEN 1 AND 2 AND ((a >= 1 AND a <= 1))",
		"CASE WHEN a IN (1) THEN 2 ELSE 3 END": "CASE WHEN ((a >= 1 AND a <= 1)) THEN 2 ELSE 3 END",
		"a IN (SELECT 1)":                      "a IN (SELECT 1)",
		"a IN (b, 1)":                          "a IN (b, 1)",
		"a IN ()":                              "a IN ()",
		"(a, b) IN ((1, 2))":                   "(a, b) IN ((1, 2))",
		"b BETWEEN 1 AND a IN (1)":             "b BETWEEN 1 AND a IN (1)",
		"a IN (1) IS NULL":                     "a IN (1) IS NULL",
		"b = a IN (1)":                         "b = a IN (1)",
		"-a IN (1)":                            "-a IN (1)",
		"a || b IN ('x')":                      "a || b IN ('x')",
		"CASE a WHEN 1 THEN 2 END IN (1)":      "CASE a WHEN 1 THEN 2 END IN (1)",
		"(SELECT 1) IN (1)":                    "(SELECT 1) IN (1)",
		"a COLLATE NOCASE IN ('x')":            "a COLLATE NOCASE IN ('x')",
	} {
		if got := respelt(t, nil, sent, "DELETE FROM t0 WHERE "+text); got != "DELETE FROM t0 WHERE "+want {
			t.Errorf("%s\nis sent as %s\nwant       %s", text, got, want)
		}
	}
	const want = "WITH t0 AS MATERIALIZED (SELECT * FROM main.t0) SELECT a, ((b >= 1 AND b <= 1)) FROM t0"
	if got := respelt(t, nil, sent, "SELECT a, b IN (1) FROM t0"); got != want {
		t.Errorf("a query is sent as %s", got)
	}
}

// TestOpaque: each condition of a query or a write is the value of a CASE, whatever stands behind it; what only looks
// like one stays.
func TestOpaque(t *testing.T) {
	hidden := strings.NewReplacer("ARRAY[1, 2]", "ARRAY[1, 2]", "'[]'", "'[]'", "[", "CASE WHEN (", "]",
		") THEN TRUE ELSE FALSE END")
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE a = 1": "SELECT a FROM t WHERE [a = 1]",
		"SELECT a FROM t JOIN s ON t.a = s.a, u WHERE a OR b GROUP BY a": "SELECT a FROM t JOIN s ON [t.a = s.a], u " +
			"WHERE [a OR b] GROUP BY a",
		"SELECT a FROM t LEFT JOIN s ON LEFT(t.a, 1) LEFT JOIN u ON 1": "SELECT a FROM t LEFT JOIN s ON [LEFT(t.a, " +
			"1)] LEFT JOIN u ON [1]",
		"SELECT a FROM t WHERE a IN (1, (SELECT b FROM s WHERE b)) ORDER BY a": "SELECT a FROM t WHERE [a IN (1, (SELECT b " +
			"FROM s WHERE [b]))] ORDER BY a",
		"SELECT COUNT(*) FILTER (WHERE a) FROM t GROUP BY b HAVING MAX(a) > 1": "SELECT COUNT(*) FILTER (WHERE [a]) FROM t " +
			"GROUP BY b HAVING [MAX(a) > 1]",
		"SELECT a FROM t WHERE CASE WHEN a THEN b END FOR UPDATE": "SELECT a FROM t WHERE [CASE WHEN a THEN b " +
			"END] FOR UPDATE",
		"SELECT a FROM t WHERE(a) UNION SELECT b FROM s WHERE b": "SELECT a FROM t WHERE [(a)] UNION SELECT " +
			"b FROM s WHERE [b]",
		"UPDATE t JOIN s ON t.a = s.a SET t.b = 1 WHERE s.b LIMIT 1": "UPDATE t JOIN s ON [t.a = s.a] SET t.b = " +
			"1 WHERE [s.b] LIMIT 1",
		"DELETE FROM t WHERE a = 'x WHERE y' RETURNING a": "DELETE FROM t WHERE [a = 'x WHERE y'] " +
			"RETURNING a",
		"INSERT INTO t SELECT a FROM s WHERE b ON DUPLICATE KEY UPDATE c = 1": "INSERT INTO t SELECT a FROM s WHERE [b] " +
			"ON DUPLICATE KEY UPDATE c = 1",
		"SELECT a FROM t WHERE b -- all\n":                                     "SELECT a FROM t WHERE [b] -- all\n",
		"INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE b DO UPDATE SET c = 1": "",
		"SELECT a FROM t FULL JOIN s ON a WHERE b":                             "SELECT a FROM t FULL JOIN s ON a WHERE [b]",
		"CREATE TABLE s AS SELECT a FROM t WHERE b":                            "CREATE TABLE s AS SELECT a FROM t WHERE [b]",
		"DELETE r FROM t AS r JOIN s ON r.a = s.a WHERE r.b": "DELETE r FROM t AS r JOIN s ON [r.a = " +
			"s.a] WHERE [r.b]",
		"CREATE TABLE s (a INT CHECK (a > 0))": "",
	} {
		if want == "" {
			want = text
		}
		if got := respelt(t, nil, Opaque, text); got != hidden.Replace(want) {
			t.Errorf("%s\nis sent as %s\nwant       %s", text, got, hidden.Replace(want))
		}
	}
}

// TestExecutedComments: what stands in a comment that the server executes is part of the statement, and stays in its
// comment.
func TestExecutedComments(t *testing.T) {
	const want = "SELECT a FROM t WHERE CASE WHEN (b) THEN TRUE ELSE FALSE END /*! LIMIT 1 */"
	if got := respelt(t, mariadb, Opaque, "SELECT a FROM t WHERE b /*! LIMIT 1 */"); got != want {
		t.Errorf("sent as %s", got)
	}
}

// TestUnquantified: a comparison with the rows of a subquery is said by EXISTS, the inner ones first; what would read
// another row there, or is no condition of its own, stays.
func TestUnquantified(t *testing.T) {
	// said is what a comparison becomes, which is decided by one of its rows.
	said := func(not, where, one, then, compared, otherwise string) string {
		const exists = "EXISTS (SELECT 1 FROM s AS r1 WHERE "
		return "(" + not + "CASE WHEN " + exists + where + one + ") THEN " + then + " WHEN " + exists + where + compared +
			" IS NULL) THEN NULL ELSE " + otherwise + " END)"
	}
	const in, inner = "(r0.a = r1.b)", "r1.c IN (SELECT r1.d FROM s AS r1)"
	for text, want := range map[string]string{
		"r0.a IN (SELECT r1.b FROM s AS r1)":                         said("", "", in, "TRUE", in, "FALSE"),
		"x AND r0.a NOT IN (SELECT DISTINCT r1.b AS e FROM s AS r1)": "x AND " + said("NOT ", "", in, "TRUE", in, "FALSE"),
		"r0.a IN (SELECT r1.b FROM s AS r1 WHERE r1.c OR y)":         said("", "(r1.c OR y) AND ", in, "TRUE", in, "FALSE"),
		"r0.a <= ALL (SELECT r1.b FROM s AS r1)": said("", "", "NOT (r0.a <= r1.b)", "FALSE",
			"(r0.a <= r1.b)", "TRUE"),
		"r0.a <> ANY (SELECT r1.b FROM s AS r1) LIMIT 3": said("", "", "(r0.a <> r1.b)", "TRUE", "(r0.a <> r1.b)",
			"FALSE") + " LIMIT 3",
		"r0.a IN (SELECT r1.b FROM s AS r1 WHERE " + inner + ")": said("", "("+inner+") AND ", in, "TRUE", in, "FALSE"),
		"r0.a IN (SELECT r1.b FROM s AS r1 GROUP BY r1.b)":       "",
		"r0.a IN (SELECT r1.b FROM s UNION SELECT r2.b FROM s)":  "",
		"r0.a IN (SELECT MAX(r1.b) FROM s AS r1)":                "",
		"r0.a IN (SELECT r0.b FROM s AS r0)":                     "",
		"t.a IN (SELECT t.b FROM t)":                             "",
		"a IN (SELECT r1.b FROM s AS r1)":                        "",
		"(r0.a, 1) IN (SELECT r1.b, 1 FROM s AS r1)":             "",
		"r0.a + 1 IN (SELECT r1.b FROM s AS r1)":                 "",
		"1 IN (SELECT r1.b FROM s AS r1)":                        "", // it is another type's beside the column
		"r0.a IN (SELECT 1 FROM s AS r1)":                        "",
		"r0.a IN (SELECT r1.b FROM s AS `R0` JOIN u AS r1)":      "",
		"r0.a IN (SELECT 1)":                                     "",
		"r0.a IN (1, 2)":                                         "",
		"EXISTS (SELECT r1.b FROM s AS r1)":                      "",
	} {
		if want == "" {
			want = text
		}
		if got := respelt(t, mariadb, Unquantified, "DELETE FROM t WHERE "+text); got != "DELETE FROM t WHERE "+want {
			t.Errorf("%s\nis sent as %s\nwant       %s", text, got, want)
		}
	}
	const u = "EXISTS (SELECT 1 FROM u AS r2 WHERE (r1.c = r2.d)"
	const nested = "(CASE WHEN " + u + ") THEN TRUE WHEN " + u + " IS NULL) THEN NULL ELSE FALSE END)"
	got := respelt(t, mariadb, Unquantified,
		"SELECT 1 FROM t AS r0 WHERE r0.a IN (SELECT r1.b FROM s AS r1 WHERE r1.c IN (SELECT r2.d FROM u AS r2))")
	if want := "SELECT 1 FROM t AS r0 WHERE " + said("", "("+nested+") AND ", in, "TRUE", in, "FALSE"); got != want {
		t.Errorf("nested: %s\nwant    %s", got, want)
	}
}
