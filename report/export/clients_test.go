package export_test

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/dbms/sqlite"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
	"txweave/report/timeline"
	"txweave/testcase"
)

// clientRows finds, in what the client printed, the tables that follow a statement, and returns their rows, sorted.
func clientRows(out, sql string) (tables [][]string) {
	parts := strings.Split(out, "--------------\n")
	for i := 0; i+1 < len(parts); i++ {
		if strings.TrimSpace(parts[i]) != strings.TrimSpace(sql) {
			continue
		}
		var rows []string
		header := true
		for line := range strings.Lines(parts[i+1]) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			if header {
				header = false
				continue
			}
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			for c := range cells {
				cells[c] = strings.TrimSpace(cells[c])
			}
			rows = append(rows, strings.Join(cells, "\t"))
		}
		slices.Sort(rows)
		tables = append(tables, rows)
	}
	return tables
}

// padded are rows as a client shows them in columns of equal width: blanks at the end of a value are not told from
// those behind it.
func padded(r *history.Rows) []string {
	rows := rawRows(r)
	for i := range rows {
		cells := strings.Split(rows[i], "\t")
		for c := range cells {
			cells[c] = strings.TrimSpace(cells[c])
		}
		rows[i] = strings.Join(cells, "\t")
	}
	slices.Sort(rows)
	return rows
}

// TestSQLClient runs the SQL scripts of a write skew under the mariadb client: the sessions show what the run showed,
// wait included. That one cannot tell the others at once that it is there makes them wait, not go on.
func TestSQLClient(t *testing.T) {
	target := shared.Target(t)
	client := installed(t, "mariadb", "mariadb-client-core")
	f := writeSkew(t, target)
	dir := save(t, "sql", f)
	change(t, filepath.Join(dir, "T1.sql"), func(text string) string {
		return "LOCK TABLES txweave_windows WRITE;\nDO SLEEP(0.5);\nUNLOCK TABLES;\n" + text
	})
	out := runSQL(t, dir, client)
	tl, err := f.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	concurrent, _, _ := strings.Cut(out, "== without concurrency")
	sessions, final, _ := strings.Cut(concurrent, "== after the transactions")
	if strings.Contains(sessions, "\nERROR ") {
		t.Errorf("an error:\n%s", sessions)
	}
	for _, st := range tl.Steps {
		if st.Answer.Rows == nil {
			continue
		}
		own, _, _ := strings.Cut(sessions[strings.Index(sessions, "== "+tl.Lanes[st.Lane].Name):], "Bye")
		if got := clientRows(own, st.SQL); len(got) != 1 || !slices.Equal(got[0], padded(st.Answer.Rows)) {
			t.Errorf("%s: got %v, want %v", st.Name, got, padded(st.Answer.Rows))
		}
	}
	for _, tab := range tl.Tables {
		if got := clientRows(final, fmt.Sprintf("SELECT * FROM %s ORDER BY 1", tab.Name)); len(got) != 1 ||
			!slices.Equal(got[0], padded(tab.Actual)) {
			t.Errorf("%s at the end: got %v, want %v", tab.Name, got, padded(tab.Actual))
		}
	}
}

// change rewrites a file.
func change(t *testing.T, path string, edit func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(edit(string(text))), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// runSQL runs exported scripts under the mariadb client and returns what they print.
func runSQL(t *testing.T, dir, client string) string {
	t.Helper()
	cmd := osexec.CommandContext(t.Context(), "sh", filepath.Join(dir, "run.sh"), client, "--no-defaults",
		"--socket="+shared.Socket(t), "--user=root", "test_sql")
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("run.sh: %v\n%s", err, printed)
	}
	return string(printed)
}

// TestSQLInVain: a window that does not open, or does not get to a moment, is waited for so long and then named.
func TestSQLInVain(t *testing.T) {
	target := shared.Target(t)
	client := installed(t, "mariadb", "mariadb-client-core")
	t.Setenv("PATIENCE", "1")
	f := writeSkew(t, target)
	for _, c := range []struct {
		what, want string
		edit       func(string) string
	}{
		{"not opened", "txweave: waited in vain for window T1 to open", func(string) string { return "" }},
		{"stands still", "txweave: waited in vain for T1.", func(text string) string {
			opened := strings.Index(text, "CALL txweave_meet")
			return text[:opened+strings.Index(text[opened:], "\n")+1] + "DO SLEEP(2.5);\n"
		}},
	} {
		dir := save(t, "sql", f)
		change(t, filepath.Join(dir, "T1.sql"), c.edit)
		if out := runSQL(t, dir, client); !strings.Contains(out, c.want) {
			t.Errorf("%s: no %q in\n%s", c.what, c.want, out)
		}
	}
}

