package fault

// Kinds of class certificate: the database's own account of a run.
const (
	CommitOrder   Kind = "commit-order"
	VersionOrder  Kind = "version-order"
	SnapshotRead  Kind = "snapshot-read"
	TimestampRead Kind = "timestamp-read"
	Contradiction Kind = "contradiction"
	Contents      Kind = "contents"
	Outcome       Kind = "outcome"
)

var ofCertificate = []CatalogueEntry{
	{Kind: CommitOrder, Class: Certificate,
		Title: "The database's own timestamps contradict the order in which things happened",
		Why: "A transaction that began after another one had committed must have the later timestamp. " +
			"Here the timestamps say the opposite.",
		Source: "Clark et al., section 3.1"},
	{Kind: VersionOrder, Class: Certificate,
		Title: "The database's store holds other versions of a row than were written",
		Why: "Every committed write leaves one version of its row, in the order of the commits. The store " +
			"tells of others.",
		Source: "Clark et al., section 3.1"},
	{Kind: SnapshotRead, Class: Certificate,
		Title: "{stmt} does not see what the database says was there at its timestamp",
		Why: "A plain read sees the rows as they were at its transaction's timestamp. Read back at that " +
			"timestamp, the table holds something else.",
		Source: "Clark et al., section 4.1"},
	{Kind: TimestampRead, Class: Certificate,
		Title: "{stmt} sees a version that was not the latest at its timestamp",
		Why: "A statement sees the latest version that was committed before its timestamp. The store has " +
			"a later one.",
		Source: "Clark et al., section 4.1"},
	{Kind: Contradiction, Class: Certificate,
		Title:  "The order of commits that the database tells contradicts itself",
		Why:    "Commits have one order, and each is in it once.",
		Source: "Clark et al., section 3.1"},
	{Kind: Contents, Class: Certificate,
		Title:  "The database tells of other rows than the transactions wrote",
		Why:    "What the database says that a transaction wrote is what its statements wrote.",
		Source: "Clark et al., section 3.1"},
	{Kind: Outcome, Class: Certificate,
		Title: "The database and the client disagree about whether a transaction committed",
		Why: "A client that is told that its transaction has committed, or was rolled back, is told so by " +
			"the database.",
		Source: "Clark et al., section 3.1"},
}
