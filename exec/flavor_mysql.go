package exec

import (
	"slices"
	"strings"
)

// redoSize keeps MySQL's redo log small; versions before 8.0.30 do not know it.
const redoSize = "--loose-innodb-redo-log-capacity=32M"

// mysqlFlavor is MySQL. performance_schema is on, for the lock waits.
var mysqlFlavor = &flavor{
	name:     "mysql",
	binaries: []string{"mysqld"},
	packages: "MySQL's server package",
	arguments: innodbArguments("--innodb-doublewrite=OFF", redoSize, "--performance-schema=ON", "--secure-file-priv=",
		"--mysqlx=OFF", "--innodb-parallel-read-threads=1"),
	binaryLog:  append(slices.Clip(innodbBinaryLog), "--binlog-rows-query-log-events=ON"), // MariaDB's default
	version:    innodbVersion,
	initialise: []string{"--initialize-insecure", "--secure-file-priv=", "--innodb-doublewrite=OFF", redoSize},
	changed: "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM performance_schema.variables_info " +
		"JOIN performance_schema.global_variables USING (VARIABLE_NAME) WHERE VARIABLE_SOURCE <> 'COMPILED' AND VARIABLE_VALUE NOT LIKE '/%'",
	waits: func(version string) *waitSource {
		if strings.HasPrefix(version, "5.") {
			return innodbStatus
		}
		return dataLocks()
	},
	copy: innodbCopy,
	kill: killQuery,
	ours: saysMySQL, binary: saysMySQL,
}

func saysMySQL(version string) bool { return !saysMariaDB(version) && !saysTiDB(version) }
