package testcase_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/testcase"
)

// TestUnits reads what testdata/units holds, a statement of a session a line behind a table t (id, v):
//
//	units target=mariadb
//
// and prints the transactions with the lines of their statements and how they end, then the schedule of the case that
// they make.
func TestUnits(t *testing.T) {
	datadriven.RunTest(t, "testdata/units", func(t *testing.T, d *datadriven.TestData) string {
		s := &testcase.Script{Isolation: "serializable", Sessions: []string{"A", "B"},
			Setup: []testcase.ScriptStmt{{Session: -1, SQL: "CREATE TABLE t (id INT PRIMARY KEY, v INT)"}}}
		d.ScanArgs(t, "target", &s.Target)
		for n, line := range strings.Split(d.Input, "\n") {
			session, sql, _ := strings.Cut(line, "> ")
			s.Steps = append(s.Steps, testcase.ScriptStmt{Session: strings.Index("AB", session), Line: n + 1, SQL: sql})
		}
		var b strings.Builder
		for _, u := range s.Units(nil, nil) {
			if !u.Data {
				continue
			}
			fmt.Fprintf(&b, "%s:", s.Sessions[u.Session])
			for _, i := range u.Steps {
				fmt.Fprintf(&b, " %d", i+1)
			}
			switch {
			case u.Ends:
				b.WriteString(", the last one ends it")
			case u.CommittedBy > 0:
				fmt.Fprintf(&b, ", committed by %d", u.CommittedBy+1)
			case u.Open:
				b.WriteString(", left open")
			}
			b.WriteByte('\n')
		}
		c, _, err := s.Case(s.Levels())
		if err != nil {
			return fmt.Sprintf("%sno case: %v\n", b.String(), err)
		}
		return fmt.Sprintf("%sschedule: %v\n", b.String(), c.Schedule)
	})
}
