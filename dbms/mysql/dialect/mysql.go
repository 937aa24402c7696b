// Package dialect is how MySQL, MariaDB and TiDB spell statements, by MySQL's grammar (dev.mysql.com/doc/refman,
// chapter 15, and sql_yacc.yy of its sources, for what binds), MariaDB's (mariadb.com/kb/en/sql-statements) and TiDB's
// (docs.pingcap.com/tidb/stable/sql-statement-overview).
//
// Left out, and refused with the place: routines, events and compound statements but a trigger's BEGIN … END of plain
// ones; SHOW, LOAD DATA, HANDLER, grants and what administers servers; SELECT … INTO; JSON_TABLE and XMLTABLE; names
// that begin with a digit.
//
// What MySQL calls a column that a query gives no name is its text: printed anew it is called otherwise.
package dialect

import (
	"slices"
	"strings"

	"txweave/sql"
)

// Server says whose statements a dialect reads.
type Server struct {
	Product string // MySQL, MariaDB or TiDB
	// Version is that of the server as its executable comments count it: 80036 for MySQL 8.0.36, 110809 for MariaDB
	// 11.8.9.
	Version int
	// Modes are those of sql_mode that change how a text is read: ANSI_QUOTES, PIPES_AS_CONCAT, NO_BACKSLASH_ESCAPES,
	// HIGH_NOT_PRECEDENCE; others are left out of account.
	Modes []string
}

// has says whether a mode is set. ANSI sets two of them.
func (s Server) has(mode string) bool {
	return slices.Contains(s.Modes, mode) || mode != "NO_BACKSLASH_ESCAPES" && slices.Contains(s.Modes, "ANSI")
}

// mariaDB and tiDB say whose server it is.
func (s Server) mariaDB() bool { return s.Product == "MariaDB" }

func (s Server) tiDB() bool { return s.Product == "TiDB" }

// levelParts are the settings that make a level another one: MariaDB's (mariadb.com/kb, innodb_snapshot_isolation),
// TiDB's (docs.pingcap.com/tidb, TiDB Optimistic Transaction Model).
func (s Server) levelParts() []sql.LevelPart {
	switch {
	case s.mariaDB():
		return []sql.LevelPart{{Setting: "innodb_snapshot_isolation", Values: []string{"on", "1", "true"},
			Of: "repeatable-read", Level: "snapshot"}}
	case s.tiDB():
		return []sql.LevelPart{{Setting: "tidb_txn_mode", Values: []string{"optimistic"}, Level: "optimistic"}}
	}
	return nil
}

// New returns the dialect of a server.
func New(s Server) *sql.Dialect {
	d := sql.Dialect{
		Product: s.Product,
		Lexis: sql.Lexis{
			Space: " \t\n\v\f\r", Names: "`", Texts: "'\"", Backslash: !s.has("NO_BACKSLASH_ESCAPES"),
			HexPrefixes: "xX", BitPrefixes: "bB", TextPrefixes: "nN", Hash: true, Dashes: true, Executed: s.executed,
			Variables: true, Question: true, Radixes: "xb",
			Signs:  []string{"<=>", "->>", "->", "<=", "<>", "<<", ">=", ">>", "!=", "||", "&&", ":="},
			Single: "()+-*/%<>=&|^~!,;.[]",
		},
		Keywords:  s.keywords(),
		TextItems: true,
		Grammar: sql.Grammar{
			Serials: true,
			Nested:  true, LooseCommas: true, AnyQualifier: true, AnyQualified: true, Truths: true, Truth: s.truth(),
			Quantifiers: true,
			TextsInARow: true, Introducers: true, Rollup: true, RowWords: true, LateReturning: true, SpacedOptions: true,
			QualifiedSets: true,
		},
		Prefixes: prefixes, Infixes: s.infixes(),
		Statements: statements(),
		Withs:      []string{"SELECT", "VALUES", "TABLE", "(", "UPDATE", "DELETE"},
		Specials: map[string]func(*sql.Reader) sql.Expr{
			"CASE": (*sql.Reader).Case, "CAST": (*sql.Reader).Cast, "EXISTS": (*sql.Reader).Exists, "CONVERT": convert,
			"INTERVAL": interval, "MATCH": matching, "ROW": row,
		},
		Niladics: []string{
			"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "LOCALTIME", "LOCALTIMESTAMP",
			"UTC_DATE", "UTC_TIME",
			"UTC_TIMESTAMP",
		},
		LevelOf:    []string{"transaction_isolation", "tx_isolation"},
		NoTable:    "DUAL",
		TypedTexts: []string{"DATE", "TIME", "TIMESTAMP"},
		Phrases: map[string][]string{
			"TRIM": {"LEADING", "TRAILING", "BOTH", "FROM"}, "SUBSTRING": {"FROM", "FOR"}, "SUBSTR": {"FROM", "FOR"},
			"MID":      {"FROM", "FOR"},
			"POSITION": {"IN"}, "EXTRACT": {"FROM"}, "CHAR": {"USING"},
		},
		Joins: []string{"LEFT", "RIGHT", "INNER", "CROSS", "STRAIGHT_JOIN"},
		SelectOptions: []string{
			"DISTINCTROW", "DISTINCT", "ALL", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT",
			"SQL_BUFFER_RESULT", "SQL_NO_CACHE", "SQL_CALC_FOUND_ROWS",
		},
		LevelParts: s.levelParts(),
		TablePlace: tablePlace, TableHints: indexHints, Type: typeOf, Tail: tail,
	}
	if s.mariaDB() {
		d.Niladics = append(d.Niladics, "CURRENT_ROLE")
		d.SelectOptions = append(d.SelectOptions, "SQL_CACHE")
		d.Limit = fetch
	}
	if s.hinted() {
		d.Lexis.Hinted = []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE"}
	}
	if s.has("ANSI_QUOTES") {
		d.Lexis.Names, d.Lexis.Texts = "`\"", "'"
	}
	return sql.New(d)
}

