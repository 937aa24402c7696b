package dbms

// ReadScope is how long a plain read's snapshot lasts.
type ReadScope uint8

// The scopes of consistent read.
const (
	NoConsistentRead ReadScope = iota // no consistent read is claimed
	PerStatement                      // each statement has a snapshot of its own
	PerTransaction                    // all plain reads of a transaction share one
)

// SnapshotPoint is the statement that takes a transaction's snapshot.
type SnapshotPoint uint8

// The moments at which a snapshot is taken; START TRANSACTION WITH CONSISTENT SNAPSHOT takes it at once anywhere.
const (
	AtFirstRead      SnapshotPoint = iota // the first plain read (InnoDB)
	AtFirstStatement                      // the first statement of any kind (PostgreSQL)
	AtFirstAccess                         // the first statement that reads or writes a table (SQLite)
	AtBegin                               // BEGIN asks for a start timestamp, the first statement waits for it
)

// Certifier is what decides whether a transaction may commit (Leopard, appendix, table II).
type Certifier uint8

// The serialization certifiers.
const (
	NoCertifier    Certifier = iota
	SSI                      // no dangerous structure of anti-dependencies (Cahill; Ports and Grittner, VLDB 2012)
	TimestampOrder           // no dependency of an older transaction on a newer one
	OCC                      // what a writing transaction read was not overwritten before it commits
	OCCWrites                // what a transaction writes was not overwritten after its snapshot, checked at commit
	Percolator               // the same, for Percolator's two-phase commit
	ConflictCycles           // no cycle of dependencies
)

// Mechanisms are the concurrency control mechanisms that a DBMS promises at one level: consistent read (CR), mutual
// exclusion (ME), first updater wins (FUW), serialization certifier (SC) (Li et al., Leopard, section II-B).
type Mechanisms struct {
	ConsistentRead ReadScope
	SnapshotAt     SnapshotPoint // where ConsistentRead is PerTransaction
	// LockingReads says that plain reads lock what they read, and so see current rows.
	LockingReads    bool
	DMLView         View // what DML and locking reads see, subqueries included
	MutualExclusion bool
	// GapLocks says that a locking statement keeps every row that it scanned locked until its transaction ends, and the
	// gaps between them, so that nobody inserts what it did not find.
	GapLocks bool
	// Prepared says which of these locks outlast XA PREPARE.
	Prepared PreparedLocks
	// RowLocks says that a locking SELECT keeps each row that it returns locked, as strongly as its clause says, until its
	// transaction ends, meets an error or goes back to a savepoint; as UPDATE and DELETE do with those that they write.
	RowLocks bool
	// EntryLocks says that a shared lock is one of an entry of the index that a query reads: where that holds all that is
	// asked for, the row itself is not locked, and others may lock it, and write what the index does not hold (InnoDB).
	EntryLocks       bool
	FirstUpdaterWins bool
	// KeysReborn says that a key whose row was deleted after the snapshot may be inserted again, as another row: a unique
	// index goes by current rows, and so does whether rows refer to one that goes. The transaction sees both until it
	// ends.
	KeysReborn bool
	// DeletedGone says that a statement which waited for a row, or met it changed, passes it over where it was deleted
	// since the statement's snapshot, whatever row of its key has been inserted after that: that is another one, which the
	// snapshot does not show.
	DeletedGone bool
	Certifier   Certifier
	// Serializable says that a cycle of any certain dependencies violates the level.
	Serializable bool
}

// SnapshotScope is how long the snapshot lasts that plain reads see; NoConsistentRead where they see none.
func (m *Mechanisms) SnapshotScope() ReadScope {
	if m.LockingReads {
		return NoConsistentRead
	}
	return m.ConsistentRead
}

// OpensView says whether a statement that reads view takes the snapshot if there is none yet; table says that it reads
// or writes a table: SELECT 1, a UNION of constants and a CTE of them open no read view in InnoDB and SQLite.
func (m *Mechanisms) OpensView(view View, table bool) bool {
	switch {
	case m.ConsistentRead == PerTransaction && m.SnapshotAt == AtFirstStatement:
		return true
	case m.ConsistentRead == PerTransaction && m.SnapshotAt == AtFirstAccess:
		return table
	}
	return table && view == Snapshot
}

// ReadCommitted is READ COMMITTED under two-phase locking and multiple versions.
var ReadCommitted = Mechanisms{ConsistentRead: PerStatement, DMLView: Current, MutualExclusion: true}

// PreparedLocks says what becomes of the locks of rows and gaps that a transaction has read, and not written, at its XA
// PREPARE.
type PreparedLocks int

const (
	// PreparedReleases: they may go. MariaDB keeps there what a write needs (storage/innobase/lock/lock0lock.cc,
	// lock_release_on_prepare; MDEV-33454), MySQL lets gaps go at READ COMMITTED and below (trx0trx.cc,
	// releases_gap_locks_at_prepare).
	PreparedReleases PreparedLocks = iota
	// WritersKeep: they stay where the transaction has written something. Of one that has not MySQL 9.7.4 keeps no lock,
	// though XA RECOVER lists it still: the XA specification lets a resource manager be done with readers there (read-only
	// optimization).
	WritersKeep
	// PreparedKeeps: they stay.
	PreparedKeeps
)
