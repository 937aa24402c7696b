package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"txweave/dbms"
	"txweave/instrument"
	"txweave/internal/testkit/need"
	"txweave/testcase"
)

// childMode is the environment variable that turns the test binary into a process that starts a server, unless
// its value is "idle", and then waits to be killed.
const childMode = "TXWEAVE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childMode) {
	case "":
	case "idle":
		select {}
	default:
		os.Exit(child())
	}
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing the shared servers:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// child starts a server, says where it is, and waits.
func child() int {
	l, err := NewLauncher(context.Background(), TestServers["mariadb"], "", io.Discard)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	target, err := l.Start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(privateOf(target).process.cmd.Process.Pid, l.root.Path)
	select {}
}

// privateOf is the private server that a target is.
func privateOf(t Target) *Instance { return t.(interface{ Instance() *Instance }).Instance() }

// joinedTo is how a private server is reached as one of the user's.
func joinedTo(s *Instance) *DSN { return at(filepath.Join(s.dir, SocketName)) }

// at is where MariaDB listens on a socket.
func at(socket string) *DSN {
	return &DSN{Text: "root@unix(" + socket + ")/", Form: TestServers["mariadb"].Users.DSN}
}

// servers are shared by the tests of the package; each test loads its own tables.
type servers struct {
	mu       sync.Mutex
	tried    bool
	err      error
	launcher *Launcher
	targets  map[string]Target
}

var shared = servers{targets: map[string]Target{}}

// launch initialises a data directory once; a test that needs it is skipped where there is no MariaDB.
func launch(t testing.TB) *Launcher {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.tried {
		shared.tried = true
		shared.launcher, shared.err = NewLauncher(context.Background(), TestServers["mariadb"], "", io.Discard)
	}
	if errors.Is(shared.err, ErrUnavailable) {
		need.Missing(t, "needs a MariaDB server: %v", shared.err)
	}
	if shared.err != nil {
		t.Fatalf("needs a MariaDB server: %v", shared.err)
	}
	return shared.launcher
}

// target returns the shared target of a DBMS.
func target(t testing.TB, dbms string) Target {
	t.Helper()
	start := TestOpen["sqlite"]
	if dbms == "mariadb" {
		start = launch(t).Start
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.targets[dbms] == nil {
		made, err := start(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		shared.targets[dbms] = made
	}
	return shared.targets[dbms]
}

// mariadb returns the shared MariaDB server.
func mariadb(t testing.TB) Target {
	t.Helper()
	return target(t, "mariadb")
}

func (s *servers) close() error {
	var errs []error
	for _, t := range s.targets {
		errs = append(errs, t.Close())
	}
	if s.launcher != nil {
		errs = append(errs, s.launcher.Close())
	}
	return errors.Join(errs...)
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

// newRunner opens a runner that the test's end closes.
func newRunner(t testing.TB, target Target, p *dbms.Profile, o Options) *Runner {
	t.Helper()
	r, err := NewRunner(t.Context(), target, p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// tables is the schema and the rows of most tests.
const tables = `CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT, w INT);
CREATE TABLE s (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);
INSERT INTO t (pkey, vkey, v, w) VALUES (1, 1, 10, 0), (2, 2, 20, 0), (3, 3, 30, 0);
INSERT INTO s (pkey, vkey, v) VALUES (1, 4, 1), (2, 5, 2)`

// parseCase builds a case from CREATE and INSERT statements, separated by semicolons, and from lines "T0 SQL" in
// the order of the schedule; each transaction's first line opens it and its last one ends it. "T0:1" runs T0 in
// session 1.
func parseCase(t testing.TB, setup, script string) *testcase.Case {
	t.Helper()
	c := &testcase.Case{}
	for _, sql := range strings.Split(setup, ";") {
		switch sql = strings.TrimSpace(sql); {
		case strings.HasPrefix(sql, "CREATE"):
			c.Schema = append(c.Schema, testcase.Stmt{SQL: sql})
		case sql != "":
			c.Rows = append(c.Rows, testcase.Stmt{SQL: sql})
		}
	}
	var all [][]testcase.Stmt
	sessions := map[int]int{}
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		var n, session int
		name, sql, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := fmt.Sscanf(name+":0", "T%d:%d", &n, &session); err != nil || n > len(all) {
			t.Fatalf("bad line %q", line)
		}
		if n == len(all) {
			all = append(all, nil)
		}
		sessions[n] = session
		all[n] = append(all[n], testcase.Stmt{SQL: sql})
		c.Schedule = append(c.Schedule, n)
	}
	for n, stmts := range all {
		if len(stmts) == 1 { // in autocommit
			c.Txns = append(c.Txns, testcase.Txn{Session: sessions[n], Stmts: stmts})
			continue
		}
		last := len(stmts) - 1
		c.Txns = append(c.Txns, testcase.Txn{Session: sessions[n], Begin: stmts[0], Stmts: stmts[1:last], End: stmts[last]})
	}
	return c
}

func instrumented(c *testcase.Case, r *Runner) (*instrument.Plan, error) {
	return instrument.Instrument(c, r.profile)
}

// load instruments a case and loads it.
func load(t testing.TB, r *Runner, c *testcase.Case) *instrument.Plan {
	t.Helper()
	plan, err := instrumented(c, r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Load(plan); err != nil {
		t.Fatal(err)
	}
	return plan
}
