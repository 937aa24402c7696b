package instrument

import (
	"errors"
	"testing"

	"txweave/dbms"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestTargetAlias: the name by which RETURNING knows the columns of what a write of PostgreSQL's writes.
func TestTargetAlias(t *testing.T) {
	for text, want := range map[string]string{
		"DELETE FROM t0 AS q WHERE q.c1 < 20":                    "q",
		"DELETE FROM ONLY t0 q USING t1 WHERE q.c1 < t1.c1":      "q",
		"DELETE FROM t0 AS \"Q\"":                                "\"Q\"",
		"DELETE FROM t0 WHERE c1 < 20":                           "",
		"DELETE FROM t0 USING t1 WHERE t0.c1 = t1.c1":            "",
		"DELETE FROM t0":                                         "",
		"UPDATE t0 AS q SET c1 = 3":                              "q",
		"UPDATE ONLY t0 q SET c1 = 3":                            "q",
		"UPDATE t0 SET c1 = 3":                                   "",
		"INSERT INTO t0 AS q (c1) VALUES (1)":                    "q",
		"INSERT INTO t0 (c1) SELECT c1 FROM t1 AS q":             "",
		"INSERT INTO t0 SELECT c1 FROM t1":                       "",
		"WITH c AS (SELECT 1) DELETE FROM t0 AS q WHERE q.a = 1": "q",
	} {
		tree := sqltext.SyntaxOf("postgresql").Tree
		stmt, err := tree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := aliasOf(tree, sql.Written(stmt)); err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", text, got, want, err)
		}
	}
}

// TestAdmittedByTheReader: a case for one database is admitted anew by the trees of another one that reads texts alike:
// to MariaDB ref_system_id is a keyword.
func TestAdmittedByTheReader(t *testing.T) {
	const head = "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT);\n\n-- T0 --\nBEGIN;\n"
	const tail = ";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
	p, err := dbms.Lookup("mysql", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	for alias, refused := range map[string]bool{"x": false, "`x;drop database y;#`": true} {
		c, err := testcase.Read("c", []byte(head+"SELECT ref_system_id.pkey FROM t AS ref_system_id, t AS "+alias+tail))
		if err != nil {
			t.Fatal(err)
		}
		var no *testcase.RefusedError
		if _, err := Instrument(c, p); errors.As(err, &no) != refused {
			t.Errorf("%s: %v", alias, err)
		}
	}
}
