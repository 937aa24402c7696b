package postgresql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
	"txweave/testcase"
)

// How long a server is waited for that answers at once unless it hangs.
const (
	dialTime   = 10 * time.Second
	answerTime = 15 * time.Second
	closeTime  = 2 * time.Second
)

var protocol = &exec.Protocol{DBError: dbError, Scratch: exec.TemporaryCopy,
	Export:   &exec.Export{Ask: "SELECT pg_export_snapshot()", As: inSnapshot},
	Snapshot: "SELECT pg_current_xact_id_if_assigned()::text, pg_current_snapshot()::text", Level: askLevel}

// askLevel asks for the level of the transaction that is open, or of the next one. READ UNCOMMITTED is READ COMMITTED
// by another name (postgresql.org/docs, Transaction Isolation).
var askLevel = &exec.AskLevel{Ask: "SHOW transaction_isolation", Read: func(rows *history.Rows, _ string) string {
	if rows.Len() != 1 {
		return ""
	}
	if level := strings.ReplaceAll(rows.Cell(0, 0).Raw(), " ", "-"); level != "read-uncommitted" {
		return level
	}
	return "read-committed"
}}

// inSnapshot is the script that reads something in a snapshot that a transaction has exported (postgresql.org/docs,
// Snapshot Synchronization Functions).
func inSnapshot(name, sql string) string {
	return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;SET TRANSACTION SNAPSHOT '" + name + "';" + sql + ";COMMIT"
}

// target is a server of PostgreSQL's: a private one, or one of the user's.
type target struct {
	exec.Base
	product  *product
	config   *pgconn.Config // without a database
	database string         // ours
	home     string         // the database from which ours is created
	private  *exec.Instance // nil for a server of the user's
	gone     bool           // its server was ended, and no other one is up in its place
	wait     time.Duration  // how long a server of the user's may be away
	tables   []string       // of the case that is loaded
	loads    int            // cases loaded so far
	resets   int            // since the tables were vacuumed
	memory   uint64         // of a private server when it began, in bytes
	backends *backends
	shape    *dbms.StoreShape // nil: the usual one
}

// session are the parameters of every connection: explicit, so that a case means the same on every server.
var session = map[string]string{"application_name": "txweave", "client_encoding": "UTF8", "DateStyle": "ISO, YMD",
	"IntervalStyle": "postgres",
	"TimeZone":      "UTC", "extra_float_digits": "1", "standard_conforming_strings": "on", "bytea_output": "hex",
	"search_path":         "public",
	"client_min_messages": "warning", "max_parallel_workers_per_gather": "0", "lock_timeout": "0",
	"statement_timeout":                   "0",
	"idle_in_transaction_session_timeout": "0", "default_transaction_isolation": "read committed",
	"default_transaction_read_only":  "off",
	"default_transaction_deferrable": "off", "transform_null_equals": "off", "array_nulls": "on",
	"backslash_quote": "safe_encoding",
	"row_security":    "on", "gin_fuzzy_search_limit": "0", "jit": "off"}

// neutral sets parameters of the same kind that not every server has, or that not everybody may set: those that
// somebody has.
const neutral = `SELECT set_config(name, v, false) FROM pg_settings JOIN (VALUES ('idle_session_timeout', '0'), ('transaction_timeout', '0'),
	('session_replication_role', 'origin')) AS w (name, v) USING (name) WHERE setting <> v`

// forgetEnvironment takes out of the environment what it says for other clients of PostgreSQL, and to a server that is
// started in it: another port, a service, a level, a user.
var forgetEnvironment = sync.OnceFunc(func() {
	for _, set := range os.Environ() {
		name, _, _ := strings.Cut(set, "=")
		if rest, ok := strings.CutPrefix(name, "PG"); ok && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			_ = os.Unsetenv(name)
		}
	}
})

// config reads where a server is. What the environment says for other clients is left out.
func (k *product) config(text string) (*pgconn.Config, error) {
	forgetEnvironment()
	c, err := pgconn.ParseConfig(text)
	if err != nil {
		// the error may quote it
		return nil, fmt.Errorf("%w: the DSN is not of the form postgres://user:password@host:port/", exec.ErrUnavailable)
	}
	c.RuntimeParams = maps.Clone(k.session)
	c.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {}
	return c, nil
}

