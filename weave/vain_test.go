package weave_test

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/testcase"
	"txweave/weave"
)

// losing is a database that answers statements which begin with a text and does not do them: of the end of a
// transaction, that keeps its locks.
type losing struct {
	exec.Target
	lost string
}

func (l *losing) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := l.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return s.Over(losingConn{s.Conn(), l.lost}), nil
}

type losingConn struct {
	driver.Conn
	lost string
}

func (c losingConn) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	if strings.HasPrefix(sql, c.lost) {
		return driver.RowsAffected(0), nil
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (c losingConn) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, args)
}

const strandedTable = `
-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, pvkey, v) VALUES (1, 1, 0, 10), (2, 2, 0, 20);
`

// strandedXA has a transaction that is prepared and ended, one that writes its row then, and one that waits for that in
// its turn.
const strandedXA = strandedTable + `
-- T0 --
XA START 'a';
UPDATE t SET pvkey = vkey, vkey = 100 WHERE pkey = 1;
XA END 'a';
XA PREPARE 'a';
XA COMMIT 'a';

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 101 WHERE pkey = 2;
UPDATE t SET pvkey = vkey, vkey = 102 WHERE pkey = 1;
COMMIT;

-- T2 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 103 WHERE pkey = 2;
COMMIT;

-- schedule --
T0 T0 T0 T0 T0 T1 T1 T2 T2 T1 T1 T2
`

// strandedBehind is the same with T2 waiting first: T1, for which it waits, goes on and waits for the lock that nobody
// holds.
var strandedBehind = strings.Replace(strandedXA, "T1 T1 T2 T2 T1 T1 T2", "T1 T1 T2 T2 T1 T2 T1", 1)

