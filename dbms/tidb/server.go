package tidb

import (
	"path/filepath"
	"strings"

	"txweave/dbms/driver"
	"txweave/dbms/innodb"
	"txweave/dbms/mysqlwire"
	"txweave/exec"
	"txweave/history"
)

// Driver is TiDB's.
var Driver = &driver.Driver{Name: "tidb", Levels: Levels(), Known: Known(), Syntax: Syntax, Dialect: Dialect,
	Server: Server, Export: Spelling, Tracker: Tracker}

// Server is TiDB on unistore, its own in-process store, where the server is private. A binary of the user's is a
// tidb-server; the one that txweave builds takes the same flags where they mean the same.
var Server = &exec.Server{
	Name: wire.Name,
	Binary: exec.Binary{Build: Build, Version: []string{"-V"},
		Is: func(version string) bool { return strings.Contains(version, "Release Version:") }},
	Private: &exec.Private{
		Arguments: arguments,
		Durable:   durable,
		Wear:      400, // nothing on unistore is ever thrown away
		Ready:     mysqlwire.Ready,
		Open:      wire.Open,
	},
	Users:        exec.Users{DSN: mysqlwire.DSN, Ours: wire.Ours, Join: wire.Join},
	Disturbances: wire.Disturbances,
	Client:       client(),
	Protocol:     wire.Protocol,
}

// wire is how it is spoken to.
var wire = &mysqlwire.DBMS{
	Name: "tidb",
	// CREATE TABLE … AS SELECT is not there
	Protocol: &exec.Protocol{DBError: mysqlwire.Error, Warnings: "SHOW WARNINGS", Clock: clock, Integrity: adminCheck,
		Level: innodb.AskLevel, Asides: aside, Unprepared: innodb.Unprepared},
	Disturbances: disturbances,
	Ours:         func(version string) bool { return strings.Contains(version, "TiDB") },
	Boot: []string{
		"SET GLOBAL tidb_enable_auto_analyze = OFF",
		"REPLACE INTO mysql.tidb VALUES ('tikv_gc_safe_point', '20200101-00:00:00 +0000', '')", // for tidb_snapshot
	},
	// A commit of more than 16 KiB of keys is answered when the first request is, and the locks of the others are in
	// memory alone.
	DurableBoot: []string{"SET GLOBAL tidb_txn_commit_batch_size = 1073741824"},
	Waits:       func(string) *mysqlwire.WaitSource { return trx },
	Anew:        true,
	Kill:        "KILL TIDB QUERY %d",
	Neutral:     neutral,
	Changed: "SELECT VARIABLE_NAME, CURRENT_VALUE FROM information_schema.VARIABLES_INFO WHERE VARIABLE_NAME LIKE " +
		"'tidb%' " +
		"AND VARIABLE_SCOPE <> 'SESSION' AND CURRENT_VALUE <> DEFAULT_VALUE AND CURRENT_VALUE NOT LIKE '/%' AND " +
		"CURRENT_VALUE NOT LIKE '{%' " +
		"UNION ALL SELECT 'tidb_version', REPLACE(TIDB_VERSION(), '\n', ', ')",
}

// neutral are the variables that make a session read the past, or a state that is not whole, commit a statement in
// parts, check keys later than it is asked to, leave rows unlocked that it did not change, or that FOR SHARE asks for,
// or end by itself (docs.pingcap.com, System Variables). Some of them no server has for all its sessions, but
// init_connect may set them.
var neutral = map[string]string{
	"tidb_low_resolution_tso": "OFF", "tidb_enable_external_ts_read": "OFF", "tidb_read_staleness": "0",
	"tidb_snapshot": "''", "tx_read_ts": "''", "tidb_read_consistency": "'strict'",
	"tidb_isolation_read_engines": "'tikv,tiflash,tidb'", "tidb_opt_write_row_id": "OFF",
	"tidb_dml_type": "'STANDARD'", "tidb_batch_insert": "OFF", "tidb_batch_delete": "OFF", "tidb_batch_commit": "OFF",
	"tidb_constraint_check_in_place_pessimistic": "ON", "tidb_lock_unchanged_keys": "ON",
	"tidb_enable_noop_functions": "OFF", "tidb_idle_transaction_timeout": "0",
	// else the store keeps the rows of a table by other keys than its primary key, where no version of them is found
	"tidb_enable_clustered_index": "ON",
}

// aside says of a warning that it tells why a plan was not taken from the cache, or put there
// (tidb_enable_non_prepared_plan_cache).
func aside(w history.Warning) bool {
	const unknown = 1105
	return w.Code == unknown && strings.HasPrefix(w.Message, "skip ") && strings.Contains(w.Message, "plan-cache: ")
}

func arguments(dir string, built bool) []string {
	// a statement that panics is an error there
	args := []string{"-socket", filepath.Join(dir, exec.SocketName), "-L", "error"}
	if built {
		return args
	}
	// No TCP port and no status port: nobody else gets in. A lease of 0 lets old versions change schemas at once.
	return append(args, "-store", "unistore", "-path", "", "-host", "", "-P", "0", "-report-status=false", "-lease", "0")
}

// durable has unistore keep its rows in files, whose log is written before a commit is answered. The locks of
// transactions stay in memory, and with them what those have prewritten: a commit is whole where one request to the
// store makes it, so not over several regions, which the user's own server gives each table.
func durable(dir string, built bool) []string {
	if !built {
		return nil
	}
	return []string{"-path", filepath.Join(dir, "store")}
}

// adminCheck compares every index with the rows. What differs is an error of those that the profile calls impossible.
var adminCheck = &exec.Integrity{
	Ask:  func(tables []string) []string { return []string{"ADMIN CHECK TABLE " + strings.Join(tables, ", ")} },
	Read: func(*history.Rows) []string { return nil },
}
