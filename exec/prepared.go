package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"

	"txweave/dbms"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// preparing is a connection that prepares each statement and executes that: a query twice, as the second time the
// database has its plan already, or once. How it is asked for warnings goes as text, and so does what the
// database does not prepare.
type preparing struct {
	driver.Conn
	setting  *dbms.PlanSetting
	schema   *sqltext.Schema
	warnings string
	once     bool
	asText   func(error) bool // of what the database says to a statement that it does not prepare
}

// preparingConn returns a session's connection as one that prepares statements over a schema, as a setting says.
func preparingConn(s *Session, setting *dbms.PlanSetting, schema *sqltext.Schema, once bool) driver.Conn {
	c := preparing{Conn: s.conn, setting: setting, schema: schema, warnings: s.protocol.Warnings, once: once,
		asText: func(err error) bool {
			db := s.protocol.DBError(err)
			return db != nil && db.Code == s.protocol.Unprepared
		}}
	if setting.AsText != nil || setting.Parameters != nil && setting.Parameters.AsText != nil {
		return &preparingText{preparing: c}
	}
	return &c
}

// prepare has the database prepare a statement, and returns the values that it is executed with.
func (c *preparing) prepare(ctx context.Context, text string) (stmt driver.Stmt,
	values []driver.NamedValue, err error) {
	p, ok := c.Conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, nil, fmt.Errorf("driver %T cannot prepare", c.Conn)
	}
	if c.setting.Parameters != nil {
		var literals []*sql.Literal
		if text, literals = c.setting.Beside(text, c.schema); literals != nil {
			values = valuesOf(literals)
		}
	}
	stmt, err = p.PrepareContext(ctx, text)
	return stmt, values, err
}

// valuesOf are literals as a driver takes them: integers of 64 bits and texts.
func valuesOf(literals []*sql.Literal) []driver.NamedValue {
	out := make([]driver.NamedValue, len(literals))
	for i, l := range literals {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: l.Characters()}
		if n, err := strconv.ParseInt(l.Text, 10, 64); err == nil && l.Kind == sql.Number {
			out[i].Value = n
		}
	}
	return out
}

// ExecContext implements driver.ExecerContext.
func (c *preparing) ExecContext(ctx context.Context, text string, _ []driver.NamedValue) (driver.Result, error) {
	stmt, values, err := c.prepare(ctx, text)
	if err != nil && c.asText(err) {
		return c.Conn.(driver.ExecerContext).ExecContext(ctx, text, nil)
	}
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	return stmt.(driver.StmtExecContext).ExecContext(ctx, values)
}

// QueryContext implements driver.QueryerContext.
func (c *preparing) QueryContext(ctx context.Context, text string, _ []driver.NamedValue) (driver.Rows, error) {
	if text == c.warnings {
		return c.Conn.(driver.QueryerContext).QueryContext(ctx, text, nil)
	}
	stmt, values, err := c.prepare(ctx, text)
	if err != nil && c.asText(err) {
		return c.Conn.(driver.QueryerContext).QueryContext(ctx, text, nil)
	}
	if err != nil {
		return nil, err
	}
	if c.twice(text) {
		first, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, values)
		if err != nil {
			return nil, errors.Join(err, stmt.Close())
		}
		if err := first.Close(); err != nil { // which reads the rest
			return nil, errors.Join(err, stmt.Close())
		}
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, values)
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	return WithStmt(rows, stmt), nil
}

// twice says whether a statement that returns rows is executed twice: one that writes them is not.
func (c *preparing) twice(text string) bool { return !c.once && !sqltext.KindOf(text).Writes() }

// WithStmt are rows that close their statement with themselves.
func WithStmt(rows driver.Rows, stmt driver.Stmt) driver.Rows { return &preparedRows{rows, stmt} }

