package instrument

import (
	"slices"
	"testing"

	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// TestLockOf: FOR UPDATE OF names what FROM lists, by its alias, and reads no other table.
func TestLockOf(t *testing.T) {
	s, err := readSchema(sqltext.SyntaxOf("mariadb"),
		lines("CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, v INT);"))
	if err != nil {
		t.Fatal(err)
	}
	for sql, fits := range map[string]bool{
		"SELECT r0.pkey, r0.vkey FROM t AS r0 WHERE r0.v > 1 FOR UPDATE OF r0":            true,
		"SELECT r0.pkey FROM t AS r0 JOIN t AS r1 ON r0.v = r1.v FOR UPDATE OF r1":        true,
		"SELECT pkey FROM t FOR UPDATE OF t":                                              true,
		"SELECT pkey FROM t FOR UPDATE OF mysql.user":                                     false,
		"SELECT pkey FROM t WHERE v IN (SELECT v FROM r0) FOR UPDATE OF t":                false,
		"SELECT r0.pkey FROM t AS r0 WHERE r0.v IN (SELECT v FROM r0) FOR UPDATE OF r0":   false,
		"SELECT r0.pkey FROM t AS r0 WHERE r0.v IN (SELECT x.v FROM t x) FOR SHARE OF r0": true,
	} {
		a, err := analysis.TextsOf(sqltext.SyntaxOf("mariadb")).Analyze(s, sql)
		if (err == nil) != fits {
			t.Errorf("%s: %v", sql, err)
		} else if err == nil && (!a.Locking || !slices.Equal(a.Tables, []string{"t"})) {
			t.Errorf("%s: locking %v, tables %q", sql, a.Locking, a.Tables)
		}
	}
}
