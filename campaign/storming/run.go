package storming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"txweave/checker/certificate/commits"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/finding/signature"
	"txweave/gen/workload"
	"txweave/internal/memory"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/oracle/mechanism"
)

// Figures are what a storm's command prints as JSON.
type Figures struct {
	Workload     string `json:"workload"`
	Sessions     int    `json:"sessions"`
	Transactions int64  `json:"transactions"` // ended, in any way
	// of the trace: statements, BEGIN and the end of transactions included
	Operations   int64   `json:"operations"`
	OpsPerSecond float64 `json:"ops_per_s"`
	AbortRate    float64 `json:"abort_rate"` // of transactions: those that the database gave up
	// share of dependencies that overlapping intervals leave open
	UncertainBefore float64  `json:"uncertain_before"`
	UncertainAfter  float64  `json:"uncertain_after"`  // … and that no mechanism settles
	VerifyPerSecond float64  `json:"verify_ops_per_s"` // from the first operation to the verdict
	LagS            float64  `json:"lag_s"`            // from the storm's last answer to the verdict
	PeakMiB         float64  `json:"peak_mib"`
	LeftOut         []string `json:"left_out,omitempty"` // acts of the nemeses that were not done, and why
	// queries of the generator's that took too long, and were sent no more
	Retired int64                `json:"retired,omitempty"`
	Bugs    []*finding.Recurring `json:"bugs"` // what was found, by signature

	Findings []finding.Listed `json:"-"` // all that was kept
}

// Aftermath is what came of a storm.
type Aftermath struct {
	Figures
	Found int                // findings, also those that were not kept
	Known int                // of those, known bugs'; see Group
	First time.Duration      // until the first finding, where the storm ended with it; else 0
	Ran   *storm.Result      // how it went
	Judge *verdict.Judgement // of the history; nil: there is none

	about exec.Description
	level string
	seed  uint64
	rep   *mechanism.TraceReport
	cert  *verdict.Judgement // of its certificate
}

// Run runs the storm on a database, and says what came of it, nil if nothing could. herr is of the checkers of whole
// histories.
func (s *Storm) Run(ctx context.Context, t exec.Target) (a *Aftermath, herr, err error) {
	var trace io.WriteCloser
	if s.Trace != "" {
		file, err := output.Create(ctx, s.Trace)
		if err != nil {
			return nil, nil, outcome.Misuse(err)
		}
		trace = file
	}
	return s.run(ctx, t, trace)
}

// Fit says what keeps the nemeses from a database.
func (s *Storm) Fit(t exec.Target) error {
	for _, n := range s.nemeses {
		if why := n.Unfit(t); why != "" {
			return outcome.Misusef("--nemesis %s: %s", n, why)
		}
	}
	return nil
}

// run runs the storm; the trace, unless nil, gets the operations and is closed.
func (s *Storm) run(ctx context.Context, t exec.Target, trace io.WriteCloser) (a *Aftermath, herr, err error) {
	if err := s.Fit(t); err != nil {
		return nil, nil, err
	}
	p, w := s.On.Profile, s.work
	o := storm.Options{Workload: w, Sessions: s.Sessions, Duration: s.Duration, Transactions: s.Transactions, Seed: s.Seed,
		Nemeses: s.nemeses, Every: s.Every, Perturb: s.Perturb, Acts: s.Acts,
		Record: s.History != "" || w.Kind >= workload.MiniTransaction}
	if s.Stalled != nil {
		o.StallAfter, o.Stalled = s.Stall, s.Stalled
	}
	judge := s.judge(ctx)
	if s.Certificate != "" {
		judge.From, err = verdict.Keep(ctx, t, s.On.DBMS.Log, p, &o)
		var no *commits.UnreadableError
		switch {
		case err != nil && ctx.Err() != nil: // whatever the server said then
			return nil, nil, outcome.Stopped()
		case errors.As(err, &no):
			return nil, nil, outcome.Misusef("--certificate: %w", err)
		case err != nil:
			return nil, nil, err
		}
	}
	v, err := verdict.Start(verdict.Options{Profile: p, Workload: w, Sessions: o.Sinks(), Trace: trace})
	if err != nil {
		return nil, nil, err
	}
	o.Sink, o.Began, o.Acted = v.Sink, v.Began, v.Acted
	stop := func() {}
	if s.Shown != nil {
		stop = s.Shown(v)
	}
	running := ctx
	seen := func() time.Duration { return 0 }
	if s.UntilFound {
		running, seen = firstFinding(ctx, v)
	}
	res, err := storm.Run(running, t, p, o)
	first := seen()
	stop()
	rep, lag, verr := v.Wait()
	if err = errors.Join(err, verr); res == nil {
		return nil, nil, err
	}
	a = &Aftermath{Figures: Figures{Workload: w.Name, Sessions: s.Sessions, Transactions: res.Transactions,
		Operations:   rep.Stats.Operations,
		OpsPerSecond: Rate(rep.Stats.Operations, res.Elapsed), VerifyPerSecond: Rate(rep.Stats.Operations, res.Elapsed+lag),
		LagS: lag.Seconds(), LeftOut: res.LeftOut, Retired: res.Retired, Findings: verdict.Findings(res, rep)},
		about: t.Describe(), level: p.Isolation, seed: s.Seed, Ran: res, rep: rep, First: first}
	a.UncertainBefore, a.UncertainAfter = rep.Stats.Uncertain()
	if res.Transactions > 0 {
		a.AbortRate = float64(res.Aborted) / float64(res.Transactions)
	}
	whole, herr := judge.Check(ctx, t, res)
	a.Findings = append(whole.Findings, a.Findings...) // those of single statements may be many
	a.PeakMiB, a.Judge, a.cert, a.Found = memory.PeakMiB(), whole.History, whole.Certificate, len(a.Findings)+rep.Dropped
	return a, herr, err
}