// TestInVain: a statement that waits for a lock which no transaction holds that is open, as a database has lost its
// end, is a finding that names it, and the tables are to be had again. What waits for a transaction that is open is
// none, however long.
func TestInVain(t *testing.T) {
	long := *weave.WaitedLong
	defer func() { *weave.WaitedLong = long }()
	*weave.WaitedLong = 500 * time.Millisecond
	hasty := func(p *dbms.Profile) {
		p.Sessions.Setup = append(slices.Clone(p.Sessions.Setup), "SET SESSION innodb_lock_wait_timeout = 1")
	}
	for _, c := range []struct {
		name, level, lost, text string
		want                    string // the statement that is named; "": none is
		change                  func(*dbms.Profile)
	}{
		{"prepared", "postgresql/read-committed", "COMMIT PREPARED", strandedTable + `
-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100 WHERE pkey = 1;
PREPARE TRANSACTION 'txweave-stranded';
COMMIT PREPARED 'txweave-stranded';

-- T1 --
BEGIN;
DELETE FROM t WHERE v = 10;
COMMIT;

-- schedule --
T0 T0 T0 T0 T1 T1 T1
`, "T1.S0", nil},
		{"XA", "mariadb/serializable", "XA COMMIT", strandedXA, "T1.S1", hasty},
		{"XA, behind one who waits", "mariadb/read-committed", "XA COMMIT", strandedBehind, "T1.S1", hasty},
		{"an order of the case's own", "mariadb/read-committed", "XA COMMIT",
			strandedXA + "\n-- order --\nT0.S0 T1.S0 T1.S1 T2.S0\n", "T1.S1", hasty},
		{"no lock is kept", "mariadb/read-committed", "nothing", strandedXA, "", hasty},
		{"SQLite", "sqlite/serializable", "COMMIT", strandedTable + `
-- T0 --
BEGIN IMMEDIATE;
UPDATE t SET pvkey = vkey, vkey = 100 WHERE pkey = 1;
COMMIT;

-- T1 --
BEGIN;
DELETE FROM t WHERE pkey = 2;
COMMIT;

-- schedule --
T0 T0 T0 T1 T1 T1
`, "T1.S0", nil},
		// T0 is open and wants the table for itself, which the tool holds back while T1 uses it: nobody sees that T1 waits
		// for T0.
		{"who holds the lock is open", "mariadb/read-committed", "nothing", strandedTable + `
-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100 WHERE pkey = 1;
ALTER TABLE t ADD INDEX i (v);

-- T1 --
BEGIN;
SELECT pkey, vkey FROM t WHERE pkey = 2;
UPDATE t SET pvkey = vkey, vkey = 101 WHERE pkey = 1;
COMMIT;

-- schedule --
T0 T0 T1 T1 T1 T0 T1
`, "", hasty},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := *lookup(t, c.level)
			if c.change != nil {
				c.change(&p)
			}
			given, err := testcase.Parse("waits in vain", []byte("txweave case 1\ntarget: "+p.DBMS+"\nisolation: "+
				p.Isolation+"\n"+c.text))
			if err != nil {
				t.Fatal(err)
			}
			r, err := exec.NewRunner(t.Context(), &losing{target(t, p.DBMS), c.lost}, &p,
				exec.Options{StatementTimeout: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			rep, err := weave.Check(r, given, &p, weave.Options{Repeats: 2})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if c.want != "" {
				want = []string{"hang/lock-kept"}
			}
			if got := signatures(slices.Concat(rep.Findings, rep.Unconfirmed)); !slices.Equal(got, want) ||
				rep.Spoilt != (c.want != "") {
				t.Fatalf("found %q, want %q; spoilt %v", got, want, rep.Spoilt)
			}
			if c.want == "" {
				return
			}
			if f := rep.Findings[0]; f.Class != finding.ClassHang || f.Differences[0].Stmt != c.want || f.Confirmed != 1 ||
				f.Run == nil {
				t.Errorf("%+v", f.Finding)
			}
			if err := r.Reopen(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Load(rep.Plan); err != nil {
				t.Errorf("the tables of the next case: %v", err)
			}
		})
	}
}

func (c losingConn) Interrupt() { c.Conn.(exec.Interrupter).Interrupt() }

// TestUndetected: transactions that wait for each other in a circle until they give up are a finding where the database
// says that it detects deadlocks; where it says that it does not, they are not confirmed.
func TestUndetected(t *testing.T) {
	long := *weave.WaitedLong
	defer func() { *weave.WaitedLong = long }()
	*weave.WaitedLong = 500 * time.Millisecond
	db := target(t, "mariadb")
	if err := db.Control().Must(t.Context(), "SET GLOBAL innodb_deadlock_detect = OFF"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Control().Must(context.Background(), "SET GLOBAL innodb_deadlock_detect = ON"); err != nil {
			t.Error(err)
		}
	})
	const circle = `
-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100 WHERE pkey = 1;
UPDATE t SET pvkey = vkey, vkey = 101 WHERE pkey = 2;
COMMIT;

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 102 WHERE pkey = 2;
UPDATE t SET pvkey = vkey, vkey = 103 WHERE pkey = 1;
COMMIT;

-- schedule --
T0 T0 T1 T1 T0 T1 T0 T1
`
	for _, c := range []struct{ sees, text, want string }{
		{"SELECT 1", circle, "hang/undetected-deadlock"},
		{"SELECT @@innodb_deadlock_detect", circle, "hang/lock-kept"},
	} {
		p := *lookup(t, "mariadb/read-committed")
		p.Sessions.Setup = append(slices.Clone(p.Sessions.Setup), "SET SESSION innodb_lock_wait_timeout = 1")
		p.Transactions.SeesDeadlocks = c.sees
		given, err := testcase.Parse("circle", []byte("txweave case 1\ntarget: mariadb\nisolation: read-committed\n"+
			strandedTable+c.text))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(newRunner(t, &p), given, &p, weave.Options{Repeats: 2})
		if err != nil {
			t.Fatal(err)
		}
		confirmed := c.want == "hang/undetected-deadlock"
		if got := signatures(slices.Concat(rep.Findings, rep.Unconfirmed)); !slices.Equal(got, []string{c.want}) ||
			(len(rep.Findings) == 1) != confirmed {
			t.Errorf("%s: %q, %d of them confirmed", c.sees, got, len(rep.Findings))
		}
	}
}
