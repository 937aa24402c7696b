package testcase

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/sql/sqltext"
)

// TestParseGolden runs testdata/parse: each input gives its error, or its canonical text.
// CRLF in the arguments turns the input's line ends, noeol takes the last one off.
func TestParseGolden(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "parse"), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			input := d.Input
			if !d.HasArg("noeol") {
				input += "\n"
			}
			if d.HasArg("crlf") {
				input = strings.ReplaceAll(input, "\n", "\r\n")
			}
			switch d.Cmd {
			case "error":
				c, err := Parse("case.txw", []byte(input))
				if err == nil {
					t.Fatalf("%s: no error; parsed as\n%s", d.Pos, c.Print())
				}
				return err.Error() + "\n"
			case "print":
				c, err := Parse("case.txw", []byte(input))
				if err != nil {
					return err.Error() + "\n"
				}
				checkIdentity(t, c)
				return string(c.Print())
			case "same":
				c, err := Parse("case.txw", []byte(input))
				if err != nil {
					return err.Error() + "\n"
				}
				if got := string(c.Print()); got != input {
					return got
				}
				return "same\n"
			}
			t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			return ""
		})
	})
}

// checkIdentity checks that the text of a case reads back as the same case, and that one as the same text.
func checkIdentity(t interface {
	Helper()
	Fatalf(string, ...any)
}, c *Case) {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatalf("not valid: %v", err)
	}
	text := c.Print()
	again, err := Parse("printed", text)
	if err != nil {
		t.Fatalf("printed case does not parse: %v\n%s", err, text)
	}
	if !reflect.DeepEqual(c, again) {
		t.Fatalf("printed case reads back differently:\n%#v\n%#v\n%s", c, again, text)
	}
	if second := again.Print(); !bytes.Equal(text, second) {
		t.Fatalf("printed twice, two texts:\n%s\n%s", text, second)
	}
}

const small = `txweave case 1
target: sqlite
isolation: serializable

-- T0 --
BEGIN;
COMMIT;
`

func TestReadWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.txw")
	if err := os.WriteFile(path, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadNamed(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Schedule{0, 0}); !reflect.DeepEqual(c.Schedule, want) {
		t.Errorf("missing schedule became %v, want %v", c.Schedule, want)
	}
	if err := WriteFile(t.Context(), path, c); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := small + "\n-- schedule --\nT0 T0\n"; string(text) != want {
		t.Errorf("wrote\n%s\nwant\n%s", text, want)
	}
	c.Schedule = nil
	if err := WriteFile(t.Context(), path, c); err == nil {
		t.Error("wrote a case whose schedule misses")
	}
	if _, err := ReadNamed(t.Context(), path+".none"); err == nil {
		t.Error("read a file that is not there")
	}
	if left, _ := filepath.Glob(path + ".tmp"); left != nil {
		t.Errorf("left %v", left)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	build := func() *Case {
		c, err := Parse("x", []byte(`# a
txweave case 1
target: mysql
isolation: read-committed
opt: 1

-- schema --
# s
CREATE TABLE t0 (pkey INT);

-- rows --
# r
INSERT INTO t0 VALUES (1);

-- T0 --
# b
BEGIN;
# u
SELECT 1;
# e
COMMIT;
# tail
`))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := build()
	d := c.Clone()
	if !reflect.DeepEqual(c, d) {
		t.Fatal("clone differs")
	}
	d.Comments[0], d.Tail[0], d.Options[0].Value, d.Schedule[0] = "#", "#", "2", 7
	for _, s := range []*Stmt{&d.Schema[0], &d.Rows[0], d.Txns[0].Step(0), d.Txns[0].Step(1), d.Txns[0].Step(2)} {
		s.SQL, s.Comments[0] = "", "#"
	}
	if !reflect.DeepEqual(c, build()) {
		t.Error("changing the clone changed the original")
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		change func(c *Case)
		want   string
	}{
		{func(c *Case) {}, ""},
		{func(c *Case) { c.Comments = []string{"no"} }, "comment"},
		{func(c *Case) { c.Tail = []string{"# two\n# lines"} }, "comment"},
		{func(c *Case) { c.Txns[0].End.Comments = []string{"# end "} }, "T0, statement 1: comment"},
		{func(c *Case) { c.Target = "" }, `no "target"`},
		{func(c *Case) { c.Isolation = " x" }, "isolation"},
		{func(c *Case) { c.Tool = "a\nb" }, "tool"},
		{func(c *Case) { c.Options = []Option{{"seed", "1"}} }, "already"},
		{func(c *Case) { c.Options = []Option{{"a", "1"}, {"a", "2"}} }, "already"},
		{func(c *Case) { c.Options = []Option{{"a b", "1"}} }, "option name"},
		{func(c *Case) { c.Options = []Option{{"", "1"}} }, "option name"},
		{func(c *Case) { c.Schema = []Stmt{{SQL: ""}} }, "empty statement"},
		{func(c *Case) { c.Schema = []Stmt{{SQL: " a"}} }, "white space"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "a;b"}} }, "semicolon"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "a /* b"}} }, "unterminated comment"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "'a"}} }, "unterminated literal"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: `'a\'`}} }, ""}, // SQLite's
		{func(c *Case) { c.Target, c.Rows = "mariadb", []Stmt{{SQL: `'a\'`}} }, "unterminated literal"},
		{func(c *Case) {
			c.Sessions = []SessionSettings{{Number: 3, Stmts: []Stmt{{SQL: "PRAGMA cache_size = 1"}}}}
		}, "no transaction runs in the session"},
		{func(c *Case) { c.Sessions = []SessionSettings{{Stmts: []Stmt{{SQL: "PRAGMA cache_size = 1"}}}} }, ""},
		{func(c *Case) { c.Sessions = []SessionSettings{{}} }, "sets nothing"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "`a\\`"}} }, ""},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "a\n-- T1 --\nb"}} }, "looks like a section"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "a\n-- note --\nb"}} }, ""},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "# a\nb"}} }, "starts with a comment"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "-- a\nb"}} }, "starts with a comment"},
		{func(c *Case) { c.Rows = []Stmt{{SQL: "--1"}} }, ""},
		{func(c *Case) { c.Txns = nil }, "no transaction is left"},
		{func(c *Case) { c.Txns[0].Begin.SQL = "START SLAVE" }, "T0 must start"},
		{func(c *Case) { c.Txns[0].Begin.SQL = "/* x */ start\n# y\ntransaction READ ONLY" }, ""},
		{func(c *Case) { c.Txns[0].End.SQL = "ROLLBACK WORK TO SAVEPOINT a" }, "T0 must end"},
		{func(c *Case) { c.Txns[0].End.SQL = "rollback work" }, ""},
		{func(c *Case) { c.Schedule = []int{0, 1} }, "schedule entry 1"},
		{func(c *Case) { c.Schedule = []int{0, -1} }, "schedule entry 1"},
		{func(c *Case) { c.Schedule = nil }, "schedule has T0 0 times"},
		{func(c *Case) { c.Txns[0].Stmts = []Stmt{{SQL: "COMMIT"}} }, "inside"},
		{func(c *Case) { c.Options = []Option{{"statements", "1-2"}} }, "already"},
		{func(c *Case) { c.Txns[0].End.ID = c.Txns[0].Begin.ID }, "two statements have the identity 1"},
		{func(c *Case) { c.Txns[0].End.ID = -1 }, "identity -1"},
		{func(c *Case) { c.Txns[0].End.ID = 1_000_000_000 }, "999999999 at most"},
		{func(c *Case) {
			c.Txns[0].Stmts = []Stmt{{SQL: "ROLLBACK TO a"}, {SQL: "COMMITTED"}}
			c.Schedule = c.SerialSchedule()
		}, ""},
	}
	for i, test := range tests {
		c, err := Parse("small", []byte(small))
		if err != nil {
			t.Fatal(err)
		}
		test.change(c)
		err = c.Validate()
		if got := fmt.Sprint(err); (test.want == "") != (err == nil) || err != nil && !strings.Contains(got, test.want) {
			t.Errorf("test %d: got %q, want %q", i, got, test.want)
		}
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("test %d: more than one line: %q", i, err)
		}
		if err == nil {
			checkIdentity(t, c.Identify())
		}
	}
}

// A case of a size that nobody writes is refused with its line, whatever of it is large.
func TestTooLarge(t *testing.T) {
	head := "txweave case 1\ntarget: mariadb\nisolation: serializable\n\n"
	for name, text := range map[string]string{
		"a statement":  head + "-- T0 --\nSELECT " + strings.Repeat("- ", sqltext.MaxDepth+1) + "1;\n",
		"a list":       head + "-- T0 --\nSELECT 1 IN (1" + strings.Repeat(",1", sqltext.MaxTokens) + ");\n",
		"statements":   head + "-- T0 --\nBEGIN;\n" + strings.Repeat("SELECT 1;\n", MaxStatements) + "COMMIT;\n",
		"transactions": head + transactions(MaxTransactions+1),
	} {
		var wrong *ParseError
		if _, err := Parse("case.txw", []byte(text)); !errors.As(err, &wrong) || wrong.Line < 5 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("case.txw", []byte(head+transactions(MaxTransactions))); err != nil {
		t.Error(err)
	}
}

func transactions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-- T%d --\nSELECT 1;\n\n", i)
	}
	return b.String()
}
