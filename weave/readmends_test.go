package weave_test

import (
	"context"
	"database/sql/driver"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/testcase"
	"txweave/weave"
)

// forgetful is a database in which the first UPDATE after a DELETE does nothing; unless always says so, a query in
// between mends that.
type forgetful struct {
	exec.Target
	deleted, always *bool
}

func (f *forgetful) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := f.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return s.Over(forgetfulConn{s.Conn(), f}), nil
}

type forgetfulConn struct {
	driver.Conn
	f *forgetful
}

func (c forgetfulConn) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	forgets := strings.HasPrefix(sql, "UPDATE") && *c.f.deleted
	if *c.f.deleted = strings.HasPrefix(sql, "DELETE"); forgets {
		return driver.RowsAffected(0), nil
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (c forgetfulConn) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	*c.f.deleted = *c.f.deleted && *c.f.always
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, args)
}

// TestReadMends: where a replay answers otherwise only because nobody reads between its statements, that is the cause,
// and not where reads do not mend it.
func TestReadMends(t *testing.T) {
	const text = `txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, pvkey, v) VALUES (1, 1, 0, 10), (2, 2, 0, 20);

-- T0 --
BEGIN;
DELETE FROM t WHERE pkey = 1;
UPDATE t SET pvkey = vkey, vkey = 100, v = 5 WHERE pkey = 2;
COMMIT;

-- schedule --
T0 T0 T0 T0
`
	c, err := testcase.Parse("case", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := lookup(t, "sqlite/serializable")
	for _, always := range []bool{false, true} {
		r, err := exec.NewRunner(t.Context(), &forgetful{target(t, "sqlite"), new(bool), &always}, p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(r, c, p, weave.Options{Repeats: 2, Orders: 1})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		mended := 0
		for _, ev := range rep.Findings {
			if ev.Cause == finding.CauseRead {
				mended++
				if ev.Class != finding.ClassReplay || ev.Differences[0].Stmt != "T0.S1" || ev.Confirmed != 2 {
					t.Errorf("always %t: %s of %v, %d times", always, ev.Class, ev.Differences, ev.Confirmed)
				}
			}
		}
		if (mended == 1) == always {
			t.Errorf("always %t: %d of %d findings are mended by reads", always, mended, len(rep.Findings))
		}
	}
}
