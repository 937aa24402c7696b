package sqlite

import "testing"

func TestPartial(t *testing.T) {
	for sql, want := range map[string][3]string{
		"CREATE INDEX t0_i0 ON t0 (c0) WHERE c1 IS NOT NULL":                 {"t0_i0", "t0", "c1 IS NOT NULL"},
		`CREATE UNIQUE INDEX "a b" ON t0 (SUBSTR(c0, 1, 2)) WHERE c1 < 'x';`: {`"a b"`, "t0", "c1 < 'x'"},
		"CREATE INDEX t0_i0 ON t0 (c0)":                                      {},
		"CREATE VIEW v AS SELECT a ON t0 WHERE 1":                            {},
		"CREATE TABLE t0 (a INT, CHECK (a IN (SELECT 1 WHERE 2)))":           {},
	} {
		name, table, where := partial(sql)
		if got := [3]string{name, table, where}; got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
