// Package postgresql is PostgreSQL.
package postgresql

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/dbms/postgresql/dialect"
	sqltree "txweave/sql"
	"txweave/sql/respell"
	"txweave/sql/sqltext"
)

const source = "Ports, Grittner: Serializable Snapshot Isolation in PostgreSQL, VLDB 2012; postgresql.org/docs, Transaction Isolation"

// Levels are PostgreSQL's levels, as 15 to 18 behave (measured). Every statement, DML and its subqueries included,
// reads a snapshot: its own at READ COMMITTED, its transaction's above. What a statement that waited at READ COMMITTED
// reads is a mixture: the row that it waited for as it is now, all else as its snapshot has it.
func Levels() []*dbms.Profile {
	rc := level("read-committed", "READ COMMITTED")
	rc.Guarantees.Mechanisms, rc.ReadModes.StatementSnapshots = dbms.ReadCommitted, true
	rc.RowLocks, rc.DeletedGone, rc.Guarantees.Mechanisms.Prepared = true, true, dbms.PreparedKeeps
	// foreign keys are checked against what is committed by then, and own rows
	rc.Guarantees.Forbidden, rc.ReadModes.DeferredSeen = dbms.ForbidCommitted, true

	rr := level("repeatable-read", "REPEATABLE READ")
	rr.Guarantees.Mechanisms = snapshotIsolation
	rr.Guarantees.Forbidden = dbms.ForbidSnapshot

	// Reads in the transaction would be part of its conflicts.
	ser := level("serializable", "SERIALIZABLE")
	ser.Guarantees.Mechanisms = snapshotIsolation
	ser.Certifier, ser.Serializable = dbms.SSI, true
	ser.Guarantees.Forbidden = dbms.ForbidSerialSnapshot
	ser.ReadModes.Before = dbms.NoBeforeRead
	ser.ReadModes.Observer = dbms.SnapshotObserver
	ser.Errors.Deferred = stateCode("40001")
	return []*dbms.Profile{rc, rr, ser}
}

func level(isolation, name string) *dbms.Profile {
	setup := []string{"SET default_transaction_isolation = '" + name + "'"}
	return &dbms.Profile{
		DBMS:      "postgresql",
		Product:   "PostgreSQL",
		Isolation: isolation,
		Guarantees: dbms.Guarantees{
			Source: source,
		},
		Sessions: dbms.Sessions{
			Setup: setup,
			Level: setup,
			WaitLimits: []dbms.WaitLimit{{Setting: "lock_timeout", Set: "SET lock_timeout = '10s'", Unit: time.Millisecond},
				{Setting: "statement_timeout", Unit: time.Millisecond}},
			Silences: []string{"idle_in_transaction_session_timeout", "idle_session_timeout", "transaction_timeout"},
			NoWait:   []string{"SET lock_timeout = 1"},
		},
		ReadModes: dbms.ReadModes{
			SelectView: dbms.Snapshot,
			Before:     dbms.PlainBeforeRead,
		},
		Writes: dbms.Writes{
			CountsMatched: true,
			AsRowsLie:     asRowsLie,
			Untold:        untold,
		},
		Transactions: dbms.Transactions{
			SavepointsHide: true,
			// postgresql.org/docs, 13.3.4; so many ms after a wait began
			SeesDeadlocks: "SELECT (setting::int < 2000)::int FROM pg_settings WHERE name = 'deadlock_timeout'",
			Loss:          dbms.ErrorsEnd,
		},
		Order: dbms.WriteAheadLog,
		Errors: dbms.Errors{
			NoSavepoint:     "does not exist",
			Classes:         errorClasses,
			ReadOnlyRefused: stateCode("25006"),
			Impossible:      impossible,
			NoTable:         dbms.ErrorSet{Codes: []int{noTable}},
			Malformed:       malformed,
			Duplicate:       []int{stateCode("23505"), stateCode("23P01")}, // exclusion_violation, too

			DuplicateKey: duplicateKey,
			ForeignKey:   []int{stateCode("23503")},
		},
		Variants: dbms.Variants{
			Plans:  plans,
			Stores: stores,
		},
		Tree: tree,
		TableChanges: dbms.TableChanges{
			TruncateSeen: true,               // postgresql.org/docs, Caveats of concurrency control
			Told:         dbms.ChangesUntold, // who waits to have a table alone keeps all others from it

			SharedChanges: true,
			Hurry:         []string{"SET lock_timeout = 20", "SET lock_timeout = 0"},
		},
	}
}

