package planted

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/sql/sqltext"
)

// writeFaults let transactions overwrite each other.
var writeFaults = []*Fault{
	{Name: "lost-update", Reference: "MTC, Table I (m): of two concurrent updates of an object one is lost (P4)",
		Forbidden: forbids(fault.P4), Inapplicable: anywhere, every: 1, verbs: []string{"BEGIN", "START", "INSERT",
			"UPDATE", "DELETE"},
		exec: weakened(fault.P4)},
	{Name: "write-skew",
		Reference: "MTC, Table I (n): two concurrent transactions read what the other one writes (G2-item)",
		Forbidden: forbids(fault.G2Item), Inapplicable: anywhere, every: 1, verbs: []string{"BEGIN", "START", "INSERT",
			"UPDATE", "DELETE"},
		exec: weakened(fault.G2Item)},
	{Name: "dirty-write",
		Reference: "Leopard, Bug 1: an UPDATE takes no lock, so another transaction overwrites what it has not committed " +
			"(G0)",
		Forbidden: forbids(fault.G0), Inapplicable: anywhere, every: 2, verbs: []string{"UPDATE"},
		exec: commitEarly},
	{Name: "duplicate-write",
		Reference: "Clark et al., section 3.1: a version is installed twice (DuplicateWrite): a committed UPDATE is done " +
			"again",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"COMMIT"}, exec: writeAgain},
	{Name: "no-row-lock", Reference: "Leopard, Bug 2: FOR UPDATE takes no lock",
		Forbidden: lockingReadDiffers, Inapplicable: needsLocks, every: 1, verbs: []string{"SELECT"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			return c.ask(ctx, c.target.unlocked(sql))
		}},
}

// commitEarly commits what a write has done, in mid-transaction.
func commitEarly(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	res, err := c.send(ctx, sql)
	if err != nil {
		return nil, err
	}
	if _, err := c.send(ctx, "COMMIT"); err != nil {
		return nil, err
	}
	_, err = c.send(ctx, "BEGIN")
	return res, err
}

// writeAgain does the last UPDATE of an earlier transaction once more, over what its own has written there since.
func writeAgain(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
	again := c.overwritten()
	if again == "" {
		return c.send(ctx, sql)
	}
	if _, err := c.send(ctx, "SAVEPOINT txw_again"); err != nil {
		return nil, err
	}
	if _, err := c.send(ctx, again); err != nil {
		if c.target.class(err) != dbms.Deterministic {
			return nil, err
		}
		if _, err := c.send(ctx, "ROLLBACK TO SAVEPOINT txw_again"); err != nil {
			return nil, err
		}
	}
	return c.send(ctx, sql)
}

// overwritten is the UPDATE with which the last one committed that wrote what the transaction has written, too; "" if
// there is none.
func (c *faultConn) overwritten() string {
	t := c.target
	t.mu.Lock()
	defer t.mu.Unlock()
	sql, ended := "", 0
	for _, x := range t.txns {
		if x.committed && x.ended > ended && verb(x.lastWrite) == "UPDATE" && x.lastStands() &&
			c.txn.wrote[t.written(x.lastWrite)] {
			sql, ended = x.lastWrite, x.ended
		}
	}
	return sql
}

// weakened runs transactions at a level of the engine that allows a phenomenon, if it has one. An engine without weaker
// levels is made to let a transaction write whose snapshot is old, where it would refuse: if what it writes has changed
// since, of a lost update, or if other things have.
func weakened(allows fault.Kind) func(*faultConn, context.Context, string) (driver.Result, error) {
	return func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
		begins := sqltext.FirstWord(sql) == "BEGIN" || sqltext.FirstWord(sql) == "START"
		p := weaker(c.profile, allows)
		switch {
		case begins && p != nil:
			for _, s := range p.Sessions.Setup {
				if _, err := c.send(ctx, s); err != nil {
					return nil, err
				}
			}
			if p.Transactions.OtherBegin != "" && strings.Contains(strings.ToUpper(sql), p.Transactions.OtherBegin) {
				sql = "BEGIN" // the session's setting decides
			}
			return c.send(ctx, sql)
		case begins || p != nil:
			return c.send(ctx, sql)
		}
		return c.writeAnyway(ctx, sql, allows == fault.P4)
	}
}

// weaker returns the strongest level of the same engine that allows a phenomenon; nil if none does.
func weaker(p *dbms.Profile, allows fault.Kind) *dbms.Profile {
	for _, w := range slices.Backward(dbms.Levels(p.DBMS)) {
		if !forbids(allows)(w) {
			return w
		}
	}
	return nil
}

// writeAnyway writes though the transaction's snapshot is old: on a new one.
func (c *faultConn) writeAnyway(ctx context.Context, sql string, same bool) (driver.Result, error) {
	x := c.txn
	if !x.beginsAgain {
		res, err := c.send(ctx, sql)
		if err == nil || c.target.class(err) != dbms.TxnLost || c.conflicts(ctx, sql) != same {
			return res, err
		}
		if _, err := c.send(ctx, "ROLLBACK"); err != nil {
			return nil, err
		}
		x.beginsAgain = true
	}
	if _, err := c.send(ctx, "BEGIN IMMEDIATE"); err != nil {
		return nil, err // somebody else writes: it is sent again
	}
	x.beginsAgain = false
	return c.send(ctx, sql)
}

// conflicts says whether what a statement writes has changed since the transaction began to read: the rows that it
// finds, or, where these cannot be asked for, anything in its table. What an INSERT adds nobody has changed, unless it
// may overwrite rows.
func (c *faultConn) conflicts(ctx context.Context, sql string) bool {
	table := c.target.written(sql)
	changed := slices.ContainsFunc(c.others(), func(o *faultTxn) bool {
		return o.committed && o.ended > c.txn.first && o.wrote[table]
	})
	if !changed {
		return false
	}
	if verb(sql) == "INSERT" {
		return overwrites(c.tree(sql))
	}
	found := c.target.matching(sql, false)
	if found == "" {
		return true
	}
	old, err := readAll(c.ask(ctx, found)) // in the snapshot that it has still
	if err != nil {
		return true
	}
	now, err := readAll(c.target.latest(ctx, found))
	return err != nil || !reflect.DeepEqual(old.rows, now.rows)
}

// numbers prints a list for IN.
func numbers(ns []int64) string {
	parts := make([]string, len(ns))
	for i, n := range ns {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ", ")
}

func mapKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }
