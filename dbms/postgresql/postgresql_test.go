package postgresql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/gen"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
	"txweave/sql/sqltext"
	"txweave/testcase"
	"txweave/weave"
)

var shared = servers.Launched("a PostgreSQL server", Server)

func TestMain(m *testing.M) {
	for name, value := range misleading {
		os.Setenv(name, value)
	}
	dbms.Register(Levels(), Known())
	sqltext.RegisterSyntax("postgresql", Syntax)
	os.Exit(servers.Run(m, shared))
}

// misleading is what the environment says for other clients, and to servers, in all tests of this package: each of
// these keeps a private server from answering, or from being found, where it is heeded.
var misleading = map[string]string{"PGPORT": "1", "PGSERVICE": "elsewhere", "PGTARGETSESSIONATTRS": "read-only",
	"PGOPTIONS": "-c default_transaction_read_only=on"}

// TestEnvironment: what the environment says is left out, and comes back in nothing that is started.
func TestEnvironment(t *testing.T) {
	s := sessions(t, server(t), "read-committed", 1)[0]
	if got := answer(t, s, "CREATE TABLE environment (a INT)"); got != "0" {
		t.Errorf("a table is not made: %s", got)
	}
	for name := range misleading {
		if _, set := os.LookupEnv(name); set {
			t.Errorf("%s is set", name)
		}
	}
}

// server returns the shared server, empty.
func server(t *testing.T) exec.Target {
	t.Helper()
	target := shared.Target(t)
	if err := target.Empty(t.Context()); err != nil {
		t.Fatal(err)
	}
	return target
}

