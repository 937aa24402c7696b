//go:build tidb

package exec

import (
	"errors"
	"os"
	"testing"
	"time"

	"txweave/history"
	"txweave/oracle/observe"
)

// startTiDB starts a private server, built where it is not in the cache.
func startTiDB(t *testing.T) Target {
	t.Helper()
	l, err := NewLauncher(t.Context(), TestServers["tidb"], "", os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	db, err := l.Start(t.Context())
	if err != nil {
		t.Fatal(errors.Join(err, l.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), l.Close()); err != nil {
			t.Error(err)
		}
		if exists(l.root.Path) {
			t.Errorf("%s is left behind", l.root.Path)
		}
	})
	return db
}

// outcomes are the target statements of a run by their text.
func outcomes(run *observe.Run) map[string]*history.Event {
	out := map[string]*history.Event{}
	for _, e := range run.Trace.Events {
		if e.Role == history.Target {
			out[e.Text] = e
		}
	}
	return out
}

// TestTiDB runs on one server: starting it takes a second or more.
func TestTiDB(t *testing.T) {
	db := startTiDB(t)
	t.Run("waits", func(t *testing.T) {
		for _, level := range []string{"repeatable-read", "read-committed"} {
			r := newRunner(t, db, lookup(t, "tidb/"+level), Options{})
			plan := load(t, r, parseCase(t, tables, `T0 BEGIN PESSIMISTIC
				T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
				T1 BEGIN PESSIMISTIC
				T1 UPDATE t SET pvkey = vkey, vkey = 101, w = w + 1 WHERE pkey = 1
				T0 COMMIT
				T1 COMMIT`))
			run, err := r.Run(plan, plan.Steps)
			if err != nil {
				t.Fatal(err)
			}
			checkRun(t, run)
			second := outcomes(run)[plan.Txns[1].Blocks[0].SQL]
			if !second.Blocked || second.Affected != 1 {
				t.Errorf("%s: the second UPDATE of a row blocked: %v, affected %d", level, second.Blocked, second.Affected)
			}
			if got := printRows(run.Final["t"]); got != "(1, 101, 100, 10, 2) (2, 2, NULL, 20, 0) (3, 3, NULL, 30, 0)" {
				t.Errorf("%s: t holds %s", level, got)
			}
		}
	})
	t.Run("deadlock", func(t *testing.T) {
		r := newRunner(t, db, lookup(t, "tidb/repeatable-read"), Options{})
		plan := load(t, r, parseCase(t, tables, `T0 BEGIN PESSIMISTIC
			T1 BEGIN PESSIMISTIC
			T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
			T1 UPDATE t SET pvkey = vkey, vkey = 101, w = 2 WHERE pkey = 2
			T0 UPDATE t SET pvkey = vkey, vkey = 102, w = 1 WHERE pkey = 2
			T1 UPDATE t SET pvkey = vkey, vkey = 103, w = 2 WHERE pkey = 1
			T0 COMMIT
			T1 COMMIT`))
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		checkRun(t, run)
		if run.Txns[0] == history.Aborted == (run.Txns[1] == history.Aborted) {
			t.Errorf("a deadlock ended the transactions as %v", run.Txns)
		}
	})
	t.Run("in autocommit, and changes of tables", func(t *testing.T) {
		for _, level := range []string{"repeatable-read", "read-committed"} {
			r := newRunner(t, db, lookup(t, "tidb/"+level), Options{})
			plan := load(t, r, parseCase(t, tables, `T0 BEGIN PESSIMISTIC
				T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
				T1 UPDATE t SET pvkey = vkey, vkey = 101, w = w + 1 WHERE pkey = 1
				T2 SELECT pkey FROM t WHERE pkey = 1 FOR UPDATE
				T3 CREATE INDEX x ON t (w)
				T4 UPDATE t SET pvkey = vkey, vkey = 102, w = 7 WHERE pkey = 17
				T5 TRUNCATE TABLE s
				T0 COMMIT`))
			run, err := r.Run(plan, plan.Steps)
			if err != nil {
				t.Fatal(err)
			}
			checkRun(t, run)
			var end *history.Event
			for _, e := range run.Trace.Events {
				if e.Role == history.End {
					end = e
				}
			}
			targets := outcomes(run)
			for txn, held := range map[int]bool{1: true, 2: false, 3: true, 4: true} {
				if e := targets[plan.Txns[txn].Blocks[0].SQL]; e.Err != nil || e.Blocked || e.Start > end.Start != held {
					t.Errorf("%s: %s: held back %v, blocked %v, %v", level, e.Text, e.Start > end.Start, e.Blocked, e.Err)
				}
			}
			if got := printRows(run.Final["t"]); got != "(1, 101, 100, 10, 2) (2, 2, NULL, 20, 0) (3, 3, NULL, 30, 0)" {
				t.Errorf("%s: t holds %s", level, got)
			}
			if c := run.Certificate; !c.Untold["s"] || c.Untold["t"] {
				t.Errorf("%s: the store tells nothing of a table that was emptied, and all of others: untold %v", level, c.Untold)
			}
			if c := run.Certificate; c.Commit[1] <= c.Commit[0] || c.Start[2]+c.Commit[2]+c.Start[3]+c.Start[4]+
				c.Commit[4] != 0 {
				t.Errorf("%s: started at %d, committed at %d", level, c.Start, c.Commit)
			}
		}
	})
	t.Run("write conflict", func(t *testing.T) {
		r := newRunner(t, db, lookup(t, "tidb/optimistic"), Options{})
		plan := load(t, r, parseCase(t, tables, `T0 BEGIN OPTIMISTIC
			T1 BEGIN OPTIMISTIC
			T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
			T1 UPDATE t SET pvkey = vkey, vkey = 101, w = 2 WHERE pkey = 1
			T0 COMMIT
			T1 COMMIT`))
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if run.Txns[0] != history.Committed || run.Txns[1] != history.Aborted {
			t.Errorf("of two writers of a row the first to commit wins; got %v", run.Txns)
		}
	})
	t.Run("a fresh cluster, whose past is not known yet", func(t *testing.T) {
		point := "DELETE FROM mysql.tidb WHERE variable_name = 'tikv_gc_safe_point'"
		for _, told := range []bool{true, false} {
			r := newRunner(t, db, lookup(t, "tidb/repeatable-read"), Options{})
			plan := load(t, r, parseCase(t, tables, "T0 BEGIN PESSIMISTIC\nT0 SELECT pkey, vkey FROM t\nT0 COMMIT"))
			run, err := r.Run(plan, plan.Steps)
			if err != nil {
				t.Fatal(err)
			}
			if got := run.Certificate != nil && run.Certificate.Snapshots[0] != nil; got != told {
				t.Errorf("the past is told: %v, want %v", got, told)
			}
			if err := db.Control().Must(t.Context(), point); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Control().Must(t.Context(),
			"REPLACE INTO mysql.tidb VALUES ('tikv_gc_safe_point', '20200101-00:00:00 +0000', '')"); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("crash", func(t *testing.T) {
		srv := privateOf(db)
		if err := srv.process.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var crash *CrashError
		if err := db.Alive(t.Context()); !errors.As(err, &crash) {
			t.Errorf("a killed server is alive: %v", err)
		}
		start := time.Now()
		if err := db.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("restarted in %v", time.Since(start))
		if err := db.Alive(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkTiDBRestart measures how long a new server takes.
func BenchmarkTiDBRestart(b *testing.B) {
	l, err := NewLauncher(b.Context(), TestServers["tidb"], "", os.Stderr)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	db, err := l.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for b.Loop() {
		if err := db.Restart(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
