// Package database keeps a campaign in an SQL database: its cells with their cursors, what was counted, bugs and
// findings with their history. Alone it is an SQLite database in the campaign's directory; shared by several machines,
// a PostgreSQL or MySQL one.
//
// Its claim: a case is counted once, with its findings, or not at all; a finding is one of the database's rows or it is
// not there; a finding is counted to its bug once. So it is whatever kills whom when, and however many processes share
// it.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// File is the name of the database in a campaign's directory.
const File = "campaign.db"

// DB is a campaign's database, open. Its methods may be called by many goroutines.
type DB struct {
	dir     string // where findings' files lie
	sql     *sql.DB
	dialect *dialect
	start   int64 // of this process's run; 0: it only looks
	shard   Shard
	bucket  *bucket      // of files of findings; nil: they are in the database, where it is shared
	last    atomic.Int64 // number that was drawn last
}

// Shard says which part of the work a process does: the cases whose number is Index modulo Count.
type Shard struct{ Index, Count int64 }

// Exists says whether a directory holds a campaign's database.
func Exists(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, File))
	return err == nil && st.Mode().IsRegular()
}

// Open opens the database in a campaign's directory; with make it is made if it is not there, else that is
// fs.ErrNotExist.
func Open(ctx context.Context, dir string, make bool) (*DB, error) {
	path, err := filepath.Abs(filepath.Join(dir, File))
	if err != nil {
		return nil, err
	}
	if make {
		if err := private(dir, path); err != nil {
			return nil, err
		}
	} else if !Exists(dir) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	query := "_txlock=immediate&_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	frozen := !make && unix.Access(dir, unix.W_OK) != nil
	if frozen {
		if query, err = readOnly(path); err != nil {
			return nil, err
		}
	}
	d, err := openFile(dir, path, query)
	if err != nil {
		return nil, err
	}
	if frozen {
		err = d.checkFormat(ctx)
	} else {
		err = d.create(ctx)
	}
	if damaged, ok := errors.AsType[*BrokenError](err); ok {
		_ = d.Close() // what it says is a consequence
		return nil, damaged
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), d.Close())
	}
	return d, nil
}

func openFile(dir, path, query string) (*DB, error) {
	u := url.URL{Scheme: "file", Path: path, RawQuery: query}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	return &DB{dir: dir, sql: db, dialect: &embedded, shard: Shard{0, 1}}, nil
}

// readOnly says how a database is opened in a directory in which nobody can write: SQLite's shared memory cannot be
// made there, so it is read as it lies. What a process that was killed there left in the write-ahead log cannot be read
// so.
func readOnly(path string) (query string, err error) {
	if st, err := os.Stat(path + "-wal"); err == nil && st.Size() > 0 {
		return "", fmt.Errorf("%s: its last changes are in %s, and nothing can be written there: copy the directory to "+
			"where it can be", path, filepath.Base(path)+"-wal")
	}
	return "mode=ro&immutable=1", nil
}

