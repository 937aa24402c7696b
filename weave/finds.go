package weave

import (
	"slices"

	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// finds tells, of each SELECT of the run whose rows are judged one by one and each statement of another transaction,
// whether that wrote a row which the SELECT finds, as it was before or as it became.
func (k *checker) finds(obs *observe.Observation) (map[[2]string]bool, error) {
	nodes := obs.Nodes()
	matches := k.matcher(obs, nodes, false)
	out := map[[2]string]bool{}
	for i, s := range nodes {
		if s.Kind != sqltext.Select || s.MatchTable == "" || s.Waited || s.Mixed {
			continue
		}
		found := func(item history.Item, state history.State) bool {
			if state.Absent() {
				return false
			}
			match, known := matches(i, history.Version{Item: item, VKey: int64(state)})
			return match || !known
		}
		for _, w := range nodes {
			if w.Txn != s.Txn && w.Unsure == nil {
				out[[2]string{s.Name, w.Name}] = slices.ContainsFunc(w.Writes, func(x history.Write) bool {
					return x.Table == s.MatchTable && (found(x.Item, x.From) || found(x.Item, x.To))
				})
			}
		}
	}
	return out, k.matchErr
}
