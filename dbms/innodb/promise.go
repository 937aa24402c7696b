// Package innodb holds what MySQL and MariaDB share: the storage engine, and much of their SQL and servers.
package innodb

import (
	"time"

	"txweave/dbms"
)

// source says where the promises of InnoDB are written, and on what they were measured.
const source = "dev.mysql.com/doc/refman, InnoDB Transaction Isolation Levels; measured on MariaDB 10.11 and 11.8, MySQL 5.7 and 9.7"

// StrictMode is the sql_mode of every session: explicit, so that a case means the same on every server.
const StrictMode = "SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"

// Errors are the errors of MySQL and MariaDB that do not come from a statement and its data alone.
// After 1213 and 1020 the server has rolled back the whole transaction and the session is in autocommit; 1205
// undoes the statement only (innodb_rollback_on_timeout is OFF by default).
var Errors = map[int]dbms.ErrorClass{
	1205: dbms.StatementLost, // lock wait timeout exceeded
	1213: dbms.TxnLost,       // deadlock found
	3572: dbms.StatementLost, // NOWAIT is set, and a row is locked (MariaDB: 1205)
	1412: dbms.StatementLost, // the definition of a table has changed since the snapshot
	159:  dbms.StatementLost, // the same, as a subquery of a write is told ("insufficient history for index")
	1020: dbms.TxnLost,       // record has changed since last read (innodb_snapshot_isolation)
	1792: dbms.StatementLost, // the transaction is READ ONLY: MariaDB refuses locking reads, too
	1402: dbms.TxnLost,       // XA: the transaction was rolled back
	1613: dbms.TxnLost,       // the same, after a time-out
	1614: dbms.TxnLost,       // the same, after a deadlock
	1440: dbms.Environment,   // XA: somebody else uses the name
	1180: dbms.Environment,   // error during COMMIT
	1156: dbms.Environment,   // packets out of order: the network's doing, as the next six are
	1157: dbms.Environment,   // a packet cannot be uncompressed
	1158: dbms.Environment,   // a packet cannot be read
	1159: dbms.Environment,   // time-out reading a packet
	1160: dbms.Environment,   // a packet cannot be written
	1161: dbms.Environment,   // time-out writing a packet
	1835: dbms.Environment,   // malformed packet
	1317: dbms.Environment,   // query execution was interrupted
	1927: dbms.Environment,   // connection was killed
	1053: dbms.Environment,   // server shutdown in progress
	1021: dbms.Environment,   // disk full
	1030: dbms.Environment,   // error from the storage engine
	1114: dbms.Environment,   // table is full
	1290: dbms.Environment,   // server runs with a read-only option
	1836: dbms.Environment,   // server is in read-only mode
	1040: dbms.Environment,   // too many connections
	1037: dbms.Environment,   // out of memory
	1041: dbms.Environment,   // out of memory
	1206: dbms.Environment,   // lock table size exceeded
	3185: dbms.Environment,   // no keyring, and tables are to be encrypted
	1173: dbms.Environment,   // each table is to have a primary key (MariaDB's innodb_force_primary_key)
	1665: dbms.Environment,   // a binary log of statements, which takes no writes at READ COMMITTED
	3024: dbms.Environment,   // maximum statement execution time exceeded
	1969: dbms.Environment,   // max_statement_time exceeded
	1142: dbms.Environment,   // command denied
	1044: dbms.Environment,   // access denied to database
	1045: dbms.Environment,   // access denied
}

// Impossible are the errors of MySQL and MariaDB that no statement causes: of damaged tables and indexes, of tables
// that are lost, and of the server itself: ER_KEY_NOT_FOUND, ER_NOT_FORM_FILE, ER_NOT_KEYFILE, ER_OLD_KEYFILE,
// ER_UNKNOWN_ERROR, ER_NO_SUCH_TABLE, ER_CRASHED_ON_USAGE, ER_CRASHED_ON_REPAIR, ER_INDEX_CORRUPT, ER_INTERNAL_ERROR,
// ER_NO_SUCH_TABLE_IN_ENGINE.
var Impossible = []int{1032, 1033, 1034, 1035, 1105, noSuchTable, 1194, 1195, 1712, 1815, 1932}

