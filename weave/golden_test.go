package weave_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/testkit/need"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// servers are shared by the tests of the package.
var servers struct {
	sync.Mutex
	tried    bool
	err      error
	launcher *exec.Launcher
	targets  map[string]exec.Target
}

func TestMain(m *testing.M) {
	code := m.Run()
	var errs []error
	for _, t := range servers.targets {
		errs = append(errs, t.Close())
	}
	if servers.launcher != nil {
		errs = append(errs, servers.launcher.Close())
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, "closing the shared servers:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// target returns the shared target of a DBMS; a test that needs MariaDB is skipped where there is none.
func target(t testing.TB, dbms string) exec.Target {
	t.Helper()
	servers.Lock()
	defer servers.Unlock()
	if servers.targets[dbms] != nil {
		return servers.targets[dbms]
	}
	start := sqlite.Open
	if dbms == "mariadb" {
		if !servers.tried {
			servers.tried = true
			servers.launcher, servers.err = exec.NewLauncher(context.Background(), mariadb.Server, "", io.Discard)
		}
		if errors.Is(servers.err, exec.ErrUnavailable) {
			need.Missing(t, "needs a MariaDB server: %v", servers.err)
		}
		if servers.err != nil {
			t.Fatalf("needs a MariaDB server: %v", servers.err)
		}
		start = servers.launcher.Start
	}
	made, err := start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if servers.targets == nil {
		servers.targets = map[string]exec.Target{}
	}
	servers.targets[dbms] = made
	return made
}

func lookup(t testing.TB, name string) *dbms.Profile {
	t.Helper()
	name, level, _ := strings.Cut(name, "/")
	p, err := dbms.Lookup(name, level)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newRunner(t testing.TB, p *dbms.Profile) *exec.Runner {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target(t, p.DBMS), p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func readCase(t testing.TB, name string) *testcase.Case {
	t.Helper()
	c, err := testcase.ReadFile(filepath.Join("testdata", name+".txw"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGolden checks every case in testdata at the levels that its file in testdata/golden names. The output has
// each statement's fate, the edges of the graph that was sorted, and what they come to.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txw")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txw")
		t.Run(name, func(t *testing.T) {
			datadriven.RunTest(t, filepath.Join("testdata/golden", name), func(t *testing.T, d *datadriven.TestData) string {
				var level string
				d.ScanArgs(t, "profile", &level)
				p := lookup(t, level)
				if d.HasArg("no-wait") { // sessions refuse to wait for locks
					refusing := *p
					refusing.Setup = append(slices.Clone(p.Setup), p.NoWait...)
					p = &refusing
				}
				rep, err := weave.Check(newRunner(t, p), readCase(t, name), p, weave.Options{Precision: sdg.Match})
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return printReport(rep, !d.HasArg("no-runs"))
			})
		})
	}
}

var fateNames = map[weave.Fate]string{
	weave.Survived: "", weave.DroppedBlocked: "  [dropped: waited]", weave.DroppedCyclic: "  [dropped: cycle]",
	weave.DroppedAborted: "  [not committed]", weave.DroppedGuilty: "  [dropped: guilty]",
}

// printReport leaves out the number of runs where it depends on a race: whether the survivor of a deadlock is seen
// to wait, and is then run again, depends on how soon the victim is rolled back.
func printReport(rep *weave.Report, runs bool) string {
	var b strings.Builder
	for _, txn := range rep.Plan.Txns {
		for _, bl := range txn.Blocks {
			fate, known := rep.Fates[bl.Name()]
			name := fateNames[fate]
			if !known {
				name = "  [fate unknown]"
			}
			fmt.Fprintf(&b, "%s %s%s\n", bl.Name(), bl.SQL, name)
		}
	}
	if rep.Graph != nil {
		for i := range rep.Graph.Edges {
			e := &rep.Graph.Edges[i]
			fmt.Fprintf(&b, "%s -> %s  %s\n", rep.Graph.Stmts[e.From].Name, rep.Graph.Stmts[e.To].Name, e.Labels)
		}
	}
	cross := 0
	for _, n := range rep.CrossEdges {
		cross += n
	}
	fmt.Fprintf(&b, "cross edges: %d, overlapping: %v, with an edge: %v\n", cross, rep.Overlapping, rep.OverlapEdge)
	if runs {
		fmt.Fprintf(&b, "runs: %d, ", rep.Runs)
	}
	fmt.Fprintf(&b, "replays: %d, failed: %d, effective: %d\n", rep.Replays, rep.Errored, rep.Effective)
	if rep.Outcome != finding.Clean {
		fmt.Fprintf(&b, "%s%s\n", rep.Outcome, why(rep))
	}
	for _, list := range []struct {
		what     string
		evidence []*weave.Evidence
	}{{"FINDING", rep.Findings}, {"SUSPECT", rep.Suspects}} {
		for _, ev := range list.evidence {
			fmt.Fprintf(&b, "%s %s (%d of %d)", list.what, ev.Signature, ev.Confirmed, ev.Repeated)
			if ev.With != "" {
				fmt.Fprintf(&b, " with %s", ev.With)
			}
			b.WriteString("\n")
			for _, d := range ev.Differences {
				fmt.Fprintf(&b, "  %s %s %s %s %s %s\n", d.Stmt, d.Kind, d.What, d.Transaction, d.Replay, d.Detail)
			}
		}
	}
	return b.String()
}

func why(rep *weave.Report) string {
	if rep.Why == weave.NoReason {
		return ""
	}
	return ": " + rep.Why.String()
}
