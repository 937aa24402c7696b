// Package dialect is how SQLite spells statements, by its grammar (sqlite.org/lang.html, and parse.y of its sources,
// for what binds and which keywords may be names).
//
// Left out, and refused with the place: ATTACH, DETACH and virtual tables; what SQLite takes for the sake of old
// programs (types that are texts in quotes or nothing at all, joins such as LEFT NATURAL, constraints that are a name
// alone, names of transactions, Tcl's variables); comments that are not closed.
//
// What SQLite calls a column that a query gives no name is its text: printed anew it is called otherwise.
package dialect

import (
	"strings"

	"txweave/sql"
)

// underscored is the version from which on digits may be divided by underscores.
const underscored = 3_046_000

// New returns the dialect of a version of SQLite's, such as 3_046_001 for 3.46.1.
func New(version int) *sql.Dialect {
	return sql.New(sql.Dialect{
		Product: "SQLite",
		Lexis: sql.Lexis{
			Space: " \t\n\f\r", Names: "\"`[", Texts: "'", HexPrefixes: "xX", ParamSigns: ":@$", Question: true, Radixes: "xX",
			Underscores: version >= underscored,
			Signs:       []string{"->>", "->", "==", "<=", "<>", "<<", ">=", ">>", "!=", "||"}, Single: "()+-*/%<>=&|~,;.",
		},
		Keywords:  keywords(),
		TextNames: sql.AsName | sql.AsAlias,
		Grammar: sql.Grammar{Loose: true, AnyEscape: true, BareReferences: true, InTables: true, TableCalls: true,
			TriggerBlock: true},
		Joins:    []string{"LEFT", "RIGHT", "FULL", "INNER", "CROSS"},
		Prefixes: prefixes, Infixes: infixes,
		Statements: statements(),
		Withs:      []string{"SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"},
		Specials: map[string]func(*sql.Reader) sql.Expr{
			"CASE": (*sql.Reader).Case, "CAST": (*sql.Reader).Cast, "EXISTS": (*sql.Reader).Exists, "RAISE": raise,
		},
		Niladics:   []string{"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"},
		TableHints: indexed,
	})
}

// Levels of operators, from the ones that bind least.
const (
	or = iota + 1
	and
	not
	equal
	less
	bits
	sum
	product
	concat
	collate
	sign
)

var prefixes = []sql.Operator{
	{Spelled: "NOT", Op: sql.OpNot, Level: not},
	{Spelled: "-", Op: sql.OpSub, Level: sign},
	{Spelled: "+", Op: sql.OpAdd, Level: sign},
	{Spelled: "~", Op: sql.OpBitNot, Level: sign},
}

var infixes = []sql.Operator{
	{Spelled: "OR", Op: sql.OpOr, Level: or},
	{Spelled: "AND", Op: sql.OpAnd, Level: and},
	{Spelled: "=", Op: sql.OpEq, Level: equal},
	{Spelled: "==", Op: sql.OpEq, Level: equal},
	{Spelled: "<>", Op: sql.OpNe, Level: equal},
	{Spelled: "!=", Op: sql.OpNe, Level: equal},
	{Spelled: "IS", Op: sql.OpSame, Level: equal, Form: sql.IsForm},
	{Spelled: "IS NOT", Op: sql.OpDistinct, Level: equal, Form: sql.IsForm},
	{Spelled: "ISNULL", Level: equal, Form: sql.IsNullForm},
	{Spelled: "NOTNULL", Level: equal, Form: sql.NotNullForm},
	{Spelled: "NOT NULL", Level: equal, Form: sql.NotNullForm},
	{Spelled: "IN", Level: equal, Form: sql.InForm},
	{Spelled: "LIKE", Op: sql.OpLike, Level: equal, Form: sql.LikeForm},
	{Spelled: "GLOB", Op: sql.OpGlob, Level: equal, Form: sql.LikeForm},
	{Spelled: "REGEXP", Op: sql.OpRegexp, Level: equal, Form: sql.LikeForm},
	{Spelled: "MATCH", Op: sql.OpMatch, Level: equal, Form: sql.LikeForm},
	{Spelled: "BETWEEN", Level: equal, Form: sql.BetweenForm},
	{Spelled: "<", Op: sql.OpLt, Level: less},
	{Spelled: "<=", Op: sql.OpLe, Level: less},
	{Spelled: ">", Op: sql.OpGt, Level: less},
	{Spelled: ">=", Op: sql.OpGe, Level: less},
	{Spelled: "&", Op: sql.OpBitAnd, Level: bits},
	{Spelled: "|", Op: sql.OpBitOr, Level: bits},
	{Spelled: "<<", Op: sql.OpShiftLeft, Level: bits},
	{Spelled: ">>", Op: sql.OpShiftRight, Level: bits},
	{Spelled: "+", Op: sql.OpAdd, Level: sum},
	{Spelled: "-", Op: sql.OpSub, Level: sum},
	{Spelled: "*", Op: sql.OpMul, Level: product},
	{Spelled: "/", Op: sql.OpDiv, Level: product},
	{Spelled: "%", Op: sql.OpMod, Level: product},
	{Spelled: "||", Op: sql.OpConcat, Level: concat},
	{Spelled: "->", Op: sql.OpJSON, Level: concat},
	{Spelled: "->>", Op: sql.OpJSONText, Level: concat},
	{Spelled: "COLLATE", Level: collate, Form: sql.CollateForm},
}