// private makes the directory and the database's file so that nobody else can read them.
func private(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Close closes it.
func (d *DB) Close() error { return d.sql.Close() }

// Dir is the directory in which findings' files lie.
func (d *DB) Dir() string { return d.dir }

// tx is a transaction.
type tx struct {
	ctx context.Context
	tx  *sql.Tx
	d   *DB
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.tx.ExecContext(t.ctx, t.d.dialect.rebind(query), args...)
	return err
}

// changes executes a statement and returns how many rows it met.
func (t *tx) changes(query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(t.ctx, t.d.dialect.rebind(query), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) row(query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(t.ctx, t.d.dialect.rebind(query), args...)
}

// rows calls each for every row of a query; scan reads it.
func (t *tx) rows(each func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := t.tx.QueryContext(t.ctx, t.d.dialect.rebind(query), args...)
	return scanAll(rows, err, each)
}

// lookup is a query for one row outside of a transaction.
type lookup struct {
	d     *DB
	ctx   context.Context
	query string
	args  []any
}

// Scan asks for the row and reads it; a server that is away is waited for.
func (l *lookup) Scan(dest ...any) error {
	return l.d.patiently(l.ctx, func() (bool, error) {
		return true, l.d.sql.QueryRowContext(l.ctx, l.d.dialect.rebind(l.query), l.args...).Scan(dest...)
	})
}

func (d *DB) row(ctx context.Context, query string, args ...any) *lookup {
	return &lookup{d, ctx, query, args}
}

// rows calls each for every row of a query; scan reads it. A server that is away before the first row is waited for.
func (d *DB) rows(ctx context.Context, each func(scan func(...any) error) error, query string, args ...any) error {
	begun := false
	return d.patiently(ctx, func() (bool, error) {
		rows, err := d.sql.QueryContext(ctx, d.dialect.rebind(query), args...)
		err = scanAll(rows, err, func(scan func(...any) error) error {
			begun = true
			return each(scan)
		})
		return !begun, err
	})
}

func scanAll(rows *sql.Rows, err error, each func(scan func(...any) error) error) error {
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// StoreError is a failure of the campaign's own database.
type StoreError struct {
	Reason error
	// Shared says that it is a server's, or a bucket, which others can reach or nobody; else the file in the campaign's
	// directory.
	Shared bool
}

func (e *StoreError) Error() string { return "the campaign's database: " + e.Reason.Error() }

func (e *StoreError) Unwrap() error { return e.Reason }

// BrokenError says that the database in a campaign's directory is not whole.
type BrokenError struct {
	Path   string
	Reason error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf(
		"%s is damaged (%v): put a copy in its place, or move it and %s-wal away; the next run then begins anew, and puts "+
			"the findings that are there into %s",
		e.Path, e.Reason, File, filepath.Join(filepath.Dir(e.Path), "quarantine"))
}

func (e *BrokenError) Unwrap() error { return e.Reason }

func isNone(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// For how long a transaction is tried again that another one, or a server that is away, keeps from its end; and for how
// long a server is waited for at the start.
var patience = 2 * time.Minute // a variable for tests

// How often a transaction is tried again that met a row that another one has just made: it sees that row then.
const races = 5

// tx calls do in a transaction, again if that is what it takes: do must change nothing else.
func (d *DB) tx(ctx context.Context, do func(*tx) error) error {
	return d.retry(ctx, &sql.TxOptions{Isolation: d.dialect.isolation}, do)
}

// read calls do in a transaction that sees one state of the database and keeps nobody from writing.
func (d *DB) read(ctx context.Context, do func(*tx) error) error {
	return d.retry(ctx, &sql.TxOptions{Isolation: d.dialect.snapshot, ReadOnly: true}, do)
}

func (d *DB) retry(ctx context.Context, o *sql.TxOptions, do func(*tx) error) error {
	return d.patiently(ctx, func() (bool, error) { return true, d.try(ctx, o, do) })
}

// patiently calls do, and again where its error is one that goes by, and it says that it may be.
func (d *DB) patiently(ctx context.Context, do func() (repeatable bool, err error)) error {
	wait, met := 10*time.Millisecond, 0
	for until := time.Now().Add(patience); ; wait = min(2*wait, 5*time.Second) {
		repeatable, err := do()
		again := err != nil && d.dialect.again(err)
		if err != nil && d.dialect.raced(err) && met < races {
			again, met = true, met+1
		}
		if err == nil || ctx.Err() != nil || !again || !repeatable || time.Now().After(until) {
			return d.fault(err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// fault says whose an error is: the file's, the database's, or another's.
func (d *DB) fault(err error) error {
	switch {
	case d.dialect.damaged(err):
		return &BrokenError{filepath.Join(d.dir, File), err}
	case d.dialect.full(err):
		return &StoreError{fmt.Errorf("%w: %w", unix.ENOSPC, err), d.shared()}
	case d.dialect.own(err):
		return &StoreError{err, d.shared()}
	}
	return err
}

func (d *DB) try(ctx context.Context, o *sql.TxOptions, do func(*tx) error) error {
	one, err := d.sql.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	// after a commit nothing, after an error or a panic what it would say is a consequence
	defer func() { _ = one.Rollback() }()
	if err := do(&tx{ctx, one, d}); err != nil {
		return err
	}
	return one.Commit()
}

// number draws a number that no other process draws: a moment, and of this process no two alike.
func (d *DB) number() int64 {
	for {
		now, last := time.Now().UnixNano(), d.last.Load()
		if d.last.CompareAndSwap(last, max(now, last+1)) {
			return max(now, last+1)
		}
	}
}

func now() int64 { return time.Now().Unix() }
