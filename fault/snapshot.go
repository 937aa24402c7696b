package fault

// Kinds of class snapshot: single reads that are not of the state which they must see.
const (
	StaleRead        Kind = "stale-read"
	SessionGuarantee Kind = "session-guarantee-violation"
	DirtyRead        Kind = "dirty-read"
	NewerRead        Kind = "newer-read"
	OwnWriteMissed   Kind = "own-write-missed"
	OwnLaterWrite    Kind = "own-later-write-read"
	ThinAirRead      Kind = "thin-air-read"
	UnwrittenVersion Kind = "unwritten-version"
	UndoneWrite      Kind = "undone-write"
	MissingRow       Kind = "missing-row"
	RowTooMany       Kind = "row-too-many"
	TornRow          Kind = "torn-row"
)

var ofSnapshot = []CatalogueEntry{
	{Kind: StaleRead, Class: Snapshot, Mechanism: CR, AnyRead: true, AnySyntax: true,
		Title: "{stmt} misses a change that was committed before its transaction began to read",
		Why: "What is committed before a transaction takes its snapshot belongs to that snapshot. Here " +
			"the row is as it was before that commit.",
		Source: "Leopard, section V-A: a garbage version",
		Old:    []string{"consistent-read:stale-read", "stale read"}},
	{Kind: SessionGuarantee, Class: Snapshot, Mechanism: CR,
		Title:  "{stmt} misses a change that the same connection has committed before",
		Why:    "A connection must see its own earlier commits. Here the row is as it was before one of them.",
		Source: "Wei et al., table I"},
	{Kind: DirtyRead, Class: Snapshot, Mechanism: CR, AnyRead: true, AnySyntax: true,
		Title:  "{sees} a change that another transaction has not committed",
		Why:    "What a transaction writes must stay invisible to others until it commits. Here it had not committed.",
		Source: "Berenson et al., P1",
		Old:    []string{"consistent-read:uncommitted-read", "dirty read", "consistent-read:future-read", "future-read"}},
	{Kind: NewerRead, Class: Snapshot, Mechanism: CR, AnyRead: true, AnySyntax: true,
		Title: "{sees} a change that was committed after its transaction's first read",
		Why: "At this level all reads of a transaction see the state of its first read. Here a later " +
			"commit of another transaction shows.",
		Source: "Leopard, section V-A: a future version",
		Old:    []string{"newer than snapshot"}},
	{Kind: OwnWriteMissed, Class: Snapshot, Mechanism: CR, AnyRead: true, AnySyntax: true,
		Title:  "{stmt} misses a change of its own transaction",
		Why:    "A transaction sees what it has written itself. Here a row is as it was before that.",
		Source: "Wei et al., table I: NotMyOwnWrite and NotMyLastWrite",
		Old:    []string{"consistent-read:own-write-lost", "own write missed by reads"}},
	{Kind: OwnLaterWrite, Class: Snapshot, Mechanism: CR, AnyRead: true, AnySyntax: true, OfDamage: true,
		Title: "A transaction reads a value that it writes only later",
		Why: "A statement sees what was written before it. Its own transaction wrote this value after it " +
			"had read.",
		Source: "Wei et al., table I: FutureRead",
		Old:    []string{"own later write read"}},
	{Kind: ThinAirRead, Class: Snapshot, Mechanism: CR, AnyRead: true, AnySyntax: true, OfDamage: true,
		Title: "{sees} a value that nobody has written",
		Why: "A row holds what some statement wrote, or what was there at the start. This value is " +
			"neither.",
		Source: "Wei et al., table I",
		Old:    []string{"thin-air read"}},
	{Kind: UnwrittenVersion, Class: Snapshot, Mechanism: CR, AnySyntax: true,
		Title: "A transaction sees a value that no transaction has left there",
		Why: "A row holds what the last committed statement wrote. This value is of no transaction, or it " +
			"had long been overwritten.",
		Source: "Leopard, section V-A: no candidate version",
		Old: []string{"consistent-read:unwritten-version", "saw a version that no committed statement wrote",
			"row names a version that nobody wrote"}},
	{Kind: UndoneWrite, Class: Snapshot, Mechanism: CR,
		Title: "{stmt} sees a change that its transaction has undone",
		Why: "ROLLBACK TO a savepoint undoes what was written since. Here a later statement of the " +
			"transaction still sees it.",
		Source: "ISO/IEC 9075-2, ROLLBACK TO SAVEPOINT"},
	{Kind: MissingRow, Class: Snapshot, Mechanism: CR, AnyRead: true, OfDamage: true,
		Title: "{stmt} misses a row that is there",
		Why: "What wrote the row was there before the transactions began, or had been committed, and " +
			"nobody has deleted it since. So the read must find it.",
		Source: "Leopard, section V-A: the version that is seen is absence",
		Old: []string{"consistent-read:missing-row", "missed an initial row that no committed statement deleted",
			"row missing from reads"}},
	{Kind: RowTooMany, Class: Snapshot, Mechanism: CR,
		Title: "A transaction sees a row that is not there",
		Why: "The row had not been inserted, or it was deleted, before the read began. So no read may " +
			"find it.",
		Source: "Leopard, section V-A: the version that is missed is absence",
		Old:    []string{"consistent-read:row-too-many"}},
	{Kind: TornRow, Class: Snapshot, Mechanism: CR,
		Title:  "A transaction sees a row that is put together from two writes",
		Why:    "A row is written as a whole. Here its columns are of two different writes.",
		Source: "a row is written as a whole",
		Old:    []string{"consistent-read:torn-row"}},
}