// noSuchTable is ER_NO_SUCH_TABLE.
const noSuchTable = 1146

// Malformed are the errors of MySQL, MariaDB and TiDB of statements that run on no contents of the tables:
// ER_PARSE_ERROR, ER_BAD_FIELD_ERROR, ER_SP_DOES_NOT_EXIST, ER_NON_UNIQ_ERROR, ER_WRONG_VALUE_COUNT_ON_ROW,
// ER_FIELD_SPECIFIED_TWICE, ER_INVALID_GROUP_FUNC_USE, ER_NONUNIQ_TABLE, ER_OPERAND_COLUMNS,
// ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT, ER_WRONG_PARAMETERS_TO_NATIVE_FCT, ER_DERIVED_MUST_HAVE_ALIAS,
// ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT, ER_MIX_OF_GROUP_FUNC_AND_FIELDS, ER_WRONG_FIELD_WITH_GROUP,
// ER_FUNC_INEXISTENT_NAME_COLLISION.
var Malformed = dbms.ErrorSet{Codes: []int{1064, 1054, 1305, 1052, 1136, 1110, 1111, 1066, 1241, 1582, 1583, 1248, 1222,
	1140, 1055, 1630}}

// ErrorTexts are errors of a full disk, which come with many codes: the server's own file, a temporary table's, the
// engine's.
var ErrorTexts = []dbms.ErrorText{
	{Part: "No space left on device", Class: dbms.Environment},
	{Part: "(errno: 28", Class: dbms.Environment},
	{Part: "(Errcode: 28", Class: dbms.Environment},
	{Part: "error 28 from storage", Class: dbms.Environment},
	{Part: "Got error 28 ", Class: dbms.Environment},
	{Part: "Out of resources when open", Class: dbms.Environment}, // too many open files
	{Part: "Can't create a new thread (", Class: dbms.Environment},
}

// unread is why a SELECT that reads no table takes no snapshot. No page says so: each of its halves has one.
const unread = "the server reads no table (dev.mysql.com/doc/refman, WHERE Clause Optimization): it takes no " +
	"snapshot, which is of the transaction's first read (Consistent Nonlocking Reads)"

// Level returns a level as InnoDB behaves in MySQL 5.7 to 9.7 and MariaDB 10.11 to 11.8 (measured):
// DML, and every subquery in it, reads current data at every level; plain SELECTs read a snapshot except at
// SERIALIZABLE, where they take shared locks.
func Level(name, isolation, level string) *dbms.Profile {
	own := "SET SESSION TRANSACTION ISOLATION LEVEL " + level
	return &dbms.Profile{
		DBMS:      name,
		Isolation: isolation,
		Guarantees: dbms.Guarantees{
			Source:     source,
			Mechanisms: Mechanisms(isolation),
		},
		Variants: dbms.Variants{
			Stores: stores,
		},
		Sessions: dbms.Sessions{
			Setup: []string{
				StrictMode,
				"SET SESSION innodb_lock_wait_timeout = 10",
				"SET SESSION lock_wait_timeout = 0", // who changes a table that others use is refused; MySQL makes it 1 s
				own,
			},
			Level:      []string{own},
			Client:     ClientCharset,
			WaitLimits: WaitLimits("innodb_lock_wait_timeout", "lock_wait_timeout"),
			NoWait:     []string{"SET SESSION innodb_lock_wait_timeout = 0"}, // MySQL makes it 1 s
			Silences: []string{"wait_timeout", "idle_transaction_timeout", "idle_readonly_transaction_timeout",
				"idle_write_transaction_timeout"},
		},
		ReadModes: dbms.ReadModes{
			SelectView:    dbms.Snapshot,
			SnapshotBegin: []string{"CONSISTENT SNAPSHOT"},
			Before:        dbms.LockingBeforeRead,
			Observer:      dbms.DirtyObserver,
			Unread:        unread,
		},
		Writes: dbms.Writes{
			CountersReset: true,
		},
		Errors: dbms.Errors{
			NoSavepoint: "does not exist", // 1305

			ReadOnlyRefused: 1792,
			Classes:         Errors,
			Impossible:      dbms.ErrorSet{Codes: Impossible},
			NoTable:         dbms.ErrorSet{Codes: []int{noSuchTable}},
			Malformed:       Malformed,
			Texts:           ErrorTexts,
			Duplicate:       []int{1062},
			ForeignKey:      []int{1452},
		},
		Transactions: dbms.Transactions{
			Chained: "DO 0",
			// dev.mysql.com/doc/refman, Deadlock Detection; mariadb.com/kb, innodb_deadlock_detect
			SeesDeadlocks: "SELECT @@innodb_deadlock_detect",
		},
		Order: dbms.BinaryLog,
	}
}

