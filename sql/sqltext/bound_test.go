package sqltext_test

import (
	"strings"
	"testing"

	"txweave/sql/sqltext"
)

func TestBound(t *testing.T) {
	repeat := strings.Repeat
	const n = sqltext.MaxDepth + 1
	for name, sql := range map[string]string{
		"signs":                  "SELECT " + repeat("- ", n) + "1",
		"signs in a comment":     "SELECT /*!50000 " + repeat("- ", n) + "*/ 1",
		"terms":                  "SELECT 1" + repeat("+1", n/2+1),
		"conditions":             "SELECT 1 FROM t WHERE a=1" + repeat(" OR a=2", n/4+1),
		"parentheses":            "SELECT " + repeat("(", n) + "1" + repeat(")", n),
		"lists in lists":         "SELECT " + repeat("f(1, 1, ", n) + "1" + repeat(")", n),
		"words between brackets": repeat("SELECT - (1, - (", n/2) + "1",
		"queries":                "SELECT 1" + repeat(" UNION SELECT 1", n/3+1),
		"queries in parentheses": "(SELECT 1)" + repeat(" UNION (SELECT 1)", n/2+1),
		"a list":                 "SELECT 1 IN (1" + repeat(",1", sqltext.MaxTokens/2+1) + ")",
		"rows":                   "INSERT INTO t VALUES (1)" + repeat(",(1)", sqltext.MaxTokens/4+1),
		"a literal":              "SELECT '" + repeat("a", sqltext.MaxLength) + "'",
		"comments":               "SELECT 1" + repeat("/**/", sqltext.MaxTokens),
		"closed more than open":  "SELECT " + repeat(") - ", n),
	} {
		for _, q := range []sqltext.Quoting{sqltext.MySQL, sqltext.ANSI, sqltext.PostgreSQL} {
			if q != sqltext.MySQL && name == "signs in a comment" {
				continue // nobody runs it
			}
			if q.Bound(sql) == nil {
				t.Errorf("quoting %+v reads %s", q, name)
			}
		}
	}
	for name, sql := range map[string]string{
		"rows":       "INSERT INTO t VALUES (1, 2, 3, 'a b')" + repeat(",(1, 2, 3, 'a b')", 9_000),
		"a list":     "SELECT 1 IN (1" + repeat(",1", 49_000) + ")",
		"a literal":  "SELECT '" + repeat("- ", 500_000) + "'",
		"conditions": "SELECT 1 FROM t WHERE a=1" + repeat(" OR a=2", 2_000),
		"a body":     "CREATE PROCEDURE p() BEGIN " + repeat("INSERT INTO t VALUES (1); ", 9_000) + "END",
	} {
		for _, q := range []sqltext.Quoting{sqltext.MySQL, sqltext.ANSI, sqltext.PostgreSQL} {
			if err := q.Bound(sql); err != nil {
				t.Errorf("quoting %+v, %s: %v", q, name, err)
			}
		}
	}
}

// What names the one before it twice stands for twice as much.
func TestExpands(t *testing.T) {
	views := map[string]float64{"v1": 1, "v2": 3}
	for sql, want := range map[string]float64{
		"SELECT a FROM t":                              0,
		"SELECT v1.a FROM v1":                          1,
		"SELECT 1 FROM v2 AS x, v2 AS y":               6,
		"WITH a AS (SELECT 1) SELECT 1 FROM a, a AS b": 2,
		"WITH a (x) AS (SELECT 1 FROM v2), b (y, z) AS (SELECT 1 FROM a AS p, a AS q) SELECT 1 FROM b, b AS c":      18,
		"WITH RECURSIVE a AS (SELECT 1 UNION SELECT n FROM a), b AS MATERIALIZED (SELECT 1 FROM a) SELECT 1 FROM b": 2,
		"SELECT 1 FROM (WITH a AS (WITH b AS (SELECT 1) SELECT 1 FROM b, b AS c) SELECT 1 FROM a, a AS d) AS e":     6,
		"INSERT INTO t WITH a AS (SELECT 1) SELECT 1 FROM a":                                                        1,
	} {
		if got := sqltext.Read(sql).Expands(views); got != want {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
}
