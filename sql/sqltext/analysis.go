package sqltext

// ItemOutput is a pair of result columns that print the pkey and vkey of a base table's rows.
type ItemOutput struct {
	Table      string
	PCol, VCol int // positions in the select list
	// Whole says that a star stands in their place: where the table has columns that it leaves out, they are elsewhere.
	Whole bool
}

// RowCount is how an answer tells how many rows a table holds.
type RowCount struct {
	Told   bool
	Counts bool // its one row does, in Column; else it has a row for each
	Column int  // position in the select list
}

// RowLock is how strongly one row is locked.
type RowLock uint8

// The strengths of row locks, the weakest first (postgresql.org/docs, Row-Level Locks).
const (
	NoRowLock RowLock = iota
	ForKeyShare
	ForShare
	ForNoKeyUpdate // an UPDATE's, too
	ForUpdate      // a DELETE's, too, and that of an UPDATE which changes a key
)

// Excludes says whether two transactions cannot hold such locks on one row at the same time.
func (l RowLock) Excludes(other RowLock) bool {
	return l != NoRowLock && other != NoRowLock && l+other >= ForUpdate+ForKeyShare
}

// Analysis is what a parser tells about one target statement.
type Analysis struct {
	Kind    Kind
	Locking bool   // SELECT … FOR UPDATE or LOCK IN SHARE MODE
	Target  string // table that a write changes
	// Also are further tables that it may write: other targets of an UPDATE or DELETE of several, and those that foreign
	// keys and triggers write for it.
	Also []string
	// Reached are those that foreign keys and triggers write for it, the target maybe among them.
	Reached []string
	// Tables are the base tables it references anywhere, the target of UPDATE and DELETE included, sorted.
	Tables []string
	// Inner are those that subqueries in expressions and common table expressions reference, sorted.
	Inner []string
	// Used are the columns per table whose values its result can depend on, beyond item outputs.
	Used  map[string][]string
	Items []ItemOutput
	// MatchTable is the table whose rows the WHERE clause judges one by one; "" where other rows matter too.
	MatchTable string
	// Judges is that table, and of an UPDATE that other rows can make fail the one whose rows its WHERE clause judges one
	// by one where they do not.
	Judges     string
	MatchAlias string // the name under which MatchWhere knows the table
	MatchWhere string // the clause as SQL; "" matches every row
	// KeyWhere is the condition of the rows of the target that make a difference to a statement which checks unique keys
	// (ChecksUnique), under the name by which it knows the table (KeyAlias): those whose keys it writes, or which it
	// writes. "" where that is not known.
	KeyWhere, KeyAlias string
	// EveryRow says that the statement has to visit every row of MatchTable for which the clause is true: no
	// shortcut to a smallest, a largest or a distinct value.
	EveryRow bool
	// RowCount says how the answer of a SELECT tells the number of rows of MatchTable for which its condition is true.
	RowCount RowCount
	// Refers are the tables among whose rows the statement's foreign keys look for those that refer, or are referred to:
	// there more than what its text finds matters.
	Refers []string
	// VKey is the version key that the statement writes; 0 for SELECT and DELETE, and for others that give none.
	VKey int64
	// ChecksUnique says that rows of the target which it does not write can make it fail.
	ChecksUnique bool
	// Truncates says that it is TRUNCATE TABLE: a DELETE of all rows that does not say how many there were, and waits for
	// whoever uses the table.
	Truncates bool
	// Plain says that it is an INSERT that does nothing to the rows that are there.
	Plain bool
	// Unkeyed says that it may write a row without giving it a version key that nothing else in the case gives.
	Unkeyed bool
	// Upserts is how many rows an INSERT spells that does something to whatever is in the way of one of them, so that each
	// writes; 0: none.
	Upserts int
	// Spells is how many rows an INSERT spells and must write, or fail; 0 where it does not say.
	Spells int
	// Passes is how many rows an INSERT spells that changes, of the rows in their way, those for which a condition is
	// true; 0: it changes all, or none.
	Passes int
	// PKeys are the primary keys that an INSERT spells as literals.
	PKeys []int64
	// Spreads says that a foreign key or a trigger may carry what it does to other rows of a table that it writes itself,
	// or that it writes one under two names: neither its condition nor what it counts is about these.
	Spreads bool
	// Diff says that its writes can only be told by comparing the target's version sets before and after.
	Diff         bool
	ValueDepends bool // values written depend on other rows
	Subquery     bool // has a query block inside another
	SetOrCTE     bool // has a set operation or a common table expression
	TotalOrder   bool // ORDER BY leaves no ties
	Blocks       int  // query blocks that read a table
	LockedBlocks int  // those of them with a lock clause
	Returns      bool // a write that returns rows: those that it writes
	// RowLock is how strongly a SELECT locks each row of its outermost block's tables that it returns; NoRowLock also
	// where that is not read.
	RowLock RowLock
	// SkipsLocked says that some block passes over the rows that others have locked: what it does not return says nothing.
	SkipsLocked bool
	// LocksSome says that some lock clause is of a part of its block's tables: the others are read as by a plain SELECT.
	LocksSome bool
	// PlanDecides says of a SELECT that whether some of its expressions are evaluated, and so whether the errors and the
	// warnings that they can raise arise, is up to the plan.
	PlanDecides bool
}

// Risk is a set of reasons for which more than one result of a statement is right, or it fails for certain. A
// statement with a risk can differ without a bug, so a rewrite must not add one: a candidate that fails for that
// reason has slipped.
type Risk uint8

// The risks.
const (
	RiskTies    Risk = 1 << iota // LIMIT without a total order
	RiskBare                     // a column outside of aggregates that is no grouping column
	RiskRows                     // a scalar subquery that may give several rows, of which any is taken
	RiskFloats                   // a sum whose last digits depend on the order of the rows
	RiskUnique                   // an UPDATE of several rows that computes a unique column: it may fail or not
	RiskDangles                  // a column of no source
)
