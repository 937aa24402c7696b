package instrument

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/testcase"
)

// TestProbesTakeNoLockOfTheirOwn: no probe takes a lock that its target statement would not take, or the probes
// serialise the very interleavings under test. A read over an observer takes none: it is a consistent read in
// autocommit. A plain read in the transaction takes none where plain SELECTs read a snapshot.
func TestProbesTakeNoLockOfTheirOwn(t *testing.T) {
	targets := []string{
		"SELECT pkey, vkey FROM t WHERE c0 IN (SELECT v FROM s)",
		"SELECT pkey, vkey FROM t WHERE c0 = 1 FOR UPDATE",
		"SELECT pkey, vkey FROM t WHERE c0 = 1 LOCK IN SHARE MODE",
		"UPDATE t SET pvkey = vkey, vkey = 100 WHERE c0 IN (SELECT v FROM s)",
		"UPDATE t SET pvkey = vkey, vkey = 101 WHERE c0 IN (SELECT v FROM s UNION SELECT 1)",
		"DELETE FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.v = t.c0)",
		"INSERT INTO t (pkey, vkey, c0) SELECT pkey + 100, 102, v FROM s",
		"INSERT INTO u (pkey, vkey, c0) VALUES (7, 103, 7)",
		"REPLACE INTO u (pkey, vkey, c0) VALUES (8, 104, 7)",
	}
	for _, name := range []string{"sqlite/serializable", "mariadb/repeatable-read", "mariadb/read-committed",
		"mariadb/serializable",
		"mariadb/snapshot", "mysql/repeatable-read", "mysql/read-committed", "mysql/serializable",
		"tidb/repeatable-read", "tidb/read-committed", "tidb/optimistic"} {
		name, level, _ := strings.Cut(name, "/")
		p, err := dbms.Lookup(name, level)
		if err != nil {
			t.Fatal(err)
		}
		c := &testcase.Case{Schema: lines(defaultSchema), Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"},
			End: testcase.Stmt{SQL: "COMMIT"}}}}
		for _, sql := range targets {
			if p.DBMS == "sqlite" && (strings.Contains(sql, "FOR UPDATE") || strings.Contains(sql, "SHARE MODE")) {
				continue
			}
			if p.DBMS == "tidb" && (strings.Contains(sql, "SHARE MODE") || p.ReadModes.MixedSubqueries && strings.HasPrefix(sql,
				"REPLACE")) {
				continue
			}
			c.Txns[0].Stmts = append(c.Txns[0].Stmts, testcase.Stmt{SQL: sql})
		}
		plan, err := Instrument(c, p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, b := range plan.Txns[0].Blocks {
			for _, probe := range probes(b) {
				checkProbe(t, name, p, b, probe)
			}
		}
	}
}

func checkProbe(t *testing.T, name string, p *dbms.Profile, b *Block, probe Probe) {
	exclusive, shared := strings.Contains(probe.SQL, "FOR UPDATE"), strings.Contains(probe.SQL, "LOCK IN SHARE MODE")
	switch {
	case probe.Role != history.BWR && (exclusive || shared):
		t.Errorf("%s: %s for %s locks: %s", name, probe.Role, b.SQL, probe.SQL)
	case probe.Conn != Own && p.ReadModes.Observer == dbms.NoObserver:
		t.Errorf("%s: %s for %s over an observer that does not exist", name, probe.Role, b.SQL)
	case probe.Conn != Own:
	case probe.Role == history.BWR && strings.HasPrefix(b.SQL, "SELECT"):
		t.Errorf("%s: a SELECT has a before-write read: %s", name, b.SQL)
	case probe.Role == history.BWR &&
		exclusive != (p.ReadModes.Before == dbms.LockingBeforeRead || p.ReadModes.Before == dbms.LockingDeleteRead):
		t.Errorf("%s: before-write read of %s: %s", name, b.SQL, probe.SQL)
	case probe.Role == history.BWR && strings.Count(probe.SQL, "LOCK IN SHARE MODE") > strings.Count(b.SQL, "SELECT"):
		t.Errorf("%s: more shared locks than query blocks: %s", name, probe.SQL)
	case p.ReadModes.Observer != dbms.DirtyObserver: // reads take no locks, and nobody else sees what is not committed
	case !exclusive && p.ReadModes.SelectView == dbms.Current:
		t.Errorf("%s: %s for %s: a plain read in the transaction takes shared locks here: %s", name, probe.Role,
			b.SQL, probe.SQL)
	case probe.Role == history.VSR && b.View == dbms.Current:
		t.Errorf("%s: %s for %s reads another view than its target: %s", name, probe.Role, b.SQL, probe.SQL)
	case probe.Role == history.AWR && p.ReadModes.Observer != dbms.NoObserver:
		t.Errorf("%s: the after-write read of %s takes a snapshot in the transaction", name, b.SQL)
	}
}
