// Package dbms says, as data, what one DBMS promises at one isolation level: what its statements read, how
// probes may watch them, which errors end a transaction. Each DBMS is a folder below; package registry puts them
// together.
package dbms

import (
	"fmt"
	"slices"
	"strings"

	"txweave/fault"
	sqltree "txweave/sql"
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
	Setting string // its name, in lower case
	Set     string // the statement by which a session has it
}

// Profile is what one DBMS promises at one isolation level, and how it is used there. Of the levels that txweave does
// not run itself the promise alone is known: Protocol, Source and Mechanisms.
type Profile struct {
	DBMS      string // its name: "mariadb"
	Isolation string // name of the level as users give it: "repeatable-read"
	Protocol  string // concurrency control protocol: "2PL+MVCC"
	Source    string // where the DBMS, or who measured it, says so
	Untried   bool   // it was made for running cases, from the documentation alone
	// Tree is how its statements are read as trees, and printed.
	Tree *sqltree.Dialect
	Mechanisms
	// Forbidden are the phenomena that the level rules out.
	Forbidden []fault.Kind
	// Claimed is the level whose promise a user holds the DBMS to instead; nil: its own.
	Claimed *Profile

	Embedded bool     // the engine runs inside the process that uses it
	Setup    []string // sent once on every session that runs transactions
	// Level are those of Setup by which a session runs at the level. The others make cases comparable, or keep their runs
	// short: a text that is run as it stands does without.
	Level []string
	// Client is what a client of the DBMS's own sends for itself: so do the sessions of such a text.
	Client []string
	// WaitLimits are the settings that end a wait for a lock. Sessions of such a text have those that it does not set
	// itself.
	WaitLimits []WaitLimit
	// NewTables is a query after which a session knows that the tables are others, where it otherwise plans a statement by
	// those that it knows.
	NewTables string
	// NoWait makes a session refuse to wait for a lock, or wait as short as the server allows.
	NoWait []string
	// LateRefusal says that a change of a table that others use is refused only after a second: it is not sent while one
	// is open that has used the table.
	LateRefusal bool
	// Hurry are the statements around one that wants a table for itself: it gives up soon where somebody is in its way of
	// whom nothing is known, and is sent again, as readers would queue behind it. None where the server's own time-out
	// does that.
	Hurry []string
	// AloneUntold says that the server does not tell soon that a write in autocommit waits for others' locks, nor wakes it
	// soon: with LateRefusal it is not sent while there may be any.
	AloneUntold bool
	// LocksInside says that a SELECT with a lock clause in autocommit locks nothing and is a read like others.
	LocksInside bool
	// SharedChanges says that such changes differ in whom they let use the table meanwhile (sqltext.Sharing): those that
	// readers may use the table beside are sent.
	SharedChanges bool
	// SelectView is what plain SELECTs read, subqueries included.
	SelectView View
	// SnapshotBegin are words: a BEGIN that holds one of them takes the transaction's snapshot at once.
	SnapshotBegin []string
	Before        BeforeRead
	// LooseSearch says that the engine holds what a transaction reads plainly and what it overwrites to its snapshot, but
	// not the search for rows to write: that sees current rows. What comes of that violates the level, under a name of its
	// own.
	LooseSearch bool
	// Observers says that current rows are read over an observer at READ COMMITTED.
	Observers bool
	// DirtyObserver says that there is an observer at READ UNCOMMITTED too. Without it after-write reads are plain
	// reads in the transaction, and its own writes are known from them.
	DirtyObserver bool
	// StatementSnapshots says that DML which did not wait reads a snapshot of its own: plain reads right before it show
	// what it sees.
	StatementSnapshots bool
	// ReadOnlyRefused is the code of the error that answers whatever would write in a READ ONLY transaction, so that no
	// such write succeeds: the environment's where the transaction is none. 0: nothing is claimed.
	ReadOnlyRefused int
	// Chained is what is sent in place of a transaction's BEGIN where AND CHAIN has begun it: a statement that does
	// nothing. "": no chain is kept.
	Chained string
	// Deferred is the code of the error that never ends a transaction which is READ ONLY and DEFERRABLE: its first
	// statement waits for a snapshot in which no anomaly can be. 0: there are none.
	Deferred int
	// SnapshotObserver says that reads which txweave adds to a transaction would change which transactions fail. What its
	// snapshot holds an observer reads then, right before the first statement, and what its writes wrote they return
	// themselves (RETURNING).
	SnapshotObserver bool
	// CountsMatched says that an UPDATE counts the rows that it matches as affected, those too that stay as they are.
	CountsMatched bool
	// CountsOwn says that a write counts the rows of its own table alone, and never what a trigger or a foreign key
	// carries along.
	CountsOwn bool
	// RewritesSame says that an UPDATE which leaves a row as it is counts it as not changed, and makes a version of it all
	// the same, which its transaction's snapshot shows from then on.
	RewritesSame bool
	// Mixing says in place of what plain reads show the transaction's own writes.
	Mixing Mixing
	// MixedSubqueries says that a subquery of a statement with a current view may read the snapshot. Where the two
	// differ for its tables the statement cannot be judged.
	MixedSubqueries bool
	// LockingBegin begins a transaction whose locking reads and writes wait for others' locks, where a statement by itself
	// does not; "" where it does.
	LockingBegin string
	// OtherBegin is a word that a BEGIN at this level must not have: it asks for another kind of transaction.
	OtherBegin string
	// SavepointsHide says that a savepoint hides an earlier one of its name until it is released; else it takes its place.
	SavepointsHide bool
	// ErrorsEnd says that any error ends the transaction and gives its locks back, unless it goes back to a savepoint:
	// whatever else follows is refused.
	ErrorsEnd bool
	// PanicsAlone says that a bug of the DBMS's may end one connection and nothing else. Of others the whole server goes
	// down, or begins anew, with whoever crashes.
	PanicsAlone bool
	// LostStayOpen says that a transaction which is TxnLost can change nothing any more and is open for all that: what
	// ends it is its own.
	LostStayOpen bool
	// NoSavepoint is a part of the message which says that a savepoint is not there.
	NoSavepoint string
	// Order says how to recover the order of commits.
	Order OrderSource
	// CountersReset says that the counters of tables, such as AUTO_INCREMENT's, are put back between a run and its replay.
	CountersReset bool
	// NoReplay is the reason why the replay oracle cannot judge this level; empty where it can.
	NoReplay string
	// Errors classifies error codes; a code not listed is Deterministic.
	Errors map[int]ErrorClass
	// ErrorTexts classifies errors whose code says nothing, or too much, by a part of their message: the first one that
	// fits.
	ErrorTexts []ErrorText
	// Impossible are the errors that no statement of a case causes, by code: of a damaged database or of a fault in the
	// engine itself. ImpossibleTexts are parts of the messages of such errors whose code says less.
	Impossible      map[int]string
	ImpossibleTexts []string
	// ForeignKey are the Deterministic errors of what would leave a row that refers to none.
	ForeignKey []int
	// DeferredSeen says that what a plain read sees in a transaction right before its COMMIT is what foreign keys which
	// are checked then are held against, if nothing comes between the two.
	DeferredSeen bool
	// AtCommit are the errors of concurrency that only the end of a transaction may be answered with, or a statement
	// outside any: where locks are taken row by row a statement waits, or is refused otherwise.
	AtCommit []int
	// KeysAtCommit says that those of Duplicate come at the end of a transaction, too, and that nothing else is certain of
	// it before.
	KeysAtCommit bool
	// Malformed are the errors of statements that run on no contents of the tables: bad syntax, columns and functions that
	// are not there. MalformedTexts are parts of the messages of such errors whose code says less.
	Malformed      []int
	MalformedTexts []string
	// NoTable are the errors of those of Impossible, and NoTableText what is in their messages where a code says less,
	// that a table is not there: of a table of the case's no statement causes one.
	NoTable     []int
	NoTableText string
	// LostTexts are parts of the messages that say the tables or rows of a case are not as they were made. Statements of a
	// case may cause such errors, those that read and refill the tables for the tool do not.
	LostTexts []string
	// Plans are ways to have statements planned otherwise.
	Plans []PlanSetting
	// Stores are ways to have tables kept otherwise.
	Stores []StoreShape
	// Duplicate are the Deterministic errors of an INSERT whose key is there already.
	Duplicate []int
	// WriteLocked are the errors that say WouldBlock because another transaction has the one write lock of the database.
	WriteLocked []int
	// EitherOf are two errors, of two constraints that a row violates both, of which a statement in a transaction may be
	// answered with the one and the same statement by itself with the other. None: constraints are checked in one order.
	EitherOf [][2]int
	// KeysAsRowsLie says that an UPDATE comes to rows as they lie, and looks for the new key of each among those that rows
	// have by then: of the same rows whether it is refused depends on how they were written.
	KeysAsRowsLie bool
	// DuplicateKey reads from the message of such an error, or of one for rows that refer to another, the key that it is
	// about: its columns, in lower case, and their values as the database prints them, joined by a comma and a space. No
	// columns: it is not told. nil: it never is.
	DuplicateKey func(message string) (columns []string, values string)
}

