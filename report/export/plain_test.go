package export_test

import (
	"bytes"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/servers"
	"txweave/report/timeline"
	"txweave/testcase"
	"txweave/weave/plain"
)

// plainly gives a finding its plain form, made on the target.
func plainly(t *testing.T, target exec.Target, p *dbms.Profile, f *timeline.Dossier) *timeline.Dossier {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target, p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var order []string
	if f.Replayed != nil {
		for _, e := range f.Replayed.Events {
			if e.Role == history.Target {
				order = append(order, fmt.Sprintf("T%d.S%d", e.Txn, e.Stmt))
			}
		}
	}
	form, err := plain.Make(r, f.Case, p, &f.Record.Finding, order)
	if err != nil || form == nil {
		t.Fatalf("no plain form: %v", err)
	}
	c, err := testcase.Parse(finding.PlainFile, []byte(form.Case))
	if err == nil {
		err = f.SetPlain(form, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// plainSkew is the write skew of the documentation in its plain form.
func plainSkew(t *testing.T) *timeline.Dossier {
	t.Helper()
	target := shared.Target(t)
	return plainly(t, target, servers.Level(t, "mariadb/repeatable-read", "serializable"), writeSkew(t, target))
}

// TestPlainExports runs the exports of one plain case under the clients that they are for: each shows the answers of
// the plain run and, after it, those of both orders.
func TestPlainExports(t *testing.T) {
	f := plainSkew(t)
	if len(f.Plain.Orders) != 2 || strings.Contains(string(f.Plain.Case.Print()), "key") {
		t.Fatalf("%d orders; the case is\n%s", len(f.Plain.Orders), f.Plain.Case.Print())
	}
	t.Run("mtr", func(t *testing.T) {
		parts := answers(mysqltest(t, f))
		if len(parts) != 3 {
			t.Fatalf("%d parts, want the interleaving and two orders", len(parts))
		}
		compareParts(t, f, parts)
	})
	t.Run("go", func(t *testing.T) {
		dsn := "root@unix(" + shared.Socket(t) + ")/test_go"
		if passed, out := runGo(t, f, dsn); passed || !strings.Contains(out,
			"one after the other, without transactions: T1 before T0") {
			t.Errorf("MariaDB shows the write skew; the test passed: %v\n%s", passed, out)
		}
		if passed, out := runGo(t, f, ""); passed || !strings.Contains(out, "TXWEAVE_DSN names no database") {
			t.Errorf("without a database the test passed: %v\n%s", passed, out)
		}
	})
	f.Record.Environment.DBMS, f.Case.Target = "postgresql", "postgresql"
	t.Run("isolation-spec", func(t *testing.T) { isolationSpec(t, f) })
	t.Run("isolation-spec in a store", func(t *testing.T) {
		f.Case.SetOption(testcase.OptionStore, "frozen")
		isolationSpec(t, f)
	})
}

// compareParts holds what a client printed against the plain run and its orders.
func compareParts(t *testing.T, f *timeline.Dossier, parts []map[string][]string) {
	t.Helper()
	for _, st := range f.Plain.Timeline.Steps {
		if st.Role == history.Target {
			expectAnswer(t, "interleaving "+st.Name, parts[0][st.Name], &st.Answer)
		}
	}
	for i, o := range f.Plain.Orders {
		for _, st := range o.Timeline.Serial {
			expectAnswer(t, fmt.Sprintf("order %d, %s", i, st.Name), parts[i+1][st.Name], st.Expected)
		}
	}
}

// TestWindowsWait opens the windows by hand, the second one late: the interleaving is the same.
func TestWindowsWait(t *testing.T) {
	client := installed(t, "mariadb", "mariadb-client-core")
	f := plainSkew(t)
	dir := save(t, "sql", f)
	run := func(script string) *osexec.Cmd {
		cmd := osexec.CommandContext(t.Context(), client, "--no-defaults", "--socket="+shared.Socket(t), "--user=root",
			"--table", "-vv", "test_sql")
		in, err := os.Open(filepath.Join(dir, script))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		cmd.Stdin, cmd.Stdout = in, new(bytes.Buffer)
		cmd.Stderr = cmd.Stdout
		return cmd
	}
	if err := run("setup.sql").Run(); err != nil {
		t.Fatal(err)
	}
	first, second := run("T0.sql"), run("T1.sql")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if err := second.Run(); err != nil {
		t.Fatalf("%v\n%s", err, second.Stdout)
	}
	if err := first.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, first.Stdout)
	}
	out := map[string]string{"T0": fmt.Sprint(first.Stdout), "T1": fmt.Sprint(second.Stdout)}
	compared := 0
	for _, st := range f.Plain.Timeline.Steps {
		if st.Answer.Rows != nil {
			compared++
			if got := clientRows(out[fmt.Sprint("T", st.Txn)], st.SQL); len(got) != 1 ||
				!slices.Equal(got[0], rawRows(st.Answer.Rows)) {
				t.Errorf("%s: got %v, want %v", st.Name, got, rawRows(st.Answer.Rows))
			}
		}
	}
	if compared < 2 {
		t.Errorf("%d answers compared", compared)
	}
}

// TestSQLiteShell runs the scripts of an interleaving in which one session is refused and sends its statement again,
// with SQLite's own shell.
func TestSQLiteShell(t *testing.T) {
	shell := installed(t, "sqlite3", "sqlite3")
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	c, err := testcase.Parse("case.txw", []byte(`txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t (id INTEGER PRIMARY KEY, a INT);

-- rows --
INSERT INTO t VALUES (1, 10);

-- T0 --
BEGIN;
UPDATE t SET a = 20;
COMMIT;

-- T1 --
BEGIN;
UPDATE t SET a = a + 5;
SELECT * FROM t;
COMMIT;

-- schedule --
T0 T1 T0 T1 T0 T1 T1
`))
	if err != nil {
		t.Fatal(err)
	}
	f := plainRun(t, target, servers.Level(t, "sqlite/serializable", ""), c)
	dir := save(t, "sql", f)
	printed, err := osexec.CommandContext(t.Context(), "sh", filepath.Join(dir, "run.sh"), shell).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	_, window, _ := strings.Cut(string(printed), "== T1")
	window, end, _ := strings.Cut(window, "== after the transactions")
	if !strings.Contains(window, "locked") || !strings.Contains(window, "1   25") || !strings.Contains(end, "1   25") {
		t.Errorf("the second session is to be refused once and to read 25:\n%s", printed)
	}
	vain := osexec.CommandContext(t.Context(), "sh", filepath.Join(dir, "await.sh"), "moment.99", "T1.S7")
	vain.Env = append(os.Environ(), "PATIENCE=0")
	if said, err := vain.CombinedOutput(); err == nil || string(said) != "txweave: waited in vain for T1.S7\n" {
		t.Errorf("a moment that does not come: %v, %q", err, said)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "case.db*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSQLiteStore: the scripts of a finding in a store of its own make its tables in one, and do what is done there
// behind rows.
func TestSQLiteStore(t *testing.T) {
	shell := installed(t, "sqlite3", "sqlite3")
	c, err := testcase.Parse("case.txw",
		[]byte("txweave case 1\ntarget: sqlite\nisolation: serializable\nstore: small-cache\n\n-- schema --\nCREATE TABLE "+
			"t (id INTEGER PRIMARY KEY, a INT);\n\n"+
			"-- rows --\nINSERT INTO t VALUES (1, 10);\n\n-- T0 --\nBEGIN;\nSELECT a FROM t;\nCOMMIT;\n\n-- schedule --\nT0 T0 "+
			"T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	f := plainRun(t, target, servers.Level(t, "sqlite/serializable", ""), c)
	dir := save(t, "sql", f)
	text, err := os.ReadFile(filepath.Join(dir, "setup.sql"))
	if err != nil || !strings.Contains(string(text), "INSERT INTO t VALUES (1, 10);\nPRAGMA wal_checkpoint(TRUNCATE);") {
		t.Errorf("%v\n%s", err, text)
	}
	run, err := os.ReadFile(filepath.Join(dir, "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	kept := strings.TrimSuffix(strings.TrimSpace(string(run)), "rm -f case.db case.db-wal case.db-shm here.* moment.*") +
		"cp case.db kept.db\n"
	if err := os.WriteFile(filepath.Join(dir, "kept.sh"), []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	if printed, err := osexec.CommandContext(t.Context(), "sh", filepath.Join(dir, "kept.sh"),
		shell).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	file, err := os.ReadFile(filepath.Join(dir, "kept.db"))
	if err != nil || len(file) < 100 || int(file[16])<<8|int(file[17]) != 512 {
		t.Errorf("pages of 512 bytes are wanted: %v", err)
	}
	goTest, err := os.ReadFile(filepath.Join(save(t, "go", f), "case_test.go"))
	if err != nil || !strings.Contains(string(goTest),
		"[]string{`PRAGMA page_size(512)`, `PRAGMA cache_size(3)`, \"VACUUM\"}") {
		t.Errorf("the Go test makes no such file: %v\n%s", err, goTest)
	}
}

// plainRun runs a case without probes and gives it out as a finding in its plain form.
func plainRun(t *testing.T, target exec.Target, p *dbms.Profile, c *testcase.Case) *timeline.Dossier {
	t.Helper()
	plan, err := instrument.Plain(c, p)
	if err != nil {
		t.Fatal(err)
	}
	run := servers.Once(t, target, p, plan)
	f := &timeline.Dossier{Case: c, Record: finding.Record{Environment: finding.Environment{DBMS: p.DBMS,
		Isolation: p.Isolation}}}
	if err := f.SetPlain(&finding.Plain{Run: run.Trace.Events}, c); err != nil {
		t.Fatal(err)
	}
	return f
}
