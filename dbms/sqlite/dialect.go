package sqlite

import (
	"strings"

	lib "modernc.org/sqlite/lib"

	"txweave/dbms/sqlite/dialect"
	"txweave/gen"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// Syntax is that of the SQL standard, in so far as the grammar of MySQL reads it too.
var Syntax = &sqltext.Syntax{
	Quoting: sqltext.Quoting{Backquotes: true, Brackets: true}, Inside: "sqlite_", Tree: tree,
	Functions: functions.By("s"), TextTellsTime: true, CheckKeys: "foreign_keys", Traits: traits, Admission: admission,
	DropTemporary: "DROP TABLE temp.%s", Idle: []string{"*_size", "*busy_timeout", "synchronous", "*_version"},
	// sqlite.org/pragma.html
	Settings: strings.Fields("reverse_unordered_selects automatic_index cache_size cache_spill threads analysis_limit"),
}

// traits are SQLite's. What AUTOINCREMENT counts from is a row of a table like others (sqlite.org/autoinc.html). For
// its savepoints see sqlite.org/lang_savepoint.html, for a COMMIT that is refused sqlite.org/lang_transaction.html and
// foreignkeys.html, Deferred Foreign Key Constraints.
var traits = sqltext.Traits{CountsInside: true, SavepointOpens: true, CommitStays: true,
	Unlisted: []string{"rowid", "_rowid_", "oid"}}

// tree is how its statements are read as trees, and printed.
var tree = dialect.New(lib.SQLITE_VERSION_NUMBER)

// specials are columns outside the families: rows that reach beyond their page, blobs, a collation, JSON and columns
// that convert nothing.
var specials = []gen.Special{
	{Name: "blob", Key: true, Decl: "BLOB", Read: "HEX(%s)", Family: gen.FamString, Bound: 40,
		Values: []string{"x'61'", "x'6100'", "x'00'", "x''", "x'6162636465'", "x'6162636466'"}},
	{Name: "long-text", Decl: "TEXT",
		Read:   "CONCAT(OCTET_LENGTH(%[1]s), SUBSTR(%[1]s, 1, 2), SUBSTR(%[1]s, OCTET_LENGTH(%[1]s) - 1))",
		Family: gen.FamString, Bound: 9,
		Values: gen.LongValues("REPLACE(HEX(ZEROBLOB(%[2]d)), '00', %[1]s)"), Bare: true},
	{Name: "case-insensitive", Blurred: true, Decl: "TEXT COLLATE NOCASE", Read: "HEX(%s)",
		Family: gen.FamString, Bound: 40,
		Values: []string{"'a'", "'A'", "'a '", "'b'", "'B'", "'ab'", "'Ab '", "''"}},
	{Name: "json", Decl: "TEXT", Read: "CAST(JSON_EXTRACT(%s, '$.a') AS SIGNED)", Family: gen.FamInt, Bound: 1e5,
		Values: []string{`'{"a": 1}'`, `'{"a": 2, "b": [1, 2]}'`, `'{"a": -3, "c": "x"}'`, `'{"a": 7}'`}},
	{Name: "any-type", Key: true, Decl: "BLOB", Read: "TYPEOF(%s)", Family: gen.FamString, Bound: 7,
		Values: []string{"1", "'1'", "1.5", "x'31'", "'a'", "-3", "''", "9223372036854775807"}},
}

// Dialect is the dialect of SQLite 3.44 and later.
//
// Left out: DECIMAL (a binary floating-point number there); ANY and ALL, FOR UPDATE, <=>, XOR, STRAIGHT_JOIN, LEFT()
// and parenthesised set operands (no such syntax); rows in a list behind IN; ORDER BY … LIMIT in UPDATE and DELETE (a
// build option); JOIN … USING (docs/findings/sqlite-using-stale-schema.md). DATE and DATETIME columns are TEXT, because
// the driver turns declared dates into other values.
var Dialect = &gen.Dialect{
	Name: "sqlite", Tree: tree,
	TableForms: gen.TableForms{
		Types: [gen.NumKinds]string{
			gen.KindInt: "INT", gen.KindBigint: "BIGINT", gen.KindDouble: "DOUBLE", gen.KindDecimal: "",
			gen.KindVarchar: "VARCHAR(%d)", gen.KindText: "TEXT", gen.KindDate: "TEXT", gen.KindDatetime: "TEXT",
		},
		PkeyType:      "INTEGER",
		RowNumber:     "INTEGER",
		WithoutNumber: " WITHOUT ROWID",
		Specials:      specials,
	},
	ExprForms: gen.ExprForms{
		DoubleLit:    "%s",
		DateLit:      "'%s'",
		DatetimeLit:  "'%s'",
		Prefix:       "SUBSTR(%s, 1, %s)",
		NullSafe:     "%s IS %s",
		Distinct:     "%s IS NOT %s",
		BeginsWith:   "%s GLOB %s",
		AnyMore:      "*",
		If:           "IIF(%s, %s, %s)",
		Truth:        "(%s)",
		Coalesce:     []string{"COALESCE", "IFNULL"},
		Quotient:     "(%s / %s)",
		CastInt:      "SIGNED",
		AvgFamilies:  []gen.Family{gen.FamInt},
		GroupExtrema: gen.AllFamilies,
		Functions: []gen.Function{
			gen.Func("LENGTH(%s)", gen.FamInt, gen.Most, gen.FamString),
			gen.Func("INSTR(%s, 'a')", gen.FamInt, gen.Most, gen.FamString),
			gen.Func("SIGN(%s)", gen.FamInt, gen.UpTo(1), gen.FamInt),
			gen.Func("SUBSTR(%s, 2, 3)", gen.FamString, gen.Most, gen.FamString),
			gen.Func("SUBSTR(%s, 1, 7)", gen.FamString, gen.UpTo(7), gen.FamDate),
			gen.Func("REPLACE(%s, 'a', 'b')", gen.FamString, gen.Most, gen.FamString),
			gen.Func("UPPER(%s)", gen.FamString, gen.Most, gen.FamString),
			gen.Func("(%s & %s)", gen.FamInt, gen.Bits, gen.FamInt, gen.FamInt),
			gen.Func("(%s | %s)", gen.FamInt, gen.Bits, gen.FamInt, gen.FamInt),
			gen.Func("(%s || %s)", gen.FamString, gen.Sum, gen.FamString, gen.FamString),
			gen.Func("MAX(%s, %s)", gen.FamInt, gen.Most, gen.FamInt, gen.FamInt),
			gen.Func("MIN(%s, %s)", gen.FamString, gen.Most, gen.FamString, gen.FamString),
			gen.Func("CAST(%s AS TEXT)", gen.FamString, gen.UpTo(20), gen.FamInt),
			gen.Func("CONCAT(%s, %s)", gen.FamString, gen.Sum, gen.FamString, gen.FamString),
			gen.Func("SUBSTR(%s, 1, 10)", gen.FamDate, gen.UpTo(0), gen.FamDatetime),
		},
	},
	QueryForms: gen.QueryForms{
		SetOps:        []string{"UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"},
		DerivedSetOps: []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"},
	},
	WriteForms: gen.WriteForms{
		SelfSubquery:  true,
		OrIgnore:      true,
		UpdateReturns: true,
	},
	Capabilities: gen.Capabilities{
		Has: map[gen.Capability]string{gen.CanReplace: "", gen.CanUpsert: "", gen.CanCompare: "", gen.CanWindow: "",
			gen.CanReference: "", gen.CanCascade: "", gen.CanOwe: "", gen.CanSelfRefer: "", gen.CanView: "", gen.CanTrigger: "",
			gen.CanFunctional: "", gen.CanCheck: "", gen.CanGenerate: "",
			gen.CanRedefine: "", gen.CanStandAlone: "", gen.CanScratch: "", gen.CanReturn: "", gen.CanPartial: "",
			gen.CanOrIgnore: "", gen.CanCheckpoint: "", gen.CanSpecial: "", gen.CanUntyped: "",
			gen.CanRank: "", gen.CanClash: "", gen.CanRow: "", gen.CanFrom: "", gen.CanFilter: "", gen.CanOrderNulls: "",
			gen.CanMaterialize: "", gen.CanUpsertWhere: "", gen.CanIndexedBy: ""},
		Weights: map[string]int{"decimal": 0, "locking": 0, "quantified": 0, "xor": 0, "row-in-list": 0, "straight-join": 0,
			"using-join": 0, "unsigned": 0, "unsigned-bigint": 0, "tinyint": 0, "smallint": 0, "char": 0, "binary": 0, "enum": 0,
			"set-type": 0, "bit": 0,
			"functional-index": 20, "upsert": 8, "savepoint": 35, "undoing": 20, "timestamp": 0, "time": 0, "year": 0,
			"latin1": 0},
	},
	TxnForms: gen.TxnForms{
		// One writer at a time: more read-only transactions keep transactions overlapping.
		ReadOnlyShare: 40,
		Begin: func(below func(n int) int, _ string, writes bool) string {
			switch {
			case writes && below(100) >= 15:
				return "BEGIN IMMEDIATE"
			case writes || below(100) < 50:
				return "BEGIN DEFERRED"
			default:
				return "BEGIN"
			}
		},
	},
	DDL: gen.Redefinitions{
		AddIndex:  []string{"CREATE INDEX {name} ON {table} ({columns})"},
		DropIndex: []string{"DROP INDEX {name}"},
		AddColumn: []string{"ALTER TABLE {table} ADD COLUMN {name} INT",
			"ALTER TABLE {table} ADD COLUMN {name} TEXT NOT NULL DEFAULT 'x'"},
		DropColumn: []string{"ALTER TABLE {table} DROP COLUMN {name}"},
		Rebuild:    []string{"REINDEX {table}", "VACUUM"},
		Analyze:    []string{"ANALYZE", "ANALYZE {table}"},
		AddTable:   []string{"CREATE TABLE {name} (a INT)"},
		DropTable:  []string{"DROP TABLE {name}"},
		Checkpoint: []string{"PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(FULL)", "PRAGMA wal_checkpoint(RESTART)",
			"PRAGMA wal_checkpoint(TRUNCATE)"},
	},
}
