package observe

import "txweave/instrument"

// late lists the transactions that have waited for a snapshot in which no anomaly can be. It may be the one that was
// taken before they waited, or any one since, so that what an observer read before says nothing of what they see: in
// such a run they have seen nothing.
func late(plan *instrument.Plan, run *Run) map[int]bool {
	out := map[int]bool{}
	for _, b := range run.Blocks {
		if b.Waited && plan.Txns[b.Block.Txn].Deferred() {
			out[b.Block.Txn] = true
		}
	}
	return out
}
