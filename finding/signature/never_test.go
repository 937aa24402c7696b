package signature

import (
	"testing"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestNever holds conditions that are true for no row to their twins that are true for some.
func TestNever(t *testing.T) {
	for _, c := range []struct {
		where string
		never bool
	}{
		{"a BETWEEN 2 AND 1", true},
		{"a BETWEEN 1 AND 1", false},
		{"a NOT BETWEEN 2 AND 1", false},
		{"a BETWEEN 1 AND 9 AND (r.a) > 9", true},
		{"a AND 0 = a", true},
		{"a AND b = 0", false},
		{"a >= 2 AND a < 3 AND a <= 2", false},
		{"a >= 3 AND a < 3", true},
		{"2 < a AND a < 2", true},
		{"a BETWEEN 2 AND 1 OR b = 1", false},
		{"a = -1 AND a > 0", true},
		{"a = 'x' AND a = 'y'", false}, // not numbers
		{"a BETWEEN b AND 1", false},
	} {
		stmt, err := sqltext.SyntaxOf("mariadb").Tree.Parse("SELECT 1 FROM t AS r WHERE " + c.where)
		if err != nil {
			t.Fatal(err)
		}
		if got := never(whereOf(stmt)); got != c.never {
			t.Errorf("%s: never %t", c.where, got)
		}
	}
}

// TestAfterNoPartition tells the statements that a search without partitions may have gone before from others.
func TestAfterNoPartition(t *testing.T) {
	const parts = " PARTITION BY KEY (pkey) PARTITIONS 4"
	const nothing = "DELETE FROM t0 WHERE pkey BETWEEN 2 AND 1"
	const write = "UPDATE t0 SET c0 = 1"
	for _, c := range []struct {
		parts string
		stmts []string
		at    int
		want  bool
	}{
		{parts, []string{nothing, write}, 1, true},
		{parts, []string{write, nothing}, 0, false},
		{"", []string{nothing, write}, 1, false},
		{parts, []string{"DELETE FROM t0 WHERE pkey = 7", write}, 1, false},
		{parts, []string{"SELECT * FROM t0 WHERE pkey AND pkey = 0", write}, 1, true},
	} {
		table := testcase.Stmt{SQL: "CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INT)" + c.parts}
		of := &testcase.Case{Target: "mariadb", Schema: []testcase.Stmt{table}, Txns: make([]testcase.Txn, 1)}
		for _, s := range c.stmts {
			of.Txns[0].Stmts = append(of.Txns[0].Stmts, testcase.Stmt{SQL: s})
		}
		if got := afterNoPartition(of, &of.Txns[0].Stmts[c.at], &of.Txns[0]); got != c.want {
			t.Errorf("%v, statement %d: %t", c.stmts, c.at, got)
		}
	}
}
