package postgresql

import (
	"maps"
	"slices"
	"testing"

	"txweave/exec"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
	"txweave/weave"
)

// clean checks a case at a level, in which nothing may be found, and returns what became of its statements.
func clean(t *testing.T, db exec.Target, isolation, text string) map[string]weave.Fate {
	t.Helper()
	c, err := testcase.Parse(t.Name(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := weave.Check(servers.Runner(t, db, profile(t, isolation)), c, profile(t, isolation), weave.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(rep.Findings, rep.Unconfirmed...) {
		t.Errorf("%s: %s: %v", isolation, e.Class, e.Differences)
	}
	return rep.Fates
}

// freed is a key that one transaction frees while another one, whose snapshot still shows the row, takes it.
const freed = `txweave case 1
target: postgresql
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT, PRIMARY KEY (c0));

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 1, 0, 3), (3, 2, 0, 5);

-- T0 --
BEGIN;
DELETE FROM t0 WHERE pkey = 2;
COMMIT;

-- T1 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (4, 1001, 0, 3);
COMMIT;

-- schedule --
T0 T0 T1 T1 T1 T0
`

// TestFreedKey: a unique key is looked up in what is committed by then, not in the snapshot: no order of the statements
// explains that, and none need.
func TestFreedKey(t *testing.T) {
	db := server(t)
	for _, p := range Levels() {
		fates := clean(t, db, p.Isolation, freed)
		want := weave.DroppedBlocked
		if p.Isolation == "read-committed" { // it is run again, behind the other one
			want = weave.Survived
		}
		if got := fates["T1.S0"]; got != want {
			t.Errorf("%s: the INSERT is %v, want %v", p.Isolation, got, want)
		}
	}
}

// taken are two INSERTs that meet a key: T1's is that of the row that T0 inserted behind its snapshot, T2's that of a
// row which everybody sees.
const taken = `txweave case 1
target: postgresql
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT, c1 VARCHAR(9), PRIMARY KEY (c0, c1));

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0, c1) VALUES (2, 1, 0, 3, 'a, b'), (3, 2, 0, 5, 'b');

-- T0 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey, c0, c1) VALUES (4, 1001, 0, 1, 'c');
COMMIT;

-- T1 --
BEGIN;
SELECT t0.pkey, t0.vkey FROM t0;
SAVEPOINT a;
INSERT INTO t0 (pkey, vkey, pvkey, c0, c1) VALUES (5, 1002, 0, 1, 'c');
ROLLBACK TO a;
COMMIT;

-- T2 --
BEGIN;
SELECT t0.pkey, t0.vkey FROM t0;
SAVEPOINT a;
INSERT INTO t0 (pkey, vkey, pvkey, c0, c1) VALUES (6, 1003, 0, 3, 'a, b');
ROLLBACK TO a;
COMMIT;

-- schedule --
T1 T1 T1 T2 T2 T2 T0 T0 T0 T1 T1 T1 T2 T2 T2
`

// TestTakenKey: a duplicate of a row that the snapshot does not show is left out of the replay; one of a row that it
// shows is not, though others have inserted rows of other keys meanwhile.
func TestTakenKey(t *testing.T) {
	db := server(t)
	for _, isolation := range []string{"repeatable-read", "serializable"} {
		fates := clean(t, db, isolation, taken)
		want := weave.DroppedBlocked
		if isolation == "serializable" { // there it is a serialization failure
			want = weave.DroppedAborted
		}
		if hidden, seen := fates["T1.S2"], fates["T2.S2"]; hidden != want || seen != weave.Survived {
			t.Errorf("%s: the duplicate of a hidden row is %v, that of a row in sight %v", isolation, hidden, seen)
		}
	}
}

// orphans are a DELETE of a row to which another one refers by then, T1, and one of a row to which no other one does
// any more, T2.
const orphans = `txweave case 1
target: postgresql
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT, PRIMARY KEY (pkey));
CREATE TABLE t1 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, f0 BIGINT, PRIMARY KEY (pkey), FOREIGN KEY (f0) REFERENCES t0 (pkey));

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 1, 0, 3), (3, 2, 0, 5), (4, 3, 0, 5), (5, 4, 0, 5);
INSERT INTO t1 (pkey, vkey, pvkey, f0) VALUES (6, 5, 0, 3), (7, 6, 0, 5);

-- T0 --
BEGIN;
INSERT INTO t1 (pkey, vkey, pvkey, f0) VALUES (8, 1001, 0, 2);
DELETE FROM t1 WHERE pkey = 6;
COMMIT;

-- T1 --
BEGIN;
SELECT t0.pkey, t0.vkey FROM t0;
SAVEPOINT a;
DELETE FROM t0 WHERE pkey = 2;
ROLLBACK TO a;
DELETE FROM t0 WHERE pkey = 4;
COMMIT;

-- T2 --
BEGIN;
SELECT t0.pkey, t0.vkey FROM t0;
DELETE FROM t0 WHERE pkey = 3;
SAVEPOINT a;
DELETE FROM t0 WHERE pkey = 5;
ROLLBACK TO a;
COMMIT;

-- schedule --
T1 T1 T2 T2 T0 T0 T0 T0 T1 T1 T1 T1 T1 T2 T2 T2 T2 T2
`

// TestOrphans: whether rows refer to one that is deleted is asked of what is committed by then, not of the snapshot. A
// DELETE of which that makes a difference is left out of the replay; one of a row that nobody referred to before or
// after is not.
func TestOrphans(t *testing.T) {
	fates := clean(t, server(t), "repeatable-read", orphans)
	for name, twoViews := range map[string]bool{"T1.S2": true, "T1.S4": false, "T2.S1": true, "T2.S3": false} {
		if got := fates[name]; (got == weave.DroppedBlocked) != twoViews {
			t.Errorf("%s is %v; two views: %v", name, got, twoViews)
		}
	}
}

// waited are transactions whose snapshot is older than the answer to their first statement: T1's waits for T0, which
// rolls back, T3's is refused, and T2 commits meanwhile.
const waited = `txweave case 1
target: postgresql
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT, PRIMARY KEY (pkey));

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 1, 0, 3), (3, 2, 0, 5);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 1001, c0 = 1 WHERE pkey = 2;
ROLLBACK;

-- T1 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 1002, c0 = 2 WHERE pkey = 2;
SELECT t0.pkey, t0.vkey FROM t0;
COMMIT;

-- T2 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 1003, c0 = 3 WHERE pkey = 3;
COMMIT;

-- T3 --
BEGIN;
SAVEPOINT a;
SELECT t0.pkey, t0.vkey FROM t0 WHERE t0.pkey = 2 FOR UPDATE NOWAIT;
ROLLBACK TO a;
SELECT t0.pkey, t0.vkey FROM t0;
COMMIT;

-- schedule --
T0 T0 T1 T1 T3 T3 T3 T2 T2 T2 T3 T3 T3 T0 T1 T1
`

// TestWaitedSnapshot: a statement takes its transaction's snapshot before it waits for a lock, or is refused.
func TestWaitedSnapshot(t *testing.T) {
	db := server(t)
	for _, isolation := range []string{"repeatable-read", "serializable"} {
		if got := clean(t, db, isolation, waited)["T3.S3"]; got != weave.Survived {
			t.Errorf("%s: the read after the refused one is %v", isolation, got)
		}
	}
}

// TestKeptInsert: a row that keeps an INSERT from writing is read. Where both transactions of the case commit at
// SERIALIZABLE, as on 15 and 17, that is found; a server that ends one of them shows nothing.
func TestKeptInsert(t *testing.T) {
	c, err := testcase.ReadFile("../../docs/findings/postgresql-on-conflict-nothing.txw")
	if err != nil {
		t.Fatal(err)
	}
	db := server(t)
	for _, isolation := range []string{"repeatable-read", "serializable"} {
		p := profile(t, isolation)
		rep, err := weave.Check(servers.Runner(t, db, p), c, p, weave.Options{})
		if err != nil {
			t.Fatal(err)
		}
		committed := !slices.Contains(slices.Collect(maps.Values(rep.Fates)), weave.DroppedAborted)
		if found := len(rep.Findings) > 0; found != (committed && isolation == "serializable") {
			t.Errorf("%s: all committed: %v, findings: %v", isolation, committed, rep.Findings)
		}
	}
}
