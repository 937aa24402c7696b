package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"txweave/dbms/mariadb"
	"txweave/dbms/registry"
	"txweave/internal/testkit/madeup"
	"txweave/internal/testkit/need"
	"txweave/internal/testkit/servers"
)

// TestMain makes this test binary the command txweave, under that name in PATH; its worker processes are the same
// file, so they are txweave too.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", gorace)
	testscript.Main(&shared{m}, map[string]func(){"txweave-endless": func() { os.Exit(run(endlessCommand())) },
		"txweave": func() {
			if os.Getenv(madeUp) != "" {
				registry.Add(madeup.Driver)
			}
			if at := os.Getenv(failingAt); at != "" && len(os.Args) > 1 && os.Args[1] == "worker" {
				failingWorker(at)
				return
			}
			main()
		}})
}

// madeUp is the environment variable under which the commands know of a database that is made up.
const madeUp = "TXWEAVE_TEST_MADEUP"

// gorace makes every txweave end at once under the race detector, not a second later.
const gorace = "atexit_sleep_ms=0"

// shared runs the tests and then ends the server that they share.
type shared struct{ m *testing.M }

func (s *shared) Run() int {
	own, err := os.MkdirTemp("", "txweave-named-")
	if err != nil {
		os.Stderr.WriteString("before the tests: " + err.Error() + "\n")
		return 1
	}
	os.Setenv("XDG_CONFIG_HOME", own) // what tests name is nothing that whoever runs them has named
	code := s.m.Run()
	if err := errors.Join(userServer.Close(), os.RemoveAll(own)); err != nil {
		os.Stderr.WriteString("after the tests: " + err.Error() + "\n")
		return max(code, 1)
	}
	return code
}

// requireServer skips a test that needs MariaDB where there is none.
func requireServer(t testing.TB) {
	t.Helper()
	for _, name := range []string{"mariadbd", "/usr/sbin/mariadbd", "/usr/libexec/mariadbd"} {
		if _, err := osexec.LookPath(name); err == nil {
			return
		}
	}
	need.Missing(t, "mariadbd is missing (Debian: apt-get install mariadb-server-core)")
}

// secret is the password of the users on the shared server: it must appear in no output.
const secret = "sEcReT-4711"

const own = "`txweave\\_%`.*"

// userServer is a private MariaDB server that stands in for a server of the user's: full may do what the documentation
// asks for, readonly may create nothing, blind may not see lock waits, store has a database for a campaign that is
// shared.
var userServer = servers.Launched("a MariaDB server (Debian: apt-get install mariadb-server-core)", mariadb.Server,
	"CREATE USER full@'%' IDENTIFIED BY '"+secret+"'",
	"GRANT ALL ON "+own+" TO full@'%'", "GRANT PROCESS ON *.* TO full@'%'",
	"CREATE DATABASE campaigns", "CREATE DATABASE halves", "CREATE USER store@'%' IDENTIFIED BY '"+secret+"'",
	"GRANT ALL ON campaigns.* TO store@'%'", "GRANT ALL ON halves.* TO store@'%'",
	"CREATE USER readonly@'%' IDENTIFIED BY '"+secret+"'", "GRANT SELECT, PROCESS ON *.* TO readonly@'%'",
	"CREATE USER blind@'%' IDENTIFIED BY '"+secret+"'", "GRANT ALL ON "+own+" TO blind@'%'")

// databases lists those that txweave made on userServer and left there.
func databases(t testing.TB) []string {
	t.Helper()
	rows, err := userServer.Target(t).Control().Read(context.Background(), `SHOW DATABASES LIKE 'txweave\_%'`)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range rows.Len() {
		out = append(out, rows.Row(i)[0].S)
	}
	return out
}

// command prepares a run of txweave whose output is kept.
func command(t testing.TB, args ...string) (cmd *osexec.Cmd, stdout, stderr *buffer) {
	t.Helper()
	cmd = osexec.Command("txweave", args...)
	cmd.Dir = t.TempDir()
	stdout, stderr = &buffer{}, &buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// buffer is an output that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// await polls until ok, and fails the test after some minutes.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s within five minutes", what)
		}
	}
}

// busy waits until a process has used so much processor time: it is past its beginning then, on a busy machine, too.
func busy(t testing.TB, pid int, ticks int) {
	t.Helper()
	await(t, "processor time used", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(stat), ") ")
		f := strings.Fields(rest)
		if err != nil || len(f) < 13 {
			return false
		}
		user, _ := strconv.Atoi(f[11])
		system, _ := strconv.Atoi(f[12])
		return user+system >= ticks
	})
}

// exitCode waits for a command and returns its exit code.
func exitCode(t testing.TB, cmd *osexec.Cmd) int {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		var exit *osexec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("txweave does not end")
	}
	return cmd.ProcessState.ExitCode()
}

// descendants lists the processes below pid, as far as /proc tells.
func descendants(pid int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		p, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) > 1 {
			parent, _ := strconv.Atoi(f[1])
			children[parent] = append(children[parent], p)
		}
	}
	var out []int
	for todo := []int{pid}; len(todo) > 0; todo = todo[1:] {
		out = append(out, children[todo[0]]...)
		todo = append(todo, children[todo[0]]...)
	}
	return out
}
