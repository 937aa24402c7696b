package innodb

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"txweave/dbms/mysqlwire"
	"txweave/exec"
	"txweave/history"
)

// Arguments are the arguments that MySQL and MariaDB take, and more.
func Arguments(more ...string) func(string, bool) []string {
	return func(dir string, _ bool) []string {
		return slices.Concat([]string{"--no-defaults"}, exec.AsUser(), common, more, []string{
			"--datadir=" + filepath.Join(dir, "data"),
			"--socket=" + filepath.Join(dir, exec.SocketName),
			"--pid-file=" + filepath.Join(dir, exec.PIDName),
			"--log-error=" + filepath.Join(dir, exec.LogName),
			"--tmpdir=" + dir,
			"--secure-file-priv=" + filepath.Join(dir, exec.FilesName),
		})
	}
}

// Beside is where the packages of MySQL's makers put its server.
var Beside = []string{"/usr/local/mysql/bin"}

// Faster says what makes a server of the user's faster.
const Faster = "SET GLOBAL innodb_flush_log_at_trx_commit = 0, sync_binlog = 0"

// common are arguments that both servers take.
var common = []string{
	"--skip-networking", "--skip-log-bin", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=2",
	"--innodb-buffer-pool-size=64M", "--innodb-stats-auto-recalc=OFF", "--max-connections=400", "--local-infile=0",
	"--table-open-cache=400",
}

// BinaryLog comes after what switches the log off.
var BinaryLog = []string{"--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-image=FULL", "--server-id=1",
	"--sync-binlog=0"}

// Durable takes back what common and a server's own arguments gave up for speed: a page that a killed process has
// written by half is restored from the doublewrite buffer.
func Durable(string, bool) []string {
	return []string{"--innodb-doublewrite=ON", "--innodb-flush-log-at-trx-commit=1"}
}

// Data has the server make a data directory: more are the arguments by which it does, script what it is told then.
func Data(script func(context.Context, string) ([]byte, error), more ...string) *exec.DataMaker {
	return &exec.DataMaker{Script: script, Command: func(binary, dir, temporary string) (string, []string) {
		return binary, slices.Concat([]string{"--no-defaults"}, exec.AsUser(),
			[]string{"--datadir=" + dir, "--tmpdir=" + temporary, "--innodb-flush-log-at-trx-commit=2"}, more)
	}}
}

// Version are the arguments with which MySQL and MariaDB print their version.
var Version = []string{"--no-defaults", "--version"}

// Copy copies a table.
const Copy = "CREATE TABLE %s ENGINE=InnoDB AS SELECT * FROM %s"

// Counter puts AUTO_INCREMENT back to the number above the largest one in the table: it is never set lower.
const Counter = "ALTER TABLE %s AUTO_INCREMENT = 1"

// KillQuery ends what a connection is running.
const KillQuery = "KILL QUERY %d"

// Protocol is that of MySQL's driver.
var Protocol = &exec.Protocol{DBError: mysqlwire.Error, Warnings: "SHOW WARNINGS", Scratch: exec.TemporaryCopy,
	Integrity: checkTable, Level: AskLevel, Unprepared: Unprepared}

// Unprepared is ER_UNSUPPORTED_PS: this command is not supported in the prepared statement protocol yet.
const Unprepared = 1295

// AskLevel asks for the variables that make the level, of which no version has all. What SET TRANSACTION gives one
// transaction they do not tell (dev.mysql.com/doc/refman, SET TRANSACTION).
var AskLevel = &exec.AskLevel{
	Ask: "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation', " +
		"'innodb_snapshot_isolation', 'tidb_txn_mode')",
	Read: func(rows *history.Rows, once string) string {
		said := map[string]string{}
		for i := range rows.Len() {
			said[rows.Cell(i, 0).Raw()] = strings.ToLower(rows.Cell(i, 1).Raw())
		}
		mode := said["tidb_txn_mode"]
		if once == "optimistic" || once == "pessimistic" { // BEGIN has it
			mode, once = once, ""
		}
		level := cmp.Or(once, said["transaction_isolation"], said["tx_isolation"])
		switch {
		case level == "repeatable-read" && said["innodb_snapshot_isolation"] == "on":
			// mariadb.com/kb, innodb_snapshot_isolation
			return "snapshot"
		case mode == "optimistic": // docs.pingcap.com/tidb, TiDB Optimistic Transaction Model
			return mode
		}
		return level
	},
}

// CheckTables are the statements by which tables are checked: every index is read and compared with the rows.
func CheckTables(tables []string) []string {
	out := make([]string, len(tables))
	for i, t := range tables {
		out[i] = "CHECK TABLE " + t + " EXTENDED"
	}
	return out
}

// checkTable is CHECK TABLE … EXTENDED. Warnings are no complaints: old versions of rows that are not purged yet are
// one.
var checkTable = &exec.Integrity{
	Ask: CheckTables,
	Read: func(rows *history.Rows) []string {
		out, _ := complaints(rows)
		return out
	},
	Busy: func(rows *history.Rows) bool {
		_, busy := complaints(rows)
		return busy
	},
}

// inTheWay are the errors for which a check is not done, by their texts: there is no number in its answer.
var inTheWay = []string{"Lock wait timeout exceeded", "Deadlock found", "was interrupted"}

// complaints are what CHECK TABLE says against tables, and whether it was kept from one. A table that it could not open
// it names twice: by an "Error", which is the server's own, and by a status. Which index is damaged a warning before
// the error says.
func complaints(rows *history.Rows) (out []string, busy bool) {
	// by table, why it was not opened, and what it was warned of last
	opening, warned := map[string]string{}, map[string]string{}
	for i := range rows.Len() {
		row := rows.Row(i)
		if len(row) != 4 {
			continue
		}
		table, kind, text := row[0].S, row[2].S, row[3].S
		switch why := opening[table]; {
		case kind == "Error":
			opening[table] = text
		case kind == "Warning" && !strings.Contains(text, "Unpurged"):
			warned[table] = ": " + text
		case kind == "status" && why != "" && slices.ContainsFunc(inTheWay, func(t string) bool {
			return strings.Contains(why, t)
		}):
			busy = true
		case kind == "status" && text != "OK" && why != "":
			out = append(out, table+": "+text+": "+why)
		case kind == "error" && why != "":
			out = append(out, table+": "+text+": "+why)
		case kind == "error", kind == "status" && text != "OK":
			out = append(out, table+": "+text+warned[table])
		}
	}
	return out, busy
}