// preparedRows close their statement with themselves.
type preparedRows struct {
	driver.Rows
	stmt driver.Stmt
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName, which says what bytes are of BIT
// columns; "": not known.
func (r *preparedRows) ColumnTypeDatabaseTypeName(at int) string {
	if t, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(at)
	}
	return ""
}

// Next implements driver.Rows. Where an answer comes as text a FLOAT has six digits, in binary form all of them.
func (r *preparedRows) Next(values []driver.Value) error {
	err := r.Rows.Next(values)
	for i, v := range values {
		if f, ok := v.(float32); ok {
			short, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', 6, 32), 32) // of what was formatted so
			values[i] = float32(short)
		}
	}
	return err
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error { return errors.Join(r.Rows.Close(), r.stmt.Close()) }

// preparingText is one that does so in statements of their own: PREPARE and EXECUTE.
type preparingText struct {
	preparing
	forget string // the statement by which the one that was prepared last goes
}

// preparedName is the tool's own, and so is what a session holds under it.
const preparedName = "txweave"

// prepareAs has the database prepare a statement, and returns what executes it: the statement itself where the database
// does not prepare it, or has no values to be given beside it.
func (c *preparingText) prepareAs(ctx context.Context, text string) (execute string, err error) {
	send := func(text string) error {
		_, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, text, nil)
		return err
	}
	var prepare, forget string
	if p := c.setting.Parameters; p == nil {
		prepare, execute = c.setting.AsText(preparedName, text)
	} else {
		parametric, values := c.setting.Beside(text, c.schema)
		if len(values) == 0 {
			return text, nil
		}
		prepare, execute, forget = p.AsText(parametric, values)
	}
	if c.forget != "" {
		if err := send(c.forget); err != nil {
			return "", err
		}
		c.forget = ""
	}
	switch err := send(prepare); {
	case err != nil && c.asText(err):
		return text, nil
	case err != nil:
		return "", err
	}
	c.forget = forget
	return execute, nil
}

// ExecContext implements driver.ExecerContext.
func (c *preparingText) ExecContext(ctx context.Context, text string, _ []driver.NamedValue) (driver.Result, error) {
	execute, err := c.prepareAs(ctx, text)
	if err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, execute, nil)
}

// QueryContext implements driver.QueryerContext.
func (c *preparingText) QueryContext(ctx context.Context, text string, _ []driver.NamedValue) (driver.Rows, error) {
	query := c.Conn.(driver.QueryerContext).QueryContext
	if text == c.warnings {
		return query(ctx, text, nil)
	}
	execute, err := c.prepareAs(ctx, text)
	if err != nil {
		return nil, err
	}
	if execute != text && c.twice(text) {
		first, err := query(ctx, execute, nil)
		if err != nil {
			return nil, err
		}
		if err := first.Close(); err != nil { // which reads the rest
			return nil, err
		}
	}
	return query(ctx, execute, nil)
}

// TextStmt is a statement that its connection is sent as a text, with what values stand beside it, whenever it is
// executed.
type TextStmt struct {
	Conn interface {
		driver.ExecerContext
		driver.QueryerContext
	}
	Text string
}

// Close does nothing.
func (*TextStmt) Close() error { return nil }

// NumInput says that nobody checks how many values there are before they are sent.
func (*TextStmt) NumInput() int { return -1 }

// Exec implements driver.Stmt, for drivers that know no contexts.
func (*TextStmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query implements driver.Stmt, for drivers that know no contexts.
func (*TextStmt) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

// ExecContext implements driver.StmtExecContext.
func (s *TextStmt) ExecContext(ctx context.Context, values []driver.NamedValue) (driver.Result, error) {
	return s.Conn.ExecContext(ctx, s.Text, values)
}

// QueryContext implements driver.StmtQueryContext.
func (s *TextStmt) QueryContext(ctx context.Context, values []driver.NamedValue) (driver.Rows, error) {
	return s.Conn.QueryContext(ctx, s.Text, values)
}
