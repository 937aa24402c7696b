package fault

// Kinds of class history: what the checkers of recorded histories find, who know transactions by what they read and
// wrote alone. The first 14 are the anomalies of Wei et al. (ICDE 2025, table I and figure 5), under the names that
// they have there; the last ones are of Jepsen's workloads.
const (
	HistoryThinAirRead               Kind = "ThinAirRead"
	HistoryAbortedRead               Kind = "AbortedRead"
	HistoryFutureRead                Kind = "FutureRead"
	HistoryNotMyLastWrite            Kind = "NotMyLastWrite"
	HistoryNotMyOwnWrite             Kind = "NotMyOwnWrite"
	HistoryIntermediateRead          Kind = "IntermediateRead"
	HistoryNonRepeatableReads        Kind = "NonRepeatableReads"
	HistorySessionGuaranteeViolation Kind = "SessionGuaranteeViolation"
	HistoryNonMonotonicRead          Kind = "NonMonotonicRead"
	HistoryFracturedRead             Kind = "FracturedRead"
	HistoryCausalityViolation        Kind = "CausalityViolation"
	HistoryLongFork                  Kind = "LongFork"
	HistoryLostUpdate                Kind = "LostUpdate"
	HistoryWriteSkew                 Kind = "WriteSkew"
	HistoryCyclicInformationFlow     Kind = "CyclicInformationFlow"
	HistoryConflictingOrder          Kind = "ConflictingOrder"
	HistoryRealTimeViolation         Kind = "RealTimeViolation"
	HistoryNotLinearizable           Kind = "NotLinearizable"
	HistoryDuplicateWrite            Kind = "DuplicateWrite"
	HistoryResultSetMismatch         Kind = "ResultSetMismatch"
	HistoryPhantom                   Kind = "Phantom"
	HistoryStartOrderViolation       Kind = "StartOrderViolation"
	HistoryExpectedOrderViolation    Kind = "ExpectedOrderViolation"
	HistoryWrongTotal                Kind = "WrongTotal"
	HistoryNegativeBalance           Kind = "NegativeBalance"
	HistoryMissingBalance            Kind = "MissingBalance"
	HistoryUnexpectedAccount         Kind = "UnexpectedAccount"
	HistoryLostElement               Kind = "LostElement"
	HistoryUnexpectedElement         Kind = "UnexpectedElement"
	HistoryDuplicateElement          Kind = "DuplicateElement"
	HistoryCounterOutOfBounds        Kind = "CounterOutOfBounds"
)

