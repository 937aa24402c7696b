package guide

import (
	"testing"

	"txweave/sql/sqltext"
)

// TestWithin: a key that stands in a subquery is told from one of the statement's own, be it in parentheses.
func TestWithin(t *testing.T) {
	schema := sqltext.SyntaxOf("mariadb").Schema([]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, a INT, b INT)",
		"CREATE TABLE s (pkey BIGINT PRIMARY KEY, a INT)"})
	for text, want := range map[string]bool{
		"SELECT (SELECT t.a FROM t WHERE t.pkey = 7) FROM s":             true,
		"SELECT t.a FROM t WHERE (t.b OR t.pkey = 7)":                    false,
		"SELECT (SELECT a FROM t) FROM s WHERE s.pkey = 7":               false,
		"UPDATE t SET a = ( SELECT (1) FROM s WHERE (pkey = 7)) ":        true,
		"DELETE FROM t WHERE a IN (1, 2) AND COALESCE(pkey = 7, 1)":      false,
		"WITH q AS (SELECT s.a FROM s WHERE s.pkey = 7) SELECT * FROM q": true,
	} {
		stmt, err := sqltext.SyntaxOf("mariadb").Tree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list := sites(schema, stmt)
		if len(list) != 1 || list[0].inner != want || list[0].literal.Text != "7" {
			t.Errorf("%s: %+v", text, list)
		}
	}
}
