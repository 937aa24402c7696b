// Package testcase holds the model of a case and its text form, the .txw file.
//
// A case is text first: schema, initial rows, transactions and a schedule, in one file that a person can
// read and edit. Printing a parsed case gives the same text again; parsing a printed case gives the same case.
//
// The text of a case:
//
//	# comment lines
//	txweave case 1
//	tool: txweave 0.1.0
//	seed: 17
//	target: NAME
//	isolation: repeatable-read
//	plan: no-indexes
//
//	-- schema --
//	CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, c0 TEXT);
//
//	-- rows --
//	INSERT INTO t0 (pkey, vkey, c0) VALUES (1, 1, 'a');
//
//	-- T0 --
//	BEGIN;
//	UPDATE t0 SET vkey = 2 WHERE pkey = 1;
//	COMMIT;
//
//	-- T1 --
//	BEGIN;
//	SELECT * FROM t0;
//	COMMIT;
//
//	-- schedule --
//	T0 T1 T0 T1 T0 T1
//
//	-- order --
//	T0.S0 T1.S0
//
// A transaction runs in a session of its own unless its section says otherwise: the transactions of the sections
// "-- T0 session 1 --" and "-- T2 session 1 --" share one connection, on which they run one after the other. It runs at
// the case's level unless its section says otherwise: "-- T1 isolation read-committed --", "-- T2 session 1 isolation
// snapshot --".
//
// Sections come in this order; schema, rows, schedule and order may be missing, and a missing schedule means one
// transaction after the other. An order names target statements: run one by one without transactions, they must
// give what they give in the schedule. A case that has one is judged by it and by nothing else.
// The fields tool and seed may be missing too, target and isolation may not.
// The header field statements has the identities of the transactions' statements (StmtID) where these are not 1, 2, 3,
// … in the order of the file.
//
// A statement ends with a semicolon and may span lines. A line that starts with '#' between two statements
// is a comment of the next one, whichever section that is in; where no statement follows it goes to the end
// of the case, and in the header to its beginning. A file whose first line ends with CRLF is read as one
// with CRLF throughout.
//
// Statements are split by the lexical rules of the target, in the first version of the format by one set for every
// target: a backslash escapes in '…' and "…", '#' and "-- " start a comment. A semicolon between BEGIN and END of a
// trigger is the trigger's.
package testcase

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// Case is one test case: what to create, what to run in transactions, and in which order to submit it.
type Case struct {
	Comments  []string          // comment lines before the header, each with its leading '#'
	Tool      string            // version of the tool that wrote the case, e.g. "txweave 0.1.0"
	Seed      uint64            // seed that generated this case; 0 for a hand-written one
	Target    string            // dialect the case was written for: see package registry
	Isolation string            // profile name: "repeatable-read", "serializable", …
	Options   []Option          // further header fields, in file order
	Schema    []Stmt            // CREATE TABLE and CREATE INDEX statements
	Rows      []Stmt            // INSERT statements of the initial rows
	Sessions  []SessionSettings // what sessions are set to, in order of number
	Txns      []Txn             // transactions; the index is the transaction's number
	Schedule  Schedule          // transaction numbers in submission order, one entry per statement, BEGIN and end included
	Order     []Ref             // the equivalent order without transactions, where the case says it; nil: to be inferred
	Tail      []string          // comment lines after the last section's content

	places *places // nil: not known
	given  StmtID  // the last identity that a statement of it got
}

// Ref names a target statement: a transaction and a position among its Stmts.
type Ref struct{ Txn, Stmt int }

// String returns the statement's name, such as "T1.S3".
func (r Ref) String() string { return fmt.Sprintf("T%d.S%d", r.Txn, r.Stmt) }

// Option is one header field beyond the fixed ones.
type Option struct{ Key, Value string }

// OptionPlan is the key of the plan setting under which a case's statements are executed a third time.
const OptionPlan = "plan"

// OptionSetting is the key of the plan setting under which a case is run and replayed.
const OptionSetting = "setting"

// OptionStore is the key of the shape of the store in which a case's tables lie.
const OptionStore = "store"

// Option returns the value of a header field beyond the fixed ones; "" where there is none.
func (c *Case) Option(key string) string {
	for _, o := range c.Options {
		if o.Key == key {
			return o.Value
		}
	}
	return ""
}

// SetOption gives a header field beyond the fixed ones a value; "" takes it away. Its place is behind the others.
func (c *Case) SetOption(key, value string) {
	c.Options = slices.DeleteFunc(c.Options, func(o Option) bool { return o.Key == key })
	if value != "" {
		c.Options = append(c.Options, Option{Key: key, Value: value})
	}
}

// Stmt is one SQL statement, without its final semicolon, and the comment lines that precede it. Those of transactions
// have an identity.
type Stmt struct {
	ID       StmtID
	Comments []string
	SQL      string
}

