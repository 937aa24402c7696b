package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	mysql "txweave/dbms/mysql/dialect"
	postgresql "txweave/dbms/postgresql/dialect"
	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/sql"
	"txweave/sql/control"
)

var dialects = map[string]*sql.Dialect{
	"mysql":      mysql.New(mysql.Server{Product: "MySQL", Version: 90704}),
	"mariadb":    mysql.New(mysql.Server{Product: "MariaDB", Version: 101119}),
	"postgresql": postgresql.New(postgresql.Server{Version: 18}),
	"sqlite":     sqlite.New(3050000),
}

// TestGolden runs the commands of testdata, redefinition, savepoint, level and lasting, on each line as a statement of
// the dialect that is named, and prints those that are such.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			tree := dialects[d.CmdArgs[0].Key]
			var b strings.Builder
			for _, text := range strings.Split(d.Input, "\n") {
				s := control.Read(tree, text)
				switch d.Cmd {
				case "redefinition":
					if r, ok := s.Redefinition(); ok {
						fmt.Fprintf(&b,
							"%s: table [%s] columns +%v -%v indexes -%v through [%s] makes [%s] drops [%s] rows %v beside %s%s\n", text,
							r.Table, r.AddColumns,
							r.DropColumns, r.DropIndexes, r.Through, r.Makes, r.Drops, r.Rows, [...]string{"nobody", "readers",
								"all"}[r.Beside], map[bool]string{true: " keeps"}[r.Keeps])
					}
				case "savepoint":
					if name, ok := s.Savepoint(); ok {
						fmt.Fprintf(&b, "%s: %s %s\n", text, s.Kind, name)
					}
				case "level":
					part, on := s.LevelPart()
					if l, ok := s.Level(); ok {
						fmt.Fprintf(&b, "%s: %s for %s, alone %v\n", text, l.Name, [...]string{"one transaction", "the session",
							"the server"}[l.For], l.Alone)
					} else if part != nil {
						fmt.Fprintf(&b, "%s: %s %v\n", text, part.Level, on)
					}
				case "lasting":
					if d, says := s.Lasts(); says {
						fmt.Fprintf(&b, "%s: %v, only that %v\n", text, d, s.OnlyWaits())
					}
				default:
					t.Fatalf("unknown command %s", d.Cmd)
				}
			}
			return b.String()
		})
	})
}

// TestKinds: what a tree says a statement is, its first words say, too.
func TestKinds(t *testing.T) {
	for dialect, texts := range map[string]string{
		"mysql": `SELECT 1;VALUES ROW(1);TABLE t;WITH c AS (SELECT 1) DELETE FROM t;INSERT INTO t VALUES (1);REPLACE INTO t VALUES (1);UPDATE t SET a = 1;
DELETE t FROM t;BEGIN;START TRANSACTION READ ONLY;COMMIT AND CHAIN;ROLLBACK;ROLLBACK TO a;SAVEPOINT a;RELEASE SAVEPOINT a;SET autocommit = 0;
SET TRANSACTION READ ONLY;LOCK TABLES t READ;UNLOCK TABLES;FLUSH TABLES t;XA START 'a';XA COMMIT 'a' ONE PHASE;CREATE TABLE t (a INT);CREATE INDEX i ON t (a);
CREATE VIEW v AS SELECT 1;ALTER TABLE t FORCE;DROP TABLE t;TRUNCATE TABLE t;RENAME TABLE t TO u;ANALYZE TABLE t;KILL 1;DO 1;EXPLAIN SELECT 1`,
		"postgresql": `SELECT 1;MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE;PREPARE TRANSACTION 'a';COMMIT PREPARED 'a';ROLLBACK PREPARED 'a';
LOCK TABLE t IN SHARE MODE;REINDEX TABLE t;VACUUM t;SET work_mem = '1MB';SET CONSTRAINTS ALL DEFERRED;ALTER INDEX i RENAME TO j`,
		"sqlite": `PRAGMA wal_checkpoint;BEGIN IMMEDIATE;END;VACUUM;REINDEX t;ANALYZE;CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END`,
	} {
		for _, text := range strings.Split(texts, ";") {
			if text = strings.TrimSpace(text); strings.HasPrefix(text, "CREATE TRIGGER") {
				text += "; END"
			} else if text == "END" && dialect == "sqlite" {
				continue
			}
			s := control.Read(dialects[dialect], text)
			if s.Tree == nil {
				t.Errorf("%s: %s is not read", dialect, text)
			} else if words := control.Read(dialects[dialect], text+" %").Kind; words != s.Kind {
				t.Errorf("%s: %s is %s by its tree, %s by its words", dialect, text, s.Kind, words)
			}
		}
	}
}

