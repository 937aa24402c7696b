package postgresql

import (
	"reflect"
	"testing"

	"txweave/sqltext"
)

// TestInherited: what reads or writes one of several tables that hold a table's rows is understood as what reads or writes those rows of
// that table which its CHECK lets in.
func TestInherited(t *testing.T) {
	const columns = "pkey BIGINT, vkey BIGINT, pvkey BIGINT, a INT"
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (" + columns + ", CHECK (pkey % 3 = 0) NO INHERIT)", "CREATE TABLE t_h1 (CHECK (pkey % 3 = 1)) INHERITS (t)",
		"CREATE TABLE t_h2 (CHECK (pkey % 3 = 2)) INHERITS (t)", "CREATE TABLE s (" + columns + ")"})
	plain := sqltext.ReadSchema([]string{"CREATE TABLE t (" + columns + ")", "CREATE TABLE s (" + columns + ")"})
	p := New()
	for sql, want := range map[string]string{
		"SELECT COUNT(*) FROM t":                                                                  "SELECT COUNT(*) FROM t",
		"SELECT COUNT(*) FROM ONLY t":                                                             "SELECT COUNT(*) FROM (SELECT pkey, vkey, pvkey, a FROM t WHERE pkey % 3 = 0) AS x",
		"SELECT r.a FROM t_h2 AS r WHERE r.a > 3":                                                 "SELECT r.a FROM (SELECT pkey, vkey, pvkey, a FROM t WHERE pkey % 3 = 2) AS r WHERE r.a > 3",
		"SELECT a FROM s WHERE a IN (SELECT a FROM t_h1)":                                         "SELECT a FROM s WHERE a IN (SELECT a FROM (SELECT pkey, vkey, pvkey, a FROM t WHERE pkey % 3 = 1) AS x)",
		"INSERT INTO t_h1 (pkey, vkey, pvkey, a) VALUES (4, 9, 0, 1)":                             "INSERT INTO t (pkey, vkey, pvkey, a) VALUES (4, 9, 0, 1)",
		"UPDATE t SET pvkey = vkey, vkey = 9, a = 1":                                              "UPDATE t SET pvkey = vkey, vkey = 9, a = 1",
		"UPDATE ONLY t SET pvkey = vkey, vkey = 9, a = 1":                                         "UPDATE t SET pvkey = vkey, vkey = 9, a = 1 WHERE t.pkey % 3 = 0",
		"UPDATE ONLY t SET pvkey = vkey, vkey = 9, a = 1 WHERE a = 2 OR a IS NOT DISTINCT FROM 3": "UPDATE t SET pvkey = vkey, vkey = 9, a = 1 WHERE t.pkey % 3 = 0 AND (a = 2 OR a <=> 3)",
		"DELETE FROM ONLY t WHERE a IN (SELECT a FROM s WHERE a = 1) RETURNING a":                 "DELETE FROM t WHERE t.pkey % 3 = 0 AND (a IN (SELECT a FROM s WHERE a = 1)) RETURNING a",
		"DELETE FROM ONLY t":                                                                      "DELETE FROM t WHERE t.pkey % 3 = 0",
	} {
		got, err := p.Analyze(schema, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		same, err := New().common.Analyze(plain, want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		same.MatchWhere = raiseWords(spell(same.MatchWhere))
		if !reflect.DeepEqual(got, same) {
			t.Errorf("%s:\n%+v\nis not\n%+v", sql, got, same)
		}
	}
	for _, sql := range []string{"UPDATE t_h1 SET a = 1", "DELETE FROM t_h1", "UPDATE ONLY t AS x SET a = 1", "UPDATE ONLY t SET a = s.a FROM s",
		"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (4, 9, 0, 1) ON CONFLICT DO NOTHING", "SELECT a FROM ONLY s", "UPDATE ONLY s SET a = 1"} {
		if _, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read", sql)
		}
	}
}
