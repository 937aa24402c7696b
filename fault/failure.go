package fault

// Kinds of class failure: what no statement may lead to.
const (
	Crash           Kind = "crash"
	Hang            Kind = "hang"
	LockKept        Kind = "lock-kept"
	Undetected      Kind = "undetected-deadlock"
	Integrity       Kind = "integrity"
	Corruption      Kind = "corruption"
	UnexpectedError Kind = "unexpected-error"
	Receipt         Kind = "receipt"
	ForgottenBranch Kind = "xa-forgotten"
)

var ofFailure = []CatalogueEntry{
	{Kind: Crash, Class: Failure,
		Title:  "The server crashes",
		Why:    "No statement may end the server.",
		Source: "no statement may end the server"},
	{Kind: Hang, Class: Failure,
		Title:  "{stmt} does not end in a transaction, and does without one",
		Why:    "The statement waits for no lock, and without transactions it ends at once. It must answer.",
		Source: "every statement is answered"},
	{Kind: LockKept, Class: Failure, Mechanism: ME,
		Title: "{stmt} waits for a lock that no open transaction holds",
		Why: "A transaction that has ended holds no locks. Every transaction that could have held this " +
			"one had ended, and it was not given.",
		Want:   "that the statement is given the lock.",
		Source: "who has ended holds no locks",
		Old:    []string{"kept-lock"}},
	{Kind: Undetected, Class: Failure,
		Title: "{stmt} waits in a deadlock that is not detected",
		Why: "The transactions wait for each other's locks in a circle, so none can be given. A deadlock must be " +
			"detected, and one of them rolled back.",
		Want:   "that one of the transactions is rolled back as the victim of a deadlock, and the others go on.",
		Source: "the manuals: Deadlock Detection, Deadlocks"},
	{Kind: Integrity, Class: Failure,
		Title:  "The database is damaged",
		Why:    "Whatever statements were run before, the tables must be whole.",
		Source: "the database's own check of its tables"},
	{Kind: Corruption, Class: Failure,
		Title:  "The database is damaged",
		Why:    "Whatever statements were run before, the tables must be whole.",
		Source: "the database's own check of its tables"},
	{Kind: UnexpectedError, Class: Failure,
		Title: "{stmt} is answered with an error that no statement can cause",
		Why: "No statement and no data can cause this error. It says that the engine or its files are " +
			"damaged.",
		Source: "the manuals: errors that no statement can cause"},
	{Kind: Receipt, Class: Failure,
		Title: "A receipt that was written once is there twice, or not at all",
		Why: "A receipt is written in the transaction whose commit it tells, and read when that one's " +
			"outcome is not known.",
		Source: "what the workload writes"},
	{Kind: ForgottenBranch, Class: Failure,
		Title: "A prepared branch is gone",
		Why: "A branch that was prepared stays until it is committed or rolled back, whatever becomes of " +
			"the server.",
		Source: "X/Open XA: a prepared branch survives"},
}
