package planted

import (
	"context"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"

	"txweave/dbms"
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

var (
	indexMade  = regexp.MustCompile(`(?:ADD INDEX|CREATE INDEX(?: IF NOT EXISTS)?) (\w+)_v`)
	keyLiteral = regexp.MustCompile(`pkey = (\d+)`)
)

// noteIndex notes, when an index has been made, the rows of its table that transactions wrote last.
func noteIndex(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	res, err := c.send(ctx, sql)
	if m := indexMade.FindStringSubmatch(sql); m != nil && err == nil {
		t := c.target
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.missed == nil {
			t.missed = map[string]string{}
		}
		var keys []string
		for _, x := range t.txns {
			if k := keyLiteral.FindStringSubmatch(x.lastWrite); k != nil && strings.Contains(x.lastWrite, " "+m[1]+" ") {
				keys = append(keys, k[1])
			}
		}
		t.missed[m[1]] = strings.Join(keys, ", ")
	}
	return res, err
}

// missIndexed leaves those rows out of what is read over the index alone.
func missIndexed(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	head, where, _ := clauses(sql)
	table := head[strings.LastIndex(head, " ")+1:]
	c.target.mu.Lock()
	keys := c.target.missed[table]
	c.target.mu.Unlock()
	if keys == "" || strings.Contains(where, "pkey") || strings.Contains(head, "pvkey") {
		return c.ask(ctx, sql)
	}
	return c.ask(ctx, restrict(sql, "pkey NOT IN ("+keys+")"))
}

// purgedAfter is how many statements of others a snapshot outlives.
const purgedAfter = 60

// readPurged reads what is committed now, in a transaction whose snapshot has grown old.
func readPurged(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	t := c.target
	t.mu.Lock()
	old := c.txn.first > 0 && t.clock-c.txn.first > purgedAfter && len(c.txn.wrote) == 0
	t.mu.Unlock()
	if !old || !plainRead(sql) {
		return c.ask(ctx, sql)
	}
	return t.latest(ctx, sql)
}

// loseAfterPause loses the first UPDATE of one row after the process was stopped.
func loseAfterPause(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	c.target.mu.Lock()
	lost := c.target.resumed && keyLiteral.MatchString(sql) && vkeyLiteral.MatchString(sql)
	if lost {
		c.target.resumed = false
	}
	c.target.mu.Unlock()
	if !lost {
		return c.send(ctx, sql)
	}
	found, err := c.keys(ctx, matching(sql, ""))
	return affected(len(found)), err
}

// locksTable says whether a statement is PostgreSQL's that locks a table in a transaction.
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
