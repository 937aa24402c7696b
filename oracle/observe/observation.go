package observe

import (
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Observation is what happened in one run. It is derived once, by New, from what was sent and answered; oracles
// judge it, dependency inference works on it, and the page shows it.
type Observation struct {
	// Promise is what the database promises of the run.
	Promise *dbms.Profile
	Initial map[string]map[int64]int64 // table -> pkey -> vkey before the first statement
	Stmts   []*ObservedStmt            // in order of completion, those of transactions that did not commit included
	Txns    []ObservedTxn
	Events  []Moment // in order of sending
	// Errors are the events that were answered with an error, probes included, in order of sending.
	Errors []*history.Event
	// Gone are those with whose answer the database said that their transaction is open no more, which nothing had ended.
	Gone []*history.Event
	// Unmade are those of the errors that were answered to the DROP of a table which nobody was sure to have made by then,
	// beside the schema's.
	Unmade map[*history.Event]bool
	// Unsettled says that a write in autocommit waited: others may have overwritten what it left before anybody read it.
	Unsettled bool
	// Savepoints are the statements about savepoints that were answered, in order of completion.
	Savepoints []Savepoint
	// Versions are those of the items that changed as the store holds them, oldest first; nil where the database does
	// not say.
	Versions map[history.Item][]VersionStamp
	Untold   map[string]bool // tables whose items Versions leaves out
	// Content returns the row of a version as column -> printed value; nil where no probe printed it.
	Content func(history.Version) map[string]string
	// Matches says whether the predicate of Stmts[i] is true for version v of the table that it searched; known is
	// false where that cannot be told. It is asked only about what closes a cycle. nil: never known.
	Matches func(i int, v history.Version) (match, known bool)
	// Contents are the tables whose versions are their rows' contents, and Recurring those versions of theirs that came to
	// be more than once: of these it is not certain who wrote what was seen.
	Contents  map[string]bool
	Recurring map[history.Version]bool
	// Covered are the tables of which an index holds the version keys.
	Covered map[string]bool
	// Rewrites are the tables of which a row that an UPDATE leaves as it is becomes another version all the same.
	Rewrites map[string]bool
	// Known are the rows of a table whose versions are contents, each version that is known once; Name names such a row.
	Known func(table string) *history.Rows
	Name  func(table string) func(rows *history.Rows, i int) (history.Version, bool)
	// Moved says whether two versions of a row lie at different keys of the clustered index, as far as that is known; nil:
	// not known.
	Moved func(a, b history.Version) bool
	// Places returns the places at which a version of a row may lie, where plain reads mix the snapshot and their
	// transaction's own writes by places (dbms.Mixing); none where its row cannot move or is not known. nil: none ever.
	Places func(history.Version) []string
}

// ObservedStmt is one target statement of a run with what its probes tell of it: the node that the graph has of it, and
// what the oracles know beside that.
type ObservedStmt struct {
	sdg.Node
	View   dbms.View
	Target string // table that it writes; "" for a SELECT
	// the table whose rows its WHERE clause judges one by one, if it does not fail; "" where other rows matter, too
	Judges string
	VKey   int64 // the version key that it writes; 0 for SELECT and DELETE
	// Used are the columns by table whose values its result can depend on; a table that is missing: all of them.
	Used       map[string][]string
	Search     []PredicateRead
	Sent, Done int64 // ns since the run began: before it was sent, after it was answered
	Affected   int64
	Err        *history.DBError
	// Matched are the rows that a SELECT with its WHERE clause found before it, pkey -> vkey, and Again those that one
	// found after it had waited; nil where there was none.
	Matched, Again map[int64]int64
	// Searched are those that one found which waited itself, and has kept locked all that it scanned since; nil where
	// there was none.
	Searched map[int64]int64
	// Joined are the rows that a SELECT with the joins and the WHERE clause of a write of several tables found before it,
	// by table.
	Joined map[string]map[int64]int64
	// Counted is how many rows a SELECT says there are for which its condition is true in the one table that it searches;
	// -1 where it does not say.
	Counted int64
	// Compared says that its writes are only known from what its table held before it and after it.
	Compared bool
	// Replaces says that the statement may replace rows, each of which it counts twice; Keeps that a row which it matches
	// may stay as it is; Loose that it need not have counted each row that it wrote, and nothing else, as affected.
	Replaces, Keeps, Loose bool
	// Carries says that it may write rows that it does not name, in other tables or in its own.
	Carries bool
	// Least and Most are between how many rows it says to have affected where its text tells that by itself; Most is 0
	// where it does not.
	Least, Most int64
	// Returned are the columns that it returns of each row that it writes, as it left that row, "" for other things; nil:
	// it returns none, or need not return them so.
	Returned []string
	// Carrying are the foreign keys by which rows of other tables follow those that it writes, where nothing else changes
	// these.
	Carrying []Carrying
	// Given is what its text says of the rows that it leaves.
	Given []analysis.Given
	// Meets are the unique keys of the rows that an upsert spells, one of which each row that it changes has; nil where
	// they are not known.
	Meets [][]instrument.SpelledPart
	// Waited says that the probes around it need not have seen what it saw, Mixed that it may have read two views.
	Waited, Mixed bool
	// Undone says that a ROLLBACK TO a savepoint undid the statement, SawUndone that it read a table in which such
	// statements of its transaction had written: then no order of what was left explains what it saw.
	Undone, SawUndone bool
	// Skips says that it passes over rows that others have locked: what it returns it read and locked, and no order of the
	// statements need explain what it does not return. It is judged, and no node of the graph.
	Skips bool
	// Locks is how strongly it locked the rows of Out.
	Locks sqltext.RowLock
	// Kept is the row that kept it from inserting its own, where that is certain: it read that the row was there.
	Kept *history.Version
	// Changes are the tables that it may write, its target first; Unsure those in which it may have written more than
	// Writes says.
	Changes, Unsure []string
	// Under are versions of the snapshot that it saw beside its transaction's own versions of the same rows, Blurred the
	// items of which it does not say what its snapshot holds: documented where the level mixes the two by keys.
	Under   map[history.Version]bool
	Blurred map[history.Item]bool
	// Alike are two rows that it saw with one unique key, where its view is one state of the database; nil: none.
	Alike *Alike
	// Bad is an answer to a probe that no correct database gives; of the statement nothing else is known then.
	Bad *BadAnswer
	// Read is the database's own timestamp at which it read; 0: not known.
	Read uint64
	// Run is how it was executed; nil in an observation that was not made from a run.
	Run *BlockRun
}

// Alike are two rows of a table that hold the same in the columns of one of its unique keys, as the database prints it.
type Alike struct {
	Table string
	PKeys [2]int64
	Key   string
	// Late says that one of them, and one only, is of the transaction's own making, which may learn of the other as late
	// as when it commits, and that the database keeps rows with such keys in places apart.
	Late bool
}

// BadAnswer is an answer to a probe that no correct database gives: evidence, not a fault of ours.
type BadAnswer struct {
	What     fault.Kind
	Why      finding.Sentence
	Returned bool // the answer is that of the write itself, which returns rows
}

func (e *BadAnswer) Error() string { return string(e.What) + ": " + e.Why.String() }

// PredicateRead is Adya's predicate-based read: a table whose rows a statement judged one by one.
type PredicateRead struct {
	Table string
	Seen  map[int64]int64 // pkey -> vkey of every row it looked at (the version set)
	// Lists says that the statement printed the versions of the rows that match.
	Lists bool
	// Values says that the result depends on the values of the rows that match, though it prints no versions.
	Values bool
}

// ObservedTxn is one transaction of a run; Began, Sent and Done are ns since the run began.
type ObservedTxn struct {
	Session int // the session that ran it
	// Promise is what the database promises at its level; nil where that is what it promises of the run.
	Promise *dbms.Profile
	Outcome history.Outcome
	// Prepared is when its XA PREPARE was sent, in ns since the run began; 0 where it was not.
	Prepared int64
	// ReadOnly says that it begins READ ONLY, Deferred that its first statement waits for a snapshot in which no anomaly
	// can be.
	ReadOnly, Deferred bool
	// Alone says that it is one statement in autocommit.
	Alone bool
	// Tables are what it was given by LOCK TABLES, or by LOCK TABLE.
	Tables []TableHold
	Began  int64 // before its BEGIN was sent
	// Sent and Done are when its end was sent and answered; Sent is math.MaxInt64 where it did not end. A transaction
	// that the database ended was ended at some moment between the two.
	Sent, Done int64
	// End is the statement that ended it, Err what that was answered.
	End string
	Err *history.DBError
	// Unmatched is what is known of the rows that refer to none when its foreign keys are checked, which is when it
	// commits.
	Unmatched Unmatched
	// Start and Commit are the database's own timestamps; 0 is one that it did not give.
	Start, Commit uint64
	// Exported is what its snapshot holds, as the database says, without its own writes: table -> pkey -> vkey; nil if it
	// does not.
	Exported map[string]map[int64]int64
	// Snapshot is what the tables held at Start, read back: table -> pkey -> vkey; nil if it was not.
	Snapshot map[string]map[int64]int64
}

// TableHold is one statement by which a transaction locked tables, or an advisory lock: sent at Asked, answered at
// Locked.
type TableHold struct {
	Locks         []control.TableLock
	Asked, Locked int64
	// Refused says that it only tried to, and was told that somebody else has it; Baseless that nobody else had asked for
	// it by then.
	Refused, Baseless bool
	Back              int64 // when it was asked to be taken back; 0: it was not
}

// MomentKind says what happened at a moment.
type MomentKind uint8

// The kinds of moments. What a deadlock or a write conflict ended has no end: when its locks went is not known.
const (
	Begin  MomentKind = iota
	Look              // a probe or an attempt that was given up; Whole says that it is the version-set read of Stmt
	Ran               // a target statement
	Commit            // that succeeded
	Abort             // a ROLLBACK of the transaction's own
	Undo              // a ROLLBACK TO a savepoint: Undid are the writes that it undid
)

// Moment is an event of the trace that the oracles go by: one statement, target or probe, on its transaction's own
// session, as far as it says something about the order in which things happened.
type Moment struct {
	Kind  MomentKind
	Txn   int
	Stmt  *ObservedStmt   // of Ran, and of Look where Whole is set
	Undid []*ObservedStmt // of Undo
	// Snapshot says that the transaction's snapshot is taken now if it is not yet, or a fresh one where every statement
	// has its own.
	Snapshot   bool
	Whole      bool
	Start, End int64 // ns since the run began
	Done       int   // position in the order of answering
}

// Written are the rows that the statement left in a table, as they were printed with all their columns after it; none
// where they bear no version key of their own.
func (s *ObservedStmt) Written(table string) []*history.Rows {
	if s.Bad != nil || s.Run == nil || s.Run.AWR == nil {
		return nil
	}
	var out []*history.Rows
	if p := s.Run.Block.AWR; p.Written && p.Tables[0] == table {
		out = append(out, s.Run.AWR.Rows)
	}
	for i, p := range s.Run.Block.After {
		if p.Written && p.Tables[0] == table && i < len(s.Run.After) {
			out = append(out, s.Run.After[i].Rows)
		}
	}
	return out
}

// Plain says whether a statement is a SELECT that takes no lock where the level gives it a snapshot, and reads a table.
func (s *ObservedStmt) Plain() bool {
	return s.Kind == sqltext.Select && s.View == dbms.Snapshot && len(s.Reads) > 0
}

// Seen is what the statement saw of a table, pkey -> vkey; nil where it does not read it.
func (s *ObservedStmt) Seen(table string) map[int64]int64 {
	for _, r := range s.Reads {
		if r.Table == table {
			return r.Seen
		}
	}
	return nil
}

// PromiseOf is what the database promises of a transaction.
func (o *Observation) PromiseOf(txn int) *dbms.Profile {
	if p := o.Txns[txn].Promise; p != nil {
		return p
	}
	return o.Promise
}

// Mixed says whether transactions ran at different levels.
func (o *Observation) Mixed() bool {
	return slices.ContainsFunc(o.Txns, func(t ObservedTxn) bool { return t.Promise != nil && t.Promise != o.Promise })
}

// Untold are the tables in which it may have written more than Writes says: it changed rows that nobody could observe.
func (s *ObservedStmt) Untold() []string {
	if !s.Waited || !s.Compared {
		return s.Unsure
	}
	return slices.Concat([]string{s.Target}, s.Changes, s.Unsure)
}

// Committed says whether the statement's transaction committed, and the statement with it.
func (o *Observation) Committed(s *ObservedStmt) bool {
	return o.Txns[s.Txn].Outcome == history.Committed && !s.Undone
}

// Nodes are the statements of committed transactions, in order of completion: those that the graph is made of. What a
// ROLLBACK TO undid is none of them, and what saw that neither; nor are those of transactions at a level without a
// replay beside others.
func (o *Observation) Nodes() []*ObservedStmt {
	return slices.DeleteFunc(slices.Clone(o.Stmts), func(s *ObservedStmt) bool {
		return s.Bad != nil || s.SawUndone || s.Skips || !o.Committed(s) || o.Promise.Guarantees.NoReplay == "" &&
			o.PromiseOf(s.Txn).Guarantees.NoReplay != ""
	})
}

// Input is what dependency inference works on: nodes are the statements of the graph, matches is Matches of theirs.
func (o *Observation) Input(nodes []*ObservedStmt, matches func(i int, v history.Version) (match,
	known bool)) *sdg.Input {
	in := &sdg.Input{Initial: o.Initial, Content: o.Content, Matches: matches}
	for _, n := range nodes {
		in.Stmts = append(in.Stmts, n.Node)
	}
	return in
}

// Same says whether two versions of a row are equal in every column that Stmts[i] uses.
func (o *Observation) Same(i int, a, b history.Version) (same, known bool) {
	if o.Content == nil {
		return false, false
	}
	x, y := o.Content(a), o.Content(b)
	if x == nil || y == nil {
		return false, false
	}
	used := o.Stmts[i].Used[a.Table]
	if used == nil {
		return maps.Equal(x, y), true
	}
	for _, column := range used {
		if x[column] != y[column] {
			return false, true
		}
	}
	return true, true
}

// keyTable is the table whose rows are known to make no difference to a statement unless it meets a key of theirs.
func keyTable(info *sqltext.Analysis) string {
	if info.KeyWhere == "" || info.MatchTable != "" {
		return ""
	}
	return info.Target
}

// Touches says whether a statement touches some rows of a table, at least one and not all that it saw there: an UPDATE
// or a DELETE of its target, a SELECT that prints which rows it read of any table. known is false for all others: of an
// INSERT's own rows there is no all, and what an aggregate read is not printed.
func (s *ObservedStmt) Touches() (some, known bool) {
	if s.Bad != nil || s.Err != nil || s.Run == nil {
		return false, false
	}
	rows := map[history.Item]bool{}
	var tables []string
	switch s.Kind {
	case sqltext.Update, sqltext.Delete:
		tables = []string{s.Target}
		for pkey := range s.Matched {
			rows[history.Item{Table: s.Target, PKey: pkey}] = true
		}
		for _, w := range s.Writes {
			rows[w.Item] = rows[w.Item] || w.From >= 0
		}
	case sqltext.Select:
		for _, item := range s.Run.Block.Info.Items {
			tables = append(tables, item.Table)
		}
		for _, v := range s.Out {
			rows[v.Item] = true
		}
	}
	touched := map[string]int{}
	for item, there := range rows {
		if there {
			touched[item.Table]++
		}
	}
	for _, t := range tables {
		some = some || touched[t] > 0 && touched[t] < len(s.Seen(t))
	}
	return some, len(tables) > 0
}
