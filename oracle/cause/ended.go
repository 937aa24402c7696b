package cause

import (
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
)

// ended is the cause of a COMMIT that failed where its transaction was none any more: the ROLLBACK that is sent then failed, too. ""
// where that is not so.
func (r *run) ended(f *finding.Finding, d *finding.Difference) string {
	names := f.Transactions()
	rolledBack := func(e *history.Event) bool {
		return (e.Role == history.End || e.Role == history.Abort) && strings.HasPrefix(strings.ToUpper(e.Text), "ROLLBACK") &&
			slices.Contains(names, fmt.Sprintf("T%d", e.Txn))
	}
	if d.What == "failed-commit" && slices.ContainsFunc(r.Observation.Errors, rolledBack) {
		return finding.CauseEnded
	}
	return ""
}
