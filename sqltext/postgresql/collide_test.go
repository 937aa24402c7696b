package postgresql

import (
	"testing"

	"txweave/sqltext"
)

// TestColliding: the rows that make a difference to a write because of keys are those that have one of what it writes, and those that an
// UPDATE matches; where a value may be stored as another one, or a key is not of columns, nothing is known.
func TestColliding(t *testing.T) {
	const columns = "pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT, b VARCHAR(9), d DECIMAL(9,1), f DOUBLE PRECISION"
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (" + columns + ", UNIQUE (a), UNIQUE (b, d))",
		"CREATE TABLE e (" + columns + ")", "CREATE UNIQUE INDEX e_i ON e ((a + 1))",
		"CREATE TABLE g (" + columns + ", UNIQUE (f))", "CREATE TABLE s (" + columns + ", UNIQUE (a), FOREIGN KEY (d) REFERENCES s (a))"})
	p := New()
	const into = " (pkey, vkey, pvkey, a, b, d, f) VALUES "
	for sql, want := range map[string]string{
		"INSERT INTO t" + into + "(7, 9, 0, -3, 'x', 2, 1.5), (8, 9, 0, NULL, '', 4, 1)": "" +
			"t.pkey = 7 OR t.a = -3 OR t.b = 'x' AND t.d = 2 OR t.pkey = 8 OR t.a IS NULL OR t.b = '' AND t.d = 4",
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x', 2.25, 1)":                                                                  "", // rounded
		"INSERT INTO t" + into + "(7, 9, 0, '3', 'x', 2, 1)":                                                                   "",
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x ', 2, 1)":                                                                    "", // may lose its space
		"INSERT INTO t" + into + "(7, 9, 0, DEFAULT, 'x', 2, 1)":                                                               "",
		"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (7, 9, 0, 3)":                                                             "", // defaults
		"INSERT INTO t" + into + "(7, 9, 0, (SELECT MAX(a) FROM e), 'x', 2, 1)":                                                "",
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x', 2, 1) ON CONFLICT DO NOTHING":                                              "t.pkey = 7 OR t.a = 3 OR t.b = 'x' AND t.d = 2",
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x', 2, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 9, f = t.f + 1": "t.pkey = 7 OR t.a = 3 OR t.b = 'x' AND t.d = 2",
		"INSERT INTO t" + into + "(7, 9, 0, 3, 'x', 2, 1) ON CONFLICT (a) DO UPDATE SET pvkey = t.vkey, vkey = 9, b = 'y'":     "",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = 4 WHERE t.pkey = 2 OR t.f > 1":                                               "(t.pkey = 2 OR t.f > 1) OR t.a = 4",
		"UPDATE t SET pvkey = vkey, vkey = 9, b = 'z' WHERE t.pkey = 2":                                                        "(t.pkey = 2) OR t.b = 'z'",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = a + 1 WHERE t.pkey = 2":                                                      "",
		"UPDATE t SET pvkey = vkey, vkey = 9, f = 2 WHERE t.pkey = 2":                                                          "", // judged by its condition alone
		"UPDATE t SET pvkey = vkey, vkey = 9, a = 4 WHERE t.pkey IN (SELECT pkey FROM e)":                                      "",
		"INSERT INTO e" + into + "(7, 9, 0, 3, 'x', 2, 1)":                                                                     "",
		"INSERT INTO g" + into + "(7, 9, 0, 3, 'x', 2, 1)":                                                                     "",
		"INSERT INTO s" + into + "(7, 9, 0, 3, 'x', 2, 1)":                                                                     "",
	} {
		if a, err := p.Analyze(schema, sql); err != nil || a.KeyWhere != want {
			t.Errorf("%s: %q, %v; want %q", sql, a.KeyWhere, err, want)
		}
	}
}
