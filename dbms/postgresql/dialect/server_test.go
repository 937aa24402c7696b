package dialect_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	server "txweave/dbms/postgresql"
	postgresql "txweave/dbms/postgresql/dialect"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
)

var shared = servers.Launched("a PostgreSQL server", server.Server)

func TestMain(m *testing.M) {
	flag.Parse()
	effort.Checks()
	os.Exit(servers.Run(m, shared))
}

// dialect is that of the oldest server that is read, which is the one that is asked.
var dialect = postgresql.New(postgresql.Server{Version: 15})

// opinion is a database of the server's, asked what it takes a text for.
type opinion struct{ conn *pgconn.PgConn }

// ask opens a database that holds what statements make.
func ask(t *testing.T, statements string) opinion {
	t.Helper()
	socket := shared.Socket(t)
	_, port, _ := strings.Cut(filepath.Base(socket), ".s.PGSQL.")
	connect := func(database string) *pgconn.PgConn {
		conn, err := pgconn.Connect(t.Context(), fmt.Sprintf("host='%s' port=%s user=postgres database=%s sslmode=disable",
			filepath.Dir(socket), port, database))
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	home, name := connect("postgres"), strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_"))
	if _, err := home.Exec(t.Context(), "CREATE DATABASE "+name).ReadAll(); err != nil {
		t.Fatal(err)
	}
	o := opinion{connect(name)}
	t.Cleanup(func() {
		_ = o.conn.Close(context.Background())
		_, _ = home.Exec(context.Background(), "DROP DATABASE "+name).ReadAll()
		_ = home.Close(context.Background())
	})
	if _, err := o.conn.Exec(t.Context(), statements).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return o
}

// run runs statements and returns the rows of the last one, of one column, as lines.
func (o opinion) run(statements string) (string, error) {
	results, err := o.conn.Exec(context.Background(), statements).ReadAll()
	if err != nil || len(results) == 0 {
		return "", err
	}
	var lines []string
	for _, row := range results[len(results)-1].Rows {
		lines = append(lines, string(row[0]))
	}
	return strings.Join(lines, "\n"), nil
}

// malformed is what the server says of a text that is no statement.
var malformed = regexp.MustCompile(
	`syntax error|unterminated|trailing junk|conflicting or redundant|multiple \w+ \w* ?clauses|invalid Unicode|improper|is not supported here|` +
		`cannot be used|specified more than once|must be at the end|must have an alias|LIMIT #,#`)

// takes says whether the server's grammar takes a text for a statement.
func (o opinion) takes(text string) bool {
	_, err := o.conn.Prepare(context.Background(), "", text, nil)
	return err == nil || !malformed.MatchString(err.Error())
}

// planned are the statements that the server plans, and defined those after which what it holds is another thing.
var (
	planned = regexp.MustCompile(`^(?is)[\s(]*(SELECT|VALUES|TABLE|WITH|INSERT|UPDATE|DELETE|MERGE)\b`)
	defined = regexp.MustCompile(`^(?is)\s*(CREATE|ALTER|DROP|TRUNCATE)\b`)
	alone   = regexp.MustCompile(`^(?is)\s*\w+.*\b(CONCURRENTLY|DATABASE|FINALIZE)\b`)
)

// holds is a query that returns all that is defined in a database.
const holds = `SELECT format('%s %s %s %s %s', c.oid::regclass, c.relkind, c.relpersistence, c.reloptions, pg_get_expr(c.relpartbound, c.oid)) ||
	coalesce((SELECT string_agg(format('%s %s %s %s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attcollation::regcollation,
		(SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = c.oid AND adnum = attnum)), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0), '') ||
	coalesce((SELECT string_agg(conname || pg_get_constraintdef(oid) || convalidated::text, ',' ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid), '') ||
	coalesce((SELECT string_agg(pg_get_triggerdef(oid) || tgenabled::text, ',' ORDER BY oid) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal), '') ||
	coalesce((SELECT string_agg(inhparent::regclass::text, ',' ORDER BY inhseqno) FROM pg_inherits WHERE inhrelid = c.oid), '') ||
	CASE c.relkind WHEN 'i' THEN pg_get_indexdef(c.oid) WHEN 'v' THEN pg_get_viewdef(c.oid) WHEN 'm' THEN pg_get_viewdef(c.oid) WHEN 'p' THEN pg_get_partkeydef(c.oid)
		WHEN 'S' THEN (SELECT row(seqtypid, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle)::text FROM pg_sequence WHERE seqrelid = c.oid) ELSE '' END
	FROM pg_class AS c WHERE c.oid >= 16384 AND c.relnamespace::regnamespace::text NOT LIKE 'pg\_toast%'
	UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE oid >= 16384 UNION ALL SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' ORDER BY 1`

// means is what the server makes of a statement: its plan, or what it holds afterwards; ok is false where it makes
// nothing of it.
func (o opinion) means(text string) (said string, ok bool) {
	if planned.MatchString(text) {
		said, err := o.run("EXPLAIN (VERBOSE, COSTS OFF) " + text)
		return said, err == nil
	}
	if !defined.MatchString(text) || alone.MatchString(text) {
		return "", false
	}
	defer func() { _, _ = o.run("ROLLBACK") }()
	if _, err := o.run("BEGIN"); err != nil {
		return err.Error(), false
	}
	if _, err := o.run(text); err != nil {
		return err.Error(), false
	}
	said, err := o.run(holds)
	if err != nil {
		return err.Error(), false
	}
	return said, true
}
