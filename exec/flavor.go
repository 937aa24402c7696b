package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// flavor is what distinguishes servers that speak MySQL's protocol.
type flavor struct {
	name     string   // dialect
	binaries []string // names that the server goes by, in the order in which they are tried
	packages string   // what to install, for a message
	// arguments of a private server: small, quick rather than durable, and statistics that do not change under a
	// case, so that a statement is planned the same way each time.
	arguments []string
	// initialise are the arguments that make a data directory.
	initialise []string
	// bootstrap returns what the server reads on standard input while it initialises; nil: nothing.
	bootstrap func(ctx context.Context, binary string) ([]byte, error)
	// hasDataLocks says whether performance_schema shows who waits for a row lock.
	hasDataLocks func(version string) bool
	// changed is a query for the global variables, name and value, that somebody has set. Paths are left out.
	changed string
	// ours says whether a version text is this flavor's.
	ours func(version string) bool
}

var flavors = []*flavor{mariadbFlavor, mysqlFlavor}

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

// common are arguments that both servers take.
var common = []string{
	"--skip-networking", "--skip-log-bin", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=2",
	"--innodb-buffer-pool-size=64M", "--innodb-stats-auto-recalc=OFF", "--max-connections=100", "--table-open-cache=400",
}
