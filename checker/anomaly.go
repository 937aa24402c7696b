package checker

import (
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// Classify names the anomaly that a cycle of dependencies shows: the pattern that it is an instance of (Wei et al.,
// ICDE 2025, figure 5 (h) to (n)), by its edges.
func Classify(h *register.History, cycle []ExplainedEdge) fault.Kind {
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
		return fault.HistoryRealTimeViolation
	case rw == 0:
		return fault.HistoryCyclicInformationFlow
	case rw == 2 && len(cycle) == 2:
		if cycle[0].Key == cycle[1].Key {
			return fault.HistoryLostUpdate
		}
		return fault.HistoryWriteSkew
	case rw > 1 && adjacent:
		return fault.HistoryWriteSkew
	case rw > 1:
		return fault.HistoryLongFork
	case other[history.SO] == len(cycle)-1:
		return fault.HistorySessionGuaranteeViolation
	case len(cycle) == 2:
		return classifyFracture(h, cycle)
	default:
		return fault.HistoryCausalityViolation
	}
}

// NewCycle names a cycle.
func NewCycle(h *register.History, edges []ExplainedEdge) *Cycle {
	a := Classify(h, edges)
	return &Cycle{Anomaly: a, Adya: Adya(a, edges), Edges: edges}
}

// classifyFracture tells the two ways apart in which a transaction sees one write of another and misses a second
// one: it is a non-monotonic read where the stale value was read after the fresh one.
func classifyFracture(h *register.History, cycle []ExplainedEdge) fault.Kind {
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
			return fault.HistoryFracturedRead
		case fresh.Key:
			return fault.HistoryNonMonotonicRead
		}
	}
	return fault.HistoryFracturedRead
}
