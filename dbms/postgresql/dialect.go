package postgresql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/gen"
	sqltree "txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// Syntax is that of the SQL standard. Names in brackets there are none, nor are there arrays in what a case may hold.
var Syntax = &sqltext.Syntax{
	Quoting: quoting, Tree: tree, Functions: functions.By("p"), Traits: traits, Admission: admission,
	DropTemporary: "DROP TABLE pg_temp.%s",
	Settings:      sessionSettings,
	Idle:          idle,
}

// quoting is its rule with standard_conforming_strings, which is the default (postgresql.org/docs, Lexical Structure).
var quoting = sqltext.Quoting{EscapeTexts: true, Dollars: true, Nested: true, ReturnEnds: true}

// idle are the settings of a server that change no answer.
var idle = strings.Fields(
	`*_size max_* *_port port *wait_timeout *read_timeout *write_timeout *connect_timeout *_version isolation?level
	transaction_isolation default_transaction_isolation lc_* log_* logging_* listen_addresses unix_socket* shared_buffers dynamic_shared*
	restart_after_crash default_text_search* fsync full_page_writes synchronous_commit wal_level track_commit_timestamp deadlock_timeout
	min_wal_size TimeZone DateStyle`)

// sessionSettings are the parameters of a session that a case may change (postgresql.org/docs, Query Planning; Resource
// Consumption).
var sessionSettings = strings.Fields(
	`enable_* geqo* join_collapse_limit from_collapse_limit plan_cache_mode constraint_exclusion cursor_tuple_fraction
	recursive_worktable_factor default_statistics_target seq_page_cost random_page_cost cpu_tuple_cost cpu_index_tuple_cost cpu_operator_cost
	parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size min_parallel_index_scan_size max_parallel_workers_per_gather
	max_parallel_workers parallel_leader_participation debug_parallel_query force_parallel_mode effective_cache_size work_mem hash_mem_multiplier
	jit jit_above_cost jit_inline_above_cost jit_optimize_above_cost jit_expressions jit_tuple_deforming`)

var traits = sqltext.Traits{KeysCompare: true, SetReturning: true, ExactQuotes: true, Refuse: refuse,
	FirstColumns: true, Places: places, Unlisted: unlisted, Catalogue: "pg_",
	Schemas: []string{"information_schema", "pg_catalog"}}

// moments are literals that are the time where they are taken for one (postgresql.org/docs, Special Date/Time Inputs).
var moments = []string{"now", "today", "tomorrow", "yesterday"}

// places are the columns that every table has which tell where a version of a row lies, and which transactions made it
// (postgresql.org/docs, System Columns).
var places = []string{"ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"}

// unlisted are these, and what older versions had.
var unlisted = append([]string{"oid"}, places...)

// refuse refuses what has another value at another time, or for the same contents.
func refuse(n sqltree.Node) error {
	text := ""
	switch x := n.(type) {
	case *sqltree.Literal:
		if x.Kind == sqltree.Text {
			text = x.Text
		}
	case *sqltree.TypedLiteral:
		text = x.Text
	case *sqltree.OnConflict:
		if x.Where != nil {
			return errors.New("ON CONFLICT is read without conditions")
		}
	case *sqltree.Column:
		if slices.Contains(places, strings.ToLower(x.Name.Value)) {
			return fmt.Errorf("%s: its value does not come from the rows' contents", x.Name.Value)
		}
	}
	if _, text, ok := strings.Cut(text, "'"); ok && slices.Contains(moments,
		strings.ToLower(strings.TrimSpace(strings.TrimSuffix(text, "'")))) {
		return fmt.Errorf("'%s: as a time its value does not come from the database's contents", text)
	}
	return nil
}

// specials are PostgreSQL's column types outside the generator's families.
var specials = []gen.Special{
	{Name: "smallint", Key: true, Decl: "SMALLINT", Read: "(%s + 0)", Family: gen.FamInt, Bound: 32768,
		Values: []string{"-32768", "0", "1", "5", "300", "32767"}, Bad: []string{"32768"}},
	{Name: "long-text", Decl: "TEXT", Read: "CONCAT(CHAR_LENGTH(%[1]s), LEFT(%[1]s, 2), RIGHT(%[1]s, 2))",
		Family: gen.FamString, Bound: 9,
		Values: gen.LongValues("REPEAT(%s, %d)"), Bare: true, Unindexed: true},
	{Name: "boolean", Decl: "BOOLEAN", Read: "CASE WHEN %s THEN 1 ELSE 0 END", Family: gen.FamInt, Bound: 1,
		Values: []string{"TRUE", "FALSE"}},
	{Name: "array", Decl: "INT[]", Read: "ARRAY_TO_STRING(%s, '.')", Family: gen.FamString, Bound: 10,
		Values: []string{"'{}'", "'{1}'", "'{1,2}'", "'{2,1,3}'", "'{NULL,1}'", "'{7,7,7,7}'"}, Bad: []string{"'{1'"}},
	{Name: "jsonb", Decl: "JSONB", Read: "JSONB_TYPEOF(%s)", Family: gen.FamString, Bound: 7,
		Values: []string{`'{"a": 1}'`, `'{"a": 2, "b": [1, 2]}'`, `'[1, 2]'`, `'3'`, `'"x"'`, `'null'`, `'true'`},
		Bad:    []string{`'{"a"'`}},
	{Name: "bytea", Key: true, Decl: "BYTEA", Read: "OCTET_LENGTH(%s)", Family: gen.FamInt, Bound: 20,
		Values: []string{"'a'", "'ab'", `'\x00'`, `'\x6100ff'`, "''", "'abcdefghij'"}, Bad: []string{`'\x0'`}},
	{Name: "range-type", Decl: "INT4RANGE", Read: "COALESCE(UPPER(%s), -1)", Family: gen.FamInt, Bound: 100,
		Values: []string{"'[1,5)'", "'[2,3)'", "'empty'", "'[4,)'", "'(,9)'", "'[1,100)'"}, Bad: []string{"'[5,1)'"}},
}

