// Package blackbox judges the history of a black-box test with the checker that fits it: each level's fast checker
// where the history meets its preconditions, the general one where it does not. What no checker can judge is unknown,
// with the reason.
package blackbox

import (
	"txweave/checker"
	"txweave/checker/lin"
	"txweave/checker/minitx"
	"txweave/checker/polygraph"
	"txweave/checker/weak"
	"txweave/history/register"
)

// Check judges a history at a level.
func Check(h *register.History, level checker.Level, opt checker.Options) checker.Verdict {
	switch level {
	case checker.LIN:
		return lin.Check(h)
	case checker.RC, checker.RA, checker.TCC:
		return weak.Check(h, level, opt)
	}
	v := minitx.Check(h, level, opt)
	if v.Outcome == checker.Unknown && (v.Unmet == checker.MiniTransactions || v.Unmet == checker.Registers) {
		return polygraph.Check(h, level, polygraph.Options{Options: opt})
	}
	return v
}
