// Package dbms says, as data, what one DBMS promises at one isolation level: what its statements read, how
// probes may watch them, which errors end a transaction. Each DBMS is a folder below; package registry puts them
// together.
package dbms

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/fault"
	sqltree "txweave/sql"
	"txweave/sql/sqltext"
)

// View is the state of the database that a statement reads.
type View uint8

// The views. A probe must read the same view as its target statement, or the graph is wrong.
const (
	// Snapshot is what a plain read in the same transaction sees at that moment: the transaction's snapshot, or
	// a statement's own. A version-set read is then a plain SELECT in the transaction, which takes no lock.
	Snapshot View = iota
	// Current is the latest committed version of each row, overlaid with the transaction's own writes. Reading
	// it inside the transaction would take locks, so observers read it: connections outside, in autocommit.
	Current
)

// BeforeRead says how a before-write read is made.
type BeforeRead uint8

// The modes of a before-write read.
const (
	// PlainBeforeRead is a plain SELECT in the transaction.
	PlainBeforeRead BeforeRead = iota
	// NoBeforeRead makes none: no read in the transaction sees what the write will find.
	NoBeforeRead
	// LockingBeforeRead is SELECT … FOR UPDATE with LOCK IN SHARE MODE in its inner query blocks: the locks
	// that the target statement takes itself.
	LockingBeforeRead
	// LockingDeleteRead is SELECT … FOR UPDATE, without locks in inner query blocks, before a DELETE only: what an
	// UPDATE overwrote its after-write read says.
	LockingDeleteRead
)

// Observer is by what outside of a transaction its rows are read.
type Observer uint8

// The kinds.
const (
	// NoObserver: plain reads in the transaction see all that its statements do.
	NoObserver Observer = iota
	// CommittedObserver reads current rows at READ COMMITTED. After-write reads are plain reads in the transaction, from
	// which its own writes are known.
	CommittedObserver
	// DirtyObserver reads them at READ UNCOMMITTED, too.
	DirtyObserver
	// SnapshotObserver reads what a transaction's snapshot holds, right before the first statement: reads in the
	// transaction would change which transactions fail. What its writes wrote they return themselves (RETURNING).
	SnapshotObserver
)

// TxnLoss is what becomes of a transaction that an error has lost.
type TxnLoss uint8

// The kinds.
const (
	// LostIsGone: what is TxnLost is rolled back, and its session has no transaction any more.
	LostIsGone TxnLoss = iota
	// LostStaysOpen: it can change nothing any more and is open for all that: what ends it is its own.
	LostStaysOpen
	// ErrorsEnd: any error loses the transaction and gives its locks back, unless it goes back to a savepoint: whatever
	// else follows is refused until its own end.
	ErrorsEnd
)

// Told is of which waits for what others use a server tells soon.
type Told uint8

// The kinds, each with what those before it do not tell.
const (
	AllTold Told = iota
	// ChangesUntold are waits of changes of tables, which are refused only after a second, or have others queue behind
	// them: none is sent while a transaction is open that has used the table.
	ChangesUntold
	// AloneUntold are waits of writes in autocommit, which are not woken soon either: none is sent while others may have
	// locks in its way.
	AloneUntold
)

// Mixing says in place of what a plain read of a transaction's snapshot shows the transaction's own writes.
type Mixing uint8

// The kinds. Where writes go to current rows, rows that others have moved to other keys since the snapshot was taken
// make the difference: by keys, the old row stays in sight at its old key, beside the transaction's own at the new one.
const (
	ByRow          Mixing = iota // of the snapshot's version of the same row
	ByClusteredKey               // of what the snapshot holds at the same key of the clustered index
	ByPrimaryKey                 // of what it holds at the same primary key; rows of tables without one do not move
)

// ErrorClass says what a database's error means for the statement and its transaction.
type ErrorClass uint8

// The classes of errors.
const (
	// Deterministic errors come from the statement and the data alone; the statement wrote nothing.
	Deterministic ErrorClass = iota
	// StatementLost: concurrency undid the statement, its transaction lives on (lock-wait time-out).
	StatementLost
	// TxnLost: concurrency rolled back the whole transaction (deadlock, write conflict).
	TxnLost
	// WouldBlock: somebody holds a lock; the statement did nothing and is sent again when a holder has ended.
	WouldBlock
	// Environment: disk full, interrupted, shutting down: says nothing about the engine's correctness.
	Environment
)

// ErrorText is an error that is told by a part of its message.
type ErrorText struct {
	Part  string
	Class ErrorClass
}

// OrderSource says how the order in which a database committed versions can be recovered from it.
type OrderSource uint8

