package export

// dialect is what the formats need to know of a DBMS.
type dialect struct {
	name string
	// session is sent on every connection before what the level wants.
	session []string
	// waits is a query, in two halves, for how many sessions wait for a lock; "" where there is none. It must not be
	// one that the server caches.
	waits [2]string
	// mtrHead are the first lines of an mtr test.
	mtrHead []string
	// locks says that GET_LOCK and RELEASE_LOCK exist: session scripts then keep each other's pace.
	locks bool
	// retries says that a statement which would wait is refused and has to be sent again.
	retries bool
	// driver of database/sql: import path and name.
	goImport, goDriver string
}

// dialects are the DBMSs that are known by name. The first is what an unknown one is taken for.
var dialects = []*dialect{
	{
		name:     "mysql",
		session:  []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
		waits:    [2]string{"VARIABLE_VALUE", "performance_schema.global_status WHERE VARIABLE_NAME = 'Innodb_row_lock_current_waits'"},
		locks:    true,
		goImport: "github.com/go-sql-driver/mysql", goDriver: "mysql",
	},
	{
		name:     "mariadb",
		session:  []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
		waits:    [2]string{"VARIABLE_VALUE", "information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"},
		mtrHead:  []string{"--source include/have_innodb.inc", "SET default_storage_engine = InnoDB;"},
		locks:    true,
		goImport: "github.com/go-sql-driver/mysql", goDriver: "mysql",
	},
	{
		name:     "tidb",
		session:  []string{"SET NAMES utf8mb4 COLLATE utf8mb4_bin"},
		waits:    [2]string{"COUNT(*)", "information_schema.tidb_trx WHERE state = 'LockWaiting'"},
		goImport: "github.com/go-sql-driver/mysql", goDriver: "mysql",
	},
	{
		name:     "sqlite",
		retries:  true,
		goImport: "modernc.org/sqlite", goDriver: "sqlite",
	},
	{
		name:     "postgresql",
		waits:    [2]string{"COUNT(*)", "pg_stat_activity WHERE wait_event_type = 'Lock'"},
		goImport: "github.com/jackc/pgx/v5/stdlib", goDriver: "pgx",
	},
}

func dialectOf(name string) *dialect {
	for _, d := range dialects {
		if d.name == name {
			return d
		}
	}
	return dialects[0]
}

// specLevels are the levels as PostgreSQL spells them.
var specLevels = map[string]string{
	"read-uncommitted": "read uncommitted", "read-committed": "read committed", "repeatable-read": "repeatable read",
	"snapshot": "repeatable read", "serializable": "serializable",
}

// errorNames are the names that mysqltest and its readers use for the usual error codes.
var errorNames = map[int]string{
	1020: "ER_CHECKREAD", 1048: "ER_BAD_NULL_ERROR", 1062: "ER_DUP_ENTRY", 1205: "ER_LOCK_WAIT_TIMEOUT",
	1213: "ER_LOCK_DEADLOCK", 1242: "ER_SUBQUERY_NO_1_ROW", 1264: "ER_WARN_DATA_OUT_OF_RANGE", 1292: "ER_TRUNCATED_WRONG_VALUE",
	1364: "ER_NO_DEFAULT_FOR_FIELD", 1366: "ER_TRUNCATED_WRONG_VALUE_FOR_FIELD", 1406: "ER_DATA_TOO_LONG",
	1451: "ER_ROW_IS_REFERENCED_2", 1452: "ER_NO_REFERENCED_ROW_2", 1690: "ER_DATA_OUT_OF_RANGE",
}
