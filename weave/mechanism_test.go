package weave_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// lockedCase: the UPDATE of T1 waits for the lock of T0's SELECT.
const lockedCase = `txweave case 1
target: mariadb
isolation: repeatable-read

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, v) VALUES (1, 1, 10), (2, 2, 20);

-- T0 --
BEGIN;
SELECT pkey, vkey, v FROM t WHERE pkey = 1 FOR UPDATE;
COMMIT;

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100, v = v + 1 WHERE pkey = 1;
COMMIT;

-- schedule --
T0 T1 T0 T1 T0 T1
`

// lockConflict is what a run is blamed for in which a lock was not waited for.
var lockConflict = []string{"mechanism-violation/lock-conflict"}

// before edits a run so that T1's UPDATE was answered before an event was sent, which is the first one that is chosen.
func before(chosen func(*history.Event) bool) func(*observe.Run) {
	return func(run *observe.Run) {
		at := run.Trace.Events[slices.IndexFunc(run.Trace.Events, chosen)].Start
		inRun("T1.S0", func(b *observe.BlockRun) { b.Target.Start, b.Target.End = at-2, at-1 })(run)
	}
}

// holdsEdited checks a case at a level, whose runs are edited unless edit is nil, and what is found.
func holdsEdited(t *testing.T, p *dbms.Profile, text string, edit func(*observe.Run), want []string) {
	t.Helper()
	c, err := testcase.Parse(t.Name(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := weave.Check(&editor{Runner: newRunner(t, p), when: always, run: edit}, c, p, weave.Options{Repeats: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := signatures(rep.Findings); !slices.Equal(got, want) {
		t.Errorf("%s, edited %v: findings %q, want %q, of\n%s", p.Isolation, edit != nil, got, want, text)
	}
}

// TestMechanism: a run in which a lock was not waited for is reported, and the same run as it was is not.
func TestMechanism(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	holdsEdited(t, p, lockedCase, nil, nil)
	commits := func(e *history.Event) bool { return e.Role == history.End && e.Txn == 0 }
	holdsEdited(t, p, lockedCase, before(commits), lockConflict)
}

// lostUpdateCase: T1 overwrites what T0 wrote after T1's snapshot.
const lostUpdateCase = `txweave case 1
target: mariadb
isolation: repeatable-read

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, v) VALUES (1, 1, 10), (2, 2, 20);

-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100, v = 11 WHERE pkey = 1;
COMMIT;

-- T1 --
BEGIN;
SELECT pkey, vkey, v FROM t WHERE pkey = 1;
UPDATE t SET pvkey = vkey, vkey = 101, v = 12 WHERE pkey = 1;
COMMIT;

-- schedule --
T1 T1 T0 T0 T0 T1 T1
`

// A level that a user claims is claimed with its mechanisms: where the first updater wins, nobody overwrites what was
// committed after his snapshot.
func TestClaimedMechanisms(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, p)
	for claim, want := range map[string]bool{"repeatable-read": false, "snapshot": true} {
		c, err := testcase.Parse("lost update", []byte(lostUpdateCase))
		if err != nil {
			t.Fatal(err)
		}
		held := *lookup(t, "mariadb/"+claim)
		held.Guarantees.Forbidden = p.Guarantees.Forbidden // the mechanisms alone are claimed
		rep, err := weave.Check(r, c, p.HeldTo(&held), weave.Options{Repeats: 2})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Contains(signatures(rep.Findings), "mechanism-violation/concurrent-update")
		if got != want {
			t.Errorf("held to %s: findings %q", claim, signatures(rep.Findings))
		}
	}
}

// preparedCase: the row that T0 reads with a lock is written by T1 before or after T0's XA PREPARE.
const preparedCase = `txweave case 1
target: mariadb
isolation: repeatable-read

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, v) VALUES (1, 1, 10), (2, 2, 20);

-- T0 --
XA START 'x';
SELECT pkey, vkey, v FROM t WHERE pkey = 1 LOCK IN SHARE MODE;
UPDATE t SET pvkey = vkey, vkey = 101, v = v + 1 WHERE pkey = 2;
XA END 'x';
XA PREPARE 'x';
XA COMMIT 'x';

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100, v = v + 1 WHERE pkey = 1;
COMMIT;

-- schedule --
T0 T0 T0 T0 T0 T1 T1 T1 T0
`

// TestPreparedMechanism: what a transaction has locked by reading is locked until its XA PREPARE. From then on others
// may write it at REPEATABLE READ, which MariaDB lets them do, and not at SERIALIZABLE, where they wait for XA COMMIT.
func TestPreparedMechanism(t *testing.T) {
	is := func(sql string) func(*history.Event) bool {
		return func(e *history.Event) bool { return e.Text == sql }
	}
	p := lookup(t, "mariadb/repeatable-read")
	holdsEdited(t, p, preparedCase, nil, nil)
	holdsEdited(t, p, preparedCase, before(is("XA PREPARE 'x'")), lockConflict)
	p = lookup(t, "mariadb/serializable")
	serializable := strings.Replace(preparedCase, "isolation: repeatable-read", "isolation: serializable", 1)
	holdsEdited(t, p, serializable, nil, nil)
	holdsEdited(t, p, serializable, before(is("XA COMMIT 'x'")), lockConflict)
}

// TestPreparedReader: where writers alone keep past XA PREPARE what they have read, as MySQL's do, one that has written
// nothing is held to nothing there. MariaDB, which lets the row go in both, stands for a server that breaks the first
// and keeps the second.
func TestPreparedReader(t *testing.T) {
	p := *lookup(t, "mariadb/repeatable-read")
	p.Prepared = dbms.WritersKeep
	reader := strings.Replace(preparedCase, "UPDATE t SET pvkey = vkey, vkey = 101, v = v + 1 WHERE pkey = 2;\n", "", 1)
	reader = strings.Replace(reader, "T0 T0 T0 T0 T0 T1", "T0 T0 T0 T0 T1", 1)
	holdsEdited(t, &p, preparedCase, nil, lockConflict)
	holdsEdited(t, &p, reader, nil, nil)
}

// TestUndoneTakesNoSnapshot: an UPDATE that a ROLLBACK TO undid read current rows. Where the first plain read takes the
// snapshot it does not, also where it met no row, or only what its transaction had written: what others commit after it
// is no update that its transaction must not overwrite.
func TestUndoneTakesNoSnapshot(t *testing.T) {
	for _, undone := range []string{"pkey = 2", "pkey = 3"} {
		holdsEdited(t, lookup(t, "mariadb/snapshot"), `txweave case 1
target: mariadb
isolation: snapshot

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, v) VALUES (1, 1, 10), (2, 2, 20);

-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100 WHERE pkey = 1;
COMMIT;

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 101 WHERE pkey = 2;
SAVEPOINT a;
UPDATE t SET pvkey = vkey, vkey = 102 WHERE `+undone+`;
ROLLBACK TO a;
UPDATE t SET pvkey = vkey, vkey = 103 WHERE pkey = 1;
COMMIT;

-- schedule --
T1 T1 T1 T1 T0 T0 T0 T1 T1 T1
`, nil, nil)
	}
}
