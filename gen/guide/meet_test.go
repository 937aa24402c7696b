package guide

import (
	"testing"

	"txweave/testcase"
)

// TestMeetings: a pair counts where the statements are of different transactions, one of them writes a table and the
// other one names it, whatever becomes of the transactions; two writes of one table count for each.
func TestMeetings(t *testing.T) {
	txn := func(end string, stmts ...string) testcase.Txn {
		x := testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: end}}
		for _, sql := range stmts {
			x.Stmts = append(x.Stmts, testcase.Stmt{SQL: sql})
		}
		return x
	}
	update, read, other := "UPDATE t0 SET vkey = 1001 WHERE pkey = 1", "SELECT * FROM t1 JOIN t0 ON 1", "SELECT * FROM t1"
	for _, x := range []struct {
		txns []testcase.Txn
		want int
	}{
		{[]testcase.Txn{txn("COMMIT", update, read, other)}, 0},
		{[]testcase.Txn{txn("COMMIT", update), txn("COMMIT", read, other)}, 1},
		{[]testcase.Txn{txn("ROLLBACK", update), txn("COMMIT", read, read)}, 2},
		{[]testcase.Txn{txn("COMMIT", update), txn("COMMIT", update, other)}, 2},
		{[]testcase.Txn{txn("COMMIT", read), txn("COMMIT", read, other)}, 0},
		{[]testcase.Txn{txn("COMMIT", update), txn("COMMIT", "INSERT INTO t1 (pkey) SELECT pkey FROM t0"),
			txn("COMMIT", other)}, 2},
	} {
		if got := Meetings(&testcase.Case{Txns: x.txns}); got != x.want {
			t.Errorf("%v: %d, want %d", x.txns, got, x.want)
		}
	}
}
