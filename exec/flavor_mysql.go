package exec

import "strings"

// redoSize keeps MySQL's redo log small; versions before 8.0.30 do not know it.
const redoSize = "--loose-innodb-redo-log-capacity=32M"

// mysqlFlavor is MySQL. performance_schema is on, for the lock waits.
var mysqlFlavor = &flavor{
	name:     "mysql",
	binaries: []string{"mysqld"},
	packages: "MySQL's server package",
	arguments: append(common[:len(common):len(common)],
		"--innodb-doublewrite=OFF", redoSize, "--performance-schema=ON", "--secure-file-priv=", "--mysqlx=OFF",
		"--innodb-parallel-read-threads=1"),
	initialise: []string{"--initialize-insecure", "--secure-file-priv=", "--innodb-doublewrite=OFF", redoSize},
	changed: "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM performance_schema.variables_info " +
		"JOIN performance_schema.global_variables USING (VARIABLE_NAME) WHERE VARIABLE_SOURCE <> 'COMPILED' AND VARIABLE_VALUE NOT LIKE '/%'",
	hasDataLocks: func(version string) bool { return !strings.HasPrefix(version, "5.") },
	ours:         func(version string) bool { return !saysMariaDB(version) },
}
