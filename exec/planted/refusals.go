package planted

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"txweave/dbms"
)

// refusalFaults keep a transaction out that nobody is in the way of, or let one in.
var refusalFaults = []*Fault{
	{Name: "write-lock-of-nobody", Reference: "a write waits for the one write lock, which nobody has",
		Forbidden: always, Inapplicable: needsOneWriter, every: 2, verbs: []string{"INSERT", "UPDATE", "DELETE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			if c.refused { // it is sent again
				return c.send(ctx, sql)
			}
			return c.sendBeside(ctx, sql, "BEGIN IMMEDIATE")
		}},
	{Name: "refused-for-no-commit",
		Reference: "a transaction's first write is refused for a newer commit, though nobody has written",
		Forbidden: always, Inapplicable: needsOneWriter, every: 2, verbs: []string{"INSERT", "UPDATE", "DELETE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			if c.txn == nil || c.txn.first == 0 || c.txn.writes > 0 {
				return c.send(ctx, sql)
			}
			return c.sendBeside(ctx, sql, fmt.Sprintf("PRAGMA user_version = %d", c.firstRead()))
		}},
	{Name: "no-write-lock", Reference: "BEGIN IMMEDIATE takes no lock", Forbidden: always,
		Inapplicable: needsOneWriter, every: 1, verbs: []string{"BEGIN"},
		exec: func(c *faultConn, ctx context.Context, _ string) (driver.Result, error) { return c.send(ctx, "BEGIN") }},
	{Name: "refused-try", Reference: "a try to lock a number, which nobody else has asked for, is answered with no",
		Forbidden: always, Inapplicable: needsNumberLocks, every: 1, verbs: []string{"SELECT"},
		needs: "a storm's transactions lock no numbers",
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			l, ok := c.profile.Read(sql).AdvisoryLock()
			return c.edit(ctx, sql, func(m *memoryRows) {
				if ok && l.Try && len(m.rows) == 1 {
					m.rows[0][0] = "f" // as the driver has it
				}
			})
		}},
}

// sendBeside sends a write while a second connection has done, or holds, what the database does not tell of. Where that
// is refused, somebody is in the way of both.
func (c *faultConn) sendBeside(ctx context.Context, sql, other string) (res driver.Result, err error) {
	s, err := c.target.second(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Exec(ctx, other); err != nil {
		return nil, err
	}
	return c.send(ctx, sql)
}

func needsOneWriter(p *dbms.Profile) string {
	if p.Order == dbms.OneWriterAtOnce {
		return ""
	}
	return "several transactions may write at a time there"
}

func needsNumberLocks(p *dbms.Profile) string {
	if p.Tree.NumberLocks != "" {
		return ""
	}
	return "no statement locks a number there"
}