// Versions from which on a server reads what those before it take for a comment.
const (
	mysqlHints   = 50703
	mariaDBHints = 120000
)

// hinted says whether /*+ … */ is hints.
func (s Server) hinted() bool {
	if s.mariaDB() {
		return s.Version >= mariaDBHints
	}
	return s.tiDB() || s.Version >= mysqlHints
}

// Versions of comments that MariaDB does not execute, as what MySQL has from 5.7 on is not MariaDB's
// (mariadb.com/kb/en/comment-syntax).
const (
	firstForeign = 50700
	lastForeign  = 99999
)

// executed says whether the server reads what stands in a comment that begins with /*, a letter, ! and a version.
func (s Server) executed(letter string, version int) bool {
	switch {
	case s.tiDB():
		return letter == "" || letter == "T"
	case s.mariaDB():
		if letter == "" && firstForeign <= version && version <= lastForeign {
			return false
		}
		return letter != "T" && version <= s.Version
	}
	return letter == "" && version <= s.Version
}

// Levels of operators, from the ones that bind least: MySQL's expr, boolean primaries, predicates, bit expressions and
// simple expressions (refman, section 11.5, and the rules of these names in sql_yacc.yy, MariaDB's too).
const (
	assign = iota + 1
	or
	xor
	and
	not
	truth
	compare
	between
	predicate
	bitOr
	bitAnd
	shift
	sum
	product
	bitXor
	concat
	sign
	collate
	path
)

var prefixes = []sql.Operator{
	{Spelled: "NOT", Op: sql.OpNot, Level: not},
	{Spelled: "!", Op: sql.OpNot, Level: sign},
	{Spelled: "-", Op: sql.OpSub, Level: sign},
	{Spelled: "+", Op: sql.OpAdd, Level: sign},
	{Spelled: "~", Op: sql.OpBitNot, Level: sign},
	{Spelled: "BINARY", Op: sql.OpBinary, Level: sign},
}

