package planted

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

var selects = []string{"SELECT", "WITH"}

// readFaults make plain reads see another state of the database than they should: that of another moment, of another
// transaction, of another part of its own.
var readFaults = []*Fault{
	{Name: "thin-air-read", Reference: "MTC, Table I (a): a transaction reads a value out of thin air",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: selects,
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.edit(ctx, sql, func(m *memoryRows) {
				for _, i := range m.vkeys() {
					if len(m.rows) > 0 {
						if n, ok := m.rows[0][i].(int64); ok {
							m.rows[0][i] = n + 500000
						}
					}
				}
			})
		}},
	{Name: "aborted-read", Reference: "MTC, Table I (b): a transaction reads what one wrote that is rolled back (G1a)",
		Forbidden: forbids(fault.G1a), Inapplicable: anywhere, every: 1, verbs: selects,
		needs: needsFuture, query: dirtyRead(func(c *faultConn, x *faultTxn, _ []string) bool {
			return x.rollsBack(c.target)
		})},
	{Name: "future-read", Reference: "MTC, Table I (c): a transaction reads what it writes later",
		Forbidden: always, Inapplicable: anywhere, every: 3, verbs: selects, needs: needsFuture, query: futureRead},
	{Name: "not-my-last-write", Reference: "MTC, Table I (d): a transaction reads its own write, but not the last one",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"},
		follows: []string{"INSERT", "UPDATE", "DELETE"}, exec: savepointFirst, query: withoutLastWrite},
	{Name: "not-my-own-write", Reference: "MTC, Table I (e): a transaction does not read its own write",
		Forbidden: always, Inapplicable: anywhere, every: 2, verbs: selects,
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			if !plainRead(c.tree(sql)) || !anyOf(c.txn.wrote, c.target.mentioned(sql)) {
				return c.ask(ctx, sql)
			}
			return c.target.latest(ctx, sql)
		}},
	{Name: "intermediate-read", Reference: "MTC, Table I (f): a transaction reads what its writer overwrites later (G1b)",
		Forbidden: forbids(fault.G1b), Inapplicable: anywhere, every: 1, verbs: selects,
		needs: needsFuture, query: dirtyRead(func(c *faultConn, x *faultTxn, tables []string) bool {
			return !x.rollsBack(c.target) && x.writesAgain(c.target, tables)
		})},
	{Name: "dirty-read", Reference: "ANSI P1: a transaction reads what another one has not committed",
		Forbidden: forbids(fault.G1a), Inapplicable: anywhere, every: 2, verbs: selects,
		query: dirtyRead(func(*faultConn, *faultTxn, []string) bool { return true })},
	{Name: "circular-information-flow", Reference: "Adya: two transactions each see what the other one writes (G1c)",
		Forbidden: forbids(fault.G1c), Inapplicable: anywhere, every: 1, verbs: selects, query: circularFlow},
	{Name: "non-repeatable-read", Reference: "MTC, Table I (g): a transaction reads an object twice and gets two values",
		Forbidden: forbids(fault.P2), Inapplicable: anywhere, every: 1, verbs: selects,
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			if !plainRead(c.tree(sql)) || len(c.txn.wrote) > 0 {
				return c.ask(ctx, sql)
			}
			return c.target.latest(ctx, sql)
		}},
	{Name: "session-guarantee-violation",
		Reference: "MTC, Table I (h): a transaction misses what the one before it in its session wrote",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: selects, views: true, query: fromView(missOwnSession)},
	{Name: "non-monotonic-read",
		Reference: "MTC, Table I (i): a transaction reads from a later one and then from an earlier one that it overwrote",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: selects, views: true, query: fromView(goBack)},
	{Name: "fractured-read",
		Reference: "MTC, Table I (j): a transaction sees one table that another one changed and misses a second",
		Forbidden: forbids(fault.PMP), Inapplicable: anywhere, every: 1, verbs: selects, views: true,
		query: fromView(missPart)},
	{Name: "causality-violation",
		Reference: "MTC, Table I (k): a transaction sees what another one wrote and misses what that one had read",
		Forbidden: forbids(fault.PMP), Inapplicable: anywhere, every: 1, verbs: selects, views: true,
		query: fromView(missCause)},
	{Name: "long-fork",
		Reference: "MTC, Table I (l): two transactions see the writes of two concurrent ones in different orders",
		Forbidden: forbids(fault.PMP), Inapplicable: anywhere, every: 1, verbs: selects, views: true, query: fromView(fork)},
	{Name: "phantom", Reference: "a range read that is repeated gives a row more (P3)",
		Forbidden: forbids(fault.P2), Inapplicable: anywhere, every: 1, verbs: selects, query: phantom},
	{Name: "stale-snapshot", Reference: "Leopard: a read misses the latest committed version",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: selects, views: true, query: fromView(missLatest)},
	{Name: "g-sib",
		Reference: "TxCheck, Figure 13: a cycle with exactly one anti-dependency (G-SIb): a transaction misses a write of " +
			"one that it reads from",
		Forbidden: forbids(fault.PMP), Inapplicable: anywhere, every: 1, verbs: selects, query: readAhead},
	{Name: "weaker-level", Reference: "a level that is not the one asked for: READ COMMITTED",
		Forbidden: forbids(fault.P2), Inapplicable: needsLocks, every: 1, verbs: []string{"BEGIN", "START"},
		exec: weakened(fault.P2)},
}

