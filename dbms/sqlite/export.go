package sqlite

import "txweave/report/export"

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS: "sqlite",
	Shell: &export.Shell{Program: "sqlite3", Options: "-echo -header -column", File: "case.db",
		Beside: []string{"case.db-wal", "case.db-shm"}, First: "PRAGMA journal_mode = WAL;"},
	Check:    func([]string) []string { return []string{"PRAGMA integrity_check"} },
	GoImport: "modernc.org/sqlite", GoDriver: "sqlite",
}
