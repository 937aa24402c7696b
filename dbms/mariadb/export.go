package mariadb

import (
	"txweave/dbms/innodb"
	"txweave/report/export"
)

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:    "mariadb",
	Session: []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
	Alone:   []string{"SET SESSION lock_wait_timeout = DEFAULT"}, // purge opens tables
	Check:   innodb.CheckTables,
	Waits: [2]string{"VARIABLE_VALUE",
		"information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"},
	MTRHead:    []string{"--source include/have_innodb.inc", "SET default_storage_engine = InnoDB;"},
	Locks:      true,
	Tool:       mysqltest,
	ErrorNames: innodb.ErrorNames, Refused: innodb.LockWaitTimeout,
	GoImport: "github.com/go-sql-driver/mysql", GoDriver: "mysql",
}
