package planted

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/exec"
	"txweave/sql/sqltext"
)

// snapshotProfile is a level of the same engine at which a transaction keeps one snapshot for all its plain reads, and
// its reads are no part of the conflicts of others.
func (t *faultyTarget) snapshotProfile() (*dbms.Profile, error) {
	if t.profile.SnapshotScope() == dbms.PerTransaction && t.profile.ReadModes.Observer != dbms.SnapshotObserver {
		return t.profile, nil
	}
	return dbms.Lookup(t.profile.DBMS, "repeatable-read")
}

// spare returns a second connection that has no transaction open.
func (t *faultyTarget) spare(ctx context.Context) (*exec.Session, error) {
	if n := len(t.idle); n > 0 {
		s := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return s, nil
	}
	p, err := t.snapshotProfile()
	if err != nil {
		return nil, err
	}
	return t.Target.Open(ctx, exec.FirstNode, p)
}

// view gives a transaction a second connection that keeps seeing what is committed now: until the run ends, or, in a
// storm, until there are too many.
func (t *faultyTarget) view(ctx context.Context, x *faultTxn) error {
	t.looking.Lock() // nobody looks at a view that is taken away
	defer t.looking.Unlock()
	t.mu.Lock()
	var s *exec.Session
	var err error
	begin := []string{"BEGIN"}
	if len(t.views) < keptTxns {
		s, err = t.spare(ctx)
	} else {
		s, t.views = t.views[0], slices.Clone(t.views[1:])
		begin = []string{"ROLLBACK", "BEGIN"}
		for _, o := range t.txns {
			if o.before == s {
				o.before = nil
			}
		}
	}
	t.mu.Unlock()
	if err != nil {
		return err
	}
	if err := s.Must(ctx, begin...); err != nil {
		return err
	}
	if _, err = s.Read(ctx, "SELECT 1 FROM "+t.tables[0]+" LIMIT 1"); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.views = append(t.views, s)
	x.before = s
	return nil
}

// shown answers a query with a state of the database before a commit; nil if that is forgotten.
func (t *faultyTarget) shown(ctx context.Context, s *exec.Session, sql string) (driver.Rows, error) {
	t.looking.Lock() // sessions at full speed look at one view at the same time
	defer t.looking.Unlock()
	t.mu.Lock()
	known := slices.Contains(t.views, s)
	t.mu.Unlock()
	if !known {
		return nil, nil
	}
	return readAllRows(ask(ctx, s, sql))
}

// latest answers a query with what is committed now.
func (t *faultyTarget) latest(ctx context.Context, sql string) (driver.Rows, error) {
	t.mu.Lock()
	s, err := t.spare(ctx)
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	rows, err := readAll(ask(ctx, s, sql))
	t.mu.Lock()
	t.idle = append(t.idle, s)
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// ask sends a query over a second connection.
func ask(ctx context.Context, s *exec.Session, sql string) (driver.Rows, error) {
	return s.Conn().(driver.QueryerContext).QueryContext(ctx, sql, nil)
}

// others returns the other transactions of the run, in order of BEGIN, as they are now: copies, because their sessions
// go on.
func (c *faultConn) others() []*faultTxn {
	c.target.mu.Lock()
	defer c.target.mu.Unlock()
	var out []*faultTxn
	for _, x := range c.target.txns {
		if x != c.txn {
			out = append(out, &faultTxn{conn: x.conn, txn: x.txn, read: maps.Clone(x.read), wrote: maps.Clone(x.wrote),
				first: x.first, ended: x.ended,
				committed: x.committed, before: x.before, done: maps.Clone(x.done), self: x})
		}
	}
	return out
}

// committedBefore returns the other transactions that had committed writes by a moment, in order of commit.
func (c *faultConn) committedBefore(clock int) []*faultTxn {
	var out []*faultTxn
	for _, x := range c.others() {
		if x.committed && x.before != nil && x.ended < clock {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b *faultTxn) int { return a.ended - b.ended })
	return out
}

// firstRead is when the open transaction began to read: now, if it has not yet.
func (c *faultConn) firstRead() int {
	if c.txn.first > 0 {
		return c.txn.first
	}
	c.target.mu.Lock()
	defer c.target.mu.Unlock()
	return c.target.clock
}

// anyOf says whether a set holds one of the tables.
func anyOf(set map[string]bool, tables []string) bool {
	return slices.ContainsFunc(tables, func(t string) bool { return set[t] })
}

// keys are those of the rows that an UPDATE or DELETE would write; none of another statement.
func (c *faultConn) keys(ctx context.Context, write string, lock bool) ([]int64, error) {
	sql := c.target.matching(write, lock, sqltext.PKey)
	if sql == "" {
		return nil, nil
	}
	m, err := readAll(c.ask(ctx, sql))
	if err != nil {
		return nil, err
	}
	return m.ints(0), nil
}

// ints returns the integers of a column.
func (m *memoryRows) ints(col int) []int64 {
	var out []int64
	for _, r := range m.rows {
		if n, ok := r[col].(int64); ok {
			out = append(out, n)
		}
	}
	return out
}

// readAll reads an answer to its end.
func readAll(rows driver.Rows, err error) (*memoryRows, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	m := &memoryRows{columns: rows.Columns()}
	for {
		row := make([]driver.Value, len(m.columns))
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return m, nil
		} else if err != nil {
			return nil, err
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = slices.Clone(b) // the driver uses the buffer again
			}
		}
		m.rows = append(m.rows, row)
	}
}

// edit sends a query and lets change alter the rows of its answer.
func (c *faultConn) edit(ctx context.Context, sql string, change func(*memoryRows)) (driver.Rows, error) {
	m, err := readAll(c.ask(ctx, sql))
	if err != nil {
		return nil, err
	}
	change(m)
	return m, nil
}

// memoryRows is an answer that has been read.
type memoryRows struct {
	columns []string
	rows    [][]driver.Value
}

func (m *memoryRows) Columns() []string { return m.columns }
func (m *memoryRows) Close() error      { return nil }

func (m *memoryRows) Next(dest []driver.Value) error {
	if len(m.rows) == 0 {
		return io.EOF
	}
	copy(dest, m.rows[0])
	m.rows = m.rows[1:]
	return nil
}

// columnsOf returns the result columns that print a bookkeeping column, under its own name or the name that a query
// gives it.
func (m *memoryRows) columnsOf(name, alias string) []int {
	var out []int
	for i, col := range m.columns {
		if col == name || strings.HasSuffix(col, alias) {
			out = append(out, i)
		}
	}
	return out
}

func (m *memoryRows) pkeys() []int { return m.columnsOf("pkey", "_p") }
func (m *memoryRows) vkeys() []int { return m.columnsOf("vkey", "_v") }

// affected is the result of a statement that was not sent as it was.
type affected int64

func (a affected) LastInsertId() (int64, error) { return 0, nil }
func (a affected) RowsAffected() (int64, error) { return int64(a), nil }

// Close closes the second connections too.
func (c *faultConn) Close() error {
	t := c.target
	t.mu.Lock()
	t.conns = slices.DeleteFunc(t.conns, func(o *faultConn) bool { return o == c })
	last := len(t.conns) == 0
	t.mu.Unlock()
	if c.dirty != nil {
		c.dirty.Close()
	}
	if last {
		t.unplant()
	}
	return c.Conn.Close()
}
