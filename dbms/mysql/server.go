package mysql

import (
	"slices"
	"strings"

	"txweave/dbms/driver"
	"txweave/dbms/innodb"
	"txweave/dbms/innodb/binlog"
	"txweave/dbms/mysqlwire"
	"txweave/exec"
)

// redoSize keeps MySQL's redo log small; versions before 8.0.30 do not know it.
const redoSize = "--loose-innodb-redo-log-capacity=32M"

// Driver is MySQL's.
var Driver = &driver.Driver{Name: "mysql", Levels: Levels(), Syntax: Syntax, Dialect: Dialect, Server: Server,
	Log: binlog.Log, Export: Spelling, Tracker: Tracker}

// Server is MySQL's. performance_schema is on, for the lock waits.
var Server = &exec.Server{
	Name: wire.Name,
	Binary: exec.Binary{Names: []string{"mysqld"}, Packages: "MySQL's server package", Beside: innodb.Beside,
		Version: innodb.Version,
		Is:      says},
	Private: &exec.Private{
		Arguments: innodb.Arguments("--innodb-doublewrite=OFF", redoSize, "--performance-schema=ON",
			"--mysqlx=OFF", "--innodb-parallel-read-threads=1"),
		CommitLog: append(slices.Clip(innodb.BinaryLog), "--binlog-rows-query-log-events=ON"), // MariaDB's default
		Durable:   innodb.Durable,
		Data: innodb.Data(nil, "--initialize-insecure", "--secure-file-priv=", "--innodb-doublewrite=OFF",
			redoSize),
		Wear:  5000,
		Ready: mysqlwire.Ready,
		Open:  wire.Open,
	},
	Users:        exec.Users{DSN: mysqlwire.DSN, Ours: says, Join: wire.Join, Faster: innodb.Faster},
	Disturbances: wire.Disturbances,
	Client:       innodb.Client("mysql"),
	Protocol:     wire.Protocol,
}

// wire is how it is spoken to.
var wire = &mysqlwire.DBMS{
	Name:         "mysql",
	Protocol:     innodb.Protocol,
	Disturbances: innodb.Disturbances,
	Ours:         says,
	Waits: func(version string) *mysqlwire.WaitSource {
		if strings.HasPrefix(version, "5.") {
			return innodb.Status
		}
		return dataLocks()
	},
	Copy:    innodb.Copy,
	Counter: innodb.Counter,
	Kill:    innodb.KillQuery,
	Changed: "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM performance_schema.variables_info " +
		"JOIN performance_schema.global_variables USING (VARIABLE_NAME) WHERE VARIABLE_SOURCE <> 'COMPILED' AND " +
		"VARIABLE_VALUE NOT LIKE '/%'",
}

// says takes every version that does not name one of MySQL's descendants: MySQL's own names nobody.
func says(version string) bool {
	version = strings.ToLower(version)
	return !strings.Contains(version, "mariadb") && !strings.Contains(version, "tidb")
}
