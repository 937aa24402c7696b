package planted

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	sqltree "txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Faults returns the planted bugs, in the order of the documents: those of isolation, which MTC's Table I names,
// then those of Leopard, of TxCheck, and others.
func Faults() []*Fault {
	return slices.Concat(readFaults, writeFaults, answerFaults, savepointFaults, refusalFaults)
}

func always(*dbms.Profile) bool     { return true }
func anywhere(*dbms.Profile) string { return "" }

func needsLocks(p *dbms.Profile) string {
	if p.ReadModes.Observer != dbms.NoObserver || p.Promise().RowLocks {
		return ""
	}
	return "the engine has no locking reads and no weaker level"
}

// forbids says whether a level rules a phenomenon out.
func forbids(ph fault.Kind) func(*dbms.Profile) bool {
	return func(p *dbms.Profile) bool { return slices.Contains(p.Judged(), ph) }
}

// lockingReadDiffers says whether a locking read sees another state than a plain one, or is known to lock what it
// returns, so that one without a lock shows.
func lockingReadDiffers(p *dbms.Profile) bool {
	return p.Promise().RowLocks || p.ReadModes.SelectView != p.DMLView && forbids(fault.P2)(p)
}

// answerFaults spoil one statement and its answer by themselves.
var answerFaults = []*Fault{
	{Name: "two-versions", Reference: "Leopard, Bug 3: a query returns two versions of a row",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				if len(m.rows) > 0 {
					m.rows = append(m.rows, m.rows[0])
				}
			})
		}},
	{Name: "update-other-rows",
		Reference: "TxCheck, Figure 1: an UPDATE matches other rows than a SELECT under the same predicate",
		Forbidden: always, Inapplicable: anywhere, every: 4, verbs: []string{"UPDATE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			return c.send(ctx, c.target.restrict(sql, func(key sqltree.Expr) sqltree.Expr {
				return &sqltree.Binary{Op: sqltree.OpEq, Left: &sqltree.Binary{Op: sqltree.OpMod, Left: key, Right: number(2)},
					Right: number(0)}
			}))
		}},
	{Name: "rollback-has-effects", Reference: "TxCheck, Figure 14: a rolled-back transaction has effects",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"ROLLBACK"},
		exec: commitInstead},
	{Name: "rollback-keeps-delete", Reference: "Adya, PL-2: others miss a row whose deletion is rolled back (G1a)",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"ROLLBACK"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			if verb(c.txn.lastWrite) != "DELETE" {
				return c.send(ctx, sql)
			}
			return commitInstead(c, ctx, sql)
		}},
	{Name: "wrong-own-aggregate", Reference: "TxCheck, Figure 15: an aggregate over own uncommitted writes is wrong",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"SELECT", "WITH"}, needs: needsAggregate,
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				if len(c.txn.wrote) > 0 && counts(c.tree(sql)) && len(m.rows) > 0 {
					for i, v := range m.rows[0] {
						if n, ok := v.(int64); ok {
							m.rows[0][i] = n + 1
						}
					}
				}
			})
		}},
	{Name: "crash-while-blocked",
		Reference: "TxCheck, Figure 16: the server crashes when it gets an UPDATE while another statement waits",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"UPDATE"}, exec: crashWhileBlocked},
	{Name: "lost-row", Reference: "a SELECT misses a row that its predicate matches",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				if len(m.rows) > 0 {
					m.rows = m.rows[:len(m.rows)-1]
				}
			})
		}},
	{Name: "lost-delete", Reference: "a DELETE says that it deleted and does not",
		Forbidden: always, Inapplicable: anywhere, every: 2, verbs: []string{"DELETE"},
		exec: func(*faultConn, context.Context, string) (driver.Result, error) { return affected(1), nil }},
	{Name: "lost-insert", Reference: "an INSERT says that it inserted and does not",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"INSERT"},
		exec: func(*faultConn, context.Context, string) (driver.Result, error) { return affected(1), nil }},
	{Name: "resurrected-row", Reference: "a deleted row is there again once the transaction that deleted it has committed",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"DELETE", "COMMIT"}, follows: []string{"DELETE"},
		exec: resurrect},
	{Name: "stale-index",
		Reference: "a query through a secondary index misses rows whose indexed column an UPDATE changed",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"UPDATE", "SELECT"}, follows: []string{"SELECT"},
		probes: true, needs: needsIndex,
		exec: leaveIndex, query: readIndex},
	{Name: "skip-after-wait", Reference: "an UPDATE skips a row after waking from a lock wait",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"UPDATE", "SELECT"}, follows: []string{"SELECT"},
		probes: true, exec: skipWaitedFor, query: noteWaitedFor},
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
	{Name: "appearing-error", Reference: "a statement error appears",
		Forbidden: always, Inapplicable: anywhere, every: 4, verbs: []string{"UPDATE", "INSERT"},
		exec: func(c *faultConn, ctx context.Context, _ string) (driver.Result, error) {
			return c.send(ctx, "DELETE FROM no_such_table")
		}},
	{Name: "vanished-error", Reference: "a statement error vanishes",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"INSERT", "UPDATE"},
		exec: vanish},
	{Name: "lost-commit", Reference: "durability: a COMMIT is answered and the transaction is rolled back",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: []string{"COMMIT", "XA"},
		exec: loseCommit},
	{Name: "other-final-state", Reference: "the final state differs though every answer agrees",
		Forbidden: always, Inapplicable: anywhere, every: 4, verbs: []string{"UPDATE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			res, err := c.send(ctx, sql)
			vkey, ok := c.target.version(sql)
			if err != nil || !ok {
				return res, err
			}
			_, err = c.send(ctx, fmt.Sprintf("UPDATE %s SET pvkey = pvkey + 100000 WHERE vkey = %d",
				c.target.written(sql), vkey))
			return res, err
		}},
}