// openControl opens the control connection. It fills tables in any order: only the initial rows are checked for foreign
// keys.
func (t *target) openControl(ctx context.Context) (*exec.Session, error) {
	return t.dial(ctx, t.database)
}

// reported are the settings that a report names.
var reported = []string{"server_version", "default_transaction_isolation", "max_pred_locks_per_transaction",
	"max_pred_locks_per_relation",
	"max_pred_locks_per_page", "deadlock_timeout", "fsync", "synchronous_commit", "max_prepared_transactions",
	"autovacuum", "jit", "track_commit_timestamp", "wal_level"}

func (t *target) describe(ctx context.Context, s *exec.Session) error {
	rows, err := s.Read(ctx, "SELECT version()")
	if err != nil {
		return err
	}
	t.About = exec.Description{Target: t.product.name, Version: rows.Cell(0, 0).S, Settings: map[string]string{}}
	if !t.product.ours(t.About.Version) {
		return fmt.Errorf("%w: the server at %s is %s, not %s", exec.ErrUnavailable, t.config.Host,
			t.About.Version, t.product.name)
	}
	inside := versionIn(t.About.Version)
	t.About.Changed = []string{}
	rows, err = s.Read(ctx, "SELECT name, setting, (setting IS DISTINCT FROM boot_val)::int FROM pg_settings WHERE "+
		"source IN ('configuration file', 'command line', 'global', 'database', 'user') "+
		"AND setting NOT LIKE '/%' OR name IN ('"+strings.Join(reported, "','")+"')")
	if err != nil {
		return err
	}
	for i := range rows.Len() {
		t.About.Settings[rows.Cell(i, 0).S] = rows.Cell(i, 1).S
		if changed, _ := rows.Cell(i, 2).Int64(); changed != 0 {
			t.About.Changed = append(t.About.Changed, rows.Cell(i, 0).S)
		}
	}
	slices.Sort(t.About.Changed)
	t.About.Version = cmp.Or(inside, t.About.Settings["server_version"])
	return nil
}

func (t *target) Open(ctx context.Context, _ exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	return t.open(ctx, p.Sessions.Setup...)
}

func (t *target) Observe(ctx context.Context, _ exec.NodeID, level string) (*exec.Session, error) {
	if level != exec.ReadCommitted {
		return nil, fmt.Errorf("PostgreSQL has no %s", level)
	}
	return t.open(ctx)
}

func (t *target) open(ctx context.Context, setup ...string) (*exec.Session, error) {
	var settings []string
	if t.shape != nil && len(setup) > 0 { // not the observers, who are to know better
		settings = t.shape.Set
	}
	s, err := t.dial(ctx, t.database, settings...)
	if err != nil {
		return nil, err
	}
	if err := s.Must(ctx, setup...); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
	}
	if t.private != nil && len(setup) > 0 { // not the observers, whom the tool itself waits for
		t.backends.add(s.ID())
	}
	return s, nil
}

// Load creates the tables of a case in one message, which is one transaction.
func (t *target) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	var b strings.Builder
	b.WriteString("BEGIN;" + t.drop())
	t.loads++
	for _, stmts := range [][]testcase.Stmt{c.Schema, c.Rows} {
		for _, s := range stmts {
			b.WriteString(s.SQL + ";\n")
		}
	}
	for _, name := range tables {
		fmt.Fprintf(&b, "CREATE TABLE %s AS SELECT * FROM %s;", exec.Copy(name), name)
	}
	b.WriteString("COMMIT")
	t.LoadScript, t.ResetScript, t.resets = b.String(), resetScript(c, tables), 0
	if err := t.forgetPrepared(ctx); err != nil {
		return err
	}
	if t.product.pieces {
		if err := t.inPieces(ctx, c, tables); err != nil {
			return err
		}
	} else if err := t.transact(ctx, t.flushed(t.LoadScript)); err != nil {
		return err // the tables of the case before are there again
	}
	t.tables = tables
	return t.upkeep(ctx)
}

