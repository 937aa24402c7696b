package tidb

import (
	"txweave/dbms/innodb"
	"txweave/exec"
	"txweave/report"
	"txweave/report/export"
)

// Tracker is TiDB's issue template; its headings must stay as they are.
var Tracker = &report.Tracker{
	Name: "tidb", Title: "Title: ", Markup: report.Markdown,
	Private: "Write to security@pingcap.com instead of opening an issue.",
	Sections: []report.Section{
		{Heading: "## Bug Report", Write: report.Summary},
		{Heading: "### 1. Minimal reproduce step (Required)", Write: report.Script},
		{Heading: "### 2. What did you expect to see? (Required)", Write: report.Compare},
		{Heading: "### 3. What did you see instead (Required)", Write: func(d *report.Doc) {
			d.Text("The column \"actual\" above, or the answers in the script.")
		}},
		{Heading: "### 4. What is your TiDB version? (Required)", Write: func(d *report.Doc) {
			report.Version(d)
			report.Platform(d)
			report.Details(d)
		}},
	},
}

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:       "tidb",
	Session:    []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
	Check:      adminCheck.Ask,
	Waits:      [2]string{"COUNT(*)", "information_schema.tidb_trx WHERE state = 'LockWaiting'"},
	ErrorNames: innodb.ErrorNames, Refused: innodb.LockWaitTimeout,
	GoImport: "github.com/go-sql-driver/mysql", GoDriver: "mysql",
}

// client is MySQL's; there is no SELECT … INTO.
func client() *exec.Client {
	c := innodb.Client("mysql")
	c.Reading, c.Locking = "SET @v = NULL; SELECT @v := v FROM t0 WHERE pkey = %s;",
		"SET @v = NULL; SELECT @v := v FROM t0 WHERE pkey = %s FOR UPDATE;"
	c.Kill = []string{"KILL TIDB QUERY $id;", "KILL TIDB $id;"}
	return c
}