// TestAdvisoryLock checks which statements lock a number, and how.
func TestAdvisoryLock(t *testing.T) {
	for text, want := range map[string]control.AdvisoryLock{
		"SELECT pg_advisory_xact_lock(7)":                    {Key: "7"},
		"select PG_ADVISORY_XACT_LOCK_SHARED ( 7 )":          {Key: "7", Shared: true},
		"SELECT pg_try_advisory_xact_lock(1, 2)":             {Key: "1,2", Try: true},
		"SELECT pg_advisory_xact_lock(007)":                  {Key: "7"},
		"SELECT pg_advisory_xact_lock(00, 010)":              {Key: "0,10"},
		"SELECT pg_try_advisory_lock_shared(3)":              {Key: "3", Try: true, Shared: true, Session: true},
		"SELECT pg_advisory_lock(3)":                         {Key: "3", Session: true},
		"SELECT pg_advisory_unlock(3)":                       {Key: "3", Session: true, Unlock: true},
		"SELECT pg_advisory_unlock_shared(1,2)":              {Key: "1,2", Session: true, Unlock: true, Shared: true},
		"SELECT pg_advisory_unlock_all()":                    {},
		"SELECT pg_try_advisory_unlock(1)":                   {},
		"SELECT pg_advisory_xact_unlock(1)":                  {},
		"SELECT pg_advisory_xact_lock(1, 2, 3)":              {},
		"SELECT pg_advisory_xact_lock(1,)":                   {},
		"SELECT pg_advisory_xact_lock(pkey) FROM t":          {},
		"SELECT pg_advisory_xact_lock('1')":                  {},
		"SELECT pg_advisory_xact_lock(1), 2":                 {},
		"SELECT pg_advisory_xact_lock(1) FROM t WHERE (1)":   {},
		"SELECT pg_advisory_xact_lock(1) LIMIT 0":            {},
		"SELECT pg_advisory_xact_lock(DISTINCT 1)":           {},
		"SELECT x.pg_advisory_xact_lock(1)":                  {},
		"SELECT pg_advisory_xact_lock(1 + 1)":                {},
		"INSERT INTO t VALUES (pg_advisory_xact_lock(1))":    {},
		"(SELECT pg_advisory_xact_lock(1))":                  {},
		"WITH c AS (SELECT 1) SELECT pg_advisory_lock(1, 2)": {},
	} {
		got, ok := control.Read(dialects["postgresql"], text).AdvisoryLock()
		if ok != (want != control.AdvisoryLock{}) || ok && got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, ok, want)
		}
	}
}

