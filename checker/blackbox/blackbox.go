// Package blackbox judges the history of a black-box test with the checker that fits it: each level's fast checker
// where the history meets its preconditions, the general one where it does not. What no checker can judge is unknown,
// with the reason.
package blackbox

import (
	"context"

	"txweave/dbms"

	"txweave/checker"
	"txweave/checker/lin"
	"txweave/checker/minitx"
	"txweave/checker/polygraph"
	"txweave/checker/weak"
	"txweave/history"
	"txweave/history/register"
)

// Check judges a history at a level. It returns at once where ctx ends: what cannot be stopped in the middle, such as a
// call of the SAT solver, comes to its end by itself, and its verdict is thrown away.
func Check(ctx context.Context, h *register.History, level dbms.Level, opt checker.Options) checker.Verdict {
	if ctx.Done() == nil {
		return check(ctx, h, level, opt)
	}
	verdict := make(chan checker.Verdict, 1)
	go func() { verdict <- check(ctx, h, level, opt) }()
	select {
	case v := <-verdict:
		return v
	case <-ctx.Done():
		return *opt.Stopped(ctx, level)
	}
}

func check(ctx context.Context, h *register.History, level dbms.Level, opt checker.Options) checker.Verdict {
	if level == dbms.LIN {
		v := lin.Check(ctx, h)
		if v.Outcome == checker.Unknown && v.Unmet == checker.RealTime {
			// What is wrong though all operations may be at the same time is wrong whenever they were.
			if always := lin.Check(ctx, h.AtOnce()); always.Outcome == checker.Invalid {
				return always
			}
		}
		return v
	}
	v := first(ctx, h, level, opt)
	if v.Unmet == checker.UniqueValues || v.Unmet == checker.Registers {
		v = single(ctx, h, v, opt)
	}
	if v.Outcome == checker.Invalid && v.Second == nil {
		v.Second = second(ctx, h, level, opt, v.Counterexample)
	}
	if v.Outcome == checker.Valid && h.Doubt != "" {
		v.Outcome, v.Reason = checker.Unknown, h.Doubt
	}
	return v
}

// single judges a history of single operations, whose values may repeat and whose compares may fail, by whether it is
// linearizable, as far as that decides its level. Of such transactions strict serializability asks the same, and is the
// strongest level; session order is in real time where no two transactions of a session overlap.
func single(ctx context.Context, h *register.History, v checker.Verdict, opt checker.Options) checker.Verdict {
	if !h.RealTime {
		return v
	}
	switch l := lin.Check(ctx, h); {
	case l.Outcome == checker.Invalid && v.Level == dbms.SSER:
		l.Level, l.SessionOrder = v.Level, opt.SessionOrder
		return l
	case l.Outcome == checker.Valid && (!opt.SessionOrder || sessionsInTime(h)):
		return opt.Valid(v.Level)
	}
	return v
}

// sessionsInTime says whether each transaction ended before the next one of its session began.
func sessionsInTime(h *register.History) bool {
	last := make([]int, h.Sessions()) // transaction, and 1
	for t, x := range h.Txns {
		if x.Session == register.NoSession || x.Status == history.Aborted {
			continue
		}
		if before := last[x.Session] - 1; before >= 0 && h.End(before) >= h.Start(t) {
			return false
		}
		last[x.Session] = t + 1
	}
	return true
}

// second looks for what else is wrong, among other transactions, where one read shows what is: that read is left out.
func second(ctx context.Context, h *register.History, level dbms.Level, opt checker.Options,
	edges []checker.ExplainedEdge) *checker.Cycle {
	const most = 200_000 // transactions: a blind write that this makes may need a search
	if len(h.Txns) > most || len(edges) == 0 || edges[len(edges)-1].To == edges[0].From {
		return nil
	}
	taken := map[int]bool{}
	for _, e := range edges {
		taken[e.FromTxn], taken[e.ToTxn] = true, true
	}
	for key := range int32(h.Keys()) {
		if h.KeyName(key) != edges[0].Key {
			continue
		}
		v := first(ctx, h.WithoutReads(edges[0].ToTxn, key), level, opt)
		for _, e := range v.Counterexample {
			if taken[e.FromTxn] || taken[e.ToTxn] {
				return nil
			}
		}
		if v.Outcome == checker.Invalid {
			return &checker.Cycle{Anomaly: v.Anomaly, Adya: v.Adya, Edges: v.Counterexample}
		}
	}
	return nil
}

// first is check, but that it looks for one thing only.
func first(ctx context.Context, h *register.History, level dbms.Level, opt checker.Options) checker.Verdict {
	switch level {
	case dbms.RC, dbms.RA, dbms.TCC:
		return weak.Check(ctx, h, level, opt)
	case dbms.RR: // a history alone has no searches
		v := first(ctx, h, dbms.SER, opt)
		v.Level = level
		return v
	}
	v := minitx.Check(h, level, opt)
	if v.Outcome == checker.Unknown && (v.Unmet == checker.MiniTransactions || v.Unmet == checker.Registers) {
		v = polygraph.Check(ctx, h, level, polygraph.Options{Options: opt})
	}
	if v.Outcome == checker.Unknown && v.Unmet == checker.RealTime && level == dbms.SSER {
		// What is not even serializable needs no clock to be wrong.
		if weaker := first(ctx, h, dbms.SER, opt); weaker.Outcome == checker.Invalid {
			weaker.Level = level
			return weaker
		}
	}
	return v
}
