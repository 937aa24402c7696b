package script_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/testcase/importer"
	"txweave/weave/script"
)

// check runs a text on the embedded engine.
func check(t *testing.T, text string) *script.Showing {
	t.Helper()
	all, err := importer.ReadScripts("text", []byte(text), importer.Options{Target: "sqlite"}, true)
	if err != nil {
		t.Fatal(err)
	}
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	out, err := script.Check(t.Context(), target, p, all[0].Script,
		script.Options{Patience: exec.Patience{Statement: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOrders: a serial order that gives the answers is found, a writer that waits goes on, and comes after the one it
// waited for.
func TestOrders(t *testing.T) {
	const tables = "create table t (id int primary key, a int);\ninsert into t values (1, 10), (2, 20);\n"
	for _, c := range []struct {
		name, text string
		order      []int
		tried      int
	}{
		{"one after the other",
			tables + "T1> begin;\nT1> update t set a = 11 where id = 1;\nT1> commit;\nT2> begin;\nT2> select a from t where " +
				"id = 1;\nT2> commit;\n", []int{0, 1}, 1},
		{"a reader keeps its snapshot",
			tables + "T1> begin;\nT1> select a from t where id = 1;\nT2> begin;\nT2> update t set a = 11;\nT2> commit;\nT1> " +
				"select a from t where id = 2;\nT1> commit;\n",
			[]int{0, 1}, 1},
		{"the second one first",
			tables + "T1> begin;\nT1> select 1;\nT2> begin;\nT2> update t set a = 11;\nT2> commit;\nT1> select a from t;\nT1> " +
				"commit;\n", []int{1, 0}, 2},
		{"a writer waits",
			tables + "T1> begin immediate;\nT1> update t set a = 11;\nT2> begin immediate;\nT1> commit;\nT2> update t set a = " +
				"a + 1;\nT2> commit;\n", []int{0, 1}, 1},
	} {
		out := check(t, c.text)
		if !out.Fits || out.Early || !slices.Equal(out.Order, c.order) || out.Tried != c.tried || len(out.Differences)+
			len(out.Unlike)+len(out.Impossible) > 0 {
			t.Errorf("%s: order %v of %d tried, fits %v, early %v: %v %v", c.name, out.Order, out.Tried, out.Fits, out.Early,
				out.Differences, out.Unlike)
		}
	}
}

// TestLost: a transaction that the database has given up, and that stays open until its COMMIT, takes part in no serial
// order, and so does its COMMIT; what it was given up for does.
func TestLost(t *testing.T) {
	const text = "create table t (a integer primary key, b int);\ninsert into t values (1, 10), (2, 20);\nT1> begin;\nT1> select b from t where a = 1;\n" +
		"T2> update t set b = 20 where a = 1;\nT1> update t set b = b + 1;\nT1> commit;\nT1> select b from t where a = 1;\n"
	out := check(t, text)
	if lost := out.Run.Steps[3]; lost.Err == nil || lost.Err.Code != 517 {
		t.Fatalf("it is not given up: %+v", lost.Answer)
	}
	if !out.Fits || len(out.Order) != 2 || len(out.Differences)+len(out.Impossible) > 0 {
		t.Errorf("fits %v, order %v: %v", out.Fits, out.Order, out.Differences)
	}
	for i := range out.Units {
		if u := &out.Units[i]; u.Aborted != (i == 0) || u.Aborted && (!u.Ends || len(u.Steps) != 4) {
			t.Errorf("transaction %d: %+v", i, u)
		}
	}
}

// TestWaits: what waits is marked so, answers once the other one has ended, and what its session was to do next comes
// after it.
func TestWaits(t *testing.T) {
	out := check(t,
		"create table t (a int);\ninsert into t values (1);\nT1> begin;\nT1> update t set a = 2;\nT2> update t set a = a + "+
			"10; -- waits\nT2> select a from t;\nT1> commit;\n")
	waited, after, commit := out.Run.Steps[2], out.Run.Steps[3], out.Run.Steps[4]
	if !waited.Blocked || waited.Err != nil || waited.Done < commit.Done || after.Op < waited.Op ||
		after.Rows.Row(0)[0].N != 12 {
		t.Errorf("waited %+v, then %+v", waited, after)
	}
	if all := out.Printed(); len(all) != 1 || !all[0].Same {
		t.Errorf("printed: %+v", all)
	}
}

// TestPrinted: printed rows, counts and errors are compared with those of the run, rows in any order.
func TestPrinted(t *testing.T) {
	out := check(t,
		"create table t (a int primary key);\ninsert into t values (1), (2);\nmysql> select a from t order by a desc;\n| a "+
			"|\n| 1 |\n| 2 |\n2 rows in set\n"+
			"mysql> update t set a = 7 where a = 1;\nQuery OK, 2 rows affected\nmysql> insert into t values (2);\nERROR 1062 "+
			"(23000)\n")
	var same []bool
	for _, c := range out.Printed() {
		same = append(same, c.Same)
	}
	if !slices.Equal(same, []bool{true, false, false}) {
		t.Errorf("%+v", out.Printed())
	}
}

// TestMissing: a table that no statement makes is named; one that is dropped is not.
func TestMissing(t *testing.T) {
	out := check(t, "create table t (a int);\nT1> select * from u;\nT1> drop table t;\nT1> select * from t;\n")
	var missing []string
	for _, e := range out.Run.Steps {
		if e.Err != nil {
			missing = append(missing, out.Missing(e.Err))
		}
	}
	if !slices.Equal(missing, []string{"u", ""}) || len(out.Impossible) > 0 {
		t.Errorf("missing %q, impossible %v", missing, out.Impossible)
	}
	for message, want := range map[string]bool{"Table 'txweave.t' doesn't exist": true, "no such table: t": true,
		`relation "t" does not exist`: true, "database disk image is malformed": false} {
		if script.Lacks(message) != want {
			t.Errorf("%s: want %v", message, want)
		}
	}
	if !script.NotUnderstood(`near "FOR": syntax error`) || script.NotUnderstood("duplicate key") {
		t.Error("what is not understood")
	}
}

// TestLevels: the levels that a script's transactions run at are those that it sets.
func TestLevels(t *testing.T) {
	s := &testcase.Script{Target: "mariadb", Sessions: []string{"a", "b"}, Steps: []testcase.ScriptStmt{
		{Session: 0, SQL: "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"}, {Session: 0, SQL: "BEGIN"},
		{Session: 1, SQL: "BEGIN"}}}
	if got := s.Levels(); len(got) != 3 || got[1] != "read-committed" || got[2] != "" {
		t.Errorf("%q", got)
	}
}

// TestLevelOnce: SET TRANSACTION is for the next transaction alone, whatever that does; what opens no table is none.
// Asked of MariaDB 10.11 and MySQL 9.7 by information_schema.innodb_trx.
func TestLevelOnce(t *testing.T) {
	for between, want := range map[string]string{
		"": "serializable", "BEGIN;COMMIT": "", "BEGIN;ROLLBACK": "", "COMMIT": "", "ROLLBACK": "",
		"START TRANSACTION READ ONLY;COMMIT": "", "XA START 'a';XA END 'a';XA ROLLBACK 'a'": "",
		"SET autocommit = 0": "serializable", "SET autocommit = 0;COMMIT": "", "SET autocommit = 0;SELECT 1;COMMIT": "",
		"SET autocommit = 0;SET autocommit = 1": "serializable",
		"SELECT 1":                              "serializable", "SELECT 1;SELECT NOW()": "serializable",
		"DO 1":               "serializable",
		"SELECT 1 FROM DUAL": "serializable", "SELECT * FROM (SELECT 1 AS a) AS x": "serializable", "SELEC": "serializable",
		"SET @x = 1": "serializable", "SHOW CREATE TABLE t": "serializable", "USE d": "serializable",
		"XA RECOVER": "serializable", "SAVEPOINT a": "serializable", "UNLOCK TABLES": "serializable",
		"LOCK TABLES t READ;UNLOCK TABLES": "",
		"SELECT v FROM t":                  "", "SELECT v FROM t WHERE 1 = 0": "", "UPDATE t SET v = v WHERE id = 99": "",
		"SET @x = (SELECT v FROM t)": "", "EXPLAIN SELECT * FROM t": "", "CREATE TABLE u (a INT)": "",
		"ANALYZE TABLE t": "", "FLUSH TABLES": "",
	} {
		s := &testcase.Script{Target: "mariadb", Sessions: []string{"a"}}
		for _, text := range strings.Split("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;"+between+";BEGIN", ";") {
			if text != "" {
				s.Steps = append(s.Steps, testcase.ScriptStmt{SQL: text})
			}
		}
		got := s.LevelsAsked(func(int, string) string { return "" }, func(i int) bool { return s.Steps[i].SQL == "SELEC" })
		if last := got[len(got)-1]; last != want {
			t.Errorf("%s: %q, want %q", between, last, want)
		}
		if between == "SELECT 1" && got[1] != "" {
			t.Errorf("a query of no table runs at %s", got[1])
		}
	}
}

// TestLevelOnceShown: what SHOW and DESCRIBE tell of tables MySQL reads of tables, and MariaDB does not. Asked of
// MariaDB 10.11 and MySQL 9.7.
func TestLevelOnceShown(t *testing.T) {
	for text, uses := range map[string]bool{"SHOW TABLES": true, "SHOW FULL COLUMNS FROM t": true,
		"SHOW TABLE STATUS":  true,
		"SHOW CHARACTER SET": true, "DESCRIBE t": true, "DESC t a": true, "EXPLAIN t": true, "SHOW CREATE TABLE t": false,
		"SHOW WARNINGS": false, "SHOW VARIABLES LIKE 'x'": false, "SHOW ENGINE INNODB STATUS": false,
		"SHOW OPEN TABLES": false, "SHOW PROCESSLIST": false} {
		for target, reads := range map[string]bool{"mysql": true, "mariadb": false} {
			s := &testcase.Script{Target: target, Sessions: []string{"a"}, Steps: []testcase.ScriptStmt{
				{SQL: "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"}, {SQL: text}, {SQL: "BEGIN"}}}
			if got := s.Levels()[2]; (got == "") != (uses && reads) {
				t.Errorf("%s on %s: %q", text, target, got)
			}
		}
	}
}

// TestNotHeld: why answers are not held against serial orders.
func TestNotHeld(t *testing.T) {
	const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\n"
	for text, want := range map[string]string{
		"create table t (a int);\nT1> begin;\nT1> rollback;\nT2> select 1;\n": "",
		"create table t (a int);\nT1> begin;\nT2> begin;\nT1> commit;\nT2> commit;\n": "no transaction that reads or " +
			"writes rows is committed or left open",
		"create table t (a int);\nT1> begin;\nT1> " + endless +
			"T1> commit;\nT2> begin;\nT2> select * from t;\nT2> commit;\n": "a statement did not end",
	} {
		if out := check(t, text); out.NotHeld != want {
			t.Errorf("%s: %q, want %q", text, out.NotHeld, want)
		}
	}
}

// TestAlone: the statements of an order that fits run once more without transactions; not those of autocommit, which
// have run so, and not where something was rolled back or stays open.
func TestAlone(t *testing.T) {
	const tables = "create table t (id int primary key, a int);\ninsert into t values (1, 10);\n"
	for _, c := range []struct {
		text  string
		alone bool
	}{
		{"T1> begin;\nT1> update t set a = 11;\nT1> commit;\nT2> begin;\nT2> select a from t;\nT2> commit;\n", true},
		{"T1> update t set a = 11;\nT2> select a from t;\n", false},
		{"T1> begin;\nT1> update t set a = 11;\nT1> rollback;\nT2> begin;\nT2> select a from t;\nT2> commit;\n", false},
		{"T1> begin;\nT1> update t set a = 11;\nT2> begin;\nT2> select a from t;\nT2> commit;\n", false},
		{"create table p (id int primary key);\ncreate table c (p int references p (id) deferrable initially deferred);\n" +
			"T1> begin;\nT1> insert into c values (7);\nT1> insert into p values (7);\nT1> commit;\nT2> begin;\nT2> select a " +
			"from t;\nT2> commit;\n", false},
		{"create table p (id int primary key);\ncreate table c (p int references p (id));\n" +
			"T1> begin;\nT1> insert into p values (7);\nT1> insert into c values (7);\nT1> commit;\nT2> begin;\nT2> select a " +
			"from t;\nT2> commit;\n", true},
	} {
		if out := check(t, tables+c.text); (out.Alone != nil) != c.alone || !out.Fits || len(out.Unlike) > 0 {
			t.Errorf("%s: alone %v, fits %v, unlike %v, %s", c.text, out.Alone != nil, out.Fits, out.Unlike, out.NotHeld)
		}
	}
}

// TestQuotedTable: of a table whose name needs quotes, too, the clock is not compared, and its other columns are.
func TestQuotedTable(t *testing.T) {
	const table = "create table \"order\" (id int primary key, v int, at text default (strftime('%f', 'now')));\ninsert into \"order\" (id, v) values (1, 1);\n" +
		"T1> begin;\nT1> insert into \"order\" (id, v) values (2, 2);\nT1> commit;\nT2> begin;\nT2> select v from " +
		"\"order\";\nT2> commit;\n"
	out := check(t, table)
	if !out.Fits || len(out.Apart) != 1 || out.Apart[0].Table != "order" || out.Apart[0].Column != "at" {
		t.Errorf("fits %v, apart %+v", out.Fits, out.Apart)
	}
}

// TestReturning: to count what is written beside the rows that come back is no other answer.
func TestReturning(t *testing.T) {
	out := check(t,
		"create table t (id int primary key, a int);\nT1> begin;\nT1> insert into t values (1, 1) returning id;\nT1> "+
			"commit;\n")
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	e := *out.Run.Steps[1]
	at := []testcase.Ref{{Txn: -1}, {}, {Txn: -1}}
	run := &observe.BlockRun{Target: &e, Block: &instrument.Block{}}
	watched := &observe.Observation{Stmts: []*observe.ObservedStmt{{Run: run}}}
	for affected, rows := range map[int64]*history.Rows{1: e.Rows, -1: {Columns: e.Rows.Columns}} {
		e.Affected, e.Rows = affected, rows
		if got := out.Otherwise(script.NewWatched(p, watched, at)); (len(got) > 0) != (rows.Len() == 0) {
			t.Errorf("%d affected, %d rows: %v", affected, rows.Len(), got)
		}
	}
}

// TestJudgedAsClaimed: what a run is held to it is held to at whichever level its text sets.
func TestJudgedAsClaimed(t *testing.T) {
	own, err := dbms.Lookup("postgresql", "read-committed")
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := dbms.Lookup("postgresql", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	out := &script.Showing{Levels: []string{"repeatable-read"}}
	for p, want := range map[*dbms.Profile]string{own: "repeatable-read", own.HeldTo(claimed): "serializable"} {
		if q, err := out.Judged(p); err != nil || q.Isolation != "repeatable-read" || q.Promise().Isolation != want {
			t.Errorf("%v, held to %s, want %s: %v", q.Isolation, q.Promise().Isolation, want, err)
		}
	}
}