var ofHistory = []CatalogueEntry{
	{Kind: HistoryThinAirRead, Class: History, Same: ThinAirRead,
		Title: "A transaction read a value that nobody wrote", Source: "Wei et al., table I (a); a garbage read"},
	{Kind: HistoryAbortedRead, Class: History, Same: G1a,
		Title: "A transaction read a value of an aborted transaction", Source: "Wei et al., table I (b)"},
	{Kind: HistoryFutureRead, Class: History, Same: OwnLaterWrite,
		Title: "A transaction read a value that it wrote only later", Source: "Wei et al., table I (c)"},
	{Kind: HistoryNotMyLastWrite, Class: History, Same: OwnWriteMissed,
		Title: "A transaction read its own write, but not its last one", Source: "Wei et al., table I (d)"},
	{Kind: HistoryNotMyOwnWrite, Class: History, Same: OwnWriteMissed,
		Title:  "A transaction wrote a key and then read another transaction's value of it",
		Source: "Wei et al., table I (e)"},
	{Kind: HistoryIntermediateRead, Class: History, Same: G1b,
		Title: "A transaction read a value that its writer overwrote itself", Source: "Wei et al., table I (f)"},
	{Kind: HistoryNonRepeatableReads, Class: History, Same: P2,
		Title: "A transaction read a key twice and got different values", Source: "Wei et al., table I (g)"},
	{Kind: HistorySessionGuaranteeViolation, Class: History, Same: SessionGuarantee,
		Title: "A transaction misses the effect of an earlier one of its session", Source: "Wei et al., table I (h)"},
	{Kind: HistoryNonMonotonicRead, Class: History, Same: OTV,
		Title:  "A transaction read a value of another one, and then an older value than that one left",
		Source: "Wei et al., table I (i)"},
	{Kind: HistoryFracturedRead, Class: History, Same: GSingle,
		Title: "A transaction saw only a part of what another one wrote", Source: "Wei et al., table I (j)"},
	{Kind: HistoryCausalityViolation, Class: History, Same: GSingle,
		Title: "A transaction saw an effect, but not what that effect depends on", Source: "Wei et al., table I (k)"},
	{Kind: HistoryLongFork, Class: History, Same: GSIb,
		Title: "Two transactions saw two writes in different orders", Source: "Wei et al., table I (l)"},
	{Kind: HistoryLostUpdate, Class: History, Same: P4,
		Title: "Two transactions read the same version and both replaced it", Source: "Wei et al., table I (m)"},
	{Kind: HistoryWriteSkew, Class: History, Same: G2Item,
		Title: "Transactions each read what the next one overwrote", Source: "Wei et al., table I (n)"},
	{Kind: HistoryCyclicInformationFlow, Class: History, Same: G1c,
		Title: "Transactions each depend on what the next one wrote", Source: "Adya, PL-1 and PL-2: G0 and G1c"},
	{Kind: HistoryConflictingOrder, Class: History,
		Title:  "Two transactions must each commit before the other",
		Source: "Biswas and Enea: the axioms of the weak levels"},
	{Kind: HistoryRealTimeViolation, Class: History, Same: OrderAgainstTime,
		Title:  "A cycle of dependencies and real time: something took effect before it began, or after it ended",
		Source: "Herlihy and Wing; strict serializability"},
	{Kind: HistoryNotLinearizable, Class: History,
		Title: "No order of the operations within their intervals explains what they returned", Source: "Herlihy and Wing"},
	{Kind: HistoryDuplicateWrite, Class: History,
		Title: "A version was installed twice", Source: "Clark et al., section 3.1"},
	{Kind: HistoryResultSetMismatch, Class: History,
		Title: "A search returned other rows than those of its version set that match", Source: "Clark et al., section 6"},
	{Kind: HistoryPhantom, Class: History, Same: G2,
		Title: "A cycle of dependencies through the matches of a predicate", Source: "Adya, PL-3: G2 that is no G2-item"},
	{Kind: HistoryStartOrderViolation, Class: History, Same: GSIa,
		Title:  "A transaction saw what had not been committed when it began, or missed what had",
		Source: "Adya, PL-SI: G-SIa"},
	{Kind: HistoryExpectedOrderViolation, Class: History,
		Title:  "In the order that the database promises, a transaction returns something else",
		Source: "Clark et al., section 4.1"},
	{Kind: HistoryWrongTotal, Class: History,
		Title: "The accounts of a bank do not hold together what they must", Source: "Jepsen's workload bank"},
	{Kind: HistoryNegativeBalance, Class: History,
		Title: "An account has a negative balance", Source: "Jepsen's workload bank"},
	{Kind: HistoryMissingBalance, Class: History,
		Title: "A read of all accounts misses one", Source: "Jepsen's workload bank"},
	{Kind: HistoryUnexpectedAccount, Class: History,
		Title: "A read finds an account that there is not", Source: "Jepsen's workload bank"},
	{Kind: HistoryLostElement, Class: History,
		Title: "An element that was added is not found", Source: "Jepsen's workloads set and set-full"},
	{Kind: HistoryUnexpectedElement, Class: History,
		Title: "A read finds an element that nobody added", Source: "Jepsen's workloads set and set-full"},
	{Kind: HistoryDuplicateElement, Class: History,
		Title: "A read finds an element more often than it was added", Source: "Jepsen's workloads set and set-full"},
	{Kind: HistoryCounterOutOfBounds, Class: History,
		Title: "A read of a counter is outside of what its increments allow", Source: "Jepsen's workload counter"},
}
