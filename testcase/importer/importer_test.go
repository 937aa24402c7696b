package importer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/internal/testkit/effort"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestGolden reads each text under testdata/ and prints the case and the notes, or the error. A case must read
// back as it was printed.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			o := Options{Target: "mariadb", Default: "repeatable-read"}
			if d.HasArg("target") {
				d.ScanArgs(t, "target", &o.Target)
			}
			if d.HasArg("isolation") {
				d.ScanArgs(t, "isolation", &o.Isolation)
			}
			input := []byte(d.Input)
			if d.HasArg("escaped") {
				text, err := strconv.Unquote(`"` + strings.ReplaceAll(d.Input, "\n", "") + `"`)
				if err != nil {
					t.Fatal(err)
				}
				input = []byte(text)
			}
			if d.HasArg("format") {
				d.ScanArgs(t, "format", &o.Format)
			}
			if d.Cmd == "script" {
				return printScripts(input, o, !d.HasArg("shared"))
			}
			c, notes, err := Read("report.sql", input, o)
			if err != nil {
				return err.Error() + "\n"
			}
			if d.Cmd == "keep" {
				if c, err = Keep(c); err != nil {
					return err.Error() + "\n"
				}
			}
			text := string(c.Print())
			again, err := testcase.Parse("case.txw", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got := string(again.Print()); got != text {
				t.Fatalf("read back as\n%s\nnot as\n%s", got, text)
			}
			for _, n := range notes {
				text += "note: " + n + "\n"
			}
			return strings.ReplaceAll(text, "\n\n", "\n")
		})
	})
}

// printScripts prints what a text becomes as scripts: line, session and text of each statement, and what was said of
// it.
func printScripts(text []byte, o Options, private bool) string {
	all, err := ReadScripts("report.sql", text, o, private)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "read as %s\n", all[0].Format)
	for i, s := range all {
		if len(all) > 1 {
			fmt.Fprintf(&b, "== %d, line %d: %s\n", i+1, s.Line, s.Title)
		}
		if s.Script.Isolation != "" {
			fmt.Fprintf(&b, "level %s\n", s.Script.Isolation)
		}
		for _, list := range [][]testcase.ScriptStmt{s.Script.Setup, s.Script.Steps} {
			for _, st := range list {
				name := "set-up"
				if st.Session >= 0 {
					name = s.Script.Sessions[st.Session]
				}
				fmt.Fprintf(&b, "%d %s: %s\n", st.Line, name, strings.ReplaceAll(st.SQL, "\n", "\\n"))
				for _, n := range st.Idle {
					fmt.Fprintf(&b, "    once %s has answered\n", s.Script.Sessions[n])
				}
				if st.Printed != nil {
					text := strings.TrimPrefix(fmt.Sprintf("%+v", *st.Printed), "&")
					fmt.Fprintf(&b, "    printed: %s\n", strings.NewReplacer(" Message: ", " ", " Fine:false", "", " Cells:false", "",
						" Loose:false", "", " Expected:false", "").Replace(text)) // what is not said
				}
			}
		}
		for _, n := range s.Notes {
			missing := "note"
			if n.Missing {
				missing = "missing"
			}
			fmt.Fprintf(&b, "%s: %s\n", missing, n)
		}
	}
	return b.String()
}

// FuzzScripts looks for texts that make the importer panic, or give a script that it would not admit itself.
func FuzzScripts(f *testing.F) {
	paths, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // a directory of the fuzzer's
		}
		parts := strings.Split(string(text), "\n----\n")
		for _, part := range parts[:effort.Cases(len(parts))] {
			f.Add(part)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, target := range []string{"mariadb", "sqlite"} {
			all, err := ReadScripts("x", []byte(text), Options{Target: target}, false)
			if err != nil {
				var parse *testcase.ParseError
				if !errors.As(err, &parse) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("%q: %v is no error of one line", text, err)
				}
				continue
			}
			for _, s := range all {
				if r := s.Script.Admit(sqltext.SyntaxOf(target), false); len(r) > 0 {
					t.Fatalf("%q: %q is let through: %v", text, r[0].Stmt.SQL, r[0].Reason)
				}
				for _, st := range s.Script.Steps {
					if st.Session < 0 || st.Session >= len(s.Script.Sessions) || st.Line < 1 || st.SQL == "" {
						t.Fatalf("%q: statement %+v", text, st)
					}
				}
				if c, _, err := s.Script.Case(s.Script.Levels()); err == nil {
					_, _ = Keep(c)
				}
			}
		}
	})
}

