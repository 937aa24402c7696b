package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	moderncsqlite "modernc.org/sqlite"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// references lists the rows whose foreign keys name none.
const references = "PRAGMA foreign_key_check"

var protocol = &exec.Protocol{DBError: dbError, InProcess: true, Scratch: exec.TemporaryCopy,
	ScratchColumns: "SELECT name, type FROM pragma_table_info('%s', 'temp')", Integrity: &exec.Integrity{
		Ask:     func([]string) []string { return []string{"PRAGMA integrity_check", references} },
		Given:   references,
		Besides: func(schema []string) []string { return append(partials(schema), computed(schema)...) },
		Cheap:   true, // the tables are small, and in this process
		Read: func(rows *history.Rows) []string {
			var out []string
			for i := range rows.Len() {
				row := rows.Row(i)
				switch {
				case len(row) > 1: // of foreign_key_check: table, rowid, the table it refers to, number of the key
					out = append(out, exec.Dangling(row[0].S, row[2].S))
				case row[0].S != "ok":
					out = append(out, row[0].S)
				}
			}
			return out
		},
	}}

// dbError takes the extended result code; an interrupted statement is the environment's doing.
func dbError(err error) *history.DBError {
	if h, ok := errors.AsType[*hostError](err); ok {
		return &history.DBError{Code: h.code, Message: h.message}
	}
	var e *moderncsqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	return &history.DBError{Code: e.Code(), Message: e.Error()}
}

// target is the embedded engine on a database file of its own, in WAL mode.
type target struct {
	exec.Base
	dir    *exec.WorkDir
	file   string                        // in dir
	dial   func() (*exec.Session, error) // opens a connection
	tables []string
	views  []string
	made   []string         // tables that the case's statements may have made
	shape  *dbms.StoreShape // nil: the usual one
}

func (t *target) start(ctx context.Context) (err error) {
	if err := t.create(); err != nil {
		return err
	}
	if t.Connection, err = t.dial(); err != nil {
		return fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
	}
	rows, err := t.Connection.Read(ctx, "SELECT sqlite_version(), sqlite_source_id()")
	if err != nil {
		return errors.Join(err, t.Connection.Close())
	}
	t.About = exec.Description{Target: "sqlite", Version: rows.Row(0)[0].S, Settings: map[string]string{
		"source_id": rows.Row(0)[1].S, "journal_mode": "wal", "synchronous": "off", "busy_timeout": "0",
	}, Changed: []string{"journal_mode", "synchronous"}}
	return nil
}

// databaseName is the name of the file, or its end.
const databaseName = "case.db"

func (t *target) path() string { return filepath.Join(t.dir.Path, t.file) }

// Store implements exec.Storer.
func (t *target) Store() string {
	if t.shape == nil {
		return ""
	}
	return t.shape.Name
}

// fixed are the settings of a file that hold from its first page on.
var fixed = []string{"PRAGMA page_size(", "PRAGMA auto_vacuum("}

func isFixed(set string) bool {
	return slices.ContainsFunc(fixed, func(name string) bool { return strings.HasPrefix(set, name) })
}

// create makes an empty file with those settings of the shape that hold for good: the driver switches the journal's
// mode before it sets them, which writes the first page.
func (t *target) create() error {
	var texts []string
	if t.shape != nil {
		texts = slices.DeleteFunc(slices.Clone(t.shape.Set), func(set string) bool { return !isFixed(set) })
	}
	if len(texts) == 0 {
		return nil
	}
	conn, err := new(moderncsqlite.Driver).Open("file:" + t.path())
	if err != nil {
		return err
	}
	for _, sql := range append(texts, "VACUUM") {
		if _, err := conn.(driver.ExecerContext).ExecContext(context.Background(), sql, nil); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", sql, err), conn.Close())
		}
	}
	return conn.Close()
}

