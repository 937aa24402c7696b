// Package registry puts the DBMSs together: one entry each, made of what its folder says of it. It alone names them.
package registry

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/dbms/innodb"
	"txweave/dbms/mariadb"
	"txweave/dbms/mysql"
	"txweave/dbms/postgresql"
	"txweave/dbms/sqlite"
	"txweave/dbms/tidb"
	"txweave/exec"
	"txweave/gen"
	"txweave/report"
	"txweave/report/export"
	"txweave/sql/functions"
	"txweave/sqltext"
)

// DBMS is all that txweave knows of one DBMS.
type DBMS struct {
	Name string
	// Promises are the levels that txweave runs, the default one first; none: it cannot run the DBMS. Known are levels of
	// which only the promise is known, for recorded traces.
	Promises, Known []*dbms.Profile
	Syntax          *sqltext.Syntax // how its statements are read; nil: as those of a DBMS of which nothing is known
	Dialect         *gen.Dialect    // what is generated for it
	// Server is how a server of it is started and reached; nil where the engine is embedded.
	Server *exec.Server
	// Open opens a new database of the embedded engine; nil where there is a server.
	Open func(context.Context) (exec.Target, error)
	// OpenHosted does the same with the engine in a process of its own, which a command starts that calls Host.
	OpenHosted func(context.Context, func(dir string) (binary string, args []string)) (exec.Target, error)
	Export     *export.Spelling
	Tracker    *report.Tracker
	// Untried says why the DBMS is not among Names: it is known from its documentation alone. A server of it, named by a
	// DSN, can be used for all that. "": it is tried.
	Untried string
}

// all lists the DBMSs in the order of help.
var all = []*DBMS{
	{Name: "sqlite", Promises: sqlite.Levels(), Known: sqlite.Known(), Syntax: sqlite.Syntax, Dialect: sqlite.Dialect,
		Open: sqlite.Open, OpenHosted: sqlite.OpenHosted,
		Export: sqlite.Spelling, Tracker: sqlite.Tracker},
	{Name: "mariadb", Promises: mariadb.Levels(), Syntax: mariadb.Syntax, Dialect: mariadb.Dialect, Server: mariadb.Server,
		Export: mariadb.Spelling, Tracker: mariadb.Tracker},
	{Name: "mysql", Promises: mysql.Levels(), Syntax: mysql.Syntax, Dialect: mysql.Dialect, Server: mysql.Server,
		Export: mysql.Spelling, Tracker: mysql.Tracker},
	{Name: "tidb", Promises: tidb.Levels(), Known: tidb.Known(), Syntax: tidb.Syntax, Dialect: tidb.Dialect,
		Server: tidb.Server,
		Export: tidb.Spelling, Tracker: tidb.Tracker},
	{Name: "postgresql", Promises: postgresql.Levels(), Known: postgresql.Known(), Syntax: postgresql.Syntax,
		Dialect: postgresql.Dialect, Server: postgresql.Server,
		Export: postgresql.Spelling, Tracker: postgresql.Tracker},
	{Name: "yugabytedb", Promises: postgresql.YugabyteLevels(), Known: postgresql.Like("yugabytedb",
		"docs.yugabyte.com, Transaction isolation levels"), Syntax: postgresql.Syntax,
		Dialect: postgresql.YugabyteDialect, Server: postgresql.YugabyteServer, Export: postgresql.YugabyteSpelling,
		Tracker: postgresql.YugabyteTracker, Untried: postgresql.Untried},
	{Name: "cockroachdb", Promises: postgresql.CockroachLevels(), Syntax: postgresql.Syntax,
		Dialect: postgresql.CockroachDialect, Server: postgresql.CockroachServer,
		Export: postgresql.CockroachSpelling, Tracker: postgresql.CockroachTracker, Untried: postgresql.Untried},
}

// unknown is how statements are read whose DBMS is not known: by MySQL's rules, and every comment for a server is run.
var unknown = &sqltext.Syntax{Quoting: sqltext.MySQL, Tree: mysql.Syntax.Tree,
	Functions: functions.MySQL | functions.MariaDB | functions.TiDB,
	Hints:     mysql.Syntax.Hints, Traits: mysql.Syntax.Traits, Doubt: mysql.Syntax.Doubt,
	DropTemporary: innodb.DropTemporary}

