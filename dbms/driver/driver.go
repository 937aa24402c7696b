// Package driver says what a database is to txweave: one Driver each, which its folder makes and package registry
// lists. Nothing else is asked about a database, and nothing else names it.
package driver

import (
	"context"
	"fmt"
	"io"
	"time"

	"txweave/checker/certificate/commits"
	"txweave/dbms"
	"txweave/exec"
	"txweave/gen"
	"txweave/report"
	"txweave/report/export"
	"txweave/sql/sqltext"
)

// Driver is all that txweave knows of one database. Each part has readers of its own.
type Driver struct {
	Name string
	// Untried says why the database is not among those that txweave runs: it is known from its documentation alone. A
	// server of it, named by a DSN, can be used for all that. "": it is tried.
	Untried string

	// Levels are what it promises at each level at which cases are run, how statements read there, and what its errors
	// mean: for instrument, exec and the oracles. The first is the default.
	Levels []*dbms.Profile
	// Known are levels of which the promise alone is known, for checks of recorded histories.
	Known []*dbms.Profile
	// Syntax is how its statements are read, and what they do: for all that asks about a statement. nil: as those of a
	// database of which nothing is known.
	Syntax *sqltext.Syntax
	// Dialect is what is generated for it.
	Dialect *gen.Dialect
	// Server is how servers of it are started and reached; nil where the engine is embedded, and Embedded is how.
	Server   *exec.Server
	Embedded *Embedded
	// Log is how a server's log of what committed is kept and read; nil: it has none.
	Log *commits.ServerLog
	// Export is how scripts are written for it, Tracker how its maintainers want a report.
	Export  *export.Spelling
	Tracker *report.Tracker
}

// Embedded is a database that runs in the process of who uses it.
type Embedded struct {
	// Open opens a new and empty database.
	Open func(context.Context) (exec.Target, error)
	// Hosted does the same with the engine in a process of its own, which a command starts that calls Host.
	Hosted func(context.Context, func(dir string) (binary string, args []string)) (exec.Target, error)
	// Host serves the database in a directory until the process ends.
	Host func(dir string) error
}

// Installed says whether the database can be run on this machine, or is part of txweave.
func (d *Driver) Installed() bool { return d.Server == nil || d.Server.Installed() != "" }

// Launchable says what keeps a server, at a path or the installed one, from being started: its binary may be another
// database's of that name.
func (d *Driver) Launchable(ctx context.Context, path string) error {
	_, err := d.Launch(ctx, path, io.Discard)
	return err
}

// Launch prepares private servers, from the binary at path or, where that is "", from the one that is found or built;
// what takes long is told to progress.
func (d *Driver) Launch(ctx context.Context, path string, progress io.Writer) (*exec.Launcher, error) {
	if d.Server == nil {
		return nil, d.noServer()
	}
	return exec.NewLauncher(ctx, d.Server, path, progress)
}

// Connect opens a server of the user's, in a new database. A server that is away is waited for as long as wait.
func (d *Driver) Connect(ctx context.Context, at *exec.DSN, wait time.Duration) (exec.Target, error) {
	if d.Server == nil {
		return nil, d.noServer()
	}
	return exec.Connect(ctx, d.Server, at, wait)
}

func (d *Driver) noServer() error { return fmt.Errorf("%s has no server", d.Name) }
