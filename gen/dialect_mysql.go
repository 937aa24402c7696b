package gen

// mysql is the dialect of MySQL 8.0.31 and later.
//
// Left out: subqueries of UPDATE and DELETE that read the target (error 1093); LIMIT in IN, ANY, ALL and EXISTS
// subqueries (not supported); YEAR() (unsigned, so a later subtraction can be error 1690); TEXT indexes without a prefix (error 1170); MIN and MAX of dates in grouped queries (warning
// 1292 for '0000-00-00' when a temporary table groups them, none when an index does); INTERSECT and EXCEPT in
// derived tables and CTEs (MySQL 9.7.4 answers error 1030, 'Wrong index given to function', when such a CTE joins
// itself).
var mysql = &Dialect{
	Name:          "mysql",
	Types:         innodbTypes,
	PkeyType:      "BIGINT",
	TableSuffix:   " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
	UniqueDef:     "UNIQUE KEY %s (%s)",
	InlineShare:   60,
	TextPrefix:    "(8)",
	DoubleLit:     "%se0",
	DateLit:       "DATE '%s'",
	DatetimeLit:   "TIMESTAMP '%s'",
	Prefix:        "LEFT(%s, %d)",
	Functions:     innodbFunctions,
	If:            "IF",
	SetOps:        []string{"UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"},
	DerivedSetOps: []string{"UNION", "UNION ALL"},
	LockClauses:   []string{"FOR UPDATE", "LOCK IN SHARE MODE"},
	AvgFamilies:   []family{famInt, famDecimal},
	GroupExtrema:  []family{famInt, famDouble, famDecimal, famString},
	DMLLimit:      true,
	ReadOnlyShare: 8,
	Begin:         innodbBegin,
}

// innodbTypes are the column types that MySQL and MariaDB share.
var innodbTypes = [numKinds]string{
	kindInt: "INT", kindBigint: "BIGINT", kindDouble: "DOUBLE", kindDecimal: "DECIMAL(%d,%d)",
	kindVarchar: "VARCHAR(%d)", kindText: "TEXT", kindDate: "DATE", kindDatetime: "DATETIME",
}

// innodbFunctions are the functions that MySQL and MariaDB share.
var innodbFunctions = []function{
	{"CHAR_LENGTH(%s)", famInt, []family{famString}, most},
	{"LENGTH(%s)", famInt, []family{famString}, scaled(4)},
	{"INSTR(%s, 'a')", famInt, []family{famString}, most},
	{"SIGN(%s)", famInt, []family{famInt}, upTo(1)},
	{"LEAST(%s, %s)", famInt, []family{famInt, famInt}, most},
	{"GREATEST(%s, %s)", famInt, []family{famInt, famInt}, most},
	{"MONTH(%s)", famInt, []family{famDate}, upTo(12)},
	{"DAYOFMONTH(%s)", famInt, []family{famDatetime}, upTo(31)},
	{"HOUR(%s)", famInt, []family{famDatetime}, upTo(23)},
	{"DATEDIFF(%s, %s)", famInt, []family{famDate, famDate}, upTo(4e4)},
	{"DAYOFWEEK(%s)", famInt, []family{famDate}, upTo(7)},
	{"FLOOR(%s)", famInt, []family{famDecimal}, func(args []expr) float64 { return args[0].bound + 1 }},
	{"(%s DIV 3)", famInt, []family{famInt}, most},
	{"STRCMP(%s, %s)", famInt, []family{famString, famString}, upTo(1)},
	{"FIELD(%s, 'a', 'ab', 'b')", famInt, []family{famString}, upTo(3)},
	{"LOCATE('b', %s)", famInt, []family{famString}, most},
	{"LPAD(%s, 4, 'z')", famString, []family{famString}, upTo(4)},
	{"REPEAT(%s, 2)", famString, []family{famString}, scaled(2)},
	{"TRIM(LEADING 'a' FROM %s)", famString, []family{famString}, most},
	{"CONCAT_WS('0', %s, %s)", famString, []family{famString, famString}, func(args []expr) float64 { return sum(args) + 1 }},
	{"LEFT(%s, 2)", famString, []family{famString}, most},
	{"RIGHT(%s, 2)", famString, []family{famString}, most},
	{"SUBSTR(%s, 2, 3)", famString, []family{famString}, most},
	{"REVERSE(%s)", famString, []family{famString}, most},
	{"REPLACE(%s, 'a', 'b')", famString, []family{famString}, most},
	{"CONCAT(%s, %s)", famString, []family{famString, famString}, sum},
	{"UPPER(%s)", famString, []family{famString}, most},
	{"ASCII(%s)", famInt, []family{famString}, upTo(255)},
	{"CAST(CRC32(%s) AS SIGNED)", famInt, []family{famString}, upTo(5e9)},
	{"CAST((%s & %s) AS SIGNED)", famInt, []family{famInt, famInt}, bits},
	{"CAST((%s | %s) AS SIGNED)", famInt, []family{famInt, famInt}, bits},
	{"CAST((%s ^ %s) AS SIGNED)", famInt, []family{famInt, famInt}, bits},
	{"CEIL(%s)", famInt, []family{famDecimal}, func(args []expr) float64 { return args[0].bound + 1 }},
	{"DAYOFYEAR(%s)", famInt, []family{famDate}, upTo(366)},
	{"LAST_DAY(%s)", famDate, []family{famDate}, upTo(0)},
	{"DATE(%s)", famDate, []family{famDatetime}, upTo(0)},
}

// innodbBegin opens a transaction; WITH CONSISTENT SNAPSHOT only where the isolation level has a snapshot per
// transaction, elsewhere the server ignores it with a warning.
func innodbBegin(g *generator, _ bool) string {
	snapshot := g.o.Isolation == "repeatable-read" || g.o.Isolation == "snapshot"
	switch n := g.rng.IntN(100); {
	case n < 55:
		return "BEGIN"
	case n < 85 || !snapshot:
		return "START TRANSACTION"
	default:
		return "START TRANSACTION WITH CONSISTENT SNAPSHOT"
	}
}