// dirtyRead answers a plain read with what an open transaction has not committed, one that which admits and that has
// written a table which the read mentions: at READ UNCOMMITTED, or where the engine has no such level over the
// connection of the writer.
func dirtyRead(which func(c *faultConn, x *faultTxn, tables []string) bool) func(*faultConn, context.Context,
	string) (driver.Rows, error) {
	return func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
		t := c.target
		tables := t.mentioned(sql)
		others := c.others()
		i := slices.IndexFunc(others, func(x *faultTxn) bool {
			return x.ended == 0 && anyOf(x.wrote, tables) && which(c, x, tables)
		})
		if i < 0 || !plainRead(c.tree(sql)) {
			return c.ask(ctx, sql)
		}
		if c.profile.ReadModes.Observer != dbms.DirtyObserver {
			return c.askOver(ctx, others[i], sql)
		}
		if c.dirty == nil {
			var err error
			if c.dirty, err = t.Target.Observe(ctx, exec.FirstNode, exec.ReadUncommitted); err != nil {
				return nil, err
			}
		}
		return ask(ctx, c.dirty, sql)
	}
}

// askOver reads over the connection of another transaction, unless that is busy or the transaction has ended: the
// writer cannot be made to wait for its reader.
func (c *faultConn) askOver(ctx context.Context, x *faultTxn, sql string) (driver.Rows, error) {
	if !x.conn.using.TryLock() {
		return c.ask(ctx, sql)
	}
	c.target.mu.Lock()
	open := x.self.ended == 0
	c.target.mu.Unlock()
	if !open {
		x.conn.using.Unlock()
		return c.ask(ctx, sql)
	}
	defer x.conn.using.Unlock()
	return x.conn.askNow(ctx, sql)
}

// readAllRows is readAll for a result that may be nil.
func readAllRows(rows driver.Rows, err error) (driver.Rows, error) {
	m, err := readAll(rows, err)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// rollsBack says whether a transaction will end in a ROLLBACK of its own.
func (x *faultTxn) rollsBack(t *faultyTarget) bool { return x.txn >= 0 && t.endsBack(x.txn) }

// endsBack says so of a transaction of the case.
func (t *faultyTarget) endsBack(txn int) bool { return t.c.Read(t.c.Txns[txn].End.SQL).RollsBack() }

// writesAgain says whether a transaction will write a table again that it has written.
func (x *faultTxn) writesAgain(t *faultyTarget, tables []string) bool {
	if x.txn < 0 {
		return false
	}
	for _, s := range t.c.Txns[x.txn].Stmts {
		table := t.written(s.SQL)
		if sqltext.FirstWord(s.SQL) == "UPDATE" && x.wrote[table] && slices.Contains(tables, table) && !x.done[s.ID] {
			return true
		}
	}
	return false
}

// futureRead shows a transaction a later write of its own.
func futureRead(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	at, ofCase := c.target.placeOf(exec.OccasionIn(ctx))
	if !ofCase {
		return c.ask(ctx, sql)
	}
	return c.askAhead(ctx, sql, c.target.c.Txns[at.txn].Stmts[at.stmt+1:])
}

// circularFlow lets two transactions that both write see each other's changes. Where several may write at a time, each
// sees what the other one has not committed. Where one has to wait for the other, the first sees what the second one is
// going to write, and the second what the first one has committed. What a transaction has written itself it goes on
// seeing: over another one's connection that is not there.
func circularFlow(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	if len(c.txn.wrote) == 0 || c.txn.rollsBack(c.target) {
		return c.ask(ctx, sql)
	}
	if needsLocks(c.profile) == "" {
		return dirtyRead(func(c *faultConn, x *faultTxn, tables []string) bool {
			return (c.profile.ReadModes.Observer == dbms.DirtyObserver || !anyOf(c.txn.wrote, tables)) &&
				!x.rollsBack(c.target) && c.target.works(x.txn, c.txn.wrote)
		})(c, ctx, sql)
	}
	if _, ofCase := c.target.placeOf(exec.OccasionIn(ctx)); !ofCase {
		return c.ask(ctx, sql)
	}
	var ahead []testcase.Stmt
	for n := range c.target.c.Txns {
		if begun := c.target.begun(n); begun == c.txn || begun != nil && (begun.ended > 0 || len(begun.wrote) > 0) ||
			c.target.endsBack(n) || !c.target.works(n, c.txn.wrote) {
			continue
		}
		ahead = append(ahead, c.target.c.Txns[n].Stmts...)
	}
	return c.askAhead(ctx, sql, ahead)
}

// works says whether a transaction of the case reads or writes one of the tables. What a storm's will do nobody knows.
func (t *faultyTarget) works(txn int, tables map[string]bool) bool {
	return txn < 0 || slices.ContainsFunc(t.c.Txns[txn].Stmts, func(s testcase.Stmt) bool {
		return anyOf(tables, t.mentioned(s.SQL))
	})
}

// begun is a transaction of the case in this run; nil before its first statement.
func (t *faultyTarget) begun(txn int) *faultTxn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.txns, func(x *faultTxn) bool { return x.txn == txn }); i >= 0 {
		return t.txns[i]
	}
	return nil
}

