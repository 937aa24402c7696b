package exec

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"txweave/history"
)

// own starts a private MariaDB server for one test.
func own(t *testing.T) Target {
	t.Helper()
	db, err := launch(t).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// impatient shortens what a server is waited for.
func impatient(t *testing.T) {
	t.Helper()
	dial, answer, crash, hard := dialTime, answerTime, crashTime, hardLimit
	dialTime, answerTime, crashTime, hardLimit = 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond,
		2*time.Second
	t.Cleanup(func() { dialTime, answerTime, crashTime, hardLimit = dial, answer, crash, hard })
}

// untilStopped waits, where /proc tells, until all threads of a process that was sent SIGSTOP have stopped: one that
// has not may answer still.
func untilStopped(pid int) {
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if !slices.ContainsFunc(threads, func(path string) bool {
			text, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(text), ") T ")
		}) {
			return
		}
	}
}

// A server that is stopped in the midst of a case ends the case in time, is seen to hang, and can be replaced.
func TestHangingServer(t *testing.T) {
	db := own(t)
	impatient(t)
	stop := func() {
		p := privateOf(db).process.cmd.Process
		_ = p.Signal(syscall.SIGSTOP)
		untilStopped(p.Pid)
	}
	r := newRunner(t, &hooked{Target: db, after: stop}, lookup(t, "mariadb/repeatable-read"),
		Options{StatementTimeout: 100 * time.Millisecond})
	r.dying = 100 * time.Millisecond
	plan := load(t, r, parseCase(t, tables, updateOne))
	begun := time.Now()
	if _, err := r.Run(plan, plan.Steps); !errors.Is(err, ErrTimeout) {
		t.Errorf("a run on a stopped server: %v", err)
	}
	var hang *HangError
	if err := db.Alive(t.Context()); !errors.As(err, &hang) || !strings.Contains(hang.State, "stopped") ||
		!strings.Contains(hang.Log, "ready for connections") {
		t.Errorf("a stopped server: %v", err)
	} else if !strings.Contains(hang.Stacks, "\n#0 ") && !strings.Contains(hang.Stacks, " mariadbd in ") {
		t.Errorf("what its threads do: %s", hang.Stacks)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("that was known after %s", took)
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Alive(t.Context()); err != nil {
		t.Errorf("the server in its place: %v", err)
	}
}

// usersServer returns a target on the shared server as on one of the user's.
func usersServer(t *testing.T, wait time.Duration) Target {
	t.Helper()
	db, err := Connect(t.Context(), TestServers["mariadb"], joinedTo(privateOf(mariadb(t))), wait)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// Connections that are cut are new ones afterwards, the control connection too; what was running says that its
// connection was lost.
func TestCutConnections(t *testing.T) {
	for name, db := range map[string]Target{"private": own(t), "of the user's": usersServer(t, 0)} {
		cut := func() {
			rows, err := db.Control().Read(t.Context(),
				"SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND DB = DATABASE()")
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows.Len() {
				_, _ = db.Control().Exec(t.Context(), "KILL CONNECTION "+rows.Row(i)[0].String())
			}
			_, _ = db.Control().Exec(t.Context(), "KILL CONNECTION "+fmt.Sprint(db.Control().ID()))
		}
		h := &hooked{Target: db, after: cut}
		r := newRunner(t, h, lookup(t, "mariadb/repeatable-read"), Options{})
		plan := load(t, r, parseCase(t, tables, updateOne))
		_, err := r.Run(plan, plan.Steps)
		var lost *LostError
		if !errors.As(err, &lost) {
			t.Errorf("%s: a run whose connections are cut: %v", name, err)
		} else if private := privateOf(db) != nil; private != (lost.Log != "") {
			t.Errorf("%s: the log is %q", name, lost.Log)
		}
		if err := db.Alive(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		h.after = func() {}
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		plan = load(t, r, plan.Case)
		if run, err := r.Run(plan, plan.Steps); err != nil || run.Txns[0] != history.Committed {
			t.Errorf("%s: the run after it: %v", name, err)
		}
		r.closeSessions()
		if privateOf(db) == nil {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Whoever is asked to end, or gets no memory, has not crashed.
func TestEndedFromOutside(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT} {
		db := own(t)
		if err := privateOf(db).process.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		<-privateOf(db).process.done
		var crash *CrashError
		if err := db.Alive(t.Context()); !errors.As(err, &crash) || crash.Killed != (signal != syscall.SIGABRT) {
			t.Errorf("%s: %v, ended from outside: %v", signal, err, crash != nil && crash.Killed)
		}
	}
	for log, want := range map[string]bool{"InnoDB: Cannot allocate memory": true,
		"fatal error: runtime: out of memory": true, "got signal 11": false,
		"server process (PID 7) was terminated by signal 9: Killed":              true,
		"server process (PID 7) was terminated by signal 11: Segmentation fault": false,
		"(PID 7) was terminated by signal 9: Killed\ndatabase system is ready to accept connections\n(PID 8) was " +
			"terminated by signal 11": false,
	} {
		if fromOutside(log) != want {
			t.Errorf("%q: ended from outside: %v", log, !want)
		}
	}
}

// While a data directory is made nothing of other servers' is touched: the system's temporary directory is theirs.
func TestBootstrapTemporary(t *testing.T) {
	launch(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	theirs := []string{"#sql-temptable-1-2-3.MAI", "#sql-temptable-1-2-3.MAD", "#sql_1_2.frm"}
	for _, name := range theirs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := NewLauncher(t.Context(), TestServers["mariadb"], "", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range theirs {
		if !exists(filepath.Join(dir, name)) {
			t.Errorf("%s is gone", name)
		}
	}
}

// A private server reads and writes no file but in a folder of its own, and takes none from clients.
func TestNoFiles(t *testing.T) {
	db := mariadb(t)
	s, err := db.Open(t.Context(), FirstNode, lookup(t, "mariadb/repeatable-read"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	target := filepath.Join(t.TempDir(), "out")
	for _, sql := range []string{"SELECT 1 INTO OUTFILE '" + target + "'", "SELECT 1 INTO DUMPFILE '" + target + "'"} {
		if a, err := s.Exec(t.Context(), sql); err != nil || a.Err == nil || a.Err.Code != 1290 {
			t.Errorf("%s: %+v, %v; want error 1290", sql, a.Err, err)
		}
	}
	rows, err := s.Read(t.Context(), "SELECT LOAD_FILE('/etc/hostname'), @@local_infile")
	if err != nil || printRows(rows) != "(NULL, 0)" {
		t.Errorf("%s, %v", printRows(rows), err)
	}
	if files, err := os.ReadDir(filepath.Join(privateOf(db).dir, FilesName)); err != nil || len(files) > 0 {
		t.Errorf("the folder of files holds %v, %v", files, err)
	}
}

// A replay is given the keys that the run was given: counters are put back with the rows.
func TestCounters(t *testing.T) {
	const mysql = "CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, n INT NOT NULL AUTO_INCREMENT, KEY (n)) AUTO_INCREMENT = 40;" +
		"CREATE TABLE s (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, n INT NOT NULL AUTO_INCREMENT, KEY " +
		"(n));" +
		"INSERT INTO t (pkey, vkey) VALUES (1, 1), (2, 2), (3, 3)"
	const sqlite = "CREATE TABLE t (pkey INTEGER PRIMARY KEY AUTOINCREMENT, vkey BIGINT, pvkey BIGINT);" +
		"INSERT INTO t (pkey, vkey) VALUES (1, 1), (2, 2), (30, 3)"
	for name, c := range map[string]struct{ schema, read string }{
		"mariadb/repeatable-read": {mysql, "SELECT n FROM t UNION ALL SELECT 1000 + n FROM s ORDER BY 1"},
		"sqlite/serializable":     {sqlite, "SELECT pkey FROM t ORDER BY 1"},
	} {
		p := lookup(t, name)
		db := target(t, p.DBMS)
		s, err := db.Open(t.Context(), FirstNode, p)
		if err != nil {
			t.Fatal(err)
		}
		parsed := parseCase(t, c.schema, "T0 BEGIN\nT0 COMMIT")
		names := []string{"t"}
		inserts := []string{"INSERT INTO t (vkey) VALUES (8)", "DELETE FROM t", "INSERT INTO t (vkey) VALUES (9)"}
		if p.DBMS == "mariadb" {
			names = append(names, "s")
			inserts = []string{"INSERT INTO t (pkey, vkey) VALUES (8, 8)", "INSERT INTO s (pkey, vkey) VALUES (8, 8), (9, 9)",
				"DELETE FROM t", "INSERT INTO t (pkey, vkey) VALUES (9, 9)"}
		}
		if err := db.Load(t.Context(), parsed, names); err != nil {
			t.Fatal(err)
		}
		var seen []string
		for range 3 {
			if err := db.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
			before, err := s.Read(t.Context(), c.read)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Must(t.Context(), inserts...); err != nil {
				t.Fatal(err)
			}
			after, err := s.Read(t.Context(), c.read)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, printRows(before)+" then "+printRows(after))
		}
		if seen[0] != seen[1] || seen[1] != seen[2] {
			t.Errorf("%s:\n%s", name, strings.Join(seen, "\n"))
		}
		s.Close()
		if err := db.Clear(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A server that takes its time to crash, as one does that writes its stack first, has crashed all the same.
func TestSlowCrash(t *testing.T) {
	db := own(t)
	impatient(t)
	crashTime = 30 * time.Second
	process := privateOf(db).process.cmd.Process
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	dies := time.AfterFunc(1200*time.Millisecond, func() {
		_ = process.Signal(syscall.SIGABRT)
		_ = process.Signal(syscall.SIGCONT)
	})
	defer dies.Stop()
	var crash *CrashError
	if err := db.Alive(t.Context()); !errors.As(err, &crash) || crash.Killed {
		t.Errorf("%v", err)
	}
}

// A connection that is lost behind a statement that was answered with an error says so: that statement is often what
// broke it.
func TestLostAfter(t *testing.T) {
	db := mariadb(t)
	for _, x := range []struct {
		before, want string
	}{
		{"SELECT 1 FROM nowhere", "SELECT 1 FROM nowhere: error 1146: "},
		{"SELECT 1", ""},
	} {
		s, err := db.Open(t.Context(), FirstNode, lookup(t, "mariadb/repeatable-read"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Query(t.Context(), x.before); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Control().Exec(t.Context(), "KILL CONNECTION "+fmt.Sprint(s.ID())); err != nil {
			t.Fatal(err)
		}
		var lost *LostError
		for range 100 { // the first statement may come before the end
			if _, err = s.Exec(t.Context(), "ROLLBACK"); err != nil {
				break
			}
			if x.want != "" {
				if _, err = s.Query(t.Context(), x.before); err != nil {
					break
				}
			}
		}
		if !errors.As(err, &lost) || !strings.HasPrefix(lost.After, x.want) || (lost.After == "") != (x.want == "") {
			t.Errorf("behind %s: %v", x.before, err)
		}
		_ = s.Close()
	}
}

// A DSN may stand in a file or in the environment.
func TestReadDSN(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte("u:p@tcp(h:1)/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(DSNVariable, "u:q@tcp(h:1)/")
	var got []string
	for _, flag := range []string{"u:o@tcp(h:1)/", "@" + file, "env"} {
		dsn, err := ReadDSN(t.Context(), flag)
		if err != nil {
			t.Error(err)
		}
		got = append(got, dsn)
	}
	if want := []string{"u:o@tcp(h:1)/", "u:p@tcp(h:1)/", "u:q@tcp(h:1)/"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := ReadDSN(t.Context(), "@"+file+".gone"); err == nil {
		t.Error("a file that is not there")
	}
}

// A listener that takes connections and never says a word is no server, and that is known in time.
func TestSilentListener(t *testing.T) {
	impatient(t)
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	silent := at(socket)
	if _, err := silent.Form.Ask(t.Context(), silent); !errors.Is(err, ErrUnavailable) || !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
	if _, err := Output(t.Context(), 50*time.Millisecond, "sleep", "60"); !errors.Is(err, ErrTimeout) {
		t.Errorf("a program that does not end: %v", err)
	}
}

// A server of the user's that is away for a while is waited for.
func TestServerAway(t *testing.T) {
	socket := filepath.Join(privateOf(own(t)).dir, SocketName)
	proxy := filepath.Join(t.TempDir(), "s")
	if err := os.Symlink(socket, proxy); err != nil {
		t.Fatal(err)
	}
	db, err := Connect(t.Context(), TestServers["mariadb"], at(proxy), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	gone, err := Connect(t.Context(), TestServers["mariadb"], at(proxy), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	if err := os.Remove(proxy); err != nil {
		t.Fatal(err)
	}
	back := time.AfterFunc(500*time.Millisecond, func() { _ = os.Symlink(socket, proxy) })
	defer back.Stop()
	if err := db.Alive(t.Context()); err != nil {
		t.Errorf("a server that comes back: %v", err)
	}
	_ = os.Remove(proxy)
	if err := gone.Alive(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a server that does not: %v", err)
	}
	_ = os.Symlink(socket, proxy)
}
