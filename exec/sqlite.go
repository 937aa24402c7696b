package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"txweave/dbms"

	"modernc.org/sqlite"

	"txweave/history"
	"txweave/testcase"
)

var sqliteDialect = &dialect{dbError: sqliteError, scratch: temporaryCopy}

// sqliteError takes the extended result code; an interrupted statement is the environment's doing.
func sqliteError(err error) *history.DBError {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	return &history.DBError{Code: e.Code(), Message: e.Error()}
}

// sqliteTarget is the embedded engine on a database file of its own, in WAL mode.
type sqliteTarget struct {
	dir     *workDir
	control *Session
	about   Description
	tables  []string
	load    string
	reset   string
}

// OpenSQLite creates an empty database as a target.
func OpenSQLite(ctx context.Context) (Target, error) {
	dir, err := newWorkDir()
	if err != nil {
		return nil, err
	}
	t := &sqliteTarget{dir: dir}
	if err := t.start(ctx); err != nil {
		return nil, errors.Join(err, dir.remove())
	}
	return t, nil
}

func (t *sqliteTarget) start(ctx context.Context) (err error) {
	if t.control, err = t.connect(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	rows, err := t.control.Read(ctx, "SELECT sqlite_version(), sqlite_source_id()")
	if err != nil {
		return err
	}
	t.about = Description{Target: "sqlite", Version: rows.Row(0)[0].S, Settings: map[string]string{
		"source_id": rows.Row(0)[1].S, "journal_mode": "wal", "synchronous": "off", "busy_timeout": "0",
	}}
	return nil
}

// connect opens one connection; SQLite's locks are between connections.
func (t *sqliteTarget) connect() (*Session, error) {
	path := filepath.Join(t.dir.path, "case.db")
	conn, err := new(sqlite.Driver).Open("file:" + path + "?_pragma=busy_timeout(0)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	if err != nil {
		return nil, err
	}
	c, err := newInterruptible(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Session{conn: c, dialect: sqliteDialect}, nil
}

func (t *sqliteTarget) LoadScript() string  { return t.load }
func (t *sqliteTarget) ResetScript() string { return t.reset }
func (t *sqliteTarget) Control() *Session   { return t.control }

func (t *sqliteTarget) Describe() Description { return t.about }

func (t *sqliteTarget) Open(ctx context.Context, p *dbms.Profile) (*Session, error) {
	s, err := t.connect()
	if err != nil {
		return nil, err
	}
	return s, s.Must(ctx, p.Setup...)
}

func (t *sqliteTarget) Observe(ctx context.Context, level string) (*Session, error) {
	return nil, fmt.Errorf("SQLite has no %s", level)
}

func (t *sqliteTarget) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	var b strings.Builder
	b.WriteString("BEGIN;" + t.drop())
	for _, stmts := range [][]testcase.Stmt{c.Schema, c.Rows} {
		for _, s := range stmts {
			b.WriteString(s.SQL + ";\n")
		}
	}
	for _, name := range tables {
		fmt.Fprintf(&b, "CREATE TABLE %s AS SELECT * FROM %s;", Copy(name), name)
	}
	b.WriteString("COMMIT")
	t.reset = resetScript(tables)
	t.load = b.String()
	err := t.transact(ctx, t.load)
	if err == nil { // else the tables of the case before are there again
		t.tables = tables
	}
	return err
}

// drop is the script that drops the tables of the case that is loaded.
func (t *sqliteTarget) drop() string {
	var b strings.Builder
	for _, name := range t.tables {
		fmt.Fprintf(&b, "DROP TABLE IF EXISTS %s;DROP TABLE IF EXISTS %s;", name, Copy(name))
	}
	return b.String()
}

func (t *sqliteTarget) Clear(ctx context.Context) error {
	err := t.transact(ctx, "BEGIN;"+t.drop()+"COMMIT")
	if err == nil {
		t.tables = nil
	}
	return err
}

func (t *sqliteTarget) Reset(ctx context.Context) error { return t.transact(ctx, t.reset) }

// transact runs a script that is one transaction and leaves none open when it fails.
func (t *sqliteTarget) transact(ctx context.Context, script string) error {
	err := t.control.Must(ctx, script)
	if err != nil {
		_ = t.control.Must(ctx, "ROLLBACK") // fails if the script failed before it began, which is as well
	}
	return err
}

// Waiting: SQLite refuses instead of waiting, and the runner queues what it refused.
func (t *sqliteTarget) Waiting(_ context.Context, sessions []*Session) ([]bool, error) {
	return make([]bool, len(sessions)), nil
}

func (t *sqliteTarget) Kill(_ context.Context, s *Session) error {
	s.conn.(Interrupter).Interrupt()
	return nil
}

func (t *sqliteTarget) Alive(ctx context.Context) error {
	_, err := t.control.Read(ctx, "SELECT 1")
	return err
}

func (t *sqliteTarget) Restart(ctx context.Context) error {
	t.control.Close()
	t.tables, t.reset = nil, ""
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(t.dir.path, "case.db"+suffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return t.start(ctx)
}

func (t *sqliteTarget) Worn() bool { return false }

func (t *sqliteTarget) Close() error { return errors.Join(t.control.Close(), t.dir.remove()) }
