package script_test

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/exec"
	"txweave/history"
	"txweave/internal/testkit/servers"
	"txweave/testcase/importer"
	"txweave/weave/script"
)

// unsaid is a database that answers the victim of a deadlock as if its write had found no row.
type unsaid struct{ exec.Target }

func (u unsaid) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := u.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return s.Over(silent{s.Conn()}), nil
}

type silent struct{ driver.Conn }

func (c silent) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	x := c.Conn.(driver.ExecerContext)
	res, err := x.ExecContext(ctx, sql, nil)
	if err == nil || !strings.Contains(err.Error(), "Deadlock found") {
		return res, err
	}
	_, err = x.ExecContext(ctx, "ROLLBACK", nil)
	return driver.RowsAffected(0), err
}

func (c silent) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, nil)
}

// TestGone: of a script's statements the one is named with whose answer its transaction is gone. One that is given up
// with an error is not, nor one that a statement ends which commits by itself.
func TestGone(t *testing.T) {
	const text = "create table t (id int primary key, a int);\ninsert into t values (1, 10), (2, 20);\n" +
		"A> begin;\nA> update t set a = 11 where id = 1;\nB> begin;\nB> update t set a = 21 where id = 2;\nA> update t set " +
		"a = 22 where id = 2;\nB> update t set a = 12 where id = 1;\n" +
		"A> savepoint s;\nA> rollback to s;\nA> commit;\nB> commit;\nB> begin;\nB> select a from t;\nB> create table u (id " +
		"int);\nB> select a from t;\nB> truncate table t;\nB> commit;\n"
	server := servers.Launched("a MariaDB server", mariadb.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		target exec.Target
		want   int
	}{"told": {target, 0}, "not told": {unsaid{target}, 1}} {
		all, err := importer.ReadScripts("text", []byte(text), importer.Options{Target: "mariadb"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := script.Check(t.Context(), x.target, p, all[0].Script,
			script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		var gone []string
		for _, e := range out.Run.Steps {
			if e.Gone {
				gone = append(gone, e.Text)
			}
		}
		if len(gone) != x.want {
			t.Errorf("%s: gone with %q, want %d", name, gone, x.want)
		}
	}
}

// TestCommitted: a transaction that another statement of its session commits has not ended before those of others that
// began until then. What began when it had is behind it in the first order that is tried, and so it is with one that a
// COMMIT ends.
func TestCommitted(t *testing.T) {
	const tables = "create table t (id int primary key, a int);\ninsert into t values (1, 10);\n"
	server := servers.Launched("a MariaDB server", mariadb.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("mariadb", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	const write, read = "A> insert into t values (2, 20);\n", "B> select count(*) from t;\n"
	for text, order := range map[string][]int{
		"A> set autocommit = 0;\n" + write + read + "A> create table u (a int);\n" + read: {1, 0, 2, 3},
		"A> set autocommit = 0;\n" + write + read + "A> begin;\n" + read + "A> commit;\n": {1, 0, 2},
		"A> begin;\n" + write + read + "A> alter table t add column b int;\n" + read:      {1, 0, 2, 3},
		"A> begin;\n" + write + read + "A> lock tables t read;\n" + read:                  {1, 0, 2, 3},
		"A> begin;\n" + write + "A> create table u (a int);\n" + read:                     {0, 1, 2},
		"A> begin;\n" + write + "A> commit;\n" + read:                                     {0, 1},
		"A> begin;\n" + write + read:                                                      {0, 1},
	} {
		all, err := importer.ReadScripts("text", []byte(tables+text), importer.Options{Target: "mariadb"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := script.Check(t.Context(), target, p, all[0].Script,
			script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if tried := 1 + order[0]; !out.Fits || out.Early || !slices.Equal(out.Order, order) || out.Tried != tried {
			t.Errorf("%s: order %v of %d tried, fits %v, early %v", text, out.Order, out.Tried, out.Fits, out.Early)
		}
	}
}

// TestFailedBlock: where any error ends a transaction, it is open until its own COMMIT, which belongs to it and takes
// part in no serial order. One that went back to a savepoint is committed, without the statement that failed.
func TestFailedBlock(t *testing.T) {
	const tables = "create table t (id int primary key, a int);\ninsert into t values (1, 10), (2, 20), (3, 30);\n"
	server := servers.Launched("a PostgreSQL server", postgresql.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("postgresql", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		text  string
		order []int
	}{
		"its COMMIT rolls it back": {"A> begin isolation level repeatable read;\nA> select a from t where id = 1;\n" +
			"B> update t set a = 11 where id = 1;\nA> update t set a = 12 where id = 1;\nA> commit;\nA> select a from t where " +
			"id = 1;\n", []int{1, 2}},
		"it goes back to a savepoint": {"A> begin isolation level repeatable read;\nA> update t set a = 31 where id = 3;\n" +
			"B> update t set a = 11 where id = 1;\nA> savepoint s;\nA> update t set a = 12 where id = 1;\n" +
			"A> rollback to s;\nA> commit;\n", []int{0, 1}},
		"its key was taken meanwhile, and it is given up": {"A> begin isolation level serializable;\n" +
			"A> insert into t values (9, 90);\nB> begin isolation level serializable;\nB> select count(*) from t;\n" +
			"B> insert into t values (9, 91);\nA> commit;\nB> rollback;\nB> select * from t;\n", []int{0, 2}},
	} {
		all, err := importer.ReadScripts("text", []byte(tables+x.text), importer.Options{Target: "postgresql"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := script.Check(t.Context(), target, p, all[0].Script,
			script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(out.Run.Steps, func(e *history.Event) bool {
			return e.Err != nil && (strings.HasPrefix(e.Err.Message, "could not serialize access") ||
				strings.HasPrefix(e.Err.Message, "duplicate key"))
		}) {
			t.Errorf("%s: no write is refused", name)
		}
		if !out.Fits || !slices.Equal(out.Order, x.order) {
			t.Errorf("%s: order %v of %d, fits %v: %v", name, out.Order, len(out.Units), out.Fits, out.Differences)
		}
	}
}

// TestPrepared: a transaction that is prepared ends where anybody ends it, and what its session does meanwhile is
// another one; one that its session ends at once is before what follows.
func TestPrepared(t *testing.T) {
	const tables = "create table t (id int primary key, a int);\ninsert into t values (1, 10), (2, 20);\n" +
		"A> begin;\nA> update t set a = 11 where id = 1;\nA> prepare transaction 'p';\n"
	const readA, readB = "A> select a from t where id = 1;\n", "B> select a from t where id = 1;\n"
	server := servers.Launched("a PostgreSQL server", postgresql.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("postgresql", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	for text, order := range map[string][]int{
		readB + "B> commit prepared 'p';\n" + readB + readA:      {1, 0, 2, 3},
		readA + "B> commit prepared 'p';\n" + readA:              {1, 0, 2},
		readA + "B> rollback prepared 'p';\n" + readA:            {0, 1, 2},
		readA + "B> update t set a = 21 where id = 2;\n" + readA: {0, 1, 2, 3},
		"A> commit prepared 'p';\n" + readA + readB:              {0, 1, 2},
	} {
		all, err := importer.ReadScripts("text", []byte(tables+text), importer.Options{Target: "postgresql"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := script.Check(t.Context(), target, p, all[0].Script,
			script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if !out.Fits || out.Early || !slices.Equal(out.Order, order) {
			t.Errorf("%s: order %v of %d units, fits %v, early %v: %v", text, out.Order, len(out.Units), out.Fits, out.Early,
				out.Differences)
		}
	}
}

// TestWaitedOut: where the text sets how long a session waits, and has it go on before the others do, it waits for that
// long. Where another session comes next, that may be what lets it go on, and where the text sets nothing it is too.
func TestWaitedOut(t *testing.T) {
	const tables = "create table t (id int primary key, a int);\ninsert into t values (1, 10), (2, 20);\n"
	const limit = "B> set session innodb_lock_wait_timeout = 1;\n"
	const global = "set global innodb_lock_wait_timeout = 1;\n"
	const waits = "A> begin;\nA> update t set a = 11 where id = 1;\nB> begin;\nB> update t set a = 12 where id = 1;\n"
	server := servers.Launched("a MariaDB server", mariadb.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	for text, refused := range map[string]bool{
		limit + waits + "B> select 1;\nB> commit;\nA> commit;\n":  true,
		limit + waits + "A> commit;\nB> select 1;\nB> commit;\n":  false,
		waits + "B> select 1;\nB> commit;\nA> commit;\n":          false,
		global + waits + "B> select 1;\nB> commit;\nA> commit;\n": true,
	} {
		all, err := importer.ReadScripts("text", []byte(tables+text), importer.Options{Target: "mariadb"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := script.Check(t.Context(), target, p, all[0].Script,
			script.Options{Patience: exec.Patience{Statement: 15 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(out.Run.Steps, func(e *history.Event) bool { return strings.Contains(e.Text, "a = 12") })
		if e := out.Run.Steps[at]; !e.Blocked || (e.Err != nil) != refused || !out.Fits {
			t.Errorf("%s: waited %v, %v; fits %v", text, e.Blocked, e.Err, out.Fits)
		}
	}
}

// TestRefused: what would change the transactions of a session does not where the database refuses it.
func TestRefused(t *testing.T) {
	out := check(t, "create table t (a integer primary key);\nA> set autocommit = 0;\nA> select * from t;\n"+
		"B> insert into t values (1);\nA> select * from t;\n")
	if !out.Fits || len(out.Order) != 3 || len(out.Disagree) > 0 {
		t.Errorf("order %v, fits %v, disagree %v: %v", out.Order, out.Fits, out.Disagree, out.Differences)
	}
}

// TestSeenBefore: a table that is emptied beside an older snapshot is empty there, too, as it is documented: no level
// promises a serial order of that. Emptied while nobody else is open it is in its place.
func TestSeenBefore(t *testing.T) {
	const tables = "create table t (a int);\ncreate table u (a int);\ninsert into t values (1);\ninsert into u values (1);\n"
	server := servers.Launched("a PostgreSQL server", postgresql.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("postgresql", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	for text, line := range map[string]int{
		"A> begin;\nA> select * from u;\nB> begin;\nB> update u set a = 2;\nB> truncate t;\nB> commit;\n" +
			"A> select * from t;\nA> commit;\n": 9,
		"B> truncate t;\nA> begin;\nA> select * from u;\nA> select * from t;\nA> commit;\n": 0,
		"A> begin;\nA> select * from u;\nB> truncate t;\nA> select * from u;\nA> commit;\n": 0, // nobody else has to do with it
	} {
		all, err := importer.ReadScripts("text", []byte(tables+text), importer.Options{Target: "postgresql"}, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := script.Check(t.Context(), target, p, all[0].Script,
			script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if out.SeenBefore != line || out.Fits != (line == 0) {
			t.Errorf("%s: line %d, fits %v", text, out.SeenBefore, out.Fits)
		}
	}
}

// TestSleepsInOrder: a statement that sleeps is silent, and no other one is sent meanwhile where they come one after
// the other, nor where they have no transactions.
func TestSleepsInOrder(t *testing.T) {
	server := servers.Launched("a MariaDB server", mariadb.Server)
	defer server.Close()
	target := server.Target(t)
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	const text = "create table t (id int primary key, a int);\ninsert into t values (1, 10);\nA> begin;\n" +
		"A> update t set a = a + 1 where id = 1;\nB> update t set a = a + 1 where id = 1;\n" +
		"A> select sleep(1), a from t;\nA> commit;\n"
	all, err := importer.ReadScripts("text", []byte(text), importer.Options{Target: "mariadb"}, true)
	if err != nil {
		t.Fatal(err)
	}
	out, err := script.Check(t.Context(), target, p, all[0].Script,
		script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if !out.Fits || len(out.Unlike) > 0 || out.Alone == nil || len(out.Apart) > 0 {
		t.Errorf("fits %v, unlike %v, apart %v", out.Fits, out.Unlike, out.Apart)
	}
}
