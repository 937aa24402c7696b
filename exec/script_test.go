package exec

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// play runs statements of sessions, "0 SELECT 1" for session 0, on the embedded engine.
func play(t *testing.T, patience Patience, setup []string, steps ...string) *Played {
	t.Helper()
	return playOn(t, "sqlite", "sqlite/serializable", patience, setup, steps...)
}

// playOn runs them on a DBMS.
func playOn(t *testing.T, dbms, profile string, patience Patience, setup []string, steps ...string) *Played {
	t.Helper()
	p := Play{Setup: setup, Tables: Names(setup)}
	for _, s := range steps {
		m := Move{Session: int(s[0] - '0'), SQL: s[2:]}
		if idle, rest, ok := strings.Cut(m.SQL, " idle: "); ok {
			m.Idle, m.SQL = []int{int(idle[0] - '0')}, rest
		}
		p.Sessions = max(p.Sessions, m.Session+1)
		p.Steps = append(p.Steps, m)
	}
	db := target(t, dbms) // which the tests of this package share
	defer func() {
		if err := db.Empty(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	out, err := RunScript(t.Context(), db, lookup(t, profile), p, patience)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var oneRow = []string{"CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)"}

// TestScriptOwed: what a session that waits was to do next is sent once it has gone on, in its order, before anything
// that comes later to others sees it.
func TestScriptOwed(t *testing.T) {
	out := play(t, Patience{}, oneRow, "0 BEGIN IMMEDIATE", "1 BEGIN IMMEDIATE", "1 UPDATE t SET a = a + 10", "1 COMMIT",
		"0 UPDATE t SET a = 5", "0 COMMIT", "2 SELECT a FROM t")
	var order []int
	for i := range out.Steps {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return out.Steps[a].Done - out.Steps[b].Done })
	if !slices.Equal(order, []int{0, 4, 5, 1, 2, 3, 6}) || !out.Steps[1].Blocked || out.Steps[2].Blocked {
		t.Errorf("answered in the order %v", order)
	}
	if got := out.Steps[6].Rows.Row(0)[0].N; got != 15 || out.Final[0].Rows.Row(0)[0].N != 15 {
		t.Errorf("%d in the end", got)
	}
}

// TestScriptOwedBehindOthers: a COMMIT that a session owes lets another session go on; what the first one owes then is
// sent when that one has answered, and not while it writes.
func TestScriptOwedBehindOthers(t *testing.T) {
	setup := []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "INSERT INTO t VALUES (1, 1), (2, 2)"}
	out := playOn(t, "mariadb", "mariadb/repeatable-read", Patience{Window: 5 * time.Second}, setup, "0 BEGIN",
		"0 UPDATE t SET b = 10 WHERE a = 1", "2 BEGIN", "2 UPDATE t SET b = 20 WHERE a = 2",
		"1 UPDATE t SET b = b + 100 + SLEEP(0.2) WHERE a = 1", "0 UPDATE t SET b = 30 WHERE a = 2", "0 COMMIT",
		"0 SELECT b FROM t WHERE a = 1", "2 COMMIT")
	if !out.Steps[4].Blocked || !out.Steps[5].Blocked {
		t.Fatalf("%+v\n%+v", out.Steps[4], out.Steps[5])
	}
	if out.Steps[7].Op < out.Steps[4].Done || out.Steps[7].Rows.Row(0)[0].N != 110 {
		t.Errorf("%+v, which stands behind %+v", out.Steps[7], out.Steps[4])
	}
}

// TestScriptIdle: a step that stands behind another session's answer waits for it. Where nobody lets that one go on, it
// is answered that it was refused.
func TestScriptIdle(t *testing.T) {
	out := play(t, Patience{}, oneRow, "0 BEGIN IMMEDIATE", "1 DELETE FROM t", "0 COMMIT",
		"2 1 idle: SELECT count(*) FROM t")
	if out.Steps[3].Rows.Row(0)[0].N != 0 || out.Steps[3].Op < out.Steps[1].Done {
		t.Errorf("%+v", out.Steps[3])
	}
	out = play(t, Patience{}, oneRow, "0 BEGIN IMMEDIATE", "1 DELETE FROM t",
		"2 1 idle: SELECT count(*) FROM t", "0 COMMIT")
	if out.Steps[2].Rows.Row(0)[0].N != 1 || out.Steps[1].Err == nil || out.Steps[1].Blocked {
		t.Errorf("%+v, then %+v", out.Steps[2], out.Steps[1])
	}
}

// TestScriptKilled: a statement that does not end is ended; its session goes on, and so do the others meanwhile.
func TestScriptKilled(t *testing.T) {
	out := play(t, Patience{Statement: 2 * time.Second, Window: 20 * time.Millisecond}, oneRow,
		"0 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "1 SELECT a FROM t",
		"0 SELECT a + 1 FROM t")
	if !slices.Equal(out.Killed, []int{0}) || out.Steps[0].Err == nil || out.Down != nil || len(out.Lost) > 0 {
		t.Fatalf("ended %v, lost %v, down %v: %+v", out.Killed, out.Lost, out.Down, out.Steps[0])
	}
	if out.Steps[1].Done > out.Steps[0].Done || out.Steps[2].Rows.Row(0)[0].N != 2 {
		t.Errorf("%+v, %+v", out.Steps[1], out.Steps[2])
	}
}

// TestScriptRefused: where all are refused because of each other's locks, that is the answer of the first one, and the
// other goes on.
func TestScriptRefused(t *testing.T) {
	out := play(t, Patience{}, oneRow, "0 BEGIN", "1 BEGIN", "0 SELECT a FROM t", "1 SELECT a FROM t",
		"0 UPDATE t SET a = 2", "1 UPDATE t SET a = 3", "0 COMMIT", "1 COMMIT")
	if out.Steps[5].Err == nil || out.Steps[4].Err != nil || len(out.Killed)+len(out.Lost) > 0 ||
		out.Final[0].Rows.Row(0)[0].N != 2 {
		t.Errorf("%+v\n%+v\n%+v", out.Steps[4], out.Steps[5], out.Final[0].Rows)
	}
}

// TestScriptEnds: what a session leaves open is rolled back, a table that is gone is not read, an error of the set-up
// is its answer.
func TestScriptEnds(t *testing.T) {
	setup := append(slices.Clone(oneRow), "CREATE TABLE gone (b INTEGER)", "INSERT INTO nowhere VALUES (1)")
	out := play(t, Patience{}, setup, "0 DROP TABLE gone", "0 BEGIN", "0 DELETE FROM t")
	if len(out.Final) != 1 || out.Final[0].Rows.Len() != 1 || out.Setup[3].Err == nil || out.Setup[2].Err != nil {
		t.Errorf("%+v", out)
	}
	if out.Steps[0].Affected != -1 || out.Steps[2].Affected != 1 {
		t.Errorf("affected %d and %d", out.Steps[0].Affected, out.Steps[2].Affected)
	}
}

// TestScriptPrepared: what a script leaves prepared is rolled back behind it, so that its tables can go.
func TestScriptPrepared(t *testing.T) {
	db, p := target(t, "mariadb"), lookup(t, "mariadb/repeatable-read")
	var steps []Move
	for _, sql := range []string{"XA START 'left', 'over'", "INSERT INTO t VALUES (1)", "XA END 'left', 'over'",
		"XA PREPARE 'left', 'over'"} {
		steps = append(steps, Move{SQL: sql})
	}
	setup := []string{"CREATE TABLE t (a INT)"}
	for range 2 {
		out, err := RunScript(t.Context(), db, p, Play{Setup: setup, Tables: Names(setup), Steps: steps,
			Sessions: 1}, Patience{})
		if err != nil || out.Steps[3].Err != nil || out.Final[0].Rows.Len() != 0 {
			t.Fatalf("%+v: %v", out, err)
		}
	}
	session, err := db.Open(t.Context(), FirstNode, p)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if a, err := session.Query(t.Context(), "XA RECOVER"); err != nil || a.Rows.Len() != 0 {
		t.Errorf("%+v: %v", a, err)
	}
	if err := db.Empty(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestNames: the tables that statements make, each once and as it is written; temporary ones and views are none.
func TestNames(t *testing.T) {
	got := Names([]string{"CREATE TABLE `a b` (x INT)", "create table T (a int)", "CREATE TABLE IF NOT EXISTS t (a int)",
		"CREATE TEMPORARY TABLE u (a int)", "CREATE VIEW v AS SELECT 1",
		"CREATE INDEX i ON t (a)", "INSERT INTO w VALUES (1)"})
	if !slices.Equal(got, []string{"`a b`", "T"}) {
		t.Errorf("%q", got)
	}
}

// TestReturnsRows says which statements are asked for rows.
func TestReturnsRows(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT 1": true, "(SELECT 1)": true, "WITH c AS (SELECT 1) SELECT * FROM c": true, "INSERT INTO t VALUES (1)": false,
		"INSERT INTO t VALUES (1) RETURNING a": true,
		"DELETE FROM t":                        false, "UPDATE t SET a = 'returning'": false, "SHOW TABLES": true,
		"XA RECOVER":   true,
		"XA START 'x'": false, "BEGIN": false, "PRAGMA table_info(t)": true,
		"SET @a = 1": false, "CREATE TABLE t (a INT)": false,
	} {
		if got := returnsRows(sql); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}
