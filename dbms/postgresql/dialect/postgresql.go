// Package dialect is how PostgreSQL 15 to 18 spell statements, by its grammar (postgresql.org/docs, part VI, and
// gram.y and scan.l of its sources, for what binds and what is a token).
//
// Left out, and refused with the place: COPY, cursors and WHERE CURRENT OF, PREPARE and EXECUTE, DO, CALL, LISTEN,
// grants, comments, types, domains, rules, extensions and what administers servers; bodies of functions that are no
// text; SELECT INTO; SEARCH and CYCLE of a WITH clause; ONLY (t) and t *; ROWS FROM, and definitions of columns behind
// a function in FROM; GROUP BY DISTINCT; VARIADIC arguments; functions of XML and JSON with words of their own, IS
// DOCUMENT, IS JSON and IS NORMALIZED; OVERLAPS; OPERATOR(…); AT LOCAL; names with escape sequences (U&"…"); collations
// with a schema; types with modifiers before a text; assignments to parts of a column; a column behind LIKE in CREATE
// TABLE.
//
// Read, though the server refuses it: a table alone in parentheses in FROM; arguments of CURRENT_TIME, NULLIF and the
// like in another number than they take, and those with words (TRIM, EXTRACT) in another order; what only a later
// version has.
//
// What PostgreSQL calls a column that a query gives no name hangs on the expression alone: printed anew it is called
// the same.
package dialect

import (
	"strings"

	"txweave/sql"
)

// Server says whose statements a dialect reads.
type Server struct {
	Version int // 15 to 18
	// Escapes is that standard_conforming_strings is off: a backslash in a text begins an escape sequence.
	Escapes bool
}

// Versions from which on something is read.
const (
	radixes    = 16 // 0x1F, and digits with underscores
	systemUser = 16
)

// New returns the dialect of a server.
func New(s Server) *sql.Dialect {
	d := sql.Dialect{
		Product: "PostgreSQL",
		Lexis: sql.Lexis{
			Space: " \t\n\f\r", Names: `"`, Texts: "'", Backslash: s.Escapes, HexPrefixes: "xX", BitPrefixes: "bB",
			TextPrefixes:   "nN",
			EscapePrefixes: "eE", Halves: true, Unicode: true, Dollars: true, Continued: true, Nests: true, Returns: true,
			Signs: []string{"::"}, Single: "(),;.[]:", Operators: "~!@#^&|`?+-*/%<>=",
		},
		Keywords:  s.keywords(),
		Terminate: []string{"pg_terminate_backend", "pg_backend_pid"}, NumberLocks: "pg_",
		LevelOf:   []string{"default_transaction_isolation"}, // postgresql.org/docs, SET TRANSACTION
		LevelOnce: []string{"transaction_isolation"},
		Grammar: sql.Grammar{
			Serials: true,
			Nested:  true, LooseCommas: true, AnyQualified: true, Loose: true, AnyEscape: true, Truths: true, Truth: truth,
			Quantifiers: true,
			TableCalls:  true, StrictJoins: true, ColumnAliases: true, BareTargets: true, AnyLabels: true, AnyTyped: true,
			Arrays:       true,
			WritingWiths: true, NoItems: true, GroupingSets: true, LateOptions: true, SpacedOptions: true,
		},
		Prefixes: prefixes, Infixes: infixes, Other: sql.Operator{Level: other, Left: other, Right: other + 1},
		Statements: statements(),
		Withs:      []string{"SELECT", "VALUES", "TABLE", "(", "INSERT", "UPDATE", "DELETE", "MERGE"},
		Specials: map[string]func(*sql.Reader) sql.Expr{
			"CASE": (*sql.Reader).Case, "CAST": (*sql.Reader).Cast, "EXISTS": (*sql.Reader).Exists, "ARRAY": (*sql.Reader).Array,
			"INTERVAL": interval, "ROW": row, "DEFAULT": func(*sql.Reader) sql.Expr { return &sql.DefaultValue{} },
		},
		Niladics: []string{
			"CURRENT_CATALOG", "CURRENT_DATE", "CURRENT_ROLE", "CURRENT_SCHEMA", "CURRENT_TIME", "CURRENT_TIMESTAMP",
			"CURRENT_USER",
			"LOCALTIME", "LOCALTIMESTAMP", "SESSION_USER", "USER", "SYSTEM_USER",
		},
		TypedTexts: []string{
			"TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITHOUT TIME ZONE", "TIME WITH TIME ZONE", "TIME WITHOUT TIME ZONE",
			"DOUBLE PRECISION",
		},
		Phrases: map[string][]string{
			"TRIM": {"LEADING", "TRAILING", "BOTH", "FROM"}, "SUBSTRING": {"FROM", "FOR", "SIMILAR", "ESCAPE"},
			"POSITION": {"IN"},
			"EXTRACT":  {"FROM"}, "OVERLAY": {"PLACING", "FROM", "FOR"},
		},
		Joins: []string{"LEFT", "RIGHT", "FULL", "INNER", "CROSS"},
		Type:  typeOf, Tail: tail, Limit: limit,
	}
	if s.Version >= radixes {
		d.Lexis.Radixes, d.Lexis.Underscores, d.Lexis.Space = "xXoObB", true, d.Lexis.Space+"\v"
	}
	return sql.New(d)
}

