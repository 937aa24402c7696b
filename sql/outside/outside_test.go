package outside_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	_ "txweave/dbms/registry"
	"txweave/sql/outside"
	"txweave/sql/sqltext"
)

// TestGolden runs the commands of testdata: follow, on a set-up and below "then" the statements of sessions, for the
// database that is named. It prints which columns and rows of tables come from outside, and what of the answers does.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			syntax := sqltext.SyntaxOf(d.CmdArgs[0].Key)
			before, after, _ := strings.Cut(d.Input, "\nthen\n")
			if d.Cmd != "follow" {
				t.Fatalf("unknown command %s", d.Cmd)
			}
			setup, steps := strings.Split(before, "\n"), strings.Split(after, "\n")
			return told(syntax, setup, steps)
		})
	})
}

func told(syntax *sqltext.Syntax, setup, steps []string) string {
	v := outside.Follow(syntax, setup, steps)
	var b strings.Builder
	schema := syntax.Schema(setup)
	for _, table := range schema.Tables {
		if s := v.Rows(table.Name); s != outside.None {
			fmt.Fprintf(&b, "rows of %s: %s\n", table.Name, s)
		}
		for _, c := range table.Columns {
			if s := v.Column(table.Name, c.Name); s != outside.None {
				fmt.Fprintf(&b, "%s.%s: %s\n", table.Name, c.Name, s)
			}
		}
	}
	for _, text := range steps {
		if said := answer(v, text); said != "" {
			fmt.Fprintf(&b, "%s: %s\n", text, said)
		}
		for _, within := range []bool{false, true} {
			if v.Divides(text, within) {
				fmt.Fprintf(&b, "%s: it is several transactions, or ends one, within one: %v\n", text, within)
			}
		}
		if v.Waits(text) {
			fmt.Fprintf(&b, "%s: it waits\n", text)
		}
	}
	return b.String()
}

// answer says what of an answer comes from outside; a statement that prints no * is asked about as many columns as it
// has.
func answer(v *outside.Values, text string) string {
	a := v.Answer(text)
	if a.Whole != outside.None {
		return "all: " + a.Whole.String()
	}
	var out []string
	for at, s := range a.Columns() {
		if s != outside.None {
			out = append(out, fmt.Sprintf("column %d: %s", at+1, s))
		}
	}
	return strings.Join(out, ", ")
}
