package planted

import (
	"context"
	"database/sql/driver"
	"slices"
	"time"

	"txweave/fault"
	"txweave/sql/sqltext"
)

// Races returns the planted bugs that show only where statements of two sessions come within raceWindow of each other,
// which no case can ask for.
func Races() []*Fault { return raceFaults }

// Race says whether the bug is one of these.
func (f *Fault) Race() bool { return f.near != nil }

// raceWindow is how close two statements have to come.
const raceWindow = 50 * time.Microsecond

// moment is when a session did something, and its last write then.
type moment struct {
	by   *faultConn
	at   time.Time
	last string
}

// moments are the last ones of each kind.
type moments struct {
	wrote      moment // a write in a transaction was answered
	committing moment // a COMMIT of a transaction that had written was sent
	committed  moment // … and answered
}

// byOther says whether something was done by another session less than raceWindow ago.
func (m moment) byOther(c *faultConn) bool {
	return m.by != nil && m.by != c && time.Since(m.at) < raceWindow
}

// sameRow says whether a statement names the row that was written last, by its key.
func (m moment) sameRow(t *faultyTarget, sql string) bool {
	pkey, ok := t.key(sql)
	other, known := t.key(m.last)
	return ok && known && pkey == other && t.written(sql) == t.written(m.last)
}

// sameTable says whether a query mentions the table that was written last.
func (m moment) sameTable(t *faultyTarget, sql string) bool {
	return slices.Contains(t.mentioned(sql), t.written(m.last))
}

// sends notes, for races, that a COMMIT is sent.
func (c *faultConn) sends(sql string) {
	t := c.target
	if t.fault.near == nil || c.txn == nil || c.txn.lastWrite == "" || verb(sql) != "COMMIT" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.moments.committing = moment{c, time.Now(), c.txn.lastWrite}
}

// answers notes, for races, that a statement was answered. The target is locked.
func (c *faultConn) answers(x *faultTxn, v string) {
	t := c.target
	if t.fault.near == nil || x == nil || x.lastWrite == "" {
		return
	}
	switch v {
	case "COMMIT":
		t.moments.committed = moment{c, time.Now(), x.lastWrite}
	case "INSERT", "UPDATE", "DELETE":
		t.moments.wrote = moment{c, time.Now(), x.lastWrite}
	}
}

var raceFaults = []*Fault{
	{Name: "race-lost-write",
		Reference: "an UPDATE that comes as another transaction lets go of the row is answered and not done",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"UPDATE"},
		near: func(c *faultConn, m moments, sql string) bool {
			return m.committed.byOther(c) && m.committed.sameRow(c.target, sql) && names(c.tree(sql), sqltext.VKey)
		},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			found, err := c.keys(ctx, sql, false)
			return affected(len(found)), err
		}},
	{Name: "race-missing-row",
		Reference: "a read that comes as another transaction commits sees neither the old version of a row nor the new one",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: selects,
		near: func(c *faultConn, m moments, sql string) bool {
			_, ofRow := c.target.key(m.committed.last)
			return ofRow && m.committed.byOther(c) && m.committed.sameTable(c.target, sql)
		},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			c.target.mu.Lock()
			last := c.target.moments.committed.last
			c.target.mu.Unlock()
			pkey, ok := c.target.key(last)
			if !ok || !plainRead(c.tree(sql)) {
				return c.ask(ctx, sql)
			}
			return c.ask(ctx, c.target.but(sql, pkey))
		}},
	{Name: "race-dirty-read", Reference: "a read that comes as a write is done sees it before it is committed",
		Forbidden: forbids(fault.G1a), Inapplicable: anywhere, every: 1, verbs: selects,
		near: func(c *faultConn, m moments, sql string) bool {
			return m.wrote.byOther(c) && m.wrote.sameTable(c.target, sql)
		},
		query: dirtyRead(func(*faultConn, *faultTxn, []string) bool { return true })},
	{Name: "race-no-lock", Reference: "a locking read that comes as another transaction lets go of its locks takes none",
		Forbidden: lockingReadDiffers, Inapplicable: needsLocks, every: 1, verbs: []string{"SELECT"},
		near: func(c *faultConn, m moments, sql string) bool {
			return !plainRead(c.tree(sql)) && m.committed.byOther(c) && m.committed.sameTable(c.target, sql)
		},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.ask(ctx, c.target.unlocked(sql))
		}},
	{Name: "race-lost-commit", Reference: "of two transactions that commit together one is answered and rolled back",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"COMMIT"},
		near: func(c *faultConn, m moments, _ string) bool {
			return m.committing.byOther(c) && c.txn != nil && c.txn.lastWrite != ""
		},
		exec: func(c *faultConn, ctx context.Context, _ string) (driver.Result, error) {
			return c.send(ctx, "ROLLBACK")
		}},
	{Name: "race-early-release",
		Reference: "an UPDATE that comes as another transaction commits lets go of its lock before its own does (G0)",
		Forbidden: forbids(fault.G0), Inapplicable: anywhere, every: 1, verbs: []string{"UPDATE"},
		near: func(c *faultConn, m moments, sql string) bool {
			return m.committed.byOther(c) && m.committed.sameTable(c.target, sql)
		},
		exec: commitEarly},
}
