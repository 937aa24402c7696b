package exec

import (
	"context"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"

	"txweave/profile"
)

// Faults returns the planted bugs, in the order of the documents.
func Faults() []*Fault { return faults }

func always(*profile.Profile) bool     { return true }
func anywhere(*profile.Profile) string { return "" }

func needsLocks(p *profile.Profile) string {
	if p.Observers {
		return ""
	}
	return "the engine has no locking reads and no weaker level"
}

// forbids says whether a level rules a phenomenon out.
func forbids(ph profile.Phenomenon) func(*profile.Profile) bool {
	return func(p *profile.Profile) bool {
		for _, f := range p.Forbidden {
			if f == ph {
				return true
			}
		}
		return false
	}
}

var vkeyLiteral = regexp.MustCompile(`vkey = (\d+)`)

var faults = []*Fault{
	{Name: "lost-row", Reference: "a SELECT misses a row that its predicate matches (Leopard: reads check only what is returned)",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				if len(m.rows) > 0 {
					m.rows = m.rows[:len(m.rows)-1]
				}
			})
		}},
	{Name: "two-versions", Reference: "Leopard: a query returns two versions of a row",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				if len(m.rows) > 0 {
					m.rows = append(m.rows, m.rows[0])
				}
			})
		}},
	{Name: "wrong-own-aggregate", Reference: "TxCheck Figure 15: an aggregate over own uncommitted writes is wrong",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"SELECT", "WITH"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				if c.wrote && strings.Contains(sql, "COUNT(") && len(m.rows) > 0 {
					for i, v := range m.rows[0] {
						if n, ok := v.(int64); ok {
							m.rows[0][i] = n + 1
						}
					}
				}
			})
		}},
	{Name: "lost-delete", Reference: "a DELETE says that it deleted and does not",
		Forbidden: always, Inapplicable: anywhere, every: 2, verbs: []string{"DELETE"},
		exec: func(*faultConn, context.Context, string) (driver.Result, error) { return affected(1), nil }},
	{Name: "lost-insert", Reference: "MTC: not-my-own-write",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"INSERT"},
		exec: func(*faultConn, context.Context, string) (driver.Result, error) { return affected(1), nil }},
	{Name: "wrong-affected", Reference: "wrong affected-row count",
		Forbidden: always, Inapplicable: anywhere, every: 4, verbs: []string{"UPDATE", "DELETE", "INSERT"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			res, err := c.send(ctx, sql)
			if err != nil {
				return nil, err
			}
			n, err := res.RowsAffected()
			return affected(n + 1), err
		}},
	{Name: "update-other-rows", Reference: "TxCheck Figure 1: an UPDATE matches other rows than a SELECT under the same predicate",
		Forbidden: always, Inapplicable: anywhere, every: 4, verbs: []string{"UPDATE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			return c.send(ctx, sql+" AND pkey % 2 = 0")
		}},
	{Name: "vanished-error", Reference: "a statement error vanishes",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"INSERT", "UPDATE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			res, err := c.send(ctx, sql)
			if err != nil && strings.Contains(strings.ToLower(err.Error()), "unique") || err != nil && strings.Contains(err.Error(), "Duplicate entry") {
				return affected(0), nil
			}
			return res, err
		}},
	{Name: "lost-commit", Reference: "durability: a COMMIT is answered and the transaction is rolled back",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"COMMIT"},
		exec: func(c *faultConn, ctx context.Context, _ string) (driver.Result, error) {
			return c.send(ctx, "ROLLBACK")
		}},
	{Name: "rollback-has-effects", Reference: "TxCheck Figure 14: a rolled-back transaction has effects",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"ROLLBACK"},
		exec: func(c *faultConn, ctx context.Context, _ string) (driver.Result, error) {
			return c.send(ctx, "COMMIT")
		}},
	{Name: "other-final-state", Reference: "the final state differs though every answer agrees",
		Forbidden: always, Inapplicable: anywhere, every: 4, verbs: []string{"UPDATE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			res, err := c.send(ctx, sql)
			m := vkeyLiteral.FindStringSubmatch(sql)
			if err != nil || m == nil {
				return res, err
			}
			table := strings.Fields(sql)[1]
			_, err = c.send(ctx, fmt.Sprintf("UPDATE %s SET pvkey = pvkey + 100000 WHERE vkey = %s", table, m[1]))
			return res, err
		}},
	{Name: "thin-air-read", Reference: "MTC: thin-air read",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				for i, name := range m.columns {
					if n, ok := firstInt(m, i); ok && (name == "vkey" || strings.HasSuffix(name, "_v")) {
						m.rows[0][i] = n + 500000
					}
				}
			})
		}},
	{Name: "dirty-read", Reference: "MTC: aborted read, intermediate read (G1a, G1b)",
		Forbidden: always, Inapplicable: needsLocks, every: 2, verbs: []string{"SELECT"}, query: readAt(ReadUncommitted)},
	{Name: "not-my-own-write", Reference: "MTC: not-my-own-write, non-repeatable read: another connection answers",
		Forbidden: always, Inapplicable: anywhere, every: 2, verbs: []string{"SELECT"}, query: readAt(ReadCommitted)},
	{Name: "no-row-lock", Reference: "Leopard: FOR UPDATE that takes no lock",
		Forbidden: lockingReadDiffers, Inapplicable: needsLocks, every: 1, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.ask(ctx, unlocked(sql))
		}},
	{Name: "weaker-level", Reference: "MTC: non-repeatable read, fractured read: a level that is not the one asked for",
		Forbidden: forbids(profile.P2), Inapplicable: needsLocks, every: 1, verbs: []string{"BEGIN", "START"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			if _, err := c.send(ctx, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"); err != nil {
				return nil, err
			}
			return c.send(ctx, sql)
		}},
}

// readAt answers a query over a second connection at a level; locking clauses go, it must not wait for anybody.
func readAt(level string) func(*faultConn, context.Context, string) (driver.Rows, error) {
	return func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
		other, err := c.elsewhere(ctx, level)
		if err != nil {
			return nil, err
		}
		return other.ask(ctx, unlocked(sql))
	}
}

// unlocked takes the locking clause off a query.
func unlocked(sql string) string {
	sql = strings.ReplaceAll(sql, " LOCK IN SHARE MODE", "")
	return strings.TrimSuffix(sql, " FOR UPDATE")
}

// lockingReadDiffers says whether a locking read sees another state than a plain one, so that one without a lock
// shows.
func lockingReadDiffers(p *profile.Profile) bool {
	return p.SelectView != p.DMLView && forbids(profile.P2)(p)
}

// firstInt returns the integer in a column of the first row.
func firstInt(m *memoryRows, col int) (int64, bool) {
	if len(m.rows) == 0 {
		return 0, false
	}
	n, ok := m.rows[0][col].(int64)
	return n, ok
}
