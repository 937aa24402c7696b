package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"txweave/exec"
	"txweave/oracle"
)

// childMode is the environment variable that makes this test binary a child worker; it says how it behaves.
const childMode = "TXWEAVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		actAsChild(mode)
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else every child takes a second to end under the race detector
	os.Exit(m.Run())
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
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, _ := strconv.Atoi(in.Text())
		if n == 13 {
			switch mode {
			case "kill":
				fmt.Fprintln(os.Stderr, strings.Repeat("x", 100<<10)+"the last words")
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				time.Sleep(time.Minute)
			case "panic":
				panic("the engine broke")
			case "leave":
				os.Exit(0)
			case "babble":
				fmt.Println("not JSON")
				continue
			case "slow":
				time.Sleep(100 * time.Millisecond)
			}
		}
		_ = out.Encode(CaseResult{Case: n, Checked: true, Runs: os.Getpid()})
	}
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
	res, err := c.Check(t.Context(), n)
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
	for mode, words := range map[string]string{"kill": "the last words", "panic": "the engine broke"} {
		t.Run(mode, func(t *testing.T) {
			c, err := newChild(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			first := must(t, c, 12)
			res, err := c.Check(t.Context(), 13)
			if err != nil {
				t.Fatal(err)
			}
			if res.Case != 13 || res.Checked || res.Skipped != oracle.ClassCrash || len(res.Findings) != 1 {
				t.Fatalf("%+v", res)
			}
			f := res.Findings[0]
			if f.Class != oracle.ClassCrash || f.Signature != oracle.ClassCrash || string(f.Files["case.txw"]) != "case 13" {
				t.Errorf("%+v", f)
			}
			if log := string(f.Files["log.txt"]); !strings.Contains(log, words) || len(log) > 64<<10 {
				t.Errorf("log of %d bytes: …%s", len(log), log[max(0, len(log)-100):])
			}
			if mode == "kill" && !strings.Contains(f.Summary, "signal: killed") {
				t.Errorf("summary %q", f.Summary)
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

// TestChildCrashInCampaign checks the same from above: one finding, and every other case is checked.
func TestChildCrashInCampaign(t *testing.T) {
	cfg, _ := fakes(nil)
	cfg.NewWorker = func(context.Context, int) (Worker, error) { return newChild(t, "kill") }
	cfg.Cases, cfg.Workers, cfg.Store = 20, 2, &Store{Dir: t.TempDir()}
	s, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s.Cases != 20 || s.CasesChecked != 19 || len(s.Findings) != 1 || s.Skipped[oracle.ClassCrash] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestChildFaults(t *testing.T) {
	for mode, want := range map[string]string{"leave": "without an answer to case 13", "babble": "without an answer to case 13"} {
		t.Run(mode, func(t *testing.T) {
			c, err := newChild(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Check(t.Context(), 13); err == nil || !strings.Contains(err.Error(), want) {
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
	if res, err := c.Check(ctx, 13); err != nil || !res.Checked {
		t.Errorf("the case under way: %+v, %v", res, err)
	}
	if _, err := c.Check(ctx, 14); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the case after it: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestChildCrashAtTheEnd(t *testing.T) {
	c, err := newChild(t, "kill")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	res, err := c.Check(ctx, 13)
	if errors.Is(err, context.Canceled) {
		t.Skip("cancelled before the case was sent")
	}
	if err != nil || len(res.Findings) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestChildThatDoesNotStart(t *testing.T) {
	if _, err := newChild(t, "mute"); err == nil || !strings.Contains(err.Error(), "no room for a database") || errors.Is(err, exec.ErrUnavailable) {
		t.Errorf("mute: %v", err)
	}
	if _, err := newChild(t, "refuses"); !errors.Is(err, exec.ErrUnavailable) || !strings.Contains(err.Error(), "no room for a database") {
		t.Errorf("refuses: %v", err)
	}
	_, err := NewChild(func() *osexec.Cmd { return osexec.Command("/nonexistent/worker") }, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot start a worker") {
		t.Errorf("missing: %v", err)
	}
}
