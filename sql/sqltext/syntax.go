package sqltext

import (
	"slices"

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
	// Called are names of settings, in lower case, that not all its versions know, each with one that all do.
	Called map[string]string
	// Traits are what it does otherwise than others with the same words.
	Traits Traits
	// Admission is what a case or a script of it may hold.
	Admission Admission
	// Doubt says in what a second reader differs about a statement that a person gives; nil where there is none.
	Doubt func(sql string) error
	// Idle are the settings of its servers that change no answer, as patterns of package path: how much memory and disk
	// there is, how durable a commit is, where the server listens and what it logs, how long a statement may wait, what it
	// is called.
	Idle []string
	// Remarks are the beginnings of executable comments that it does not run, because they are for another DBMS: "/*M!".
	Remarks []string
	// TextTellsTime says that to its functions of dates a text 'now' is the time.
	TextTellsTime bool
	// TablesByCase says that names of tables which differ in capitals alone are those of two tables.
	TablesByCase bool
	// Inside is what the names of tables begin with that are the database's own, and in every case; "": there are none.
	Inside string
	// CheckKeys is the setting, in lower case, by which its sessions check foreign keys, as those of cases do, where they
	// do not unless they are told to; "": they check them.
	CheckKeys string
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
	// FirstColumns says that an INSERT which names no columns may give values for the first ones alone.
	FirstColumns bool
	// Places are the columns that every table may have which tell where a version of a row lies, and when, or by which
	// transactions, it was made. Unlisted are these and others that tables have of themselves, which * does not print:
	// what a condition says of them for one copy of a row it does not say for another.
	Places, Unlisted []string
	// Schemas are the databases, in lower case, that tell of the server.
	Schemas []string
	// Catalogue begins the names of the tables that tell of the server; "" where these have a schema of their own.
	Catalogue string
	// Commits says whether a statement commits the transaction that is open before it does anything; what no tree is read
	// of is known by its kind alone. nil: none does, and a definition is part of its transaction.
	Commits func(sql.Stmt, Kind) bool
	// LateSearch says that MATCH … AGAINST finds what is committed: nothing that its own transaction wrote.
	LateSearch bool
	// SavepointOpens says that a SAVEPOINT outside a transaction opens one, which its RELEASE commits. CommitStays says
	// that a COMMIT which is refused leaves the transaction open.
	SavepointOpens, CommitStays bool
	// Dictionary are the words behind SHOW, in lower case, with which it reads tables in which the server keeps what it
	// knows of tables, as DESCRIBE does then: such a statement uses up what was set for one transaction. nil: none.
	Dictionary []string
	// Refuse says why nothing can be told of a statement with a node; nil for nothing.
	Refuse func(sql.Node) error
}

// Admission says what a case or a script of a database may hold that not each database takes, and what its own words
// for reaching beyond the case are.
type Admission struct {
	// Token says why the token at a place of a statement must not stand there; script says that it is a script's
	// statement. nil: each may.
	Token func(tokens []Token, at int, script bool) error
	// Chain says that a transaction may end with AND CHAIN, Framed that SET autocommit = 0 or XA START may open it.
	Chain, Framed bool
	// WholeVacuum says that VACUUM of all that there is waits for nobody of whom nothing is told.
	WholeVacuum bool
	// Engines, in lower case, keep their tables in the database and are part of its transactions, LooseEngines keep them
	// there too. Any other one reaches for files or servers.
	Engines, LooseEngines []string
	// Told are the tables of Traits.Catalogue that a script may read.
	Told []string
	// HintSettings are those that a hint may make: the planner's.
	HintSettings []string
	// Reading are the settings by which the text of statements is read otherwise.
	Reading ReadingSettings
	// Pragmas are those that a script may have, in lower case: they change what statements answer, or only tell something.
	Pragmas []string
	// Mode is what the database is set to for every script, and a script that sets it otherwise loses.
	Mode Mode
	// Script judges a statement of a script that is of no kind which all databases have; ok is false where the statement
	// is not known to stay inside the database. nil: none of these is known.
	Script func(s Statement, judge ScriptJudge) (ok bool, err error)
	// Body judges the body of a routine or a trigger that is none of statements, but stands in a literal or is a call.
	// nil: it is of statements.
	Body func(s Statement, judge ScriptJudge) error
}

// Mode is a setting that each script has: Sets, in lower case and without blanks, begins the statements that set it, Is
// is the one that sets it so. Means is what that changes between sessions.
type Mode struct{ Sets, Is, Means string }

// ReadingSettings are those, in lower case, by which a server takes a text apart in another way: where a literal ends,
// what a double quote begins, how many bytes a character has. Statements are judged as the default settings read them,
// so whoever may change those could hide in what looks like a literal what the server then runs.
type ReadingSettings struct {
	// Fixed no script may change.
	Fixed []string
	// Words are the words that the list of a setting may have.
	Words map[string][]string
	// Charsets are those that name a character set, or a collation of one.
	Charsets []string
}

// Has says whether a setting is one of them.
func (r ReadingSettings) Has(name string) bool {
	_, words := r.Words[name]
	return words || slices.Contains(r.Fixed, name) || slices.Contains(r.Charsets, name)
}

// ScriptJudge judges what a statement of a script has in it.
type ScriptJudge interface {
	// Statement says why another statement must not run.
	Statement(text string) error
	// Body says why what a routine does must not run.
	Body(Statement) error
	// Setting says why a setting must not be changed.
	Setting(name string) error
}

// Searches says whether a statement has a full-text search: MATCH … AGAINST.
func (x *Syntax) Searches(text string) (searches bool) {
	stmt, err := x.Tree.Parse(text)
	if err != nil {
		return false
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		_, is := n.(*sql.Matching)
		searches = searches || is
		return !searches
	})
	return searches
}
