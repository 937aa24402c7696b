package dbms

// Phenomenon is one of the ways in which transactions can get into each other's way (Adya; Berenson et al.;
// Bailis et al.).
type Phenomenon string

// The phenomena that the isolation oracle knows. A cycle is one of the direct serialization graph; its dependencies
// and anti-dependencies may be on items or through predicates, unless said otherwise.
const (
	G0       Phenomenon = "G0"         // write cycle; a write over an uncommitted version
	G1a      Phenomenon = "G1a"        // aborted read
	G1b      Phenomenon = "G1b"        // intermediate read
	G1c      Phenomenon = "G1c"        // circular information flow
	OTV      Phenomenon = "OTV"        // observed transaction vanishes
	P2       Phenomenon = "P2"         // fuzzy read: two plain reads of an item differ
	PMP      Phenomenon = "PMP"        // predicate-many-preceders: plain reads see part of a transaction (read skew, phantom)
	GSIaRead Phenomenon = "G-SIa-read" // a plain read sees a transaction that ended after the snapshot
	P4       Phenomenon = "P4"         // lost update
	GSingle  Phenomenon = "G-single"   // cycle with exactly one anti-dependency
	GSIb     Phenomenon = "G-SIb"      // cycle in which no two anti-dependencies follow each other (long fork)
	GSIa     Phenomenon = "G-SIa"      // interference: a read or write depends on a transaction that ended after the snapshot
	G2Item   Phenomenon = "G2-item"    // cycle with anti-dependencies on items (write skew)
	G2       Phenomenon = "G2"         // cycle with anti-dependencies
)

// Phenomena lists all of them, each before those that it implies where both have anti-dependencies.
var Phenomena = []Phenomenon{G0, G1a, G1b, G1c, OTV, P2, PMP, GSIaRead, P4, GSingle, GSIb, GSIa, G2Item, G2}

// What the levels forbid, by their definitions: PL-1 forbids G0, PL-2 also G1, PL-3 also G2, PL-SI also G1, G-SIa
// and G-SIb (Adya). A serializable level need not give snapshots: it may read what was committed after its first
// read, so it does not forbid G-SIa unless the engine serialises by snapshots. InnoDB's REPEATABLE READ documents
// lost updates and single anti-dependency cycles through its current reads in DML, so there only plain reads are
// held to the snapshot.
var (
	ForbidUncommitted  = []Phenomenon{G0}
	ForbidCommitted    = []Phenomenon{G0, G1a, G1b, G1c, OTV}
	ForbidRepeatable   = append(ForbidCommitted[:5:5], P2, PMP, GSIaRead)
	ForbidSnapshot     = append(ForbidRepeatable[:8:8], P4, GSingle, GSIb, GSIa)
	ForbidSerializable = append(ForbidCommitted[:5:5], P2, PMP, P4, GSingle, GSIb, G2Item, G2)
	// ForbidSerialSnapshot is a serializable level whose transactions read snapshots.
	ForbidSerialSnapshot = append(ForbidSerializable[:12:12], GSIaRead, GSIa)
)

// Promise is the level that a run is held to: its own, or the one that the user claims for it instead.
func (p *Profile) Promise() *Profile {
	if p.Claimed != nil {
		return p.Claimed
	}
	return p
}

// Judged are the phenomena that a run is held to.
func (p *Profile) Judged() []Phenomenon { return p.Promise().Forbidden }

// HeldTo returns the profile held to all that a stronger level promises: phenomena and mechanisms.
func (p *Profile) HeldTo(stronger *Profile) *Profile {
	held := *p
	held.Claimed = stronger
	return &held
}
