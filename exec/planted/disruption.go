package planted

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/exec"
	sqltree "txweave/sql"
	"txweave/sql/sqltext"
)

// Disruptions returns the planted bugs that show only where something is done to the database beside sending it
// statements.
func Disruptions() []*Fault { return disruptionFaults }

// Nemesis names the nemesis of storms that a planted bug needs; "" if it needs none.
func (f *Fault) Nemesis() string { return f.nemesis }

// Cases says of a bug that a nemesis shows whether cases show it, too.
func (f *Fault) Cases() bool { return f.cases }

var disruptionFaults = []*Fault{
	{Name: "commit-lost-in-crash",
		Reference: "a commit is acknowledged before its log is on disk: a crash undoes a row of the last one",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "crash", verbs: []string{"UPDATE"}, exec: rememberOld,
		recovered: undoLast},
	{Name: "commit-before-sync",
		Reference: "a commit is acknowledged before its log is synced: a crash of the process alone does not show it, a " +
			"power cut does",
		Forbidden: always, Inapplicable: needsSyncOff, every: 1, nemesis: "power",
		opened: []string{"PRAGMA synchronous = OFF"}},
	{Name: "half-commit-after-crash",
		Reference: "recovery does not roll back a write of a transaction that was open when the server went down",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "crash", recovered: redoOpen},
	{Name: "lock-kept-by-killed", Reference: "KILL CONNECTION ends a session, and the locks of its transaction stay",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "kill", disconnected: keepLock},
	{Name: "write-kept-by-killed", Reference: "KILL CONNECTION in mid-transaction leaves a write of it behind",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "kill", disconnected: func(t *faultyTarget,
			ctx context.Context, x *faultTxn) error {
			return t.again(ctx, x.lastWrite)
		}},
	{Name: "write-kept-by-lost-commit",
		Reference: "a COMMIT that comes in half, as its connection is lost, leaves a write of its transaction behind",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "network", verbs: []string{"UPDATE", "COMMIT"},
		exec: keepOfLost},
	{Name: "index-misses-concurrent-write",
		Reference: "an index that is built online misses a row that was written meanwhile (MDEV-16664 and others)",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "ddl", verbs: []string{"SELECT"}, query: missIndexed,
		alone: noteIndex},
	{Name: "purge-too-early",
		Reference: "versions are purged that a transaction which goes on reading still needs: it sees newer ones",
		Forbidden: always, Inapplicable: keepsSnapshot, every: 1, nemesis: "pressure", verbs: []string{"SELECT"},
		query: readPurged},
	{Name: "write-lost-in-pause", Reference: "a write that comes as a stopped process goes on is answered and not done",
		Forbidden: always, Inapplicable: anywhere, every: 1, nemesis: "pause", verbs: []string{"UPDATE"},
		exec: loseAfterPause},
	{Name: "table-lock-ignored", Reference: "LOCK TABLES, or BEGIN EXCLUSIVE, is answered and holds nobody back",
		Forbidden: always, Inapplicable: needsTableLocks, every: 1, nemesis: "locks", cases: true, alone: ignoreLock},
	{Name: "xa-forgotten-in-crash",
		Reference: "a transaction that XA PREPARE was answered for is not there after a restart",
		Forbidden: always, Inapplicable: needsBranches, every: 1, nemesis: "locks", recovered: forgetBranches},
}

// Disruption is what can be done to the engine below, and what the fault adds.
func (t *faultyTarget) Disruption() *exec.Disruption {
	u := *exec.DisruptionOf(t.Target)
	if goOn := u.Continue; goOn != nil {
		u.Continue = func() error {
			t.mu.Lock()
			t.resumed = true
			t.mu.Unlock()
			return goOn()
		}
	}
	if recover := u.Recover; recover != nil {
		u.Recover = func(ctx context.Context, interrupt time.Duration) error {
			t.mu.Lock()
			open := t.openTxns()
			t.mu.Unlock()
			if err := recover(ctx, interrupt); err != nil || t.fault.recovered == nil {
				return err
			}
			return t.fault.recovered(t, ctx, open)
		}
	}
	if disconnect := u.Disconnect; disconnect != nil && t.fault.disconnected != nil {
		u.Disconnect = func(ctx context.Context, s *exec.Session) error {
			c, ok := s.Conn().(*faultConn)
			var x *faultTxn
			if ok {
				t.mu.Lock()
				if c.txn != nil && c.txn.lastWrite != "" {
					x = &faultTxn{lastWrite: c.txn.lastWrite}
				}
				t.mu.Unlock()
			}
			if err := disconnect(ctx, s); err != nil || x == nil {
				return err
			}
			return t.fault.disconnected(t, ctx, x)
		}
	}
	return &u
}

// needsSyncOff says why a database cannot be told not to sync by a session.
func needsSyncOff(p *dbms.Profile) string {
	if p.Embedded {
		return ""
	}
	return "no session of it can do without syncs"
}

