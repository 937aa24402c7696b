package dbms

import (
	"slices"

	"txweave/fault"
)

// Level is what a recorded history keeps to: a level of isolation, or linearizability.
type Level string

// The levels, weakest first. RC, RA and TCC are those of Biswas and Enea ("On the Complexity of Checking
// Transactional Consistency", OOPSLA 2019, figure 2: Read Committed, Read Atomic, Causal). SI, SER and SSER are
// those of Wei et al. ("Boosting End-to-End Database Isolation Checking via Mini-Transactions", ICDE 2025,
// definitions 4 to 6): SSER orders a transaction that ended before another one began. RR is Adya's PL-2.99 (Adya,
// Liskov and O'Neil, "Generalized Isolation Level Definitions", ICDE 2000, section 5.4), SER but that others may change
// what a search would find: without searches the two are the same. LIN is Herlihy and Wing's linearizability of single
// operations.
const (
	RC   Level = "rc"
	RA   Level = "ra"
	TCC  Level = "tcc"
	SI   Level = "si"
	RR   Level = "rr"
	SER  Level = "ser"
	SSER Level = "sser"
	LIN  Level = "lin"
)

// HistoryLevels lists them all.
var HistoryLevels = []Level{RC, RA, TCC, SI, RR, SER, SSER, LIN}

// NeedsRealTime says whether the level orders transactions by their times.
func (l Level) NeedsRealTime() bool { return l == SSER || l == LIN }

// HistoryLevel is the level that a history of registers keeps at a level of isolation
// whose plain reads and blind single-row writes it is; "" if it need not keep any. It follows from the phenomena that
// the level is held to:
//
//   - sser: it is serializable. The engines here are so in real time too: they lock what they read and write until the
//     commit (InnoDB), or a reader's snapshot is the state at its beginning and there is one writer (SQLite).
//   - si: G-SIa and G-SIb are forbidden, Adya's PL-SI.
//   - tcc: plain reads keep to one snapshot (P2, PMP, G-SIa-read), and a snapshot is a prefix of the order of commits,
//     which contains session order and reads. Updates may be lost, so it is not si.
//   - rc: G1 is forbidden, and a statement's snapshot is a prefix of the order of commits.
func (p *Profile) HistoryLevel() Level {
	forbids := func(ph fault.Kind) bool { return slices.Contains(p.Judged(), ph) }
	switch {
	case forbids(fault.G2):
		return SSER
	case forbids(fault.GSIa) && forbids(fault.GSIb):
		return SI
	case forbids(fault.P2) && forbids(fault.PMP) && forbids(fault.GSIaRead):
		return TCC
	case forbids(fault.G1c):
		return RC
	}
	return ""
}
