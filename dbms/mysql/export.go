package mysql

import (
	"txweave/dbms/innodb"
	"txweave/report/export"
)

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:    "mysql",
	Session: []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
	Alone:   []string{"SET SESSION lock_wait_timeout = DEFAULT"}, // purge opens tables
	Check:   innodb.CheckTables,
	Waits: [2]string{"VARIABLE_VALUE",
		"performance_schema.global_status WHERE VARIABLE_NAME = 'Innodb_row_lock_current_waits'"},
	Locks:      true,
	ErrorNames: innodb.ErrorNames, Refused: innodb.LockWaitTimeout,
	GoImport: "github.com/go-sql-driver/mysql", GoDriver: "mysql",
}
