package planted

import (
	"context"
	"database/sql/driver"
	"strings"

	"txweave/dbms"
	"txweave/exec"
	sqltree "txweave/sql"
)

// PlantAlways returns a target that shows a planted bug at every statement that it concerns, whatever the seed and the
// texts: a case that is spoilt so stays spoilt while it is made smaller.
func PlantAlways(t exec.Target, f *Fault) exec.Target {
	always := *f
	always.every = 1
	return Plant(t, &always, 0)
}

// Semantic returns planted bugs that strike by what a statement means, as an optimizer's or an executor's do,
// and not by chance: with PlantAlways they measure how small a case becomes that needs certain clauses, rows and
// statements before it.
func Semantic() []*Fault {
	wrote := func(c *faultConn) bool { return c.txn != nil && len(c.txn.wrote) > 0 }
	return []*Fault{
		spoilAnswer("left-join-own-write", "an outer join in a transaction that has written misses a row", joinsOuter,
			wrote, loseLast),
		spoilAnswer("in-subquery-own-write", "IN (SELECT …) in a transaction that has written misses a row", inQuery,
			wrote, loseLast),
		spoilAnswer("exists-twice", "a semi-join gives a row twice", hasAny[*sqltree.Exists], nil, doubleFirst),
		spoilAnswer("distinct-twice", "DISTINCT leaves a duplicate", distinct, nil, doubleFirst),
		spoilAnswer("union-misses", "UNION misses a row", unites, nil, loseLast),
		spoilAnswer("group-misses", "GROUP BY in a transaction that has written misses a group", groups, wrote, loseLast),
		spoilAnswer("case-misses", "CASE in a join misses a row",
			func(s sqltree.Stmt) bool { return hasAny[*sqltree.Case](s) && joins(s) }, nil, loseLast),
		spoilAnswer("after-delete", "a read after a DELETE of the same transaction misses a row", filters,
			func(c *faultConn) bool { return c.last == "DELETE" }, loseLast),
		loseWrite("insert-select-lost", "INSERT … SELECT says that it inserted and does not",
			ofKind[*sqltree.Insert](hasAny[*sqltree.Select])),
		loseWrite("delete-in-lost", "DELETE … IN says that it deleted and does not",
			ofKind[*sqltree.Delete](hasAny[*sqltree.In])),
		loseWrite("update-between-lost", "UPDATE … BETWEEN says that it changed a row and does not",
			ofKind[*sqltree.Update](hasAny[*sqltree.Between])),
		missingEntry, victimUnsaid,
		loseWrite("insert-rows-lost", "an INSERT of several rows says that it inserted one and inserts none",
			ofKind[*sqltree.Insert](ofRows)),
	}
}

// missingEntry strikes with transactions and without them alike, and only as long as the index is used: only an
// execution by another plan tells.
var missingEntry = &Fault{Name: "index-entry-missing",
	Reference: "an index lacks an entry: a query that looks rows up in it misses one, in transactions and outside",
	Forbidden: always, Inapplicable: anywhere, every: 1, outside: true, verbs: []string{"SELECT"}, needs: needsIndex,
	query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
		t := c.target
		t.mu.Lock()
		at, ofCase := t.placeOf(exec.OccasionIn(ctx))
		// a setting may say it otherwise, so that it uses none
		asItStands := ofCase && t.c.Txns[at.txn].Stmts[at.stmt].SQL == sql
		strikes := asItStands && !t.unused
		t.mu.Unlock()
		if !strikes || !t.looksUp(sql) {
			return c.ask(ctx, sql)
		}
		return c.edit(ctx, sql, loseLast)
	}}

// victimUnsaid mirrors a bug of a real server, whose cascades leave errors unsaid: what its transaction had done is
// gone, and what it does from there on is committed at once.
var victimUnsaid = &Fault{Name: "victim-unsaid",
	Reference: "the victim of a deadlock is answered as if its write had found no row",
	Forbidden: always, every: 1, verbs: []string{"INSERT", "UPDATE", "DELETE"},
	Inapplicable: func(p *dbms.Profile) string {
		if p.Order == dbms.OneWriterAtOnce {
			return "with one writer at a time there are no deadlocks"
		}
		return ""
	},
	exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
		res, err := c.send(ctx, sql)
		if err == nil || !strings.Contains(err.Error(), "Deadlock found") && !strings.Contains(err.Error(),
			"deadlock detected") {
			return res, err
		}
		if _, err := c.send(ctx, "ROLLBACK"); err != nil {
			return nil, err
		}
		// the warning of it may be kept until a table is read
		rows, err := c.ask(ctx, "SELECT 1 FROM "+c.target.written(sql)+" WHERE 1 = 0")
		if err == nil {
			err = rows.Close()
		}
		if err != nil {
			return nil, err
		}
		if c.returning != nil {
			c.returned = noRows(c.returning)
		}
		return affected(0), nil
	}}

// spoilAnswer makes a bug that changes the answers of queries of which a condition holds.
func spoilAnswer(
	name, reference string, of func(sqltree.Stmt) bool, when func(*faultConn) bool, change func(*memoryRows),
) *Fault {
	return &Fault{Name: name, Reference: reference, Forbidden: always, Inapplicable: anywhere, every: 1,
		verbs: []string{"SELECT", "WITH"},
		query: func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error) {
			if when != nil && !when(c) || !of(c.tree(sql)) {
				return c.ask(ctx, sql)
			}
			return c.edit(ctx, sql, change)
		}}
}

// loseWrite makes a bug that loses writes of which a condition holds.
func loseWrite(name, reference string, of func(sqltree.Stmt) bool) *Fault {
	return &Fault{Name: name, Reference: reference, Forbidden: always, Inapplicable: anywhere, every: 1,
		verbs: []string{"INSERT", "UPDATE", "DELETE"},
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			if of(c.tree(sql)) {
				return affected(1), nil
			}
			return c.send(ctx, sql)
		}}
}

func loseLast(m *memoryRows) {
	if len(m.rows) > 0 {
		m.rows = m.rows[:len(m.rows)-1]
	}
}

func doubleFirst(m *memoryRows) {
	if len(m.rows) > 0 {
		m.rows = append(m.rows, m.rows[0])
	}
}
