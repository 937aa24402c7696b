package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// outputFiles are command lines that write FILE, which the user names, for every way there is to name one.
var outputFiles = []string{
	"storm --target sqlite --duration 1s --trace FILE",
	"storm --target sqlite --duration 1s --history FILE",
	"storm --target sqlite --isolation serializable --inject lost-commit --duration 1s --save FILE",
	"campaign run PLAN --out DIR --duration 1s --junit FILE",
	"campaign run PLAN --out DIR --duration 1s --sarif FILE",
	"campaign run PLAN --out DIR --duration 1s --summary FILE",
	"check INVALID --level ser --dot FILE",
	"check INVALID --level ser --svg FILE",
	"replay CASE --history FILE --certificate DIR/certificate",
	"replay CASE --history DIR/history --certificate FILE",
	"reduce CASE --inject lost-insert --output FILE",
	"report FINDING --planted --output FILE",
	"export CASE --to go --output FILE",
	"import SCRIPT --target sqlite --out FILE",
	"import --run SCRIPT --target sqlite --page FILE",
}

// TestOutputFiles gives each command that writes a file a pipe that nobody reads, one whose reader has stopped reading,
// a directory, and a path that leads nowhere. Pipes are waited for until a signal and stay pipes; what cannot be
// written is said before the work is done.
func TestOutputFiles(t *testing.T) {
	given := outputInputs(t)
	for _, of := range outputFiles {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			args := func(file string) []string {
				return strings.Fields(strings.NewReplacer(slices.Concat([]string{"FILE", file, "DIR", t.TempDir()},
					given)...).Replace(of))
			}
			for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none", "file")} {
				checkRefused(t, path, args(path))
			}
			path := filepath.Join(t.TempDir(), "pipe")
			if err := unix.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			checkUnread(t, path, args(path))
		})
	}
}

// outputInputs writes what the command lines read, and returns the words to replace.
func outputInputs(t *testing.T) []string {
	t.Helper()
	dir, out := t.TempDir(), []string(nil)
	for name, text := range map[string]string{
		"INVALID": "w(1,1,0,0)\nr(1,1,1,1)\nw(1,2,1,1)\nr(1,1,2,2)\nw(1,3,2,2)\n",
		"SCRIPT": "create table t (a int primary key, b int);\ninsert into t values (1, 1);\nT1> begin;\nT1> select * " +
			"from t;\nT1> commit;\n",
		"PLAN": "[[cell]]\ntarget = \"sqlite\"\n",
		"CASE": `txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 TEXT);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 'x');
-- T0 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 2, 0, 'y');
SELECT pkey, vkey, c0 FROM t0;
COMMIT;
`,
	} {
		path := filepath.Join(dir, strings.ToLower(name))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out = append(out, name, path)
	}
	cmd, _, stderr := command(t, "fuzz", "--inject", "lost-insert", "--seed", "3", "--cases", "20", "--no-reduce", "--out",
		filepath.Join(dir, "found"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exitFindings {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	found, err := filepath.Glob(filepath.Join(dir, "found", "finding-*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%q, %v", found, err)
	}
	return append(out, "FINDING", found[0])
}

// checkUnread starts a command that writes to a pipe which nobody reads, ends it by a signal once it has had time to
// come there, and looks whether the pipe is one still.
func checkUnread(t *testing.T, path string, args []string) {
	t.Helper()
	cmd, stdout, stderr := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
		case <-time.After(4 * time.Second):
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
	}()
	begun := time.Now()
	code := exitCode(t, cmd)
	close(ended)
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("it ended %s after it began", took)
	}
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d\n%s%s", code, exitInterrupted, stdout, stderr)
	}
	if trace.MatchString(stderr.String()) {
		t.Errorf("standard error:\n%s", stderr)
	}
	if st, err := os.Lstat(path); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("it is a pipe no more: %v, %v", st, err)
	}
}

// TestUnreadStandardOutput: what prints to a pipe whose reader has stopped ends with one signal, as what prints to one
// that reads does.
func TestUnreadStandardOutput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	size, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, size-100)); err != nil {
		t.Fatal(err)
	}
	cmd, _, stderr := command(t, "features")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	time.Sleep(2 * time.Second)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	sent := time.Now()
	if code := exitCode(t, cmd); code != exitInterrupted {
		t.Errorf("exit code %d, want %d: %s", code, exitInterrupted, stderr)
	}
	if took := time.Since(sent); took > time.Minute {
		t.Errorf("it ended %s after the signal", took)
	}
}