// commitInstead commits what is to be rolled back.
func commitInstead(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	res, err := c.send(ctx, "COMMIT")
	if err != nil { // what cannot be committed is rolled back, which is no error
		return c.send(ctx, sql)
	}
	return res, nil
}

// loseCommit answers the end of a transaction and rolls it back. One that is prepared stays so, with its locks.
func loseCommit(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	text := c.profile.Read(sql)
	switch {
	case text.Kind != sqltext.XA:
		return c.send(ctx, "ROLLBACK")
	case !text.Ends(control.Prepared) || text.RollsBack():
		return c.send(ctx, sql)
	case text.OnePhase():
		return c.send(ctx, "XA ROLLBACK "+text.XAName())
	}
	return affected(0), nil
}

// vanish answers a duplicate key as if nothing had been, and lets the transaction live on where an error ends it.
func vanish(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	if c.profile.Transactions.Loss == dbms.ErrorsEnd {
		if _, err := c.send(ctx, "SAVEPOINT txw_before"); err != nil {
			return nil, err
		}
	}
	res, err := c.send(ctx, sql)
	if err == nil || !strings.Contains(strings.ToLower(err.Error()), "unique") && !strings.Contains(err.Error(),
		"Duplicate entry") {
		return res, err
	}
	if c.profile.Transactions.Loss == dbms.ErrorsEnd {
		if _, err := c.send(ctx, "ROLLBACK TO SAVEPOINT txw_before"); err != nil {
			return nil, err
		}
	}
	if c.returning != nil {
		c.returned = noRows(c.returning)
	}
	return affected(0), nil
}

// crashWhileBlocked lets the server seem to end when it gets an UPDATE while a statement of another session waits: it
// has not answered, or was refused and will be sent again. Every session then answers that its connection is gone, and
// the target that its process has ended; the real one lives on.
func crashWhileBlocked(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	t := c.target
	t.mu.Lock()
	t.crashed = slices.ContainsFunc(t.conns, func(o *faultConn) bool { return o != c && (o.flying || o.refused) })
	crashed := t.crashed
	t.mu.Unlock()
	if crashed {
		return nil, errCrashed
	}
	return c.send(ctx, sql)
}

// resurrect notes which rows a DELETE deletes, and inserts those that were there from the start again just before the
// transaction commits.
func resurrect(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	x := c.txn
	if sqltext.FirstWord(sql) == "COMMIT" {
		for _, table := range slices.Sorted(mapKeys(x.deleted)) {
			again := fmt.Sprintf("INSERT INTO %s SELECT * FROM %s WHERE pkey IN (%s)", table, exec.Copy(table),
				numbers(x.deleted[table]))
			if _, err := c.send(ctx, again); err != nil && c.target.class(err) != dbms.Deterministic {
				return nil, err
			}
		}
		return c.send(ctx, sql)
	}
	keys, err := c.keys(ctx, sql, c.profile.DMLView == dbms.Current) // what DML reads
	if err != nil {
		return nil, err
	}
	res, err := c.send(ctx, sql)
	if err == nil {
		table := c.target.written(sql)
		x.deleted[table] = append(x.deleted[table], keys...)
	}
	return res, err
}

