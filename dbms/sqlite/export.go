package sqlite

import "txweave/report/export"

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:     "sqlite",
	Shell:    true,
	GoImport: "modernc.org/sqlite", GoDriver: "sqlite",
}