// askAhead makes the first of some statements that writes what a plain read reads, reads, and takes the write back.
func (c *faultConn) askAhead(ctx context.Context, sql string, ahead []testcase.Stmt) (driver.Rows, error) {
	if !plainRead(c.tree(sql)) {
		return c.ask(ctx, sql)
	}
	tables := c.target.mentioned(sql)
	i := slices.IndexFunc(ahead, func(s testcase.Stmt) bool { return slices.Contains(tables, c.target.written(s.SQL)) })
	if i < 0 {
		return c.ask(ctx, sql)
	}
	if _, err := c.send(ctx, "SAVEPOINT txw_future"); err != nil {
		return nil, err
	}
	_, failed := c.send(ctx, ahead[i].SQL)
	if failed != nil && c.target.class(failed) == dbms.TxnLost && c.profile.ReadModes.Observer != dbms.NoObserver {
		return nil, failed // a deadlock
	}
	var rows driver.Rows
	if failed == nil {
		var err error
		if rows, err = c.ask(ctx, sql); err != nil {
			return nil, err
		}
	}
	if _, err := c.send(ctx, "ROLLBACK TO SAVEPOINT txw_future"); err != nil {
		return nil, err
	}
	if failed != nil {
		return c.ask(ctx, sql)
	}
	return rows, nil
}

// savepointFirst makes it possible to read as if the write had not been. Behind one that failed the write before it
// cannot be taken back any more.
func savepointFirst(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	if _, err := c.send(ctx, "SAVEPOINT txw_last"); err != nil {
		return nil, err
	}
	res, err := c.send(ctx, sql)
	if err != nil && c.txn != nil {
		c.txn.lastWrite = ""
	}
	return res, err
}

// lastStands says whether nothing came behind a transaction's last write that the savepoint before it is not for: a
// savepoint of the case's would be undone with the write, and a ROLLBACK TO has undone it, and the savepoint before it,
// too.
func (x *faultTxn) lastStands() bool { return x.sinceSavepoint == x.lastWrite && !x.wentBack }

// withoutLastWrite takes back the transaction's last write, if it is not the first one of its table, reads, and makes
// the write again.
func withoutLastWrite(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	x := c.txn
	table := c.target.written(x.lastWrite)
	if !plainRead(c.tree(sql)) || x.writesToTable[table] < 2 || !slices.Contains(c.target.mentioned(sql), table) ||
		!x.lastStands() {
		return c.ask(ctx, sql)
	}
	if _, err := c.send(ctx, "ROLLBACK TO SAVEPOINT txw_last"); err != nil {
		return nil, err
	}
	m, err := readAll(c.ask(ctx, sql))
	if err != nil {
		return nil, err
	}
	if _, err := c.send(ctx, x.lastWrite); err != nil {
		return nil, err
	}
	return m, nil
}

// fromView answers plain reads of a transaction that has not written yet with the state of the database before a
// commit, where which names one.
func fromView(which func(c *faultConn, tables []string) *faultTxn) func(*faultConn, context.Context,
	string) (driver.Rows, error) {
	return func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
		if !plainRead(c.tree(sql)) || len(c.txn.wrote) > 0 {
			return c.ask(ctx, sql)
		}
		if x := which(c, c.target.mentioned(sql)); x != nil {
			if rows, err := c.target.shown(ctx, x.before, sql); rows != nil || err != nil {
				return rows, err
			}
		}
		return c.ask(ctx, sql)
	}
}

// missLatest names the last commit before the transaction began to read.
func missLatest(c *faultConn, _ []string) *faultTxn {
	return last(c.committedBefore(c.firstRead()))
}

