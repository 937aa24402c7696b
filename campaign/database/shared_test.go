package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"txweave/campaign/store"
	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/finding"
	"txweave/internal/testkit/servers"
)

var (
	sharedMariaDB = servers.Launched("a MariaDB server (Debian: apt-get install mariadb-server-core)", mariadb.Server,
		"CREATE DATABASE store", "CREATE USER store IDENTIFIED BY 'pass'", "GRANT ALL ON store.* TO store")
	sharedPostgreSQL = servers.Launched("a PostgreSQL server (Debian: apt-get install postgresql)", postgresql.Server)
)

func TestMain(m *testing.M) { os.Exit(servers.Run(m, sharedMariaDB, sharedPostgreSQL)) }

// stores are the URLs of databases on real servers.
func stores(t *testing.T) map[string]string {
	ask := func(query string) string {
		rows, err := sharedPostgreSQL.Target(t).Control().Read(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		return rows.Row(0)[0].S
	}
	my := url.URL{Scheme: "mysql", User: url.UserPassword("store", "pass"), Host: "", Path: "/store",
		RawQuery: "socket=" + url.QueryEscape(sharedMariaDB.Socket(t))}
	// The server's directory holds its data and its socket. Who asks is not its superuser, and is not told.
	data, err := os.Readlink(filepath.Join("/proc", ask("SELECT pg_backend_pid()::text"), "cwd"))
	if err != nil {
		t.Fatal(err)
	}
	pg := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres", RawQuery: "host=" + url.QueryEscape(
		filepath.Dir(data))}
	db, err := sql.Open("pgx", pg.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var exists *pgconn.PgError
	if _, err := db.Exec("CREATE DATABASE store"); err != nil && !(errors.As(err, &exists) && exists.Code == "42P04") {
		// another test has made it
		t.Fatal(err)
	}
	pg.Path = "/store"
	return map[string]string{"mariadb": my.String(), "postgresql": pg.String()}
}

// shards is how many processes share the campaign of the test.
const shards = 6

// process is one of them, which dies at random moments and begins anew until its part is done.
func process(ctx context.Context, at, dir string, shard int64, cases int) error {
	rng := rand.New(rand.NewPCG(uint64(shard), 1))
	for {
		done, err := life(ctx, at, dir, shard, cases, func() bool { return rng.IntN(8) == 0 })
		if err != nil || done {
			return err
		}
	}
}

// life is a process until dies says that it is killed; it returns true if its part is done.
func life(ctx context.Context, at, dir string, shard int64, cases int, dies func() bool) (bool, error) {
	db, err := OpenShared(ctx, at, dir)
	if err != nil {
		return false, err
	}
	defer db.Close()
	cells, err := db.Begin(ctx, Shard{shard, shards}, "test",
		[]CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz"}}, func() uint64 { return 7 })
	if err != nil {
		return false, err
	}
	c := cells[0]
	c.Limit = int64(cases)
	if err := c.Resume(ctx); err != nil {
		return false, err
	}
	left, err := c.Enter()
	if err != nil {
		return false, err
	}
	for _, name := range left {
		d, err := c.Open(name)
		if err != nil {
			return false, err
		}
		sig := finding.Signature{Coarse: d.Record.Signature, Features: []string{}}
		if _, err := c.Place([]store.Placement{{Record: d.Record, Signature: sig, Name: name}}, 2); err != nil {
			return false, err
		}
	}
	for {
		n, more := c.Next()
		if !more {
			return true, nil
		}
		if dies() {
			return false, nil
		}
		rec, sig := found(n, fmt.Sprintf("crash/%d", n%5))
		name, err := c.Save(rec, map[string][]byte{finding.StormFile: fmt.Appendf(nil, "{\"case\": %d}", n)})
		if err != nil || dies() {
			return false, err
		}
		p := store.Placement{Record: rec, Signature: sig, Name: name}
		if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Found, Waiting: []store.Placement{p}}); err !=
			nil || dies() {
			return false, err
		}
		if _, err := c.Place([]store.Placement{p}, 2); err != nil {
			return false, err
		}
	}
}

// TestShared: six processes that share a database on a real server, and die at random, count each case once and each
// bug once, and the files of findings are there for every machine.
func TestShared(t *testing.T) {
	const cases = 90
	for name, at := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			errs := make([]error, shards)
			for i := range shards {
				dir := filepath.Join(t.TempDir(), fmt.Sprint(i)) // a machine of its own
				wg.Go(func() { errs[i] = process(t.Context(), at, dir, int64(i), cases) })
			}
			wg.Wait()
			for i, err := range errs {
				if err != nil {
					t.Fatalf("process %d: %v", i, err)
				}
			}
			db, err := OpenShared(t.Context(), at, t.TempDir()) // one more machine, which only looks
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			s := status(t, db)
			if c := s.Cells[0]; len(s.Cells) != 1 || c.CasesChecked != cases || c.Holes != 0 || s.Bugs != 5 ||
				s.Findings != cases || !s.Running {
				t.Errorf("%+v", s)
			}
			wrong, counted, findings, err := db.Audit(t.Context())
			if err != nil || len(wrong) > 0 || counted != cases || findings != cases {
				t.Errorf("%d cases, %d findings: %v, %v", counted, findings, wrong, err)
			}
			if err := db.Update(func(b *finding.Bugs) error {
				b.Bugs[0].Settle(finding.StatusInvalid,
					"why")
				return nil
			}); err != nil {
				t.Error(err)
			}
			if dropped, err := db.DropRepeat(t.Context()); err != nil || dropped == "" {
				t.Errorf("%q: %v", dropped, err)
			}
			if _, err := db.Samples(t.Context(), s.Cells[0].RetryAt); err != nil {
				t.Error(err)
			}
			if err := db.Happened(t.Context(), 0, "note", "x"); err != nil {
				t.Error(err)
			}
			if list, err := db.Events(t.Context(), 5); err != nil || len(list) != 1 {
				t.Errorf("%v, %v", list, err)
			}
			if list, err := db.Shows(t.Context()); err != nil || len(list) != 5 {
				t.Errorf("%v, %v", list, err)
			}
			if fresh, err := db.First(t.Context(), "B1", "one", false); err != nil || !fresh {
				t.Errorf("%v, %v", fresh, err)
			}
			if _, err := db.Begin(t.Context(), Shard{0, 3}, "test", nil, nil); err == nil {
				t.Error("another number of shards is taken")
			}
		})
	}
}

// TestStoreURLs: what is no store is refused, and no password is told.
func TestStoreURLs(t *testing.T) {
	for _, at := range []string{"", "sqlite://x", "postgres://u:hunter2@127.0.0.1:1/x", "mysql://u:hunter2@127.0.0.1:1/x",
		"postgres://u:hunter2@%zz/x"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nothing is tried again
		db, err := OpenShared(ctx, at, t.TempDir())
		if err == nil {
			db.Close()
			t.Errorf("%q is opened", at)
		} else if text := err.Error(); len(text) > 300 || strings.Contains(text, "hunter2") {
			t.Errorf("%q: %s", at, text)
		}
	}
}

// TestSilentStore: a server that takes connections and never answers is given up.
func TestSilentStore(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	defer func(was time.Duration) { patience = was }(patience)
	patience = time.Second
	for _, scheme := range []string{"postgres", "mysql"} {
		began := time.Now()
		d, err := OpenShared(t.Context(), scheme+"://u:secret@"+l.Addr().String()+"/db", t.TempDir())
		var away *StoreError
		if d != nil || !errors.As(err, &away) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", scheme, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: given up after %s", scheme, took)
		}
	}
}
