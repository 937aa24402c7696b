package sdg

import (
	"txweave/history"
	"txweave/sql/sqltext"
)

// TableRead is what one statement saw of one table it references: the outcome of its version-set read.
type TableRead struct {
	Table string
	Seen  map[int64]int64 // pkey -> vkey of every row that was visible
	// Columns are the columns of the table whose values the statement's result can depend on, apart from
	// printing pkey and vkey of item outputs. nil means: unknown, treat every column as used.
	Columns []string
	// KeyCheck says that the statement is an INSERT … VALUES which references the table only to check its
	// unique keys. Where it succeeded, that makes edges at match precision only: below it, whoever frees a
	// key has seen that the new row was not there yet, and so has an edge to its INSERT already.
	KeyCheck bool
	// Refers says that the statement looks among all rows of the table for those that a foreign key names, or that name
	// one: match precision does not apply.
	Refers bool
}

// Node is a node of the graph: one statement of a committed transaction with what it read and wrote.
type Node struct {
	Name   string // "T1.S3": for labels and messages
	Txn    int    // transaction number
	Kind   sqltext.Kind
	Reads  []TableRead       // every base table it references
	Out    []history.Version // item outputs of a SELECT: versions printed in its result
	Writes []history.Write
	// ValueDepends says that values which it writes depend on other rows (INSERT … SELECT, subqueries in SET).
	ValueDepends bool
	// MatchTable is the one table the statement ranges over when its rows can be judged one by one by a WHERE
	// clause (single table, no subquery, no LIMIT); "" where they cannot. Only then does match precision apply.
	MatchTable string
	// KeyTable is in place of that the one table whose unique keys it checks, where Matches says of each of its rows
	// whether the statement would meet it: it has a key that the statement writes, or is a row that it writes. "" where
	// that is not known.
	KeyTable string
}

// Input is all that inference works on. Stmts are in the order in which they really ran.
type Input struct {
	Initial map[string]map[int64]int64 // table -> pkey -> vkey before the first statement
	Stmts   []Node
	// Content returns the row of a version as column name -> value, nil if it is not known.
	Content func(history.Version) map[string]string
	// Matches says whether the WHERE clause of Stmts[i] is true for the row of v (v of its MatchTable); known
	// is false where that could not be told. May be nil.
	Matches func(i int, v history.Version) (match, known bool)
}

// Precision says when two states of an item count as the same for a statement.
type Precision uint8

// The precisions, each one admitting all equivalences of the one before.
const (
	Exact  Precision = iota // same version, or both absent
	Column                  // also: equal in every column that the statement uses, and neither printed nor written by it
	Match                   // also: both contribute nothing, or both match with equal used columns
)

// Label is one of the paper's kinds of direct statement dependency (Definitions 2-8).
type Label uint8

// The labels of an edge.
const (
	ItemRead       Label = 1 << iota // Definition 2
	ItemWrite                        // Definition 3
	ItemAnti                         // Definition 4
	PredicateRead                    // Definition 5
	PredicateWrite                   // Definition 6
	PredicateAnti                    // Definition 7
	ValueWrite                       // Definition 8
)
