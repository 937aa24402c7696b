package mysql

import (
	"txweave/dbms/innodb"
	"txweave/report"
	"txweave/report/export"
)

// Tracker is bugs.mysql.com: plain text under these headings.
var Tracker = &report.Tracker{
	Name: "mysql", Title: "Synopsis: ", Markup: report.Plain,
	Private: "On bugs.mysql.com tick the box that makes the report private, or write to secalert_us@oracle.com.",
	Sections: []report.Section{
		{Heading: "Category", Write: func(d *report.Doc) { d.Text("MySQL Server: InnoDB storage engine") }},
		{Heading: "Severity", Write: func(d *report.Doc) { d.Text("%s", d.Severity()) }},
		{Heading: "Version", Write: report.Version}, {Heading: "OS", Write: report.Platform},
		{Heading: "Description", Write: func(d *report.Doc) { report.Summary(d); report.Compare(d) }},
		{Heading: "How to repeat", Write: report.Script},
		{Heading: "Suggested fix", Write: func(d *report.Doc) { d.Text("None.") }},
		{Write: report.Details},
	},
}

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
