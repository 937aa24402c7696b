package dbms

// sqliteProfiles are SQLite's levels. In WAL mode a reader keeps its snapshot, there is one writer at a time,
// and a transaction that read before another one committed cannot begin to write: SQLITE_BUSY_SNAPSHOT.
func sqliteProfiles() []*Profile {
	return []*Profile{{
		DBMS:      "sqlite",
		Isolation: "serializable",
		Embedded:  true,
		Protocol:  "MVCC, one writer",
		Source:    "sqlite.org/isolation.html (WAL mode)",
		Mechanisms: Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtFirstStatement, DMLView: Snapshot,
			MutualExclusion: true, FirstUpdaterWins: true, Certifier: ConflictCycles, Serializable: true},
		SelectView: Snapshot,
		// BEGIN IMMEDIATE and BEGIN EXCLUSIVE lock the database, so that nothing changes until the first read.
		SnapshotBegin: []string{"IMMEDIATE", "EXCLUSIVE"},
		Before:        PlainBeforeRead,
		Order:         OneWriterAtOnce,
		Forbidden:     forbidSerialSnapshot,
		Duplicate:     []int{1555, 2067}, // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE
		Errors: map[int]ErrorClass{
			5:    WouldBlock,  // SQLITE_BUSY
			261:  WouldBlock,  // SQLITE_BUSY_RECOVERY
			517:  TxnLost,     // SQLITE_BUSY_SNAPSHOT
			6:    WouldBlock,  // SQLITE_LOCKED
			7:    Environment, // SQLITE_NOMEM
			8:    Environment, // SQLITE_READONLY
			9:    Environment, // SQLITE_INTERRUPT
			10:   Environment, // SQLITE_IOERR
			13:   Environment, // SQLITE_FULL
			14:   Environment, // SQLITE_CANTOPEN
			778:  Environment, // SQLITE_IOERR_WRITE
			4874: Environment, // SQLITE_IOERR_SHMSIZE
		},
	}}
}
