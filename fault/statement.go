package fault

// Kinds of class statement: a statement against the reads around it, and its answer against itself.
const (
	Affected             Kind = "affected-versus-written"
	Spelled              Kind = "affected-versus-spelled"
	MatchedWritten       Kind = "matched-versus-written"
	Returned             Kind = "returned-versus-written"
	Assigned             Kind = "assigned-versus-stored"
	UnmetRow             Kind = "changed-unmet-row"
	Carried              Kind = "carried-otherwise"
	RefusedCarried       Kind = "refused-versus-carried"
	Counted              Kind = "count-versus-seen"
	Searched             Kind = "search-versus-rows"
	Ordered              Kind = "order-versus-rows"
	KeyTwice             Kind = "key-twice"
	LateKeyTwice         Kind = "late-key-twice"
	ReadOnlyWrite        Kind = "write-in-read-only"
	OverwroteUnseen      Kind = "overwrote-unseen"
	OverwroteItself      Kind = "overwrote-itself"
	FailedYetWrote       Kind = "failed-yet-wrote"
	ReadYetWrote         Kind = "read-yet-wrote"
	RowTwice             Kind = "row-twice"
	ConditionBroken      Kind = "condition-broken"
	WrongRow             Kind = "wrong-row"
	NoKey                Kind = "no-key"
	BadKey               Kind = "bad-key"
	FailedCommit         Kind = "failed-commit"
	RefusedUnmatched     Kind = "refused-versus-unmatched"
	CommittedUnmatched   Kind = "committed-versus-unmatched"
	PassedOver           Kind = "passed-over-after-wait"
	PassedOverMoved      Kind = "passed-over-moved-row"
	ConflictBeforeCommit Kind = "conflict-before-commit"
	LostSavepoint        Kind = "lost-savepoint"
	UnknownSavepoint     Kind = "unknown-savepoint"
	Gone                 Kind = "transaction-gone"
	Ended                Kind = "transaction-ended"
	OverwroteUncommitted Kind = "overwrote-uncommitted"
	PrintedUnseen        Kind = "printed-unseen"
	ReadsDisagree        Kind = "reads-disagree"
)

