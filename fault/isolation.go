package fault

// Kinds of class isolation: phenomena of transactions as a whole.
const (
	G0        Kind = "G0"
	G1a       Kind = "G1a"
	G1aDelete Kind = "G1a-of-delete"
	G1b       Kind = "G1b"
	G1c       Kind = "G1c"
	OTV       Kind = "OTV"
	P2        Kind = "P2"
	PMP       Kind = "PMP"
	GSIaRead  Kind = "G-SIa-read"
	P4        Kind = "P4"
	GSingle   Kind = "G-single"
	GSIb      Kind = "G-SIb"
	GSIa      Kind = "G-SIa"
	G2Item    Kind = "G2-item"
	G2        Kind = "G2"
)

var ofIsolation = []CatalogueEntry{
	{Kind: G0, Class: Isolation, Mechanism: ME, Called: "dirty write",
		Title: "Two transactions change the same row before either of them has ended",
		Why: "A row that a transaction has changed belongs to it until it ends. Here another one changed " +
			"it in between, so a rollback or a crash cannot restore the right value.",
		Want:   "the second change waits until the first transaction has ended.",
		Source: "Adya, PL-1; Berenson et al., P0",
		Old:    []string{"mutual-exclusion:dirty-write"}},
	{Kind: G1a, Class: Isolation, Mechanism: CR, Called: "aborted read",
		Title: "{sees} a change that is rolled back later",
		Why: "What a transaction that is rolled back has written was never in the database. Here another " +
			"transaction works with it.",
		Source: "Adya, PL-2",
		Old:    []string{"consistent-read:aborted-read"}},
	{Kind: G1aDelete, Class: Isolation, Mechanism: CR,
		Title: "A transaction misses a row that another one deleted and that is rolled back",
		Why: "A row that only a transaction deleted which is rolled back was there all the time. So every " +
			"read must find it.",
		Source: "Adya, PL-2: the version that is not seen any more is a deletion",
		Old:    []string{"consistent-read:aborted-read-of-delete"}},
	{Kind: G1b, Class: Isolation, Mechanism: CR, Called: "intermediate read",
		Title: "{sees} a value that its transaction changes again before it commits",
		Why: "Of a transaction only the last value of a row may become visible. Here another transaction " +
			"works with one that was never committed.",
		Source: "Adya, PL-2",
		Old:    []string{"consistent-read:intermediate-read"}},
	{Kind: G1c, Class: Isolation, Called: "circular information flow",
		Title: "Two transactions each see the other one's changes",
		Why: "If each sees what the other one wrote, each must have come after the other. At least one of " +
			"them saw what was not committed yet.",
		Source: "Adya, PL-2"},
	{Kind: OTV, Class: Isolation, Called: "observed transaction vanishes",
		Title: "{sees} only a part of a transaction whose other part it has seen",
		Why: "Once a transaction sees a change of another one, it must see all its changes. Here a part " +
			"of them is missing.",
		Source: "Bailis et al., Highly Available Transactions"},
	{Kind: P2, Class: Isolation, Called: "fuzzy read",
		Title: "A row that a transaction reads twice has changed in between",
		Why: "At this level a transaction reads one state of the database from its first read to its end. " +
			"Here a commit of another transaction shows in the midst of it.",
		Source: "Berenson et al., P2"},
	{Kind: PMP, Class: Isolation, Called: "read skew",
		Title: "A transaction sees in a later read what another one has committed since its first",
		Why: "At this level all reads of a transaction see one state of the database. Here the reads are " +
			"of two states, before and after another transaction's commit.",
		Source: "Bailis et al., Highly Available Transactions: predicate-many-preceders"},
	{Kind: GSIaRead, Class: Isolation, Called: "interference",
		Title: "{sees} what was committed after its transaction's snapshot",
		Why: "At this level a transaction reads the state of the moment at which its snapshot was taken. " +
			"Here a later commit shows.",
		Source: "Adya, PL-SI, of plain reads alone"},
	{Kind: P4, Class: Isolation, Called: "lost update",
		Title: "{stmt} overwrites a change that its transaction has not seen: one update is lost",
		Why: "The transaction decided what to write from a value that another one had replaced by then. " +
			"Whichever transaction is taken to be the first, the second one must see its change.",
		Source: "Berenson et al., P4",
		Old:    []string{"overwrote a state that another committed statement overwrote too"}},
	{Kind: GSingle, Class: Isolation, Called: "read skew",
		Title: "A transaction sees a part of what another one has committed",
		Why: "A transaction must see another one's changes all together or not at all. Here it sees some " +
			"of them.",
		Source: "Adya, PL-2+; Berenson et al., A5A"},
	{Kind: GSIb, Class: Isolation, Called: "long fork",
		Title: "Transactions see the commits of others in different orders",
		Why: "Commits have one order. Here one transaction sees the first of two commits without the " +
			"second, and another one the second without the first.",
		Source: "Adya, PL-SI; LongFork in Wei et al., table I"},
	{Kind: GSIa, Class: Isolation, Called: "interference",
		Title: "{sees} what was committed after its transaction's snapshot",
		Why: "At this level a transaction reads the state of the moment at which its snapshot was taken. " +
			"Here a later commit shows.",
		Source: "Adya, PL-SI"},
	{Kind: G2Item, Class: Isolation, Called: "write skew",
		Title: "Transactions commit although each read what the other one changed",
		Why: "At this level the transactions must give what they give one after the other. Whichever " +
			"comes first, the next one must see its change, and none of them did.",
		Source: "Adya, PL-2.99; write skew (A5B) in Berenson et al."},
	{Kind: G2, Class: Isolation, Called: "anti-dependency cycle",
		Title: "Transactions commit although each searched for rows that the other one changed",
		Why: "At this level the transactions must give what they give one after the other. Whichever " +
			"comes first, the next one must see its change, and none of them did.",
		Source: "Adya, PL-3; Berenson et al., P3"},
}
