package exec

import (
	"context"
	"database/sql/driver"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"txweave/profile"
)

// Fault is a planted bug: a way in which a correct engine is made to misbehave as broken ones did. It acts on what
// crosses the connection of a session inside a transaction, and on nothing else: outside transactions the engine
// stays correct. Whether it strikes depends on the seed and on the texts of the statement and of the last write
// before it, so a case that it spoils is spoilt each time.
type Fault struct {
	Name      string
	Reference string // what it mirrors
	// Forbidden says whether a level rules the outcome out, from the definitions.
	Forbidden func(*profile.Profile) bool
	// Inapplicable gives the reason why a dialect cannot show it; "" if it can.
	Inapplicable func(*profile.Profile) string
	every        uint64 // it strikes one statement in this many
	exec         func(c *faultConn, ctx context.Context, sql string) (driver.Result, error)
	query        func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error)
	// verbs are the statements that it can strike: first words in upper case.
	verbs []string
}

// faultyTarget is a target whose transactions misbehave.
type faultyTarget struct {
	Target
	fault *Fault
	seed  uint64
}

// Plant returns a target that shows a planted bug.
func Plant(t Target, f *Fault, seed uint64) Target {
	return &faultyTarget{Target: t, fault: f, seed: seed}
}

func (t *faultyTarget) Open(ctx context.Context, p *profile.Profile) (*Session, error) {
	s, err := t.Target.Open(ctx, p)
	if err == nil {
		s.conn = &faultConn{Conn: s.conn, target: t, profile: p}
	}
	return s, err
}

// faultConn is a connection whose answers inside a transaction cannot be trusted.
type faultConn struct {
	driver.Conn
	target  *faultyTarget
	profile *profile.Profile
	inTxn   bool
	wrote   bool     // it has written in the open transaction
	other   *Session // a second connection, opened when a fault first needs it
	last    string   // the last statement that was no query: tells one COMMIT from another
}

// interrupt passes on to an embedded engine.
func (c *faultConn) interrupt() {
	if i, ok := c.Conn.(interrupter); ok {
		i.interrupt()
	}
}

// verb returns the first word of a statement.
func verb(sql string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return strings.ToUpper(word)
}

// strikes says whether the fault spoils a statement.
func (c *faultConn) strikes(sql string) bool {
	f, v := c.target.fault, verb(sql)
	if !slices.Contains(f.verbs, v) || !c.inTxn && v != "BEGIN" && v != "START" {
		return false
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %s", c.target.seed, c.last, sql)
	return h.Sum64()%f.every == 0
}

func (c *faultConn) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	strikes := c.strikes(sql)
	c.last = sql
	switch verb(sql) {
	case "BEGIN", "START":
		c.inTxn, c.wrote = true, false
	case "COMMIT", "ROLLBACK":
		c.inTxn = false
	default:
		c.wrote = true
	}
	if strikes && c.target.fault.exec != nil {
		return c.target.fault.exec(c, ctx, sql)
	}
	return c.send(ctx, sql)
}

func (c *faultConn) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	if c.strikes(sql) && c.target.fault.query != nil {
		return c.target.fault.query(c, ctx, sql)
	}
	return c.ask(ctx, sql)
}

// send and ask reach the engine itself.
func (c *faultConn) send(ctx context.Context, sql string) (driver.Result, error) {
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, nil)
}

func (c *faultConn) ask(ctx context.Context, sql string) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, nil)
}

// elsewhere answers a query over a second connection, which does not see what this transaction has not committed,
// unless it reads at READ UNCOMMITTED. An engine without weaker levels reads what is committed.
func (c *faultConn) elsewhere(ctx context.Context, level string) (conn *faultConn, err error) {
	if c.other == nil {
		if c.profile.Observers {
			c.other, err = c.target.Target.Observe(ctx, level)
		} else {
			c.other, err = c.target.Target.Open(ctx, c.profile)
		}
		if err != nil {
			return nil, err
		}
	}
	return &faultConn{Conn: c.other.conn}, nil
}

// Close closes the second connection too.
func (c *faultConn) Close() error {
	if c.other != nil {
		c.other.Close()
	}
	return c.Conn.Close()
}

// edit sends a query and lets change alter the rows of its answer.
func (c *faultConn) edit(ctx context.Context, sql string, change func(*memoryRows)) (driver.Rows, error) {
	rows, err := c.ask(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	m := &memoryRows{columns: rows.Columns()}
	for {
		row := make([]driver.Value, len(m.columns))
		if err := rows.Next(row); err == io.EOF {
			break
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

// affected is the result of a statement that was not sent as it was.
type affected int64

func (a affected) LastInsertId() (int64, error) { return 0, nil }
func (a affected) RowsAffected() (int64, error) { return int64(a), nil }