// What lower layers look up by name they are told here, once, before main begins: they must not import the folders.
func init() {
	for _, d := range all {
		if d.Syntax != nil {
			sqltext.RegisterSyntax(d.Name, d.Syntax)
		}
		dbms.Register(d.Promises, d.Known)
		export.Register(d.Export)
		report.Register(d.Tracker)
	}
	sqltext.RegisterSyntax("", unknown)
	dbms.Register(nil, tableI())
}

// The DBMSs that commands use unless they are told otherwise: one that needs nothing installed, and one with a server.
const (
	Default       = "sqlite"
	DefaultServer = "mariadb"
)

// Names lists the DBMSs that txweave runs, in the order of help. Those that are untried are not among them.
func Names() []string {
	var out []string
	for _, d := range all {
		if len(d.Promises) > 0 && d.Untried == "" {
			out = append(out, d.Name)
		}
	}
	return out
}

// Servers lists those of them that have a server.
func Servers() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		d, err := Lookup(name)
		return err != nil || d.Server == nil
	})
}

// Lookup returns a DBMS that txweave runs by its name.
func Lookup(name string) (*DBMS, error) {
	for _, d := range all {
		if d.Name == name && len(d.Promises) > 0 {
			return d, nil
		}
	}
	return nil, fmt.Errorf("unknown target %q: want %s", name, Or(Names()))
}

// Or joins names as a sentence does: "a, b or c".
func Or(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// OfServer asks the server that a DSN names which DBMS it is.
func OfServer(ctx context.Context, config *exec.DSN) (*DBMS, error) {
	scheme, _, _ := strings.Cut(config.URL, "://")
	speak := slices.DeleteFunc(slices.Clone(all), func(d *DBMS) bool {
		return d.Server == nil || scheme == "" && d.Server.Schemes != nil || scheme != "" &&
			!slices.Contains(d.Server.Schemes, scheme)
	})
	ask := exec.VersionOf
	if scheme != "" && len(speak) > 0 {
		ask = speak[0].Server.Ask
	}
	version, err := ask(ctx, config)
	if err != nil {
		return nil, err
	}
	for _, d := range speak {
		if d.Server.Ours(version) {
			return d, nil
		}
	}
	return nil, fmt.Errorf("%w: nothing is known of a server of version %q", exec.ErrUnavailable, version)
}

// Evaluator opens the embedded engine that evaluates conditions of certificates.
func Evaluator() (certificate.Engine, error) { return sqlite.NewEvaluator() }

// Host serves the database of the embedded engine in a directory, for OpenHosted, until the process ends.
func Host(dir string) error { return sqlite.Host(dir) }

// Installed says whether the DBMS can be run on this machine, or is part of txweave.
func (d *DBMS) Installed() bool { return d.Server == nil || d.Server.Installed() != "" }

// Launchable says what keeps a server, at a path or the installed one, from being started: its binary may be another
// DBMS's of that name.
func (d *DBMS) Launchable(ctx context.Context, path string) error {
	_, err := d.Launch(ctx, path, io.Discard)
	return err
}

// Launch prepares private servers, from the binary at path or, where that is "", from the one that is found or built;
// what takes long is told to progress.
func (d *DBMS) Launch(ctx context.Context, path string, progress io.Writer) (*exec.Launcher, error) {
	if d.Server == nil {
		return nil, fmt.Errorf("%s has no server", d.Name)
	}
	if d.Untried != "" {
		return nil, fmt.Errorf("%w: txweave starts no server of %s: name one with --dsn", exec.ErrUnavailable, d.Name)
	}
	return exec.NewLauncher(ctx, d.Server, path, progress)
}

// Connect opens a server of the user's, in a new database. A server that is away is waited for as long as wait.
func (d *DBMS) Connect(ctx context.Context, config *exec.DSN, wait time.Duration) (exec.Target, error) {
	if d.Server == nil {
		return nil, fmt.Errorf("%s has no server", d.Name)
	}
	return exec.Connect(ctx, d.Server, config, wait)
}
