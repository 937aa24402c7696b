package postgresql

import (
	"testing"

	"txweave/sqltext"
)

// TestGate: what MySQL's grammar would take for something else is not read at all.
func TestGate(t *testing.T) {
	schema := sqltext.ReadSchema([]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a TEXT)", "CREATE TABLE s (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT)"})
	p := New()
	for _, sql := range []string{"SELECT t.pkey FROM t FULL JOIN s ON t.pkey = s.pkey", "SELECT E'a' FROM t", "SELECT t.a || t.a FROM t", `SELECT "a" FROM t`,
		"SELECT t.a::int FROM t", "SELECT t.pkey ^ 2 FROM t", "SELECT t.pkey # 2 FROM t", "SELECT 1 FROM ONLY t", "SELECT $1 FROM t", "SELECT $$a$$ FROM t",
		"DELETE FROM t RETURNING pkey", "SELECT a ~ 'x' FROM t", "SELECT t.pkey FROM t WHERE a && a", "SELECT a FROM t WHERE a ILIKE 'x'"} {
		if a, err := p.Analyze(schema, sql); err == nil {
			t.Errorf("%s is read: %+v", sql, a)
		}
	}
	for _, sql := range []string{"SELECT t.pkey, t.vkey FROM t WHERE t.a = 'E''a || full' AND t.pkey != 3", "UPDATE t SET pvkey = vkey, vkey = 1001, a = 'x' WHERE pkey = 1",
		"SELECT t.pkey, t.vkey FROM t WHERE t.a LIKE 'a#~%' FOR SHARE"} {
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
	got, err := p.BeforeRead("DELETE FROM t WHERE a < (SELECT r.a FROM t AS r JOIN t AS q ON TRUE ORDER BY r.pkey LIMIT 1 OFFSET 2)", false, false)
	if want := "SELECT t.pkey,t.vkey FROM t WHERE a < (SELECT r.a FROM t AS r JOIN t AS q ON TRUE ORDER BY r.pkey LIMIT 1 OFFSET 2)"; err != nil || got != want {
		t.Errorf("before a DELETE: %s, %v", got, err)
	}
}
