package planted

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/testcase"
)

// TestClauses: a statement is split at its own WHERE, never at that of a subquery, and what follows stays behind it.
func TestClauses(t *testing.T) {
	f := &faultyTarget{profile: profile(t, "mariadb/serializable")}
	for _, c := range []struct{ sql, restricted string }{
		{"UPDATE t SET a = 1", "UPDATE t SET a = 1 WHERE pkey NOT IN (3)"},
		{"UPDATE t SET a = 1 WHERE b = 2 OR c = 3", "UPDATE t SET a = 1 WHERE (b = 2 OR c = 3) AND pkey NOT IN (3)"},
		{"UPDATE t SET a = (SELECT MAX(x) FROM s WHERE y = 1) WHERE b = ' WHERE '",
			"UPDATE t SET a = (SELECT MAX(x) FROM s WHERE y = 1) WHERE b = ' WHERE ' AND pkey NOT IN (3)"},
		{"UPDATE t SET a = 1 WHERE b IN (SELECT x FROM s ORDER BY x LIMIT 1) ORDER BY t.pkey LIMIT 2",
			"UPDATE t SET a = 1 WHERE b IN (SELECT x FROM s ORDER BY x LIMIT 1) AND pkey NOT IN (3) ORDER BY t.pkey LIMIT 2"},
		{"UPDATE t AS a JOIN s ON a.b = s.c SET a.a = 1",
			"UPDATE t AS a JOIN s ON a.b = s.c SET a.a = 1 WHERE a.pkey NOT IN (3)"},
		{"SELECT a FROM t WHERE b = 1 GROUP BY a FOR UPDATE",
			"SELECT a FROM t WHERE b = 1 AND pkey NOT IN (3) GROUP BY a FOR UPDATE"},
		{"SELECT a FROM t UNION SELECT a FROM s", "SELECT a FROM t UNION SELECT a FROM s"},
	} {
		if got := f.but(c.sql, 3); got != c.restricted {
			t.Errorf("%s\n becomes %s\n    want %s", c.sql, got, c.restricted)
		}
	}
	if got := f.matching("DELETE FROM t WHERE a = 1 ORDER BY pkey LIMIT 2", true, "pkey"); got !=
		"SELECT pkey FROM t WHERE a = 1 ORDER BY pkey LIMIT 2 FOR UPDATE" {
		t.Error(got)
	}
}

// TestIndexed: the columns of a table's secondary indexes, however they are defined.
func TestIndexed(t *testing.T) {
	f := &faultyTarget{profile: profile(t, "mariadb/serializable"), tables: []string{"t0", "t1"},
		c: &testcase.Case{Schema: []testcase.Stmt{
			{SQL: "CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, c0 INT, c1 TEXT, INDEX t0_i0 (c0, c1(8)), " +
				"UNIQUE KEY u (c3)) ENGINE=InnoDB"},
			{SQL: "CREATE TABLE t1 (pkey INTEGER NOT NULL PRIMARY KEY, c9 INT, CONSTRAINT u1 UNIQUE (c9))"},
			{SQL: "CREATE INDEX i2 ON t0 (c2)"}, {SQL: "CREATE TABLE t2 (pkey BIGINT, PRIMARY KEY (pkey))"},
		}}}
	for table, want := range map[string][]string{"t0": {"c0", "c1", "c2", "c3"}, "t1": {"c9"}, "t2": {"pkey"}} {
		got := f.indexed(table)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", table, got, want)
		}
	}
}

// TestFaultsAreSound checks what the documents and the detect command take for granted of every planted bug.
func TestFaultsAreSound(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Faults() {
		if f.Name == "" || seen[f.Name] || f.Reference == "" || f.every == 0 || len(f.verbs) == 0 || f.exec == nil &&
			f.query == nil {
			t.Errorf("%q is incomplete or there twice", f.Name)
		}
		seen[f.Name] = true
		applicable, forbidden := 0, 0
		for _, name := range []string{"sqlite/serializable", "mariadb/read-committed", "mariadb/repeatable-read",
			"mariadb/snapshot", "mariadb/serializable", "postgresql/read-committed"} {
			if p := profile(t, name); f.Inapplicable(p) == "" {
				applicable++
				if f.Forbidden(p) {
					forbidden++
				}
			}
		}
		if applicable == 0 || forbidden == 0 {
			t.Errorf("%s: applicable at %d levels, forbidden at %d of these", f.Name, applicable, forbidden)
		}
	}
}

func profile(t *testing.T, name string) *dbms.Profile {
	t.Helper()
	name, level, _ := strings.Cut(name, "/")
	p, err := dbms.Lookup(name, level)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCutReturning: the clause of a write is its own, never that of a statement inside a literal or of a query.
func TestCutReturning(t *testing.T) {
	f := &faultyTarget{profile: profile(t, "postgresql/serializable")}
	for _, c := range []struct{ sql, write string }{
		{"UPDATE t SET a = ' RETURNING ' WHERE b = 1 RETURNING t.pkey, t.a", "UPDATE t SET a = ' RETURNING ' WHERE b = 1"},
		{"DELETE FROM t", ""},
		{"SELECT a AS \"returning\" FROM t", ""},
	} {
		if r := f.returning(c.sql); r == nil && c.write != "" || r != nil && r.without != c.write {
			t.Errorf("%s: %+v", c.sql, r)
		}
	}
	if m := noRows(f.returning("DELETE FROM t RETURNING t.pkey, t.a, a + 1 AS b")); !slices.Equal(m.columns,
		[]string{"pkey", "a", "b"}) {
		t.Error(m.columns)
	}
}

// TestWeaker: a level is weakened to the strongest one that allows what shall happen.
func TestWeaker(t *testing.T) {
	for _, c := range []struct {
		level  string
		allows fault.Kind
		want   string
	}{
		{"mariadb/snapshot", fault.P4, "repeatable-read"}, {"mariadb/serializable", fault.G2Item, "snapshot"},
		{"mysql/serializable", fault.G2Item, "repeatable-read"},
		{"postgresql/serializable", fault.P4, "read-committed"}, {"postgresql/repeatable-read", fault.P2, "read-committed"},
		{"postgresql/serializable", fault.G2Item, "repeatable-read"}, {"sqlite/serializable", fault.G2Item, ""},
	} {
		got := ""
		if w := weaker(profile(t, c.level), c.allows); w != nil {
			got = w.Isolation
		}
		if got != c.want {
			t.Errorf("%s made to allow %s is %q, want %q", c.level, c.allows, got, c.want)
		}
	}
}
