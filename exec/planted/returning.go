package planted

import (
	"context"
	"database/sql/driver"

	sqltree "txweave/sql"
)

// A write that returns the rows which it writes is one statement with two answers. Faults strike the write; what it
// returns is what the engine says of the write that it was sent in the end.

// returning is a write that returns rows.
type returning struct {
	sql, without string // without its clause
	items        []*sqltree.Item
}

// returning reads a write that returns rows; nil for another statement.
func (t *faultyTarget) returning(sql string) *returning {
	stmt := t.tree(sql)
	items := returned(stmt)
	if items == nil || len(*items) == 0 || verb(sql) == "WITH" {
		return nil
	}
	return &returning{sql, t.print(returns(stmt, nil)), *items}
}

// returned is what a write returns; nil where it has no place for that.
func returned(stmt sqltree.Stmt) *[]*sqltree.Item {
	switch n := stmt.(type) {
	case *sqltree.Insert:
		return &n.Returning
	case *sqltree.Update:
		return &n.Returning
	case *sqltree.Delete:
		return &n.Returning
	}
	return nil
}

// returns makes a write return what is said.
func returns(stmt sqltree.Stmt, items []*sqltree.Item) sqltree.Stmt {
	switch n := stmt.(type) {
	case *sqltree.Insert:
		return sqltree.Edit(n, func(n *sqltree.Insert) { n.Returning = items })
	case *sqltree.Update:
		return sqltree.Edit(n, func(n *sqltree.Update) { n.Returning = items })
	case *sqltree.Delete:
		return sqltree.Edit(n, func(n *sqltree.Delete) { n.Returning = items })
	}
	return stmt
}

// writtenRows are the rows that a write returned, and how many the engine says it wrote.
type writtenRows struct {
	*memoryRows
	affected int64
}

// Affected is what package exec asks a result of rows for.
func (r *writtenRows) Affected() int64 { return r.affected }

// writeReturning executes a write that returns rows.
func (c *faultConn) writeReturning(ctx context.Context, r *returning) (driver.Rows, error) {
	c.returning, c.returned = r, nil
	defer func() { c.returning, c.returned = nil, nil }()
	res, err := c.ExecContext(ctx, r.without, nil)
	if err != nil {
		return nil, err
	}
	if c.returned == nil {
		if err := c.pretend(ctx, r.without); err != nil {
			return nil, err
		}
		return &writtenRows{c.returned, int64(len(c.returned.rows))}, nil
	}
	n, err := res.RowsAffected()
	return &writtenRows{c.returned, n}, err
}

// sendReturning sends a write with the clause of the one that is being executed and keeps what it returns.
func (c *faultConn) sendReturning(ctx context.Context, write string) (driver.Result, error) {
	sql := c.returning.sql
	if write != c.returning.without {
		sql = c.target.print(returns(c.tree(write), c.returning.items))
	}
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	m, err := readAll(rows, nil)
	if err != nil {
		return nil, err
	}
	c.returned = m
	n := int64(len(m.rows))
	if w, ok := rows.(interface{ Affected() int64 }); ok {
		n = w.Affected()
	}
	return affected(n), nil
}

// pretend finds out what a write that the fault kept from the engine would have returned.
func (c *faultConn) pretend(ctx context.Context, write string) error {
	for _, sql := range []string{"SAVEPOINT txw_pretend", write, "ROLLBACK TO SAVEPOINT txw_pretend"} {
		if _, err := c.send(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// noRows is an empty answer of a write that returns rows.
func noRows(r *returning) *memoryRows {
	m := &memoryRows{}
	for _, item := range r.items {
		c, _ := item.X.(*sqltree.Column)
		switch {
		case item.Alias != nil:
			m.columns = append(m.columns, item.Alias.Value)
		case c != nil:
			m.columns = append(m.columns, c.Name.Value)
		default:
			m.columns = append(m.columns, "")
		}
	}
	return m
}
