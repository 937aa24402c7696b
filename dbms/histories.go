package dbms

import "slices"

// HistoryLevel is the level, by its name in package checker, that a history of registers keeps at a level of isolation
// whose plain reads and blind single-row writes it is; "" if it need not keep any. It follows from the phenomena that
// the level is held to:
//
//   - sser: it is serializable. The engines here are so in real time too: they lock what they read and write until the
//     commit (InnoDB), or a reader's snapshot is the state at its beginning and there is one writer (SQLite).
//   - si: G-SIa and G-SIb are forbidden, Adya's PL-SI.
//   - tcc: plain reads keep to one snapshot (P2, PMP, G-SIa-read), and a snapshot is a prefix of the order of commits,
//     which contains session order and reads. Updates may be lost, so it is not si.
//   - rc: G1 is forbidden, and a statement's snapshot is a prefix of the order of commits.
func (p *Profile) HistoryLevel() string {
	forbids := func(ph Phenomenon) bool { return slices.Contains(p.Judged(), ph) }
	switch {
	case forbids(G2):
		return "sser"
	case forbids(GSIa) && forbids(GSIb):
		return "si"
	case forbids(P2) && forbids(PMP) && forbids(GSIaRead):
		return "tcc"
	case forbids(G1c):
		return "rc"
	}
	return ""
}
