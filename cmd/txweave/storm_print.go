package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"txweave/exec"
	"txweave/exec/storm"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/finding/signature"
	"txweave/history"
	"txweave/oracle/mechanism"
)

// printStorm shows how far a storm is until it is stopped.
func printStorm(c *console, v *verdict.OnlineCheck, duration time.Duration) (stop func()) {
	begun := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				if !c.due() {
					continue
				}
				operations, verified, found := v.Progress()
				lasted := time.Since(begun)
				clock := lasted.Truncate(time.Second).String()
				if left := duration - lasted; left > 0 {
					clock += ", " + left.Truncate(time.Second).String() + " left"
				}
				c.show([]string{clock, fmt.Sprintf("%d operations", operations), finding.Count(int(found), "finding"), fmt.Sprintf("%d not verified yet", operations-verified),
					fmt.Sprintf("%.0f a second", rate(operations, lasted)), fmt.Sprintf("%.0f MiB", peakMiB())})
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
		c.end()
	}
}

// stormSummary is the result for people.
type stormSummary struct {
	*stormResult
	about  exec.Description
	level  string
	seed   uint64
	res    *storm.Result
	rep    *mechanism.TraceReport
	judged *verdict.Judgement // of the history
	cert   *verdict.Judgement // of its certificate
	found  int
	known  int           // of those, known bugs'
	first  time.Duration // until the first finding, where the storm ended with it; else 0
}

// printActs says what the nemeses did, and what came of the transactions that it met.
func (s *stormSummary) printActs(w io.Writer) error {
	r := s.res
	for _, what := range slices.Sorted(maps.Keys(r.ActsOf)) {
		fmt.Fprintf(w, "nemesis       %s, %d times\n", strings.ReplaceAll(what, " of session %d", " of a session"), r.ActsOf[what])
	}
	for _, what := range r.LeftOut {
		fmt.Fprintf(w, "left out      %s\n", what)
	}
	if r.Crashes > 0 {
		fmt.Fprintf(w, "crashes       %d survived, up again after %.2f s at most; %d transactions had been acknowledged before the last one\n",
			r.Crashes, r.SlowestRecovery.Seconds(), r.Survived)
	}
	if len(r.ActsOf) > 0 {
		fmt.Fprintf(w, "receipts      told of %d commits without an answer how they ended\n", r.Settled)
	}
	return nil
}

func (s *stormSummary) print(w io.Writer) error {
	r, st := s.res, &s.rep.Stats
	fmt.Fprintf(w, "%s %s, %s, %s, %d sessions, seed %d\n", s.about.Target, s.about.Version, s.level, s.Workload, s.Sessions, s.seed)
	fmt.Fprintf(w, "transactions  %d in %.1f s (%.0f a second): %d committed, %d aborted by the database (%.1f %%), %d rolled back, %d unknown\n",
		r.Transactions, r.Elapsed.Seconds(), rate(r.Transactions, r.Elapsed), r.Committed, r.Aborted, 100*s.AbortRate, r.RolledBack, r.Unknown)
	fmt.Fprintf(w, "operations    %d (%.0f a second), %d refused and sent again\n", s.Operations, s.OpsPerSecond, r.Resent)
	if r.Retired > 0 {
		fmt.Fprintf(w, "retired       %d queries that took too long: they were sent no more\n", r.Retired)
	}
	if err := s.printActs(w); err != nil {
		return err
	}
	if r.StallCount > 0 {
		fmt.Fprintf(w, "stalls        %d, %.1f s in all; the longest of the first:\n", r.StallCount, r.StalledFor.Seconds())
		longest := slices.MaxFunc(r.Stalls, func(a, b storm.Stall) int { return cmp.Compare(a.Lasted, b.Lasted) })
		fmt.Fprintf(w, "              %.1f s from %.1f s on; txweave itself ran late by up to %.1f s\n", longest.Lasted.Seconds(), longest.From.Seconds(), longest.Late.Seconds())
		for _, line := range longest.Sessions {
			fmt.Fprintf(w, "              %s\n", line)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(r.Errors)) {
		fmt.Fprintf(w, "error %-7s %d times\n", history.ErrorName(code), r.Errors[code])
	}
	fmt.Fprintf(w, "checked       %d versions read (%d could not be), %d locks\n", st.Reads, st.Unchecked, st.Locks)
	fmt.Fprintf(w, "dependencies  %d: uncertain %.3f %% by intervals alone, %.3f %% after deduction\n",
		st.WW.All+st.WR.All+st.RW.All, 100*s.UncertainBefore, 100*s.UncertainAfter)
	fmt.Fprintf(w, "verified      %.0f operations a second, done %.2f s after the storm, at most %.0f MiB\n", s.VerifyPerSecond, s.LagS, s.PeakMiB)
	if r.Kept > 0 {
		fmt.Fprintf(w, "not checked   the tables, %d times: others kept the database from looking at them\n", r.Kept)
	}
	for _, n := range s.rep.NotChecked {
		fmt.Fprintf(w, "not checked   %s\n", n)
	}
	if s.judged != nil {
		fmt.Fprintf(w, "history       %s\n", s.judged.Text)
	}
	if s.cert != nil {
		fmt.Fprintf(w, "certificate   %s\n", s.cert.Text)
	}
	return s.printFound(w)
}

// group gathers what was found by bugs, names those that are known, and leaves so many samples that no more than a limit are printed.
func (s *stormSummary) group(env finding.Environment, limit int) error {
	bugs, err := known.Default()
	if err != nil {
		return err
	}
	bugs, s.known = bugs.In(&env), 0
	s.Bugs = finding.Group(s.Findings)
	for _, g := range s.Bugs {
		f := g.Finding()
		if b := bugs.Match(&f, signature.OfText(&f, nil)); b != nil {
			g.Known, g.Link = b.Name, b.Link
			s.known += g.Count
		}
	}
	for second := range 2 { // the first of each before the second of any
		for _, g := range s.Bugs {
			if len(g.Samples) > second {
				if limit--; limit < 0 {
					g.Samples = g.Samples[:second]
				}
			}
		}
	}
	return nil
}

// printFound prints the bugs, each with how often it came, a known one with its name alone.
func (s *stormSummary) printFound(w io.Writer) error {
	for _, g := range s.Bugs {
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
	if s.known > 0 {
		of = fmt.Sprintf(", %d of known bugs", s.known)
	}
	_, err := fmt.Fprintf(w, "findings      %d%s\n", s.found, of)
	return err
}
