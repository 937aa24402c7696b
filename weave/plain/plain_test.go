package plain_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms/mariadb"
	_ "txweave/dbms/registry"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/said"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
	"txweave/weave/plain"
)

// make makes the plain form of a case at a level, for a finding that names statements.
func makePlain(t *testing.T, target exec.Target, level, claim, text string, f *finding.Finding) *finding.Plain {
	t.Helper()
	p := servers.Level(t, target.Describe().Target+"/"+level, claim)
	c, err := testcase.Parse("case.txw", []byte("txweave case 1\ntarget: "+p.DBMS+"\nisolation: "+level+"\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	r := servers.Runner(t, target, p)
	out, err := plain.Make(r, c, p, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const skew = `
-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 2;
COMMIT;

-- T1 --
BEGIN;
SELECT pkey, vkey FROM t0;
UPDATE t0 SET pvkey = vkey, vkey = 3;
COMMIT;

-- schedule --
T1 T1 T0 T0 T0 T1 T1
`

// both has two UPDATEs of every row, of which the second one waits.
const both = `
-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 2;
COMMIT;

-- T1 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 3;
COMMIT;

-- schedule --
T0 T0 T1 T1 T0 T1
`

// uncommitted has a query between a change and its commit.
const uncommitted = `
-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- T0 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 2, 0);
COMMIT;

-- T1 --
BEGIN;
SELECT 'a' FROM t0;
COMMIT;

-- schedule --
T0 T0 T1 T1 T1 T0
`

// again has a query before and after another transaction, and one of a part of it.
const again = `
-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- T0 --
BEGIN;
SELECT 'a' FROM t0;
SELECT 1 FROM t0;
COMMIT;

-- T1 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 2, 0);
COMMIT;

-- schedule --
T0 T0 T1 T1 T1 T0 T0
`

// TestAllowed: at REPEATABLE READ a query that keeps its snapshot and a write after it that does not are of no order of
// the transactions, and right. That is no plain form of any finding there; of one that holds the server to SERIALIZABLE
// it is.
func TestAllowed(t *testing.T) {
	server := servers.Launched("a MariaDB server", mariadb.Server)
	defer server.Close()
	target := server.Target(t)
	for _, f := range []finding.Finding{
		{Class: finding.ClassInconsistent, Differences: []finding.Difference{{Stmt: "T1.S1", Kind: "UPDATE",
			What: "matched-versus-written"}}},
		{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S1", What: "stale-read"}}},
		{Class: finding.ClassIsolation, Differences: []finding.Difference{
			{What: "G1a", Steps: said.Steps("T0.S0 wrote (t0, 1, 2); T1.S1 read it; T0 was rolled back")}}},
		{Class: finding.ClassMechanism, Differences: []finding.Difference{{What: "lock-conflict",
			Steps: said.Steps("T0 and T1")}}},
	} {
		if out := makePlain(t, target, "repeatable-read", "", skew, &f); out != nil {
			t.Errorf("%s: what the level allows is taken for it:\n%s", f.Class, out.Case)
		}
	}
	waited := &finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T1.S0", Kind: "UPDATE", What: "passed-over-after-wait"}}}
	if out := makePlain(t, target, "read-committed", "", both, waited); out != nil {
		t.Errorf("an UPDATE that waited is right:\n%s", out.Case)
	}
	skips := planted.PlantAlways(target, planted.Faults()[slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool {
		return f.Name == "skip-after-wait"
	})])
	if out := makePlain(t, skips, "read-committed", "", both, waited); out == nil || len(out.Orders) != 2 {
		t.Errorf("an UPDATE that skips the row for which it waited: %+v", out)
	}
	// With a WHERE clause that no write touches it is the same, at every level; where one does, the rows may have left it.
	const where = " WHERE pkey > 0 AND pvkey IS NOT NULL"
	apart := strings.NewReplacer("vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL)",
		"vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, a INT, INDEX (pvkey))",
		"SET pvkey = vkey, vkey = 2", "SET vkey = 2"+where, "SET pvkey = vkey, vkey = 3", "SET vkey = 3"+where).Replace(both)
	for _, level := range []string{"read-committed", "repeatable-read", "serializable"} {
		if out := makePlain(t, target, level, "", apart, waited); out != nil {
			t.Errorf("an UPDATE that waited at %s is right:\n%s", level, out.Case)
		}
		if out := makePlain(t, skips, level, "", apart, waited); out == nil || len(out.Orders) != 2 {
			t.Errorf("an UPDATE that skips the row for which it waited at %s: %+v", level, out)
		}
	}
	touched := strings.Replace(apart, "SET vkey = 2", "SET pvkey = vkey, vkey = 2", 1)
	if out := makePlain(t, skips, "read-committed", "", touched, waited); out != nil {
		t.Errorf("a write touches what the WHERE clause asks for:\n%s", out.Case)
	}
	early := &finding.Finding{Class: finding.ClassIsolation, Differences: []finding.Difference{{What: "G-SIa-read",
		Steps: said.Steps("T1 had its snapshot when T1.S0 was answered; T0.S0 wrote (t0, 1, 2), which T1.S0 saw")}}}
	dirty := planted.PlantAlways(target, planted.Faults()[slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool {
		return f.Name == "dirty-read"
	})])
	if out := makePlain(t, target, "repeatable-read", "", uncommitted, early); out != nil {
		t.Errorf("what is not committed is not seen:\n%s", out.Case)
	}
	if out := makePlain(t, dirty, "repeatable-read", "", uncommitted, early); out == nil || len(out.Orders) != 1 ||
		!out.Later || out.Shown != 5 {
		t.Errorf("what is committed after it was seen: %+v", out)
	}
	newer := &finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
		{Stmt: "T0.S1", Kind: "SELECT", What: "newer-read",
			Steps: said.Steps("it saw version 2 of (t0, 1), not nothing: T1 committed it after the snapshot was taken")}}}
	latest := planted.PlantAlways(target, planted.Faults()[slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool {
		return f.Name == "non-repeatable-read"
	})])
	if out := makePlain(t, target, "repeatable-read", "", again, newer); out != nil {
		t.Errorf("two queries of one snapshot:\n%s", out.Case)
	}
	if out := makePlain(t, target, "read-committed", "", again, newer); out != nil {
		t.Errorf("two queries at READ COMMITTED:\n%s", out.Case)
	}
	begun := strings.NewReplacer("BEGIN;\nSELECT 'a' FROM t0;\nSELECT 1",
		"START TRANSACTION WITH CONSISTENT SNAPSHOT;\nSELECT 1", "T0 T0 T1", "T0 T1").Replace(again)
	first := &finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
		{Stmt: "T0.S0", Kind: "SELECT", What: "newer-read"}}}
	if out := makePlain(t, target, "repeatable-read", "", begun, first); out != nil {
		t.Errorf("a query of a snapshot taken before:\n%s", out.Case)
	}
	if out := makePlain(t, latest, "repeatable-read", "", begun, first); out == nil || len(out.Orders) != 1 ||
		!out.Later || strings.Contains(out.Case, "key") {
		t.Errorf("a query that sees what was committed after its snapshot: %+v", out)
	}
	if out := makePlain(t, latest, "repeatable-read", "", strings.Replace(begun, " WITH CONSISTENT SNAPSHOT", "", 1),
		first); out != nil {
		t.Errorf("a first query that sees what was committed before it:\n%s", out.Case)
	}
	if out := makePlain(t, latest, "repeatable-read", "", strings.Replace(again, "'a' FROM t0", "'a' FROM t0 WHERE 1 = 0",
		1), newer); out != nil {
		t.Errorf("a first query that reads nothing:\n%s", out.Case)
	}
	if out := makePlain(t, latest, "repeatable-read", "", again, newer); out == nil || len(out.Orders) != 1 ||
		!out.Later || out.Shown != 5 || strings.Contains(out.Case, "key") {
		t.Errorf("two queries that see two states: %+v", out)
	}
	f := &finding.Finding{Class: finding.ClassIsolation, Differences: []finding.Difference{{What: "P4",
		Steps: said.Steps("T1.S0 read (t0, 1, 1), which T0.S0 overwrote; T0.S0 wrote (t0, 1, 2), which T1.S1 overwrote")}}}
	out := makePlain(t, target, "repeatable-read", "serializable", skew, f)
	if out == nil || len(out.Orders) != 2 || out.Shown != 5 || strings.Contains(out.Case, "key") {
		t.Errorf("held to SERIALIZABLE: %+v", out)
	}
}

