package sqlite

import (
	"txweave/report"
	"txweave/report/export"
)

// Tracker is sqlite.org/forum: Markdown.
var Tracker = &report.Tracker{
	Name: "sqlite", Title: "Title: ", Markup: report.Markdown,
	Private: "Write to drh@sqlite.org instead of the forum.",
	Sections: []report.Section{
		{Write: func(d *report.Doc) { report.Summary(d); report.Script(d); report.Compare(d); report.Version(d) }},
		{Write: func(d *report.Doc) { report.Details(d); report.Platform(d) }},
	},
}

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS: "sqlite",
	Shell: &export.Shell{Program: "sqlite3", Options: "-echo -header -column", File: "case.db",
		Beside: []string{"case.db-wal", "case.db-shm"}, First: "PRAGMA journal_mode = WAL;"},
	Check:    func([]string) []string { return []string{"PRAGMA integrity_check"} },
	GoImport: "modernc.org/sqlite", GoDriver: "sqlite",
}
