package planted

import (
	"context"
	"database/sql/driver"
	"strings"

	"txweave/sqltext"
)

// A write that returns the rows which it writes is one statement with two answers. Faults strike the write; what it returns
// is what the engine says of the write that it was sent in the end.

// cutReturning splits a write at its own RETURNING; clause is "" if the statement has none.
func cutReturning(sql string) (write, clause string) {
	write, list, ok := sqltext.CutReturning(sql)
	if !ok {
		return sql, ""
	}
	return strings.TrimSpace(write), "RETURNING" + list
}

// writtenRows are the rows that a write returned, and how many the engine says it wrote.
type writtenRows struct {
	*memoryRows
	affected int64
}

// Affected is what package exec asks a result of rows for.
func (r *writtenRows) Affected() int64 { return r.affected }

// writeReturning executes a write that returns rows.
func (c *faultConn) writeReturning(ctx context.Context, write, clause string) (driver.Rows, error) {
	c.returning, c.returned = clause, nil
	defer func() { c.returning, c.returned = "", nil }()
	res, err := c.ExecContext(ctx, write, nil)
	if err != nil {
		return nil, err
	}
	if c.returned == nil {
		if err := c.pretend(ctx, write); err != nil {
			return nil, err
		}
		return &writtenRows{c.returned, int64(len(c.returned.rows))}, nil
	}
	n, err := res.RowsAffected()
	return &writtenRows{c.returned, n}, err
}

// sendReturning sends a write with the clause of the one that is being executed and keeps what it returns.
func (c *faultConn) sendReturning(ctx context.Context, write string) (driver.Result, error) {
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, write+" "+c.returning, nil)
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

// noRows is an empty answer to a RETURNING clause.
func noRows(clause string) *memoryRows {
	m := &memoryRows{}
	for _, column := range strings.Split(clause[len("RETURNING"):], ",") {
		m.columns = append(m.columns, strings.TrimSpace(column[strings.LastIndex(column, ".")+1:]))
	}
	return m
}
