package tidb

import (
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/dbms/innodb"
	"txweave/dbms/mysql/dialect"
	"txweave/sql/respell"
)

// source says where the promises of TiDB are written.
const source = "Huang et al.: TiDB, VLDB 2020"

// percolator is Percolator's snapshot isolation: conflicts of writes are found at the commit.
var percolator = dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtBegin, DMLView: dbms.Snapshot,
	Certifier: dbms.Percolator}

// errorClasses are the errors of TiDB that do not come from a statement and its data alone. After those that lose
// the transaction the session has none any more.
var errorClasses = map[int]dbms.ErrorClass{
	1205: dbms.StatementLost, // lock wait timeout exceeded
	1213: dbms.TxnLost,       // deadlock found
	3572: dbms.StatementLost, // NOWAIT is set, and a row is locked
	9007: dbms.TxnLost,       // write conflict, at COMMIT of an optimistic transaction
	8002: dbms.TxnLost,       // SELECT … FOR UPDATE of an optimistic transaction met a write conflict
	8022: dbms.TxnLost,       // COMMIT failed and may be tried again
	8028: dbms.Environment,   // the schema changed under the statement
	8048: dbms.Environment,   // a level that TiDB does not have
	8175: dbms.Environment,   // the query used too much memory
	8176: dbms.Environment,   // the server used too much memory
	1158: dbms.Environment,   // a packet cannot be read
	1835: dbms.Environment,   // malformed packet
	1317: dbms.Environment,   // query execution was interrupted
	3024: dbms.Environment,   // maximum statement execution time exceeded
	1053: dbms.Environment,   // server shutdown in progress
	1040: dbms.Environment,   // too many connections
	1142: dbms.Environment,   // command denied
	1044: dbms.Environment,   // access denied to database
	1045: dbms.Environment,   // access denied
	9001: dbms.Environment,   // PD does not answer
	9002: dbms.Environment,   // TiKV does not answer
	9003: dbms.Environment,   // TiKV is busy
	9004: dbms.Environment,   // a lock could not be resolved in time
	9005: dbms.Environment,   // a region is unavailable
	9006: dbms.Environment,   // the snapshot is older than garbage collection allows
}

// level returns a level as TiDB 6.1 to 8.5 behave (measured). BEGIN takes the snapshot. In a pessimistic transaction
// DML and locking SELECTs read current rows, plain SELECTs the snapshot; nothing locks rows that do not match, so a
// statement that waited is run again by the server and looks afresh.
//
// There is no READ UNCOMMITTED: what a transaction has not committed, only it can read. Before a statement with a
// current view nothing is read over its own connection where that can be helped: such a read refreshes the timestamp
// that the statement uses, which is what is under test.
func level(isolation, mode, sqlLevel string) *dbms.Profile {
	own := []string{"SET SESSION TRANSACTION ISOLATION LEVEL " + sqlLevel, "SET SESSION tidb_txn_mode = '" + mode + "'"}
	return &dbms.Profile{
		Transactions: dbms.Transactions{
			// FOR UPDATE in autocommit locks nothing and waits for nobody (docs.pingcap.com, SELECT)
			LockingBegin: "BEGIN PESSIMISTIC",
		},
		DBMS:      "tidb",
		Product:   "TiDB",
		Isolation: isolation,
		Guarantees: dbms.Guarantees{
			Source: source,
		},
		Sessions: dbms.Sessions{
			Setup: []string{
				innodb.StrictMode,
				"SET SESSION innodb_lock_wait_timeout = 10",
				own[0],
				own[1],
				"SET SESSION tidb_constraint_check_in_place = ON", // else a duplicate key is an error of COMMIT
			},
			Level:      own,
			Client:     innodb.ClientCharset,
			WaitLimits: innodb.WaitLimits("innodb_lock_wait_timeout"),
			NoWait:     []string{"SET SESSION innodb_lock_wait_timeout = 1"},
		},
		ReadModes: dbms.ReadModes{
			SnapshotBegin: []string{"BEGIN", "START"},
			LocksNothing:  func(autocommit bool) bool { return autocommit },
		},
		TableChanges: dbms.TableChanges{
			Told: dbms.ChangesUntold, // a change waits for who uses the table, and nothing tells soon enough that it does

		},
		Order: dbms.DatabaseClock,
		Errors: dbms.Errors{
			PanicsAlone: true, // it catches a panic, logs it, and closes the connection
			Classes:     errorClasses,
			Malformed:   innodb.Malformed,
			NoTable:     dbms.ErrorSet{Codes: []int{1146}},
			// no such table; index and table differ; rows of an index differ; values of an index differ; assertion failed; index
			// and table differ. 1105: a panic
			Impossible: dbms.ErrorSet{Codes: []int{1146, 8003, 8133, 8134, 8141, 8223}, Texts: []string{"runtime error",
				"nil pointer", "index out of range", "invalid memory address", "goroutine "}},
			// 1105: others kept writing the rows between each of 256 tries and the next one.
			// 1105, too: a statement that was killed on its way to the store, or where it counts its memory, which a panic with
			// the error of a kill, or of a time that is over, in it ends. 1105, too: a lock that was not had in time, where the
			// statement is tried again by the server.
			Texts: []dbms.ErrorText{{Part: "pessimistic lock retry limit reached", Class: dbms.StatementLost},
				{Part: "lock wait timeout", Class: dbms.StatementLost},
				{Part: "context canceled", Class: dbms.Environment}, {Part: "[executor:1317]", Class: dbms.Environment},
				{Part: "[executor:3024]", Class: dbms.Environment}},
			Duplicate: []int{1062}, ForeignKey: []int{1452},
			// in a pessimistic transaction keys are asked for as they are locked, after the parents of rows; by itself
			// (tidb_constraint_check_in_place) before
			EitherOf: [][2]int{{1452, 1062}},
		},
		Variants: dbms.Variants{
			Plans: plans,
		},
		Tree: tree,
	}
}

