// Package blackbox judges the history of a black-box test with the checker that fits it: each level's fast checker
// where the history meets its preconditions, the general one where it does not. What no checker can judge is unknown,
// with the reason.
package blackbox

import (
	"txweave/history/register"
	"txweave/oracle/check"
	"txweave/oracle/lin"
	"txweave/oracle/minitx"
	"txweave/oracle/polygraph"
	"txweave/oracle/weak"
)

// Check judges a history at a level.
func Check(h *register.History, level check.Level, opt check.Options) check.Verdict {
	switch level {
	case check.LIN:
		return lin.Check(h)
	case check.RC, check.RA, check.TCC:
		return weak.Check(h, level, opt)
	}
	v := minitx.Check(h, level, opt)
	if v.Outcome == check.Unknown && (v.Unmet == check.MiniTransactions || v.Unmet == check.Registers) {
		return polygraph.Check(h, level, polygraph.Options{Options: opt})
	}
	return v
}