// Txn is one transaction: the statement that opens it, its target statements, the one that ends it. A statement outside
// any transaction, in autocommit, is one of its own: Begin and End are empty, and Stmts is that statement.
type Txn struct {
	// Session names the session that runs the transaction: those of the same positive number share one, in which
	// the schedule must not interleave them. 0: a session of its own.
	Session int
	// Isolation is the level of the transaction where that is not the case's, by the name of its profile; "" is the
	// case's.
	Isolation string
	Begin     Stmt // e.g. BEGIN, START TRANSACTION WITH CONSISTENT SNAPSHOT, BEGIN IMMEDIATE
	Stmts     []Stmt
	End       Stmt // COMMIT or ROLLBACK
}

// Autocommit says whether the transaction is one statement outside any transaction.
func (t *Txn) Autocommit() bool { return t.Begin.SQL == "" && t.End.SQL == "" && len(t.Stmts) == 1 }

// Steps returns how many schedule entries the transaction takes.
func (t *Txn) Steps() int {
	if t.Autocommit() {
		return 1
	}
	return len(t.Stmts) + 2
}

// Step returns the transaction's i-th statement, counted as the schedule counts: 0 is Begin, Steps()-1 is End, where it
// has these. It points into t. It panics where i is out of range.
func (t *Txn) Step(i int) *Stmt {
	switch {
	case t.Autocommit():
		return &t.Stmts[i]
	case i == 0:
		return &t.Begin
	case i == len(t.Stmts)+1:
		return &t.End
	}
	return &t.Stmts[i-1]
}

// SerialSchedule returns the schedule that runs the transactions one after the other, in order of number.
func (c *Case) SerialSchedule() []int {
	var s []int
	for n := range c.Txns {
		for range c.Txns[n].Steps() {
			s = append(s, n)
		}
	}
	return s
}

// Predecessors returns, by transaction, the one that a schedule runs before it in the same session; -1 for the
// first of a session. ok is false if two transactions of a session overlap.
func (c *Case) Predecessors(schedule []int) (before []int, ok bool) {
	before = make([]int, len(c.Txns))
	left := make([]int, len(c.Txns))
	for n := range c.Txns {
		before[n], left[n] = -1, c.Txns[n].Steps()
	}
	last := map[int]int{} // session -> its transaction that began last
	for _, n := range schedule {
		if session := c.Txns[n].Session; session != 0 && left[n] == c.Txns[n].Steps() {
			if m, busy := last[session]; busy {
				before[n] = m
				if left[m] > 0 {
					return before, false
				}
			}
			last[session] = n
		}
		left[n]--
	}
	return before, true
}

// ReadSchema reads the statements that define the case's tables, as its target does.
func (c *Case) ReadSchema() *sqltext.Schema {
	return sqltext.SyntaxOf(c.Target).Schema(Texts(c.Schema))
}

// Makes are the tables, in lower case, that statements of the transactions make beside those of the schema.
func (c *Case) Makes() []string {
	var names []string
	for i := range c.Txns {
		for at := range c.Txns[i].Steps() {
			s := c.Read(c.Txns[i].Step(at).SQL)
			d, _ := s.Redefinition()
			x, _ := s.Scratch()
			for _, name := range []string{d.Makes, x.Table} {
				if name != "" && !x.Temporary && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Clone returns a copy of the case that shares no memory with it that either could change.
func (c *Case) Clone() *Case {
	d := *c
	d.places = nil // it is going to be another one
	d.Comments = slices.Clone(c.Comments)
	d.Options = slices.Clone(c.Options)
	d.Schema = cloneStmts(c.Schema)
	d.Rows = cloneStmts(c.Rows)
	d.Sessions = slices.Clone(c.Sessions)
	for i, s := range d.Sessions {
		d.Sessions[i].Stmts = cloneStmts(s.Stmts)
	}
	d.Txns = slices.Clone(c.Txns)
	for i, t := range d.Txns {
		d.Txns[i] = Txn{Session: t.Session, Isolation: t.Isolation, Begin: t.Begin.clone(), Stmts: cloneStmts(t.Stmts),
			End: t.End.clone()}
	}
	d.Schedule = slices.Clone(c.Schedule)
	d.Order = slices.Clone(c.Order)
	d.Tail = slices.Clone(c.Tail)
	return &d
}

// Refers says whether a table of the case may have foreign keys.
func (c *Case) Refers() bool {
	return slices.ContainsFunc(c.Schema, func(s Stmt) bool {
		return strings.Contains(strings.ToLower(s.SQL), "references")
	})
}

// Texts returns the statements' SQL.
func Texts(stmts []Stmt) []string {
	out := make([]string, len(stmts))
	for i, s := range stmts {
		out[i] = s.SQL
	}
	return out
}

func (s Stmt) clone() Stmt { return Stmt{ID: s.ID, Comments: slices.Clone(s.Comments), SQL: s.SQL} }

func cloneStmts(stmts []Stmt) []Stmt {
	out := slices.Clone(stmts)
	for i, s := range out {
		out[i] = s.clone()
	}
	return out
}