// open opens one connection to the engine in this process, with PRAGMA synchronous; SQLite's locks are between
// connections. What is fixed is not set again: PRAGMA auto_vacuum writes, and is refused while anybody else does.
func open(path, synchronous string, shape *dbms.StoreShape) (*exec.Session, error) {
	pragmas := ""
	if shape != nil {
		for _, set := range shape.Set {
			if !isFixed(set) {
				pragmas += "&_pragma=" + strings.TrimPrefix(set, "PRAGMA ")
			}
		}
	}
	conn, err := new(moderncsqlite.Driver).Open("file:" + path + "?_pragma=busy_timeout(0)" + pragmas +
		"&_pragma=journal_mode(WAL)&_pragma=synchronous(" + synchronous + ")&_pragma=trusted_schema(OFF)")
	if err != nil {
		if db := dbError(err); db != nil { // the first statement of a connection reads the schema
			err = &exec.AnswerError{Text: "a new connection", Err: db}
		}
		return nil, err
	}
	c, err := newInterruptible(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	c.keepIn()
	return exec.NewSession(c, 0, protocol), nil
}

func (t *target) Open(ctx context.Context, _ exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := t.dial()
	var answer *exec.AnswerError
	if errors.As(err, &answer) && p.Errors.Classify(answer.Err.Code, answer.Err.Message) == dbms.Environment {
		err = &exec.EnvironmentError{Answer: answer}
	}
	if err != nil {
		return nil, err
	}
	if err := s.Must(ctx, p.Sessions.Setup...); err != nil {
		return nil, errors.Join(err, s.Close()) // a connection that nobody closes keeps the database's files open
	}
	return s, nil
}

func (t *target) Observe(ctx context.Context, _ exec.NodeID, level string) (*exec.Session, error) {
	return nil, fmt.Errorf("SQLite has no %s", level)
}

func (t *target) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	var b strings.Builder
	b.WriteString("BEGIN;" + t.drop())
	for _, stmts := range [][]testcase.Stmt{c.Schema, c.Rows} {
		for _, s := range stmts {
			b.WriteString(s.SQL + ";\n")
		}
	}
	for _, name := range tables {
		fmt.Fprintf(&b, "CREATE TABLE %s AS SELECT * FROM %s;", exec.Copy(name), name)
	}
	b.WriteString("COMMIT")
	schema := Syntax.Schema(testcase.Texts(c.Schema))
	drop, create, err := exec.TriggerScripts(Syntax, c)
	if err != nil {
		return err
	}
	t.ResetScript = "BEGIN;" + drop + strings.TrimSuffix(strings.TrimPrefix(exec.ResetScript(schema, tables), "BEGIN;"),
		"COMMIT") + create + "COMMIT"
	for _, table := range schema.Tables {
		if slices.ContainsFunc(table.Columns, func(c sqltext.Column) bool { return c.Kept }) {
			// AUTOINCREMENT counts on from the largest number ever: the rows that are copied back set it again.
			t.ResetScript = strings.Replace(t.ResetScript, "BEGIN;",
				fmt.Sprintf("BEGIN;DELETE FROM sqlite_sequence WHERE name = '%s' COLLATE NOCASE;", table.Name), 1)
		}
	}
	t.LoadScript = b.String()
	err = t.fill(ctx, t.LoadScript)
	if err == nil { // else the tables of the case before are there again
		t.tables, t.views, t.made = tables, nil, c.Makes()
		for _, v := range schema.Views {
			t.views = append(t.views, v.Name)
		}
	}
	return err
}

// drop is the script that drops the tables of the case that is loaded.
func (t *target) drop() string {
	var b strings.Builder
	for _, name := range t.views {
		fmt.Fprintf(&b, "DROP VIEW IF EXISTS %s;", name)
	}
	for _, name := range t.made {
		fmt.Fprintf(&b, "DROP TABLE IF EXISTS %s;", name)
	}
	for _, name := range t.tables {
		fmt.Fprintf(&b, "DROP TABLE IF EXISTS %s;DROP TABLE IF EXISTS %s;", name, exec.Copy(name))
	}
	return b.String()
}

func (t *target) Clear(ctx context.Context) error {
	err := t.transact(ctx, "BEGIN;"+t.drop()+"COMMIT")
	if err == nil {
		t.tables, t.views = nil, nil
	}
	return err
}

// Empty begins with a new file.
func (t *target) Empty(ctx context.Context) error { return t.Restart(ctx) }

func (t *target) Reset(ctx context.Context) error { return t.fill(ctx, t.ResetScript) }

// fill runs a script that fills the tables, and what the store's shape has to follow.
func (t *target) fill(ctx context.Context, script string) error {
	err := t.transact(ctx, script)
	if err != nil || t.shape == nil || t.shape.Upkeep == "" {
		return err
	}
	return t.Connection.Must(ctx, t.shape.Follows(t.tables))
}

// transact runs a script that is one transaction and leaves none open when it fails.
func (t *target) transact(ctx context.Context, script string) error {
	err := t.Connection.Must(ctx, script)
	if err != nil {
		_ = t.Connection.Must(ctx, "ROLLBACK") // fails if the script failed before it began, which is as well
	}
	return err
}

// Waiting: SQLite refuses instead of waiting, and the runner queues what it refused.
func (t *target) Waiting(_ context.Context, sessions []*exec.Session) ([]exec.Wait, error) {
	return make([]exec.Wait, len(sessions)), nil
}

func (t *target) There(context.Context, *exec.Session) (bool, error) { return false, nil }

func (t *target) Kill(_ context.Context, s *exec.Session) error {
	s.Conn().(exec.Interrupter).Interrupt()
	return nil
}

func (t *target) Alive(ctx context.Context) error {
	_, err := t.Connection.Read(ctx, "SELECT 1")
	return err
}

func (t *target) Restart(ctx context.Context) error {
	t.Connection.Close()
	t.tables, t.views, t.ResetScript = nil, nil, ""
	if err := t.remove(); err != nil {
		return err
	}
	return t.start(ctx)
}

// remove removes the database.
func (t *target) remove() error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(t.path() + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (t *target) Log() string { return "" }

func (t *target) Worn() bool { return false }

func (t *target) Close() error { return errors.Join(t.Connection.Close(), t.dir.Remove()) }
