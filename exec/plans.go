package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/observe"
	"txweave/sqltext"
)

// ErrNoSetting says that the database refuses a plan setting: its version has none such.
var ErrNoSetting = errors.New("the database refuses the plan setting")

// ReplayUnder is Replay under a plan setting, with the rows that writes find asked for before them. It returns ErrNoSetting where the database refuses that.
func (r *Runner) ReplayUnder(blocks []*instrument.Block, s *dbms.PlanSetting) (*observe.Replayed, error) {
	return r.replay(blocks, false, s)
}

// search asks for the rows that a write is about to find, right before it.
func (r *Runner) search(out *observe.Replayed, b *instrument.Block, s *dbms.PlanSetting, start time.Time) error {
	sql, err := r.loaded.Search(b)
	if err != nil || sql == "" {
		return err
	}
	sql = s.Query(sql)
	n := len(out.Events)
	e := &history.Event{Op: n, Session: "replay", Txn: b.Txn, Stmt: b.Stmt, Role: history.BWR, Text: sql, Start: int64(time.Since(start)), Done: n}
	if e.Answer, err = r.guarded(r.occasion(b, history.BWR), sql, true, false); err != nil {
		return fmt.Errorf("search of %s: %w", b.Name(), r.explain(err))
	}
	r.note(replayConn, sql, true, e.Err)
	e.End = int64(time.Since(start))
	if e.Err != nil && r.profile.Classify(e.Err.Code, e.Err.Message) != dbms.Deterministic {
		return r.spoilt(sql, e.Err, time.Duration(e.End-e.Start)) // as of a statement of the case
	}
	if out.Searches == nil {
		out.Searches = map[int]*history.Event{}
	}
	out.Searches[n] = e
	return nil
}

// plan puts a plan setting in force on the replay session, and returns what undoes it. once says that a prepared query is executed
// once, as it was in the run.
func (r *Runner) plan(s *dbms.PlanSetting, once bool) (undo func() error, err error) {
	session := r.replayer
	undo = func() error {
		r.replayer = session
		return session.Must(r.ctx, s.Unset...)
	}
	var refused *AnswerError
	for _, sql := range s.Set {
		r.doing.begin(replayConn, sql)
		if err := session.Must(r.ctx, sql); errors.As(err, &refused) {
			return nil, errors.Join(fmt.Errorf("%w %s: %w", ErrNoSetting, s.Name, refused), undo())
		} else if err != nil {
			return nil, err
		}
	}
	if s.Each != "" {
		r.altered = true
		r.doing.begin(replayConn, s.Each)
		each, err := session.Read(r.ctx, s.Each)
		if err != nil {
			return nil, err
		}
		for i := range each.Len() {
			if err := session.Must(r.ctx, each.Row(i)[0].S); err != nil && !errors.As(err, &refused) {
				return nil, err
			}
		}
	}
	if s.Prepared {
		r.replayer = session.Over(preparingConn(session, s, once))
	}
	return undo, nil
}

// preparing is a connection that prepares each statement and executes that: a query twice, as the second time the database has its
// plan already, or once. How it is asked for warnings goes as text, and so does what MySQL does not prepare.
type preparing struct {
	driver.Conn
	warnings string
	once     bool
	asText   func(error) bool // of what the database says to a statement that it does not prepare
}

// preparingConn returns a session's connection as one that prepares statements, as a setting says.
func preparingConn(s *Session, setting *dbms.PlanSetting, once bool) driver.Conn {
	c := preparing{Conn: s.conn, warnings: s.protocol.Warnings, once: once, asText: func(err error) bool {
		db := s.protocol.DBError(err)
		return db != nil && db.Code == notPrepared
	}}
	if setting.AsText {
		return &preparingText{c}
	}
	return &c
}

// notPrepared is MySQL's and MariaDB's ER_UNSUPPORTED_PS: this command is not supported in the prepared statement protocol yet.
const notPrepared = 1295

// prepare has the database prepare a statement.
func (c *preparing) prepare(ctx context.Context, sql string) (driver.Stmt, error) {
	if p, ok := c.Conn.(driver.ConnPrepareContext); ok {
		return p.PrepareContext(ctx, sql)
	}
	return nil, fmt.Errorf("driver %T cannot prepare", c.Conn)
}

// ExecContext implements driver.ExecerContext.
func (c *preparing) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	stmt, err := c.prepare(ctx, sql)
	if err != nil && c.asText(err) {
		return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, nil)
	}
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	return stmt.(driver.StmtExecContext).ExecContext(ctx, nil)
}

// QueryContext implements driver.QueryerContext.
func (c *preparing) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	if sql == c.warnings {
		return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, nil)
	}
	stmt, err := c.prepare(ctx, sql)
	if err != nil && c.asText(err) {
		return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, nil)
	}
	if err != nil {
		return nil, err
	}
	if !c.once && !sqltext.KindOf(sql).Writes() { // one that returns rows is executed once
		first, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, nil)
		if err != nil {
			return nil, errors.Join(err, stmt.Close())
		}
		if err := first.Close(); err != nil { // which reads the rest
			return nil, errors.Join(err, stmt.Close())
		}
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	return &preparedRows{rows, stmt}, nil
}

// preparedRows close their statement with themselves.
type preparedRows struct {
	driver.Rows
	stmt driver.Stmt
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName, which says what bytes are of BIT columns; "": not known.
func (r *preparedRows) ColumnTypeDatabaseTypeName(at int) string {
	if t, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(at)
	}
	return ""
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error { return errors.Join(r.Rows.Close(), r.stmt.Close()) }

// preparingText is one that does so in statements of their own: PREPARE and EXECUTE.
type preparingText struct{ preparing }

// How a statement is prepared and executed in MySQL's dialect; its name is the tool's own, and so is what a session holds under it.
const (
	prepareText = "PREPARE txweave FROM "
	executeText = "EXECUTE txweave"
)

// quoted writes a text between MySQL's single quotes.
var quoted = strings.NewReplacer(`\`, `\\`, "'", "''")

// prepareAs sends PREPARE; asText says that the statement is one that the database does not prepare.
func (c *preparingText) prepareAs(ctx context.Context, sql string) (asText bool, err error) {
	_, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, prepareText+"'"+quoted.Replace(sql)+"'", nil)
	return err != nil && c.asText(err), err
}

// ExecContext implements driver.ExecerContext.
func (c *preparingText) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	if asText, err := c.prepareAs(ctx, sql); err != nil && !asText {
		return nil, err
	} else if !asText {
		sql = executeText
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, nil)
}

// QueryContext implements driver.QueryerContext.
func (c *preparingText) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	query := c.Conn.(driver.QueryerContext).QueryContext
	if sql == c.warnings {
		return query(ctx, sql, nil)
	}
	if asText, err := c.prepareAs(ctx, sql); err != nil && !asText {
		return nil, err
	} else if asText {
		return query(ctx, sql, nil)
	}
	if !c.once && !sqltext.KindOf(sql).Writes() {
		first, err := query(ctx, executeText, nil)
		if err != nil {
			return nil, err
		}
		if err := first.Close(); err != nil { // which reads the rest
			return nil, err
		}
	}
	return query(ctx, executeText, nil)
}