// TestPlanted: a lost commit shows by what the tables hold, a dirty read of what is committed later by rolling it back,
// a lost delete by the reads around it; on the engine as it is nothing of that does.
func TestPlanted(t *testing.T) {
	const rows = "\n-- schema --\nCREATE TABLE t0 (pkey INTEGER NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);\n\n" +
		"-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\n"
	for _, c := range []struct {
		fault, text string
		f           finding.Finding
		want        string
	}{
		{"lost-commit", rows + "\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n" +
			"-- T1 --\nBEGIN;\nSELECT pkey, vkey FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{
				{Stmt: "T1.S0", What: "stale-read"}}}, "UPDATE t SET a = 20;"},
		{"dirty-read", rows + "\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n" +
			"-- T1 --\nBEGIN;\nSELECT 1 FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T1 T1 T1 T0\n",
			finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S0", What: "dirty-read",
				Steps: said.Steps("it saw version 2 of (t0, 1), not version 1: T0 had not committed it")}}}, "ROLLBACK;"},
		{"lost-delete", rows + "\n-- T0 --\nBEGIN;\nDELETE FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "DELETE",
				What: "affected-versus-written"}}}, "DELETE FROM t;\nSELECT * FROM t;"},
		{"two-versions", rows + "\n-- T0 --\nBEGIN;\nSELECT 'a' FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "SELECT",
				What: "row-twice"}}}, "SELECT * FROM t"},
		{"stale-snapshot", rows + "\n-- T0 session 1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n" +
			"-- T1 session 1 --\nBEGIN;\nSELECT 'a' FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S0", Kind: "SELECT",
				What: "session-guarantee-violation"}}}, "SELECT * FROM t"},
		{"dirty-read", rows + "\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nROLLBACK;\n\n" +
			"-- T1 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 3, 0);\nCOMMIT;\n\n-- schedule --\nT0 T0 T1 T1 " +
			"T1 T0\n",
			finding.Finding{Class: finding.ClassSnapshot, Differences: []finding.Difference{{Stmt: "T1.S0", Kind: "INSERT",
				What:  "dirty-read",
				Steps: said.Steps("it saw version 2 of (t0, 1), not version 1: T0 had not committed it")}}},
			"BEGIN;\nSELECT * FROM t"},
	} {
		for _, with := range []bool{false, true} {
			target, err := sqlite.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range planted.Faults() {
				if with && fault.Name == c.fault {
					target = planted.PlantAlways(target, fault)
				}
			}
			out := makePlain(t, target, "serializable", "", c.text, &c.f)
			switch {
			case !with && out != nil:
				t.Errorf("%s: shown by a sound engine:\n%s", c.fault, out.Case)
			case with && (out == nil || !strings.Contains(out.Case, c.want) || out.Shown != out.Runs):
				t.Errorf("%s: no %q in %+v", c.fault, c.want, out)
			}
			if err := target.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestGone: a transaction that is gone without an error is shown by what the database says with an answer, and by
// nothing else: one that it gave up with an error is not gone.
func TestGone(t *testing.T) {
	server := servers.Launched("a MariaDB server", mariadb.Server)
	defer server.Close()
	target := server.Target(t)
	const crossed = "\n-- schema --\nCREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);\n\n" +
		"-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, " +
		"2, 0);\n\n" +
		"-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 3 WHERE pkey = 1;\nUPDATE t0 SET pvkey = vkey, vkey = 4 " +
		"WHERE pkey = 2;\nCOMMIT;\n\n" +
		"-- T1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 5 WHERE pkey = 2;\nUPDATE t0 SET pvkey = vkey, vkey = 6 " +
		"WHERE pkey = 1;\nCOMMIT;\n\n" +
		"-- schedule --\nT0 T0 T1 T1 T0 T1 T0 T1\n"
	gone := &finding.Finding{Class: finding.ClassInconsistent, Differences: []finding.Difference{
		{Stmt: "T1.S1", Kind: "UPDATE", What: fault.Gone}}}
	if out := makePlain(t, target, "repeatable-read", "", crossed, gone); out != nil {
		t.Errorf("the victim of a deadlock is told so:\n%s", out.Case)
	}
	at := slices.IndexFunc(planted.Semantic(), func(f *planted.Fault) bool { return f.Name == "victim-unsaid" })
	out := makePlain(t, planted.PlantAlways(target, planted.Semantic()[at]), "repeatable-read", "", crossed, gone)
	if out == nil || out.Shown != out.Runs || !slices.ContainsFunc(out.Run, func(e *history.Event) bool {
		return e.Gone
	}) {
		t.Errorf("a victim that is not told: %+v", out)
	}
}
