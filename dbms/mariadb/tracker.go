package mariadb

import (
	"txweave/dbms/innodb"
	"txweave/report"
	"txweave/report/export"
)

// Tracker is jira.mariadb.org: affected versions and environment are fields of their own.
var Tracker = &report.Tracker{
	Name: "mariadb", Title: "Summary: ", Test: "mtr", Markup: report.Jira,
	Private: "In MariaDB's Jira set the security level, or write to security@mariadb.org.",
	Sections: []report.Section{
		{Heading: "Affects Version/s", Write: report.Version}, {Heading: "Environment", Write: report.Platform},
		{Heading: "Description", Write: func(d *report.Doc) { report.Summary(d); report.Script(d); report.Compare(d) }},
		{Write: report.Details},
	},
}

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:    "mariadb",
	Session: []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
	Alone:   []string{"SET SESSION lock_wait_timeout = DEFAULT"}, // purge opens tables
	Check: func(tables []string) []string { // once all that is to be purged is
		return append([]string{"SET GLOBAL innodb_max_purge_lag_wait = 0"}, innodb.CheckTables(tables)...)
	},
	Waits: [2]string{"VARIABLE_VALUE",
		"information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"},
	MTRHead:    []string{"--source include/have_innodb.inc", "SET default_storage_engine = InnoDB;"},
	Locks:      true,
	Tool:       mysqltest,
	ErrorNames: innodb.ErrorNames, Refused: innodb.LockWaitTimeout,
	GoImport: "github.com/go-sql-driver/mysql", GoDriver: "mysql",
}
