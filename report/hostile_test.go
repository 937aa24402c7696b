package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/finding"
	"txweave/history"
	"txweave/report/export"
	"txweave/report/script"
	"txweave/report/timeline"
	"txweave/testcase"
)

// evil is in all that a hostile finding says.
const evil = "EVIL"

// hostile draws a text that would like to leave where it is put.
var hostile = rapid.Custom(func(t *rapid.T) string {
	out := ""
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		out += rapid.SampledFrom([]string{"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f", "'", `"`, "`", "*/",
			"/*", "--", "-- x\n", "#", "$$", "}", "{", ";", `\`, `\!`,
			"$(", "\x00", "\x1b[2J", "\xff", "{{.}}", "%s", "\n--exec ", "\n.shell ", "\n\\! "}).Draw(t, "with") + evil
	}
	return out
})

// corrupt makes some of the texts in a value hostile.
func corrupt(t *rapid.T, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		// The DBMS chooses how it is spelled; it is no text of anybody's.
		if v.CanSet() && !strings.HasSuffix(path, ".DBMS") && rapid.Bool().Draw(t, path) {
			v.SetString(hostile.Draw(t, path))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				corrupt(t, v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			corrupt(t, v.Index(i), path)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			corrupt(t, v.Elem(), path)
		}
	case reflect.Map:
		if m, ok := v.Interface().(map[string]string); ok && m != nil {
			m[hostile.Draw(t, "key")] = hostile.Draw(t, "value")
		}
	}
}

// lines are ended by whatever any language takes for the end of one.
var lines = regexp.MustCompile("\r\n|[\n\r\v\f\u0085\u2028\u2029]")

// live returns the lines of a script on which a hostile text is not in a comment.
func live(text string, markers ...string) (out []string) {
	for _, line := range lines.Split(text, -1) {
		before, _, found := strings.Cut(line, evil)
		comment := false
		for _, m := range markers {
			comment = comment || strings.Contains(before, m)
		}
		if found && !comment {
			out = append(out, line)
		}
	}
	return out
}

var fileName = regexp.MustCompile(`^[A-Za-z0-9_]+\.[a-z]+$`)

// harmless fails where a hostile text is executed in a file of an export.
func harmless(t *rapid.T, file export.File) {
	var wrong []string
	switch kind := filepath.Ext(file.Name); {
	case !fileName.MatchString(file.Name):
		t.Fatalf("a file is called %q", file.Name)
	case kind == ".go":
		tree, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Text, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, file.Text)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.Contains(id.Name, evil) {
				wrong = append(wrong, id.Name)
			}
			return true
		})
	case kind == ".sh":
		wrong = live(file.Text)
	case kind == ".spec":
		wrong = live(file.Text, "# ")
	case kind == ".test":
		wrong = live(file.Text, "# ")
		for _, line := range lines.Split(file.Text, -1) {
			if at := strings.Index(line, evil); at >= 0 && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line,
				"--echo # ") {
				wrong = append(wrong, line)
			}
		}
	default:
		wrong = live(file.Text, "-- ")
	}
	if len(wrong) > 0 {
		t.Fatalf("%s: live: %q", file.Name, wrong)
	}
}

// TestHostileFindingIsNoScript: whatever stands in a finding, and whatever a server answered, no script that is made of
// it executes that.
func TestHostileFindingIsNoScript(t *testing.T) {
	dirs, err := filepath.Glob("testdata/findings/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	written := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		f, err := timeline.Load(rapid.SampledFrom(dirs).Draw(t, "finding"))
		if err != nil {
			t.Fatal(err)
		}
		f.Record.Environment.DBMS = rapid.SampledFrom([]string{f.Case.Target, "mariadb", "sqlite", "postgresql",
			"tidb"}).Draw(t, "dbms")
		class := f.Record.Class
		corrupt(t, reflect.ValueOf(&f.Record).Elem(), "record")
		if rapid.Bool().Draw(t, "class") {
			f.Record.Class = class
		}
		for _, trace := range []*history.Trace{f.Run, f.Replayed} {
			if trace == nil {
				continue
			}
			for _, e := range trace.Events {
				corrupt(t, reflect.ValueOf(&e.Answer).Elem(), "answer")
			}
		}
		for _, format := range export.Formats() {
			if format == "isolation-spec" { // which is one database's alone
				f.Record.Environment.DBMS = "postgresql"
			}
			files, err := export.Write(format, f)
			for _, file := range files {
				written[format] = true
				harmless(t, file)
			}
			if err != nil && f.Run != nil && !strings.Contains(err.Error(), "mtr tests are for") &&
				!strings.Contains(err.Error(), "isolation specs are for") &&
				!strings.Contains(err.Error(), "braces") && !strings.Contains(err.Error(), "query plan") &&
				!strings.Contains(err.Error(), "another plan") && !strings.Contains(err.Error(), "database/sql does not tell") {
				t.Fatalf("%s: %v", format, err)
			}
		}
		run, err := f.Timeline()
		if err != nil {
			run = nil
		}
		if wrong := live(script.Of(f, run).Text(), "-- "); len(wrong) > 0 {
			t.Fatalf("script: live: %q", wrong)
		}
	})
	if len(written) != len(export.Formats()) {
		t.Errorf("only %v were written", written)
	}
}

// TestHostileTraceIsRefused: what a trace says was sent comes into scripts, so that it is held against the case.
func TestHostileTraceIsRefused(t *testing.T) {
	for what, change := range map[string]func(*history.Event){
		"text":     func(e *history.Event) { e.Text = "COPY t0 TO PROGRAM 'x'" },
		"two":      func(e *history.Event) { e.Text += "; DROP TABLE t0" },
		"write":    func(e *history.Event) { e.Text = "UPDATE other SET a = 1" },
		"setting":  func(e *history.Event) { e.Text = "SET GLOBAL general_log_file = '/x'" },
		"ending":   func(e *history.Event) { e.Role, e.Stmt, e.Text = history.End, -1, "SELECT 1 INTO OUTFILE '/x'" },
		"clearing": func(e *history.Event) { e.Role, e.Stmt, e.Text = history.Abort, -1, "SET GLOBAL x = 1" },
		"level": func(e *history.Event) {
			e.Role, e.Stmt, e.Text = history.Level, -1,
				"SET GLOBAL TRANSACTION READ ONLY"
		},
		"final":     func(e *history.Event) { e.Role, e.Txn, e.Stmt, e.Text = history.Final, -1, -1, "DROP TABLE t0" },
		"session":   func(e *history.Event) { e.Session = "T0; touch x" },
		"directory": func(e *history.Event) { e.Session = "../../x" },
		"line":      func(e *history.Event) { e.Session = "T0\n.shell x" },
	} {
		dir := t.TempDir()
		files := map[string][]byte{}
		from, err := finding.Open(filepath.Join("testdata", "findings", "write_skew"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{finding.CaseFile, finding.TraceFile} {
			if files[name], err = from.Read(name); err != nil {
				t.Fatal(err)
			}
		}
		trace, err := history.ReadTrace(strings.NewReader(string(files[finding.TraceFile])))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range trace.Events {
			if e.Role == history.Target {
				change(e)
				break
			}
		}
		var text strings.Builder
		if err := trace.Write(&text); err != nil {
			t.Fatal(err)
		}
		files[finding.TraceFile] = []byte(text.String())
		path := filepath.Join(dir, "finding-000001-0")
		if err := finding.Write(path, from.Record, files, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := timeline.Load(path); err == nil || !strings.Contains(err.Error(),
			"the trace does not belong to the case") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestCaseOfAnotherQuotingIsRefused: what is one statement of the target that a case names, and two of the database
// that the record names, is no case of that.
func TestCaseOfAnotherQuotingIsRefused(t *testing.T) {
	const text = `txweave case 1
target: mariadb
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey INTEGER PRIMARY KEY, a VARCHAR(60));

-- T0 --
BEGIN;
SELECT a FROM t0 WHERE a = '\'; DROP TABLE t0; -- ';
COMMIT;
`
	c, err := testcase.Read("case", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := &finding.Record{ID: "finding-000001-0"}
	r.Class, r.Environment.DBMS = finding.ClassReplay, "sqlite"
	path := filepath.Join(t.TempDir(), "finding-000001-0")
	if err := finding.Write(path, r, map[string][]byte{finding.CaseFile: c.Print()}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := timeline.Load(path); err == nil || !strings.Contains(err.Error(), "the case is not one of sqlite") {
		t.Errorf("%v", err)
	}
}