// TestSQLWaits runs the scripts of an interleaving in which a statement waits.
func TestSQLWaits(t *testing.T) {
	target := shared.Target(t)
	client := installed(t, "mariadb", "mariadb-client-core")
	p := servers.Level(t, "mariadb/repeatable-read", "")
	for n := range 40 {
		f := play(t, target, p, generate(t, p, 9, n))
		tl, err := f.Timeline()
		if err != nil {
			t.Fatal(err)
		}
		if racy(tl) || !slices.ContainsFunc(tl.Steps, func(st *timeline.LaneStep) bool {
			return st.Blocked && st.Answer.Err == nil
		}) {
			continue
		}
		_, final, _ := strings.Cut(runSQL(t, save(t, "sql", f), client), "== after the transactions")
		for _, tab := range tl.Tables {
			// of all columns, by name where some are hidden
			query := regexp.MustCompile("SELECT .* FROM " + tab.Name + " ORDER BY 1").FindString(final)
			if got := clientRows(final, query); len(got) != 1 || !slices.Equal(got[0], padded(tab.Actual)) {
				t.Errorf("case %d, %s at the end: got %v, want %v", n, tab.Name, got, padded(tab.Actual))
			}
		}
		return
	}
	t.Error("no case in which a statement waits")
}

// runGo runs an exported Go test as it stands, within this module, and says whether it passed.
func runGo(t *testing.T, f *timeline.Dossier, dsn string) (passed bool, out string) {
	t.Helper()
	file := filepath.Join(save(t, "go", f), "case_test.go")
	cmd := osexec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", file)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "TXWEAVE_DSN="+dsn)
	printed, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(printed), "--- FAIL: TestCase") {
		t.Fatalf("go test: %v\n%s", err, printed)
	}
	return err == nil, string(printed)
}

// TestGo compiles and runs exported Go tests: one fails while the database shows the finding, one passes where it does
// not, since the bug was planted between txweave and a correct engine.
func TestGo(t *testing.T) {
	effort.Full(t)
	target := shared.Target(t)
	dsn := "root@unix(" + shared.Socket(t) + ")/test_go"
	if passed, out := runGo(t, writeSkew(t, target), dsn); passed || !strings.Contains(out,
		"once more: Transactions commit although") {
		t.Errorf("MariaDB shows the write skew; the test passed: %v\n%s", passed, out)
	}
	f := plantedFinding(t, target, servers.Level(t, "mariadb/repeatable-read", ""), "wrong-own-aggregate")
	if passed, out := runGo(t, f, dsn); !passed {
		t.Errorf("MariaDB answers rightly; the test failed:\n%s", out)
	}
}

// scratched is a case in which a query goes through a table of its own, behind a write of another session.
const scratched = `txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);
CREATE TABLE u (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- rows --
INSERT INTO t VALUES (1, 1, 0), (2, 2, 0);
INSERT INTO u VALUES (1, 3, 0);

-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 101;
COMMIT;

-- T1 --
BEGIN;
CREATE TEMPORARY TABLE s0 AS SELECT pkey, vkey FROM t;
UPDATE u SET pvkey = vkey, vkey = 102 WHERE pkey = 1;
SELECT COUNT(*) + 1 AS n FROM u, t;
COMMIT;

-- schedule --
T0 T0 T0 T1 T1 T1 T1 T1
`

// TestGoScratch: SQLite counts for a CREATE TABLE the rows of its connection's last write, which is no answer; what the
// query found is.
func TestGoScratch(t *testing.T) {
	effort.Full(t)
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	c, err := testcase.Parse("scratched", []byte(scratched))
	if err != nil {
		t.Fatal(err)
	}
	fault := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == "wrong-own-aggregate" })
	f := check(t, planted.Plant(target, planted.Faults()[fault], 1), servers.Level(t, "sqlite/serializable", ""), c, "")
	if f == nil || f.Record.Class != finding.ClassReplay {
		t.Fatal("the planted bug does not show by a replay")
	}
	if passed, out := runGo(t, f, ""); !passed || strings.Count(out, "T1.S0 ran: (") == 0 {
		t.Errorf("SQLite answers rightly: %v\n%s", passed, out)
	}
}

// TestGoSQLite runs a test on the embedded engine, where a statement that would wait is sent again.
func TestGoSQLite(t *testing.T) {
	effort.Full(t)
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	f := plantedFinding(t, target, servers.Level(t, "sqlite/serializable", ""), "wrong-own-aggregate")
	if passed, out := runGo(t, f, ""); !passed {
		t.Errorf("SQLite answers rightly; the test failed:\n%s", out)
	}
}
