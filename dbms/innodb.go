package dbms

// strictMode is the sql_mode of every session: explicit, so that a case means the same on every server.
const strictMode = "SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"

// innodbErrors are the errors of MySQL and MariaDB that do not come from a statement and its data alone.
// After 1213 and 1020 the server has rolled back the whole transaction and the session is in autocommit; 1205
// undoes the statement only (innodb_rollback_on_timeout is OFF by default).
var innodbErrors = map[int]ErrorClass{
	1205: StatementLost, // lock wait timeout exceeded
	1213: TxnLost,       // deadlock found
	1020: TxnLost,       // record has changed since last read (innodb_snapshot_isolation)
	1180: Environment,   // error during COMMIT
	1317: Environment,   // query execution was interrupted
	1927: Environment,   // connection was killed
	1053: Environment,   // server shutdown in progress
	1021: Environment,   // disk full
	1030: Environment,   // error from the storage engine
	1114: Environment,   // table is full
	1290: Environment,   // server runs with a read-only option
	1836: Environment,   // server is in read-only mode
	1040: Environment,   // too many connections
	1037: Environment,   // out of memory
	1041: Environment,   // out of memory
	1206: Environment,   // lock table size exceeded
	3024: Environment,   // maximum statement execution time exceeded
	1969: Environment,   // max_statement_time exceeded
	1142: Environment,   // command denied
	1044: Environment,   // access denied to database
	1045: Environment,   // access denied
}

// innodb returns a level as InnoDB behaves in MySQL 5.7 to 9.7 and MariaDB 10.11 to 11.8 (measured):
// DML, and every subquery in it, reads current data at every level; plain SELECTs read a snapshot except at
// SERIALIZABLE, where they take shared locks.
func innodb(dbms, isolation, level string) *Profile {
	return &Profile{
		DBMS:       dbms,
		Isolation:  isolation,
		Protocol:   "2PL+MVCC",
		Source:     srcInnoDB,
		Mechanisms: innodbMechanisms(isolation),
		Setup: []string{
			strictMode,
			"SET SESSION innodb_lock_wait_timeout = 10",
			"SET SESSION TRANSACTION ISOLATION LEVEL " + level,
		},
		NoWait:        []string{"SET SESSION innodb_lock_wait_timeout = 0"}, // MySQL makes it 1 s
		SelectView:    Snapshot,
		SnapshotBegin: []string{"CONSISTENT SNAPSHOT"},
		Before:        LockingBeforeRead,
		Observers:     true,
		DirtyObserver: true,
		Order:         BinaryLog,
		Errors:        innodbErrors,
		Duplicate:     []int{1062},
	}
}

// innodbMechanisms are InnoDB's at one level. Plain reads at SERIALIZABLE lock what they read. From REPEATABLE READ on a
// statement keeps locked what it scanned, gaps included; at READ COMMITTED rows that do not match are unlocked again.
func innodbMechanisms(isolation string) Mechanisms {
	m := Mechanisms{ConsistentRead: PerTransaction, DMLView: Current, MutualExclusion: true, GapLocks: true}
	switch isolation {
	case "read-uncommitted":
		m.ConsistentRead, m.GapLocks = NoConsistentRead, false
	case "read-committed":
		m = ReadCommitted
	case "snapshot": // MariaDB's innodb_snapshot_isolation
		m.FirstUpdaterWins = true
	case "serializable":
		m.ConsistentRead, m.LockingReads, m.Serializable = PerStatement, true, true
	}
	return m
}

// innodbLevels returns the four levels that MySQL and MariaDB share. READ UNCOMMITTED is there for the oracles that
// need no replay.
func innodbLevels(dbms string) []*Profile {
	rr := innodb(dbms, "repeatable-read", "REPEATABLE READ")
	rr.Forbidden = forbidRepeatable
	rc := innodb(dbms, "read-committed", "READ COMMITTED")
	rc.Forbidden = forbidCommitted
	// FOR UPDATE would wait where an UPDATE reads semi-consistently and skips a locked row that does not match.
	rc.Before = PlainBeforeRead
	ser := innodb(dbms, "serializable", "SERIALIZABLE")
	ser.SelectView = Current
	ser.Forbidden = forbidSerializable
	ru := innodb(dbms, "read-uncommitted", "READ UNCOMMITTED")
	// A plain read shows rows as others are changing them; an UPDATE goes by their last committed versions.
	ru.Before = NoBeforeRead
	ru.Forbidden = forbidUncommitted
	ru.NoReplay = "READ UNCOMMITTED shows rows that may never be committed, so no order of the committed statements need explain what was read (TxCheck, Assumption 3)"
	return []*Profile{rr, rc, ser, ru}
}
