package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"txweave/exec"
	"txweave/sql/sqltext"
)

// interruptible is a connection to SQLite whose statement can be ended from outside, at any moment: by Kill, for an
// in-process engine has no control connection to do it from, and by the caller's context. The driver itself forgets the
// context as soon as a query has its first row, and what runs on then keeps its locks.
type interruptible struct {
	driver.Conn
	db     uintptr // sqlite3*
	mu     sync.Mutex
	cancel context.CancelFunc // of the last statement
}

// newInterruptible wraps a connection that the driver has opened.
func newInterruptible(conn driver.Conn) (*interruptible, error) {
	// The driver does not export the handle.
	v := reflect.ValueOf(conn)
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if db := v.Elem().FieldByName("db"); db.Kind() == reflect.Uintptr && db.Uint() != 0 {
			return &interruptible{Conn: conn, db: uintptr(db.Uint())}, nil
		}
	}
	return nil, fmt.Errorf("driver %T does not tell SQLite's handle", conn)
}

// keepIn makes the connection refuse every other database: ATTACH, and VACUUM INTO, which attaches what it writes.
// Extensions are not loaded unless a program asks for that. A value is no longer than maxLength: the engine, which is
// in this process, would make it as large as it is told to (zeroblob, printf).
func (c *interruptible) keepIn() {
	c.limit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	c.limit(sqlite3.SQLITE_LIMIT_LENGTH, maxLength)
}

func (c *interruptible) limit(what, to int32) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_limit(tls, c.db, what, to)
}

// TxnState is what the engine says after the last statement.
func (c *interruptible) TxnState() exec.TxnState {
	tls := libc.NewTLS()
	defer tls.Close()
	if sqlite3.Xsqlite3_get_autocommit(tls, c.db) == 0 {
		return exec.TxnOpen
	}
	return exec.TxnNone
}

// room lets VACUUM, and nothing else, attach the nameless database into which it copies the tables, until it is over.
func (c *interruptible) room(query string) (over func()) {
	if words := sqltext.Significant(query, 2); len(words) != 1 || !words[0].Is("vacuum") {
		return func() {}
	}
	c.limit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
	return func() { c.limit(sqlite3.SQLITE_LIMIT_ATTACHED, 0) }
}

// maxLength is how long a value, or a row, may be, in bytes: as long as the text of a case.
const maxLength = 16 << 20

// Interrupt ends the statement that is running, if there is one.
func (c *interruptible) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
}

// guard interrupts the statement that begins now when ctx ends or somebody calls Interrupt. ended says that it is over,
// and has to be called.
func (c *interruptible) guard(ctx context.Context) (ended func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.cancel = cancel
	c.mu.Unlock()
	over := false // under mu
	stop := context.AfterFunc(ctx, func() {
		tls := libc.NewTLS() // the connection's own is in use
		defer tls.Close()
		// SQLite forgets an interrupt that comes before the statement's first step, so one may not be enough.
		for ; ; time.Sleep(time.Millisecond) {
			c.mu.Lock()
			if !over {
				sqlite3.Xsqlite3_interrupt(tls, c.db)
			}
			done := over
			c.mu.Unlock()
			if done {
				return
			}
		}
	})
	return func() {
		c.mu.Lock()
		over = true // from here on it would hit the next statement, or a connection that is closed
		c.mu.Unlock()
		stop()
		cancel()
	}
}

func (c *interruptible) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (
	driver.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer c.guard(ctx)()
	defer c.room(query)()
	res, err := c.Conn.(driver.ExecerContext).ExecContext(context.WithoutCancel(ctx), query, args)
	return res, why(ctx, err)
}

func (c *interruptible) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ended := c.guard(ctx)
	defer c.room(query)()
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(context.WithoutCancel(ctx), query, args)
	if err != nil {
		ended()
		return nil, why(ctx, err)
	}
	return &interruptibleRows{Rows: rows, ctx: ctx, ended: ended}, nil
}

// PrepareContext implements driver.ConnPrepareContext: the driver prepares a statement when it is sent, and binds its
// values.
func (c *interruptible) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &exec.TextStmt{Conn: c, Text: query}, nil
}

// why returns what ended a statement: the caller's context, or what the database says.
func why(ctx context.Context, err error) error {
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// interruptibleRows is a result whose statement runs until it is closed.
type interruptibleRows struct {
	driver.Rows
	ctx   context.Context
	ended func()
}

func (r *interruptibleRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	for i := range dest {
		if b, ok := dest[i].([]byte); ok {
			dest[i] = exec.Blob(b)
		}
	}
	return why(r.ctx, err)
}

func (r *interruptibleRows) Close() error {
	defer r.ended()
	return r.Rows.Close()
}