// The ways to recover the order of versions.
const (
	NoOrder         OrderSource = iota
	BinaryLog                   // its row binary log, where it keeps one
	WriteAheadLog               // the log from which it recovers, as it decodes it; each transaction says whom it sees
	DatabaseClock               // it tells when each transaction started and committed, by its own clock
	OneWriterAtOnce             // from its first write to its commit a transaction keeps all others from writing
)

// Log says whether it is a log of all that committed, whether a client knows of it or not.
func (o OrderSource) Log() bool { return o == BinaryLog || o == WriteAheadLog }

// WaitLimit is a setting that ends a wait for a lock.
type WaitLimit struct {
	Setting string        // its name, in lower case
	Set     string        // the statement by which a session has it where its text does not set it; "" for none
	Unit    time.Duration // of a value that is a plain number
}

// Profile is what is known of one level of a DBMS: what it promises, and how it is used there. Who asks for a part
// takes that part.
type Profile struct {
	DBMS      string // its name: "sqlite"
	Product   string // that as its makers write it: "SQLite"
	Isolation string // name of the level as users give it: "repeatable-read"
	Guarantees
	// Claimed is the level whose promise a user holds the DBMS to instead; nil: its own.
	Claimed *Profile
	// Tree is how its statements are read as trees, and printed.
	Tree *sqltree.Dialect
	// Embedded says that the engine runs inside the process that uses it.
	Embedded bool
	// Order says how to recover the order of commits.
	Order OrderSource
	Sessions
	ReadModes
	Writes
	Transactions
	TableChanges
	Errors
	Variants
}

// Guarantees are what a level promises: phenomena and mechanisms, for the oracles and for checks of histories. They are
// all that is known of a level which txweave does not run itself.
type Guarantees struct {
	Source  string // where the DBMS, or who measured it, says so
	Untried bool   // it was made for running cases, from the documentation alone
	Mechanisms
	// Forbidden are the phenomena that the level rules out.
	Forbidden []fault.Kind
	// NoReplay is the reason why the replay oracle cannot judge this level; empty where it can.
	NoReplay string
}

// Sessions say how the sessions of a level are set up.
type Sessions struct {
	Setup []string // sent once on every session that runs transactions
	// Level are those of Setup by which a session runs at the level. The others make cases comparable, or keep their runs
	// short: a text that is run as it stands does without.
	Level []string
	// Client is what a client of the DBMS's own sends for itself: so do the sessions of such a text.
	Client []string
	// WaitLimits are the settings that end a wait for a lock. Sessions of such a text have those that it does not set
	// itself.
	WaitLimits []WaitLimit
	// Silences are the settings, in lower case, that end the connection of a session which is silent, or the like.
	Silences []string
	// NoWait makes a session refuse to wait for a lock, or wait as short as the server allows.
	NoWait []string
}

// ReadModes say what statements read, and so how probes may watch them: for instrument and observe.
type ReadModes struct {
	// SelectView is what plain SELECTs read, subqueries included.
	SelectView View
	// SnapshotBegin are words: a BEGIN that holds one of them takes the transaction's snapshot at once.
	SnapshotBegin []string
	Before        BeforeRead
	// LooseSearch says that the engine holds what a transaction reads plainly and what it overwrites to its snapshot, but
	// not the search for rows to write: that sees current rows. What comes of that violates the level, under a name of its
	// own.
	LooseSearch bool
	// Observer says by what outside of a transaction its rows are read.
	Observer Observer
	// Unread says, with its source, why a SELECT whose condition is true of no row does not take the transaction's
	// snapshot; "": it does.
	Unread string
	// StatementSnapshots says that DML which did not wait reads a snapshot of its own: plain reads right before it show
	// what it sees.
	StatementSnapshots bool
	// Mixing says in place of what plain reads show the transaction's own writes.
	Mixing Mixing
	// MixedSubqueries says that a subquery of a statement with a current view may read the snapshot. Where the two
	// differ for its tables the statement cannot be judged.
	MixedSubqueries bool
	// LocksNothing says of a SELECT with a lock clause, in a transaction or in autocommit, that it locks nothing and is a
	// read like others; nil: none is.
	LocksNothing func(autocommit bool) bool
	// DeferredSeen says that what a plain read sees in a transaction right before its COMMIT is what foreign keys which
	// are checked then are held against, if nothing comes between the two.
	DeferredSeen bool
}