// inPieces creates the tables of a case statement by statement.
func (t *target) inPieces(ctx context.Context, c *testcase.Case, tables []string) error {
	if drop := t.drop(); drop != "" {
		if err := t.Connection.Must(ctx, strings.TrimSuffix(drop, ";")); err != nil {
			return err
		}
	}
	t.tables = tables // some may be there when another one is refused
	if err := t.Connection.Must(ctx, testcase.Texts(slices.Concat(c.Schema, c.Rows))...); err != nil {
		return err
	}
	for _, name := range tables {
		copied := fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM %s", exec.Copy(name), name)
		if err := t.Connection.Must(ctx, copied); err != nil {
			return err
		}
	}
	return nil
}

// forgetPrepared rolls back the transactions of an earlier case that are prepared still, whose session or server had
// gone before they could end: they would keep their tables locked, beyond a restart, too.
func (t *target) forgetPrepared(ctx context.Context) error {
	if !t.product.prepared {
		return nil
	}
	rows, err := t.Connection.Read(ctx,
		"SELECT quote_literal(gid) FROM pg_prepared_xacts WHERE database = current_database() ORDER BY gid")
	if err != nil {
		return err
	}
	for i := range rows.Len() {
		if err := t.Connection.Must(ctx, "ROLLBACK PREPARED "+rows.Row(i)[0].S); err != nil {
			return err
		}
	}
	return nil
}

// flushed has a script that fills tables wait for the log, where VACUUM is to find its rows: a row whose commit is not
// in the log's file yet is not marked as committed, and so its page not as seen by all.
func (t *target) flushed(script string) string {
	if t.shape == nil || t.shape.Upkeep == "" {
		return script
	}
	return strings.Replace(script, "BEGIN;", "BEGIN;SET LOCAL synchronous_commit = on;", 1)
}

// upkeep does to filled tables what the shape of the store says.
func (t *target) upkeep(ctx context.Context) error {
	if t.shape == nil || t.shape.Upkeep == "" || len(t.tables) == 0 {
		return nil
	}
	return t.Connection.Must(ctx, t.shape.Follows(t.tables))
}

// Store implements exec.Storer.
func (t *target) Store() string {
	if t.shape == nil {
		return ""
	}
	return t.shape.Name
}

// Reshape implements exec.Storer: sessions that are opened from now on, and tables that are filled, have the shape.
func (t *target) Reshape(_ context.Context, shape *dbms.StoreShape) error {
	t.shape = shape
	return nil
}

// resetScript refills the tables from their copies. Tables that refer to others are emptied before them and filled
// after them.
func resetScript(c *testcase.Case, tables []string) string {
	var empty, fill strings.Builder
	schema := Syntax.Schema(testcase.Texts(c.Schema))
	for _, name := range tables {
		list, columns := "", "*"
		if t := schema.Table(name); t != nil && len(t.Stored()) < len(t.Columns) {
			columns = strings.Join(t.Stored(), ", ")
			list = " (" + columns + ")"
		}
		if schema.Heir(name) == nil {
			fmt.Fprintf(&fill, "INSERT INTO %s%s SELECT %s FROM %s;", name, list, columns, exec.Copy(name))
		}
		for i := range schema.Heirs { // each has rows of its own
			if h := &schema.Heirs[i]; h.Of == name {
				fmt.Fprintf(&fill, "INSERT INTO %s%s SELECT %s FROM %s WHERE %s;", h.Name, list, columns,
					exec.Copy(name), h.Where(""))
			}
		}
	}
	for _, name := range slices.Backward(tables) {
		fmt.Fprintf(&empty, "DELETE FROM %s;", name)
	}
	return "BEGIN;" + empty.String() + fill.String() + "COMMIT"
}

// drop is the script that drops the tables of the case that is loaded.
func (t *target) drop() string {
	if len(t.tables) == 0 {
		return ""
	}
	names := slices.Clone(t.tables)
	for _, name := range t.tables {
		names = append(names, exec.Copy(name))
	}
	return "DROP TABLE IF EXISTS " + strings.Join(names, ", ") + " CASCADE;"
}