// Dialect is the dialect of PostgreSQL 15 and later.
//
// Left out: <=>, XOR, STRAIGHT_JOIN, numbers as truth values, ORDER BY … LIMIT in UPDATE and DELETE, IGNORE, index
// hints (no such syntax); conversions between texts and numbers (an operator is not there, or an error that ends the
// transaction), quotients and products that may fail in queries (the plan decides whether they do, and any error ends
// the transaction); texts in indexes by prefix. VACUUM leaves indexes and the end of the table alone: for these it
// waits until nobody looks at a page, or nobody uses the table, and no lock tells whom it waits for. TRUNCATE and what
// writes a table anew with another column leave nothing that an older snapshot could see (postgresql.org/docs, Caveats
// of Concurrency Control): they are for READ COMMITTED.
var Dialect = &gen.Dialect{
	Name: "postgresql", Tree: tree,
	TableForms: gen.TableForms{
		Types: [gen.NumKinds]string{
			gen.KindInt: "INT", gen.KindBigint: "BIGINT", gen.KindDouble: "DOUBLE PRECISION", gen.KindDecimal: "DECIMAL(%d,%d)",
			gen.KindVarchar: "VARCHAR(%d)", gen.KindText: "TEXT", gen.KindDate: "DATE", gen.KindDatetime: "TIMESTAMP",
		},
		PkeyType:  "BIGINT",
		PlainKey:  true,
		PkeyIndex: "_key", // the primary key's own is called t_pkey

		Sparse:   " WITH (fillfactor=10)",
		Specials: specials,
	},
	ExprForms: gen.ExprForms{
		DoubleLit:   "%se0",
		DateLit:     "DATE '%s'",
		DatetimeLit: "TIMESTAMP '%s'",
		Prefix:      "LEFT(%s, %s)",
		If:          "CASE WHEN %s THEN %s ELSE %s END",
		Truth:       "CASE WHEN %s THEN 1 ELSE 0 END",
		Coalesce:    []string{"COALESCE"},
		MaxInt:      2e9, // INT calculates in 32 bits, and out of range is an error

		NullSafe:     "%s IS NOT DISTINCT FROM %s",
		Distinct:     "%s IS DISTINCT FROM %s",
		AvgFamilies:  []gen.Family{gen.FamInt, gen.FamDecimal},
		GroupExtrema: gen.AllFamilies,
		Quotient:     "(%s / %s)",
		CastInt:      "BIGINT",
		Functions: []gen.Function{
			gen.Func("CHAR_LENGTH(%s)", gen.FamInt, gen.Most, gen.FamString),
			gen.Func("OCTET_LENGTH(%s)", gen.FamInt, gen.Scaled(4), gen.FamString),
			gen.Func("STRPOS(%s, 'a')", gen.FamInt, gen.Most, gen.FamString),
			gen.Func("ASCII(%s)", gen.FamInt, gen.UpTo(1114111), gen.FamString),
			gen.Func("LEAST(%s, %s)", gen.FamInt, gen.Most, gen.FamInt, gen.FamInt),
			gen.Func("GREATEST(%s, %s)", gen.FamInt, gen.Most, gen.FamInt, gen.FamInt),
			gen.Func("LPAD(%s, 4, 'z')", gen.FamString, gen.UpTo(4), gen.FamString),
			gen.Func("REPEAT(%s, 2)", gen.FamString, gen.Scaled(2), gen.FamString),
			gen.Func("LEFT(%s, 2)", gen.FamString, gen.Most, gen.FamString),
			gen.Func("RIGHT(%s, 2)", gen.FamString, gen.Most, gen.FamString),
			gen.Func("SUBSTR(%s, 2, 3)", gen.FamString, gen.Most, gen.FamString),
			gen.Func("REVERSE(%s)", gen.FamString, gen.Most, gen.FamString),
			gen.Func("REPLACE(%s, 'a', 'b')", gen.FamString, gen.Most, gen.FamString),
			gen.Func("(%s || %s)", gen.FamString, gen.Sum, gen.FamString, gen.FamString),
			gen.Func("CONCAT(%s, %s)", gen.FamString, gen.Sum, gen.FamString, gen.FamString),
			gen.Func("UPPER(%s)", gen.FamString, gen.Most, gen.FamString),
		},
	},
	QueryForms: gen.QueryForms{
		SetOps:        []string{"UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"},
		DerivedSetOps: []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"},
		LockClauses:   []string{"UPDATE", "SHARE", "NO KEY UPDATE", "KEY SHARE"},
		LockWaits:     []string{"UPDATE", "SHARE", "NO KEY UPDATE", "KEY SHARE"},
		LocksWrite:    true,
	},
	WriteForms: gen.WriteForms{
		SelfSubquery: true,
	},
	TxnForms: gen.TxnForms{
		ReadOnlyShare: 8,
		Disconnect:    "SELECT pg_terminate_backend(pg_backend_pid())",
		OwnLevels:     []string{"read-committed", "repeatable-read"},
		Begin: func(below func(n int) int, _ string, _ bool) string {
			if below(100) < 70 {
				return "BEGIN"
			}
			return "START TRANSACTION"
		},
	},
	Capabilities: gen.Capabilities{
		Has: map[gen.Capability]string{gen.CanCompare: "", gen.CanWindow: "", gen.CanCheck: "", gen.CanDefault: "",
			gen.CanConflict: "", gen.CanFrom: "", gen.CanUsing: "",
			gen.CanIndexKind: "", gen.CanPartial: "", gen.CanFunctional: "", gen.CanView: "", gen.CanGenerate: "",
			gen.CanAccessMode: "", gen.CanNotWait: "", gen.CanSkipLocked: "",
			gen.CanLockOf: "", gen.CanSpecial: "", gen.CanArray: "", gen.CanRow: "", gen.CanStandAlone: "", gen.CanReference: "",
			gen.CanOwe: "", gen.CanSelfRefer: "", gen.CanRedefine: "",
			gen.CanTruncate: "", gen.CanRewrite: "", gen.CanCascade: "", gen.CanReturn: "", gen.CanMixLevels: "",
			gen.CanMerge: "15", gen.CanPartitionOf: "", gen.CanInherit: "", gen.CanDefer: "", gen.CanExclude: "",
			gen.CanDisconnect: "", gen.CanLockModes: "",
			gen.CanLockAlone: "", gen.CanAdvisory: "", gen.CanRefuseWrite: "", gen.CanPrepare: "", gen.CanDeferRead: "",
			gen.CanWiden: "", gen.CanFilter: "", gen.CanOrderNulls: "", gen.CanMaterialize: ""},
		Levels: map[gen.Capability][]string{gen.CanDeferRead: {"serializable"}, gen.CanTruncate: {"read-committed"},
			gen.CanRewrite: {"read-committed"},
			gen.CanCascade: {"read-committed", "repeatable-read"}, gen.CanReturn: {"read-committed", "repeatable-read"},
			gen.CanMixLevels: {"read-committed", "repeatable-read"}, gen.CanLockAlone: {"read-committed", "repeatable-read"},
			gen.CanMerge: {"read-committed", "repeatable-read"}},
		Weights: map[string]int{"ddl-analyze": 12, "ddl-index": 12,
			"savepoint": 50, "xor": 0, "straight-join": 0, "bare-column": 0, "division": 0, "overflow": 0, "convert": 0,
			"virtual-column": 0},
	},
	DDL: gen.Redefinitions{
		AddIndex: []string{"CREATE INDEX {name} ON {table} ({columns})",
			"CREATE INDEX CONCURRENTLY {name} ON {table} ({columns})",
			"CREATE INDEX CONCURRENTLY {name} ON {table} ({columns}) WHERE pkey > 2",
			"CREATE INDEX {name} ON {table} USING hash (pkey)"},
		DropIndex: []string{"DROP INDEX {name}", "DROP INDEX CONCURRENTLY {name}"},
		AddColumn: []string{"ALTER TABLE {table} ADD COLUMN {name} INT",
			"ALTER TABLE {table} ADD COLUMN {name} VARCHAR(9) NOT NULL DEFAULT 'x'"},
		DropColumn: []string{"ALTER TABLE {table} DROP COLUMN {name}"},
		Rewrite:    []string{"ALTER TABLE {table} ADD COLUMN {name} BIGSERIAL"},
		Rebuild:    []string{"VACUUM FULL {table}", "REINDEX TABLE {table}", "REINDEX TABLE CONCURRENTLY {table}"},
		Analyze: []string{"VACUUM (INDEX_CLEANUP OFF, TRUNCATE OFF) {table}",
			"VACUUM (INDEX_CLEANUP OFF, TRUNCATE OFF, ANALYZE) {table}",
			"ANALYZE {table}"},
		AddTable:  []string{"CREATE TABLE {name} (a INT)"},
		DropTable: []string{"DROP TABLE {name}"},
		Truncate:  []string{"TRUNCATE TABLE {table}"},
	},
}
