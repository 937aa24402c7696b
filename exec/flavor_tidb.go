package exec

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"txweave/exec/tidb"
)

// tidbFlavor is TiDB on unistore, its own in-process store, where the server is private. A binary of the user's is a
// tidb-server; the one that txweave builds takes the same flags where they mean the same.
var tidbFlavor = &flavor{
	name:      "tidb",
	build:     tidb.Build,
	arguments: tidbArguments,
	version:   []string{"-V"},
	boot: []string{
		"SET GLOBAL tidb_enable_auto_analyze = OFF",
		"REPLACE INTO mysql.tidb VALUES ('tikv_gc_safe_point', '20200101-00:00:00 +0000', '')", // for tidb_snapshot
	},
	wear:  400, // nothing on unistore is ever thrown away
	waits: func(string) *waitSource { return tidbTrx },
	anew:  true,
	kill:  "KILL TIDB QUERY %d",
	changed: "SELECT VARIABLE_NAME, CURRENT_VALUE FROM information_schema.VARIABLES_INFO WHERE VARIABLE_NAME LIKE 'tidb%' " +
		"AND VARIABLE_SCOPE <> 'SESSION' AND CURRENT_VALUE <> DEFAULT_VALUE AND CURRENT_VALUE NOT LIKE '/%' AND CURRENT_VALUE NOT LIKE '{%' " +
		"UNION ALL SELECT 'tidb_version', REPLACE(TIDB_VERSION(), '\n', ', ')",
	dialect: &dialect{dbError: mysqlError, warnings: "SHOW WARNINGS", stamps: tidbStamps}, // CREATE TABLE … AS SELECT is not there
	ours:    saysTiDB,
	binary:  func(version string) bool { return strings.Contains(version, "Release Version:") },
}

func tidbArguments(dir string, built bool) []string {
	args := []string{"-socket", filepath.Join(dir, socketName), "-L", "fatal"}
	if built {
		return args
	}
	// No TCP port and no status port: nobody else gets in. A lease of 0 lets old versions change schemas at once.
	return append(args, "-store", "unistore", "-path", "", "-host", "", "-P", "0", "-report-status=false", "-lease", "0")
}

// tidbTrx is information_schema.TIDB_TRX; DATA_LOCK_WAITS there lags by a second.
var tidbTrx = &waitSource{ask: tidbLockWaits, need: "the PROCESS privilege (for information_schema.TIDB_TRX)"}

// tidbAcquiring is how long a transaction is LockWaiting before it is believed to wait: TiDB says so of everyone who
// is about to be given locks, too. On a busy machine that lasts longer than two questions.
const tidbAcquiring = 5 * time.Millisecond

// tidbYoung returns for how long a wait of some age is not to be believed yet; 0: it is. The age is a little below 0 where
// the wait began after the question, and far below where the server's time zone is not the session's: it says nothing then.
func tidbYoung(age time.Duration) time.Duration {
	if age < -time.Second {
		return 0
	}
	return min(max(tidbAcquiring-age, 0), tidbAcquiring)
}

func tidbLockWaits(ctx context.Context, control *Session) (map[uint64]bool, error) {
	for {
		rows, err := control.Read(ctx, "SELECT SESSION_ID, TIMESTAMPDIFF(MICROSECOND, WAITING_START_TIME, NOW(6))"+
			" FROM information_schema.TIDB_TRX WHERE STATE = 'LockWaiting'")
		if err != nil {
			return nil, err
		}
		out, young := map[uint64]bool{}, time.Duration(0)
		for i := range rows.Len() {
			id, ok := rows.Row(i)[0].Int64()
			since, known := rows.Row(i)[1].Int64()
			if left := tidbYoung(time.Duration(since) * time.Microsecond); known && left > 0 {
				young = max(young, left)
			} else if ok {
				out[uint64(id)] = true
			}
		}
		if young == 0 {
			return out, nil
		}
		nap(young)
	}
}
