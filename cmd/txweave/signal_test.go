package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/database"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history/format"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
)

// runningFuzz is a txweave in the middle of a campaign, with what it has on the machine.
type runningFuzz struct {
	cmd            *osexec.Cmd
	stdout, stderr *buffer
	below          []int    // processes
	dirs           []string // private directories
}

// startFuzz starts a campaign and waits until it runs: it prints the seed when its database is up.
func startFuzz(t *testing.T, args ...string) *runningFuzz {
	t.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		need.Missing(t, "no /proc to find processes in")
	}
	r := &runningFuzz{}
	r.cmd, r.stdout, r.stderr = command(t, append([]string{"fuzz", "--duration", "2m", "--seed", "1"}, args...)...)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	await(t, "seed line", func() bool { return strings.Contains(r.stderr.String(), "txweave: seed 1, ") })
	time.Sleep(300 * time.Millisecond) // into the cases
	r.below = descendants(r.cmd.Process.Pid)
	r.dirs = workDirs(append(r.below, r.cmd.Process.Pid))
	return r
}

var workDirName = regexp.MustCompile(`^/.*/txweave-\d+-\d+`)

// workDirs lists the private directories that processes have files open in.
func workDirs(pids []int) []string {
	seen := map[string]bool{}
	for _, pid := range pids {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range fds {
			if target, err := os.Readlink(fd); err == nil {
				if dir := workDirName.FindString(target); dir != "" {
					seen[dir] = true
				}
			}
		}
	}
	var out []string
	for dir := range seen {
		out = append(out, dir)
	}
	return out
}

// checkGone checks that nothing of a campaign is left on the machine.
func (r *runningFuzz) checkGone(t *testing.T) {
	t.Helper()
	if len(r.dirs) == 0 {
		t.Error("no private directory was found while it ran: the check checks nothing")
	}
	for _, dir := range r.dirs {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is left behind", dir)
		}
	}
	for _, pid := range r.below {
		await(t, "end of process "+strconv.Itoa(pid), func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

// checkInterrupted checks what an interrupted campaign prints.
func (r *runningFuzz) checkInterrupted(t *testing.T) {
	t.Helper()
	if code := exitCode(t, r.cmd); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if out := r.stdout.String(); !strings.Contains(out, "cases  ") || !strings.Contains(out,
		"findings    0\n") {
		t.Errorf("no summary:\n%s", out)
	}
	if log := r.stderr.String(); !strings.HasSuffix(log, "txweave: interrupted\n") || trace.MatchString(log) {
		t.Errorf("standard error:\n%s", log)
	}
}

func TestInterrupt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			r := startFuzz(t, "--workers", "2")
			if err := r.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			r.checkInterrupted(t)
			r.checkGone(t)
		})
	}
}

// endlessCommand is a command that begins, and never ends: whatever it does is deaf to the first signal.
func endlessCommand() *cobra.Command {
	return &cobra.Command{Use: "txweave-endless", RunE: func(cmd *cobra.Command, _ []string) error {
		if err := printf(cmd.OutOrStdout(), "begun\n"); err != nil {
			return err
		}
		select {}
	}}
}

// TestSecondSignal: what does not end by a first signal is said to be under way, and a second signal then ends it at
// once.
func TestSecondSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, stdout, stderr := command(t)
			path, err := osexec.LookPath("txweave-endless")
			if err != nil {
				t.Fatal(err)
			}
			cmd.Path, cmd.Args = path, []string{"txweave-endless"}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			for _, said := range []struct {
				what string
				by   *buffer
			}{{"begun", stdout}, {"one more signal ends txweave at once", stderr}} {
				await(t, said.what, func() bool { return strings.Contains(said.by.String(), said.what) })
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
			}
			if code := exitCode(t, cmd); code != exitInterrupted {
				t.Errorf("exit code %d, want %d: %s", code, exitInterrupted, stderr)
			}
		})
	}
}