// stallShare: a storm that stood still for more than one part in so many of its time is inconclusive.
const stallShare = 10

// Unchecked says why a storm without findings says nothing of the database, with its details; "": it does.
func (a *Aftermath) Unchecked() (why, detail string) {
	r := a.Ran
	switch {
	case r.Crash != nil: // by a signal from outside: no finding
		return skippedShutdown, r.Crash.Error()
	case r.StalledFor*stallShare > r.Elapsed:
		return skippedStill, fmt.Sprintf("for %.1f of %.1f seconds no transaction ended", r.StalledFor.Seconds(),
			r.Elapsed.Seconds())
	case r.Committed == 0 || a.rep.Stats.Reads+a.rep.Stats.Locks == 0:
		return skippedNothing, ""
	}
	for _, j := range []*verdict.Judgement{a.Judge, a.cert} {
		if j != nil && j.Unknown {
			return skippedOutcome, j.Text
		}
	}
	return "", ""
}

// Inconclusive is how a storm without findings ended: nil if it was checked.
func (a *Aftermath) Inconclusive() error {
	why, detail := a.Unchecked()
	switch why {
	case "":
		return nil
	case skippedShutdown:
		return fmt.Errorf("%w: %w", exec.ErrUnavailable, a.Ran.Crash)
	case skippedStill:
		return outcome.Inconclusivef("%s", detail)
	case skippedOutcome:
		return outcome.Inconclusivef("%s: %s", why, detail)
	}
	return outcome.Inconclusivef("%s", why)
}

// Group gathers what was found by bugs, names those that are known under an environment, and leaves so many samples
// that no more than a limit are printed.
func (a *Aftermath) Group(env finding.Environment, limit int) error {
	bugs, err := known.Default()
	if err != nil {
		return err
	}
	bugs, a.Known = bugs.In(&env), 0
	a.Bugs = finding.Group(a.Findings)
	for _, g := range a.Bugs {
		f := g.Finding()
		if b := bugs.Match(&f, signature.OfText(&f, nil)); b != nil {
			g.Known, g.Link = b.Name, b.Link
			a.Known += g.Count
		}
	}
	for second := range 2 { // the first of each before the second of any
		for _, g := range a.Bugs {
			if len(g.Samples) > second {
				if limit--; limit < 0 {
					g.Samples = g.Samples[:second]
				}
			}
		}
	}
	return nil
}

// Rate is how many there are a second.
func Rate(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// firstFinding ends the context it returns a moment after the first finding of the online oracles, and tells how long
// that took; seen is called when the storm has ended.
func firstFinding(ctx context.Context, v *verdict.OnlineCheck) (running context.Context, seen func() time.Duration) {
	running, cancel := context.WithCancel(ctx)
	begun, first, done := time.Now(), time.Duration(0), make(chan struct{})
	go func() {
		defer close(done)
		for t := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-running.Done():
				t.Stop()
				return
			case <-t.C:
			}
			if _, _, found := v.Progress(); found > 0 {
				first = time.Since(begun)
				t.Stop()
				cancel()
				return
			}
		}
	}()
	return running, func() time.Duration {
		cancel()
		<-done
		return first
	}
}