// missOwnSession names the last commit of the transaction's own session.
func missOwnSession(c *faultConn, _ []string) *faultTxn {
	return last(slices.DeleteFunc(c.committedBefore(c.firstRead()), func(x *faultTxn) bool { return x.conn != c }))
}

// goBack names the last commit before the transaction began to read, once it has read what that one wrote.
func goBack(c *faultConn, tables []string) *faultTxn {
	x := last(c.committedBefore(c.firstRead()))
	if x == nil || !intersect(x.wrote, c.txn.read) || !anyOf(x.wrote, tables) {
		return nil
	}
	return x
}

// missPart names the last commit that changed several tables, for reads of all of them but the first.
func missPart(c *faultConn, tables []string) *faultTxn {
	x := last(slices.DeleteFunc(c.committedBefore(c.firstRead()), func(x *faultTxn) bool { return len(x.wrote) < 2 }))
	if x == nil || slices.Contains(tables, slices.Min(slices.Collect(maps.Keys(x.wrote)))) || !anyOf(x.wrote, tables) {
		return nil
	}
	return x
}

// missCause names a commit that a later one had read from, for reads of what the earlier one wrote and the later one
// did not.
func missCause(c *faultConn, tables []string) *faultTxn {
	before := c.committedBefore(c.firstRead())
	for j := len(before) - 1; j > 0; j-- {
		for _, cause := range before[:j] {
			effect := before[j]
			if effect.first < cause.ended || !intersect(cause.wrote, effect.read) {
				continue
			}
			if anyOf(cause.wrote, tables) && !anyOf(effect.wrote, tables) {
				return cause
			}
		}
	}
	return nil
}

// fork names one of two commits that wrote different tables and know nothing of each other, for reads of what it wrote:
// the first for one reader, the second for the next one. The reader sees the other.
func fork(c *faultConn, tables []string) *faultTxn {
	before := c.committedBefore(c.firstRead())
	for j := len(before) - 1; j > 0; j-- {
		for _, a := range before[:j] {
			b := before[j]
			if intersect(a.wrote, b.wrote) || intersect(a.wrote, b.read) && b.first > a.ended {
				continue
			}
			missed, seen := a, b
			if c.readers()%2 == 1 {
				missed, seen = b, a
			}
			if anyOf(missed.wrote, tables) && !anyOf(seen.wrote, tables) {
				return a // neither is in the state before the earlier one
			}
		}
	}
	return nil
}

// readers counts the other transactions that have read and written nothing so far.
func (c *faultConn) readers() int {
	n := 0
	for _, x := range c.others() {
		if x.first > 0 && len(x.wrote) == 0 {
			n++
		}
	}
	return n
}

func last(xs []*faultTxn) *faultTxn {
	if len(xs) == 0 {
		return nil
	}
	return xs[len(xs)-1]
}

func intersect(a, b map[string]bool) bool {
	for t := range a {
		if b[t] {
			return true
		}
	}
	return false
}

// phantom adds to a repeated read the rows that others have committed since and that it has not got.
func phantom(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	if !plainRead(c.tree(sql)) || len(c.txn.wrote) > 0 {
		return c.ask(ctx, sql)
	}
	if c.profile.ReadModes.SelectView == dbms.Current { // a correct read would lock the range
		return c.target.latest(ctx, sql)
	}
	m, err := readAll(c.ask(ctx, sql))
	if err != nil {
		return nil, err
	}
	if len(m.pkeys()) != 1 || groups(c.tree(sql)) {
		return m, nil
	}
	now, err := readAll(c.target.latest(ctx, sql))
	if err != nil {
		return nil, err
	}
	col := m.pkeys()[0]
	have := m.ints(col)
	for _, row := range now.rows {
		if n, ok := row[col].(int64); ok && !slices.Contains(have, n) {
			m.rows = append(m.rows, row)
		}
	}
	return m, nil
}

// readAhead answers reads of tables that were changed since the transaction began to read with what is committed now,
// if the one who changed them also changed another table that it has read: it has missed one write and sees the other.
func readAhead(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
	x, tables := c.txn, c.target.mentioned(sql)
	if !plainRead(c.tree(sql)) || len(x.wrote) > 0 {
		return c.ask(ctx, sql)
	}
	if c.profile.ReadModes.SelectView == dbms.Current { // a correct read would lock what it reads, and nobody change it
		return c.target.latest(ctx, sql)
	}
	for _, o := range c.others() {
		if !o.committed || x.first == 0 || o.ended < x.first || !anyOf(o.wrote, tables) {
			continue
		}
		for table := range o.wrote {
			if x.read[table] && !slices.Contains(tables, table) {
				return c.target.latest(ctx, sql)
			}
		}
	}
	return c.ask(ctx, sql)
}
