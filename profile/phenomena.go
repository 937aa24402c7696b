package profile

// Phenomenon is one of the ways in which transactions can get into each other's way (Adya; Berenson et al.;
// Bailis et al.).
type Phenomenon string

// The phenomena that the isolation oracle knows.
const (
	G0      Phenomenon = "G0"       // write cycle; a write over an uncommitted version
	G1a     Phenomenon = "G1a"      // aborted read
	G1b     Phenomenon = "G1b"      // intermediate read
	G1c     Phenomenon = "G1c"      // circular information flow
	OTV     Phenomenon = "OTV"      // observed transaction vanishes
	P2      Phenomenon = "P2"       // fuzzy read: two plain reads of an item differ
	PMP     Phenomenon = "PMP"      // plain reads see part of a transaction (read skew)
	P4      Phenomenon = "P4"       // lost update
	GSingle Phenomenon = "G-single" // cycle with exactly one anti-dependency
	GSIb    Phenomenon = "G-SIb"    // cycle in which no two anti-dependencies follow each other (long fork)
	G2Item  Phenomenon = "G2-item"  // cycle with anti-dependencies on items (write skew)
)

// What the levels forbid. InnoDB's REPEATABLE READ documents lost updates and single anti-dependency cycles
// through its current reads in DML, so there only plain reads are held to the snapshot.
var (
	forbidCommitted    = []Phenomenon{G0, G1a, G1b, G1c, OTV}
	forbidRepeatable   = append(forbidCommitted[:5:5], P2, PMP)
	forbidSnapshot     = append(forbidRepeatable[:7:7], P4, GSingle, GSIb)
	forbidSerializable = append(forbidSnapshot[:10:10], G2Item)
)