// Writes say what writes tell of what they did.
type Writes struct {
	// CountsMatched says that an UPDATE counts the rows that it matches as affected, those too that stay as they are.
	CountsMatched bool
	// CountsOwn says that a write counts the rows of its own table alone, and never what a trigger or a foreign key
	// carries along.
	CountsOwn bool
	// RewritesSame says that an UPDATE which leaves a row as it is counts it as not changed, and makes a version of it all
	// the same, which its transaction's snapshot shows from then on.
	RewritesSame bool
	// AsRowsLie says of a write that was done to so many rows one time, and refused for a key another time, that either
	// may be for how the rows lie that it comes to; nil: it never is.
	AsRowsLie func(write *sqltext.Analysis, rows int64) bool
	// StoresText says of the type of a column that it stores any text as that is; nil: nothing is known.
	StoresText func(columnType string) bool
	// Untold says why a write returns no rows; nil: each does, if it is asked to.
	Untold func(sqltree.Stmt) error
	// CountersReset says that the counters of tables, such as AUTO_INCREMENT's, are put back between a run and its replay.
	CountersReset bool
}

// Transactions say how a transaction begins, and what ends it or a part of it.
type Transactions struct {
	// Chained is what is sent in place of a transaction's BEGIN where AND CHAIN has begun it: a statement that does
	// nothing. "": no chain is kept.
	Chained string
	// LockingBegin begins a transaction whose locking reads and writes wait for others' locks, where a statement by itself
	// does not; "" where it does.
	LockingBegin string
	// OtherBegin is a word that a BEGIN at this level must not have: it asks for another kind of transaction.
	OtherBegin string
	// SavepointsHide says that a savepoint hides an earlier one of its name until it is released; else it takes its place.
	SavepointsHide bool
	// SeesDeadlocks is a query that answers 1 where the database detects each deadlock of row locks, by its manual, and
	// ends it; "": none is known.
	SeesDeadlocks string
	// Loss says what becomes of a transaction that an error has lost.
	Loss TxnLoss
}

// TableChanges say what becomes of changes of tables, and locks of whole ones, that others use: for the runner, which
// must not wait for what nobody tells of.
type TableChanges struct {
	// NewTables is a query after which a session knows that the tables are others, where it otherwise plans a statement by
	// those that it knows.
	NewTables string
	// TruncateSeen says that TRUNCATE empties a table for the snapshots, too, that are older.
	TruncateSeen bool
	// Told says which waits there are signs of soon.
	Told Told
	// Hurry are the statements around one that wants a table for itself: it gives up soon where somebody is in its way of
	// whom nothing is known, and is sent again, as readers would queue behind it. None where the server's own time-out
	// does that.
	Hurry []string
	// SharedChanges says that such changes differ in whom they let use the table meanwhile (sqltext.Sharing): those that
	// readers may use the table beside are sent.
	SharedChanges bool
}

// Errors say what the errors of a database mean. A code not listed anywhere is Deterministic.
type Errors struct {
	// Classes are those of error codes.
	Classes map[int]ErrorClass
	// Texts classifies errors whose code says nothing, or too much, by a part of their message: the first one that
	// fits.
	Texts []ErrorText
	// ReadOnlyRefused is the code of the error that answers whatever would write in a READ ONLY transaction, so that no
	// such write succeeds: the environment's where the transaction is none. 0: nothing is claimed.
	ReadOnlyRefused int
	// Deferred is the code of the error that never ends a transaction which is READ ONLY and DEFERRABLE: its first
	// statement waits for a snapshot in which no anomaly can be. 0: there are none.
	Deferred int
	// NoSavepoint is a part of the message which says that a savepoint is not there.
	NoSavepoint string
	// Impossible are the errors that no statement of a case causes: of a damaged database or of a fault in the engine
	// itself. NoTable are those of them that a table is not there: of a table of the case's no statement causes one.
	Impossible, NoTable ErrorSet
	// Malformed are the errors of statements that run on no contents of the tables: bad syntax, columns and functions that
	// are not there.
	Malformed ErrorSet
	// Lost are the errors which say that the tables or rows of a case are not as they were made. Statements of a case may
	// cause such errors, those that read and refill the tables for the tool do not.
	Lost ErrorSet
	// ForeignKey are the Deterministic errors of what would leave a row that refers to none.
	ForeignKey []int
	// AtCommit are the errors of concurrency that only the end of a transaction may be answered with, or a statement
	// outside any: where locks are taken row by row a statement waits, or is refused otherwise.
	AtCommit []int
	// KeysAtCommit says that those of Duplicate come at the end of a transaction, too, and that nothing else is certain of
	// it before.
	KeysAtCommit bool
	// Duplicate are the Deterministic errors of an INSERT whose key is there already.
	Duplicate []int
	// WriteLocked are the errors that say WouldBlock because another transaction has the one write lock of the database.
	WriteLocked []int
	// PanicsAlone says that a bug of the DBMS's may end one connection and nothing else. Of others the whole server goes
	// down, or begins anew, with whoever crashes.
	PanicsAlone bool
	// EitherOf are two errors, of two constraints that a row violates both, of which a statement in a transaction may be
	// answered with the one and the same statement by itself with the other. None: constraints are checked in one order.
	EitherOf [][2]int
	// DuplicateKey reads from the message of such an error, or of one for rows that refer to another, the key that it is
	// about: its columns, in lower case, and their values as the database prints them, joined by a comma and a space. No
	// columns: it is not told. nil: it never is.
	DuplicateKey func(message string) (columns []string, values string)
}