// keepOfLost does the last UPDATE of a transaction again when the connection is lost at its COMMIT.
func keepOfLost(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	t := c.target
	res, err := c.send(ctx, sql)
	_, ofCase := t.version(sql)
	t.mu.Lock()
	answered, write := err == nil || t.first == nil || t.first.DBError(err) != nil, ""
	switch {
	case c.txn == nil:
	case answered && ofCase: // not of the receipt, which is the last one
		c.txn.undo = []string{sql}
	case !answered && len(c.txn.undo) > 0:
		write = c.txn.undo[0]
	}
	t.mu.Unlock()
	if write != "" {
		err = errors.Join(err, t.again(ctx, write))
	}
	return res, err
}

// openTxns are the transactions that have written and not ended.
func (t *faultyTarget) openTxns() []*faultTxn {
	var out []*faultTxn
	for _, x := range t.txns {
		if x.ended == 0 && x.lastWrite != "" {
			out = append(out, &faultTxn{lastWrite: x.lastWrite})
		}
	}
	return out
}

// rememberOld notes, before an UPDATE, how its rows are put back.
func rememberOld(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	vkey, ok := c.target.version(sql)
	if !ok {
		return c.send(ctx, sql)
	}
	table, lock := c.target.written(sql), c.profile.Order != dbms.OneWriterAtOnce
	old, err := readAll(c.ask(ctx, c.target.matching(sql, lock, sqltext.PKey, sqltext.VKey, "v")))
	if err != nil {
		return nil, err
	}
	res, err := c.send(ctx, sql)
	if err != nil {
		return nil, err
	}
	c.target.mu.Lock()
	defer c.target.mu.Unlock()
	for _, r := range old.rows {
		c.txn.undo = append(c.txn.undo, fmt.Sprintf("UPDATE %s SET vkey = %v, v = %v WHERE pkey = %v AND vkey = %d", table,
			text(r[1]), text(r[2]), text(r[0]), vkey))
	}
	return res, nil
}

// text is a number as a statement has it.
func text(v driver.Value) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}

// undoLast undoes the last writes that had been committed, if nobody has overwritten them.
func undoLast(t *faultyTarget, ctx context.Context, _ []*faultTxn) error {
	t.mu.Lock()
	var last *faultTxn
	for _, x := range t.txns {
		if x.committed && len(x.undo) > 0 && (last == nil || x.ended > last.ended) {
			last = x
		}
	}
	t.mu.Unlock()
	if last == nil {
		return nil
	}
	return t.again(ctx, last.undo[0])
}

// redoOpen does a write again of each transaction that was open.
func redoOpen(t *faultyTarget, ctx context.Context, open []*faultTxn) error {
	for _, x := range open {
		if err := t.again(ctx, x.lastWrite); err != nil {
			return err
		}
	}
	return nil
}

// again sends a write outside any transaction over a connection of its own; it does nothing where the database refuses
// it.
func (t *faultyTarget) again(ctx context.Context, sql string) error {
	if _, _, ofCase := sets(t.tree(sql), sqltext.VKey); !ofCase {
		return nil
	}
	s, err := t.second(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return insist(ctx, s, sql)
}

// insistTime is how long a second connection tries to get what others have locked.
const insistTime = 2 * time.Second

// second opens a connection that does not wait for locks.
func (t *faultyTarget) second(ctx context.Context) (*exec.Session, error) {
	s, err := t.Target.Open(ctx, exec.FirstNode, t.profile)
	for until := time.Now().Add(insistTime); err != nil && time.Now().Before(until); s,
		err = t.Target.Open(ctx, exec.FirstNode, t.profile) {
		time.Sleep(time.Millisecond) // an embedded engine that recovers refuses connections
	}
	if err != nil {
		return nil, err
	}
	if err := s.Must(ctx, t.profile.Sessions.NoWait...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// insist sends statements, all of them again where the database refuses one, until it takes them or the time is over.
func insist(ctx context.Context, s *exec.Session, sqls ...string) error {
	for until := time.Now().Add(insistTime); time.Now().Before(until); time.Sleep(time.Millisecond) {
		refused := false
		for _, sql := range sqls {
			send := s.Exec
			if strings.HasPrefix(sql, "SELECT") {
				send = s.Query
			}
			a, err := send(ctx, sql)
			if err != nil {
				return err
			}
			if refused = a.Err != nil; refused {
				break
			}
		}
		if !refused {
			return nil
		}
	}
	return nil
}

// keepLock locks what a transaction had written last, for good.
func keepLock(t *faultyTarget, ctx context.Context, x *faultTxn) error {
	if _, ok := t.tree(x.lastWrite).(*sqltree.Update); !ok {
		return nil
	}
	s, err := t.second(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.kept = append(t.kept, s)
	t.mu.Unlock()
	if t.profile.Order == dbms.OneWriterAtOnce {
		return insist(ctx, s, "BEGIN IMMEDIATE")
	}
	return insist(ctx, s, "BEGIN", t.matching(x.lastWrite, true, sqltext.PKey))
}

// closeKept ends the connections that keep locks.
func (t *faultyTarget) closeKept() {
	for _, s := range slices.Backward(t.kept) {
		s.Close()
	}
	t.kept = nil
}
