package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"txweave/internal/testkit/effort"
)

// namedFiles are command lines in which FILE is a file that the user names, for every way there is to name one.
var namedFiles = []string{
	"fuzz --dsn @FILE",
	"fuzz --target sqlite --known FILE --cases 1",
	"rediscover --bugs FILE --cases 1",
	"storm --dsn @FILE",
	"storm repeat FILE",
	"storm reduce FILE",
	"storm script FILE",
	"campaign run FILE --duration 1s",
	"campaign run --store @FILE --duration 1s",
	"campaign run --ci --duration 1s --baseline FILE",
	"campaign run --duration 1s --http 127.0.0.1:0 --token-file FILE",
	"campaign status --store @FILE",
	"bugs list --store @FILE",
	"serve --store @FILE",
	"doctor FILE",
	"check FILE",
	"check --oracle mechanism FILE",
	"check --window 10 FILE",
	"check --certificate FILE HISTORY",
	"check HISTORY FILE",
	"replay FILE",
	"reduce FILE",
	"report FILE",
	"export FILE --to mtr",
	"import FILE",
	"import --run FILE",
	"phenomena FILE",
	"verify FILE",
	"detect --table FILE",
	"features --reach FILE",
	"features --reach FILE --find X",
	"bench --dsn @FILE",
}

// TestNamedFiles gives each command files that are none: a device without an end, a directory, an empty file, one that
// is larger than memory, one that is not there, and pipes: one that nobody writes, one whose writer says nothing. Each
// ends soon, a pipe's reader by a signal, with one line that says why.
func TestNamedFiles(t *testing.T) {
	effort.Full(t)
	dir := t.TempDir()
	files := map[string]string{"device": "/dev/zero", "directory": t.TempDir(), "none": filepath.Join(dir, "none")}
	for kind, text := range map[string]string{"empty": "", "huge": "", "history": "w(1,5,0,0)\nr(1,5,1,1)\n"} {
		files[kind] = filepath.Join(dir, kind)
		if err := os.WriteFile(files[kind], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(files["huge"], 40<<30); err != nil {
		t.Fatal(err)
	}
	for _, of := range namedFiles {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			args := func(file string) []string {
				return strings.Fields(strings.NewReplacer("FILE", file, "HISTORY", files["history"]).Replace(of))
			}
			for _, silent := range []bool{false, true} {
				path := filepath.Join(t.TempDir(), "pipe")
				checkWaits(t, path, silent, args(path))
			}
			for _, kind := range []string{"device", "directory", "empty", "huge", "none"} {
				if kind == "empty" && strings.Contains(of, "--known") {
					continue // it knows no bug
				}
				checkRefused(t, kind, args(files[kind]))
			}
		})
	}
}

// checkWaits makes a pipe, with a writer that says nothing or without one, starts the command, and ends it once it
// reads.
func checkWaits(t *testing.T, path string, silent bool, args []string) {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if silent {
		keep, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer keep.Close()
	}
	cmd, stdout, stderr := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await(t, "the pipe open", func() bool {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid))
		return slices.ContainsFunc(fds, func(fd string) bool { to, err := os.Readlink(fd); return err == nil && to == path })
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	sent := time.Now()
	if code := exitCode(t, cmd); code != exitInterrupted {
		t.Errorf("a pipe (with a writer %t): exit code %d, want %d\n%s%s", silent, code, exitInterrupted, stdout, stderr)
	}
	if took := time.Since(sent); took > time.Minute {
		t.Errorf("a pipe (with a writer %t): it ended %s after the signal", silent, took)
	}
	checkLine(t, "a pipe", stderr.String())
}

// checkRefused runs a command with a file that it cannot use.
func checkRefused(t *testing.T, kind string, args []string) {
	t.Helper()
	cmd, _, stderr := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer end.Stop()
	if code := exitCode(t, cmd); code != exitUsage {
		t.Errorf("%s: exit code %d, want %d", kind, code, exitUsage)
	}
	checkLine(t, kind, stderr.String())
}

// checkLine checks that a command's last words are one line of its own.
func checkLine(t *testing.T, kind, stderr string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "txweave: ") || trace.MatchString(stderr) || len(lines) > 2 {
		t.Errorf("%s: want one line, it says\n%s", kind, stderr)
	}
}

// TestStandardInput: what is read from "-" ends with a signal, and a file that is given so is refused as it is by its
// name.
func TestStandardInput(t *testing.T) {
	for _, of := range []string{"check -", "import -", "check --oracle mechanism -", "check --window 10 -"} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			cmd, _, stderr := command(t, strings.Fields(of)...)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			cmd.Stdin = r
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			if _, err := w.WriteString("\n"); err != nil {
				t.Fatal(err)
			}
			await(t, "the first byte read", func() bool {
				n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
				return err == nil && n == 0
			})
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, cmd); code != exitInterrupted {
				t.Errorf("exit code %d, want %d", code, exitInterrupted)
			}
			checkLine(t, "standard input", stderr.String())
			zero, err := os.Open("/dev/zero")
			if err != nil {
				t.Fatal(err)
			}
			defer zero.Close()
			cmd, _, stderr = command(t, strings.Fields(of)...)
			cmd.Stdin = zero
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, cmd); code != exitUsage || !strings.Contains(stderr.String(), "is a device") {
				t.Errorf("exit code %d, want %d: %s", code, exitUsage, stderr)
			}
		})
	}
}
