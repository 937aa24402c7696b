package exec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/history"
)

// hooked is a target on which something happens after each reset, which is where a run begins.
type hooked struct {
	Target
	after func()
}

func (h *hooked) Reset(ctx context.Context) error {
	err := h.Target.Reset(ctx)
	h.after()
	return err
}

// lockRow locks a row of t from outside the case, until the returned function is called.
func lockRow(t *testing.T, target Target, pkey int) (unlock func()) {
	t.Helper()
	s, err := target.Open(t.Context(), FirstNode, lookup(t, "mariadb/repeatable-read"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Must(t.Context(), "BEGIN", fmt.Sprintf("SELECT pkey FROM t WHERE pkey = %d FOR UPDATE",
		pkey)); err != nil {
		t.Fatal(err)
	}
	return func() { s.Close() }
}

const updateOne = `T0 BEGIN
	T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
	T0 SELECT pkey, vkey FROM t WHERE pkey = 1
	T0 COMMIT`

// TestStatementPastItsTime: a statement that does not answer in time is killed, and the run with it.
func TestStatementPastItsTime(t *testing.T) {
	r := newRunner(t, mariadb(t), lookup(t, "mariadb/repeatable-read"), Options{StatementTimeout: 50 * time.Millisecond})
	join := "t a0"
	for i := range 24 {
		join += fmt.Sprintf(" JOIN t a%d ON a%d.pkey <> a0.pkey + 100", i+1, i+1)
	}
	plan := load(t, r, parseCase(t, tables, strings.Replace(updateOne, "pkey, vkey FROM t WHERE pkey = 1",
		"COUNT(*) FROM "+join, 1)))
	_, err := r.Run(plan, plan.Steps)
	var env *EnvironmentError
	if !errors.Is(err, ErrTimeout) || !errors.As(err, &env) || env.Answer.Err.Code != 1317 {
		t.Fatalf("the run ends with %v, want error 1317 of the environment", err)
	}
	if err := r.Reopen(); err != nil {
		t.Fatal(err)
	}
	plan = load(t, r, parseCase(t, tables, updateOne))
	run, err := r.Run(plan, plan.Steps)
	for ; errors.Is(err, ErrTimeout); run, err = r.Run(plan, plan.Steps) {
		// on a slow machine each statement takes so long now and then
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Load(plan); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil || run.Txns[0] != history.Committed {
		t.Errorf("the runner is of no use afterwards: %v", err)
	}
}

// TestWaitPastItsTime: a wait for a lock that is ended from outside, as it takes too long, is what one is that the
// server gives up: the statement is lost, its transaction goes on.
func TestWaitPastItsTime(t *testing.T) {
	db := mariadb(t)
	var unlock func()
	h := &hooked{Target: db, after: func() { unlock = lockRow(t, db, 1) }}
	// the others have it, too
	r := newRunner(t, h, lookup(t, "mariadb/repeatable-read"), Options{StatementTimeout: 2 * time.Second})
	plan := load(t, r, parseCase(t, tables, updateOne))
	run, err := r.Run(plan, plan.Steps)
	unlock()
	if err != nil {
		t.Fatal(err)
	}
	checkRun(t, run)
	if b := run.Blocks[0]; !b.Lost || b.BWR == nil || b.BWR.Err == nil || b.BWR.Err.Code != 1317 || !b.BWR.Blocked {
		// it takes the same locks
		t.Errorf("the read before the UPDATE: lost %v, event %+v", b.Lost, b.BWR)
	}
	if run.Txns[0] != history.Committed || len(run.Blocks) != 2 || run.Blocks[1].Target.Rows.Len() != 1 {
		t.Errorf("the transaction: %d, %d blocks", run.Txns[0], len(run.Blocks))
	}
}

// TestLockWaitTimeout: the statement is lost, its transaction goes on.
func TestLockWaitTimeout(t *testing.T) {
	db := mariadb(t)
	var unlock func()
	h := &hooked{Target: db, after: func() { unlock = lockRow(t, db, 1) }}
	p := *lookup(t, "mariadb/read-committed")
	p.Sessions.Setup = append(slices.Clone(p.Sessions.Setup), "SET SESSION innodb_lock_wait_timeout = 1")
	r := newRunner(t, h, &p, Options{})
	plan := load(t, r, parseCase(t, tables, updateOne))
	run, err := r.Run(plan, plan.Steps)
	unlock()
	if err != nil {
		t.Fatal(err)
	}
	checkRun(t, run)
	b := run.Blocks[0]
	if !b.Lost || b.Target == nil || b.Target.Err == nil || b.Target.Err.Code != 1205 || !b.Target.Blocked ||
		b.AWR != nil {
		t.Errorf("the UPDATE: lost %v, event %+v", b.Lost, b.Target)
	}
	if run.Txns[0] != history.Committed || len(run.Blocks) != 2 || run.Blocks[1].Target.Rows.Len() != 1 {
		t.Errorf("the transaction: %d, %d blocks", run.Txns[0], len(run.Blocks))
	}
}

// TestBlockedIsNoticed runs a case that waits many times. A waiting statement must always be seen to wait, and
// one that does not wait never; how soon that is known is only reported.
func TestBlockedIsNoticed(t *testing.T) {
	r := newRunner(t, mariadb(t), lookup(t, "mariadb/read-committed"), Options{})
	plan := load(t, r, parseCase(t, tables, `T0 BEGIN
		T1 BEGIN
		T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
		T1 UPDATE t SET pvkey = vkey, vkey = 101, w = 2 WHERE pkey = 1
		T0 UPDATE t SET pvkey = vkey, vkey = 102, w = 3 WHERE pkey = 2
		T0 COMMIT
		T1 COMMIT`))
	var latency []time.Duration
	for range 40 {
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range run.Trace.Events {
			waits := e.Txn == 1 && e.Role == history.Target
			if e.Blocked != waits {
				t.Fatalf("%s %s: blocked %v, want %v", e.Session, e.Text, e.Blocked, waits)
			}
			if waits {
				latency = append(latency, time.Duration(run.Trace.Events[i+1].Start-e.Start))
			}
		}
	}
	slices.Sort(latency)
	t.Logf("a wait is noticed after %v (median), %v (longest of %d)", latency[len(latency)/2], latency[len(latency)-1],
		len(latency))
}

// awkward are tables whose rows are easily changed by copying them.
const awkward = `CREATE TABLE p (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, f DOUBLE, d DECIMAL(20, 5), x TEXT, b BLOB, u INT UNIQUE);
CREATE TABLE c (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, ref BIGINT, at DATETIME, FOREIGN KEY (ref) REFERENCES p (pkey));
INSERT INTO p (pkey, vkey, f, d, x, b, u) VALUES (1, 1, 0.1, 12345678901234.00001, 'it''s ü', X'00FF', NULL), (2, 2, 1e300, -0.5, '', NULL, 7), (3, 3, NULL, NULL, NULL, '', NULL);
INSERT INTO c (pkey, vkey, ref, at) VALUES (1, 4, 1, '2020-02-29 23:59:59'), (2, 5, NULL, NULL)`

// TestResetRestoresContents changes every row and resets: what Load made comes back, foreign keys or not.
func TestResetRestoresContents(t *testing.T) {
	script := `T0 BEGIN
		T0 DELETE FROM c
		T0 DELETE FROM p WHERE pkey < 3
		T0 UPDATE p SET pvkey = vkey, vkey = 100, x = 'changed', u = 8
		T0 INSERT INTO p (pkey, vkey, u) VALUES (9, 101, 9)
		T0 INSERT INTO c (pkey, vkey, ref) VALUES (9, 102, 9)
		T0 COMMIT`
	for _, name := range []string{"mariadb/repeatable-read", "mariadb/serializable", "sqlite/serializable"} {
		p := lookup(t, name)
		r := newRunner(t, target(t, p.DBMS), p, Options{})
		c := parseCase(t, awkward, script)
		plan := load(t, r, c)
		before, err := r.contents(nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			run, err := r.Run(plan, plan.Steps)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if reflect.DeepEqual(run.Final, before) {
				t.Fatalf("%s: the case changed nothing", name)
			}
			rep, err := r.Replay(nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(rep.Final, before) {
				t.Errorf("%s: after a reset the tables hold\n%s%s\nand not\n%s%s", name,
					printRows(rep.Final["p"]), printRows(rep.Final["c"]), printRows(before["p"]), printRows(before["c"]))
			}
		}
	}
}

// TestLoadAnotherCase: a case finds none of the tables of the one before, not even after a load that failed.
func TestLoadAnotherCase(t *testing.T) {
	script := "T0 BEGIN\nT0 COMMIT"
	for _, name := range []string{"mariadb/repeatable-read", "sqlite/serializable"} {
		p := lookup(t, name)
		r := newRunner(t, target(t, p.DBMS), p, Options{})
		first := load(t, r, parseCase(t, awkward, script))
		bad := parseCase(t, tables+";INSERT INTO t (pkey, vkey) VALUES (1, 9)", script)
		badPlan, err := instrumented(bad, r)
		if err != nil {
			t.Fatal(err)
		}
		var answer *AnswerError
		if _, err := r.Load(badPlan); !errors.As(err, &answer) {
			t.Errorf("%s: loading two rows with one key: %v", name, err)
		}
		second := load(t, r, parseCase(t, strings.Replace(tables, "v INT, w INT", "v TEXT, w INT", 1), script))
		if _, err := r.Run(first, first.Steps); err == nil {
			t.Errorf("%s: a case runs that is not loaded", name)
		}
		run, err := r.Run(second, second.Steps)
		if err != nil || len(run.Final) != 2 || run.Final["t"].Row(0)[3] != history.TextValue("10") {
			t.Errorf("%s: the second case: %v", name, err)
		}
		if a, err := r.replayer.Query(t.Context(), "SELECT 1 FROM p"); err != nil || a.Err == nil {
			t.Errorf("%s: a table of the first case is still there: %v", name, err)
		}
		if err := r.target.Clear(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if a, err := r.replayer.Query(t.Context(), "SELECT 1 FROM t"); err != nil || a.Err == nil {
			t.Errorf("%s: Clear leaves tables: %v", name, err)
		}
	}
}

// running says whether a process is there and no zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// TestCrashAndRestart kills the server during a run.
func TestCrashAndRestart(t *testing.T) {
	db, err := launch(t).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	defer func() {
		if !closed {
			db.Close()
		}
	}()
	if err := db.Alive(t.Context()); err != nil {
		t.Fatalf("a healthy server: %v", err)
	}
	server := func() *Instance { return privateOf(db) }
	first, dir := server().process.cmd.Process.Pid, server().dir
	h := &hooked{Target: db, after: func() { _ = server().process.cmd.Process.Kill() }}
	p := lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, h, p, Options{})
	plan := load(t, r, parseCase(t, tables, updateOne))
	if _, err := r.Run(plan, plan.Steps); err == nil {
		t.Fatal("a run on a dead server succeeds")
	}
	var crash *CrashError
	if err := db.Alive(t.Context()); !errors.As(err, &crash) || !strings.Contains(crash.Reason, "killed") ||
		!crash.Killed ||
		!strings.Contains(crash.Log, "ready for connections") {
		t.Fatalf("Alive: %v; log %q", err, crash)
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := server().process.cmd.Process.Pid
	if second == first || running(first) || exists(dir) {
		t.Errorf("after the restart: process %d, was %d; the old directory is there: %v", second, first, exists(dir))
	}
	again := newRunner(t, db, p, Options{})
	plan = load(t, again, plan.Case)
	if run, err := again.Run(plan, plan.Steps); err != nil || run.Txns[0] != history.Committed {
		t.Errorf("a run on the restarted server: %v", err)
	}
	again.closeSessions()
	dir, closed = server().dir, true
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if running(second) || exists(dir) {
		t.Errorf("Close leaves the process: %v, the directory: %v", running(second), exists(dir))
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("still not: %s", what)
}

// TestKilledOwner kills a process that has started a server: the server goes with it, and its directory with the
// next process that makes one.
func TestKilledOwner(t *testing.T) {
	launch(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(self)
	owner.Env = append(os.Environ(), childMode+"=1")
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, rerr := bufio.NewReader(out).ReadString('\n')
	var pid int
	var dir string
	_, serr := fmt.Sscan(line, &pid, &dir)
	alive := serr == nil && running(pid) && exists(dir)
	_ = owner.Process.Kill()
	_ = owner.Wait() // it was killed
	if !alive {
		t.Fatalf("the child says %q (%v, %v)", line, rerr, serr)
	}
	eventually(t, "the server is gone", func() bool { return !running(pid) })
	if !exists(dir) {
		t.Fatal("nothing is left to sweep")
	}
	w, err := NewWorkDir()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, dir+" is gone", func() bool { return !exists(dir) }) // another process may be sweeping it at this moment
	if own := shared.launcher.root.Path; !exists(own) {
		t.Errorf("the directory of a living process has been swept away: %s", own)
	}
	if err := w.Remove(); err != nil || exists(w.Path) {
		t.Errorf("removing a directory: %v", err)
	}
}

// TestSweepEndsServers: where the kernel has not ended a killed process's server, the sweep does; it ends no process
// but one that runs in the stale directory, whatever its pid file says.
func TestSweepEndsServers(t *testing.T) {
	base := t.TempDir()
	stale, err := makeWorkDir(base)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(server, arg string) *exec.Cmd {
		cmd := exec.Command(self, arg)
		cmd.Env = append(os.Environ(), childMode+"=idle")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		dir := filepath.Join(stale.Path, server)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "pid"),
			fmt.Appendln(nil, cmd.Process.Pid), 0o600)); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	server := start("s0", "--datadir="+filepath.Join(stale.Path, "s0"))
	stranger := start("s1", "--datadir=/elsewhere")
	sweep(base)
	if !running(server.Process.Pid) || !exists(stale.Path) {
		t.Fatal("a directory in use has been swept away")
	}
	if err := stale.lock.Close(); err != nil { // as if its owner had been killed
		t.Fatal(err)
	}
	sweep(base)
	eventually(t, "the server is gone", func() bool { return !running(server.Process.Pid) })
	if !running(stranger.Process.Pid) || exists(stale.Path) {
		t.Errorf("the stranger runs: %v, the directory is there: %v", running(stranger.Process.Pid), exists(stale.Path))
	}
}

func TestLauncherWithoutServer(t *testing.T) {
	for name, path := range map[string]string{"mariadb": "/nonexistent/mariadbd", "mysql": launch(t).binary} {
		if l, err := NewLauncher(t.Context(), TestServers[name], path, io.Discard); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s with %s: %v, %v", name, path, l, err)
		}
	}
}

// TestConnect works on a server as a user's: in a database of its own, which Close drops.
func TestConnect(t *testing.T) {
	dsn := joinedTo(privateOf(mariadb(t)))
	version, err := dsn.Form.Ask(t.Context(), dsn)
	if err != nil || !TestServers["mariadb"].Users.Ours(version) {
		t.Fatalf("asked for its version: %q, %v", version, err)
	}
	if _, err := Connect(t.Context(), TestServers["mysql"], dsn, 0); !errors.Is(err,
		ErrUnavailable) {
		t.Errorf("a MariaDB server is taken for MySQL: %v", err)
	}
	db, err := Connect(t.Context(), TestServers["mariadb"], dsn, 0)
	if err != nil {
		t.Fatal(err)
	}
	databases := func() string {
		rows, err := mariadb(t).Control().Read(t.Context(), "SHOW DATABASES LIKE 'txweave\\_%'")
		if err != nil {
			t.Fatal(err)
		}
		return printRows(rows)
	}
	rows, err := db.Control().Read(t.Context(), "SELECT DATABASE()")
	if err != nil {
		t.Fatal(err)
	}
	name := rows.Cell(0, 0).S
	if !strings.HasPrefix(name, DatabasePrefix) || !strings.Contains(databases(), name) {
		t.Errorf("it works in %s; there are %s", name, databases())
	}
	r := newRunner(t, db, lookup(t, "mariadb/repeatable-read"), Options{})
	plan := load(t, r, parseCase(t, tables, updateOne))
	if _, err := r.Run(plan, plan.Steps); err != nil {
		t.Error(err)
	}
	if err := db.Restart(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("restarting a user's server: %v", err)
	}
	r.closeSessions()
	if err := db.Close(); err != nil || strings.Contains(databases(), name) {
		t.Errorf("Close: %v; databases: %s", err, databases())
	}
}

// restless is a database whose waiters are seen to wait for another lock each time that it is asked.
type restless struct {
	Target
	asked int
}

func (r *restless) Waiting(ctx context.Context, sessions []*Session) ([]Wait, error) {
	waits, err := r.Target.Waiting(ctx, sessions)
	r.asked++
	for i := range waits {
		if waits[i] != NoWait {
			waits[i] += Wait(fmt.Sprint(r.asked))
		}
	}
	return waits, err
}

// TestMovedWait: who goes on to wait for another lock has run between the probes of the block under way, which is not
// exact then.
func TestMovedWait(t *testing.T) {
	db := target(t, "mariadb")
	for _, moves := range []bool{false, true} {
		on := db
		if moves {
			on = &restless{Target: db}
		}
		r := newRunner(t, on, lookup(t, "mariadb/read-committed"), Options{})
		plan := load(t, r, parseCase(t, tables, `T0 BEGIN
			T1 BEGIN
			T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
			T1 UPDATE t SET pvkey = vkey, vkey = 101, w = 2 WHERE pkey = 1
			T0 UPDATE t SET pvkey = vkey, vkey = 102, w = 1 WHERE pkey = 2
			T0 COMMIT
			T1 COMMIT`))
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		checkRun(t, run)
		for _, b := range run.Blocks {
			if want := b.Block.Txn == 1 || b.Block.Stmt == 1 && moves; b.Waited != want {
				t.Errorf("waits move: %v: %s waited: %v", moves, b.Block.Name(), b.Waited)
			}
		}
	}
}
