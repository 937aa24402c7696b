package display

import (
	"fmt"
	"time"

	"txweave/campaign/shrink"
	"txweave/finding"
	"txweave/reduce"
)

// Reduction returns what shows on a terminal how far a reduction is that has so much time.
func (c *Console) Reduction(limit time.Duration) func(reduce.Progress) {
	return func(p reduce.Progress) {
		if c.tty && c.Due() {
			c.Show(reduction(p, limit))
		}
	}
}

// reduction are the parts of the line.
func reduction(p reduce.Progress, limit time.Duration) []string {
	s := shrink.SizeOf(p.Case)
	clock := p.Elapsed.Truncate(time.Second).String()
	if left := limit - p.Elapsed; left > 0 {
		clock += ", at most " + left.Truncate(time.Second).String() + " left"
	}
	return []string{clock, finding.Count(s.Statements, "statement") + " in " +
		finding.Count(s.Transactions, "transaction"), finding.Count(s.Rows, "row"),
		fmt.Sprintf("%d tries", p.Attempts), fmt.Sprintf("round %d, %s", p.Round, p.Pass),
		fmt.Sprintf("%d bytes of SQL", s.Bytes)}
}
