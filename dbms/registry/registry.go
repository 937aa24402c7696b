// Package registry puts the DBMSs together: one entry each, made of what its folder says of it. It alone names them.
package registry

import (
	"context"
	"fmt"
	"slices"

	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/dbms/driver"
	"txweave/dbms/mariadb"
	"txweave/dbms/mysql"
	"txweave/dbms/postgresql"
	"txweave/dbms/sqlite"
	"txweave/dbms/tidb"
	"txweave/exec"
	"txweave/internal/spelling"
	"txweave/report"
	"txweave/report/export"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// folders are the databases, one a folder or a kin of one, in the order of help.
var folders = []*driver.Driver{sqlite.Driver, mariadb.Driver, mysql.Driver, tidb.Driver, postgresql.Driver,
	postgresql.Yugabyte, postgresql.Cockroach}

// all are those that have been added.
var all []*driver.Driver

// unknown is how statements are read whose DBMS is not known: by MySQL's rules, and every comment for a server is run.
// What may change how they are read, or where a row lies, is what does so in any.
var unknown = func() *sqltext.Syntax {
	x := *mysql.Syntax
	x.Functions, x.Remarks, x.Settings, x.SettingWords = functions.By("ymt"), nil, nil, nil
	x.Inside, x.Admission.Pragmas = sqlite.Syntax.Inside, sqlite.Syntax.Admission.Pragmas
	for _, d := range []*sqltext.Syntax{mariadb.Syntax, tidb.Syntax, sqlite.Syntax, postgresql.Syntax} {
		x.Idle = append(x.Idle[:len(x.Idle):len(x.Idle)], d.Idle...)
		x.Traits.Unlisted = append(x.Traits.Unlisted, d.Traits.Unlisted...)
		reads, other := &x.Admission.Reading, d.Admission.Reading
		reads.Fixed = append(reads.Fixed, other.Fixed...)
		reads.Charsets = append(reads.Charsets[:len(reads.Charsets):len(reads.Charsets)], other.Charsets...)
	}
	return &x
}()

// What lower layers look up by name they are told here, once, before main begins: they must not import the folders.
func init() {
	for _, d := range folders {
		Add(d)
	}
	sqltext.RegisterSyntax("", unknown)
	dbms.Register(nil, tableI())
}

// Add makes a database known, before main begins.
func Add(d *driver.Driver) {
	all = append(all, d)
	if d.Syntax != nil {
		sqltext.RegisterSyntax(d.Name, d.Syntax)
	}
	dbms.Register(d.Levels, d.Known)
	export.Register(d.Export)
	report.Register(d.Tracker)
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
		if len(d.Levels) > 0 && d.Untried == "" {
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
func Lookup(name string) (*driver.Driver, error) {
	for _, d := range all {
		if d.Name == name && len(d.Levels) > 0 {
			return d, nil
		}
	}
	return nil, fmt.Errorf("unknown target %q: want %s", name, spelling.Or(Names()))
}

// forms are those of the data source names of all servers.
func forms() []*exec.DSNForm {
	var out []*exec.DSNForm
	for _, d := range all {
		if d.Server != nil && !slices.Contains(out, d.Server.Users.DSN) {
			out = append(out, d.Server.Users.DSN)
		}
	}
	return out
}

// ParseDSN reads a data source name. It must not name a database: txweave works only in ones that it created.
func ParseDSN(text string) (*exec.DSN, error) { return exec.ParseDSN(text, forms()) }

// HasPassword says whether a flag's value is a data source name that tells a password, or may: one that is of no known
// form.
func HasPassword(flag string) bool { return exec.HasPassword(flag, forms()) }

// OfServer asks the server that a DSN names which DBMS it is.
func OfServer(ctx context.Context, at *exec.DSN) (*driver.Driver, error) {
	version, err := at.Form.Ask(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.Server != nil && d.Server.Users.DSN == at.Form && d.Server.Users.Ours(version) {
			return d, nil
		}
	}
	return nil, fmt.Errorf("%w: nothing is known of a server of version %q", exec.ErrUnavailable, version)
}

// Evaluator opens the embedded engine that evaluates conditions of certificates.
func Evaluator() (certificate.Engine, error) { return sqlite.NewEvaluator() }

// Host serves the database of an embedded engine in a directory, for driver.Embedded's Hosted, until the process ends.
func Host(name, dir string) error {
	d, err := Lookup(name)
	if err != nil {
		return err
	}
	return d.Embedded.Host(dir)
}
