package innodb

import "txweave/exec"

// LockWaitTimeout is the error of who waited in vain for a lock.
const LockWaitTimeout = 1205

// ErrorNames are the names that mysqltest and its readers use for the usual error codes.
var ErrorNames = map[int]string{
	1020: "ER_CHECKREAD", 1048: "ER_BAD_NULL_ERROR", 1062: "ER_DUP_ENTRY", LockWaitTimeout: "ER_LOCK_WAIT_TIMEOUT",
	1213: "ER_LOCK_DEADLOCK", 1242: "ER_SUBQUERY_NO_1_ROW", 1264: "ER_WARN_DATA_OUT_OF_RANGE",
	1292: "ER_TRUNCATED_WRONG_VALUE",
	1364: "ER_NO_DEFAULT_FOR_FIELD", 1366: "ER_TRUNCATED_WRONG_VALUE_FOR_FIELD", 1406: "ER_DATA_TOO_LONG",
	1451: "ER_ROW_IS_REFERENCED_2", 1452: "ER_NO_REFERENCED_ROW_2", 1690: "ER_DATA_OUT_OF_RANGE",
}

// Client is how MySQL's client is talked to, and MariaDB's, which has another name.
func Client(name string) *exec.Client {
	return &exec.Client{Name: name, Command: name + " --unbuffered --skip-column-names",
		Stubborn: name + " --force --unbuffered --skip-column-names",
		Recreate: []string{"DROP DATABASE IF EXISTS $d;", "CREATE DATABASE $d;"}, Into: `"$d"`, Engine: " ENGINE=InnoDB",
		ByIndex: "FORCE INDEX (t0_v) WHERE v > -1000000000",
		Reading: "SET @v = NULL; SELECT v INTO @v FROM t0 WHERE pkey = %s;",
		Locking: "SET @v = NULL; SELECT v INTO @v FROM t0 WHERE pkey = %s FOR UPDATE;", Kept: "@v",
		Victim: "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '$d' AND ID <> CONNECTION_ID() ORDER BY RAND() " +
			"LIMIT 1;",
		Kill: []string{"KILL QUERY $id;", "KILL CONNECTION $id;"}}
}
