package innodb

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
