package analysis_test

import (
	"testing"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// TestSource: the query of an INSERT … SELECT, whatever stands around it.
func TestSource(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT INTO t (a, b) SELECT a, (SELECT 1) FROM u JOIN v ON a = b;": "SELECT a, (SELECT 1) FROM u JOIN v ON a = b",
		"INSERT INTO t SELECT a FROM t UNION SELECT 2":                      "SELECT a FROM t UNION SELECT 2",
		"INSERT INTO t (a) WITH q AS (SELECT 1 AS e) SELECT e FROM q":       "WITH q AS (SELECT 1 AS e) SELECT e FROM q",
		"INSERT INTO t (a) SELECT a FROM u RETURNING a, (SELECT 1)":         "SELECT a FROM u",
		"INSERT INTO t (a) OVERRIDING USER VALUE SELECT a FROM u":           "SELECT a FROM u",
		"INSERT INTO t (a) SELECT 'returning' FROM u":                       "SELECT 'returning' FROM u",
		"INSERT INTO t (a) VALUES ((SELECT MAX(a) FROM u))":                 "",
		"INSERT INTO t SET a = (SELECT MAX(a) FROM u)":                      "",
		"INSERT INTO t (SELECT a FROM u) UNION SELECT 2":                    "(SELECT a FROM u) UNION SELECT 2",
		"INSERT IGNORE INTO t SELECT a FROM u":                              "",
		"INSERT OR IGNORE INTO t SELECT a FROM u":                           "",
		"INSERT INTO t (a) SELECT a FROM u WHERE 1 ON CONFLICT DO NOTHING":  "",
		"INSERT INTO t (a) SELECT a FROM u ON DUPLICATE KEY UPDATE a = t.a": "",
		"REPLACE INTO t SELECT a FROM u":                                    "",
		"INSERT INTO t VALUES (1) UNION ALL SELECT a FROM u":                "VALUES (1) UNION ALL SELECT a FROM u",
		"INSERT INTO t TABLE u UNION SELECT a FROM v":                       "TABLE u UNION SELECT a FROM v",
		"SELECT a FROM u":             "",
		"UPDATE t SET a = (SELECT 1)": "",
	} {
		read := false
		for _, dbms := range []string{"mariadb", "postgresql", "sqlite"} {
			tree := sqltext.SyntaxOf(dbms).Tree
			stmt, err := tree.Parse(text)
			if err != nil {
				continue
			}
			read = true
			got := ""
			if n, ok := stmt.(*sql.Insert); ok && analysis.Source(n) != nil {
				got, _ = tree.Print(analysis.Source(n))
			}
			if got != want {
				t.Errorf("%s: %s: %q, want %q", dbms, text, got, want)
			}
		}
		if !read {
			t.Errorf("nobody reads %s", text)
		}
	}
}