// TestTableLocks checks which statements lock tables, and what they lock.
func TestTableLocks(t *testing.T) {
	for dialect, of := range map[string]map[string]string{
		"mysql": {
			"LOCK TABLES t WRITE":                             "[{t t 8}]",
			"lock table T as A read, `u` write":               "[{t a 5} {u u 8}]",
			"LOCK TABLES t WRITE, t AS r0 READ, t AS r1 READ": "[{t t 8} {t r0 5} {t r1 5}]",
			"LOCK TABLES t READ LOCAL":                        "",
			"LOCK TABLES t LOW_PRIORITY WRITE":                "",
			"LOCK TABLES t WRITE,":                            "",
			"LOCK TABLES t WRITE, u AS t READ":                "",
			"LOCK TABLES d.t WRITE":                           "",
			"LOCK TABLES":                                     "",
			"UNLOCK TABLES":                                   "unlocks",
			"FLUSH TABLES WITH READ LOCK":                     "",
			"SELECT 1":                                        "",
		},
		"postgresql": {
			"LOCK TABLE t IN SHARE MODE":             "[{t  5}]",
			"lock T, u in row exclusive mode nowait": "[{t  3} {u  3}]",
			"LOCK TABLE t":                           "[{t  8}]",
			"LOCK TABLE t NOWAIT":                    "[{t  8}]",
			"LOCK TABLE t, t IN ACCESS SHARE MODE":   "[{t  1}]",
			"LOCK TABLE ONLY t IN SHARE MODE":        "",
			"LOCK TABLE t * IN SHARE MODE":           "",
			"LOCK TABLE s.t IN SHARE MODE":           "",
			"LOCK TABLE t, IN SHARE MODE":            "",
			"LOCK TABLE t IN SHARED MODE":            "",
			"LOCK TABLE t IN SHARE":                  "",
			"LOCK TABLE IN SHARE MODE":               "",
		},
	} {
		for text, want := range of {
			s := control.Read(dialects[dialect], text)
			got := ""
			if locks, ok := s.TableLocks(); ok {
				got = fmt.Sprint(locks)
			} else if locks, ok := s.ModeLocks(); ok {
				got = fmt.Sprint(locks)
			} else if s.Unlocks() {
				got = "unlocks"
			}
			if got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	}
}

// TestCheckPrepared: what is prepared is prepared last, and ends from outside under its name.
func TestCheckPrepared(t *testing.T) {
	for sqls, ok := range map[string]bool{
		"BEGIN; SELECT 1; COMMIT": true,
		"BEGIN; SELECT 1; PREPARE TRANSACTION 'a'; COMMIT PREPARED 'a'":                  true,
		"BEGIN; SELECT 1; prepare transaction 'a'; rollback prepared 'a'":                true,
		"BEGIN; SELECT 1; PREPARE TRANSACTION 'a'; COMMIT":                               false,
		"BEGIN; SELECT 1; PREPARE TRANSACTION 'a'; COMMIT PREPARED 'b'":                  false,
		"BEGIN; SELECT 1; COMMIT PREPARED 'a'":                                           false,
		"BEGIN; PREPARE TRANSACTION 'a'; SELECT 1; COMMIT PREPARED 'a'":                  false,
		"BEGIN; PREPARE TRANSACTION 'a'; PREPARE TRANSACTION 'a'; COMMIT PREPARED 'a'":   false,
		"BEGIN; PREPARE TRANSACTION 'b'; PREPARE TRANSACTION 'a'; ROLLBACK PREPARED 'a'": false,
		"XA START 'a'; SELECT 1; XA END 'a'; XA PREPARE 'a'; XA COMMIT 'a'":              true,
		"BEGIN; PREPARE TRANSACTION 'a'; ROLLBACK TO PREPARED":                           false,
	} {
		dialect := dialects["postgresql"]
		if strings.HasPrefix(sqls, "XA") {
			dialect = dialects["mysql"]
		}
		var stmts []control.Statement
		for _, text := range strings.Split(sqls, "; ") {
			stmts = append(stmts, control.Read(dialect, text))
		}
		if err := control.CheckPrepared(stmts); (err == nil) != ok {
			t.Errorf("%s: %v", sqls, err)
		}
	}
}

// TestDisconnects: a session is ended by a whole statement, and by nothing that looks like it.
func TestDisconnects(t *testing.T) {
	for text, of := range map[string]string{
		"KILL CONNECTION_ID()":                                               "mysql",
		"kill connection_id ( )":                                             "mysql",
		"KILL QUERY CONNECTION_ID()":                                         "",
		"KILL 7":                                                             "",
		"KILL CONNECTION_ID() + 1":                                           "",
		"SELECT pg_terminate_backend(pg_backend_pid())":                      "postgresql",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity":             "",
		"SELECT pg_terminate_backend(pg_backend_pid()) FROM t":               "",
		"SELECT pg_terminate_backend(pg_backend_pid(), 1)":                   "",
		`SELECT "pg_terminate_backend"(pg_backend_pid())`:                    "postgresql",
		`SELECT "PG_TERMINATE_BACKEND"(pg_backend_pid())`:                    "",
		"SELECT 1, pg_terminate_backend(pg_backend_pid())":                   "",
		"SELECT s.pg_terminate_backend(pg_backend_pid())":                    "",
		"WITH c AS (SELECT 1) SELECT pg_terminate_backend(pg_backend_pid())": "",
	} {
		for name, dialect := range dialects {
			if got := control.Read(dialect, text).Disconnects(); got != (of == name || of == "mysql" && name == "mariadb") {
				t.Errorf("%s: %s: %v", name, text, got)
			}
		}
	}
}

// TestFrames: which statements open and end transactions, and how.
func TestFrames(t *testing.T) {
	read := func(text string) control.Statement { return control.Read(dialects["mariadb"], text) }
	for text, want := range map[string]control.Frame{
		"BEGIN": control.Begun, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY": control.Begun,
		"SET autocommit = 0": control.Switched, "set AUTOCOMMIT=0": control.Switched,
		"XA START 'a'": control.Prepared, "XA START 'a', 'b'": control.NoFrame, "XA BEGIN 'a'": control.Prepared,
		"SET autocommit = 1":         control.NoFrame,
		"SET SESSION autocommit = 0": control.NoFrame, "SET autocommit = OFF": control.NoFrame, "SELECT 1": control.NoFrame,
	} {
		if got := read(text).Opens(); got != want {
			t.Errorf("%s opens %d, want %d", text, got, want)
		}
	}
	for text, frames := range map[string][]control.Frame{
		"COMMIT": {control.Begun, control.Switched}, "ROLLBACK AND CHAIN": {control.Begun, control.Switched},
		"ROLLBACK TO a": nil, "SET autocommit = 1": {control.Switched},
		"UNLOCK TABLES": {control.Switched}, "XA COMMIT 'a'": {control.Prepared}, "XA COMMIT 'a' ONE PHASE": {
			control.Prepared}, "XA ROLLBACK 'a'": {control.Prepared},
		"XA END 'a'": nil, "ALTER TABLE t FORCE": {control.Begun, control.Switched}, "KILL CONNECTION_ID()": {control.Begun,
			control.Switched}, "SELECT 1": nil,
	} {
		s := read(text)
		for _, f := range []control.Frame{control.Begun, control.Switched, control.Prepared} {
			want := false
			for _, w := range frames {
				want = want || w == f
			}
			if s.Ends(f) != want {
				t.Errorf("%s ends a transaction of frame %d: %v", text, f, !want)
			}
		}
	}
	if s := read("COMMIT AND CHAIN"); !s.Chains() || s.Unchained() != "COMMIT" || read("COMMIT").Chains() ||
		read("ROLLBACK AND NO CHAIN").Chains() {
		t.Errorf("COMMIT AND CHAIN is not told: %q", s.Unchained())
	}
	if a, b := read("START TRANSACTION READ ONLY"), read("BEGIN"); control.Continues(a, b) || !control.Continues(b, b) ||
		control.Continues(b, read("START TRANSACTION WITH CONSISTENT SNAPSHOT")) {
		t.Error("what comes of AND CHAIN is not told")
	}
}

// TestTables: which tables a statement names, and which one it writes or defines.
func TestTables(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM T AS r0 JOIN u r1 ON r0.a = r1.a WHERE r0.a IN (SELECT b FROM v)": " t u v",
		"WITH c AS (SELECT a FROM t) SELECT a FROM c AS x, c, d.c":                       " t c",
		"SELECT a FROM t AS r0 JOIN t AS r1 ON 1 FOR SHARE OF r0, r1":                    " t",
		"UPDATE t AS r0 JOIN u AS r1 ON 1 SET r1.a = (SELECT MAX(a) FROM v)":             "t t u v",
		"DELETE r1 FROM t AS r0 JOIN u AS r1 ON 1":                                       "u t u",
		"DELETE FROM t USING t JOIN u ON 1":                                              "t t u",
		"DELETE FROM t WHERE a = 1":                                                      "t t",
		"INSERT INTO t (a) SELECT r0.a FROM u AS r0 ON DUPLICATE KEY UPDATE a = 1":       "t t u",
		"CREATE TABLE `T 1` (a INT)":                                                     "t 1",
		"CREATE INDEX i ON t (a)":                                                        "t",
		"CREATE VIEW v AS SELECT a FROM t":                                               "v t",
		"ALTER TABLE t FORCE":                                                            "t",
		"COMMIT":                                                                         "",
		"nothing that is read":                                                           "",
	} {
		s := control.Read(dialects["mysql"], text)
		if got := strings.TrimRight(s.Target()+" "+strings.Join(s.Tables(), " "), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if s := control.Read(dialects["mysql"], "CREATE TABLE `T 1` (a INT)"); s.Written() != "`T 1`" ||
		s.Creates() != "table" {
		t.Errorf("%q, %q", s.Written(), s.Creates())
	}
}
