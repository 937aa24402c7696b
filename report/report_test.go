package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/testcase"
)

// load loads one of the findings in testdata/findings. They are real ones of MariaDB 10.11 and SQLite, with planted
// bugs where the level does not allow what is seen; the crash and the hangs are made up.
func load(t testing.TB, name string) *timeline.Dossier {
	t.Helper()
	f, err := timeline.Load(filepath.Join("testdata", "findings", name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestGolden prints reports and exports of the findings: report for=TRACKER finding=NAME, export to=FORMAT
// finding=NAME.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var name, to string
			d.ScanArgs(t, "finding", &name)
			f := load(t, name)
			if d.Cmd == "report" {
				d.ScanArgs(t, "for", &to)
				text, err := Write(to, f)
				if err != nil {
					return err.Error() + "\n"
				}
				return text
			}
			d.ScanArgs(t, "to", &to)
			files, err := export.Write(to, f)
			if err != nil {
				return err.Error() + "\n"
			}
			var b strings.Builder
			for _, file := range files {
				fmt.Fprintf(&b, "== %s\n%s", file.Name, file.Text)
			}
			return b.String()
		})
	})
}

// TestEveryTracker writes every finding for every tracker: each report names what a maintainer needs.
func TestEveryTracker(t *testing.T) {
	dirs, err := filepath.Glob("testdata/findings/*")
	if err != nil || len(dirs) < 4 {
		t.Fatalf("findings: %v, %v", dirs, err)
	}
	for _, dir := range dirs {
		f := load(t, filepath.Base(dir))
		for _, to := range Trackers() {
			text, err := Write(to, f)
			if err != nil {
				t.Errorf("%s for %s: %v", dir, to, err)
				continue
			}
			for _, want := range []string{f.Record.Environment.Version, f.Record.Environment.ToolVersion,
				fmt.Sprintf("Came back %d of %s", f.Record.Confirmed, finding.Count(f.Record.Repeated, "time")), "case seed",
				"BEGIN", "Isolation level: " + f.Level()} {
				if !strings.Contains(text, want) {
					t.Errorf("%s for %s: no %q in\n%s", dir, to, want, text)
				}
			}
			if private := strings.Contains(text, "PRIVATE"); private != (f.Record.Class == "crash") {
				t.Errorf("%s for %s: private is %v", dir, to, private)
			}
			for line := range strings.Lines(text) {
				if strings.TrimRight(line, " \n")+"\n" != line {
					t.Errorf("%s for %s: blanks at the end of %q", dir, to, line)
				}
			}
		}
	}
}

// TestTiDBHeadings: TiDB closes issues whose template was changed; the version is what SELECT tidb_version() says.
func TestTiDBHeadings(t *testing.T) {
	f := load(t, "aggregate")
	const version = "Release Version: v8.5.0, Edition: Community"
	f.Record.Environment.DBMS, f.Record.Environment.Settings = "tidb", map[string]string{"tidb_version": version}
	text, err := Write("tidb", f)
	if err != nil {
		t.Fatal(err)
	}
	if _, last, _ := strings.Cut(text, "### 4. What is your TiDB version? (Required)"); !strings.Contains(last,
		"```sql\n"+version+"\n```") {
		t.Errorf("the version is not there:\n%s", last)
	}
	at := -1
	for _, h := range []string{"## Bug Report", "### 1. Minimal reproduce step (Required)",
		"### 2. What did you expect to see? (Required)",
		"### 3. What did you see instead (Required)", "### 4. What is your TiDB version? (Required)"} {
		i := strings.Index(text, "\n"+h+"\n")
		if i <= at {
			t.Errorf("heading %q is missing or not in its place", h)
		}
		at = i
	}
	if n := strings.Count(text, "\n#"); n != 5 {
		t.Errorf("%d headings, want 5", n)
	}
}

