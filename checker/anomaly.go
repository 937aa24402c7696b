package checker

import (
	"txweave/history"
	"txweave/history/register"
)

// Anomaly names what is wrong with an invalid history.
type Anomaly string

// The 14 anomalies of Wei et al. (ICDE 2025, table I and figure 5).
const (
	ThinAirRead               Anomaly = "ThinAirRead"
	AbortedRead               Anomaly = "AbortedRead" // G1a
	FutureRead                Anomaly = "FutureRead"
	NotMyLastWrite            Anomaly = "NotMyLastWrite"
	NotMyOwnWrite             Anomaly = "NotMyOwnWrite"
	IntermediateRead          Anomaly = "IntermediateRead" // G1b
	NonRepeatableReads        Anomaly = "NonRepeatableReads"
	SessionGuaranteeViolation Anomaly = "SessionGuaranteeViolation"
	NonMonotonicRead          Anomaly = "NonMonotonicRead"
	FracturedRead             Anomaly = "FracturedRead"
	CausalityViolation        Anomaly = "CausalityViolation"
	LongFork                  Anomaly = "LongFork"
	LostUpdate                Anomaly = "LostUpdate"
	WriteSkew                 Anomaly = "WriteSkew"
)

// Anomalies beyond that table.
const (
	CyclicInformationFlow Anomaly = "CyclicInformationFlow" // Adya's G0 or G1c: a cycle of ww, wr and so alone
	ConflictingOrder      Anomaly = "ConflictingOrder"      // weak levels: two transactions must each commit before the other
	AntiDependencyCycle   Anomaly = "AntiDependencyCycle"   // Adya's G2, where no narrower name fits
	RealTimeViolation     Anomaly = "RealTimeViolation"     // a cycle that needs real time
	NotLinearizable       Anomaly = "NotLinearizable"
	// With a version certificate (Clark et al., "Bringing Order to Practical Validation of Database Isolation
	// Levels", sections 3.1, 4.1 and 6).
	DuplicateWrite         Anomaly = "DuplicateWrite"
	ResultSetMismatch      Anomaly = "ResultSetMismatch"
	Phantom                Anomaly = "Phantom" // Adya's G2 that is no G2-item
	StartOrderViolation    Anomaly = "StartOrderViolation"
	ExpectedOrderViolation Anomaly = "ExpectedOrderViolation"
)

var meanings = map[Anomaly]string{
	ThinAirRead:               "a transaction read a value that nobody wrote",
	AbortedRead:               "a transaction read a value of an aborted transaction",
	FutureRead:                "a transaction read a value that it wrote only later",
	NotMyLastWrite:            "a transaction read its own write, but not its last one",
	NotMyOwnWrite:             "a transaction wrote a key and then read another transaction's value of it",
	IntermediateRead:          "a transaction read a value that its writer overwrote itself",
	NonRepeatableReads:        "a transaction read a key twice and got different values",
	SessionGuaranteeViolation: "a transaction misses the effect of an earlier one of its session",
	NonMonotonicRead:          "a transaction read a value of another one, and then an older value than that one left",
	FracturedRead:             "a transaction saw only a part of what another one wrote",
	CausalityViolation:        "a transaction saw an effect, but not what that effect depends on",
	LongFork:                  "two transactions saw two writes in different orders",
	LostUpdate:                "two transactions read the same version and both replaced it",
	WriteSkew:                 "transactions each read what the next one overwrote",
	CyclicInformationFlow:     "transactions each depend on what the next one wrote",
	ConflictingOrder:          "two transactions must each commit before the other",
	AntiDependencyCycle:       "a cycle of dependencies",
	RealTimeViolation:         "a cycle of dependencies and real time: something took effect before it began, or after it ended",
	NotLinearizable:           "no order of the operations within their intervals explains what they returned",
	DuplicateWrite:            "a version was installed twice",
	ResultSetMismatch:         "a search returned other rows than those of its version set that match",
	Phantom:                   "a cycle of dependencies through the matches of a predicate",
	StartOrderViolation:       "a transaction saw what had not been committed when it began, or missed what had",
	ExpectedOrderViolation:    "in the order that the database promises, a transaction returns something else",
}

// Meaning says in one line what the anomaly is.
func (a Anomaly) Meaning() string { return meanings[a] }

// Classify names the anomaly that a cycle of dependencies shows: the pattern that it is an instance of (Wei et al.,
// ICDE 2025, figure 5 (h) to (n)), by its edges.
func Classify(h *register.History, cycle []ExplainedEdge) Anomaly {
	rw, adjacent, other := 0, false, map[history.EdgeKind]int{}
	for i, e := range cycle {
		if e.Kind != history.RW {
			other[e.Kind]++
			continue
		}
		rw++
		adjacent = adjacent || cycle[(i+1)%len(cycle)].Kind == history.RW
	}
	switch {
	case other[history.RT] > 0:
		return RealTimeViolation
	case rw == 0:
		return CyclicInformationFlow
	case rw == 2 && len(cycle) == 2:
		if cycle[0].Key == cycle[1].Key {
			return LostUpdate
		}
		return WriteSkew
	case rw > 1 && adjacent:
		return WriteSkew
	case rw > 1:
		return LongFork
	case other[history.SO] == len(cycle)-1:
		return SessionGuaranteeViolation
	case len(cycle) == 2:
		return classifyFracture(h, cycle)
	default:
		return CausalityViolation
	}
}

// NewCycle names a cycle.
func NewCycle(h *register.History, edges []ExplainedEdge) *Cycle {
	a := Classify(h, edges)
	return &Cycle{Anomaly: a, Adya: Adya(a, edges), Edges: edges}
}

// classifyFracture tells the two ways apart in which a transaction sees one write of another and misses a second
// one: it is a non-monotonic read where the stale value was read after the fresh one.
func classifyFracture(h *register.History, cycle []ExplainedEdge) Anomaly {
	stale, fresh := cycle[0], cycle[1]
	if fresh.Kind == history.RW {
		stale, fresh = fresh, stale
	}
	for _, op := range h.TxnOps(stale.FromTxn) {
		if op.Kind != register.Read {
			continue
		}
		switch h.KeyName(op.Key) {
		case stale.Key:
			return FracturedRead
		case fresh.Key:
			return NonMonotonicRead
		}
	}
	return FracturedRead
}
