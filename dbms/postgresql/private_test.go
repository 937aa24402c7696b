package postgresql

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"txweave/exec"
)

// TestReachesNothing: what a session of a case must not reach the server itself refuses, should a case ever hold it.
func TestReachesNothing(t *testing.T) {
	s := sessions(t, server(t), "read-committed", 1)[0]
	for _, sql := range []string{
		"SELECT pg_read_file('postgresql.conf')",
		"SELECT pg_ls_dir('.')",
		"SELECT lo_import('/etc/passwd')",
		"COPY (SELECT 1) TO PROGRAM 'cat'",
		"COPY pg_class TO '/dev/null'",
		"CREATE FUNCTION getpid() RETURNS INT AS 'libc.so.6', 'getpid' LANGUAGE c",
		"CREATE FUNCTION f() RETURNS INT AS 'int4pl' LANGUAGE internal",
		"CREATE EXTENSION plpython3u",
		"CREATE EXTENSION dblink",
		"CREATE ROLE other SUPERUSER",
		"ALTER ROLE txweave SUPERUSER",
		"CREATE DATABASE other",
		"DROP DATABASE template1",
		"ALTER SYSTEM SET archive_command = 'true'",
		"SET ROLE postgres",
		"SET SESSION AUTHORIZATION postgres",
		"UPDATE pg_class SET relname = relname",
		"SELECT rolpassword FROM pg_authid",
		"LOAD 'auto_explain'",
	} {
		got := answer(t, s, sql)
		if !strings.Contains(got, "42501") && !strings.Contains(got, "0A000") && !strings.Contains(got, "58P01") {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestDisturbancesAreAllowed: the owner of the database may do all that storms disturb it with.
func TestDisturbancesAreAllowed(t *testing.T) {
	db := server(t)
	s := sessions(t, db, "read-committed", 1)[0]
	if got := answer(t, s, "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, v INT)"); got != "0" {
		t.Fatal(got)
	}
	answer(t, s, "CREATE INDEX t_v ON t (v, vkey, pkey)")
	u := db.(interface{ Disruption() *exec.Disruption }).Disruption()
	for _, d := range slices.Concat(u.Limits, u.Redefine, u.Press, u.Hold) {
		for _, sql := range slices.Concat(d.Settings, d.Do, d.Undo) {
			if got := answer(t, s, strings.ReplaceAll(sql, "{table}", "t")); strings.Contains(got, "42501") {
				t.Errorf("%s: %s", sql, got)
			}
		}
	}
	for _, sql := range []string{"SET deadlock_timeout = '1s'", "SET session_replication_role = replica"} {
		if got := answer(t, s, sql); got != "0" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestCannotConnect: what is said of a server that is not there names where it was looked for and why not, and nobody's
// password.
func TestCannotConnect(t *testing.T) {
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer garbage.Close()
	go func() {
		for c, err := garbage.Accept(); err == nil; c, err = garbage.Accept() {
			_, _ = c.Write([]byte("\x1b]0;owned\x07 no PostgreSQL"))
			c.Close()
		}
	}()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	for addr, why := range map[string]string{garbage.Addr().String(): "no answer that PostgreSQL would give",
		nobody.Addr().String(): "connection refused"} {
		_, port, _ := net.SplitHostPort(addr)
		_, err := askVersion(t.Context(), &exec.DSN{Text: "postgres://u:secret@" + addr + "/?sslmode=disable"})
		if !errors.Is(err, exec.ErrUnavailable) || !strings.HasSuffix(err.Error(), "127.0.0.1, port "+port+": "+why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
}
