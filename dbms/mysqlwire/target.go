package mysqlwire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Error turns an error of the driver into the server's.
func Error(err error) *history.DBError {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return nil
	}
	return &history.DBError{Code: int(e.Number), State: strings.TrimRight(string(e.SQLState[:]), "\x00"),
		Message: e.Message}
}

// target is a server that speaks MySQL's protocol: a private one, or one that a DSN names.
type target struct {
	exec.Base
	kind     *DBMS
	config   *mysql.Config
	database string // ours: created by us, dropped by us
	waits    *WaitSource
	instance *exec.Instance // nil for a server of the user's
	gone     bool           // its server was ended, and no other one is up in its place
	wait     time.Duration  // how long a server of the user's may be away
	tables   []string       // of the case that is loaded
	views    []string
	made     []string // tables that the case's statements may have made
	loads    int      // cases loaded so far
	memory   uint64   // of a private server when it began, in bytes
}

// Instance is the private server that it is; nil for a server of the user's.
func (t *target) Instance() *exec.Instance { return t.instance }

// settings are the server variables that a report names.
var settings = []string{
	"version_comment", "tx_isolation", "transaction_isolation", "sql_mode", "log_bin", "binlog_format",
	"innodb_snapshot_isolation", "innodb_autoinc_lock_mode", "innodb_stats_persistent", "innodb_stats_auto_recalc",
	"innodb_rollback_on_timeout", "innodb_deadlock_detect", "optimizer_switch",
	"default_storage_engine", "character_set_server", "collation_server",
}

func (t *target) describe(ctx context.Context) error {
	rows, err := t.Connection.Read(ctx, "SELECT VERSION()")
	if err != nil {
		return err
	}
	t.About = exec.Description{Target: t.kind.Name, Version: rows.Cell(0, 0).S, Settings: map[string]string{}}
	if !t.kind.Ours(t.About.Version) {
		return fmt.Errorf("%w: the server at %s is %s, not %s", exec.ErrUnavailable, t.config.Addr,
			t.About.Version, t.kind.Name)
	}
	for _, query := range []string{"SHOW GLOBAL VARIABLES WHERE Variable_name IN ('" + strings.Join(settings,
		"','") + "')", t.kind.Changed} {
		rows, err := t.Connection.Read(ctx, query)
		if _, ok := errors.AsType[*exec.AnswerError](err); ok {
			continue // an old server or an ordinary user: the rest says enough
		}
		if err != nil {
			return err
		}
		if query == t.kind.Changed {
			t.About.Changed = []string{}
		}
		for i := range rows.Len() {
			t.About.Settings[rows.Cell(i, 0).S] = rows.Cell(i, 1).S
			if query == t.kind.Changed {
				t.About.Changed = append(t.About.Changed, rows.Cell(i, 0).S)
			}
		}
	}
	return nil
}

func (t *target) Open(ctx context.Context, _ exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	return t.open(ctx, p.Sessions.Setup...)
}

func (t *target) Observe(ctx context.Context, _ exec.NodeID, level string) (*exec.Session, error) {
	// Like transactions, an observer does not wait for a table that is locked as a whole: it is refused.
	// What it reads must look as it does to them, whatever the server's sql_mode (PAD_CHAR_TO_FULL_LENGTH).
	return t.open(ctx, "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION'", "SET SESSION lock_wait_timeout = 0",
		"SET SESSION TRANSACTION ISOLATION LEVEL "+level)
}

func (t *target) open(ctx context.Context, setup ...string) (*exec.Session, error) {
	s, err := t.dial(ctx, t.database)
	if err != nil {
		return nil, err
	}
	if err := s.Must(ctx, setup...); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
	}
	return s, nil
}

func (t *target) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	var b strings.Builder
	b.WriteString(t.drop())
	t.tables, t.views, t.made = tables, nil, c.Makes()
	schema := t.tablesOf(c)
	for _, v := range schema.Views {
		t.views = append(t.views, v.Name)
	}
	t.loads++
	for _, s := range c.Schema {
		b.WriteString(s.SQL + ";\n")
	}
	var rows strings.Builder
	for _, s := range c.Rows {
		rows.WriteString(s.SQL + ";\n")
	}
	b.WriteString("SET foreign_key_checks = ON;\nBEGIN;\n" + rows.String() + "COMMIT;\nSET foreign_key_checks = OFF;\n")
	if t.kind.Copy == "" {
		t.ResetScript = "BEGIN;DELETE FROM " + strings.Join(tables, ";DELETE FROM ") + ";" + rows.String() + "COMMIT"
	} else {
		for _, name := range tables {
			fmt.Fprintf(&b, t.kind.Copy+";\n", exec.Copy(name), name)
		}
		drop, create, err := exec.TriggerScripts(sqltext.SyntaxOf(t.kind.Name), c)
		if err != nil {
			return err
		}
		t.ResetScript = drop + exec.ResetScript(schema, tables) + t.resetCounters(schema)
		if create != "" {
			t.ResetScript += ";" + create
		}
	}
	t.LoadScript = b.String()
	return t.Connection.Must(ctx, t.LoadScript)
}