// asRowsLie: an UPDATE comes to rows as they lie, and looks for the new key of each among those that rows have by then.
// A key that one of them gets another one may still have (postgresql.org/docs, CREATE TABLE, Non-Deferred Uniqueness
// Constraints).
func asRowsLie(write *sqltext.Analysis, rows int64) bool {
	return write.Kind == sqltext.Update && write.ChecksUnique && rows > 1
}

// untold says why a write returns no rows.
func untold(stmt sqltree.Stmt) error {
	if _, merges := stmt.(*sqltree.Merge); merges {
		return errors.New("MERGE returns no rows before PostgreSQL 17")
	}
	return nil
}

// detail is the end of a message of the class that integrity constraints have (23): "Key (a, b)=(1, x) already
// exists.", in whatever language, as dbError adds it.
var detail = regexp.MustCompile(`(?s)\(\S+ \(([a-z_][a-z_0-9]*(?:, [a-z_][a-z_0-9]*)*)\)=\((.*)\) [^()=]*\)$`)

func duplicateKey(message string) (columns []string, values string) {
	m := detail.FindStringSubmatch(message)
	if m == nil {
		return nil, ""
	}
	return strings.Split(m[1], ", "), m[2]
}

// snapshotIsolation is what REPEATABLE READ is: the first statement takes the snapshot, and who would overwrite what is
// newer fails.
var snapshotIsolation = dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtFirstStatement,
	DMLView:         dbms.Snapshot,
	MutualExclusion: true, Prepared: dbms.PreparedKeeps, RowLocks: true, FirstUpdaterWins: true, KeysReborn: true}

// errorClasses are the errors that do not come from a statement and its data alone. Any error ends the transaction:
// what follows is answered with 25P02 until it is rolled back, at least to a savepoint.
var errorClasses = classes(map[dbms.ErrorClass][]string{
	dbms.TxnLost: {"40001", "40P01", undone}, // serialization_failure, deadlock_detected
	// in_failed_sql_transaction, lock_not_available
	dbms.StatementLost: {"25P02", "55P03"},
	dbms.Environment: {"57014", "57P01", "57P02", "57P03", "57P04", "57P05", // query_canceled, shutdowns
		"53000", "53100", "53200", "53300", "53400", // resources
		"58000", "58030", "58P01", "58P02", // system_error, io_error
		"25006", "25P03", "42501", "54000", "54001", "54011", "54023"}, // read only, not permitted, limits
})

func classes(of map[dbms.ErrorClass][]string) map[int]dbms.ErrorClass {
	out := map[int]dbms.ErrorClass{}
	for class, states := range of {
		for _, s := range states {
			out[stateCode(s)] = class
		}
	}
	return out
}

// impossible are the errors that no statement causes: internal_error, data_corrupted, index_corrupted, undefined_table.
var impossible = dbms.ErrorSet{Codes: []int{stateCode("XX000"), stateCode("XX001"), stateCode("XX002"), noTable}}

var noTable = stateCode("42P01")

// malformed are the errors of statements that run on no contents of the tables: syntax, columns, functions, aliases and
// types.
var malformed = func() (out dbms.ErrorSet) {
	for _, state := range strings.Fields("42601 42703 42883 42702 42701 42803 42804 42712 42725 42P10 42P18 42846 42809 " +
		"42704 42P20 42P09") {
		out.Codes = append(out.Codes, stateCode(state))
	}
	return out
}()

// tree is how its statements are read as trees, and printed.
var tree = dialect.New(dialect.Server{Version: 18})