// TestMissingParts takes a finding's files away one by one: a report says what is unknown, or one line says what is
// missing; it never fails otherwise.
func TestMissingParts(t *testing.T) {
	for _, c := range []struct{ finding, without, report, err string }{
		{"lost_commit_sqlite", "sdg.json", "the finding has no sdg.json", ""},
		{"lost_commit_sqlite", "replay.jsonl", "the finding has no replay.jsonl", ""},
		{"aggregate", "trace.jsonl", "", "there is no trace.jsonl, which has what the statements answered"},
		{"aggregate", "finding.json", "", "there is no finding.json, which says what the finding is"},
		{"aggregate", "case.txw", "", "it has no case.txw"},
		{"crash", "log.txt", "The server's log is not there", ""},
		{"write_skew", "reduction.json", "The case is as it was found", ""},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "findings", c.finding))); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, c.without)); err != nil {
			t.Fatal(err)
		}
		f, err := timeline.Load(dir)
		text := ""
		if err == nil {
			text, err = Write("mariadb", f)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s without %s: error %v, want %q", c.finding, c.without, err, c.err)
			}
			continue
		}
		if err != nil || !strings.Contains(text, c.report) {
			t.Errorf("%s without %s: %v, want %q in\n%s", c.finding, c.without, err, c.report, text)
		}
	}
}

// TestDamagedParts: what cannot be read is said on one line.
func TestDamagedParts(t *testing.T) {
	for file, text := range map[string]string{
		"sdg.json": "{", "trace.jsonl": "{\n{}\n", "finding.json": "[]", "case.txw": "nonsense",
		"replay.jsonl": `{"op":0,"session":"replay","txn":9,"stmt":0,"role":"target"}` + "\n",
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/findings/aggregate")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := timeline.Load(dir); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("damaged %s: error %v", file, err)
		}
	}
}

// TestReduced: a reduced case is the one that is reported, with what it lacks from the original.
func TestReduced(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/findings/aggregate")); err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(dir, "reduced")
	if err := os.CopyFS(small, os.DirFS("testdata/findings/write_skew")); err != nil {
		t.Fatal(err)
	}
	f, err := timeline.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Reduced || f.Record.Class != "isolation-violation" || len(f.Reduction.Conditions) == 0 {
		t.Errorf("not the reduced finding: %+v", f.Record)
	}
	if err := os.Remove(filepath.Join(small, "trace.jsonl")); err != nil {
		t.Fatal(err)
	}
	if f, err = timeline.Load(dir); err != nil || f.Reduced || f.Record.Class != "replay-difference" {
		t.Errorf("without its trace the reduced case is no evidence: %v, %v", f.Reduced, err)
	}
}

// TestHostileServer: what a server says cannot become markup, leave its block, or move a terminal's cursor: in a title,
// a difference, a setting, a version, or the log.
func TestHostileServer(t *testing.T) {
	const evil = "x\n```\n# Heading\n{noformat}\nh1. Heading\n<script>alert(1)</script> ![i](http://evil.example/) [l|http://evil.example/] {color:red} \x1b[2J\r\x00\xff"
	dirs, err := filepath.Glob("testdata/findings/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		f := load(t, filepath.Base(dir))
		f.Log, f.Record.Log, f.Record.Summary, f.Record.Environment.Version = evil, evil, evil, evil
		f.Record.Environment.Settings = map[string]string{"version_comment": evil, evil: "1"}
		for i := range f.Record.Differences {
			d := &f.Record.Differences[i]
			d.Transaction, d.Replay, d.Steps = finding.Side{Text: evil}, finding.Side{Text: evil},
				finding.Sentences{finding.Say("%v", evil)}
		}
		if f.Run != nil {
			for _, e := range f.Run.Events {
				if e.Err != nil {
					e.Err.Message = evil
				}
			}
		}
		for _, to := range Trackers() {
			text, err := Write(to, f)
			if err != nil {
				t.Errorf("%s for %s: %v", dir, to, err)
				continue
			}
			if strings.ContainsAny(text, "\x1b\r\x00") || !utf8.ValidString(text) {
				t.Errorf("%s for %s: control characters", dir, to)
			}
			within := false                      // verbatim text
			_, text, _ = strings.Cut(text, "\n") // the title goes into a field of its own, without markup
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\n")
				fence := to == "tidb" && strings.HasPrefix(line, "```") || to == "mariadb" && line == "{noformat}"
				switch {
				case fence:
					within = !within
				case within, strings.HasPrefix(line, "    "), to != "tidb" && to != "mariadb": // where nothing is marked up
				case strings.HasPrefix(line, "# Heading"), strings.HasPrefix(line, "h1. Heading"):
					t.Errorf("%s for %s: a heading of the server's: %q", dir, to, line)
				case to == "tidb" && (unescaped(line, "<script>") || unescaped(line, "](http")), to == "mariadb" &&
					(unescaped(line, "{color") || unescaped(line, "[l|")):
					t.Errorf("%s for %s: markup of the server's: %q", dir, to, line)
				}
			}
			if within {
				t.Errorf("%s for %s: verbatim text does not end", dir, to)
			}
		}
	}
}

