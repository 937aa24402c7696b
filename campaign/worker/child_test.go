package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/database"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/testkit/servers"
)

// childMode is the environment variable that makes this test binary a child worker; it says how it behaves.
const childMode = "TXWEAVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		actAsChild(mode)
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else every child takes a second to end under the race detector
	os.Exit(servers.Run(m, sharedMariaDB, sharedPostgreSQL))
}

// actAsChild answers case numbers; case 13 is where the modes differ.
func actAsChild(mode string) {
	out := json.NewEncoder(os.Stdout)
	switch mode {
	case "mute":
		fmt.Fprintln(os.Stderr, "first line\nno room for a database")
		os.Exit(1)
	case "refuses":
		_ = out.Encode(Hello{Error: "no room for a database"})
		os.Exit(69)
	}
	_ = out.Encode(Hello{Description: exec.Description{Target: "fake", Version: "1.0"}})
	in := json.NewDecoder(os.Stdin)
	for {
		var job campaign.Job
		if in.Decode(&job) != nil {
			return
		}
		n := job.Case
		if n == 13 {
			switch mode {
			case "kill":
				fmt.Fprintln(os.Stderr, strings.Repeat("x", 100<<10)+"the last words")
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				time.Sleep(time.Minute)
			case "segv":
				fmt.Fprintln(os.Stderr, "the last words")
				die("SEGV")
			case "late":
				fmt.Fprintln(os.Stderr, "begun")
				_, _ = io.Copy(io.Discard, os.Stdin) // until the campaign is over
				die("SEGV")
			case "panic":
				fmt.Fprint(os.Stderr, enginePanic)
				os.Exit(2)
			case "own-panic":
				panic("we broke")
			case "memory":
				fmt.Fprint(os.Stderr, "fatal error: runtime: out of memory\n")
				os.Exit(2)
			case "reports":
				fmt.Fprint(os.Stderr, "txweave: it is all my fault\n")
				os.Exit(70)
			case "leave":
				os.Exit(0)
			case "babble":
				fmt.Println("not JSON")
				continue
			case "hang":
				time.Sleep(time.Hour)
			case "tells":
				_ = out.Encode(campaign.CaseResult{Case: n, Doing: "T1: SELECT 1, sent 40s ago"})
			case "slow":
				time.Sleep(100 * time.Millisecond)
			}
		}
		_ = out.Encode(campaign.CaseResult{Case: n, Checked: true, Runs: os.Getpid()})
	}
}

// enginePanic is what Go prints when an engine in the process panics.
const enginePanic = `panic: the engine broke

goroutine 1 [running]:
modernc.org/sqlite/lib._sqlite3VdbeExec(0xc000110000, 0x7f0)
	/go/pkg/mod/modernc.org/sqlite@v1.60.1/lib/sqlite.go:8811 +0x1a2f
txweave/exec.(*Session).Exec(...)
`

// die ends this process by a signal that Go would catch: a shell takes its place.
func die(sig string) {
	err := syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -" + sig + " $$"}, os.Environ())
	panic(err)
}

// newChild starts this test binary as a child worker.
func newChild(t *testing.T, mode string) (*Child, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return NewChild(func() *osexec.Cmd {
		cmd := osexec.Command(self)
		cmd.Env = append(os.Environ(), childMode+"="+mode)
		return cmd
	}, func(n int) []byte { return fmt.Appendf(nil, "case %d", n) })
}

// must checks a case that nothing is wrong with and returns the number of the process that did.
func must(t *testing.T, c *Child, n int) int {
	t.Helper()
	res, err := c.Check(t.Context(), campaign.Job{Case: n})
	if err != nil || res.Case != n || !res.Checked {
		t.Fatalf("case %d: %+v, %v", n, res, err)
	}
	return res.Runs
}