// plans are ways to have PostgreSQL plan a statement otherwise (postgresql.org/docs, Planner Method Configuration).
var plans = []dbms.PlanSetting{
	{Name: "copies", Copies: &respell.Copies{Materialized: "MATERIALIZED", Unlisted: unlisted}, Dialect: tree},
	dbms.OpaqueConditions(tree),
	off("no-indexes", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"),
	off("no-scans", "enable_seqscan", "enable_sort"),
	off("no-hashes", "enable_hashjoin", "enable_hashagg", "enable_memoize"),
	off("no-loops", "enable_nestloop", "enable_material"),
	{Name: "as-written", Set: []string{"SET join_collapse_limit = 1; SET from_collapse_limit = 1"},
		Unset: []string{"RESET join_collapse_limit; RESET from_collapse_limit"}},
	{Name: "analyzed",
		Each: "SELECT 'VACUUM (FREEZE, ANALYZE) ' || quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND " +
			"relnamespace = 'public'::regnamespace"},
	parallel("parallel-leader", "SET max_parallel_workers = 0"), // whose process does what its workers would
	rarely(parallel("parallel", "RESET max_parallel_workers")),
	{Name: "parameters", Prepared: true, Parameters: &dbms.Parameters{Mark: func(n int) string {
		return fmt.Sprint("$", n)
	}, AsText: executed}, Dialect: tree,
		Set: []string{"SET plan_cache_mode = force_generic_plan"}, Unset: []string{"DEALLOCATE ALL; RESET plan_cache_mode"}},
}

// executed are the statements by which a statement is prepared and executed with values. Its parameters are of the
// types that the values have as literals (postgresql.org/docs, Constants): of an integer the smallest that holds it, of
// a text what its place asks for.
func executed(text string, values []*sqltree.Literal) (prepare, execute, forget string) {
	types, given := make([]string, len(values)), make([]string, len(values))
	for i, v := range values {
		types[i], given[i] = "unknown", v.Text
		if v.Kind == sqltree.Number {
			types[i] = "int8"
			if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n <= math.MaxInt32 {
				types[i] = "int4"
			}
		}
	}
	return "PREPARE txweave (" + strings.Join(types, ", ") + ") AS " + text, "EXECUTE txweave (" + strings.Join(given,
		", ") + ")", "DEALLOCATE txweave"
}

// stores have transactions reach a few rows by indexes, or by bitmaps of them, where the planner would read the table:
// what they lock for SERIALIZABLE (SIREAD) is then parts of an index and single rows, and rows are found that an index
// knows by several versions. A table without dead rows whose pages are marked as seen by all is read from its indexes
// alone, until somebody writes.
var stores = []dbms.StoreShape{
	{Name: "indexes", Set: []string{"SET enable_seqscan = off", "SET enable_bitmapscan = off"}},
	{Name: "bitmaps", Set: []string{"SET enable_seqscan = off", "SET enable_indexscan = off",
		"SET enable_indexonlyscan = off"}},
	{Name: "frozen", Set: []string{"SET enable_seqscan = off", "SET enable_bitmapscan = off"},
		Upkeep: "VACUUM (FREEZE, ANALYZE) %s"},
}

// parallel is the setting under which each query is planned for several processes. Several settings go in one message,
// as they cost a session of each transaction a round trip.
func parallel(name, workers string) dbms.PlanSetting {
	const debug = "SELECT set_config(name, '%s', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"
	return dbms.PlanSetting{Name: name,
		Set: []string{fmt.Sprintf(debug, "on"),
			"SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; " +
				"SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; " + workers},
		Unset: []string{fmt.Sprintf(debug, "off"),
			"SET max_parallel_workers_per_gather = 0; RESET parallel_setup_cost; RESET parallel_tuple_cost; " +
				"RESET min_parallel_table_scan_size; RESET min_parallel_index_scan_size; RESET max_parallel_workers"}}
}

// rarely is a setting under which a case costs ten times as much: each query starts processes.
func rarely(s dbms.PlanSetting) dbms.PlanSetting {
	s.Rare = 16
	return s
}

// off is a plan setting of the planner's switches.
func off(name string, switches ...string) dbms.PlanSetting {
	return dbms.PlanSetting{Name: name, Set: []string{"SET " + strings.Join(switches, " = off; SET ") + " = off"},
		Unset: []string{"RESET " + strings.Join(switches, "; RESET ")}}
}

// Known are PostgreSQL's levels.
func Known() []*dbms.Profile {
	return Like("postgresql", source)
}

// Like are the levels of a DBMS that promises what PostgreSQL does: DML reads the transaction's snapshot at SI and SR,
// current rows at READ COMMITTED.
func Like(name, source string) []*dbms.Profile {
	si := snapshotIsolation
	sr := si
	sr.Certifier, sr.Serializable = dbms.SSI, true
	known := func(isolation string, m dbms.Mechanisms) *dbms.Profile {
		return &dbms.Profile{DBMS: name, Isolation: isolation, Guarantees: dbms.Guarantees{Source: source, Mechanisms: m}}
	}
	return []*dbms.Profile{known("serializable", sr), known("snapshot", si), known("read-committed", dbms.ReadCommitted)}
}
