package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Dialect is what one DBMS accepts and how a fragment is spelled there: data and small functions, so that shared
// code never asks which DBMS it writes for.
type Dialect struct {
	Name          string           // "sqlite", "mariadb", "mysql", "tidb"
	Types         [numKinds]string // column types; VARCHAR takes a length, DECIMAL a precision and a scale
	PkeyType      string           // type of pkey
	TableSuffix   string           // what follows the closing parenthesis of CREATE TABLE
	UniqueDef     string           // unique index inside CREATE TABLE, from its name and its column
	InlineShare   int              // secondary indexes that CREATE TABLE defines, in percent; the others get a CREATE INDEX
	Ascending     bool             // nothing is read in descending order
	TextPrefix    string           // what follows a TEXT column in an index
	DoubleLit     string           // DOUBLE literal, from its text
	DateLit       string           // DATE literal, from its text
	DatetimeLit   string           // DATETIME literal, from its text
	Prefix        string           // the first n characters of a string, from both
	Functions     []function       // deterministic functions without errors
	If            string           // the function that chooses by a condition
	SetOps        []string         // set operations of a statement
	DerivedSetOps []string         // set operations of derived tables and CTEs
	LockClauses   []string         // clauses of a locking read
	AvgFamilies   []family         // families whose AVG does not depend on the row order
	GroupExtrema  []family         // families that grouped queries take MIN and MAX of
	SelfSubquery  bool             // UPDATE and DELETE may read their target in subqueries of WHERE
	DMLLimit      bool             // UPDATE and DELETE take ORDER BY … LIMIT
	ReadOnlyShare int              // transactions without a write, in percent, beyond those that turn out so
	Weights       map[string]int   // productions whose weight differs from the table's

	// Begin returns the statement that opens a transaction.
	Begin func(g *generator, writes bool) string
}

// function is a function call with typed arguments.
type function struct {
	tmpl  string // format of the call, from its arguments
	ret   family
	args  []family
	bound func(args []expr) float64 // bound of the result
}

// upTo is a bound that does not depend on the arguments.
func upTo(n float64) func([]expr) float64 { return func([]expr) float64 { return n } }

// sum bounds a concatenation.
func sum(args []expr) float64 {
	b := 0.0
	for _, a := range args {
		b += a.bound
	}
	return b
}

// most bounds a choice among the arguments.
func most(args []expr) float64 { return widest(args...) }

// bits bounds a bitwise combination of two's complements.
func bits(args []expr) float64 { return 2*widest(args...) + 1 }

// scaled bounds the length in another unit.
func scaled(n float64) func([]expr) float64 {
	return func(args []expr) float64 { return args[0].bound * n }
}

// avg reports whether AVG over a family is deterministic.
func (d *Dialect) avg(f family) bool { return slices.Contains(d.AvgFamilies, f) }

// dialects lists the dialects in the order in which messages name them.
var dialects = []*Dialect{sqlite, mariadb, mysql, tidb}

// Lookup returns the dialect of a name.
func Lookup(name string) (*Dialect, error) {
	var names []string
	for _, d := range dialects {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("gen: no dialect %q, have %s", name, strings.Join(names, ", "))
}
