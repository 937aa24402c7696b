package postgresql

import (
	"txweave/exec"
	"txweave/report"
	"txweave/report/export"
)

// Tracker is pgsql-bugs@lists.postgresql.org: mail in plain text.
var Tracker = &report.Tracker{
	Name: "postgresql", Title: "Subject: ", Test: "isolation-spec", Markup: report.Plain,
	Private: "Write to security@postgresql.org instead of the list.",
	Sections: []report.Section{
		{Heading: "PostgreSQL version", Write: report.Version}, {Heading: "Operating system", Write: report.Platform},
		{Heading: "Description", Write: func(d *report.Doc) { report.Summary(d); report.Script(d); report.Compare(d) }},
		{Write: report.Details},
	},
}

// Spelling is how findings are written down as scripts.
var Spelling = &export.Spelling{
	DBMS:     "postgresql",
	Waits:    [2]string{"COUNT(*)", "pg_stat_activity WHERE CARDINALITY(pg_blocking_pids(pid)) > 0"},
	NoMTR:    true,
	Tool:     isolationTester,
	GoImport: "github.com/jackc/pgx/v5/stdlib", GoDriver: "pgx",
}

// client is psql.
var client = &exec.Client{Name: "psql", Command: "psql -q -t -A -F ' ' -v ON_ERROR_STOP=1",
	Stubborn: "psql -q -t -A -F ' '",
	Recreate: []string{"DROP DATABASE IF EXISTS $d;", "CREATE DATABASE $d;"}, Into: `-d "$d"`,
	ByIndex: "WHERE v > -1000000000",
	Reading: `SELECT v FROM t0 WHERE pkey = %s \\gset`, Locking: `SELECT v FROM t0 WHERE pkey = %s FOR UPDATE \\gset`,
	Kept:   ":v",
	Victim: "SELECT pid FROM pg_stat_activity WHERE datname = '$d' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1;",
	Kill:   []string{"SELECT pg_cancel_backend($id);", "SELECT pg_terminate_backend($id);"}}
