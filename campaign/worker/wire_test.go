package worker

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/storming"
	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/mysql"
	"txweave/dbms/postgresql"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
	"txweave/weave"
)

var (
	sharedMariaDB    = servers.Launched("a MariaDB server (Debian: apt-get install mariadb-server-core)", mariadb.Server)
	sharedPostgreSQL = servers.Launched("a PostgreSQL server (Debian: apt-get install postgresql)", postgresql.Server)
)

// wire is what lies between a server and whoever connects to it, and does not keep what it is given.
type wire struct {
	cut   bool // it loses the connection; else it changes a bit of an answer
	every int  // bytes of answers, on average, between two faults of a connection
	hits  atomic.Int64
}

// wired forwards connections to a server's socket and returns its own, of the same name.
func (w *wire) wired(t *testing.T, server string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), filepath.Base(server))
	l, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := uint64(0); ; n++ {
			client, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", server)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, client); to.Close() }()
			go w.answers(client, to, rand.New(rand.NewPCG(1, n)))
		}
	}()
	return at
}

// answers forwards what a server says. The first kilobytes are whole: they are of the connection's making.
func (w *wire) answers(client, server net.Conn, r *rand.Rand) {
	defer client.Close()
	defer server.Close()
	text := make([]byte, 64<<10)
	seen, next := 0, 2<<10+r.IntN(w.every)
	for {
		n, err := server.Read(text)
		if err != nil {
			return
		}
		for ; next < seen+n; next += 1 + r.IntN(2*w.every) {
			w.hits.Add(1)
			if w.cut {
				return
			}
			text[next-seen] ^= 1 << r.IntN(8)
		}
		seen += n
		if _, err := client.Write(text[:n]); err != nil {
			return
		}
	}
}

// backend is the process of a PostgreSQL server that serves its control connection.
func backend(t *testing.T, target exec.Target) string {
	t.Helper()
	rows, err := target.Control().Read(t.Context(), "SELECT pg_backend_pid()::text")
	if err != nil {
		t.Fatal(err)
	}
	return rows.Row(0)[0].S
}

