package planted

import (
	"context"
	"database/sql/driver"
)

// PrepareContext returns a statement that is sent as text whenever it is executed: planted bugs look at texts.
func (c *faultConn) PrepareContext(_ context.Context, sql string) (driver.Stmt, error) {
	return &faultStmt{c, sql}, nil
}

// faultStmt implements driver.Stmt, and its execution with a context.
type faultStmt struct {
	conn *faultConn
	sql  string
}

// Close does nothing.
func (s *faultStmt) Close() error { return nil }

// NumInput says that the number of arguments is not known: there are none.
func (s *faultStmt) NumInput() int { return -1 }

// Exec implements driver.Stmt.
func (s *faultStmt) Exec([]driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), nil)
}

// Query implements driver.Stmt.
func (s *faultStmt) Query([]driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), nil)
}

// ExecContext implements driver.StmtExecContext.
func (s *faultStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.sql, args)
}

// QueryContext implements driver.StmtQueryContext.
func (s *faultStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.sql, args)
}
