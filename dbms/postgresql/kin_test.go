package postgresql

import (
	"strings"
	"testing"
	"time"

	"txweave/exec"
	"txweave/testcase"
)

// TestWhose: what version() says belongs to one of the product, and its number is found.
func TestWhose(t *testing.T) {
	for _, c := range []struct {
		version, want, number string
	}{
		{"PostgreSQL 17.12 (Debian 17.12-0+deb13u1) on x86_64-pc-linux-gnu, compiled by gcc", "postgresql", ""},
		{"PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang", "yugabytedb", ""},
		{"CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/10 17:30:03, go1.22.8)", "cockroachdb", "24.3.1"},
		{"PostgreSQL 16.2 on x86_64-pc-linux-gnu, compiled by zig v0.11.0", "postgresql", ""},
		{"8.0.11-TiDB-v8.5.4", "", ""},
	} {
		var of []string
		for _, k := range []*product{itself, yugabyte, cockroach} {
			if k.ours(c.version) {
				of = append(of, k.name)
			}
		}
		if strings.Join(of, " ") != c.want || versionIn(c.version) != c.number {
			t.Errorf("%s: %v, %q", c.version, of, versionIn(c.version))
		}
	}
}

// TestCockroachSession: what a session is known by is a number, and the number is that text again.
func TestCockroachSession(t *testing.T) {
	id, err := cockroach.parse("17a4b1c2d3e4f5060000000000000001")
	if err != nil || cockroach.text(id) != "'17a4b1c2d3e4f506'" {
		t.Errorf("%x, %v", id, err)
	}
	for _, text := range []string{"", "x"} {
		if id, err := cockroach.parse(text); err == nil {
			t.Errorf("%q is %x", text, id)
		}
	}
}

// TestKin: YugabyteDB's ways are PostgreSQL's own where it is one: tables made statement by statement, waits from
// pg_locks, no snapshot that is read by another.
func TestKin(t *testing.T) {
	k := *yugabyte
	k.ours, k.session = itself.ours, session
	dir := server(t).(*target).private.Dir()
	at, err := exec.ParseDSN("postgres://"+superuser+"@/?host="+dir, []*exec.DSNForm{dsn})
	if err != nil {
		t.Fatal(err)
	}
	db, err := k.join(t.Context(), at, "txweave_l0123456789ab", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // when its sessions are closed
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if d := db.Describe(); d.Target != "yugabytedb" || d.Version == "" {
		t.Errorf("it is described as %s %s", d.Target, d.Version)
	}
	c := &testcase.Case{Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT)"}},
		Rows: []testcase.Stmt{{SQL: "INSERT INTO t VALUES (1, 1)"}}}
	for range 2 { // the second time they are dropped
		if err := db.Load(t.Context(), c, []string{"t"}); err != nil {
			t.Fatal(err)
		}
	}
	ss := sessions(t, db, "read-committed", 2)
	for _, s := range ss {
		if err := s.Must(t.Context(), "BEGIN"); err != nil {
			t.Fatal(err)
		}
	}
	if err := ss[0].Must(t.Context(), "UPDATE t SET vkey = 2"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- ss[1].Must(t.Context(), "UPDATE t SET vkey = 3") }()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		waits, err := db.Waiting(t.Context(), ss)
		if err != nil || time.Since(begun) > time.Minute {
			t.Fatalf("%v, %v", waits, err)
		}
		if waits[0] == exec.NoWait && waits[1] == exec.SomeWait {
			break
		}
	}
	if err := db.Kill(t.Context(), ss[1]); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "57014") {
		t.Errorf("a statement that is killed: %v", err)
	}
	if err := ss[0].Must(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	ss[1].Close()
	if err := db.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := ss[0].Read(t.Context(), "SELECT vkey FROM t")
	if n, _ := rows.Cell(0, 0).Int64(); err != nil || n != 1 {
		t.Errorf("after a reset: %v, %v", rows, err)
	}
}
