package gen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
)

// Dialect is what one DBMS accepts and how a fragment is spelled there: data and small functions, so that shared
// code never asks which DBMS it writes for.
type Dialect struct {
	Name string       // of the DBMS
	Tree *sql.Dialect // how its statements are read and printed
	TableForms
	ExprForms
	QueryForms
	WriteForms
	TxnForms
	Capabilities
	DDL Redefinitions
}

// TableForms say how tables are defined.
type TableForms struct {
	Types    [NumKinds]string // column types; VARCHAR takes a length, DECIMAL a precision and a scale
	PkeyType string           // type of pkey
	// type that makes a primary key the number by which the engine finds its rows; "": none does
	RowNumber string
	RowByRow  bool // foreign keys are checked with each row that a statement writes, not when it is done
	// what follows the TableSuffix of tables that have no such number; "": all have one, or none
	WithoutNumber string
	TableSuffix   string // what follows the closing parenthesis of CREATE TABLE
	UniqueKeys    bool   // a unique index inside CREATE TABLE is UNIQUE KEY name, not CONSTRAINT name UNIQUE
	KeyApart      string // what follows a primary key that rows are not stored by
	PkeyIndex     string // what the name of an index on pkey adds to its table's, where that is not "_pkey"
	// secondary indexes that CREATE TABLE defines, in percent; the others get a CREATE INDEX
	InlineShare int
	PlainKey    bool      // a primary key takes no direction
	TextPrefix  string    // what follows a TEXT column in an index
	Specials    []Special // column types outside the families
	RowFormats  []string  // of tables
	// the definition of a column of a fixed length that reads as an empty text; "": tables are widened otherwise
	Filler     string
	Sparse     string // what follows the definition of a table whose pages are to hold few rows
	CountedKey bool   // a primary key may be the number that the DBMS gives a row
}

// ExprForms say how expressions are spelled, and which there are.
type ExprForms struct {
	DoubleLit   string // DOUBLE literal, from its text
	DateLit     string // DATE literal, from its text
	DatetimeLit string // DATETIME literal, from its text
	NullSafe    string // a comparison in which NULL equals NULL, from both operands; "": <=>
	Distinct    string // the comparison that says the opposite, from both operands; "": none is used
	Prefix      string // the first n characters of a string, from both
	// a search for texts with a beginning, beside LIKE, from the text and a pattern; "": none
	BeginsWith   string
	AnyMore      string     // what such a pattern ends with
	Functions    []Function // deterministic functions without errors
	If           string     // choice by a condition, from it and both values
	Truth        string     // a condition as a number, from it
	Coalesce     []string   // functions that return the first value that is not NULL
	MaxInt       float64    // the largest whole number that an expression may give; 0: no smaller than others
	Quotient     string     // the whole part of a quotient, from both operands
	CastInt      string     // the type that CAST makes an integer of
	AvgFamilies  []Family   // families whose AVG does not depend on the row order
	GroupExtrema []Family   // families that grouped queries take MIN and MAX of
}

// QueryForms say what queries may have.
type QueryForms struct {
	SetOps        []string // set operations of a statement
	DerivedSetOps []string // set operations of derived tables and CTEs
	LockClauses   []string // how a locking read locks: UPDATE, SHARE, …
	LocksWrite    bool     // a READ ONLY transaction may hold no locking reads
	LockWaits     []string // those that may be followed by NOWAIT, SKIP LOCKED, OF tables
	SelectOptions []string // words after SELECT that advise the optimizer
	// what a comment after SELECT may advise: {all} stands for the aliases of its tables, {one} for one of them
	Hints        []string
	InnerHints   []string // the same of a subquery
	Ascending    bool     // nothing is read in descending order but by the production "descending"
	ScratchAlone bool     // in autocommit the table of a query's answer may be one for all
}

// WriteForms say what writes may have.
type WriteForms struct {
	SelfSubquery  bool // UPDATE and DELETE may read their target in subqueries of WHERE
	DMLLimit      bool // UPDATE and DELETE take ORDER BY … LIMIT
	OrIgnore      bool // what passes over rows is OR IGNORE, not IGNORE
	Duplicate     bool // an upsert is ON DUPLICATE KEY UPDATE, not ON CONFLICT
	UpdateReturns bool // UPDATE may have RETURNING, too
}

// TxnForms say how transactions begin and end, and which there are.
type TxnForms struct {
	// Begin returns the statement that opens a transaction at a level, one that writes or one that only reads. below draws
	// a number from 0 to n-1.
	Begin         func(below func(n int) int, isolation string, writes bool) string
	ReadOnlyShare int // transactions without a write, in percent, beyond those that turn out so
	// levels at which the database itself rolls many transactions back: fewer end with ROLLBACK
	GivesUp    []string
	OwnLevels  []string // those that a transaction may have for its own, beside others
	Disconnect string   // by which a session ends itself
}

// Capabilities say what the database has of what not all have, and how often it is written.
type Capabilities struct {
	// Has says what the DBMS has of what not all have, and the version since when; "" is every version.
	Has map[Capability]string
	// Version is the part of a server's version that those count by; nil: all of it.
	Version func(server string) string
	// Levels are the levels at which it is used, where it is not at all.
	Levels  map[Capability][]string
	Weights map[string]int // productions whose weight differs from the table's
}

// Function is a function call with typed arguments.
type Function struct {
	tmpl  string // format of the call, from its arguments
	ret   Family
	args  []Family
	bound Bound
}

// Func describes a function by the format of its call, its result and its arguments.
func Func(call string, result Family, bound Bound, args ...Family) Function {
	return Function{tmpl: call, ret: result, args: args, bound: bound}
}

// Bound gives what a result never exceeds, from the same of the arguments: the absolute value of a number, the length
// of a string in characters.
type Bound func(args []float64) float64

// UpTo is a bound that does not depend on the arguments.
func UpTo(n float64) Bound { return func([]float64) float64 { return n } }

// Sum bounds a concatenation.
func Sum(args []float64) float64 {
	b := 0.0
	for _, a := range args {
		b += a
	}
	return b
}

// Most bounds a choice among the arguments.
func Most(args []float64) float64 { return slices.Max(args) }

// Bits bounds a bitwise combination of two's complements.
func Bits(args []float64) float64 { return 2*Most(args) + 1 }

// Scaled bounds the length in another unit.
func Scaled(n float64) Bound {
	return func(args []float64) float64 { return args[0] * n }
}

// Plus bounds what may be a little more than the argument.
func Plus(n float64) Bound {
	return func(args []float64) float64 { return Sum(args) + n }
}

// pkeyIndex is what the name of an index on pkey adds to its table's.
func (d *Dialect) pkeyIndex() string { return cmp.Or(d.TableForms.PkeyIndex, "_pkey") }

// avg reports whether AVG over a family is deterministic.
func (d *Dialect) avg(f Family) bool { return slices.Contains(d.ExprForms.AvgFamilies, f) }

// older compares versions number by number, as far as both go: "10.6.12-log" is older than "10.11".
func older(a, b string) bool {
	numbers := func(v string) []string {
		end := strings.IndexFunc(v, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if end >= 0 {
			v = v[:end]
		}
		return strings.Split(v, ".")
	}
	x, y := numbers(a), numbers(b)
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i]) // an empty part counts as 0
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return false
}
