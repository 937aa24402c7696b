package planted

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/sql/sqltext"
)

// keepsSnapshot says why a level cannot show a purge that comes too early.
func keepsSnapshot(p *dbms.Profile) string {
	if p.SnapshotScope() == dbms.PerTransaction && !p.LockingReads {
		return ""
	}
	return "no transaction keeps a snapshot at this level"
}

// needsBranches says why a dialect has no prepared transactions.
func needsBranches(p *dbms.Profile) string {
	if p.Order == dbms.BinaryLog {
		return ""
	}
	return "transactions are not prepared there"
}

// needsTableLocks says why a dialect cannot lock whole tables.
func needsTableLocks(p *dbms.Profile) string {
	if p.Order == dbms.DatabaseClock {
		return "no statement locks a whole table there"
	}
	return ""
}

// noteIndex notes, when an index has been made, the rows of its table that transactions wrote last.
func noteIndex(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	res, err := c.send(ctx, sql)
	t := c.target
	if table, columns := indexes(t.tree(sql)); len(columns) > 0 && err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.missed == nil {
			t.missed = map[string][]int64{}
		}
		var keys []int64
		for _, x := range t.txns {
			if pkey, ok := t.key(x.lastWrite); ok && t.written(x.lastWrite) == table {
				keys = append(keys, pkey)
			}
		}
		t.missed[table] = keys
	}
	return res, err
}

// missIndexed leaves those rows out of what is read over the index alone.
func missIndexed(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	stmt := c.tree(sql)
	_, s := search(stmt)
	c.target.mu.Lock()
	keys := c.target.missed[nameOf(source(stmt))]
	c.target.mu.Unlock()
	if len(keys) == 0 || names(s.Where, sqltext.PKey) || names(stmt, sqltext.PVKey) {
		return c.ask(ctx, sql)
	}
	return c.ask(ctx, c.target.but(sql, keys...))
}

// purgedAfter is how many statements of others a snapshot outlives.
const purgedAfter = 60

// readPurged reads what is committed now, in a transaction whose snapshot has grown old.
func readPurged(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	t := c.target
	t.mu.Lock()
	old := c.txn.first > 0 && t.clock-c.txn.first > purgedAfter && len(c.txn.wrote) == 0
	t.mu.Unlock()
	if !old || !plainRead(c.tree(sql)) {
		return c.ask(ctx, sql)
	}
	return t.latest(ctx, sql)
}

// loseAfterPause loses the first UPDATE of one row after the process was stopped.
func loseAfterPause(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	_, ofRow := c.target.key(sql)
	_, ofCase := c.target.version(sql)
	c.target.mu.Lock()
	lost := c.target.resumed && ofRow && ofCase
	if lost {
		c.target.resumed = false
	}
	c.target.mu.Unlock()
	if !lost {
		return c.send(ctx, sql)
	}
	found, err := c.keys(ctx, sql, false)
	return affected(len(found)), err
}

// locksTable says whether a statement locks a table in a transaction.
func locksTable(sql string) bool { return strings.HasPrefix(sql, "LOCK TABLE ") }

// ignoreLock answers statements that lock whole tables and does not send them.
func ignoreLock(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	for _, lock := range []string{"LOCK TABLE", "FLUSH TABLES", "BEGIN EXCLUSIVE"} {
		if strings.HasPrefix(sql, lock) && !strings.Contains(sql, "receipts") {
			return affected(0), nil
		}
	}
	if sql == "UNLOCK TABLES" { // without locks it would not commit
		sql = "COMMIT"
	}
	return c.send(ctx, sql)
}

// forgetBranches rolls back all prepared transactions.
func forgetBranches(t *faultyTarget, ctx context.Context, _ []*faultTxn) error {
	s, err := t.second(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	rows, err := s.Read(ctx, "XA RECOVER")
	for i := 0; err == nil && i < rows.Len(); i++ {
		err = s.Must(ctx, fmt.Sprintf("XA ROLLBACK '%s'", rows.Row(i)[3].S))
	}
	return err
}
