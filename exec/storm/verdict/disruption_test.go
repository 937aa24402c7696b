package verdict

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/exec/storm"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
)

// TestMain is the engine's process, too, where a test has it killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "host" {
		panic(sqlite.Host(os.Args[2]))
	}
	os.Exit(servers.Run(m, mariaDB, postgreSQL))
}

// hosted opens SQLite in a process of its own.
func hosted(t *testing.T) exec.Target {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.OpenHosted(t.Context(), func(dir string) (string, []string) { return self, []string{"host", dir} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// buffer is a trace in memory.
type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

// disturb storms SQLite with nemeses and returns what was found, and the trace.
func disturb(t *testing.T, db exec.Target, o storm.Options) ([]finding.Listed, *storm.Result, []byte) {
	t.Helper()
	return disturbAs(t, db, servers.Level(t, "sqlite", ""), o)
}

// disturbAt returns what a storm of a server at a level found.
func disturbAt(t *testing.T, db exec.Target, p *dbms.Profile, o storm.Options) []finding.Listed {
	t.Helper()
	found, _, _ := disturbAs(t, db, p, o)
	return found
}

func disturbAs(t *testing.T, db exec.Target, p *dbms.Profile, o storm.Options) ([]finding.Listed,
	*storm.Result, []byte) {
	t.Helper()
	w, err := workload.New("random-sql", workload.Config{Keys: 20, Distribution: workload.Uniform})
	if err != nil {
		t.Fatal(err)
	}
	o.Workload, o.Sessions, o.Seed, o.Every = w, 4, 1, 15*time.Millisecond
	trace := &buffer{}
	v, err := Start(Options{Profile: p, Workload: w, Sessions: o.Sinks(), Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	o.Sink, o.Began, o.Acted = v.Sink, v.Began, v.Acted
	res, err := storm.Run(context.Background(), db, p, o)
	rep, _, verr := v.Wait()
	if err != nil || verr != nil {
		t.Fatal(err, verr)
	}
	return Findings(res, rep), res, trace.Bytes()
}

// An engine that does as it promises is not blamed for what nemeses do to it, and every act is in the trace.
func TestDisruption(t *testing.T) {
	db := hosted(t)
	o := storm.Options{Nemeses: storm.Nemeses(), Duration: 500 * time.Millisecond}
	for ; ; o.Duration *= 2 { // a machine that has no time for us
		found, res, trace := disturb(t, db, o)
		for _, f := range found {
			t.Errorf("%s: %s", f.Summary, strings.Join(f.Explanation, "; "))
		}
		acts := 0
		for _, n := range res.ActsOf {
			acts += n
		}
		if t.Failed() || res.Crashes == 0 || res.Committed < 20 || acts < 3 {
			if t.Failed() || o.Duration > time.Minute {
				t.Fatalf("%d crashes, %d commits, %d acts", res.Crashes, res.Committed, acts)
			}
			continue
		}
		if n := bytes.Count(trace, []byte(`"op":"nemesis"`)); n != acts {
			t.Errorf("%d acts in the trace of %d", n, acts)
		}
		r, err := history.NewOperationReader(bytes.NewReader(trace), history.NewSymbols())
		if err != nil {
			t.Fatal(err)
		}
		var op history.Operation
		for n := 0; r.Next(&op) == nil; n++ {
		}
		if r.Torn() || r.Line() < bytes.Count(trace, []byte("\n")) {
			t.Errorf("the trace is read to line %d only", r.Line())
		}
		return
	}
}

// Bugs that only an disruption shows are found.
func TestPlantedDisruptions(t *testing.T) {
	effort.Full(t)
	signs := map[string]string{"commit-lost-in-crash": "stale-read", "commit-before-sync": "stale-read",
		"half-commit-after-crash": "", "lock-kept-by-killed": "lock-kept",
		"write-kept-by-killed": "G1a", "write-kept-by-lost-commit": "G1a", "index-misses-concurrent-write": "missing-row",
		"purge-too-early":     "newer-read",
		"write-lost-in-pause": "", "table-lock-ignored": "table-lock"}
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range planted.Disruptions() {
		if f.Inapplicable(p) != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			o := storm.Options{Nemeses: []storm.Nemesis{storm.Nemesis(f.Nemesis())}, Duration: 300 * time.Millisecond,
				KeptTime: 300 * time.Millisecond}
			for ; o.Duration < time.Minute; o.Duration *= 2 {
				found, _, _ := disturb(t, planted.PlantAlways(hosted(t), f), o)
				if sign, ok := signs[f.Name]; ok && slices.ContainsFunc(found, func(l finding.Listed) bool {
					return strings.Contains(l.Signature+l.Summary, sign)
				}) {
					return
				}
			}
			t.Error("it is not found")
		})
	}
}
