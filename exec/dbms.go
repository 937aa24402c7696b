package exec

import (
	"context"
	"io"
	"syscall"
	"time"

	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Protocol is what sessions need to know of how a DBMS is talked to. Each DBMS's folder has one.
type Protocol struct {
	// DBError turns a driver's error into the database's; nil if the error is not one that the database answered.
	DBError func(error) *history.DBError
	// Warnings is the query that shows the last statement's warnings as level, code, message; "" if there is none.
	Warnings string
	// KeepsWarnings says that a statement which reads no table (SELECT 1, SET) leaves that list as it was: of whatever
	// statement came before it in its session, or in its replay.
	KeepsWarnings bool
	// Asides are warnings that tell how a statement was executed, and nothing of what it did: whether one comes depends on
	// what the session did before; nil: it has none.
	Asides func(history.Warning) bool
	// Scratch is the format of the statement that copies a table into a temporary one, from the names of both; "" if
	// there is none.
	Scratch string
	// ScratchColumns is the format of the query for names and types of the columns of such a table, where it has lost
	// their collations; "" where it has not.
	ScratchColumns string
	// Integrity is how it is asked whether its tables are whole; nil if it does not tell.
	Integrity *Integrity
	// Clock is the database's own; nil if it tells none.
	Clock *Clock
	// Export is how the snapshot of a transaction is read by another one; nil if it cannot be.
	Export *Export
	// Snapshot is the query for the open transaction's own number, NULL if it wrote nothing, and its snapshot, as
	// history.ParseSnapshot reads them; "" if it has none to tell.
	Snapshot string
	// Unprepared is the code of the error that answers what cannot be prepared; 0: there is none.
	Unprepared int
	// Level is how a session is asked for its level; nil where there is one alone.
	Level *AskLevel
	// InProcess says that the engine runs in this process: a panic below a session is the engine's then, not of a driver
	// that cannot read what came over a network. Its statements wait for no lock: what would make one wait it is refused
	// for.
	InProcess bool
}

// warns says whether the warnings that the database tells of behind a statement are that statement's own.
func (p *Protocol) warns(sql string) bool {
	if p.Warnings == "" || !p.KeepsWarnings {
		return p.Warnings != ""
	}
	// A statement that comes to no table leaves the list as it is.
	s := sqltext.Read(sql)
	switch s.Kind {
	case sqltext.Insert, sqltext.Update, sqltext.Delete, sqltext.Create, sqltext.Alter:
		return true
	case sqltext.Define, sqltext.Other:
		return len(s.Tables()) > 0 || s.Tokens[0].Is("call", "execute", "truncate", "drop")
	}
	return len(s.Tables()) > 0
}

// Export is how a database lets others read the snapshot of an open transaction.
type Export struct {
	// the query, in the transaction, for the name of its snapshot; it takes the snapshot if there is none yet
	Ask string
	As  func(name, sql string) string // the script with which another session reads something in that snapshot
}

// TemporaryCopy is Scratch where CREATE TABLE … AS SELECT is there.
const TemporaryCopy = "CREATE TEMPORARY TABLE %s AS SELECT * FROM %s"

// Clock is how a database tells when transactions started, read and committed by its own clock, and what its tables
// held then.
type Clock struct {
	// Ask is the query for the times of a session's last statement and last transaction, Read reads its row.
	Ask  string
	Read func(row []history.Value) (ClockReading, error)
	// Past is the statement after which a session reads the tables as they were at a time.
	Past func(at uint64) string
	// NoPast is a part of the error with which Past is refused by a database that does not know yet how far back its past
	// goes.
	NoPast string
	// Versions asks the store for the versions of rows by their pkey; an AnswerError if it does not tell.
	Versions func(ctx context.Context, s *Session, t *sqltext.Table, pkeys []int64) (map[int64][]observe.VersionStamp,
		error)
}

// ClockReading is what a database's clock says after a statement: when the statement's transaction started, at what
// time the statement read, and start and commit of the session's last transaction that ended. 0 is a time that it did
// not give.
type ClockReading struct{ Start, Read, EndedStart, EndedCommit uint64 }

// Server is what there is to know of a DBMS that has a server, whoever started it. Each DBMS's folder has one.
type Server struct {
	Name    string // of the DBMS
	Binary  Binary
	Private *Private // nil: txweave starts none
	Users   Users
	// Disturbances are what it can be disturbed with.
	Disturbances Disturbances
	// Client is its own client, for scripts.
	Client *Client
	// Protocol of its sessions.
	Protocol *Protocol
}

// Binary is how the program of a private server is found, or made.
type Binary struct {
	Names    []string // that it goes by, in the order in which they are tried
	Packages string   // what to install, for a message
	// Dirs are patterns of directories that are searched before PATH, the one with the highest number first, and Beside
	// directories that are searched after it.
	Dirs, Beside []string
	// Build makes the program where none is named; nil: it is looked for.
	Build func(ctx context.Context, progress io.Writer) (string, error)
	// Version are the arguments with which it prints its version, and Is says whether that is this DBMS's.
	Version []string
	Is      func(version string) bool
}

// Private is how a server is started in a directory of its own.
type Private struct {
	// Arguments of the server: small, quick rather than durable, and statistics that do not change under a case, so that a
	// statement is planned the same way each time. built says that the binary is the one that Build made.
	Arguments func(dir string, built bool) []string
	// CommitLog are the arguments that make it keep a log from which the order of commits can be read; none: it has no
	// such log.
	CommitLog []string
	// Durable are the arguments with which a killed process leaves every acknowledged commit behind, and no page half
	// written; nil, or none: it cannot be killed and started again.
	Durable func(dir string, built bool) []string
	// Data makes the data directory that servers begin with a copy of; nil: they begin without.
	Data *DataMaker
	// Accounts are those of the users, the first that there is, as which it runs where it refuses to run as root; none: it
	// runs as root, too.
	Accounts []string
	// End is the signal that ends it at once and lets it clear away what the system does not; 0: it is killed.
	End syscall.Signal
	// Wear is the number of cases after which it is replaced; 0: only where its memory has grown.
	Wear int
	// Ready finds out whether it accepts connections, and Open opens a target on one that does.
	Ready func(context.Context, *Instance) error
	Open  func(context.Context, *Instance) (Target, error)
}

// DataMaker is how a data directory is made.
type DataMaker struct {
	// Command returns the program that makes one in dir, and its arguments; what it needs meanwhile is in temporary.
	Command func(binary, dir, temporary string) (program string, args []string)
	// Script is what the program reads on standard input; nil: nothing.
	Script func(ctx context.Context, binary string) ([]byte, error)
}

// Users is how a server of the user's is reached.
type Users struct {
	// DSN is the form of its data source names.
	DSN *DSNForm
	// Ours says whether a server of that form is this DBMS's, by its version.
	Ours func(version string) bool
	// Join opens a target on it, in a database of that name. A server that is away is waited for as long as wait.
	Join func(ctx context.Context, at *DSN, database string, wait time.Duration) (Target, error)
	// Faster says what makes it faster where nobody else uses it; "" if that is not known.
	Faster string
	// Lacks says what cases try in vain under its settings; "": nothing. nil: nothing ever.
	Lacks func(settings map[string]string) string
}

// Wait is what a session waits for, as its server names it, and NoWait nothing. It is another one when the session has
// gone on and waits again, where the server tells; where it does not, all are SomeWait.
type Wait string

// The waits of servers that do not tell for what.
const (
	NoWait   Wait = ""
	SomeWait Wait = "a lock"
)

// Names of what lies in a private server's directory.
const (
	SocketName = "sock"
	PIDName    = "pid"
	LogName    = "error.log"
	FilesName  = "files" // the only one that statements may read from and write to, empty
)