// Keywords: those that are never names without quotes, those of joins, which are no aliases without AS, those that
// begin an expression, and those that are names wherever the grammar has no use for them.
const (
	reserved = `ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT DEFERRABLE
		DELETE DISTINCT DROP ELSE ESCAPE EXISTS FOREIGN FROM GROUP HAVING IN INDEX INSERT INTO IS ISNULL JOIN LIMIT NOT
		NOTHING NOTNULL NULL ON OR ORDER PRIMARY REFERENCES RETURNING SELECT SET TABLE THEN TO TRANSACTION UNIQUE UPDATE
		USING VALUES WHEN WHERE UNION EXCEPT INTERSECT`
	joining   = `CROSS FULL INNER LEFT NATURAL OUTER RIGHT`
	special   = `CAST CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP RAISE`
	elsewhere = `ABORT ACTION AFTER ALWAYS ANALYZE ASC ATTACH BEFORE BEGIN BY CASCADE COLUMN CONFLICT CURRENT DATABASE DEFERRED DESC DETACH DO EACH END EXCLUDE EXCLUSIVE EXPLAIN
		FAIL FILTER FIRST FOLLOWING FOR GENERATED GLOB GROUPS IF IGNORE IMMEDIATE INITIALLY INSTEAD KEY LAST LIKE MATCH
		MATERIALIZED NO NULLS OF OFFSET OTHERS OVER PARTITION PLAN PRAGMA PRECEDING QUERY RANGE RECURSIVE REGEXP
		REINDEX RELEASE RENAME REPLACE RESTRICT ROLLBACK ROW ROWS SAVEPOINT TEMP TEMPORARY TIES TRIGGER UNBOUNDED VACUUM
		VIEW VIRTUAL WINDOW WITH WITHOUT`
)

func keywords() map[string]sql.Use {
	const named = sql.AsColumn | sql.AsName | sql.AsFunction // but no alias without AS
	out := map[string]sql.Use{"INDEXED": named}
	for list, use := range map[string]sql.Use{reserved: sql.Reserved, joining: named, elsewhere: sql.Anywhere,
		special: sql.AsName | sql.AsAlias} {
		for _, word := range strings.Fields(list) {
			out[word] = use
		}
	}
	return out
}

// indexed reads which index a table is read by.
func indexed(r *sql.Reader) []*sql.IndexHint {
	from := r.Here()
	n := &sql.IndexHint{}
	switch {
	case r.Accept("INDEXED", "BY"):
		n.How, n.Indexes = "INDEXED BY", []*sql.Name{r.Name()}
	case r.Accept("NOT", "INDEXED"):
		n.How = "NOT INDEXED"
	default:
		return nil
	}
	return []*sql.IndexHint{sql.Read(r, from, n)}
}

// raise reads what stands behind RAISE.
func raise(r *sql.Reader) sql.Expr {
	r.Expect("(")
	n := &sql.Raise{Action: r.OneOf("IGNORE", "ROLLBACK", "ABORT", "FAIL")}
	switch n.Action {
	case "":
		r.Fail("IGNORE, ROLLBACK, ABORT or FAIL is expected")
	case "IGNORE":
	default:
		r.Expect(",")
		n.Message = r.Expr()
	}
	r.Expect(")")
	return n
}
