package weave_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/testkit/servers"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// shared are the databases of the package's tests.
var shared = map[string]*servers.Shared{
	"sqlite":     servers.Embedded("SQLite", sqlite.Open),
	"mariadb":    servers.Launched("a MariaDB server", mariadb.Server),
	"postgresql": servers.Launched("a PostgreSQL server", postgresql.Server),
}

func TestMain(m *testing.M) {
	os.Exit(servers.Run(m, shared["sqlite"], shared["mariadb"], shared["postgresql"]))
}

// target returns the shared target of a DBMS; a test that needs a server is skipped where there is none.
func target(t testing.TB, dbms string) exec.Target {
	t.Helper()
	return shared[dbms].Target(t)
}

func lookup(t testing.TB, name string) *dbms.Profile {
	t.Helper()
	return servers.Level(t, name, "")
}

func newRunner(t testing.TB, p *dbms.Profile) *exec.Runner {
	t.Helper()
	return servers.Runner(t, target(t, p.DBMS), p)
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
					refusing.Sessions.Setup = append(slices.Clone(p.Sessions.Setup), p.Sessions.NoWait...)
					p = &refusing
				}
				tries := 1 // more where a busy machine may be late to see who waits
				if d.HasArg("tries") {
					d.ScanArgs(t, "tries", &tries)
				}
				for try := 1; ; try++ {
					rep, err := weave.Check(newRunner(t, p), readCase(t, name), p, weave.Options{Precision: sdg.Match})
					if err != nil {
						return "error: " + err.Error() + "\n"
					}
					out := printReport(rep, !d.HasArg("no-runs"))
					if out == d.Expected || try >= tries && (try >= maxMoved || p.DBMS == "sqlite" || numberOfRuns.ReplaceAllString(
						out, "") != numberOfRuns.ReplaceAllString(d.Expected, "")) {
						return out
					}
				}
			})
		})
	}
}

// numberOfRuns is what may differ at a server where all else is as expected: what works in its background (purge, for
// one) moves a wait now and then, by which the statement under way counts as disturbed, and the case is run once more.
// Not maxMoved times in a row.
var numberOfRuns = regexp.MustCompile(`(?m)^runs: \d+, `)

const maxMoved = 3

var fateNames = map[weave.Fate]string{
	weave.Survived: "", weave.DroppedBlocked: "  [dropped: waited]", weave.DroppedCyclic: "  [dropped: cycle]",
	weave.DroppedAborted: "  [not committed]", weave.DroppedBlamed: "  [dropped: blamed]",
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
	}{{"FINDING", rep.Findings}, {"UNCONFIRMED", rep.Unconfirmed}} {
		for _, ev := range list.evidence {
			fmt.Fprintf(&b, "%s %s (%d of %d)", list.what, ev.Signature, ev.Confirmed, ev.Repeated)
			if ev.With != "" {
				fmt.Fprintf(&b, " with %s", ev.With)
			}
			b.WriteString("\n")
			for _, d := range ev.Differences {
				fmt.Fprintf(&b, "  %s %s %s %s %s %s\n", d.Stmt, d.Kind, d.Told(), d.Transaction, d.Replay, d.Detail())
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
