package sql

// Begin begins a transaction. Mode is DEFERRED, IMMEDIATE, EXCLUSIVE or "".
type Begin struct {
	statement
	Mode string
}

// Commit ends a transaction.
type Commit struct{ statement }

// Rollback undoes a transaction, or what was done since a savepoint.
type Rollback struct {
	statement
	To *Name
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

// Explain is EXPLAIN, or EXPLAIN QUERY PLAN.
type Explain struct {
	statement
	Plan bool
	Stmt Stmt
}

// Opaque is a statement of which nothing is known but its text.
type Opaque struct {
	statement
	Text string
}