func TestChild(t *testing.T) {
	c, err := newChild(t, "fine")
	if err != nil {
		t.Fatal(err)
	}
	if c.Hello.Target != "fake" || c.Hello.Version != "1.0" {
		t.Errorf("hello %+v", c.Hello)
	}
	if first, second := must(t, c, 13), must(t, c, 14); first != second || first == os.Getpid() {
		t.Errorf("processes %d and %d", first, second)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestChildCrash checks that a child that dies on a case leaves a finding with the case and its last words, and that
// the next case runs in a new process.
func TestChildCrash(t *testing.T) {
	for mode, want := range map[string]struct{ words, signature, summary string }{
		"segv":  {"the last words", "crash", "signal: segmentation fault"},
		"panic": {"the engine broke", "crash/modernc.org/sqlite/lib._sqlite3VdbeExec", "exit status 2"},
	} {
		t.Run(mode, func(t *testing.T) {
			c, err := newChild(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			first := must(t, c, 12)
			res, err := c.Check(t.Context(), campaign.Job{Case: 13})
			if err != nil {
				t.Fatal(err)
			}
			if res.Case != 13 || res.Checked || res.Skipped != finding.ClassCrash || len(res.Findings) != 1 {
				t.Fatalf("%+v", res)
			}
			f := res.Findings[0]
			if f.Class != finding.ClassCrash || f.Signature != want.signature || !strings.Contains(f.Summary, want.summary) ||
				string(f.Files["case.txw"]) != "case 13" {
				t.Errorf("%+v", f)
			}
			if f.Confirmed != crashRepeats || f.Repeated != crashRepeats {
				t.Errorf("came back %d of %d times", f.Confirmed, f.Repeated)
			}
			if log := string(f.Files["log.txt"]); !strings.Contains(log, want.words) || len(log) > 64<<10 {
				t.Errorf("log of %d bytes: …%s", len(log), log[max(0, len(log)-100):])
			}
			if second := must(t, c, 14); second == first {
				t.Error("the dead process answers")
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestChildHangs checks that a child that does not answer is ended and leaves a finding that says where it was.
func TestChildHangs(t *testing.T) {
	c, err := newChild(t, "hang")
	if err != nil {
		t.Fatal(err)
	}
	c.Limit = 200 * time.Millisecond
	res, err := c.Check(t.Context(), campaign.Job{Case: 13})
	if err != nil || len(res.Findings) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if f := res.Findings[0]; f.Class != finding.ClassHang || !strings.Contains(string(f.Files["log.txt"]), "actAsChild") ||
		string(f.Files["case.txw"]) != "case 13" {
		t.Errorf("%+v", f)
	}
	must(t, c, 14)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestChildKilled checks that a child that was ended from outside, by a signal or for want of memory, leaves no
// finding, and that one that is ended so again and again ends the campaign.
func TestChildKilled(t *testing.T) {
	for _, mode := range []string{"kill", "memory"} {
		t.Run(mode, func(t *testing.T) {
			c, err := newChild(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			first := must(t, c, 12)
			for range maxKills {
				res, err := c.Check(t.Context(), campaign.Job{Case: 13})
				if err != nil || res.Case != 13 || res.Checked || res.Skipped != SkippedKilled || len(res.Findings) != 0 {
					t.Fatalf("%+v, %v", res, err)
				}
			}
			if second := must(t, c, 14); second == first {
				t.Error("the dead process answers")
			}
			for range maxKills {
				if _, err := c.Check(t.Context(), campaign.Job{Case: 13}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.Check(t.Context(), campaign.Job{Case: 13}); !errors.Is(err, exec.ErrUnavailable) {
				t.Errorf("after %d: %v", maxKills, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestChildCrashInCampaign checks the same from above: one finding, and every other case is checked.
func TestChildCrashInCampaign(t *testing.T) {
	cfg := campaign.Config{Seed: 7, Source: casesource.CaseSource{Count: 20}, Workers: 2, Store: database.In(t.TempDir()),
		NewWorker: func(context.Context, int) (campaign.Worker, error) { return newChild(t, "panic") },
		Describe:  func() finding.Environment { return finding.Environment{DBMS: "fake", Seed: 7} }}
	s, err := campaign.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s.Cases != 20 || s.CasesClean != 19 || s.CasesFinding != 1 || len(s.Findings) != 1 || len(s.Skipped) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestChildFaults(t *testing.T) {
	for mode, want := range map[string]string{"leave": "worker ended on case 13",
		"babble":    "worker ended on case 13: invalid character",
		"own-panic": "panic in txweave/campaign/worker.actAsChild", "reports": "txweave: it is all my fault"} {
		t.Run(mode, func(t *testing.T) {
			c, err := newChild(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Check(t.Context(), campaign.Job{Case: 13}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestChildCancel(t *testing.T) {
	c, err := newChild(t, "slow")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if res, err := c.Check(ctx, campaign.Job{Case: 13}); err != nil || !res.Checked {
		t.Errorf("the case under way: %+v, %v", res, err)
	}
	if _, err := c.Check(ctx, campaign.Job{Case: 14}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the case after it: %v", err)
	}
	// Whoever reduces a case has a time for that and another one to check what came of it.
	if res, err := c.Check(t.Context(), campaign.Job{Case: 15}); err != nil || !res.Checked {
		t.Errorf("a case with a time of its own: %+v, %v", res, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestChildCrashAtTheEnd checks that a child that crashes while the campaign is being ended leaves its finding, and
// that no other one is started.
func TestChildCrashAtTheEnd(t *testing.T) {
	c, err := newChild(t, "late")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !strings.Contains(c.stderr.String(), "begun") && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	res, err := c.Check(ctx, campaign.Job{Case: 13})
	if err != nil || len(res.Findings) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if c.cmd.ProcessState == nil {
		t.Error("another child was started")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestChildThatDoesNotStart(t *testing.T) {
	if _, err := newChild(t, "mute"); err == nil || !strings.Contains(err.Error(), "no room for a database") ||
		errors.Is(err, exec.ErrUnavailable) {
		t.Errorf("mute: %v", err)
	}
	if _, err := newChild(t, "refuses"); !errors.Is(err, exec.ErrUnavailable) || !strings.Contains(err.Error(),
		"no room for a database") {
		t.Errorf("refuses: %v", err)
	}
	_, err := NewChild(func() *osexec.Cmd { return osexec.Command("/nonexistent/worker") }, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot start a worker") {
		t.Errorf("missing: %v", err)
	}
}

// TestChildAbandoned: a case that does not end keeps nobody waiting who ends the campaign, before its time is over or
// behind it; what it met means nothing.
func TestChildAbandoned(t *testing.T) {
	for _, limit := range []time.Duration{time.Hour, 30 * time.Millisecond} {
		t.Run(limit.String(), func(t *testing.T) {
			c, err := newChild(t, "hang")
			if err != nil {
				t.Fatal(err)
			}
			user, interrupt := context.WithCancel(t.Context())
			ctx, cancel := campaign.Until(user, time.Now().Add(limit))
			defer cancel()
			time.AfterFunc(100*time.Millisecond, interrupt)
			began := time.Now()
			if res, err := c.Check(ctx, campaign.Job{Case: 13}); res != nil || !errors.Is(err, ctx.Err()) {
				t.Errorf("%+v, %v", res, err)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s, half of what a case may take that nobody waits for", took)
			}
			if res, err := c.Check(t.Context(), campaign.Job{Case: 14}); err != nil || !res.Checked {
				t.Errorf("a case with a time of its own: %+v, %v", res, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestChildTells: what a process says that it is at is no result.
func TestChildTells(t *testing.T) {
	c, err := newChild(t, "tells")
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, 13)
	if got := c.Doing(); got != "T1: SELECT 1, sent 40s ago" {
		t.Errorf("it was at %q", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
