package fault

// Kinds of class mechanism: what a mechanism of concurrency control must keep from happening.
const (
	LockConflict       Kind = "lock-conflict"
	RowLock            Kind = "row-lock"
	TableLock          Kind = "table-lock"
	LockRefused        Kind = "lock-refused"
	WriteLock          Kind = "write-lock"
	WriteLockOfNobody  Kind = "write-lock-of-nobody"
	ConcurrentUpdate   Kind = "concurrent-update"
	RefusedUpdate      Kind = "refused-update"
	ConflictCycle      Kind = "conflict-cycle"
	DangerousStructure Kind = "dangerous-structure"
	TimestampOrder     Kind = "timestamp-order"
	Validation         Kind = "validation"
	OrderCycle         Kind = "order-cycle"
	OrderAgainstTime   Kind = "order-against-time"
)

// secondWaits is what is expected where two transactions lock one row.
const secondWaits = "the second transaction waits until the first one has ended."

var ofMechanism = []CatalogueEntry{
	{Kind: LockConflict, Class: Mechanism, Mechanism: ME,
		Title: "Two transactions hold locks that exclude each other at the same time",
		Why: "Of two transactions that lock the same row in ways that exclude each other, the second one " +
			"must wait for the first. Here both went on.",
		Want:   secondWaits,
		Source: "Leopard, Theorem 3",
		Old:    []string{"mutual-exclusion:lock-conflict"}},
	{Kind: RowLock, Class: Mechanism, Mechanism: ME,
		Title: "Two transactions hold locks of one row that exclude each other at the same time",
		Why: "A SELECT that locks a row keeps others from locking or changing it in ways that exclude its " +
			"own until its transaction ends. Here another one did.",
		Want:   secondWaits,
		Source: "Leopard, Theorem 3, of FOR UPDATE and FOR SHARE",
		Old:    []string{"mutual-exclusion:row-lock"}},
	{Kind: TableLock, Class: Mechanism, Mechanism: ME,
		Title: "A locked table is used by another transaction at the same time",
		Why: "Who is given a lock of a table keeps others from using it in ways that exclude the lock, " +
			"until it is given back. Here another one went on.",
		Want:   "the second transaction waits until the lock is given back.",
		Source: "Leopard, Theorem 3, of LOCK TABLES",
		Old:    []string{"mutual-exclusion:table-lock", "lock-ignored"}},
	{Kind: LockRefused, Class: Mechanism, Mechanism: ME,
		Title: "A lock that nobody else has asked for is refused",
		Why: "Who tries to lock a number is refused only where another transaction has it, or waits for " +
			"it. Here no other one had asked for it.",
		Source: "the manuals: GET_LOCK, pg_try_advisory_lock",
		Old:    []string{"mutual-exclusion:lock-refused"}},
	{Kind: WriteLock, Class: Mechanism, Mechanism: ME,
		Title: "Two transactions have the database's one write lock at the same time",
		Why: "A BEGIN that takes the write lock keeps every other transaction from beginning so, and from " +
			"writing, until it ends. Here another one went on.",
		Source: "sqlite.org/lang_transaction.html: one writer at a time",
		Old:    []string{"mutual-exclusion:write-lock"}},
	{Kind: WriteLockOfNobody, Class: Mechanism, Mechanism: ME,
		Title: "A write is kept out by a write lock that nobody can have",
		Why: "One transaction at a time may write. Nobody else who was open then had begun as a writer, " +
			"or been let do anything but read.",
		Want:   "an answer: nobody keeps it from writing.",
		Source: "sqlite.org/lang_transaction.html",
		Old:    []string{"mutual-exclusion:write-lock-of-nobody"}},
	{Kind: ConcurrentUpdate, Class: Mechanism, Mechanism: FUW,
		Title: "Two concurrent transactions both change a row and both commit",
		Why: "At this level the second one to change a row that a concurrent transaction has changed must " +
			"fail. Here both commit, and one change is lost.",
		Source: "Leopard, Theorem 4",
		Old:    []string{"first-updater-wins:concurrent-update", "serialization-certifier:concurrent-write-certified"}},
	{Kind: RefusedUpdate, Class: Mechanism, Mechanism: FUW,
		Title: "A transaction's first write is refused for a newer commit, though there is none",
		Why: "A transaction that has read may begin to write unless another one has committed since. Here " +
			"nobody who may have written had ended.",
		Source: "sqlite.org/rescode.html#busy_snapshot",
		Old:    []string{"first-updater-wins:refused"}},
	{Kind: ConflictCycle, Class: Mechanism, Mechanism: SC,
		Title: "Transactions commit although each read what the other one changed",
		Why: "At this level the transactions must give what they give one after the other. Whichever " +
			"comes first, the next one must see its change, and none of them did.",
		Source: "Leopard, section V-D; Adya, PL-3",
		Old:    []string{"serialization-certifier:conflict-cycle"}},
	{Kind: DangerousStructure, Class: Mechanism, Mechanism: SC,
		Title: "Transactions commit although each read what the next one changed",
		Why: "At this level the transactions must give what they give one after the other. Whichever " +
			"comes first, the next one must see its change, and none of them did.",
		Source: "Cahill et al.: two rw edges in a row",
		Old:    []string{"serialization-certifier:dangerous-structure"}},
	{Kind: TimestampOrder, Class: Mechanism, Mechanism: SC,
		Title: "A transaction depends on one that began after it had ended",
		Why: "What happened later cannot have been seen earlier. Here the older transaction worked on " +
			"what the newer one wrote.",
		Source: "Bernstein and Goodman: timestamp ordering",
		Old:    []string{"serialization-certifier:timestamp-order"}},
	{Kind: Validation, Class: Mechanism, Mechanism: SC,
		Title: "A transaction commits over a commit that it has not seen",
		Why: "Validation at commit must refuse a transaction that read what another one has changed " +
			"since. Here it did not.",
		Source: "Kung and Robinson: backward validation",
		Old:    []string{"serialization-certifier:validation"}},
	{Kind: OrderCycle, Class: Mechanism, Mechanism: SC,
		Title: "Transactions see each other's changes in a circle",
		Why: "Each of them must have come before the next one, and the last one before the first. No " +
			"order of the transactions gives that.",
		Source: "Adya, PL-3",
		Old:    []string{"serialization-certifier:order-cycle"}},
	{Kind: OrderAgainstTime, Class: Mechanism, Mechanism: SC,
		Title: "A transaction that began after another one had committed comes before it",
		Why: "What was committed before a transaction began must be visible to it. Here the transaction " +
			"worked on what was there before.",
		Source: "Herlihy and Wing; strict serializability",
		Old: []string{"serialization-certifier:order-against-time", "consistent-read:order-against-time",
			"first-updater-wins:order-against-time", "mutual-exclusion:order-against-time"}},
}