// FuzzRead looks for texts that make the importer panic or give a case that is none.
func FuzzRead(f *testing.F) {
	f.Add("create table t (a int);\nT0> begin; T1> select 1; --- 1 T0> commit;\nno transaction\nselect 1;")
	f.Add("/* init */ create table t (a int);\n/* t1 */ begin;\n/* t1 */ commit;")
	f.Add("CREATE TABLE t (a INT)\nREAD COMMITTED\nBEGIN\nCOMMIT\nSERIALIZABLE\nBEGIN\nCOMMIT\n1-1-2-2\nEND")
	f.Add("begin; -- T1\nselect '; -- T2\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := Read("x", []byte(text), Options{Target: "sqlite", Default: "serializable"})
		if err != nil {
			return
		}
		if _, err := testcase.Parse("x", c.Print()); err != nil {
			t.Fatalf("%q became a case that does not read back: %v\n%s", text, err, c.Print())
		}
	})
}

// A statement of a size that nobody writes is refused with its line, in whatever form it stands, and prose of that size
// is none.
func TestTooLarge(t *testing.T) {
	deep := "SELECT " + strings.Repeat("- ", sqltext.MaxDepth+1) + "1;"
	for name, text := range map[string]string{
		"statements":  "CREATE TABLE t (a INT);\nT0> BEGIN;\nT0> " + deep + "\n",
		"behind":      "CREATE TABLE t (a INT);\nBEGIN; -- T0\n" + deep + " -- T0\n",
		"fences":      "Session 1:\n```sql\n" + deep + "\n```\nSession 2:\n```sql\nBEGIN;\n```\n",
		"mtr":         "--connect (c1,localhost,root,,)\nBEGIN;\n" + deep + "\n--connection default\nBEGIN;\n",
		"a spec":      "setup { CREATE TABLE t (a int); }\nsession s1\nstep a { " + deep + " }\npermutation a\n",
		"a wide line": "T0> SELECT 1 FROM t WHERE a IN (1" + strings.Repeat(", 1", sqltext.MaxLength) + ");\n",
	} {
		var wrong *testcase.ParseError
		if _, err := ReadScripts("a.sql", []byte(text), Options{Target: "mariadb"}, true); !errors.As(err, &wrong) ||
			wrong.Line < 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDocumented: each example of docs/reference/import-formats.md is read in the format of its heading.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/import-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{"SQL with marks": "marks", "Tables of sessions": "table", "Transcripts": "transcript",
		"mysqltest":       "mysqltest",
		"Isolation specs": "isolation-spec", "Logs": "", "Logic tests": "sqllogictest", "Go": "go"}
	seen := 0
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		want, known := named[title]
		parts := strings.Split(rest, "\n```")
		if !known || len(parts) < 3 {
			continue
		}
		_, example, _ := strings.Cut(parts[1], "\n")
		examples := []string{example}
		if title == "Logs" { // one line of MySQL's, and one of PostgreSQL's with its values
			lines := strings.SplitAfter(example+"\n", "\n")
			examples = []string{lines[0] + lines[0], lines[1] + lines[2]}
		}
		for _, example := range examples {
			all, err := ReadScripts("docs/reference/import-formats.md", []byte(example), Options{Target: "mariadb"}, true)
			if err != nil || want != "" && all[0].Format != want {
				t.Errorf("%s: %v, read as %+v", title, err, all)
			}
			for _, s := range all {
				for _, n := range s.Notes {
					if n.Missing {
						t.Errorf("%s: %s", title, n)
					}
				}
			}
		}
		seen++
	}
	if seen != len(named) {
		t.Errorf("%d examples of %d", seen, len(named))
	}
}
