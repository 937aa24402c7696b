package instrument

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/testcase"
)

// TestMadeUpValues checks which writes are refused because the database makes up what they write: in a case that is
// judged by its dependencies, and in one that gives its own order, where counters may count if they can be put back.
func TestMadeUpValues(t *testing.T) {
	const (
		counter = "CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, n INT AUTO_INCREMENT UNIQUE, c INT)"
		rowid   = "CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey BIGINT, pvkey BIGINT, n INT, c INT)"
		random  = "CREATE TABLE t (pkey BIGINT PRIMARY KEY AUTO_RANDOM, vkey BIGINT, pvkey BIGINT, n INT, c INT)"
		stamp   = "CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, n INT DEFAULT 7, c TIMESTAMP NOT " +
			"NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)"
		counts = "the database counts"
		clock  = "the database writes the time into it"
		now    = "its default does not come from the database's contents"
	)
	for _, tc := range []struct{ dbms, ddl, sql, judged, given string }{
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey, n) VALUES (1, 5, 0, 3)", "", ""},
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 5, 0)", "", ""}, // nobody knows the number
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey, n) VALUES (1, 5, 0, 3), (2, 5, 0, NULL)", counts, ""},
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey, n) VALUES (1, 5, 0, DEFAULT)", counts, ""},
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey) SELECT 9, 5, 0", "", ""},
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey, n) SELECT 9, 5, 0, 8", "", ""},
		{"mariadb", counter, "UPDATE t SET pvkey = vkey, vkey = 5, c = 1 WHERE pkey = 1", "", ""},
		{"tidb", counter, "INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 5, 0)", counts, counts},
		{"tidb", random, "INSERT INTO t (vkey, pvkey) VALUES (5, 0)", counts, counts},
		{"sqlite", rowid, "INSERT INTO t (vkey, pvkey) VALUES (5, 0)", counts, ""},
		{"sqlite", rowid, "INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 5, 0)", "", ""},
		{"mariadb", stamp, "INSERT INTO t (pkey, vkey, pvkey) VALUES (1, 5, 0)", now, now},
		{"mariadb", stamp, "INSERT INTO t (pkey, vkey, pvkey, c) VALUES (1, 5, 0, '2024-01-01')", "", ""},
		{"mariadb", stamp, "UPDATE t SET pvkey = vkey, vkey = 5, n = 1 WHERE pkey = 1", clock, clock},
		{"mariadb", stamp, "UPDATE t SET pvkey = vkey, vkey = 5, c = '2024-01-01' WHERE pkey = 1", "", ""},
		{"mariadb", counter, "INSERT INTO t (pkey, vkey, pvkey, n) VALUES (UNIX_TIMESTAMP(), 5, 0, 1)",
			"function UNIX_TIMESTAMP", "function UNIX_TIMESTAMP"},
		{"mariadb", counter, "SELECT c FROM t WHERE c < CURRENT_DATE", "function CURRENT_DATE", "function CURRENT_DATE"},
	} {
		p, err := dbms.Lookup(tc.dbms, "")
		if err != nil {
			t.Fatal(err)
		}
		c := &testcase.Case{Target: tc.dbms, Schema: []testcase.Stmt{{SQL: tc.ddl}},
			Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: tc.sql}},
				End: testcase.Stmt{SQL: "COMMIT"}}}}
		c.Schedule = c.SerialSchedule()
		check := func(how string, err error, want string) {
			switch {
			case err == nil && want != "", err != nil && (want == "" || !strings.Contains(err.Error(), want)):
				t.Errorf("%s, %s: %s: %v, want %q", tc.dbms, how, tc.sql, err, want)
			}
		}
		_, err = Instrument(c, p)
		check("judged", err, tc.judged)
		c.Order = []testcase.Ref{{Txn: 0, Stmt: 0}}
		_, err = Plain(c, p)
		check("with an order", err, tc.given)
	}
}

// TestCountersKeepTheirOrder: the INSERTs that count must stand in the order as they do in the schedule, all of them.
func TestCountersKeepTheirOrder(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "")
	if err != nil {
		t.Fatal(err)
	}
	txn := func(sql, end string) testcase.Txn {
		return testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: sql}},
			End: testcase.Stmt{SQL: end}}
	}
	for _, tc := range []struct {
		end      string // of T1
		schedule []int
		order    string
		want     bool
	}{
		{"COMMIT", []int{0, 1, 0, 1, 0, 1}, "T0.S0 T1.S0", true},
		{"COMMIT", []int{0, 1, 0, 1, 0, 1}, "T1.S0 T0.S0", false},
		{"COMMIT", []int{0, 1, 1, 0, 0, 1}, "T1.S0 T0.S0", true},
		{"ROLLBACK", []int{0, 1, 1, 0, 0, 1}, "T0.S0", false},
	} {
		c := &testcase.Case{Target: "mariadb",
			Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT)"}}, Schedule: tc.schedule,
			Txns: []testcase.Txn{txn("INSERT INTO t (b) VALUES (1)", "COMMIT"), txn("INSERT INTO t (b) VALUES (2)", tc.end)}}
		if c.Order, err = testcase.ParseOrder(tc.order); err != nil {
			t.Fatal(err)
		}
		if _, err := Plain(c, p); (err == nil) != tc.want {
			t.Errorf("%v, order %s: %v", tc.schedule, tc.order, err)
		}
	}
}
