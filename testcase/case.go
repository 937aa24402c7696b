// Package testcase holds the model of a case and its text form, the .txw file.
//
// A case is text first: schema, initial rows, transactions and a schedule, in one file that a person can
// read and edit. Printing a parsed case gives the same text again; parsing a printed case gives the same case.
package testcase

// FormatVersion is the version of the .txw text format that this package reads and writes.
const FormatVersion = 1

// Case is one test case: what to create, what to run in transactions, and in which order to submit it.
type Case struct {
	Comments  []string // comment lines before the header, each with its leading '#'
	Tool      string   // version of the tool that wrote the case, e.g. "txweave 0.1.0"
	Seed      uint64   // seed that generated this case; 0 for a hand-written one
	Target    string   // dialect the case was written for: "sqlite", "mariadb", "mysql"
	Isolation string   // profile name: "repeatable-read", "serializable", …
	Options   []Option // further header fields, in file order
	Schema    []Stmt   // CREATE TABLE and CREATE INDEX statements
	Rows      []Stmt   // INSERT statements of the initial rows
	Txns      []Txn    // transactions; the index is the transaction's number
	Schedule  []int    // transaction numbers in submission order, one entry per statement, BEGIN and end included
	Tail      []string // comment lines after the last section's content
}

// Option is one header field beyond the fixed ones.
type Option struct{ Key, Value string }

// Stmt is one SQL statement, without its final semicolon, and the comment lines that precede it.
type Stmt struct {
	Comments []string
	SQL      string
}

// Txn is one transaction: the statement that opens it, its target statements, the one that ends it.
type Txn struct {
	Begin Stmt // e.g. BEGIN, START TRANSACTION WITH CONSISTENT SNAPSHOT, BEGIN IMMEDIATE
	Stmts []Stmt
	End   Stmt // COMMIT or ROLLBACK
}

// Steps returns how many schedule entries the transaction takes.
func (t *Txn) Steps() int { return len(t.Stmts) + 2 }
