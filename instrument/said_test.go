package instrument

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/testcase"
)

// TestSaidOtherwise: a BEGIN asks for the level that the case has, or for none, and no * prints a column which comes or
// goes.
func TestSaidOtherwise(t *testing.T) {
	const alter = "ALTER TABLE t ADD COLUMN more INT"
	for _, c := range []struct{ target, begin, first, second, want string }{
		{"postgresql", "BEGIN", "SELECT a FROM t", "", ""},
		{"postgresql", "BEGIN ISOLATION LEVEL READ COMMITTED", "SELECT a FROM t", "", ""},
		{"postgresql", "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT a FROM t", "",
			"asks for another level than read-committed"},
		{"sqlite", "BEGIN", "SELECT * FROM t", alter, "* prints the column more"},
		{"sqlite", "BEGIN", "SELECT t.* FROM t WHERE a = 1", alter, "* prints the column more"},
		{"sqlite", "BEGIN", "SELECT a, COUNT(*) FROM t WHERE EXISTS (SELECT * FROM t) GROUP BY a", alter, ""},
		{"sqlite", "BEGIN", "SELECT * FROM t", "CREATE INDEX i ON t (a)", ""},
	} {
		p, err := dbms.Lookup(c.target, "")
		if err != nil {
			t.Fatal(err)
		}
		tc := &testcase.Case{Target: c.target, Isolation: p.Isolation,
			Schema: lines("CREATE TABLE t (pkey INT NOT NULL, vkey INT NOT NULL, pvkey INT NOT NULL, a INT)"),
			Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: c.begin}, Stmts: lines(c.first),
				End: testcase.Stmt{SQL: "COMMIT"}}}}
		if c.second != "" {
			tc.Txns = append(tc.Txns, testcase.Txn{Stmts: lines(c.second)})
		}
		tc.Schedule = tc.SerialSchedule()
		if _, err := Instrument(tc.Number(), p); (err == nil) != (c.want == "") || err != nil &&
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s; %s; %s: %v, want %q", c.begin, c.first, c.second, err, c.want)
		}
	}
}
