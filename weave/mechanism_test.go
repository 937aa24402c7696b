package weave_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/observe"
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

// TestMechanism: a run in which a lock was not waited for is reported, and the same run as it was is not.
func TestMechanism(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, p)
	c, err := testcase.Parse("locked", []byte(lockedCase))
	if err != nil {
		t.Fatal(err)
	}
	early := func(run *observe.Run) { // the UPDATE is answered before the SELECT's transaction begins to commit
		commit := slices.IndexFunc(run.Trace.Events, func(e *history.Event) bool { return e.Role == history.End && e.Txn == 0 })
		at := run.Trace.Events[commit].Start
		inRun("T1.S0", func(b *observe.BlockRun) { b.Target.Start, b.Target.End = at-2, at-1 })(run)
	}
	for _, e := range []*editor{{Runner: r, when: always}, {Runner: r, when: always, run: early}} {
		rep, err := weave.Check(e, c, p, weave.Options{Repeats: 2})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if e.run != nil {
			want = []string{"mechanism-violation/mutual-exclusion:lock-conflict"}
		}
		if got := signatures(rep.Findings); !slices.Equal(got, want) {
			t.Errorf("edited %v: findings %q, want %q", e.run != nil, got, want)
		}
	}
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
		held.Forbidden = p.Forbidden // the mechanisms alone are claimed
		rep, err := weave.Check(r, c, p.HeldTo(&held), weave.Options{Repeats: 2})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Contains(signatures(rep.Findings), "mechanism-violation/first-updater-wins:concurrent-update")
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

// TestPreparedMechanism: what a transaction has locked by reading is locked until its XA PREPARE. From then on others may write it at
// REPEATABLE READ, which MariaDB lets them do, and not at SERIALIZABLE, where they wait for XA COMMIT.
func TestPreparedMechanism(t *testing.T) {
	before := func(sql string) func(*observe.Run) { // the UPDATE is answered before another statement is sent
		return func(run *observe.Run) {
			at := run.Trace.Events[slices.IndexFunc(run.Trace.Events, func(e *history.Event) bool { return e.Text == sql })].Start
			inRun("T1.S0", func(b *observe.BlockRun) { b.Target.Start, b.Target.End = at-2, at-1 })(run)
		}
	}
	conflict := []string{"mechanism-violation/mutual-exclusion:lock-conflict"}
	for _, x := range []struct {
		level string
		run   func(*observe.Run)
		want  []string
	}{
		{"repeatable-read", nil, nil},
		{"repeatable-read", before("XA PREPARE 'x'"), conflict},
		{"serializable", nil, nil},
		{"serializable", before("XA COMMIT 'x'"), conflict},
	} {
		p := lookup(t, "mariadb/"+x.level)
		c, err := testcase.Parse("prepared", []byte(strings.Replace(preparedCase, "isolation: repeatable-read", "isolation: "+x.level, 1)))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(&editor{Runner: newRunner(t, p), when: always, run: x.run}, c, p, weave.Options{Repeats: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := signatures(rep.Findings); !slices.Equal(got, x.want) {
			t.Errorf("%s, edited %v: findings %q, want %q", x.level, x.run != nil, got, x.want)
		}
	}
}

// TestPreparedReader: where writers alone keep past XA PREPARE what they have read, as MySQL's do, one that has written nothing is held to
// nothing there. MariaDB, which lets the row go in both, stands for a server that breaks the first and keeps the second.
func TestPreparedReader(t *testing.T) {
	p := *lookup(t, "mariadb/repeatable-read")
	p.Prepared = dbms.WritersKeep
	reader := strings.Replace(preparedCase, "UPDATE t SET pvkey = vkey, vkey = 101, v = v + 1 WHERE pkey = 2;\n", "", 1)
	reader = strings.Replace(reader, "T0 T0 T0 T0 T0 T1", "T0 T0 T0 T0 T1", 1)
	for _, x := range []struct {
		text string
		want []string
	}{
		{preparedCase, []string{"mechanism-violation/mutual-exclusion:lock-conflict"}},
		{reader, nil},
	} {
		c, err := testcase.Parse("prepared", []byte(x.text))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(newRunner(t, &p), c, &p, weave.Options{Repeats: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := signatures(rep.Findings); !slices.Equal(got, x.want) {
			t.Errorf("findings %q, want %q, of\n%s", got, x.want, x.text)
		}
	}
}
