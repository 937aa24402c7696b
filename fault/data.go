package fault

// Kinds of class data: what a finding comes down to, where more than one oracle shows it.
const (
	LostWrite       Kind = "lost-write"
	KeptWrite       Kind = "rolled-back-write-kept"
	KeptUndone      Kind = "undone-write-kept"
	OldWriter       Kind = "write-from-old-snapshot"
	KeyOnce         Kind = "key-found-once"
	ReadMends       Kind = "other-answer-unless-read"
	WroteNone       Kind = "insert-wrote-none"
	PassesOver      Kind = "passes-over-rows"
	WritesOthers    Kind = "writes-other-rows"
	IndexDamaged    Kind = "index-versus-table"
	Orphan          Kind = "reference-to-no-row"
	PagesDamaged    Kind = "damaged-pages"
	WarnedOtherwise Kind = "warned-otherwise"
	WarnedOfOwn     Kind = "warned-of-own-name"
)

var ofData = []CatalogueEntry{
	{Kind: LostWrite, Class: Data, AnyRead: true, AnySyntax: true,
		Title: "A committed change is lost",
		Why: "What is committed stays. At the end the row is as it was before the change, and nobody has " +
			"replaced it.",
		Source: "Gray and Reuter: durability",
		Old:    []string{"committed write lost"}},
	{Kind: KeptWrite, Class: Data, AnyRead: true, AnySyntax: true,
		Title:  "A change that is rolled back stays",
		Why:    "What is rolled back was never in the database. At the end it is there.",
		Source: "Gray and Reuter: atomicity",
		Old:    []string{"rolled-back write kept"}},
	{Kind: KeptUndone, Class: Data, AnyRead: true, AnySyntax: true,
		Title:  "A change that ROLLBACK TO undid stays",
		Why:    "ROLLBACK TO a savepoint undoes what was written since. At the end it is there.",
		Source: "ISO/IEC 9075-2, ROLLBACK TO SAVEPOINT",
		Old:    []string{"write kept behind ROLLBACK TO"}},
	{Kind: OldWriter, Class: Data, AnySyntax: true,
		Title: "A transaction writes that has read before another one committed",
		Why: "Where one transaction at a time may write, one whose snapshot is older than the last commit " +
			"must be refused.",
		Source: "sqlite.org/isolation.html",
		Old:    []string{"write from an old snapshot"}},
	{Kind: KeyOnce, Class: Data, OfDamage: true,
		Title:  "A unique key is found by one execution and not by the other",
		Why:    "A unique key names one row. The same rows were there both times.",
		Source: "ISO/IEC 9075-2, unique constraints",
		Old:    []string{"key there to one, not to the other"}},
	{Kind: ReadMends, Class: Data,
		Title:  "{stmt} gives another answer unless a query reads the tables before it",
		Why:    "A query that locks nothing changes nothing: the answer without it is wrong.",
		Source: "ISO/IEC 9075-2, SELECT"},
	{Kind: WroteNone, Class: Data,
		Title:  "INSERT writes none of its rows and says that it did",
		Why:    "Each row that it spells is inserted, or changes one that is in its way.",
		Source: "ISO/IEC 9075-2, INSERT",
		Old:    []string{"INSERT writes none of its rows"}},
	{Kind: PassesOver, Class: Data,
		Title:  "{stmt} passes over rows for which its WHERE clause is true",
		Why:    "A statement must change the rows that its WHERE clause finds, all of them and no others.",
		Source: "ISO/IEC 9075-2, searched UPDATE and DELETE",
		Old:    []string{"passes over rows"}},
	{Kind: WritesOthers, Class: Data,
		Title:  "{stmt} changes rows for which its WHERE clause is not true",
		Why:    "A statement must change the rows that its WHERE clause finds, all of them and no others.",
		Source: "ISO/IEC 9075-2, searched UPDATE and DELETE",
		Old:    []string{"writes other rows"}},
	{Kind: IndexDamaged, Class: Data, AnySyntax: true,
		Title:  "An index and its table disagree",
		Why:    "Whatever statements were run before, the tables must be whole.",
		Source: "the database says so itself",
		Old:    []string{"index and table disagree"}},
	{Kind: Orphan, Class: Data, AnySyntax: true,
		Title:  "A row refers to one that is not there",
		Why:    "A foreign key that is enforced leaves no such row.",
		Source: "the database says so itself",
		Old:    []string{"reference to no row"}},
	{Kind: PagesDamaged, Class: Data, AnySyntax: true,
		Title:  "Pages of the database are damaged",
		Why:    "Whatever statements were run before, the tables must be whole.",
		Source: "the database says so itself",
		Old:    []string{"damaged pages"}},
	{Kind: WarnedOtherwise, Class: Data,
		Title: "{stmt} is warned of other things than without transactions",
		Why: "In the order of their dependencies each statement meets the same rows without transactions " +
			"as within.",
		Source: "TxCheck, Theorem 1",
		Old:    []string{"warned otherwise"}},
	{Kind: WarnedOfOwn, Class: Data,
		Title:  "{stmt} is warned of a name that no statement knows",
		Why:    "A warning speaks of the columns that the statement names.",
		Source: "a name of the database's own, which no statement knows",
		Old:    []string{"warned of a name of the database's own"}},
}
