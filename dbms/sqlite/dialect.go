package sqlite

import (
	"txweave/gen"
	"txweave/sqltext"
	"txweave/sqltext/mysql"
)

// Syntax is that of the SQL standard, in so far as the grammar of MySQL reads it too.
var Syntax = &sqltext.Syntax{Quoting: sqltext.ANSI, Grammar: func() sqltext.Parser { return mysql.NewSQLite() }, TextTellsTime: true}

// Dialect is the dialect of SQLite 3.44 and later.
//
// Left out: DECIMAL (a binary floating-point number there); ANY and ALL, FOR UPDATE, <=>, XOR, STRAIGHT_JOIN, LEFT() and
// parenthesised set operands (no such syntax); scalar MIN and MAX of two arguments and || (the parser reads them
// otherwise); CAST (its type names differ); row values (the parser prints them as ROW(…)); ORDER BY … LIMIT in UPDATE
// and DELETE (a build option); JOIN … USING (docs/findings/sqlite-using-stale-schema.md). DATE and DATETIME columns are TEXT, because the driver turns declared dates into other
// values.
var Dialect = &gen.Dialect{
	Name: "sqlite",
	Types: [gen.NumKinds]string{
		gen.KindInt: "INT", gen.KindBigint: "BIGINT", gen.KindDouble: "DOUBLE", gen.KindDecimal: "",
		gen.KindVarchar: "VARCHAR(%d)", gen.KindText: "TEXT", gen.KindDate: "TEXT", gen.KindDatetime: "TEXT",
	},
	PkeyType:      "INTEGER",
	RowNumber:     "INTEGER",
	WithoutNumber: " WITHOUT ROWID",
	UniqueDef:     "CONSTRAINT %s UNIQUE (%s)",
	DoubleLit:     "%s",
	DateLit:       "'%s'",
	DatetimeLit:   "'%s'",
	Prefix:        "SUBSTR(%s, 1, %d)",
	SetOps:        []string{"UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"},
	DerivedSetOps: []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"},
	If:            "IIF(%s, %s, %s)",
	Truth:         "(%s)",
	Coalesce:      []string{"COALESCE", "IFNULL"},
	Quotient:      "(%s / %s)",
	CastInt:       "SIGNED",
	AvgFamilies:   []gen.Family{gen.FamInt},
	GroupExtrema:  gen.AllFamilies,
	SelfSubquery:  true,
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
		gen.Func("CONCAT(%s, %s)", gen.FamString, gen.Sum, gen.FamString, gen.FamString),
		gen.Func("SUBSTR(%s, 1, 10)", gen.FamDate, gen.UpTo(0), gen.FamDatetime),
	},
	Has: map[gen.Capability]string{gen.CanReplace: "", gen.CanCompare: "", gen.CanWindow: "",
		gen.CanReference: "", gen.CanCascade: "", gen.CanView: "", gen.CanFunctional: "", gen.CanCheck: "", gen.CanGenerate: "",
		gen.CanRedefine: "", gen.CanStandAlone: "", gen.CanScratch: "", gen.CanReturn: "", gen.CanPartial: "", gen.CanOrIgnore: ""},
	Scratch:       "TEMP TABLE",
	Ignore:        "OR IGNORE",
	OnConflict:    " ON CONFLICT DO UPDATE SET ",
	NewValue:      "excluded.%s",
	UpdateReturns: true,
	// One writer at a time: more read-only transactions keep transactions overlapping.
	ReadOnlyShare: 40,
	Weights: map[string]int{"decimal": 0, "locking": 0, "quantified": 0, "xor": 0, "null-safe": 0, "row-in-subquery": 0, "straight-join": 0,
		"using-join": 0},
	DDL: gen.Redefinitions{
		AddIndex:   []string{"CREATE INDEX {name} ON {table} ({columns})"},
		DropIndex:  []string{"DROP INDEX {name}"},
		AddColumn:  []string{"ALTER TABLE {table} ADD COLUMN {name} INT", "ALTER TABLE {table} ADD COLUMN {name} TEXT NOT NULL DEFAULT 'x'"},
		DropColumn: []string{"ALTER TABLE {table} DROP COLUMN {name}"},
		Rebuild:    []string{"REINDEX {table}"},
		Analyze:    []string{"ANALYZE", "ANALYZE {table}"},
		AddTable:   []string{"CREATE TABLE {name} (a INT)"},
		DropTable:  []string{"DROP TABLE {name}"},
	},
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
}
