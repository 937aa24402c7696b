package postgresql

import "txweave/exec"

// client is psql.
var client = &exec.Client{Name: "psql", Command: "psql -q -t -A -F ' ' -v ON_ERROR_STOP=1",
	Stubborn: "psql -q -t -A -F ' '",
	Recreate: []string{"DROP DATABASE IF EXISTS $d;", "CREATE DATABASE $d;"}, Into: `-d "$d"`,
	ByIndex: "WHERE v > -1000000000",
	Reading: `SELECT v FROM t0 WHERE pkey = %s \\gset`, Locking: `SELECT v FROM t0 WHERE pkey = %s FOR UPDATE \\gset`,
	Kept:   ":v",
	Victim: "SELECT pid FROM pg_stat_activity WHERE datname = '$d' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1;",
	Kill:   []string{"SELECT pg_cancel_backend($id);", "SELECT pg_terminate_backend($id);"}}
