package tidb

import (
	"txweave/dbms/innodb"
	"txweave/report/export"
)

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:       "tidb",
	Session:    []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
	Check:      adminCheck.Ask,
	Waits:      [2]string{"COUNT(*)", "information_schema.tidb_trx WHERE state = 'LockWaiting'"},
	ErrorNames: innodb.ErrorNames, Refused: innodb.LockWaitTimeout,
	GoImport: "github.com/go-sql-driver/mysql", GoDriver: "mysql",
}
