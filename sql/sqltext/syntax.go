package sqltext

import (
	"txweave/sql"
	"txweave/sql/functions"
)

// Syntax is how the statements of one DBMS are read. The DBMS's folder below dbms says so.
type Syntax struct {
	Quoting Quoting
	// Tree is how they are read as trees, and printed.
	Tree *sql.Dialect
	// Functions are those that it has.
	Functions functions.Database
	// Hints are those, in upper case, that /*+ … */ may give it in a case; nil: it is a comment.
	Hints []string
	// Settings are those of its sessions, in lower case, that a case may change; one that ends in * begins the names of
	// several. SettingWords are the words, in upper case, that the list of one may have, where it may not have all.
	Settings     []string
	SettingWords map[string][]string
	// Traits are what it does otherwise than others with the same words.
	Traits Traits
	// Doubt says in what a second reader differs about a statement that a person gives; nil where there is none.
	Doubt func(sql string) error
	// Remarks are the beginnings of executable comments that it does not run, because they are for another DBMS: "/*M!".
	Remarks []string
	// TextTellsTime says that to its functions of dates a text 'now' is the time.
	TextTellsTime bool
	// TablesByCase says that names of tables which differ in capitals alone are those of two tables.
	TablesByCase bool
	// Inside is what the names of tables begin with that are the database's own, and in every case; "": there are none.
	Inside string
	// DropTemporary is the format of the statement that drops a temporary table, and no other.
	DropTemporary string
}

// syntaxes are those of the DBMSs by their names, and that of all others under "".
var syntaxes = map[string]*Syntax{}

// RegisterSyntax says how the statements of a DBMS are read; name "" means any that is not known. Package dbms/registry
// calls it before main begins, so that what is registered never changes afterwards.
func RegisterSyntax(name string, s *Syntax) { syntaxes[name] = s }

// SyntaxOf returns how the statements of the DBMS of that name are read, such as the target that a case names.
func SyntaxOf(name string) *Syntax {
	if s := syntaxes[name]; s != nil {
		return s
	}
	s := syntaxes[""]
	if s == nil {
		panic("sqltext: no syntax is registered: a program or test that reads cases must import txweave/dbms/registry")
	}
	return s
}

// Traits are what databases do otherwise with the same words.
type Traits struct {
	// KeysCompare says that = compares as unique keys do, so that a condition tells which rows the keys of a write meet.
	KeysCompare bool
	// SetReturning says that a function among what a query prints may return several rows.
	SetReturning bool
	// CopyLocks says that a query whose rows go into a new table locks what it reads.
	CopyLocks bool
	// ExactQuotes says that a name in quotes differs from the same name in other letters.
	ExactQuotes bool
	// CountsInside says that the numbers which it gives rows are part of what its tables hold: they are given again after
	// a rollback.
	CountsInside bool
	// Places are the columns that every table has which tell where a version of a row lies, and which transactions made
	// it.
	Places []string
	// Catalogue begins the names of the tables that tell of the server; "" where these have a schema of their own.
	Catalogue string
	// Commits says whether a statement commits the transaction that is open before it does anything; what no tree is read
	// of is known by its kind alone. nil: none does, and a definition is part of its transaction.
	Commits func(sql.Stmt, Kind) bool
	// Refuse says why nothing can be told of a statement with a node; nil for nothing.
	Refuse func(sql.Node) error
}