// profile returns a level.
func profile(t *testing.T, isolation string) *dbms.Profile {
	t.Helper()
	p, err := dbms.Lookup("postgresql", isolation)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sessions opens sessions at a level.
func sessions(t *testing.T, db exec.Target, isolation string, n int) []*exec.Session {
	t.Helper()
	var out []*exec.Session
	for range n {
		s, err := db.Open(t.Context(), exec.FirstNode, profile(t, isolation))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		out = append(out, s)
	}
	return out
}

// answers sends statements and prints what comes of each.
func answer(t *testing.T, s *exec.Session, sql string) string {
	t.Helper()
	a, err := s.Exec(t.Context(), sql)
	switch {
	case err != nil:
		t.Fatalf("%s: %v", sql, err)
	case a.Err != nil:
		return a.Err.State
	}
	return fmt.Sprint(a.Affected)
}

// TestTooLarge: of a result that is too large to keep no more is read than that.
func TestTooLarge(t *testing.T) {
	s := sessions(t, server(t), "read-committed", 1)[0]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.Query(t.Context(), "SELECT repeat('x', 1000000) FROM generate_series(1, 1000)")
	runtime.ReadMemStats(&after)
	if !errors.Is(err, exec.ErrTooLarge) {
		t.Errorf("%v; want that it is too large", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*exec.MaxResult {
		t.Errorf("%d MiB were allocated for a result of which %d MiB are kept", used>>20, exec.MaxResult>>20)
	}
}

const table = "CREATE TABLE t (pkey BIGINT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10), (2, 20)"

// TestErrorsEndTransactions: any error does, what follows is refused, and the COMMIT of such a transaction is none.
func TestErrorsEndTransactions(t *testing.T) {
	db := server(t)
	if err := db.Control().Must(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	p := profile(t, "read-committed")
	s := sessions(t, db, "read-committed", 1)[0]
	for _, c := range []struct {
		sql, want string
		class     dbms.ErrorClass
	}{
		{"BEGIN", "0", 0},
		{"UPDATE t SET v = 11 WHERE pkey = 1", "1", 0},
		{"INSERT INTO t VALUES (1, 1)", "23505", dbms.Deterministic},
		{"SELECT 1", "25P02", dbms.StatementLost},
		{"COMMIT", "40000", dbms.TxnLost},
		{"UPDATE t SET v = v WHERE v = 10", "1", 0}, // nothing of it is there
		{"BEGIN", "0", 0},
		{"SAVEPOINT a", "0", 0},
		{"INSERT INTO t VALUES (1, 1)", "23505", dbms.Deterministic},
		{"ROLLBACK TO a", "0", 0},
		{"DELETE FROM t WHERE pkey = 2", "1", 0},
		{"COMMIT", "0", 0},
		{"SELECT FROM t", "1", 0},
	} {
		got := answer(t, s, c.sql)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.sql, got, c.want)
		}
		if len(c.want) == 5 && p.Errors.Classify(stateCode(c.want), "") != c.class {
			t.Errorf("%s is of class %d", c.want, p.Errors.Classify(stateCode(c.want), ""))
		}
	}
}

// TestWaiting: who waits for a lock is seen, who waits in a circle is not called waiting, for one of them is about to
// fail.
func TestWaiting(t *testing.T) {
	db := server(t)
	if err := db.Control().Must(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	s := sessions(t, db, "read-committed", 3)
	must := func(s *exec.Session, sqls ...string) {
		t.Helper()
		if err := s.Must(t.Context(), sqls...); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func() []bool {
		t.Helper()
		w, err := db.Waiting(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]bool, len(w))
		for i := range w {
			out[i] = w[i] != exec.NoWait
		}
		return out
	}
	until := func(want string) {
		t.Helper()
		for begun := time.Now(); fmt.Sprint(waiting()) != want; time.Sleep(time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("who waits: %v, want %s", waiting(), want)
			}
		}
	}
	done := make(chan string, 2)
	send := func(s *exec.Session, sql string) {
		go func() {
			a, err := s.Exec(context.Background(), sql)
			switch {
			case err != nil:
				done <- err.Error()
			case a.Err != nil:
				done <- a.Err.State
			default:
				done <- "ok"
			}
		}()
	}
	must(s[0], "BEGIN", "UPDATE t SET v = 11 WHERE pkey = 1")
	must(s[1], "BEGIN", "UPDATE t SET v = 21 WHERE pkey = 2")
	send(s[1], "UPDATE t SET v = 12 WHERE pkey = 1")
	until("[false true false]")
	must(s[2], "SELECT v FROM t")
	must(s[0], "COMMIT")
	if got := <-done; got != "ok" {
		t.Fatal(got)
	}
	until("[false false false]")
	must(s[1], "COMMIT")

	must(s[0], "BEGIN", "UPDATE t SET v = 11 WHERE pkey = 1")
	must(s[1], "BEGIN", "UPDATE t SET v = 21 WHERE pkey = 2")
	send(s[0], "UPDATE t SET v = 12 WHERE pkey = 2")
	send(s[1], "UPDATE t SET v = 12 WHERE pkey = 1")
	got := []string{<-done, <-done}
	if fmt.Sprint(got) != "[40P01 ok]" && fmt.Sprint(got) != "[ok 40P01]" {
		t.Errorf("a circle of two: %v", got)
	}
	for _, s := range s {
		must(s, "ROLLBACK")
	}
}

// TestLoadAndReset: the tables are what the case says, and are so again.
func TestLoadAndReset(t *testing.T) {
	db := server(t)
	c := &testcase.Case{Target: "postgresql", Isolation: "read-committed",
		Schema: []testcase.Stmt{{SQL: "CREATE TABLE a (x INT PRIMARY KEY)"}, {SQL: "CREATE TABLE b (y INT REFERENCES a)"}},
		Rows:   []testcase.Stmt{{SQL: "INSERT INTO a VALUES (1), (2)"}, {SQL: "INSERT INTO b VALUES (1)"}}}
	if err := db.Load(t.Context(), c, []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	contents := func() string {
		r, err := db.Control().Read(t.Context(),
			"SELECT (SELECT string_agg(x::text, ',' ORDER BY x) FROM a), (SELECT string_agg(y::text, ',') FROM b)")
		if err != nil {
			t.Fatal(err)
		}
		return r.Row(0)[0].S + " " + r.Row(0)[1].S
	}
	for range 2 * vacuumEvery {
		if err := db.Control().Must(t.Context(), "UPDATE a SET x = x + 5 WHERE x = 2; INSERT INTO b VALUES (7)"); err != nil {
			t.Fatal(err)
		}
		if err := db.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := contents(); got != "1,2 1" {
			t.Fatalf("after a reset: %q", got)
		}
	}
	if err := db.Load(t.Context(), &testcase.Case{Schema: []testcase.Stmt{{SQL: "CREATE TABLE a (x INT)"},
		{SQL: "CREATE TABEL"}}}, []string{"a"}); err == nil {
		t.Error("a schema that fails is loaded")
	}
	if got := contents(); got != "1,2 1" {
		t.Errorf("after a load that failed: %q", got)
	}
}

// TestCases: generated cases are judged at each level, and nothing is found.
func TestCases(t *testing.T) {
	db := server(t)
	for _, p := range Levels() {
		t.Run(p.Isolation, func(t *testing.T) {
			r := servers.Runner(t, db, p)
			survived, all := 0, 0
			for n := range effort.Cases(8) {
				for _, fate := range judge(t, r, p, gen.CaseSeed(3, n), gen.Options{Isolation: p.Isolation}).Fates {
					if all++; fate == weave.Survived {
						survived++
					}
				}
			}
			if survived*2 < all {
				t.Errorf("%d of %d statements are replayed", survived, all)
			}
		})
	}
}

// judge generates a case and weaves it; that anything is found is an error.
func judge(t *testing.T, r *exec.Runner, p *dbms.Profile, seed uint64, o gen.Options) *weave.Report {
	t.Helper()
	c, err := gen.Generate(seed, Dialect, o)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := weave.Check(r, c, p, weave.Options{Orders: 1})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for _, e := range append(rep.Findings, rep.Unconfirmed...) {
		t.Errorf("seed %d: %s: %v", seed, e.Class, e.Differences)
	}
	return rep
}

// outcomes runs a plan and returns what became of its transactions. raced says that the server was free to choose among
// several: it ended one for a circle of waits, which any of its members may be, or two statements waited at the same
// time, and the end of who held the rows woke both.
func outcomes(t *testing.T, r *exec.Runner, plan *instrument.Plan) (all []history.Outcome, raced bool) {
	t.Helper()
	if _, err := r.Load(plan); err != nil {
		t.Fatal(err)
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	waits := int64(0) // when the last of the waits so far was over
	for _, e := range run.Trace.Events {
		raced = raced || e.Err != nil && e.Err.State == "40P01" || e.Blocked && e.Start < waits
		if e.Blocked {
			waits = max(waits, e.End)
		}
	}
	return run.Txns, raced
}

// TestProbesChangeNothing: the same cases commit and fail alike with the reads that txweave adds and without them. At
// SERIALIZABLE it fails if they are made in the transactions.
func TestProbesChangeNothing(t *testing.T) {
	db := server(t)
	levels := Levels()
	if testing.Short() {
		levels = levels[:1]
	}
	for _, p := range levels {
		t.Run(p.Isolation, func(t *testing.T) {
			r := servers.Runner(t, db, p)
			count := map[history.Outcome]int{}
			compared := 0
			for n := range 24 {
				c, err := gen.Generate(gen.CaseSeed(5, n), Dialect, gen.Options{Isolation: p.Isolation,
					Tables: gen.Range{Min: 1, Max: 2}})
				if err != nil {
					t.Fatal(err)
				}
				plan, err := instrument.Instrument(c, p)
				if err != nil {
					t.Fatal(err)
				}
				watched, raced := outcomes(t, r, plan)
				for i := range plan.Txns {
					plan.Txns[i].Snapshot, plan.Txns[i].Certified = nil, false
					for _, b := range plan.Txns[i].Blocks {
						b.VSR, b.BWR, b.AWR, b.After, b.Returning = nil, nil, nil, nil, ""
					}
				}
				alone, also := outcomes(t, r, plan)
				if raced || also {
					continue
				}
				compared++
				if !slices.Equal(watched, alone) {
					t.Errorf("case %d: %v with reads, %v without", n, watched, alone)
				}
				for _, o := range watched {
					count[o]++
				}
			}
			t.Logf("%d cases compared: %d committed, %d aborted", compared, count[history.Committed], count[history.Aborted])
			if compared < 12 || count[history.Aborted] == 0 || count[history.Committed] == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// TestPromisedFacts: what the profiles say of errors and of keys, as the server does it.
func TestPromisedFacts(t *testing.T) {
	db := server(t)
	if err := db.Control().Must(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	s := sessions(t, db, "repeatable-read", 2)
	for _, c := range []struct {
		session   int
		sql, want string
	}{
		// ErrorsEnd: the locks are given back at once.
		{0, "BEGIN", "0"}, {0, "UPDATE t SET v = 11 WHERE pkey = 1", "1"}, {0, "INSERT INTO t VALUES (2, 0)", "23505"},
		{1, "UPDATE t SET v = 12 WHERE pkey = 1", "1"}, {0, "ROLLBACK", "0"},
		// KeysReborn: a key that was deleted after the snapshot is inserted again, and seen twice.
		{0, "BEGIN", "0"}, {0, "SELECT FROM t", "2"}, {1, "DELETE FROM t WHERE pkey = 2", "1"},
		{0, "INSERT INTO t VALUES (2, 99)", "1"}, {0, "SELECT FROM t WHERE pkey = 2", "2"}, {0, "COMMIT", "0"},
		{0, "SELECT FROM t WHERE pkey = 2", "1"},
		// FixedViews: a row that changed after the snapshot is an error, without a wait.
		// a savepoint takes no snapshot
		{0, "BEGIN", "0"}, {0, "SAVEPOINT a", "0"}, {1, "UPDATE t SET v = 13 WHERE pkey = 1", "1"},
		{0, "SELECT FROM t WHERE v = 13", "1"},
		{1, "UPDATE t SET v = 14 WHERE pkey = 1", "1"}, {0, "UPDATE t SET v = 15 WHERE pkey = 1", "40001"},
		{0, "ROLLBACK", "0"},
	} {
		if got := answer(t, s[c.session], c.sql); got != c.want {
			t.Errorf("%d: %s: %s, want %s", c.session, c.sql, got, c.want)
		}
	}
}