// indexed returns the columns of a table that have a secondary index.
func (t *faultyTarget) indexed(table string) []string {
	var out []string
	for _, s := range t.c.Schema {
		if of, columns := indexes(t.tree(s.SQL)); strings.EqualFold(of, table) {
			out = append(out, columns...)
		}
	}
	return out
}

// leaveIndex notes the versions that an UPDATE of an indexed column makes: the index does not know them.
func leaveIndex(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	t := c.target
	res, err := c.send(ctx, sql)
	vkey, ok := t.version(sql)
	if err != nil || !ok {
		return res, err
	}
	for _, col := range t.indexed(t.written(sql)) {
		if _, _, does := sets(t.tree(sql), col); does {
			t.mu.Lock()
			t.stale[vkey] = true
			t.mu.Unlock()
		}
	}
	return res, nil
}

// readIndex leaves those versions out of the answer of a query whose WHERE names an indexed column.
func readIndex(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	t, uses := c.target, c.target.looksUp(sql)
	return c.edit(ctx, sql, func(m *memoryRows) {
		if !uses {
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		m.rows = slices.DeleteFunc(m.rows, func(row []driver.Value) bool {
			return slices.ContainsFunc(m.vkeys(), func(i int) bool {
				n, ok := row[i].(int64)
				return ok && t.stale[n]
			})
		})
	})
}

// looksUp says whether the WHERE clause of a query names an indexed column.
func (t *faultyTarget) looksUp(sql string) bool {
	found := wheres(t.tree(sql))
	return len(found) > 0 && slices.ContainsFunc(t.mentioned(sql), func(table string) bool {
		return slices.ContainsFunc(t.indexed(table), func(col string) bool {
			return slices.ContainsFunc(found, func(x sqltree.Expr) bool { return names(x, col) })
		})
	})
}

// noteWaitedFor finds out which rows a locking read has to wait for.
func noteWaitedFor(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	skipping := c.target.skipping(sql)
	if skipping == "" {
		return c.ask(ctx, sql)
	}
	free, err := readAll(c.ask(ctx, skipping))
	if err != nil {
		return nil, err
	}
	all, err := readAll(c.ask(ctx, sql))
	if err == nil && len(all.pkeys()) == 1 {
		had := free.ints(all.pkeys()[0])
		for _, pkey := range all.ints(all.pkeys()[0]) {
			if !slices.Contains(had, pkey) {
				// The tables that a read locks beside its own it locks for nothing: the keys are of the first.
				table := nameOf(source(c.tree(sql)))
				c.txn.waitedFor[table] = append(c.txn.waitedFor[table], pkey)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// skipWaitedFor makes an UPDATE pass over the rows that its transaction had to wait for. Where the engine refuses
// instead of making wait, the first UPDATE of a transaction that was refused passes over the last row that it matches.
func skipWaitedFor(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	x, table := c.txn, c.target.written(sql)
	if needsLocks(c.profile) == "" {
		if len(x.waitedFor[table]) == 0 { // no probe that locks has waited in its place, as none does in a plain run
			rows, err := noteWaitedFor(c, ctx, c.target.matching(sql, true, sqltext.PKey))
			if err != nil && c.target.class(err) == dbms.Deterministic {
				// the table has no pkey, or the UPDATE is of several tables
				return c.send(ctx, sql)
			}
			if err != nil {
				return nil, err
			}
			rows.Close()
		}
		if skip := x.waitedFor[table]; len(skip) > 0 {
			sql = c.target.but(sql, skip...)
		}
		return c.send(ctx, sql)
	}
	if !x.wakes {
		return c.send(ctx, sql)
	}
	keys, err := c.keys(ctx, sql, false)
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		sql = c.target.but(sql, slices.Max(keys))
	}
	res, err := c.send(ctx, sql)
	if err == nil {
		x.wakes = len(keys) == 0
	}
	return res, err
}
