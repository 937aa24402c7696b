package sql

// Begin begins a transaction. Mode is SQLite's DEFERRED, IMMEDIATE, EXCLUSIVE, or TiDB's PESSIMISTIC, OPTIMISTIC.
type Begin struct {
	statement
	Start  bool // START TRANSACTION, where it differs: it alone has traits in MySQL
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
	Scope  string // SESSION, GLOBAL or ""
	Traits []*Option
}

// Set is SET: assignments to variables and settings, and in a trigger to columns.
type Set struct {
	statement
	Settings []*Setting
}

// Setting is one of them. Target is a Variable, a Column, or a name alone behind Scope; none in SET NAMES and SET
// CHARACTER SET, which are a Scope with a Value.
type Setting struct {
	origin
	Scope  string // GLOBAL, SESSION, LOCAL, PERSIST, … or ""
	Target Expr
	Value  Expr
}

// LockTables is MySQL's LOCK TABLES, and without tables UNLOCK TABLES.
type LockTables struct {
	statement
	Tables []*TableLock
}

// TableLock is a table and how it is locked: READ, READ LOCAL, WRITE.
type TableLock struct {
	origin
	Table *Table
	How   string
}

// XA is a step of a distributed transaction: START, END, PREPARE, COMMIT, ROLLBACK, RECOVER, and its identifier. More is
// what stands behind that: ONE PHASE, SUSPEND, …
type XA struct {
	statement
	Step string
	ID   []*Literal
	More string
}

// Maintain is ANALYZE, OPTIMIZE, CHECK or REPAIR TABLE, or FLUSH TABLES; More is what stands behind the tables, in upper
// case.
type Maintain struct {
	statement
	What   string
	Local  bool // NO_WRITE_TO_BINLOG
	Tables []*Object
	More   string
}

// Kill ends a connection, or the statement (What: QUERY) that one is at.
type Kill struct {
	statement
	What string // CONNECTION, QUERY, TIDB or ""
	X    Expr
}

// UseDatabase is USE: in which database names without one are looked for.
type UseDatabase struct {
	statement
	Name *Name
}

// Do is MySQL's DO: expressions whose values nobody is told.
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

// Pragma is SQLite's PRAGMA: without a value, Name = Value, or as a call Name(Value).
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

// Explain is EXPLAIN, or EXPLAIN QUERY PLAN. How is MySQL's ANALYZE, EXTENDED, FORMAT=…, or "".
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
