package mysql

import (
	"slices"
	"strings"

	"txweave/dbms/innodb"
	"txweave/exec"
)

// redoSize keeps MySQL's redo log small; versions before 8.0.30 do not know it.
const redoSize = "--loose-innodb-redo-log-capacity=32M"

// Server is MySQL's. performance_schema is on, for the lock waits.
var Server = &exec.Server{
	Name:     "mysql",
	Binaries: []string{"mysqld"},
	Packages: "MySQL's server package",
	Arguments: innodb.Arguments("--innodb-doublewrite=OFF", redoSize, "--performance-schema=ON",
		"--mysqlx=OFF", "--innodb-parallel-read-threads=1"),
	CommitLog:  append(slices.Clip(innodb.BinaryLog), "--binlog-rows-query-log-events=ON"), // MariaDB's default
	Durable:    innodb.Durable,
	Strains:    innodb.Strains,
	Faster:     innodb.Faster,
	Client:     innodb.Client("mysql"),
	Version:    innodb.Version,
	Wear:       5000,
	Initialise: []string{"--initialize-insecure", "--secure-file-priv=", "--innodb-doublewrite=OFF", redoSize},
	Changed: "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM performance_schema.variables_info " +
		"JOIN performance_schema.global_variables USING (VARIABLE_NAME) WHERE VARIABLE_SOURCE <> 'COMPILED' AND " +
		"VARIABLE_VALUE NOT LIKE '/%'",
	Waits: func(version string) *exec.WaitSource {
		if strings.HasPrefix(version, "5.") {
			return innodb.Status
		}
		return dataLocks()
	},
	Copy:     innodb.Copy,
	Counter:  innodb.Counter,
	Kill:     innodb.KillQuery,
	Protocol: innodb.Protocol,
	Ours:     says, Binary: says,
}

// says takes every version that does not name one of MySQL's descendants: MySQL's own names nobody.
func says(version string) bool {
	version = strings.ToLower(version)
	return !strings.Contains(version, "mariadb") && !strings.Contains(version, "tidb")
}
