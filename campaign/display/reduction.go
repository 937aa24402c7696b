package display

import (
	"fmt"

	"txweave/campaign/shrink"
	"txweave/finding"
	"txweave/reduce"
)

// Reduction shows on a terminal how far a reduction is.
func (c *Console) Reduction(p reduce.Progress) {
	if !c.tty || !c.Due() {
		return
	}
	s := shrink.SizeOf(p.Case)
	c.Show([]string{fmt.Sprintf("%.0fs", p.Elapsed.Seconds()), finding.Count(s.Statements, "statement") + " in " +
		finding.Count(s.Transactions, "transaction"), finding.Count(s.Rows, "row"),
		fmt.Sprintf("%d tries", p.Attempts), fmt.Sprintf("round %d, %s", p.Round, p.Pass),
		fmt.Sprintf("%d bytes of SQL", s.Bytes)})
}
