package exec

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// flavor is what distinguishes servers that speak MySQL's protocol.
type flavor struct {
	name     string   // dialect
	binaries []string // names that the server goes by, in the order in which they are tried
	packages string   // what to install, for a message
	// arguments of a private server in a directory of its own: small, quick rather than durable, and statistics that
	// do not change under a case, so that a statement is planned the same way each time. built says that the binary
	// is the one that build made.
	arguments func(dir string, built bool) []string
	// binaryLog are the arguments that make it keep a row binary log; none: it has no such log.
	binaryLog []string
	// build makes the server's binary where none is named; nil: it is looked for.
	build func(ctx context.Context, progress io.Writer) (string, error)
	// version are the arguments with which the binary prints its version.
	version []string
	// initialise are the arguments that make a data directory; none: the server needs no such thing.
	initialise []string
	// boot is sent once to a private server.
	boot []string
	// wear is the number of cases after which a private server is replaced; 0: never.
	wear int
	// bootstrap returns what the server reads on standard input while it initialises; nil: nothing.
	bootstrap func(ctx context.Context, binary string) ([]byte, error)
	// waits picks the way to see lock waits.
	waits func(version string) *waitSource
	// copy is the format of the statement that copies a table, from the copy's name and the table's: Reset refills a
	// case's tables from their copies, and with "" from the case's own rows.
	copy string
	// anew says that a case's tables are dropped with their database.
	anew bool
	// kill is the format of the statement that ends what a connection is running.
	kill string
	// changed is a query for the global variables, name and value, that somebody has set. Paths are left out.
	changed string
	// dialect of its sessions; nil: mysqlDialect.
	dialect *dialect
	// ours says whether a version text is this flavor's, binary whether a binary's is.
	ours, binary func(version string) bool
}

var flavors = []*flavor{mariadbFlavor, mysqlFlavor, tidbFlavor}

// flavorOf returns the flavor of a dialect.
func flavorOf(name string) (*flavor, error) {
	i := slices.IndexFunc(flavors, func(f *flavor) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no server of the name %q is known", name)
	}
	return flavors[i], nil
}

// flavorOfVersion returns the flavor that a server's version text belongs to.
func flavorOfVersion(version string) *flavor {
	return flavors[slices.IndexFunc(flavors, func(f *flavor) bool { return f.ours(version) })]
}

func saysMariaDB(version string) bool { return strings.Contains(strings.ToLower(version), "mariadb") }

func saysTiDB(version string) bool { return strings.Contains(version, "TiDB") }

// innodbArguments are the arguments that MySQL and MariaDB take, and more.
func innodbArguments(more ...string) func(string, bool) []string {
	return func(dir string, _ bool) []string {
		return slices.Concat([]string{"--no-defaults"}, asUser(), common, more, []string{
			"--datadir=" + filepath.Join(dir, "data"),
			"--socket=" + filepath.Join(dir, socketName),
			"--pid-file=" + filepath.Join(dir, pidName),
			"--log-error=" + filepath.Join(dir, logName),
			"--tmpdir=" + dir,
		})
	}
}

// innodbBinaryLog comes after what switches the log off.
var innodbBinaryLog = []string{"--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-image=FULL", "--server-id=1", "--sync-binlog=0"}

// Names of what lies in a server's directory.
const (
	socketName = "sock"
	pidName    = "pid"
	logName    = "error.log"
)

// innodbVersion are the arguments with which MySQL and MariaDB print their version.
var innodbVersion = []string{"--no-defaults", "--version"}

// innodbCopy copies a table.
const innodbCopy = "CREATE TABLE %s ENGINE=InnoDB AS SELECT * FROM %s"

const killQuery = "KILL QUERY %d"

// common are arguments that both servers take.
var common = []string{
	"--skip-networking", "--skip-log-bin", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=2",
	"--innodb-buffer-pool-size=64M", "--innodb-stats-auto-recalc=OFF", "--max-connections=100", "--table-open-cache=400",
}
