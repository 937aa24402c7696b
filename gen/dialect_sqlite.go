package gen

// sqlite is the dialect of SQLite 3.44 and later.
//
// Left out: DECIMAL (a binary floating-point number there); ANY and ALL, FOR UPDATE, <=>, XOR, STRAIGHT_JOIN, LEFT() and
// parenthesised set operands (no such syntax); scalar MIN and MAX of two arguments and || (the parser reads them
// otherwise); CAST (its type names differ); row values (the
// parser prints them as ROW(…)); ORDER BY … LIMIT in UPDATE and DELETE (a build option). DATE and
// DATETIME columns are TEXT, because the driver turns declared dates into other values.
var sqlite = &Dialect{
	Name: "sqlite",
	Types: [numKinds]string{
		kindInt: "INT", kindBigint: "BIGINT", kindDouble: "DOUBLE", kindDecimal: "",
		kindVarchar: "VARCHAR(%d)", kindText: "TEXT", kindDate: "TEXT", kindDatetime: "TEXT",
	},
	PkeyType:      "INTEGER",
	UniqueDef:     "CONSTRAINT %s UNIQUE (%s)",
	DoubleLit:     "%s",
	DateLit:       "'%s'",
	DatetimeLit:   "'%s'",
	Prefix:        "SUBSTR(%s, 1, %d)",
	SetOps:        []string{"UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"},
	DerivedSetOps: []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"},
	If:            "IIF",
	AvgFamilies:   []family{famInt},
	GroupExtrema:  allFamilies,
	SelfSubquery:  true,
	Functions: []function{
		{"LENGTH(%s)", famInt, []family{famString}, most},
		{"INSTR(%s, 'a')", famInt, []family{famString}, most},
		{"SIGN(%s)", famInt, []family{famInt}, upTo(1)},
		{"SUBSTR(%s, 2, 3)", famString, []family{famString}, most},
		{"SUBSTR(%s, 1, 7)", famString, []family{famDate}, upTo(7)},
		{"REPLACE(%s, 'a', 'b')", famString, []family{famString}, most},
		{"UPPER(%s)", famString, []family{famString}, most},
		{"(%s & %s)", famInt, []family{famInt, famInt}, bits},
		{"(%s | %s)", famInt, []family{famInt, famInt}, bits},
		{"CONCAT(%s, %s)", famString, []family{famString, famString}, sum},
		{"SUBSTR(%s, 1, 10)", famDate, []family{famDatetime}, upTo(0)},
	},
	// One writer at a time: more read-only transactions keep transactions overlapping.
	ReadOnlyShare: 40,
	Weights:       map[string]int{"decimal": 0, "locking": 0, "quantified": 0, "xor": 0, "null-safe": 0, "row-in-subquery": 0, "straight-join": 0},
	Begin: func(g *generator, writes bool) string {
		switch {
		case writes && !g.pct(15):
			return "BEGIN IMMEDIATE"
		case writes || g.pct(50):
			return "BEGIN DEFERRED"
		default:
			return "BEGIN"
		}
	},
}