// ErrorSet are errors by their codes, and by parts of the messages of such whose code says less.
type ErrorSet struct {
	Codes []int
	Texts []string
}

// Has says whether an error is one of them.
func (s ErrorSet) Has(code int, message string) bool {
	return slices.Contains(s.Codes, code) || slices.ContainsFunc(s.Texts, func(part string) bool {
		return strings.Contains(message, part)
	})
}

// Variants are other ways to do the same, of which no answer may depend.
type Variants struct {
	// Plans are ways to have statements planned otherwise.
	Plans []PlanSetting
	// Stores are ways to have tables kept otherwise.
	Stores []StoreShape
}

// Classify returns the class of an error by its code and its message.
func (e *Errors) Classify(code int, message string) ErrorClass {
	for _, t := range e.Texts {
		if strings.Contains(message, t.Part) {
			return t.Class
		}
	}
	return e.Classes[code]
}

// ClassifyIn is Classify for a statement of a transaction, which may be READ ONLY: it lost what it wanted to write to
// that, and nothing else.
func (e *Errors) ClassifyIn(readOnly bool, code int, message string) ErrorClass {
	if readOnly && e.ReadOnlyRefused != 0 && code == e.ReadOnlyRefused {
		return StatementLost
	}
	return e.Classify(code, message)
}

// FixedViews says that every statement of a transaction reads the snapshot of its transaction, and so the same before a
// wait for a lock and after it.
func (p *Profile) FixedViews() bool {
	return p.SnapshotScope() == PerTransaction && p.ReadModes.SelectView == Snapshot && p.DMLView == Snapshot
}

// BeginTakesSnapshot says whether the statement that opens a transaction takes its snapshot at once.
func (p *Profile) BeginTakesSnapshot(sql string) bool {
	return p.SnapshotScope() == PerTransaction && slices.ContainsFunc(p.ReadModes.SnapshotBegin, func(word string) bool {
		return strings.Contains(strings.ToUpper(sql), word)
	})
}

// runs are the levels that txweave runs, in the order in which help prints them; known are others that something is
// known of.
var runs, known []*Profile

// Register adds the levels of a DBMS: those that txweave runs, the default one first, and those of recorded traces
// only. Package registry calls it before main begins, so that what is registered never changes afterwards.
func Register(run, only []*Profile) {
	runs = append(runs, run...)
	known = append(known, only...)
}

// Lookup returns the profile of a DBMS at an isolation level; level "" is the DBMS's default, its first.
func Lookup(dbms, level string) (*Profile, error) {
	var levels []string
	for _, p := range runs {
		if p.DBMS != dbms {
			continue
		}
		if level == "" || p.Isolation == level {
			return p, nil
		}
		levels = append(levels, p.Isolation)
	}
	if len(levels) == 0 {
		return nil, fmt.Errorf("no profile for DBMS %q", dbms)
	}
	return nil, fmt.Errorf("%s has no isolation level %q (it has %s)", dbms, level, strings.Join(levels, ", "))
}

// LookupPromise is Lookup among all levels that something is known of, those that txweave does not run itself included.
func LookupPromise(dbms, level string) (*Profile, error) {
	var levels, names []string
	tried := slices.DeleteFunc(slices.Clone(runs), func(p *Profile) bool { return p.Guarantees.Untried })
	for _, p := range slices.Concat(tried, known, runs) {
		if !slices.Contains(names, p.DBMS) {
			names = append(names, p.DBMS)
		}
		if p.DBMS != dbms {
			continue
		}
		if level == "" || p.Isolation == level {
			return p, nil
		}
		levels = append(levels, p.Isolation)
	}
	if len(levels) == 0 {
		return nil, fmt.Errorf("no mechanisms are known of DBMS %q (of %s)", dbms, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no mechanisms are known of %s at %q (at %s)", dbms, level, strings.Join(levels, ", "))
}

// Levels returns the profiles of a DBMS, the weakest first.
func Levels(dbms string) []*Profile {
	levels := slices.DeleteFunc(slices.Clone(runs), func(p *Profile) bool { return p.DBMS != dbms })
	slices.SortStableFunc(levels, func(a, b *Profile) int {
		switch {
		case a.Serializable == b.Serializable:
			return len(a.Guarantees.Forbidden) - len(b.Guarantees.Forbidden)
		case a.Serializable:
			return 1
		}
		return -1
	})
	return levels
}
