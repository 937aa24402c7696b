// Package servers holds the databases that the tests of a package share: started when the first test asks for one,
// closed after the last one.
package servers

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
	"txweave/exec"
	"txweave/instrument"
	"txweave/internal/testkit/need"
	"txweave/oracle/observe"
)

// A Shared is a private server, or the embedded engine, for all tests of a package.
type Shared struct {
	name     string // DBMS
	server   *exec.Server
	open     func(context.Context) (exec.Target, error) // of an embedded engine
	set      []string
	once     sync.Once
	err      error
	launcher *exec.Launcher
	target   exec.Target
}

// Launched is a private server; statements are run once when it is up.
func Launched(name string, s *exec.Server, set ...string) *Shared {
	return &Shared{name: name, server: s, set: set}
}

// Embedded is an engine in the process.
func Embedded(name string, open func(context.Context) (exec.Target, error)) *Shared {
	return &Shared{name: name, open: open}
}

func (s *Shared) start() (err error) {
	ctx := context.Background()
	if s.open != nil {
		s.target, err = s.open(ctx)
		return err
	}
	if s.launcher, err = exec.NewLauncher(ctx, s.server, "", io.Discard); err != nil {
		return err
	}
	if s.target, err = s.launcher.Start(ctx); err != nil {
		return err
	}
	return s.target.Control().Must(ctx, s.set...)
}

// Target returns the database, started by the first call. A test that needs a server is skipped, or fails where
// TXWEAVE_REQUIRE_SERVERS is set, when none is installed.
func (s *Shared) Target(t testing.TB) exec.Target {
	t.Helper()
	s.once.Do(func() { s.err = s.start() })
	if errors.Is(s.err, exec.ErrUnavailable) {
		need.Missing(t, "needs %s: %v", s.name, s.err)
	}
	if s.err != nil {
		t.Fatalf("needs %s: %v", s.name, s.err)
	}
	return s.target
}

// Own starts a server of the same kind for one test alone, told some arguments more; the test's end closes it.
func (s *Shared) Own(t testing.TB, arguments ...string) exec.Target {
	t.Helper()
	s.Target(t) // says what is missing
	target, _ := Start(t, s.server, "", arguments...)
	return target
}

// Start starts a private server for one test, of the binary at a path or the one that is installed, told some arguments
// more; the test's end closes it. socket is where a server of MySQL's kin listens: TiDB does not say it.
func Start(t testing.TB, server *exec.Server, binary string, arguments ...string) (target exec.Target, socket string) {
	t.Helper()
	kind, private := *server, *server.Private
	kind.Private = &private
	private.Arguments = func(dir string, built bool) []string {
		socket = filepath.Join(dir, exec.SocketName)
		return append(server.Private.Arguments(dir, built), arguments...)
	}
	l, err := exec.NewLauncher(t.Context(), &kind, binary, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if target, err = l.Start(t.Context()); err != nil {
		t.Fatal(errors.Join(err, l.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(target.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	})
	return target, socket
}

// Socket is where the server listens.
func (s *Shared) Socket(t testing.TB) string {
	t.Helper()
	return Socket(t, s.Target(t))
}

// Socket is where a server of this machine listens. MariaDB and MySQL say it; to PostgreSQL's roles without privileges
// it is told by the directory in which the process runs that serves them, beside which it lies.
func Socket(t testing.TB, target exec.Target) string {
	t.Helper()
	ask := "SELECT @@socket"
	postgres := target.Describe().Target == "postgresql"
	if postgres {
		ask = "SELECT pg_backend_pid()::text"
	}
	rows, err := target.Control().Read(context.Background(), ask)
	if err != nil {
		t.Fatal(err)
	}
	answer := rows.Cell(0, 0).S
	if !postgres {
		return answer
	}
	data, err := os.Readlink(filepath.Join("/proc", answer, "cwd"))
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := filepath.Glob(filepath.Join(filepath.Dir(data), ".s.PGSQL.*[0-9]"))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("%q, %v", sockets, err)
	}
	return sockets[0]
}

// Close ends it, if it was started.
func (s *Shared) Close() error {
	var errs []error
	if s.target != nil {
		errs = append(errs, s.target.Close())
	}
	if s.launcher != nil {
		errs = append(errs, s.launcher.Close())
	}
	return errors.Join(errs...)
}

// Run runs the tests of a package and closes what they shared. It returns the exit code.
func Run(m *testing.M, shared ...*Shared) int {
	code := m.Run()
	for _, s := range shared {
		if err := s.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "closing the shared %s: %v\n", s.name, err)
			code = max(code, 1)
		}
	}
	return code
}

// Level looks up a profile, "mariadb/repeatable-read" or the default of "mariadb", held to a stronger level where claim
// names one.
func Level(t testing.TB, name, claim string) *dbms.Profile {
	t.Helper()
	system, isolation, _ := strings.Cut(name, "/")
	p, err := dbms.Lookup(system, isolation)
	if err != nil {
		t.Fatal(err)
	}
	if claim == "" {
		return p
	}
	stronger, err := dbms.Lookup(system, claim)
	if err != nil {
		t.Fatal(err)
	}
	return p.HeldTo(stronger)
}

// Runner opens a runner that the test's end closes.
func Runner(t testing.TB, target exec.Target, p *dbms.Profile) *exec.Runner {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target, p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Once loads a plan and runs its steps, with a runner of its own.
func Once(t testing.TB, target exec.Target, p *dbms.Profile, plan *instrument.Plan) *observe.Run {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target, p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Load(plan); err != nil {
		t.Fatal(err)
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	return run
}
