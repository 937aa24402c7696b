package jepsen

import (
	"cmp"
	"slices"

	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
	"txweave/history/workload"
)

// counter checks that every read of a counter, which begins at 0, returns a number that some of the adds make: at least
// all those that had succeeded when it began, and at most also those that had been tried when it ended. Jepsen's knows
// no negative adds; here these are the other way round.
func (v *WorkloadVerdict) counter(h *workload.Clients) WorkloadVerdict {
	type event struct {
		at  int64
		op  *workload.Call
		end bool
	}
	events := make([]event, 0, 2*len(h.Ops))
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Func == workload.Transfer, op.Func == workload.Add && !op.IsInteger:
			return v.unknown("%s is not an operation of a counter", where(h, "operation", op))
		case op.Func == workload.Read && op.Outcome == history.Committed && !op.IsInteger:
			return v.unknown("%s returned no number", where(h, "read", op))
		}
		events = append(events, event{op.Start, op, false})
		if op.End != register.Forever {
			events = append(events, event{op.End, op, true})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	// Sums of positive and of negative adds: of those that succeeded, and of those that were tried and did not fail.
	var done, tried [2]int64
	atStart := map[*workload.Call][2]int64{}
	reads := 0
	for _, e := range events {
		negative := 0
		if e.op.Value < 0 {
			negative = 1
		}
		switch {
		case e.op.Func == workload.Read && !e.end:
			atStart[e.op] = done
		case e.op.Func == workload.Read && e.op.Outcome == history.Committed:
			reads++
			low, high := atStart[e.op][0]+tried[1], tried[0]+atStart[e.op][1]
			if e.op.Value < low || e.op.Value > high {
				v.wrong(fault.HistoryCounterOutOfBounds,
					"%s returned %d: adds that had succeeded before it make %d, with all that had been tried when it ended %d",
					where(h, "read", e.op), e.op.Value, low, high)
			}
			delete(atStart, e.op)
		case e.op.Func == workload.Read || e.op.Outcome == history.Aborted:
		case !e.end:
			tried[negative] += e.op.Value
		case e.op.Outcome == history.Committed:
			done[negative] += e.op.Value
		}
	}
	if reads == 0 {
		v.note("there are no reads")
	}
	return *v
}