// Levels of operators, from the ones that bind least.
const (
	named = iota + 1
	or
	and
	not
	truth
	compare
	predicate
	other
	sum
	product
	power
	zone
	collate
	sign
	cast
	part
)

var prefixes = []sql.Operator{
	{Spelled: "NOT", Op: sql.OpNot, Level: not, Wide: true},
	{Spelled: "-", Op: sql.OpSub, Level: sign},
	{Spelled: "+", Op: sql.OpAdd, Level: sign},
}

// infixes are the operators with a level of their own. Those from IS to LIKE take none of the same level as an operand.
var infixes = []sql.Operator{
	{Spelled: "=>", Op: sql.OpNamed, Level: named, Left: part, Wide: true},
	{Spelled: "OR", Op: sql.OpOr, Level: or, Wide: true},
	{Spelled: "AND", Op: sql.OpAnd, Level: and, Wide: true},
	{Spelled: "IS", Level: truth, Left: compare, Form: sql.IsForm},
	{Spelled: "IS NOT DISTINCT FROM", Op: sql.OpSame, Level: truth, Left: compare, Form: sql.IsForm},
	{Spelled: "IS DISTINCT FROM", Op: sql.OpDistinct, Level: truth, Left: compare, Form: sql.IsForm},
	{Spelled: "ISNULL", Level: truth, Left: compare, Form: sql.IsNullForm, Wide: true},
	{Spelled: "NOTNULL", Level: truth, Left: compare, Form: sql.NotNullForm, Wide: true},
	{Spelled: "=", Op: sql.OpEq, Level: compare, Left: predicate},
	{Spelled: "<>", Op: sql.OpNe, Level: compare, Left: predicate},
	{Spelled: "!=", Op: sql.OpNe, Level: compare, Left: predicate},
	{Spelled: "<", Op: sql.OpLt, Level: compare, Left: predicate},
	{Spelled: "<=", Op: sql.OpLe, Level: compare, Left: predicate},
	{Spelled: ">", Op: sql.OpGt, Level: compare, Left: predicate},
	{Spelled: ">=", Op: sql.OpGe, Level: compare, Left: predicate},
	{Spelled: "IN", Level: predicate, Left: other, Form: sql.InForm, Wide: true},
	{Spelled: "BETWEEN", Level: predicate, Left: other, Form: sql.BetweenForm, Wide: true},
	{Spelled: "LIKE", Op: sql.OpLike, Level: predicate, Left: other, Form: sql.LikeForm, Wide: true},
	{Spelled: "ILIKE", Op: sql.OpILike, Level: predicate, Left: other, Form: sql.LikeForm, Wide: true},
	{Spelled: "SIMILAR TO", Op: sql.OpSimilar, Level: predicate, Left: other, Form: sql.LikeForm, Wide: true},
	{Spelled: "#", Op: sql.OpBitXor, Level: other},
	{Spelled: "+", Op: sql.OpAdd, Level: sum},
	{Spelled: "-", Op: sql.OpSub, Level: sum},
	{Spelled: "*", Op: sql.OpMul, Level: product},
	{Spelled: "/", Op: sql.OpDiv, Level: product},
	{Spelled: "%", Op: sql.OpMod, Level: product},
	{Spelled: "^", Op: sql.OpPower, Level: power},
	{Spelled: "AT TIME ZONE", Op: sql.OpAtZone, Level: zone, Wide: true},
	{Spelled: "COLLATE", Level: collate, Form: sql.CollateForm, Wide: true},
	{Spelled: "::", Level: cast, Form: sql.CastForm},
	{Spelled: "[", Level: part, Form: sql.SubscriptForm},
	{Spelled: ".", Level: part, Form: sql.FieldForm},
}