// ClientCharset is what the clients mysql and mariadb say of their characters (dev.mysql.com/doc/refman, Connection
// Character Sets and Collations): literals are compared as the server compares such texts by default.
var ClientCharset = []string{"SET NAMES utf8mb4"}

// WaitLimits are settings of MySQL's family, in seconds, under which a wait ends while somebody still looks on.
func WaitLimits(names ...string) (out []dbms.WaitLimit) {
	for _, name := range names {
		out = append(out, dbms.WaitLimit{Setting: name, Set: "SET SESSION " + name + " = 10", Unit: time.Second})
	}
	return out
}

// Mechanisms are InnoDB's at one level. Plain reads at SERIALIZABLE lock what they read. From REPEATABLE READ on a
// statement keeps locked what it scanned, gaps included; at READ COMMITTED rows that do not match are unlocked again.
func Mechanisms(isolation string) dbms.Mechanisms {
	m := dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, DMLView: dbms.Current, MutualExclusion: true, GapLocks: true,
		RowLocks: true}
	switch isolation {
	case "read-uncommitted":
		m.ConsistentRead, m.GapLocks = dbms.NoConsistentRead, false
	case "read-committed":
		m = dbms.ReadCommitted
		m.RowLocks = true
	case "snapshot": // MariaDB's innodb_snapshot_isolation
		m.FirstUpdaterWins = true
	case "serializable":
		m.ConsistentRead, m.LockingReads, m.Serializable, m.Prepared = dbms.PerStatement, true, true, dbms.PreparedKeeps
	}
	m.EntryLocks = true
	return m
}

// Levels returns the four levels that MySQL and MariaDB share. READ UNCOMMITTED is there for the oracles that
// need no replay.
func Levels(name string) []*dbms.Profile {
	rr := Level(name, "repeatable-read", "REPEATABLE READ")
	rr.Guarantees.Forbidden = dbms.ForbidRepeatable
	// A plain read sees its transaction's own writes over older rows, in a state that need never have existed
	// (dev.mysql.com/doc/refman, Consistent Nonlocking Reads).
	rr.ReadModes.Mixing = dbms.ByClusteredKey
	rc := Level(name, "read-committed", "READ COMMITTED")
	rc.Guarantees.Forbidden = dbms.ForbidCommitted
	// FOR UPDATE would wait where an UPDATE reads semi-consistently and skips a locked row that does not match.
	rc.ReadModes.Before = dbms.PlainBeforeRead
	ser := Level(name, "serializable", "SERIALIZABLE")
	ser.ReadModes.SelectView = dbms.Current
	ser.Guarantees.Forbidden = dbms.ForbidSerializable
	ru := Level(name, "read-uncommitted", "READ UNCOMMITTED")
	// A plain read shows rows as others are changing them; an UPDATE goes by their last committed versions.
	ru.ReadModes.Before = dbms.NoBeforeRead
	ru.Guarantees.Forbidden = dbms.ForbidUncommitted
	ru.Guarantees.NoReplay =
		"READ UNCOMMITTED shows rows that may never be committed, so no order of the committed statements need explain " +
			"what was read (TxCheck, Assumption 3)"
	return []*dbms.Profile{rr, rc, ser, ru}
}
