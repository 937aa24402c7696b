package sql

// Begin begins a transaction. Mode is DEFERRED, IMMEDIATE, EXCLUSIVE, or PESSIMISTIC, OPTIMISTIC, or "".
type Begin struct {
	statement
	Start  bool // START TRANSACTION, where it differs: it alone may have traits
	Mode   string
	Traits []*Option // READ ONLY, WITH CONSISTENT SNAPSHOT, ISOLATION LEVEL …
}

// Commit ends a transaction. Chain is AND CHAIN, AND NO CHAIN or "", Release is RELEASE, NO RELEASE or "".
type Commit struct {
	statement
	Chain, Release string
}

// Rollback undoes a transaction, or what was done since a savepoint. Chain and Release are as those of Commit.
type Rollback struct {
	statement
	To             *Name
	Chain, Release string
}

// SetTransaction is SET [Scope] TRANSACTION with what transactions are to have.
type SetTransaction struct {
	statement
	Scope  string // SESSION, GLOBAL, SESSION CHARACTERISTICS AS, or ""
	Traits []*Option
}

// Set is SET: assignments to variables and settings, and in a trigger to columns.
type Set struct {
	statement
	Settings []*Setting
}

// Setting is one of them. Target is a Variable, a Column, or a name alone behind Scope; none in SET NAMES, SET
// CHARACTER SET, SET TIME ZONE and the like, which are a Scope with a Value. Some have More values.
type Setting struct {
	origin
	Scope  string // GLOBAL, SESSION, LOCAL, PERSIST, … or ""
	Target Expr
	Value  Expr
	More   []Expr
}

// Reset is RESET Target, all without it.
type Reset struct {
	statement
	Target Expr
}

// Show is SHOW Target, all without it.
type Show struct {
	statement
	Target Expr
}

// SetConstraints is SET CONSTRAINTS Names When, all without names: DEFERRED or IMMEDIATE.
type SetConstraints struct {
	statement
	Names []*Object
	When  string
}

// LockTables is LOCK TABLES, and without tables UNLOCK TABLES; and LOCK TABLE, where Mode is of all: ACCESS SHARE, …
type LockTables struct {
	statement
	Tables []*TableLock
	Mode   string
	NoWait bool
}

// TableLock is a table and how it is locked: READ, READ LOCAL, WRITE; "" in LOCK TABLE.
type TableLock struct {
	origin
	Table *Table
	How   string
}

// XA is a step of a distributed transaction: START, END, PREPARE, COMMIT, ROLLBACK, RECOVER, and its identifier. More
// is what stands behind that: ONE PHASE, SUSPEND, …
type XA struct {
	statement
	Step string
	ID   []*Literal
	More string
}

// TwoPhase is a step of a distributed transaction: PREPARE TRANSACTION, COMMIT PREPARED or ROLLBACK
// PREPARED, and its identifier.
type TwoPhase struct {
	statement
	Step string
	ID   *Literal
}

// Maintain is what is done with tables and leaves what they hold: ANALYZE, OPTIMIZE, CHECK or REPAIR, FLUSH,
// VACUUM, REINDEX, REFRESH MATERIALIZED VIEW. How is what stands in front of the tables,
// TABLE among it, More what stands behind them, in upper case.
type Maintain struct {
	statement
	What   string
	Local  bool // NO_WRITE_TO_BINLOG
	How    string
	Tables []*Object
	More   string
}

// Kill ends a connection, or the statement (What: QUERY) that one is at.
type Kill struct {
	statement
	What string // CONNECTION, QUERY, the name of a product or ""
	X    Expr
}

// UseDatabase is USE: in which database names without one are looked for.
type UseDatabase struct {
	statement
	Name *Name
}

// Do is DO: expressions whose values nobody is told.
type Do struct {
	statement
	Exprs []Expr
}

// Savepoint is SAVEPOINT Name.
type Savepoint struct {
	statement
	Name *Name
}

// Release is RELEASE Name, a savepoint.
type Release struct {
	statement
	Name *Name
}

// Pragma is PRAGMA: without a value, Name = Value, or as a call Name(Value).
type Pragma struct {
	statement
	Name  *Object
	Value Expr
	Call  bool
}

// Analyze is ANALYZE, of all or of what Target names.
type Analyze struct {
	statement
	Target *Object
}

// Reindex is REINDEX, of all or of what Target names.
type Reindex struct {
	statement
	Target *Object
}

// Vacuum is VACUUM [Schema] [INTO Into].
type Vacuum struct {
	statement
	Schema *Name
	Into   Expr
}

// Explain is EXPLAIN, or EXPLAIN QUERY PLAN. How is ANALYZE, EXTENDED, FORMAT=…, options in parentheses, or "".
type Explain struct {
	statement
	Plan bool
	How  string
	Stmt Stmt
}

// Opaque is a statement of which nothing is known but its text.
type Opaque struct {
	statement
	Text string
}
