package sqltext

// Parser is the grammar of a family of DBMSs. Statements go in and come out as text. One is for one goroutine at a time.
type Parser interface {
	Analyzer
	Describer
	Rewriter
}

// Analyzer answers what the oracles have to know of a target statement.
type Analyzer interface {
	// Analyze reads one target statement of a case with this schema. A statement whose tables or versions are not known
	// for certain is an error: the oracles refuse it.
	Analyze(s *Schema, sql string) (*Analysis, error)
	// BeforeRead returns the query for pkey and vkey of the rows that an UPDATE or DELETE writes, under the same WHERE,
	// ORDER BY and LIMIT (TxCheck, section 3.2); "" where there is none. A locking one takes the locks that the statement
	// itself takes: exclusive ones on the target's rows, with inner shared ones in its inner query blocks; a view, which has no
	// place for a lock clause, stands there as its query.
	BeforeRead(s *Schema, sql string, locking, inner bool) (string, error)
	// JoinedRead returns the query for pkey and vkey of the rows that an UPDATE or DELETE of joined tables writes, two columns for each of the
	// tables, which it names in that order; "" for every other statement, and where it writes not each of the tables that it joins, or
	// joins one with itself. Locks are as with BeforeRead.
	JoinedRead(s *Schema, sql string, locking, inner bool) (query string, tables []string, err error)
}

// Describer names what statements have, for telling findings apart.
type Describer interface {
	// Features returns the names of the nodes in a target statement's tree: clauses, joins, subqueries, functions. With
	// ordinary it also names operators and WHERE, which next to every statement has. ok is false for what it cannot read.
	Features(sql string, ordinary bool) (features []string, ok bool)
	// SchemaFeatures returns the names of what a CREATE statement has besides columns and the primary key.
	SchemaFeatures(sql string) []string
}

// Rewriter proposes smaller texts for a target statement and says what they risk. ok is false for what it does not
// read, or cannot write without changing more than was meant.
type Rewriter interface {
	// Spell returns the statement as the parser prints it, on which edits are built.
	Spell(sql string) (text string, ok bool)
	// Edit returns the statement with its i-th edit, large ones first; "" where that gives no statement, or one with a
	// risk that it had not. more is false where there are fewer edits.
	Edit(sql string, s *Schema, i int) (text string, more bool)
	// Clauses returns what each edit drops, where that is a clause: one string an edit, "" for the others.
	Clauses(sql string, s *Schema) []string
	// Risks returns the reasons for which the statement may have more than one right result, or fails for certain.
	Risks(sql string, s *Schema) (r Risk, ok bool)
	// Aliases returns the names that a statement gives to tables, common table expressions and results, in lower case.
	Aliases(sql string) (tables, ctes, results []string)
	// Telling returns queries that tell what a query reads, for one that does not print it: each prints pkey and vkey of one of its tables,
	// of all rows, or of those for which its conditions on that table alone are true. They come in the order of how much they explain.
	Telling(sql string, s *Schema) []string
	// SameShape says whether two statements have the same tree but for their names. It is true where the first one cannot
	// be read: nothing is known of its shape.
	SameShape(before, after string) bool
	// ChangeKeys gives every integer that stands for a pkey or vkey to change and writes what that returns.
	ChangeKeys(sql string, change func(table, column string, n int64) int64) (text string, ok bool)
	// WithoutColumns takes columns, by table, out of the assignments of an UPDATE or the lists of an INSERT … SELECT.
	// ok is false where there is nothing to be done.
	WithoutColumns(sql string, gone map[string]map[string]bool) (text string, ok bool)
}

// Risk is a set of reasons for which more than one result of a statement is right, or it fails for certain. A
// statement with a risk can differ without a bug, so a rewrite must not add one: a candidate that fails for that
// reason has slipped.
type Risk uint8

// The risks.
const (
	RiskTies    Risk = 1 << iota // LIMIT without a total order
	RiskBare                     // a column outside of aggregates that is no grouping column
	RiskRows                     // a scalar subquery that may give several rows: SQLite takes any of them
	RiskFloats                   // a sum whose last digits depend on the order of the rows
	RiskUnique                   // an UPDATE of several rows that computes a unique column: it may fail or not
	RiskDangles                  // a column of no source
)
