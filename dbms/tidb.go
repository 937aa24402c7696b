package dbms

// tidbErrors are the errors of TiDB that do not come from a statement and its data alone. After those that lose
// the transaction the session has none any more.
var tidbErrors = map[int]ErrorClass{
	1205: StatementLost, // lock wait timeout exceeded
	1213: TxnLost,       // deadlock found
	9007: TxnLost,       // write conflict, at COMMIT of an optimistic transaction
	8002: TxnLost,       // SELECT … FOR UPDATE of an optimistic transaction met a write conflict
	8022: TxnLost,       // COMMIT failed and may be tried again
	8028: Environment,   // the schema changed under the statement
	8048: Environment,   // a level that TiDB does not have
	8175: Environment,   // the query used too much memory
	8176: Environment,   // the server used too much memory
	1317: Environment,   // query execution was interrupted
	3024: Environment,   // maximum statement execution time exceeded
	1053: Environment,   // server shutdown in progress
	1040: Environment,   // too many connections
	1142: Environment,   // command denied
	1044: Environment,   // access denied to database
	1045: Environment,   // access denied
	9001: Environment,   // PD does not answer
	9002: Environment,   // TiKV does not answer
	9003: Environment,   // TiKV is busy
	9004: Environment,   // a lock could not be resolved in time
	9005: Environment,   // a region is unavailable
	9006: Environment,   // the snapshot is older than garbage collection allows
}

// tidb returns a level as TiDB 6.1 to 8.5 behave (measured). BEGIN takes the snapshot. In a pessimistic transaction
// DML and locking SELECTs read current rows, plain SELECTs the snapshot; nothing locks rows that do not match, so a
// statement that waited is run again by the server and looks afresh.
//
// There is no READ UNCOMMITTED: what a transaction has not committed, only it can read. Before a statement with a
// current view nothing is read over its own connection where that can be helped: such a read refreshes the timestamp
// that the statement uses, which is what is under test.
func tidb(isolation, mode, level string) *Profile {
	return &Profile{
		DBMS:      "tidb",
		Isolation: isolation,
		Protocol:  "2PL+MVCC",
		Source:    srcTiDB,
		Setup: []string{
			strictMode,
			"SET SESSION innodb_lock_wait_timeout = 10",
			"SET SESSION TRANSACTION ISOLATION LEVEL " + level,
			"SET SESSION tidb_txn_mode = '" + mode + "'",
			"SET SESSION tidb_constraint_check_in_place = ON", // else a duplicate key is an error of COMMIT
		},
		NoWait:        []string{"SET SESSION innodb_lock_wait_timeout = 1"},
		SnapshotBegin: []string{"BEGIN", "START"},
		Order:         DatabaseClock,
		Errors:        tidbErrors,
		// 1105: others kept writing the rows between each of 256 tries and the next one.
		ErrorTexts: map[string]ErrorClass{"pessimistic lock retry limit reached": StatementLost},
		Duplicate:  []int{1062},
	}
}

// tidbProfiles are TiDB's levels.
func tidbProfiles() []*Profile {
	rr := tidb("repeatable-read", "pessimistic", "REPEATABLE READ")
	rr.OtherBegin = "OPTIMISTIC"
	rr.Mechanisms = Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DMLView: Current, MutualExclusion: true}
	rr.SelectView, rr.Observers = Snapshot, true
	rr.Before = LockingDeleteRead
	rr.MixedSubqueries = true
	rr.Forbidden = forbidRepeatable

	rc := tidb("read-committed", "pessimistic", "READ COMMITTED")
	rc.OtherBegin = "OPTIMISTIC"
	rc.Mechanisms = ReadCommitted
	rc.SelectView, rc.Observers = Current, true
	rc.Before = NoBeforeRead
	rc.Forbidden = forbidCommitted

	optimistic := tidb("optimistic", "optimistic", "REPEATABLE READ")
	optimistic.OtherBegin = "PESSIMISTIC"
	optimistic.Protocol, optimistic.Mechanisms = "Percolator", percolator
	optimistic.Source += "; docs.pingcap.com, TiDB Optimistic Transaction Model"
	optimistic.SelectView = Snapshot
	optimistic.Before = PlainBeforeRead
	optimistic.Forbidden = forbidSnapshot
	return []*Profile{rr, rc, optimistic}
}
