package planted

import (
	"context"
	"database/sql/driver"
	"errors"

	"txweave/exec"
)

// PrepareContext returns a statement that is sent as text whenever it is executed: planted bugs look at texts.
func (c *faultConn) PrepareContext(_ context.Context, sql string) (driver.Stmt, error) {
	return &faultStmt{exec.TextStmt{Conn: c, Text: sql}, c}, nil
}

// faultStmt is a statement that is prepared. One with values beside it goes past the bugs, to the database; what it did
// is noted.
type faultStmt struct {
	exec.TextStmt
	conn *faultConn
}

func (s *faultStmt) beside(ctx context.Context) (driver.Stmt, error) {
	return s.conn.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, s.Text)
}

// ExecContext implements driver.StmtExecContext.
func (s *faultStmt) ExecContext(ctx context.Context, values []driver.NamedValue) (driver.Result, error) {
	if len(values) == 0 {
		return s.TextStmt.ExecContext(ctx, nil)
	}
	if err := s.conn.enter(); err != nil {
		return nil, err
	}
	res, err := s.execBeside(ctx, values)
	s.conn.leave(exec.OccasionIn(ctx), s.Text, err)
	return res, err
}

func (s *faultStmt) execBeside(ctx context.Context, values []driver.NamedValue) (driver.Result, error) {
	stmt, err := s.beside(ctx)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	return stmt.(driver.StmtExecContext).ExecContext(ctx, values)
}

// QueryContext implements driver.StmtQueryContext.
func (s *faultStmt) QueryContext(ctx context.Context, values []driver.NamedValue) (driver.Rows, error) {
	if len(values) == 0 {
		return s.TextStmt.QueryContext(ctx, nil)
	}
	if err := s.conn.enter(); err != nil {
		return nil, err
	}
	rows, err := s.queryBeside(ctx, values)
	s.conn.leave(exec.OccasionIn(ctx), s.Text, err)
	return rows, err
}

func (s *faultStmt) queryBeside(ctx context.Context, values []driver.NamedValue) (driver.Rows, error) {
	stmt, err := s.beside(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, values)
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	return exec.WithStmt(rows, stmt), nil
}