func (t *target) Clear(ctx context.Context) error {
	script := t.drop()
	if script == "" {
		return nil
	}
	err := t.transact(ctx, script)
	if err == nil {
		t.tables = nil
	}
	return err
}

// Empty makes the schema anew: a script leaves more behind than tables.
func (t *target) Empty(ctx context.Context) error {
	t.tables, t.ResetScript = nil, ""
	return t.transact(ctx, "DROP SCHEMA IF EXISTS public CASCADE;CREATE SCHEMA public")
}

// vacuumEvery is after how many resets the rows that they deleted are taken away.
const vacuumEvery = 50

func (t *target) Reset(ctx context.Context) error {
	if t.resets++; t.resets%vacuumEvery == 0 && t.product.vacuums {
		if err := t.Connection.Must(ctx, "VACUUM "+strings.Join(t.tables, ", ")); err != nil {
			return err
		}
	}
	if err := t.transact(ctx, t.flushed(t.ResetScript)); err != nil {
		return err
	}
	return t.upkeep(ctx)
}

// transact runs a script that is one transaction and leaves none open when it fails.
func (t *target) transact(ctx context.Context, script string) error {
	err := t.Connection.Must(ctx, script)
	if _, ok := errors.AsType[*exec.AnswerError](err); ok {
		_ = t.Connection.Must(ctx, "ROLLBACK")
	}
	return err
}

// Waiting asks who blocks whom. Sessions that wait for each other in a circle do not count as waiting: the server is
// about to end one of them.
func (t *target) Waiting(ctx context.Context, sessions []*exec.Session) ([]exec.Wait, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	blockers, err := t.blockers(ctx, sessions)
	if err != nil {
		return nil, err
	}
	out := make([]exec.Wait, len(sessions))
	for i, s := range sessions {
		if len(blockers[s.ID()]) == 0 {
			continue
		}
		waits, err := t.waits(ctx, s.ID(), blockers)
		if err != nil {
			return nil, err
		}
		if waits {
			out[i] = exec.SomeWait
		}
	}
	return out, nil
}

// Alive says whether the server answers.
func (t *target) Alive(ctx context.Context) error {
	return exec.Reach(ctx, t.private, t.wait, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, dialTime)
		defer cancel()
		if _, err := t.Connection.Read(ctx, "SELECT 1"); err == nil {
			return nil
		}
		t.Connection.Close()
		fresh, err := t.openControl(ctx)
		if err != nil && t.private == nil {
			fresh, err = t.again(ctx, err)
		}
		if err == nil {
			t.Connection = fresh
		}
		return err
	})
}

func (t *target) There(ctx context.Context, s *exec.Session) (bool, error) {
	rows, err := t.Connection.Read(ctx, fmt.Sprintf(t.product.there, t.product.text(s.ID())))
	return rows.Len() > 0, err
}

func (t *target) Kill(ctx context.Context, s *exec.Session) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err := t.Connection.Read(ctx, fmt.Sprintf(t.product.cancel, t.product.text(s.ID())))
	return err
}

func (t *target) Restart(ctx context.Context) error {
	if t.private == nil {
		return fmt.Errorf("%w: a server that txweave did not start is not restarted", exec.ErrUnavailable)
	}
	t.Connection.Close()
	t.gone = true
	s, err := t.private.Again(ctx, t.private.Shape())
	if err != nil {
		return err
	}
	fresh, err := private(ctx, s)
	if err != nil {
		return err
	}
	shape := t.shape
	*t = *fresh.(*target)
	t.shape = shape
	return nil
}

func (t *target) Log() string {
	if t.private == nil {
		return ""
	}
	return t.private.Tail()
}

// worn is by how many bytes a private server's first process may grow.
const worn = 256 << 20

func (t *target) Worn() bool {
	return t.private != nil && (t.gone || t.private.Worn(t.loads) || t.loads%64 == 63 && t.private.Memory() >
		t.memory+worn)
}

func (t *target) Close() error {
	t.Connection.Close()
	if t.private != nil {
		return t.private.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	s, err := t.dial(ctx, t.home)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Must(ctx, "DROP DATABASE IF EXISTS "+t.database)
}
