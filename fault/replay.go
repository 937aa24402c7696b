package fault

// Kinds of class replay: what the same statements give without transactions, or planned otherwise.
const (
	Rows            Kind = "rows"
	Order           Kind = "order"
	AffectedRows    Kind = "affected"
	Error           Kind = "error"
	Warnings        Kind = "warnings"
	Final           Kind = "final"
	MatchedAffected Kind = "matched-versus-affected"
	RefusedHeld     Kind = "refused-versus-held"
	NoOrder         Kind = "no-order"
	ChangedMatched  Kind = "changed-versus-matched"
)

var ofReplay = []CatalogueEntry{
	{Kind: Rows, Class: Replay, Called: "other rows",
		Title: "{stmt} returns other rows than without transactions",
		Why: "In the order of their dependencies each statement meets the same rows without transactions " +
			"as within.",
		Source: "TxCheck, Theorem 1"},
	{Kind: Order, Class: Replay,
		Title:  "{stmt} returns its rows in another order than without transactions",
		Why:    "Its ORDER BY leaves one order of the rows alone.",
		Source: "TxCheck, Theorem 1"},
	{Kind: AffectedRows, Class: Replay, Called: "another number of affected rows",
		Title: "{stmt} affects another number of rows than without transactions",
		Why: "In the order of their dependencies each statement meets the same rows without transactions " +
			"as within.",
		Source: "TxCheck, Theorem 1"},
	{Kind: Error, Class: Replay,
		Title: "{stmt} fails otherwise than without transactions",
		Why: "In the order of their dependencies each statement meets the same rows without transactions " +
			"as within.",
		Source: "TxCheck, Theorem 1"},
	{Kind: Warnings, Class: Replay,
		Title: "{stmt} is warned of other things than without transactions",
		Why: "In the order of their dependencies each statement meets the same rows without transactions " +
			"as within.",
		Source: "TxCheck, Theorem 1"},
	{Kind: Final, Class: Replay,
		Title: "The tables hold other rows than after the same statements without transactions",
		Why: "In the order of their dependencies the statements leave the same rows without transactions " +
			"as within.",
		Source: "TxCheck, Theorem 1"},
	{Kind: MatchedAffected, Class: Replay,
		Title: "{stmt} affects another number of rows than a query with its WHERE clause finds",
		Why: "The query was right before it, alone on the database and without a transaction: both must " +
			"find the same rows.",
		Source: "Rigger and Su: a write and a query with its condition (DQE)"},
	{Kind: RefusedHeld, Class: Replay,
		Title: "{stmt} is refused for a key that no row has, or adds a row whose key is taken",
		Why: "The query was right before it, alone on the database and without a transaction. A unique " +
			"key keeps a row out where another one has it, and only there.",
		Source: "ISO/IEC 9075-2, unique constraints"},
	{Kind: NoOrder, Class: Replay,
		Title: "{stmt} answers as in no order of the transactions",
		Why: "Whatever order the transactions are taken in, one after the other, the statement answers " +
			"otherwise.",
		Source: "TxCheck, Theorem 1, of whole transactions",
		Old:    []string{"no order gives this answer"}},
	{Kind: ChangedMatched, Class: Replay,
		Title: "{stmt} changes a row though its condition is not true, or passes over one of which it is",
		Why: "The query was right before it, alone on the database and without a transaction: the " +
			"condition holds for the same rows in both.",
		Source: "the manuals: ON CONFLICT DO UPDATE … WHERE",
		Old:    []string{"changed-versus-met"}},
}