// Classify returns the class of an error by its code and its message.
func (p *Profile) Classify(code int, message string) ErrorClass {
	for _, t := range p.ErrorTexts {
		if strings.Contains(message, t.Part) {
			return t.Class
		}
	}
	return p.Errors[code]
}

// ClassifyIn is Classify for a statement of a transaction, which may be READ ONLY: it lost what it wanted to write to
// that, and nothing else.
func (p *Profile) ClassifyIn(readOnly bool, code int, message string) ErrorClass {
	if readOnly && p.ReadOnlyRefused != 0 && code == p.ReadOnlyRefused {
		return StatementLost
	}
	return p.Classify(code, message)
}

// IsImpossible says whether no statement of a case can cause an error: the database is damaged, or at fault itself.
func (p *Profile) IsImpossible(code int, message string) bool {
	return p.Impossible[code] != "" || slices.ContainsFunc(p.ImpossibleTexts, func(part string) bool {
		return strings.Contains(message, part)
	})
}

// IsMalformed says whether an error tells that a statement could not run whatever the tables hold.
func (p *Profile) IsMalformed(code int, message string) bool {
	return slices.Contains(p.Malformed, code) || slices.ContainsFunc(p.MalformedTexts, func(part string) bool {
		return strings.Contains(message, part)
	})
}

