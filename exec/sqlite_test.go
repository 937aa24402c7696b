package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/history"
	"txweave/testcase"
)

func TestSQLiteRestart(t *testing.T) {
	db, err := TestOpen["sqlite"](t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := lookup(t, "sqlite/serializable")
	for range 2 {
		r := newRunner(t, db, p, Options{})
		plan := load(t, r, parseCase(t, tables, updateOne))
		if _, err := r.Run(plan, plan.Steps); err != nil {
			t.Error(err)
		}
		r.closeSessions()
		if err := db.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if rows, err := db.Control().Read(t.Context(), "SELECT name FROM sqlite_schema"); err != nil || rows.Len() > 0 {
			t.Errorf("a restarted database holds %s, %v", printRows(rows), err)
		}
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestReadsOn: a transaction that is refused its first write for a newer commit reads its snapshot on; it is sent no
// further write, and rolled back where it would have ended. With nothing left to read it is rolled back at once.
func TestReadsOn(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"), Options{})
	for _, c := range []struct {
		rest string
		want []string
	}{
		{`
		T0 SELECT t.pkey AS t_p, t.vkey AS t_v FROM t WHERE t.pkey = 1
		T0 UPDATE t SET pvkey = vkey, vkey = 1002, v = 9 WHERE t.pkey = 2`, []string{"UPDATE", "SELECT", "ROLLBACK"}},
		{`
		T0 UPDATE t SET pvkey = vkey, vkey = 1002, v = 9 WHERE t.pkey = 2`, []string{"UPDATE", "ROLLBACK"}},
	} {
		plan := load(t, r, parseCase(t, tables, `
		T0 BEGIN
		T0 SELECT t.pkey AS t_p, t.vkey AS t_v FROM t WHERE t.pkey = 1
		T1 BEGIN
		T1 UPDATE t SET pvkey = vkey, vkey = 1000, v = 7 WHERE t.pkey = 1
		T1 COMMIT
		T0 UPDATE t SET pvkey = vkey, vkey = 1001, v = 8 WHERE t.pkey = 1`+c.rest+`
		T0 COMMIT`))
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if run.Txns[0] != history.Aborted || run.Txns[1] != history.Committed || len(run.Order) != len(plan.Steps) {
			t.Errorf("outcomes %v after %d of %d steps", run.Txns, len(run.Order), len(plan.Steps))
		}
		var read []string // the rows of T0's own statements
		var sent []string // from the refusal on
		for _, e := range run.Trace.Events {
			if e.Txn != 0 || e.Role != history.Target && e.Role != history.Abort && e.Role != history.End {
				continue
			}
			if verb, _, _ := strings.Cut(e.Text, " "); verb == "UPDATE" || len(sent) > 0 {
				sent = append(sent, verb)
			}
			if e.Role == history.Target && e.Err == nil {
				read = append(read, printRows(e.Rows))
			}
		}
		if !slices.Equal(sent, c.want) {
			t.Errorf("from the refusal on %v was sent, want %v", sent, c.want)
		}
		if slices.ContainsFunc(read, func(rows string) bool { return rows != read[0] }) || len(read) != len(c.want)-1 {
			t.Errorf("it has read %q", read)
		}
	}
}

// TestNewTablesSQLite: a case is answered by its own tables, not by what a session knows of those of the case before
// it, whose index of the same name had a WHERE clause that kept it from the query. Where the case's own index has such
// a clause the error stays.
func TestNewTablesSQLite(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"), Options{})
	const index = "CREATE INDEX i ON t (v)"
	for i, clause := range []string{" WHERE v <> 5", "", " WHERE v <> 5"} {
		c := parseCase(t, tables, `
		T0 BEGIN
		T0 SELECT t.pkey AS e0 FROM t INDEXED BY i
		T0 COMMIT`)
		c.Schema = append(c.Schema, testcase.Stmt{SQL: index + clause})
		plan := load(t, r, c)
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := r.Replay(plan.Txns[0].Blocks)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range slices.Concat(run.Trace.Events, replayed.Events) {
			if e.Role == history.Target && (e.Err != nil) != (clause != "") {
				t.Errorf("case %d, %s%s: %s: %v", i, index, clause, e.Session, e.Err)
			}
		}
	}
}

// TestKillSQLite ends a statement that would run for ever.
func TestKillSQLite(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"),
		Options{StatementTimeout: 50 * time.Millisecond})
	load(t, r, &testcase.Case{Schema: parseCase(t, tables, "T0 BEGIN\nT0 COMMIT").Schema})
	ans, err := r.guarded(Occasion{},
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", true, false)
	if err != nil || ans.Err == nil || ans.Err.Code != 9 {
		t.Errorf("an endless statement answers %+v, %v; want SQLITE_INTERRUPT", ans.Err, err)
	}
	if _, err := r.replayer.Read(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("the session is of no use afterwards: %v", err)
	}
}

// TestTimeoutSQLite runs a statement that returns its first row at once and would take years for the next one, in a
// transaction that has written, and from the one who replays. It ends at the time-out, and the tables can be reset for
// the case after it.
func TestTimeoutSQLite(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"),
		Options{StatementTimeout: 50 * time.Millisecond})
	endless := "SELECT r0.pkey AS e0 FROM t AS r0 WHERE r0.pkey < 2 OR r0.v = (SELECT COUNT(*) FROM t AS r1"
	for i := range 30 {
		endless += fmt.Sprintf(" CROSS JOIN t AS x%d", i)
	}
	endless += ")"
	plan := load(t, r, parseCase(t, tables, `
		T0 BEGIN IMMEDIATE
		T1 BEGIN
		T1 SELECT s.pkey AS e0 FROM s
		T0 UPDATE t SET pvkey = vkey, vkey = 1000, v = 7 WHERE t.pkey = 1
		T2 BEGIN
		T2 UPDATE t SET pvkey = vkey, vkey = 1001, v = 8 WHERE t.pkey = 2
		T0 `+endless+`
		T1 COMMIT
		T2 COMMIT
		T0 COMMIT`))
	check := func(what string, err error) {
		t.Helper()
		var env *EnvironmentError
		if !errors.Is(err, ErrTimeout) || !errors.As(err, &env) || env.Answer.Err.Code != 9 {
			t.Errorf("%s: %v; want a time-out by SQLITE_INTERRUPT", what, err)
		}
		if err := r.Reopen(); err != nil || r.stuck {
			t.Fatalf("%s: a session is not closed: %v, %v", what, r.stuck, err)
		}
		if _, err := r.Load(plan); err != nil {
			t.Fatalf("%s: the tables cannot be loaded again: %v", what, err)
		}
		if err := r.reset(false); err != nil {
			t.Fatalf("%s: the tables cannot be reset: %v", what, err)
		}
	}
	_, err := r.Run(plan, plan.Steps)
	check("run", err)
	_, err = r.Replay(plan.Txns[0].Blocks)
	check("replay", err)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if a, err := r.committed.Query(ctx, endless); !errors.Is(err, ErrTimeout) {
		t.Errorf("a probe whose context ends answers %v, %v", a, err)
	}
}

// stalling is a connection whose statements have effect and then hang, whatever is done to end them.
type stalling struct {
	driver.Conn
	begun, until chan struct{}
}

func (c *stalling) Interrupt() {}

func (c *stalling) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	res, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
	close(c.begun)
	<-c.until
	return res, err
}

// TestStuckSQLite has a statement that no interrupt ends: the database that it holds locked is given up.
func TestStuckSQLite(t *testing.T) {
	db, err := TestOpen["sqlite"](t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, db, lookup(t, "sqlite/serializable"), Options{StatementTimeout: time.Minute})
	r.dying = 50 * time.Millisecond
	plan := load(t, r, parseCase(t, tables, updateOne))
	stuck := r.lanes[0]
	c := &stalling{stuck.session.conn, make(chan struct{}), make(chan struct{})}
	stuck.session.conn = c
	stuck.reqs <- request{sql: "BEGIN IMMEDIATE"}
	<-c.begun
	r.filled = false // what has just been filled is not put back
	var env *EnvironmentError
	if err := r.reset(false); !errors.As(err, &env) || env.Answer.Err.Code != 5 {
		t.Errorf("a reset of tables that are locked: %v; want SQLITE_BUSY as the environment's doing", err)
	}
	if err := r.Reopen(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Load(plan); err != nil {
		t.Fatalf("the tables cannot be loaded: %v", err)
	}
	if _, err := r.Run(plan, plan.Steps); err != nil {
		t.Errorf("the next run: %v", err)
	}
	close(c.until)
	<-stuck.gone
	r.closeSessions()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
