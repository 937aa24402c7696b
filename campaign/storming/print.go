package storming

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"txweave/exec/storm"
	"txweave/history"
)

// printActs says what the nemeses did, and what came of the transactions that it met.
func (a *Aftermath) printActs(w io.Writer) error {
	r := a.Ran
	for _, what := range slices.Sorted(maps.Keys(r.ActsOf)) {
		fmt.Fprintf(w, "nemesis       %s, %d times\n", strings.ReplaceAll(what, "session %d", "a session"), r.ActsOf[what])
	}
	for _, what := range r.LeftOut {
		fmt.Fprintf(w, "left out      %s\n", what)
	}
	if r.Crashes > 0 {
		fmt.Fprintf(w,
			"crashes       %d survived, up again after %.2f s at most; %d transactions had been acknowledged before the last "+
				"one\n",
			r.Crashes, r.SlowestRecovery.Seconds(), r.Survived)
	}
	if len(r.ActsOf) > 0 {
		fmt.Fprintf(w, "receipts      showed how %d commits without an answer ended\n", r.Settled)
	}
	return nil
}

// Print prints it for people.
func (a *Aftermath) Print(w io.Writer) error {
	r, st := a.Ran, &a.rep.Stats
	fmt.Fprintf(w, "%s %s, %s, %s, %d sessions, seed %d\n", a.about.Target, a.about.Version, a.level, a.Workload,
		a.Sessions, a.seed)
	fmt.Fprintf(w,
		"transactions  %d in %.1f s (%.0f a second): %d committed, %d aborted by the database (%.1f %%), %d rolled back, "+
			"%d unknown\n",
		r.Transactions, r.Elapsed.Seconds(), Rate(r.Transactions, r.Elapsed), r.Committed, r.Aborted, 100*a.AbortRate,
		r.RolledBack, r.Unknown)
	fmt.Fprintf(w, "operations    %d (%.0f a second), %d refused and sent again\n", a.Operations, a.OpsPerSecond, r.Resent)
	if r.Retired > 0 {
		fmt.Fprintf(w, "slow          %d queries took too long, and were not sent again\n", r.Retired)
	}
	if err := a.printActs(w); err != nil {
		return err
	}
	if r.StallCount > 0 {
		fmt.Fprintf(w, "stalls        %d, %.1f s in all; the longest of the first:\n", r.StallCount, r.StalledFor.Seconds())
		longest := slices.MaxFunc(r.Stalls, func(x, y storm.Stall) int { return cmp.Compare(x.Lasted, y.Lasted) })
		fmt.Fprintf(w, "              %.1f s from %.1f s on; txweave itself ran late by up to %.1f s\n",
			longest.Lasted.Seconds(), longest.From.Seconds(), longest.Late.Seconds())
		for _, line := range longest.Sessions {
			fmt.Fprintf(w, "              %s\n", line)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(r.Errors)) {
		fmt.Fprintf(w, "error %-7s %d times\n", history.ErrorName(code), r.Errors[code])
	}
	fmt.Fprintf(w, "checked       %d versions read (%d could not be), %d locks\n", st.Reads, st.Unchecked, st.Locks)
	fmt.Fprintf(w, "dependencies  %d: uncertain %.3f %% by intervals alone, %.3f %% after deduction\n",
		st.WW.All+st.WR.All+st.RW.All, 100*a.UncertainBefore, 100*a.UncertainAfter)
	fmt.Fprintf(w, "verified      %.0f operations a second, done %.2f s after the storm, at most %.0f MiB\n",
		a.VerifyPerSecond, a.LagS, a.PeakMiB)
	if r.Kept > 0 {
		fmt.Fprintf(w, "not checked   the tables, %d times: others kept the database from looking at them\n", r.Kept)
	}
	for _, n := range a.rep.NotChecked {
		fmt.Fprintf(w, "not checked   %s\n", n)
	}
	if a.Judge != nil {
		fmt.Fprintf(w, "history       %s\n", a.Judge.Text)
	}
	if a.cert != nil {
		fmt.Fprintf(w, "certificate   %s\n", a.cert.Text)
	}
	return a.printFound(w)
}

// printFound prints the bugs, each with how often it came, a known one with its name alone.
func (a *Aftermath) printFound(w io.Writer) error {
	if a.Found > 0 {
		fmt.Fprintln(w, "times         in nanoseconds since the storm began")
	}
	for _, g := range a.Bugs {
		if g.Known != "" {
			fmt.Fprintf(w, "known         %s (%s), %d times\n", g.Known, g.Link, g.Count)
			continue
		}
		for i := range g.Samples {
			fmt.Fprintf(w, "finding       %s\n", g.Samples[i].Summary)
			for _, line := range g.Samples[i].Explanation {
				fmt.Fprintf(w, "              %s\n", line)
			}
		}
		if more := g.Count - len(g.Samples); more > 0 {
			fmt.Fprintf(w, "              … and %d more of %s\n", more, g.Signature)
		}
	}
	of := ""
	if a.Known > 0 {
		of = fmt.Sprintf(", %d of known bugs", a.Known)
	}
	_, err := fmt.Fprintf(w, "findings      %d%s\n", a.Found, of)
	return err
}

// PrintStall prints what every session is doing while no transaction ends.
func PrintStall(w io.Writer, s *storm.Stall) {
	fmt.Fprintf(w, "stall: no transaction has ended for %.1f s, since %.1f s\n", s.Lasted.Seconds(), s.From.Seconds())
	for _, line := range s.Sessions {
		fmt.Fprintf(w, "stall: %s\n", line)
	}
}