// IsNoTable says whether an error tells that a table is not there.
func (p *Profile) IsNoTable(code int, message string) bool {
	return slices.Contains(p.NoTable, code) || p.NoTableText != "" && strings.Contains(message, p.NoTableText)
}

// IsLost says whether an error tells that the tables of a case are not as they were made.
func (p *Profile) IsLost(message string) bool {
	return slices.ContainsFunc(p.LostTexts, func(part string) bool { return strings.Contains(message, part) })
}

// FixedViews says that every statement of a transaction reads the snapshot of its transaction, and so the same before a
// wait for a lock and after it.
func (p *Profile) FixedViews() bool {
	return p.SnapshotScope() == PerTransaction && p.SelectView == Snapshot && p.DMLView == Snapshot
}

// BeginTakesSnapshot says whether the statement that opens a transaction takes its snapshot at once.
func (p *Profile) BeginTakesSnapshot(sql string) bool {
	return p.SnapshotScope() == PerTransaction && slices.ContainsFunc(p.SnapshotBegin, func(word string) bool {
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
	tried := slices.DeleteFunc(slices.Clone(runs), func(p *Profile) bool { return p.Untried })
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
			return len(a.Forbidden) - len(b.Forbidden)
		case a.Serializable:
			return 1
		}
		return -1
	})
	return levels
}