// joined opens a private PostgreSQL server as if it were a user's.
func joined(t *testing.T, socket string) exec.Target {
	t.Helper()
	dsn, err := registry.ParseDSN(fmt.Sprintf("postgres://postgres@/?host=%s&port=%s",
		url.QueryEscape(filepath.Dir(socket)),
		filepath.Ext(socket)[1:]))
	if err != nil {
		t.Fatal(err)
	}
	db, err := exec.Connect(t.Context(), postgresql.Server, dsn, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TestJoinedCrash: a PostgreSQL server of the user's ends all its connections and puts itself together again. That it
// does so each time a case is run is a finding, that it does now and then unconfirmed, and that somebody ends a
// connection each time is none.
func TestJoinedCrash(t *testing.T) {
	effort.Full(t)
	p, err := dbms.Lookup("postgresql", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	src, err := casesource.NewCases(1, p)
	if err != nil {
		t.Fatal(err)
	}
	own := sharedPostgreSQL.Own(t, "-c", "restart_after_crash=on") // as servers are unless they are told otherwise
	socket := servers.Socket(t, own)
	for _, test := range []struct {
		name                  string
		signal                syscall.Signal
		times                 int
		findings, unconfirmed int
	}{
		{"each time", syscall.SIGSEGV, 4, 1, 0},
		{"now and then", syscall.SIGSEGV, 2, 0, 1},
		{"once", syscall.SIGSEGV, 1, 0, 0},
		{"somebody ends the connection each time", syscall.SIGTERM, 4, 0, 0},
	} {
		db := joined(t, socket)
		target := &ailing{Target: db, times: test.times, end: func() {
			pid, err := strconv.Atoi(backend(t, db))
			if err == nil {
				err = syscall.Kill(pid, test.signal)
			}
			if err != nil {
				t.Fatal(err)
			}
		}}
		w, err := New(t.Context(), target, p, src, weave.Options{Orders: 2})
		if err != nil {
			t.Fatal(err)
		}
		res, err := w.Check(t.Context(), campaign.Job{Case: 1})
		if err != nil || len(res.Findings) != test.findings || len(res.Unconfirmed) != test.unconfirmed {
			t.Errorf("%s: %+v, %v", test.name, res, err)
		}
		target.times = 0
		if next, err := w.Check(t.Context(), campaign.Job{Case: 2}); err != nil || !next.Checked {
			t.Errorf("%s, the case after it: %+v, %v", test.name, next, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// ailing is a server of which a process ends while a case is loaded, so many times.
type ailing struct {
	exec.Target
	times int
	end   func()
}

func (a *ailing) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	if a.times > 0 {
		a.times--
		a.end()
	}
	return a.Target.Load(ctx, c, tables)
}

// Born implements exec.Mortal.
func (a *ailing) Born(ctx context.Context) (exec.Birth, error) {
	return a.Target.(exec.Mortal).Born(ctx)
}

// TestWire: connections to servers of the user's break, or a bit of what comes over them changes. What then cannot be
// checked is noted; no server has crashed.
func TestWire(t *testing.T) {
	pg, my := sharedPostgreSQL.Socket(t), sharedMariaDB.Socket(t)
	for _, test := range []struct {
		dbms, isolation, socket string
		dsn                     func(socket string) string
		server                  *exec.Server
	}{
		{"postgresql", "repeatable-read", pg, func(at string) string {
			return fmt.Sprintf("postgres://postgres@/?host=%s&port=%s", url.QueryEscape(filepath.Dir(at)), filepath.Ext(at)[1:])
		}, postgresql.Server},
		{"mariadb", "read-committed", my, func(at string) string { return "root@unix(" + at + ")/" }, mariadb.Server},
	} {
		wires := []*wire{{cut: true, every: 200_000}, {every: 200_000}}
		if testing.Short() {
			wires = wires[:1]
		}
		for _, w := range wires {
			t.Run(fmt.Sprintf("%s cut %t", test.dbms, w.cut), func(t *testing.T) {
				t.Parallel() // they mostly wait
				checkWire(t, w, test.dbms, test.isolation, test.dsn(w.wired(t, test.socket)), test.server)
			})
		}
	}
}

// wireMySQL is a server of MySQL, which most machines do not have beside MariaDB.
var wireMySQL = flag.String("wire.mysql", "", "path of a mysqld, for TestWireStorm")

// TestWireStorm: storms over a wire that cuts connections come to their end and find nothing: what a lost connection
// leaves open stays open.
func TestWireStorm(t *testing.T) {
	effort.Full(t)
	pg, my := sharedPostgreSQL.Socket(t), sharedMariaDB.Socket(t)
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		stormOver(t, "postgresql", pg, func(at string) string {
			return fmt.Sprintf("postgres://postgres@/?host=%s&port=%s", url.QueryEscape(filepath.Dir(at)), filepath.Ext(at)[1:])
		}, postgresql.Server)
	})
	t.Run("mariadb", func(t *testing.T) {
		t.Parallel()
		stormOver(t, "mariadb", my, unixDSN, mariadb.Server)
	})
	if *wireMySQL != "" { // its answers to a cut connection are others than MariaDB's
		t.Run("mysql", func(t *testing.T) {
			t.Parallel()
			_, socket := servers.Start(t, mysql.Server, *wireMySQL)
			stormOver(t, "mysql", socket, unixDSN, mysql.Server)
		})
	}
}

// unixDSN is how MySQL and its kin are reached at a socket.
func unixDSN(at string) string { return "root@unix(" + at + ")/" }

// stormOver lets storms run over a wire that cuts connections.
func stormOver(t *testing.T, system, socket string, to func(socket string) string, server *exec.Server) {
	c := storming.Default()
	c.Target.Target, c.Target.Isolation = system, "repeatable-read"
	c.Workload, c.Keys, c.Sessions, c.Duration = "random-sql", 40, 4, time.Second
	storms, err := c.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	over := &wire{cut: true, every: 100_000}
	dsn, err := registry.ParseDSN(to(over.wired(t, socket)))
	if err != nil {
		t.Fatal(err)
	}
	db, err := exec.Connect(t.Context(), server, dsn, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	w, err := storming.New(db, storms, func(uint64) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for n := 0; n < 3 || over.hits.Load() < 5 && n < 20; n++ {
		res, err := w.Check(t.Context(), campaign.Job{Case: n})
		if err != nil && !errors.Is(err, exec.ErrUnavailable) {
			t.Fatal(err)
		}
		if err == nil && len(res.Findings) > 0 {
			t.Errorf("storm %d: %s", n, res.Findings[0].Summary)
		}
	}
	if over.hits.Load() == 0 {
		t.Error("the wire does nothing")
	}
}

// checkWire checks cases of a campaign over a wire until that has done what it does some times.
func checkWire(t *testing.T, over *wire, system, isolation, at string, server *exec.Server) {
	p, err := dbms.Lookup(system, isolation)
	if err != nil {
		t.Fatal(err)
	}
	src, err := casesource.NewCases(1, p)
	if err != nil {
		t.Fatal(err)
	}
	dsn, err := registry.ParseDSN(at)
	if err != nil {
		t.Fatal(err)
	}
	db, err := exec.Connect(t.Context(), server, dsn, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(t.Context(), db, p, src, weave.Options{Orders: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	unchecked, want := 0, 1 // an answer whose length has changed is waited for until it is too late
	if over.cut {
		want = 3
	}
	for n := 0; unchecked < want; n++ {
		if n == 300 {
			t.Fatalf("%d cases, %d faults, %d not checked: the wire does nothing", n, over.hits.Load(), unchecked)
		}
		w.trouble = 0 // that so many in a row fail is another test's
		res, err := w.Check(t.Context(), campaign.Job{Case: n})
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		if !res.Checked {
			unchecked++
		}
		for _, f := range res.Findings {
			if f.Class == finding.ClassCrash || f.Class == finding.ClassHang || f.Class == finding.ClassCorruption {
				t.Errorf("case %d: %s", n, f.Summary)
			}
		}
	}
}

// failing loads no case once: a process of the server ends meanwhile.
type failing struct {
	exec.Target
	end func()
}

func (f *failing) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	if f.end != nil {
		f.end()
		f.end = nil
	}
	return f.Target.Load(ctx, c, tables)
}

// TestBackendCrash: one of PostgreSQL's processes ends as a bug ends it, which is a finding with the server's log, or
// as somebody does, which is none. The next case has a new server.
func TestBackendCrash(t *testing.T) {
	p, err := dbms.Lookup("postgresql", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	src, err := casesource.NewCases(1, p)
	if err != nil {
		t.Fatal(err)
	}
	db := sharedPostgreSQL.Own(t)
	target := &failing{Target: db}
	w, err := New(t.Context(), target, p, src, weave.Options{Orders: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Release()
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT}
	if testing.Short() {
		signals = signals[:2]
	}
	for _, signal := range signals {
		target.end = func() {
			pid, err := strconv.Atoi(backend(t, db))
			if err == nil {
				err = syscall.Kill(pid, signal)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		res, err := w.Check(t.Context(), campaign.Job{Case: 1})
		if err != nil {
			t.Fatalf("%s: %v", signal, err)
		}
		if outside := signal == syscall.SIGKILL; outside != (len(res.Findings) == 0) ||
			outside != (res.Skipped == SkippedKilled) {
			t.Errorf("%s: %+v", signal, res)
		} else if !outside && (res.Findings[0].Class != finding.ClassCrash || res.Findings[0].Log == "") {
			t.Errorf("%s: %+v", signal, res.Findings[0])
		}
		if next, err := w.Check(t.Context(), campaign.Job{Case: 2}); err != nil || !next.Checked {
			t.Errorf("the case after %s: %+v, %v", signal, next, err)
		}
	}
}