var ofStatement = []CatalogueEntry{
	{Kind: Affected, Class: Statement, OfDamage: true,
		Title: "{stmt} reports a number of affected rows that is not the number that it changed",
		Why: "The number of affected rows must be that of the rows that were changed. Right before and " +
			"after the statement, with nothing in between, the table shows another number.",
		Want:   "the number of rows that it reports is the number of rows that it changes.",
		Source: "ISO/IEC 9075-2, GET DIAGNOSTICS ROW_COUNT",
		Old:    []string{"affected rows miscounted", "affected-rows"}},
	{Kind: Spelled, Class: Statement,
		Title: "{stmt} reports a number of affected rows that is not the number of those that it spells",
		Why: "Each row that it spells is inserted, or changes one that is in its way. So the number of " +
			"affected rows is known from its text alone.",
		Want:   "as many affected rows as it spells: each is inserted or changes one that is there.",
		Source: "ISO/IEC 9075-2, INSERT"},
	{Kind: MatchedWritten, Class: Statement,
		Title: "{stmt} does not change exactly the rows that its WHERE clause finds",
		Why: "A statement must change the rows that its WHERE clause finds, all of them and no others. A " +
			"SELECT with the same WHERE clause right before it finds others: one of the two is wrong.",
		Want: "it changes the rows that a SELECT with its WHERE clause finds right before it, all of them " +
			"and no others.",
		OfAll: &Wording{
			Title: "{stmt} without a WHERE clause does not change every row",
			Why: "Without a WHERE clause a statement must change every row of its table. " +
				"A SELECT of the table right before it finds others than were changed.",
			Want: "it changes every row of its table."},
		Source: "ISO/IEC 9075-2, searched UPDATE and DELETE"},
	{Kind: Returned, Class: Statement,
		Title: "{stmt} returns other rows than it writes",
		Why: "RETURNING gives each row that the statement writes, once, as the statement leaves it. A " +
			"read right after it, with nothing in between, shows other rows or values.",
		Want:   "each row that it writes, once, with the values that the row has then.",
		Source: "the manuals: RETURNING"},
	{Kind: Assigned, Class: Statement,
		Title: "{stmt} leaves another value than it gives",
		Why: "Its text says what it gives to a column. A read right after it, with nothing in between, " +
			"shows another value.",
		Want:   "the row holds what the statement's text gives to it.",
		Source: "ISO/IEC 9075-2, store assignment",
		Old:    []string{"given-versus-left"}},
	{Kind: UnmetRow, Class: Statement,
		Title: "{stmt} changes a row that is not in its way",
		Why: "An upsert changes the rows that have a unique key of one that it spells. The read right " +
			"before it shows that this one has none of these.",
		Want:   "it changes rows that have a unique key which it spells, and no others.",
		Source: "the manuals: REPLACE, ON DUPLICATE KEY UPDATE, ON CONFLICT"},
	{Kind: Carried, Class: Statement,
		Title: "{stmt} leaves a row that refers to one of its own otherwise than the foreign key's action " +
			"says",
		Why: "The row refers to one that goes, or gets another key. The reads right before and after the " +
			"statement show what it was and what it is; by ON DELETE, or ON UPDATE, it should be " +
			"something else.",
		Want: "a row that refers to one which goes, or gets another key, is left as the action of its " +
			"foreign key says.",
		Source: "ISO/IEC 9075-2, referential actions"},
	{Kind: RefusedCarried, Class: Statement,
		Title: "{stmt} is refused for a foreign key whose action takes the rows along",
		Why: "Each foreign key that refers to its table has an action for what it does, and nothing " +
			"refers to the rows that follow. So no row can be left that refers to none.",
		Want: "it succeeds: each row that refers to one of its own goes with it, follows it or refers to " +
			"none.",
		Source: "ISO/IEC 9075-2, referential actions"},
	{Kind: Counted, Class: Statement,
		Title: "{stmt} finds another number of rows in a table than another SELECT beside it",
		Why: "Both read the same table as it is at the same moment, and neither has a condition. So they " +
			"must find the same number of rows.",
		Source: "ISO/IEC 9075-2, COUNT(*)",
		Old:    []string{"COUNT of other rows than are read"}},
	{Kind: Searched, Class: Statement, AnyRead: true, OfDamage: true,
		Title: "{stmt} finds other rows than its WHERE clause is true for",
		Why: "The database, asked about each row of the table by itself, says for which the clause is " +
			"true. The search finds others.",
		Want:   "it finds the rows for which its WHERE clause is true, all of them and no others.",
		Source: "Rigger and Su: a condition evaluated for one row (PQS, NoREC)",
		Old:    []string{"search finds wrong rows"}},
	{Kind: Ordered, Class: Statement,
		Title: "{stmt} returns its rows in another order than its ORDER BY says",
		Why: "ORDER BY sorts the rows of an answer. Here two rows that follow each other contradict it by " +
			"the numbers that they show.",
		Source: "ISO/IEC 9075-2, ORDER BY"},
	{Kind: KeyTwice, Class: Statement,
		Title: "{stmt} sees two rows with one unique key",
		Why: "A unique key names one row. A duplicate may be refused as late as at COMMIT, but no state " +
			"of the table holds both rows, and the transaction has read both.",
		Want:   "of two rows with one unique key it sees one, whenever the duplicate is refused.",
		Source: "ISO/IEC 9075-2, unique constraints"},
	{Kind: LateKeyTwice, Class: Statement,
		Title: "{stmt} sees two rows with one unique key, one of its own transaction",
		Why: "A unique key names one row. The transaction's own duplicate may be refused as late as at " +
			"COMMIT, but no state of the table holds both rows, and it has read both.",
		Want:   "of two rows with one unique key it sees one, whenever the duplicate is refused.",
		Source: "ISO/IEC 9075-2, unique constraints"},
	{Kind: ReadOnlyWrite, Class: Statement,
		Title: "{stmt} writes in a READ ONLY transaction",
		Why: "What would write is refused in a transaction that begins READ ONLY, whatever rows it finds. " +
			"Here it was answered with success.",
		Want:   "it is refused: its transaction is READ ONLY.",
		Source: "ISO/IEC 9075-2, READ ONLY"},
	{Kind: OverwroteUnseen, Class: Statement,
		Title: "{stmt} changes another version of a row than the one that its transaction sees",
		Why: "A statement must work on the rows as a read right before it shows them. Here it overwrote " +
			"another value.",
		Source: "the read modes of the target",
		Old:    []string{"overwrote another state than the one it saw"}},
	{Kind: OverwroteItself, Class: Statement,
		Title: "{stmt} leaves a row that names itself as the version before it",
		Why: "Each write gives a row a new version and notes the one before. The row says that both are " +
			"one.",
		Source: "the bookkeeping columns"},
	{Kind: FailedYetWrote, Class: Statement,
		Title: "{stmt} fails and keeps a part of its changes",
		Why: "A statement that fails changes nothing. Here rows have changed although it was answered " +
			"with an error.",
		Want:   "a statement that fails changes nothing.",
		Source: "ISO/IEC 9075-2: statements are atomic"},
	{Kind: ReadYetWrote, Class: Statement,
		Title:  "{stmt} changes rows although it only reads",
		Why:    "A query changes nothing. Here rows have changed while it ran, alone on the database.",
		Want:   "a statement that only reads changes nothing.",
		Source: "ISO/IEC 9075-2, SELECT"},
	{Kind: RowTwice, Class: Statement, AnyRead: true, OfDamage: true,
		Title:  "{stmt} returns one row twice",
		Why:    "A row is in a table once. Here a read returns it twice, with one primary key.",
		Want:   "each row once.",
		Source: "a primary key names one row",
		Old:    []string{"row twice in a read", "duplicate-row"}},
	{Kind: ConditionBroken, Class: Statement,
		Title: "A condition that every transaction keeps is broken",
		Why: "Each transaction leaves the condition as true as it was before, and no two of them run as if they were " +
			"mixed. What a transaction read of one state of the database breaks it.",
		Source: "TPC-C 5.11, clause 3.3.2; Gray and Reuter: consistency"},
	{Kind: WrongRow, Class: Statement,
		Title:  "{stmt} returns a row that nobody has written",
		Why:    "Each row of the workload tells how it was written. This one contradicts itself.",
		Source: "what the workload writes"},
	{Kind: NoKey, Class: Statement,
		Title:  "{stmt} returns rows without the columns that it asks for",
		Why:    "The answer must have the columns that the statement names.",
		Source: "the bookkeeping columns"},
	{Kind: BadKey, Class: Statement,
		Title:  "{stmt} returns a key that is no number",
		Why:    "The columns of the keys hold numbers, and nothing else was written there.",
		Source: "the bookkeeping columns"},
	{Kind: FailedCommit, Class: Statement,
		Title: "A COMMIT fails with an error that no conflict explains",
		Why: "Once every statement of a transaction is answered its COMMIT may fail for a conflict with " +
			"another transaction alone. Here it fails with another error.",
		Want:   "COMMIT succeeds, or fails for a conflict with another transaction.",
		Source: "ISO/IEC 9075-2, COMMIT"},
	{Kind: RefusedUnmatched, Class: Statement,
		Title: "A COMMIT is refused for a foreign key that no row violates",
		Why: "A foreign key that is DEFERRABLE INITIALLY DEFERRED is checked when the transaction " +
			"commits. Right before that each row refers to one that is there, and the COMMIT fails.",
		Want:   "COMMIT succeeds: each row refers to one that is there.",
		Source: "ISO/IEC 9075-2, deferred constraints",
		Old:    []string{"refused-versus-owed"}},
	{Kind: CommittedUnmatched, Class: Statement,
		Title: "A COMMIT succeeds and leaves a row that refers to none",
		Why: "A foreign key that is DEFERRABLE INITIALLY DEFERRED is checked when the transaction " +
			"commits. Right before that a row refers to one that is not there, and the COMMIT succeeds.",
		Want:   "COMMIT fails: a row refers to one that is not there.",
		Source: "ISO/IEC 9075-2, deferred constraints",
		Old:    []string{"committed-versus-owed"}},
	{Kind: ReadsDisagree, Class: Statement,
		Title: "{stmt} and another read of the same state cannot both be true",
		Why: "Both see the same state of the table, and nothing was written in between. Whatever that state is, one of " +
			"them does not return what is there.",
		Source: "Berenson et al., snapshot isolation; ISO/IEC 9075-2, SELECT"},
	{Kind: PassedOver, Class: Statement,
		Title: "{stmt} passes over a row that its WHERE clause finds, after it waited for a lock",
		Why: "A statement that waited for a row must look at it again, as it is then. Its WHERE clause " +
			"finds the row now, and the row was not changed.",
		Want: "it changes the rows that a SELECT with its WHERE clause finds, all of them and no others.",
		OfAll: &Wording{
			Title: "{stmt} without a WHERE clause passes over a row, after it waited for a lock",
			Why: "A statement that waited for a row must look at it again, as it is then. " +
				"The row is in the table now, the statement has no WHERE clause, and the row was not changed.",
			Want: "it changes every row of its table."},
		Source: "the read modes of the target",
		Old:    []string{"passed-over"}},
	{Kind: PassedOverMoved, Class: Statement,
		Title: "{stmt} passes over a row whose key another transaction changes",
		Why: "The row is in the table all the time, and the WHERE clause finds it before and after the " +
			"change of its key. So the statement must change it.",
		Source: "the read modes of the target"},
	{Kind: ConflictBeforeCommit, Class: Statement,
		Title: "{stmt} is answered with an error that only a COMMIT may have",
		Why: "A conflict of this kind is found when a transaction commits. Here a statement before that " +
			"is answered with it.",
		Source: "the manuals: conflicts that COMMIT alone is refused for"},
	{Kind: LostSavepoint, Class: Statement,
		Title: "A savepoint that was set is not there",
		Why: "A savepoint stays until it is released, replaced or the transaction ends. None of that " +
			"happened, and ROLLBACK TO it fails.",
		Want:   "the savepoint is there until it is released, replaced or the transaction ends.",
		Source: "ISO/IEC 9075-2, SAVEPOINT",
		Old:    []string{"savepoint gone"}},
	{Kind: UnknownSavepoint, Class: Statement,
		Title:  "A savepoint that was never set is there",
		Why:    "ROLLBACK TO a savepoint that does not exist must fail. Here it is answered with success.",
		Source: "ISO/IEC 9075-2, SAVEPOINT"},
	{Kind: Gone, Class: Statement,
		Title: "A transaction is ended by {stmt}, and no error says so",
		Why: "Until it is committed or rolled back, or an error ends it, a transaction stays open. Here " +
			"the database says with the answer to a statement that none is: what follows in it is " +
			"committed at once.",
		Want:   "the error that has ended the transaction, or one that is still open.",
		Source: "ISO/IEC 9075-2: a transaction ends by COMMIT, ROLLBACK or an error that says so"},
	{Kind: Ended, Class: Statement, AnySyntax: true,
		Title: "A transaction has ended without a word",
		Why: "Until it is committed or rolled back, or an error ends it, a transaction stays open. Here " +
			"it went on, and what it did was of no transaction.",
		Source: "ISO/IEC 9075-2: a transaction ends by COMMIT, ROLLBACK or an error that says so",
		Old:    []string{"transaction ended without a word"}},
	{Kind: OverwroteUncommitted, Class: Statement,
		Title: "{stmt} overwrites a value that no committed statement has left there",
		Why: "A change starts from what the last committed statement wrote. Here it starts from something " +
			"else.",
		Source: "Adya, version orders",
		Old:    []string{"overwrote a state that no committed statement left"}},
	{Kind: PrintedUnseen, Class: Statement,
		Title: "{stmt} returns a version of a row that a read right beside it does not find",
		Why: "The read was sent right before the statement, in the same transaction. Both must see the " +
			"same rows.",
		Source: "the read modes of the target",
		Old:    []string{"printed a version that its version-set read did not see"}},
}