// TestInterruptUnread: who reads the output, such as tee, has the same Ctrl-C: a campaign of cells ends as it does
// otherwise.
func TestInterruptUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plan := filepath.Join(dir, "campaign.toml")
	if err := os.WriteFile(plan, []byte("[[cell]]\nname = \"one\"\ntarget = \"sqlite\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := command(t, "campaign", "run", plan, "--out", filepath.Join(dir, "out"))
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	_ = w.Close()
	status := filepath.Join(dir, "out", "campaign.log")
	await(t, "turn", func() bool {
		text, err := os.ReadFile(status)
		return err == nil && strings.Contains(string(text), "turn begins")
	})
	_ = r.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if text, err := os.ReadFile(status); err != nil || !strings.Contains(string(text), "turn ends") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestInterruptPrivateServer(t *testing.T) {
	requireServer(t)
	r := startFuzz(t, "--target", "mariadb", "--workers", "2")
	if len(r.below) < 2 {
		t.Fatalf("%d processes below it, want two servers", len(r.below))
	}
	// Twice at once, as timeout(1) does.
	for range 2 {
		if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	r.checkInterrupted(t)
	r.checkGone(t)
}

// TestKilled checks that not even a killed txweave leaves its servers running, and that the next one sweeps up its
// directory.
func TestKilled(t *testing.T) {
	requireServer(t)
	r := startFuzz(t, "--target", "mariadb")
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	exitCode(t, r.cmd)
	for _, pid := range r.below {
		await(t, "end of server "+strconv.Itoa(pid), func() bool { return syscall.Kill(pid, 0) != nil })
	}
	next, _, stderr := command(t, "fuzz", "--cases", "1")
	if err := next.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	r.checkGone(t)
}

func TestInterruptDSN(t *testing.T) {
	socket := userServer.Socket(t)
	cmd, stdout, stderr := command(t, "fuzz", "--duration", "2m", "--dsn", "full:"+secret+"@unix("+socket+")/")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "database of its own", func() bool { return len(databases(t)) > 0 })
	time.Sleep(300 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exitInterrupted || strings.Contains(stdout.String()+stderr.String(), secret) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if left := databases(t); len(left) > 0 {
		t.Errorf("databases left behind: %v", left)
	}
}

// worker waits for a worker process that is not old.
func (r *runningFuzz) worker(t *testing.T, old int) int {
	t.Helper()
	found := 0
	await(t, "worker process", func() bool {
		for _, pid := range descendants(r.cmd.Process.Pid) {
			if pid != old {
				found = pid
			}
		}
		return found != 0
	})
	return found
}

// TestWorkerKilled kills the process in which the engine runs: that is nobody's bug, and the campaign goes on in a new
// process. An engine that crashes is tested with one that does: see TestCrashingWorker.
func TestWorkerKilled(t *testing.T) {
	r := startFuzz(t)
	first := r.worker(t, 0)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.worker(t, first)
	time.Sleep(300 * time.Millisecond)
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, r.cmd); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if out := r.stdout.String(); !strings.Contains(out, "killed from outside 1") || !strings.Contains(out,
		"findings    0\n") {
		t.Errorf("summary:\n%s", out)
	}
	r.checkGone(t)
	if kept, _ := filepath.Glob(filepath.Join(r.cmd.Dir, "txweave-out", "finding-*")); len(kept) > 0 {
		t.Errorf("a finding was kept: %q", kept)
	}
}

// TestFindingNotKept makes a finding's directory impossible after the campaign has begun, some fifty cases before the
// first finding: it is still reported and counted, with the number of its case, and the exit code says that something
// went wrong.
func TestFindingNotKept(t *testing.T) {
	var code int
	var log, out string
	for try := 0; ; try++ {
		cmd, stdout, stderr := command(t, "fuzz", "--duration", "2m", "--seed", "1", "--first", "3", "--inject",
			"vanished-error", "--out", "here")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		await(t, "seed line", func() bool { return strings.Contains(stderr.String(), "txweave: seed 1, ") })
		if err := os.WriteFile(filepath.Join(cmd.Dir, "here"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if code, log, out = exitCode(t, cmd), stderr.String(), stdout.String(); !strings.Contains(out,
			"0 checked of 0 ") || try == 9 {
			break // else the file was there before the campaign had looked for what an earlier one has left
		}
	}
	if code != exitInternal {
		t.Errorf("exit code %d, want %d", code, exitInternal)
	}
	for _, want := range []string{`FINDING finding-[0-9]+-0 \(not kept\): `,
		`cannot keep finding-[0-9]+-0, case [0-9]+ of seed 1: .*not a directory`} {
		if !regexp.MustCompile(want).MatchString(log) {
			t.Errorf("standard error does not match %q:\n%s", want, log)
		}
	}
	if !regexp.MustCompile(`findings    [1-9], of [1-9] bugs?; 0 of them kept\n`).MatchString(out) {
		t.Errorf("summary:\n%s", out)
	}
}

// hardHistory writes a history whose check takes minutes: twenty thousand transactions that write without having read,
// and no order of which is known.
func hardHistory(t *testing.T, dir string) {
	t.Helper()
	h, err := histories.Generate(
		rand.New(rand.NewPCG(1, 1)),
		histories.Config{Level: dbms.SER, Shape: histories.Blind, Txns: 20_000,
			Sessions: 20_000, Keys: 100, Ops: 4, Distribution: workload.Uniform},
	)
	if err != nil {
		t.Fatal(err)
	}
	h.RealTime = false
	file, err := os.Create(filepath.Join(dir, "hard"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := format.Write(file, h); err != nil {
		t.Fatal(err)
	}
}

// TestCheckEnds stops a check in the middle, by the first signal and by --timeout: it says so at once, and never that
// the history is valid.
func TestCheckEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		signal os.Signal
		code   int
		why    string
	}{
		"interrupt": {nil, os.Interrupt, exitInterrupted, "interrupt signal"},
		"terminate": {nil, syscall.SIGTERM, exitInterrupted, "terminated signal"},
		"timeout":   {[]string{"--timeout", "2s"}, nil, exitInconclusive, "--timeout 2s is over"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, stdout, stderr := command(t, append([]string{"check", "--level", "ser", "hard", "hard"}, tc.args...)...)
			hardHistory(t, cmd.Dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			files := 2
			if tc.signal != nil {
				files = 1
				busy(t, cmd.Process.Pid, 100) // into the check: a second
				if err := cmd.Process.Signal(tc.signal); err != nil {
					t.Fatal(err)
				}
			}
			asked := time.Now()
			if code := exitCode(t, cmd); code != tc.code {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, stderr)
			}
			if d := time.Since(asked); tc.signal != nil && d > time.Minute {
				t.Errorf("it took %v to stop", d)
			}
			if out := stdout.String(); strings.Count(out, "hard: ser with session order: unknown: the check was stopped: "+
				tc.why) != files || strings.Count(out, "\n") != files {
				t.Errorf("standard output:\n%s", out)
			}
		})
	}
}

// TestTwoCampaigns: two campaigns use one --out at the same time; each ends as it should, and nothing is counted twice
// or lost.
func TestTwoCampaigns(t *testing.T) {
	effort.Full(t)
	out := filepath.Join(t.TempDir(), "out")
	var cmds []*osexec.Cmd
	var stdouts []*buffer
	for seed := 1; seed <= 2; seed++ {
		cmd, stdout, stderr := command(t, "fuzz", "--inject", "lost-delete,lost-insert", "--cases", "30", "--seed",
			strconv.Itoa(seed), "--pause-above", "0", "--no-reduce", "--out", out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(stderr.String())
			}
		})
		cmds, stdouts = append(cmds, cmd), append(stdouts, stdout)
	}
	found := 0
	for i, cmd := range cmds {
		if code := exitCode(t, cmd); code != exitFindings {
			t.Errorf("campaign %d ends with %d", i+1, code)
		}
		n := 0
		if m := regexp.MustCompile(`findings    (\d+)`).FindStringSubmatch(stdouts[i].String()); m != nil {
			n, _ = strconv.Atoi(m[1])
		}
		if n == 0 {
			t.Errorf("campaign %d found nothing:\n%s", i+1, stdouts[i])
		}
		found += n
	}
	bugs, err := database.In(out).Bugs()
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, g := range bugs.Bugs {
		counted += g.Count
	}
	if counted != found {
		t.Errorf("%d findings are counted, the campaigns found %d", counted, found)
	}
	if left, _ := filepath.Glob(filepath.Join(out, ".new-*")); len(left) > 0 {
		t.Errorf("half-written files: %v", left)
	}
}