// tree is how its statements are read as trees, and printed.
var tree = dialect.New(dialect.Server{Product: "TiDB", Version: 80500})

// plans are ways to have TiDB plan and execute a statement otherwise (docs.pingcap.com, System Variables, SQL Prepare
// Execution Plan Cache, Common Table Expression): by its interpreter row by row, in chunks of a few rows, with
// operators moved to where the rows are.
var plans = []dbms.PlanSetting{
	innodb.NoIndexes("INVISIBLE"),
	innodb.Prepared,
	innodb.Parameters(tree),
	innodb.Impatient(1),
	{Name: "copies", Copies: &respell.Copies{Unlisted: traits.Unlisted}, Dialect: tree},
	dbms.OpaqueConditions(tree),
	set("row-by-row", "tidb_enable_vectorized_expression = OFF"),
	set("small-chunks", "tidb_init_chunk_size = 1", "tidb_max_chunk_size = 32"),
	set("moved-aggregates", "tidb_opt_agg_push_down = ON", "tidb_opt_distinct_agg_push_down = ON"),
	set("no-rewrites", "tidb_enable_outer_join_reorder = OFF", "tidb_enable_index_merge = OFF",
		"tidb_opt_insubq_to_join_and_agg = OFF"),
}

// lateKeys is TiDB's own default: an optimistic transaction looks for duplicate keys when it commits (docs.pingcap.com,
// System Variables, tidb_constraint_check_in_place).
var lateKeys = dbms.PlanSetting{Name: "late-keys", LateKeys: true,
	Set:   []string{"SET SESSION tidb_constraint_check_in_place = OFF"},
	Unset: []string{"SET SESSION tidb_constraint_check_in_place = ON"}}

// set is a plan setting of variables of the session, each as it is set.
func set(name string, variables ...string) dbms.PlanSetting {
	s := dbms.PlanSetting{Name: name}
	for _, v := range variables {
		variable, _, _ := strings.Cut(v, " = ")
		s.Set = append(s.Set, "SET SESSION "+v)
		s.Unset = append(s.Unset, "SET SESSION "+variable+" = DEFAULT")
	}
	return s
}

// Levels are TiDB's levels.
func Levels() []*dbms.Profile {
	rr := level("repeatable-read", "pessimistic", "REPEATABLE READ")
	rr.Transactions.OtherBegin = "OPTIMISTIC"
	rr.TableChanges.Told = dbms.AloneUntold // it is optimistic, and meets their locks when it commits
	rr.Guarantees.Mechanisms = dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtBegin,
		DMLView:         dbms.Current,
		MutualExclusion: true, RowLocks: true}
	rr.ReadModes.SelectView, rr.ReadModes.Observer = dbms.Snapshot, dbms.CommittedObserver
	rr.ReadModes.Before = dbms.LockingDeleteRead
	rr.ReadModes.MixedSubqueries = true     // measured on 6.1 to 8.5
	rr.ReadModes.Mixing = dbms.ByPrimaryKey // https://github.com/pingcap/tidb/issues/51211
	rr.Guarantees.Forbidden = dbms.ForbidRepeatable

	// A pessimistic transaction learns of conflicts by waiting (docs.pingcap.com, TiDB Pessimistic Transaction Mode).
	rr.Errors.AtCommit = []int{9007}

	rc := level("read-committed", "pessimistic", "READ COMMITTED")
	rc.Transactions.OtherBegin = "OPTIMISTIC"
	rc.TableChanges.Told = dbms.AloneUntold
	rc.Guarantees.Mechanisms = dbms.ReadCommitted
	rc.RowLocks = true
	rc.ReadModes.SelectView, rc.ReadModes.Observer = dbms.Current, dbms.CommittedObserver
	rc.ReadModes.Before = dbms.NoBeforeRead
	rc.Guarantees.Forbidden = dbms.ForbidCommitted
	rc.Errors.AtCommit = []int{9007}

	optimistic := level("optimistic", "optimistic", "REPEATABLE READ")
	optimistic.Transactions.OtherBegin = "PESSIMISTIC"
	optimistic.Guarantees.Mechanisms = percolator
	optimistic.Guarantees.Source += "; docs.pingcap.com, TiDB Optimistic Transaction Model"
	optimistic.ReadModes.SelectView = dbms.Snapshot
	optimistic.ReadModes.Before = dbms.PlainBeforeRead
	optimistic.Guarantees.Forbidden = dbms.ForbidSnapshot
	optimistic.Variants.Plans = append(slices.Clone(plans), lateKeys)
	return []*dbms.Profile{rr, rc, optimistic}
}

// Known are levels of recorded traces that txweave does not run.
func Known() []*dbms.Profile {
	return []*dbms.Profile{{DBMS: "tidb", Isolation: "snapshot", Guarantees: dbms.Guarantees{Mechanisms: percolator,
		Source: source + "; Peng, Dabek: Large-scale Incremental Processing (Percolator), OSDI 2010",
	}}}
}
