package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	mysql "txweave/dbms/mysql/dialect"
	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// modes are dialects in other modes, and of old servers.
var modes = map[string]*sql.Dialect{
	"ansi": mysql.New(mysql.Server{Product: "MySQL", Version: 90704, Modes: []string{"ANSI_QUOTES", "PIPES_AS_CONCAT",
		"NO_BACKSLASH_ESCAPES"}}),
	"mysql5": mysql.New(mysql.Server{Product: "MySQL", Version: 50600}),
}

// TestGolden runs the commands of testdata on each line, a statement, or with "whole" on one of several lines. Whose
// statements they are is the name of the file, or what "of" says:
//
//	tree     the tree that is read, and the statement printed anew
//	refuse   why it is not read
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			statements := strings.Split(d.Input, "\n")
			if d.HasArg("whole") {
				statements = []string{d.Input}
			}
			var b strings.Builder
			for _, text := range statements {
				stmt, err := golden(t, path, d).Parse(text)
				switch {
				case d.Cmd == "refuse" && err != nil:
					fmt.Fprintln(&b, err)
				case d.Cmd == "tree" && err == nil:
					trees.Read(t, golden(t, path, d), stmt, text)
					trees.Placed(t, stmt, text)
					anew, _ := golden(t, path, d).Reprint(stmt)
					fmt.Fprintf(&b, "%s\n  %s\n", sql.Tell(stmt), anew)
				default:
					t.Errorf("%s %s: %v", d.Cmd, text, err)
				}
			}
			return b.String()
		})
	})
}

// golden is the dialect of a command.
func golden(t *testing.T, path string, d *datadriven.TestData) *sql.Dialect {
	t.Helper()
	name := path[strings.LastIndexByte(path, '/')+1:]
	if d.HasArg("of") {
		d.ScanArgs(t, "of", &name)
	}
	if m := modes[name]; m != nil {
		return m
	}
	if dialects[name] == nil {
		t.Fatalf("no dialect is called %s", name)
	}
	return dialects[name]
}