// Keywords as pg_get_keywords() tells them: those that are reserved, and of these those that are no labels without AS;
// those that are functions and types; those that are columns, and of these the types of the SQL standard and those that
// look like functions; of those that are not reserved at all, those that are no labels without AS, and those that begin
// something.
const (
	reserved = `ALL ANALYSE ANALYZE AND ANY ASC ASYMMETRIC BOTH CASE CAST CHECK COLLATE COLUMN CONSTRAINT CURRENT_CATALOG CURRENT_DATE
		CURRENT_ROLE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DEFAULT DEFERRABLE DESC DISTINCT DO ELSE END FALSE FOREIGN IN INITIALLY
		LATERAL LEADING LOCALTIME LOCALTIMESTAMP NOT NULL ONLY OR PLACING PRIMARY REFERENCES SELECT SESSION_USER SOME SYMMETRIC TABLE
		THEN TRAILING TRUE UNIQUE USER USING VARIADIC WHEN`
	reservedNoLabel = `ARRAY AS CREATE EXCEPT FETCH FOR FROM GRANT GROUP HAVING INTERSECT INTO LIMIT OFFSET ON ORDER RETURNING TO UNION
		WHERE WINDOW WITH`
	functions = `AUTHORIZATION BINARY COLLATION CONCURRENTLY CROSS CURRENT_SCHEMA FREEZE FULL ILIKE INNER IS JOIN LEFT LIKE NATURAL OUTER
		RIGHT SIMILAR TABLESAMPLE VERBOSE`
	functionsNoLabel = `ISNULL NOTNULL OVERLAPS`
	columns          = `BETWEEN EXISTS INOUT NATIONAL NONE OUT PRECISION ROW SETOF VALUES XMLATTRIBUTES XMLELEMENT XMLEXISTS XMLFOREST
		XMLNAMESPACES XMLPARSE XMLPI XMLROOT XMLSERIALIZE XMLTABLE`
	standard        = `BIGINT BIT BOOLEAN DEC DECIMAL FLOAT INT INTEGER INTERVAL NCHAR NUMERIC REAL SMALLINT TIME TIMESTAMP VARCHAR`
	standardNoLabel = `CHAR CHARACTER`
	called          = `COALESCE EXTRACT GREATEST GROUPING LEAST NORMALIZE NULLIF OVERLAY POSITION SUBSTRING TREAT TRIM XMLCONCAT`
	elsewhereNoBare = `DAY FILTER HOUR MINUTE MONTH OVER SECOND VARYING WITHIN WITHOUT YEAR`
	elsewhere       = `ABORT ALTER AT BEGIN COMMIT DATE DELETE DROP EXPLAIN INSERT LOCK MERGE PREPARE REFRESH REINDEX RELEASE RESET ROLLBACK
		SAVEPOINT SET SHOW START TRUNCATE UPDATE VACUUM`
	timed = `CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP`
)

func (s Server) keywords() map[string]sql.Use {
	const column, function = sql.AsColumn | sql.AsName | sql.AsAlias, sql.AsFunction | sql.AsType
	out := map[string]sql.Use{}
	for _, l := range []struct {
		words string
		use   sql.Use
	}{
		{reserved, sql.AsLabel}, {reservedNoLabel, sql.Reserved}, {functions, function | sql.AsLabel},
		{functionsNoLabel, function},
		{columns, column | sql.AsLabel}, {standard, column | sql.AsType | sql.AsLabel},
		{standardNoLabel, column | sql.AsType}, {called, column | sql.AsFunction | sql.AsLabel},
		{elsewhereNoBare, sql.Anywhere &^ sql.AsLabel}, {elsewhere, sql.Anywhere}, {timed, sql.AsFunction | sql.AsLabel},
	} {
		for _, word := range strings.Fields(l.words) {
			out[word] = l.use
		}
	}
	out["PRECISION"] = column
	if s.Version >= systemUser {
		out["SYSTEM_USER"] = sql.AsLabel
	}
	return out
}
