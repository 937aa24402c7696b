package instrument

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/testcase"
)

// TestPlainLocks: in a case with an order nobody knows which tables its statements use, and LOCK TABLES could refuse
// one.
func TestPlainLocks(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "")
	if err != nil {
		t.Fatal(err)
	}
	for lock, want := range map[string]string{"LOCK TABLES t WRITE": "T0.S0: LOCK TABLES has no place",
		"SAVEPOINT a": ""} {
		c := &testcase.Case{Target: "mariadb", Schema: lines("CREATE TABLE t (a INT)"),
			Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: "SET autocommit = 0"},
				Stmts: lines(lock + "\nUPDATE t SET a = 1"), End: testcase.Stmt{SQL: "UNLOCK TABLES"}}}}
		if want == "" {
			c.Txns[0].End.SQL = "COMMIT"
		}
		c.Schedule = c.SerialSchedule()
		if _, err := Plain(c, p); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lock, err, want)
		}
	}
}