// infixes are the operators behind an operand, those of predicates apart.
func (s Server) infixes() []sql.Operator {
	pipes := sql.Operator{Spelled: "||", Op: sql.OpOr, Level: or}
	if s.has("PIPES_AS_CONCAT") {
		pipes = sql.Operator{Spelled: "||", Op: sql.OpConcat, Level: concat}
	}
	return append(s.predicates(), []sql.Operator{
		{Spelled: ":=", Op: sql.OpAssign, Level: assign, Left: sign, Right: assign},
		{Spelled: "OR", Op: sql.OpOr, Level: or},
		pipes,
		{Spelled: "XOR", Op: sql.OpXor, Level: xor},
		{Spelled: "AND", Op: sql.OpAnd, Level: and},
		{Spelled: "&&", Op: sql.OpAnd, Level: and},
		{Spelled: "=", Op: sql.OpEq, Level: compare},
		{Spelled: "<=>", Op: sql.OpSame, Level: compare},
		{Spelled: "<>", Op: sql.OpNe, Level: compare},
		{Spelled: "!=", Op: sql.OpNe, Level: compare},
		{Spelled: "<", Op: sql.OpLt, Level: compare},
		{Spelled: "<=", Op: sql.OpLe, Level: compare},
		{Spelled: ">", Op: sql.OpGt, Level: compare},
		{Spelled: ">=", Op: sql.OpGe, Level: compare},
		{Spelled: "IS", Level: compare, Form: sql.IsForm},
		{Spelled: "|", Op: sql.OpBitOr, Level: bitOr},
		{Spelled: "&", Op: sql.OpBitAnd, Level: bitAnd},
		{Spelled: "<<", Op: sql.OpShiftLeft, Level: shift},
		{Spelled: ">>", Op: sql.OpShiftRight, Level: shift},
		{Spelled: "+", Op: sql.OpAdd, Level: sum},
		{Spelled: "-", Op: sql.OpSub, Level: sum},
		{Spelled: "*", Op: sql.OpMul, Level: product},
		{Spelled: "/", Op: sql.OpDiv, Level: product},
		{Spelled: "%", Op: sql.OpMod, Level: product},
		{Spelled: "MOD", Op: sql.OpMod, Level: product},
		{Spelled: "DIV", Op: sql.OpIntDiv, Level: product},
		{Spelled: "^", Op: sql.OpBitXor, Level: bitXor},
		{Spelled: "COLLATE", Level: collate, Form: sql.CollateForm},
		{Spelled: "->", Op: sql.OpJSON, Level: path},
		{Spelled: "->>", Op: sql.OpJSONText, Level: path},
	}...)
}

// truth is the level of IS TRUE: in MySQL no operator but NOT, AND, XOR and OR has it as an operand.
func (s Server) truth() int {
	if s.mariaDB() {
		return compare
	}
	return truth
}

// predicates are the operators whose operands are bit expressions in MySQL, and predicates in MariaDB.
func (s Server) predicates() []sql.Operator {
	left, pattern, right, negated := bitOr, concat, bitOr, 0
	in := sql.Operator{Spelled: "BETWEEN", Level: between, Left: bitOr, Right: between, Low: bitOr, Form: sql.BetweenForm}
	if s.mariaDB() {
		left, pattern, right, negated = predicate, bitOr, bitOr, bitOr
		in.Left, in.Low, in.Negated = predicate, between, negated
	}
	return []sql.Operator{
		in,
		{Spelled: "IN", Level: predicate, Left: left, Negated: negated, Form: sql.InForm},
		{Spelled: "LIKE", Op: sql.OpLike, Level: predicate, Left: left, Right: pattern, Negated: negated, Form: sql.LikeForm},
		{Spelled: "REGEXP", Op: sql.OpRegexp, Level: predicate, Left: left, Right: right, Negated: negated,
			Form: sql.LikeForm},
		{Spelled: "RLIKE", Op: sql.OpRegexp, Level: predicate, Left: left, Right: right, Negated: negated,
			Form: sql.LikeForm},
		{Spelled: "SOUNDS LIKE", Op: sql.OpSounds, Level: predicate, Left: left, Right: right},
		{Spelled: "MEMBER OF", Op: sql.OpMember, Level: predicate, Left: left, Form: sql.MemberForm},
	}
}

