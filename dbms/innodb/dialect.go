package innodb

import (
	"fmt"
	"strings"

	"txweave/dbms/mysql/dialect/opinion"
	"txweave/gen"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// Traits are those of MySQL's family. A full-text index takes in what a transaction wrote when that commits
// (dev.mysql.com/doc/refman, InnoDB Full-Text Indexes, Full-Text Index Transaction Handling).
var Traits = sqltext.Traits{CopyLocks: true, Commits: commits, LateSearch: true,
	Schemas: []string{"mysql", "information_schema", "performance_schema", "sys"}}

// commits says whether a statement commits the transaction that is open (dev.mysql.com/doc/refman, Statements That
// Cause an Implicit Commit; mariadb.com/kb, SQL statements That Cause an Implicit Commit; docs.pingcap.com/tidb,
// Transactions, Implicit commit). What makes and drops temporary tables does not.
func commits(stmt sql.Stmt, kind sqltext.Kind) bool {
	switch n := stmt.(type) {
	case *sql.CreateTable:
		return !n.Temp
	case *sql.Drop:
		return !n.Temp
	case *sql.Sequence:
		return !n.Temp
	case *sql.Maintain: // of tables: ANALYZE, CHECK, OPTIMIZE, REPAIR, FLUSH
		return true
	}
	return kind == sqltext.Lock || kind >= sqltext.Create && kind < sqltext.Other
}

// Quoting is that of MySQL's family with the default sql_mode (dev.mysql.com/doc/refman, String Literals; Comments).
var Quoting = sqltext.Quoting{Backslash: true, Hash: true, SpacedDashes: true, Executable: true, Backquotes: true}

// Admission is what a case of MySQL's family may hold.
var Admission = sqltext.Admission{Token: token, Chain: true, Framed: true,
	Engines:      []string{"innodb", "rocksdb", "tokudb", "xtradb"},
	LooseEngines: []string{"myisam", "aria", "memory", "heap", "archive", "csv", "blackhole"},
	HintSettings: strings.Fields(
		"optimizer_switch optimizer_search_depth optimizer_prune_level eq_range_index_dive_limit max_seeks_for_key"),
	Reading: sqltext.ReadingSettings{Words: map[string][]string{"sql_mode": plainModes},
		Charsets: []string{"character_set_client", "character_set_connection", "collation_connection"}}}

// plainModes are the parts of sql_mode that leave alone how statements are read: all but NO_BACKSLASH_ESCAPES,
// ANSI_QUOTES and those that stand for several (ANSI, ORACLE, MSSQL, DB2, POSTGRESQL, MAXDB), of which ORACLE has
// another grammar too (dev.mysql.com/doc/refman, Server SQL Modes; mariadb.com/kb, SQL_MODE).
var plainModes = strings.Fields(
	`only_full_group_by strict_trans_tables strict_all_tables error_for_division_by_zero no_engine_substitution
	no_zero_date no_zero_in_date no_auto_value_on_zero no_auto_create_user no_unsigned_subtraction pad_char_to_full_length pipes_as_concat
	ignore_space high_not_precedence real_as_float traditional allow_invalid_dates time_truncate_fractional time_round_fractional
	simultaneous_assignment empty_string_is_null no_dir_in_create`)

// Idle are the settings of a server that change no answer.
var Idle = strings.Fields(
	`*_size *_capacity *wait_timeout *read_timeout *write_timeout *connect_timeout *interactive_timeout max_* table_open_*
	performance_schema skip_n* local_infile mysqlx* *_port port socket *doublewrite* *_at_trx_commit sync_binlog server_id source_id
	log_error* slow_query* general_log* *_threads report_* version_comment *_version isolation?level transaction_isolation tx_isolation
	*_enable_auto_analyze innodb_stats_auto_recalc secure_file* pid_file tmpdir datadir lc_* log_*`)

// token refuses what only some of the servers read as a name: of MySQL 9 $tag$ begins a literal.
func token(tokens []sqltext.Token, at int, _ bool) error {
	if t := tokens[at]; t.Kind == sqltext.Word && t.Text[0] == '$' {
		return fmt.Errorf("%q: a name that begins with a dollar sign", t.Text)
	}
	return nil
}

// Doubt returns what says in what a second reader differs from a dialect of MySQL's family.
func Doubt(d *sql.Dialect) func(text string) error {
	return func(text string) error { return opinion.Doubt(d, text) }
}

// DropTemporary is what there commits no transaction, as DROP TABLE does.
const DropTemporary = "DROP TEMPORARY TABLE %s"

// Dialect is what MySQL 8.0.31 and later accept; MariaDB and TiDB begin with it.
//
// Left out: subqueries of UPDATE and DELETE that read the target (error 1093); LIMIT in IN, ANY, ALL and EXISTS
// subqueries (not supported); YEAR() (unsigned, so a later subtraction can be error 1690); TEXT indexes without a
// prefix (error 1170); MIN and MAX of dates in grouped queries (warning 1292 for '0000-00-00' when a temporary table
// groups them, none when an index does); INTERSECT and EXCEPT in derived tables and CTEs (MySQL 9.7.4 answers error
// 1030, 'Wrong index given to function', when such a CTE joins itself).
var Dialect = &gen.Dialect{
	TableForms: gen.TableForms{
		Types:       Types,
		PkeyType:    "BIGINT",
		TableSuffix: " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
		UniqueKeys:  true,
		InlineShare: 60,
		TextPrefix:  "(8)",
		RowByRow:    true,
		Specials:    Specials,
		CountedKey:  true,
		Filler:      "CHAR(255) CHARACTER SET latin1 NOT NULL DEFAULT ''",
		RowFormats:  []string{"COMPACT", "REDUNDANT", "DYNAMIC", "COMPRESSED"},
	},
	ExprForms: gen.ExprForms{
		DoubleLit:    "%se0",
		DateLit:      "DATE '%s'",
		DatetimeLit:  "TIMESTAMP '%s'",
		Prefix:       "LEFT(%s, %s)",
		Functions:    Functions,
		If:           "IF(%s, %s, %s)",
		Truth:        "(%s)",
		Coalesce:     []string{"COALESCE", "IFNULL"},
		AvgFamilies:  []gen.Family{gen.FamInt, gen.FamDecimal},
		GroupExtrema: []gen.Family{gen.FamInt, gen.FamDouble, gen.FamDecimal, gen.FamString},
		Quotient:     "(%s DIV %s)",
		CastInt:      "SIGNED",
	},
	QueryForms: gen.QueryForms{
		SetOps:        []string{"UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"},
		DerivedSetOps: []string{"UNION", "UNION ALL"},
		LockClauses:   []string{"UPDATE", "SHARE MODE"},
		LockWaits:     []string{"UPDATE"},
		SelectOptions: []string{"SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "STRAIGHT_JOIN"},
		ScratchAlone:  true,
	},
	WriteForms: gen.WriteForms{
		DMLLimit:  true,
		Duplicate: true,
	},
	TxnForms: gen.TxnForms{
		ReadOnlyShare: 8,
		GivesUp:       []string{"serializable", "snapshot"},
		Begin:         Begin,
		Disconnect:    "KILL CONNECTION_ID()",
		OwnLevels:     []string{"read-uncommitted", "read-committed", "repeatable-read", "serializable"},
	},
	Capabilities: gen.Capabilities{
		Has: Has(),
	},
	DDL: gen.Redefinitions{
		AddIndex: []string{"CREATE INDEX {name} ON {table} ({columns})", "ALTER TABLE {table} ADD INDEX {name} ({columns})",
			"ALTER TABLE {table} ADD INDEX {name} ({columns}), ALGORITHM = COPY"},
		DropIndex: []string{"DROP INDEX {name} ON {table}", "ALTER TABLE {table} DROP INDEX {name}"},
		AddColumn: []string{"ALTER TABLE {table} ADD COLUMN {name} INT",
			"ALTER TABLE {table} ADD COLUMN {name} VARCHAR(9) NOT NULL DEFAULT 'x'",
			"ALTER TABLE {table} ADD COLUMN {name} INT DEFAULT 7 FIRST"},
		DropColumn: []string{"ALTER TABLE {table} DROP COLUMN {name}", "ALTER TABLE {table} DROP COLUMN {name}, FORCE"},
		Rebuild: []string{"ALTER TABLE {table} FORCE", "OPTIMIZE TABLE {table}", "ALTER TABLE {table} ENGINE = InnoDB",
			"ALTER TABLE {table} FORCE, ALGORITHM = COPY"},
		Analyze:   []string{"ANALYZE TABLE {table}"},
		AddTable:  []string{"CREATE TABLE {name} LIKE {table}", "CREATE TABLE {name} (a INT) ENGINE = InnoDB"},
		DropTable: []string{"DROP TABLE {name}"},
		Flush:     []string{"FLUSH TABLES {table}"},
		Partition: []string{"ALTER TABLE {table} REBUILD PARTITION ALL", "ALTER TABLE {table} OPTIMIZE PARTITION ALL",
			"ALTER TABLE {table} ANALYZE PARTITION ALL",
			"ALTER TABLE {table} CHECK PARTITION ALL"},
		Hashed: []string{"ALTER TABLE {table} ADD PARTITION PARTITIONS 1", "ALTER TABLE {table} COALESCE PARTITION 1",
			"ALTER TABLE {table} REBUILD PARTITION p0"},
		Truncate: []string{"TRUNCATE TABLE {table}"},
		Rename:   []string{"RENAME TABLE {table} TO {name}, {name} TO {table}"},
	},
}

// Types are the column types that MySQL and MariaDB share.
var Types = [gen.NumKinds]string{
	gen.KindInt: "INT", gen.KindBigint: "BIGINT", gen.KindDouble: "DOUBLE", gen.KindDecimal: "DECIMAL(%d,%d)",
	gen.KindVarchar: "VARCHAR(%d)", gen.KindText: "TEXT", gen.KindDate: "DATE", gen.KindDatetime: "DATETIME",
}

// Functions are the functions that MySQL and MariaDB share.
var Functions = []gen.Function{
	gen.Func("CHAR_LENGTH(%s)", gen.FamInt, gen.Most, gen.FamString),
	gen.Func("LENGTH(%s)", gen.FamInt, gen.Scaled(4), gen.FamString),
	gen.Func("INSTR(%s, 'a')", gen.FamInt, gen.Most, gen.FamString),
	gen.Func("SIGN(%s)", gen.FamInt, gen.UpTo(1), gen.FamInt),
	gen.Func("LEAST(%s, %s)", gen.FamInt, gen.Most, gen.FamInt, gen.FamInt),
	gen.Func("GREATEST(%s, %s)", gen.FamInt, gen.Most, gen.FamInt, gen.FamInt),
	gen.Func("MONTH(%s)", gen.FamInt, gen.UpTo(12), gen.FamDate),
	gen.Func("DAYOFMONTH(%s)", gen.FamInt, gen.UpTo(31), gen.FamDatetime),
	gen.Func("HOUR(%s)", gen.FamInt, gen.UpTo(23), gen.FamDatetime),
	gen.Func("DATEDIFF(%s, %s)", gen.FamInt, gen.UpTo(4e4), gen.FamDate, gen.FamDate),
	gen.Func("DAYOFWEEK(%s)", gen.FamInt, gen.UpTo(7), gen.FamDate),
	gen.Func("FLOOR(%s)", gen.FamInt, gen.Plus(1), gen.FamDecimal),
	gen.Func("(%s DIV 3)", gen.FamInt, gen.Most, gen.FamInt),
	gen.Func("STRCMP(%s, %s)", gen.FamInt, gen.UpTo(1), gen.FamString, gen.FamString),
	gen.Func("FIELD(%s, 'a', 'ab', 'b')", gen.FamInt, gen.UpTo(3), gen.FamString),
	gen.Func("LOCATE('b', %s)", gen.FamInt, gen.Most, gen.FamString),
	gen.Func("LPAD(%s, 4, 'z')", gen.FamString, gen.UpTo(4), gen.FamString),
	gen.Func("REPEAT(%s, 2)", gen.FamString, gen.Scaled(2), gen.FamString),
	gen.Func("TRIM(LEADING 'a' FROM %s)", gen.FamString, gen.Most, gen.FamString),
	gen.Func("CONCAT_WS('0', %s, %s)", gen.FamString, gen.Plus(1), gen.FamString, gen.FamString),
	gen.Func("LEFT(%s, 2)", gen.FamString, gen.Most, gen.FamString),
	gen.Func("RIGHT(%s, 2)", gen.FamString, gen.Most, gen.FamString),
	gen.Func("SUBSTR(%s, 2, 3)", gen.FamString, gen.Most, gen.FamString),
	gen.Func("REVERSE(%s)", gen.FamString, gen.Most, gen.FamString),
	gen.Func("REPLACE(%s, 'a', 'b')", gen.FamString, gen.Most, gen.FamString),
	gen.Func("CONCAT(%s, %s)", gen.FamString, gen.Sum, gen.FamString, gen.FamString),
	gen.Func("UPPER(%s)", gen.FamString, gen.Most, gen.FamString),
	gen.Func("ASCII(%s)", gen.FamInt, gen.UpTo(255), gen.FamString),
	gen.Func("CAST(CRC32(%s) AS SIGNED)", gen.FamInt, gen.UpTo(5e9), gen.FamString),
	gen.Func("CAST((%s & %s) AS SIGNED)", gen.FamInt, gen.Bits, gen.FamInt, gen.FamInt),
	gen.Func("CAST((%s | %s) AS SIGNED)", gen.FamInt, gen.Bits, gen.FamInt, gen.FamInt),
	gen.Func("CAST((%s ^ %s) AS SIGNED)", gen.FamInt, gen.Bits, gen.FamInt, gen.FamInt),
	gen.Func("CEIL(%s)", gen.FamInt, gen.Plus(1), gen.FamDecimal),
	gen.Func("DAYOFYEAR(%s)", gen.FamInt, gen.UpTo(366), gen.FamDate),
	gen.Func("LAST_DAY(%s)", gen.FamDate, gen.UpTo(0), gen.FamDate),
	gen.Func("DATE(%s)", gen.FamDate, gen.UpTo(0), gen.FamDatetime),
}

// Begin opens a transaction; WITH CONSISTENT SNAPSHOT only where the isolation level has a snapshot per transaction,
// elsewhere the server ignores it with a warning.
func Begin(below func(n int) int, isolation string, _ bool) string {
	snapshot := isolation == "repeatable-read" || isolation == "snapshot"
	switch n := below(100); {
	case n < 55:
		return "BEGIN"
	case n < 85 || !snapshot:
		return "START TRANSACTION"
	default:
		return "START TRANSACTION WITH CONSISTENT SNAPSHOT"
	}
}
