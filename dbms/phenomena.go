package dbms

import "txweave/fault"

// Phenomena lists all of them, each before those that it implies where both have anti-dependencies.
var Phenomena = []fault.Kind{fault.G0, fault.G1a, fault.G1b, fault.G1c, fault.OTV, fault.P2, fault.PMP,
	fault.GSIaRead, fault.P4, fault.GSingle, fault.GSIb, fault.GSIa, fault.G2Item, fault.G2}

// What the levels forbid, by their definitions: PL-1 forbids G0, PL-2 also G1, PL-3 also G2, PL-SI also G1, G-SIa
// and G-SIb (Adya). A serializable level need not give snapshots: it may read what was committed after its first
// read, so it does not forbid G-SIa unless the engine serialises by snapshots. InnoDB's REPEATABLE READ documents
// lost updates and single anti-dependency cycles through its current reads in DML, so there only plain reads are
// held to the snapshot.
var (
	ForbidUncommitted  = []fault.Kind{fault.G0}
	ForbidCommitted    = []fault.Kind{fault.G0, fault.G1a, fault.G1b, fault.G1c, fault.OTV}
	ForbidRepeatable   = append(ForbidCommitted[:5:5], fault.P2, fault.PMP, fault.GSIaRead)
	ForbidSnapshot     = append(ForbidRepeatable[:8:8], fault.P4, fault.GSingle, fault.GSIb, fault.GSIa)
	ForbidSerializable = append(ForbidCommitted[:5:5], fault.P2, fault.PMP, fault.P4, fault.GSingle, fault.GSIb,
		fault.G2Item, fault.G2)
	// ForbidSerialSnapshot is a serializable level whose transactions read snapshots.
	ForbidSerialSnapshot = append(ForbidSerializable[:12:12], fault.GSIaRead, fault.GSIa)
)

// Promise is the level that a run is held to: its own, or the one that the user claims for it instead.
func (p *Profile) Promise() *Profile {
	if p.Claimed != nil {
		return p.Claimed
	}
	return p
}

// Judged are the phenomena that a run is held to.
func (p *Profile) Judged() []fault.Kind { return p.Promise().Guarantees.Forbidden }

// HeldTo returns the profile held to all that a stronger level promises: phenomena and mechanisms.
func (p *Profile) HeldTo(stronger *Profile) *Profile {
	held := *p
	held.Claimed = stronger
	return &held
}