// Keywords: those that no server takes for names without quotes, those that MySQL and TiDB do not, and those that
// MariaDB does not; and of all these, those that are functions.
const (
	reserved = `ACCESSIBLE ADD ALL ALTER ANALYZE AND AS ASC ASENSITIVE BEFORE BETWEEN BIGINT BINARY BLOB BOTH BY CALL CASCADE CASE
		CHANGE CHAR CHARACTER CHECK COLLATE COLUMN CONDITION CONSTRAINT CONTINUE CONVERT CREATE CROSS CURRENT_DATE CURRENT_TIME
		CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASES DAY_HOUR DAY_MICROSECOND DAY_MINUTE DAY_SECOND DEC DECIMAL DECLARE
		DEFAULT DELAYED DELETE DESC DESCRIBE DETERMINISTIC DISTINCT DISTINCTROW DIV DOUBLE DROP DUAL EACH ELSE ELSEIF ENCLOSED ESCAPED
		EXCEPT EXISTS EXIT EXPLAIN FALSE FETCH FLOAT FLOAT4 FLOAT8 FOR FORCE FOREIGN FROM FULLTEXT GRANT GROUP HAVING HIGH_PRIORITY
		HOUR_MICROSECOND HOUR_MINUTE HOUR_SECOND IF IGNORE IN INDEX INFILE INNER INOUT INSENSITIVE INSERT INT INT1 INT2 INT3 INT4 INT8
		INTEGER INTERSECT INTERVAL INTO IS ITERATE JOIN KEY KEYS KILL LEADING LEAVE LEFT LIKE LIMIT LINEAR LINES LOAD LOCALTIME
		LOCALTIMESTAMP LOCK LONG LONGBLOB LONGTEXT LOOP LOW_PRIORITY MATCH MAXVALUE MEDIUMBLOB MEDIUMINT MEDIUMTEXT MIDDLEINT
		MINUTE_MICROSECOND MINUTE_SECOND MOD MODIFIES NATURAL NOT NO_WRITE_TO_BINLOG NULL NUMERIC ON OPTIMIZE OPTIONALLY OR ORDER OUT
		OUTER OUTFILE OVER PARTITION PRECISION PRIMARY PROCEDURE PURGE RANGE READ READS READ_WRITE REAL RECURSIVE REFERENCES REGEXP
		RELEASE RENAME REPEAT REPLACE REQUIRE RESIGNAL RESTRICT RETURN REVOKE RIGHT RLIKE ROWS ROW_NUMBER SCHEMAS SECOND_MICROSECOND SELECT
		SENSITIVE SEPARATOR SET SHOW SIGNAL SMALLINT SPATIAL SPECIFIC SQL SQLEXCEPTION SQLSTATE SQLWARNING SQL_BIG_RESULT
		SQL_CALC_FOUND_ROWS SQL_SMALL_RESULT SSL STARTING STRAIGHT_JOIN TABLE TERMINATED THEN TINYBLOB TINYINT TINYTEXT TO TRAILING
		TRIGGER TRUE UNDO UNION UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE USING UTC_DATE UTC_TIME UTC_TIMESTAMP VALUES VARBINARY VARCHAR
		VARCHARACTER VARYING WHEN WHERE WHILE WITH WRITE XOR YEAR_MONTH ZEROFILL`
	reservedMySQL = `CUBE CUME_DIST DATABASE DENSE_RANK EMPTY FIRST_VALUE FUNCTION GENERATED GET GROUPING GROUPS IO_AFTER_GTIDS IO_BEFORE_GTIDS
		JSON_TABLE LAG LAST_VALUE LATERAL LEAD NTH_VALUE NTILE OF OPTIMIZER_COSTS OPTION PERCENT_RANK RANK ROW SCHEMA STORED SYSTEM VIRTUAL
		WINDOW`
	reservedMariaDB = `CURRENT_ROLE DELETE_DOMAIN_ID DO_DOMAIN_IDS IGNORE_DOMAIN_IDS OFFSET PAGE_CHECKSUM PARSE_VCOL_EXPR REF_SYSTEM_ID
		RETURNING STATS_AUTO_RECALC STATS_PERSISTENT STATS_SAMPLE_PAGES`
	functions = `CHAR CUME_DIST CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DATABASE DEFAULT DENSE_RANK FIRST_VALUE GROUPING IF
		INSERT INTERVAL LAG LAST_VALUE LEAD LEFT LOCALTIME LOCALTIMESTAMP MOD NTH_VALUE NTILE PERCENT_RANK RANK REPEAT REPLACE RIGHT
		ROW_NUMBER SCHEMA UTC_DATE UTC_TIME UTC_TIMESTAMP VALUES`
	units = `DAY_HOUR DAY_MICROSECOND DAY_MINUTE DAY_SECOND HOUR_MICROSECOND HOUR_MINUTE HOUR_SECOND MINUTE_MICROSECOND MINUTE_SECOND
		SECOND_MICROSECOND YEAR_MONTH`
	elsewhere = `BEGIN CAST COMMIT DATE DO END FLUSH MEMBER RENAME REPAIR ROLLBACK SAVEPOINT SOUNDS START TIME TIMESTAMP TRUNCATE XA`
)

func (s Server) keywords() map[string]sql.Use {
	out := map[string]sql.Use{}
	mark := func(list string, use sql.Use) {
		for _, word := range strings.Fields(list) {
			out[word] = use
		}
	}
	mark(elsewhere, sql.Anywhere)
	mark(reserved, sql.Reserved)
	if s.mariaDB() {
		mark(reservedMariaDB, sql.Reserved)
		mark("ROW DATABASE SCHEMA", sql.Anywhere)
	} else {
		mark(reservedMySQL, sql.Reserved)
	}
	for _, word := range strings.Fields(functions) {
		if _, reserved := out[word]; reserved {
			out[word] |= sql.AsFunction
		}
	}
	return out
}