func (t *target) Worn() bool {
	if t.instance == nil {
		return false
	}
	if t.gone || t.instance.Worn(t.loads) {
		return true
	}
	const often = 64 // cases between looks
	return t.loads%often == often-1 && t.instance.Memory() > t.memory+wornMemory
}

// wornMemory is by how many bytes a private server may grow.
var wornMemory uint64 = 256 << 20

// drop is the script that drops the tables of the case that is loaded.
func (t *target) drop() string {
	if len(t.tables) == 0 {
		return ""
	}
	if t.kind.Anew {
		return fmt.Sprintf("DROP DATABASE %[1]s;\nCREATE DATABASE %[1]s;\nUSE %[1]s;\n", t.database)
	}
	// A load that failed has left the checks on.
	views := ""
	if len(t.views) > 0 {
		views = "DROP VIEW IF EXISTS " + strings.Join(t.views, ", ") + ";\n"
	}
	for _, name := range t.made {
		views += "DROP TABLE IF EXISTS " + name + ";\n"
	}
	all := slices.Clone(t.tables)
	for _, name := range t.tables {
		all = append(all, exec.Copy(name))
	}
	return views + "SET foreign_key_checks = OFF;\nDROP TABLE IF EXISTS " + strings.Join(all, ", ") + ";\n"
}

func (t *target) Clear(ctx context.Context) error {
	script := t.drop()
	if t.tables = nil; script == "" {
		return nil
	}
	return t.Connection.Must(ctx, script)
}

// Empty makes the database anew: a script leaves more behind than tables.
func (t *target) Empty(ctx context.Context) error {
	t.tables, t.ResetScript = nil, ""
	return t.Connection.Must(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %[1]s;CREATE DATABASE %[1]s;USE %[1]s", t.database))
}

// tablesOf reads the statements that define a case's tables, as the database does.
func (t *target) tablesOf(c *testcase.Case) *sqltext.Schema {
	return sqltext.SyntaxOf(t.kind.Name).Schema(testcase.Texts(c.Schema))
}

// resetCounters is the script that puts back the counters of a case's tables, after their rows.
func (t *target) resetCounters(schema *sqltext.Schema) string {
	script := ""
	for _, table := range schema.Tables {
		if t.kind.Counter != "" && slices.ContainsFunc(table.Columns, func(c sqltext.Column) bool { return c.Kept }) {
			script += ";" + fmt.Sprintf(t.kind.Counter, table.Name)
		}
	}
	return script
}

func (t *target) Reset(ctx context.Context) error { return t.Connection.Must(ctx, t.ResetScript) }

func (t *target) Waiting(ctx context.Context, sessions []*exec.Session) ([]exec.Wait, error) {
	ctx, cancel := context.WithTimeout(ctx, exec.AnswerTime())
	defer cancel()
	waiting, err := t.waits.Ask(ctx, t.Connection)
	if err != nil {
		return nil, err
	}
	out := make([]exec.Wait, len(sessions))
	for i, s := range sessions {
		out[i] = waiting[s.ID()]
	}
	return out, nil
}

// noSuchThread is the error of KILL for a connection that is gone.
const noSuchThread = 1094

func (t *target) Kill(ctx context.Context, s *exec.Session) error {
	ctx, cancel := context.WithTimeout(ctx, exec.AnswerTime())
	defer cancel()
	a, err := t.Connection.Exec(ctx, fmt.Sprintf(t.kind.Kill, s.ID()))
	if err == nil && a.Err != nil && a.Err.Code != noSuchThread {
		err = &exec.AnswerError{Text: "KILL QUERY", Err: a.Err}
	}
	return err
}

func (t *target) There(ctx context.Context, s *exec.Session) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, exec.AnswerTime())
	defer cancel()
	rows, err := t.Connection.Read(ctx, fmt.Sprintf("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = %d", s.ID()))
	return rows.Len() > 0, err
}

// Restart implements exec.Target.
func (t *target) Restart(ctx context.Context) error {
	if t.instance == nil {
		return fmt.Errorf("%w: a server that txweave did not start is not restarted", exec.ErrUnavailable)
	}
	return t.restart(ctx, t.instance.Shape())
}

// restart starts another server in place of the one that there is, with a store of a shape.
func (t *target) restart(ctx context.Context, shape *dbms.StoreShape) error {
	t.Connection.Close()
	t.gone = true
	srv, err := t.instance.Again(ctx, shape)
	if err != nil {
		return err
	}
	t.instance, t.tables, t.ResetScript = srv, nil, ""
	fresh, err := t.kind.open(ctx, srv, t.database)
	if err != nil {
		return err
	}
	*t = *fresh
	return nil
}

func (t *target) Close() error {
	if t.instance != nil {
		t.Connection.Close()
		return t.instance.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	drop := "DROP DATABASE IF EXISTS " + t.database
	err := t.Connection.Must(ctx, drop)
	var lost *exec.LostError
	if errors.As(err, &lost) { // the control connection went with an interrupt
		if s, derr := t.dial(ctx, ""); derr == nil {
			err = s.Must(ctx, drop)
			s.Close()
		}
	}
	t.Connection.Close()
	return err
}