// unescaped says whether a mark stands in a line without a backslash before it.
func unescaped(line, mark string) bool {
	at := strings.Index(line, mark)
	return at >= 0 && (at == 0 || line[at-1] != '\\')
}

// TestTellingStore: whoever repeats a finding in a store of its own is told how the server is started, and nothing of
// one in the usual store.
func TestTellingStore(t *testing.T) {
	f := &timeline.Dossier{Case: &testcase.Case{Target: "mariadb"},
		Record: finding.Record{Environment: finding.Environment{DBMS: "mariadb", Isolation: "repeatable-read",
			Changed: []string{"innodb_buffer_pool_size", "autocommit"}, Settings: map[string]string{
				"innodb_buffer_pool_size": "67108864", "autocommit": "OFF"}}}}
	for store, want := range map[string]string{"": "[[autocommit OFF]]",
		"pages-4k": "[[autocommit OFF] [innodb_page_size 4k]]",
		"small-pool": "[[autocommit OFF] [innodb_buffer_pool_size 8M] [innodb_adaptive_hash_index ON] " +
			"[innodb_change_buffering all]]"} {
		f.Case.SetOption(testcase.OptionStore, store)
		if got := fmt.Sprint(f.SettingsToRepeat()); got != want {
			t.Errorf("%q: %s, want %s", store, got, want)
		}
	}
}

// TestWithoutTrace: what is found before a statement of the case is sent has no trace, and is reported to every
// tracker: with the statement that was refused, what it was answered, and the case.
func TestWithoutTrace(t *testing.T) {
	refused := finding.Difference{What: fault.UnexpectedError, Code: 1118, Steps: finding.Sentences{finding.Say("%v: %v",
		finding.Query("INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0)"), &history.DBError{Code: 1118,
			Message: "Row size too large"})}}
	row := refused
	row.Kind = finding.InitialRow
	for _, d := range []struct {
		class string
		of    finding.Difference
	}{
		{finding.ClassUnexpected, row},
		{finding.ClassCorruption, refused},
		{finding.ClassHang, finding.Difference{}},
	} {
		dir := t.TempDir()
		c, err := os.ReadFile("testdata/findings/lost_commit_sqlite/case.txw")
		if err != nil {
			t.Fatal(err)
		}
		f := finding.Finding{Class: d.class, Oracle: "unexpected", Summary: "the database does not take it",
			Confirmed: 1, Repeated: 1}
		if d.of.What != "" {
			f.Differences = []finding.Difference{d.of}
		}
		f.Sign()
		rec := finding.Record{ID: "x", Finding: f, Environment: finding.Environment{DBMS: "mariadb", Version: "10.11",
			Isolation: "repeatable-read"}}
		if err := finding.Write(filepath.Join(dir, "x"), &rec, map[string][]byte{finding.CaseFile: c}, nil); err != nil {
			t.Fatal(err)
		}
		find, err := timeline.Load(filepath.Join(dir, "x"))
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range append(Trackers(), HTML) {
			text, err := Write(to, find)
			if err != nil || !strings.Contains(text, "CREATE TABLE") {
				t.Errorf("%s for %s: %v, %s", d.class, to, err, text)
			}
			if d.of.Kind != "" && !strings.Contains(text, "1118") {
				t.Errorf("%s for %s does not say what was answered:\n%s", d.class, to, text)
			}
		}
	}
}
