package export_test

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"testing"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/gen"
	"txweave/history"
	"txweave/internal/testkit/need"
	"txweave/internal/testkit/servers"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/sdg"
	"txweave/sql/sqltext"
	"txweave/testcase"
	"txweave/weave"
)

// shared is the server of the package's tests, with a database for each client.
var shared = servers.Launched("a MariaDB server", mariadb.Server, "CREATE DATABASE test", "CREATE DATABASE test_sql",
	"CREATE DATABASE test_go")

func TestMain(m *testing.M) { os.Exit(servers.Run(m, shared, postgres)) }

// installed finds a program; a test that needs it is skipped where there is none.
func installed(t testing.TB, program, debian string) string {
	t.Helper()
	path, err := osexec.LookPath(program)
	if err == nil {
		return path
	}
	need.Missing(t, "needs %s (Debian: apt-get install %s)", program, debian)
	return ""
}

// check checks a case on a target, and returns its finding, nil if it has none.
func check(t testing.TB, target exec.Target, p *dbms.Profile, c *testcase.Case, claim string) *timeline.Dossier {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target, p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rep, err := weave.Check(r, c, p, weave.Options{Precision: sdg.Match, Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) == 0 {
		return nil
	}
	d := target.Describe()
	ev := rep.Findings[0]
	f := &timeline.Dossier{Case: c, Run: ev.Run.Trace, Record: finding.Record{Finding: ev.Finding,
		Environment: finding.Environment{ToolVersion: "txweave 0.1.0", DBMS: d.Target, Version: d.Version,
			Isolation: p.Isolation, Claim: claim}}}
	if ev.Replayed != nil {
		f.Replayed = ev.Replayed.Trace()
	}
	if ev.Graph != nil {
		f.Graph = ev.Graph.Document(ev.Order)
	}
	return f
}

// generate makes a case.
func generate(t testing.TB, p *dbms.Profile, seed uint64, n int) *testcase.Case {
	t.Helper()
	d, err := registry.Lookup(p.DBMS)
	if err != nil {
		t.Fatal(err)
	}
	c, err := gen.Generate(gen.CaseSeed(seed, n), d.Dialect, gen.Options{Tool: "txweave 0.1.0", Isolation: p.Isolation})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// save writes an export into a directory of its own.
func save(t testing.TB, to string, f *timeline.Dossier) string {
	t.Helper()
	files, err := export.Write(to, f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file.Name), []byte(file.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// plantedFinding checks cases with a planted bug until one shows a difference without transactions.
func plantedFinding(t testing.TB, target exec.Target, p *dbms.Profile, name string) *timeline.Dossier {
	t.Helper()
	for _, fault := range planted.Faults() {
		if fault.Name != name {
			continue
		}
		for n := range 150 {
			f := check(t, planted.Plant(target, fault, 1), p, generate(t, p, 1, n), "")
			if f != nil && f.Record.Class == finding.ClassReplay && allReplayed(t, f) {
				return f
			}
		}
	}
	t.Fatalf("no case shows the planted bug %s", name)
	return nil
}

// allReplayed says whether every write of the run is in the replay, too: what the planted bug did to one that is not is
// told by nothing, and its exported test does not know what to expect of a server without the bug.
func allReplayed(t testing.TB, f *timeline.Dossier) bool {
	t.Helper()
	tl, err := f.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	replayed := map[string]bool{}
	for _, st := range tl.Serial {
		replayed[st.Name] = true
	}
	for _, st := range tl.Steps {
		if st.Role == history.Target && st.Answer.Err == nil && sqltext.KindOf(st.SQL).Writes() && !replayed[st.Name] {
			return false
		}
	}
	return true
}
