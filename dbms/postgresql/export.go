package postgresql

import "txweave/report/export"

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:     "postgresql",
	Waits:    [2]string{"COUNT(*)", "pg_stat_activity WHERE CARDINALITY(pg_blocking_pids(pid)) > 0"},
	NoMTR:    true,
	Tool:     isolationTester,
	GoImport: "github.com/jackc/pgx/v5/stdlib", GoDriver: "pgx",
}
