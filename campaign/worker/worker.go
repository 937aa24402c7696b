// Package worker checks cases for a campaign: on a target in this process, or in a process of its own, so that a fault
// of an engine inside the process is a finding and not the end.
package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/testcase"
	"txweave/weave"
)

// Worker checks cases on a target in this process. It implements campaign.Worker.
type Worker struct {
	source  *casesource.Cases // nil: every job has a text
	profile *dbms.Profile     // of the campaign
	options weave.Options
	target  exec.Target
	opened
	parked  map[string]opened // those of other stores, where the target keeps these
	doing   exec.Doing
	trouble int        // cases in a row that the environment spoilt
	born    exec.Birth // since when the server lives, where it tells and its log is not at hand
	anew    bool       // the database is a new one, on which a case is tried again
}

// opened is a runner with its sessions.
type opened struct {
	runner   *exec.Runner    // nil until it is needed
	runnerOf *dbms.Profile   // what the runner runs under …
	runnerIn context.Context // … and until when
}

// maxTrouble is how many cases in a row may be spoilt before the worker says that the target is of no use.
const maxTrouble = 5

// New returns a worker on a target, which is closed with it, also if this fails.
func New(ctx context.Context, t exec.Target, p *dbms.Profile, src *casesource.Cases, o weave.Options) (*Worker, error) {
	w := &Worker{source: src, profile: p, options: o, target: t}
	if err := w.use(ctx, p); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return w, nil
}

// On returns a worker for jobs that bring their case, on a target that stays the caller's: it is released, not closed.
func On(t exec.Target, p *dbms.Profile, o weave.Options) *Worker {
	return &Worker{target: t, profile: p, options: o}
}

// OnCases is On with a source for jobs that bring none.
func OnCases(t exec.Target, p *dbms.Profile, src *casesource.Cases, o weave.Options) *Worker {
	return &Worker{source: src, target: t, profile: p, options: o}
}

// use makes the runner one for a profile, which ends with ctx.
func (w *Worker) use(ctx context.Context, p *dbms.Profile) (err error) {
	if w.runner != nil && w.runnerOf == p && w.runnerIn == ctx {
		return nil
	}
	w.close()
	w.runner, err = exec.NewRunner(ctx, w.target, p, exec.Options{Doing: &w.doing})
	if err != nil {
		w.runner = nil
	}
	w.runnerOf, w.runnerIn = p, ctx
	if w.born.At.IsZero() && w.target.Log() == "" {
		w.born = exec.Born(ctx, w.target)
	}
	return err
}

// Release closes what the worker itself has opened: the target is the caller's.
func (w *Worker) Release() {
	w.close()
	for _, name := range slices.Sorted(maps.Keys(w.parked)) {
		w.opened = w.parked[name]
		w.close()
	}
	w.parked = nil
}

// close closes the runner.
func (w *Worker) close() {
	if w.runner != nil {
		w.runner.Close()
		w.runner = nil
	}
}

// shape gives the target the store that a case names, and takes the runner that the worker has there.
func (w *Worker) shape(ctx context.Context, c *testcase.Case, p *dbms.Profile) error {
	s, can := w.target.(exec.Storer)
	if !can {
		return exec.Shape(ctx, w.target, c, p, w.Release)
	}
	before := s.Store()
	err := exec.Shape(ctx, w.target, c, p, w.Release)
	if now := s.Store(); now != before && exec.KeepsStores(w.target) {
		if w.parked == nil {
			w.parked = map[string]opened{}
		}
		w.parked[before], w.opened = w.opened, w.parked[now]
		delete(w.parked, now)
	}
	return err
}

// Doing implements campaign.Teller.
func (w *Worker) Doing() string { return w.doing.String() }

func (w *Worker) Close() error {
	w.Release()
	return w.target.Close()
}

// Check lets the oracle judge a case: one of the campaign's, or a text, at the level that it names.
func (w *Worker) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	c, p, uses, err := w.load(job)
	if err != nil {
		return nil, fmt.Errorf("case %d: %w", job.Case, err)
	}
	if w.target.Worn() {
		w.Release()
		if err := w.target.Restart(ctx); err != nil {
			return nil, err
		}
	}
	var none *exec.ShapeError
	if err := w.shape(ctx, c, p); errors.As(err, &none) {
		return &campaign.CaseResult{Case: job.Case, Skipped: campaign.SkippedRefused, Detail: none.Error(),
			Refused: none.Error()}, nil
	} else if err != nil {
		return nil, err
	}
	if err := w.use(ctx, p); err != nil {
		return nil, err
	}
	before := w.runner.Statements
	rep, err := weave.Check(w.runner, c, p, w.optionsOf(job))
	res := &campaign.CaseResult{Case: job.Case, Sent: w.runner.Statements - before, Uses: slices.Sorted(maps.Keys(uses))}
	if w.notJudged(res, job, err) {
		return res, nil
	}
	if d, why := w.damaged(job, err); d != nil && w.anew {
		return w.refused(ctx, res, c, why)
	} else if d != nil {
		return w.onNew(ctx, job, c, d, why)
	}
	if err != nil {
		return w.recover(ctx, job, res, c, err)
	}
	w.trouble = 0
	fill(res, rep, job.Bare)
	if job.Plain != "" && !rep.Spoilt {
		w.plain(res, rep, c, p, job.Plain)
	}
	if rep.Spoilt { // what comes next needs a database that is whole
		w.Release()
		if err := w.target.Restart(ctx); err != nil && !errors.Is(err, exec.ErrUnavailable) {
			return res, err
		}
	}
	return res, nil
}

// optionsOf are the options under which a case is checked.
func (w *Worker) optionsOf(job campaign.Job) weave.Options {
	o := w.options
	if job.Repeats > 0 {
		o.Repeats = job.Repeats
	}
	if o.Number = job.Case; job.Text != nil && !job.Mutant { // a finding's: it may be one that shows only there
		o.Number, o.Integrity = 0, max(o.Integrity, 1)
	}
	o.Blind = job.Blind
	if o.Orders == 0 && (job.Text == nil || job.Mutant) && job.Case%twice != 0 {
		o.Orders = 1
	}
	if w.source != nil {
		w.source.Spare(&o)
	}
	o.Known = func(signature string) bool { return slices.Contains(job.Known, signature) }
	return o
}

// notJudged says whether the error of a check says that a text is none that can be judged, and notes why.
func (w *Worker) notJudged(res *campaign.CaseResult, job campaign.Job, err error) bool {
	why := Refusal(err)
	if why == nil || job.Text == nil {
		return false
	}
	if job.Mutant {
		res.Skipped, res.Detail = campaign.SkippedRefused, finding.Line(why.Error())
	}
	var judged *weave.UnjudgeableError
	if res.Refused = why.Error(); !errors.As(err, &judged) {
		w.Release() // it may have stopped half-way
	}
	return true
}

// twice says in one of how many cases of the campaign's own the statements are replayed in a second order, too.
const twice = 8

// load reads a job's case, or generates it, and finds the profile that it is judged by; of a case of the generator's
// also the names of the productions that it is made of.
func (w *Worker) load(job campaign.Job) (*testcase.Case, *dbms.Profile, map[string]bool, error) {
	if job.Text == nil {
		c, uses, err := w.source.Told(job.Case)
		return c, w.profile, uses, err
	}
	c, err := testcase.Parse(finding.CaseFile, job.Text)
	if err != nil {
		return nil, nil, nil, err
	}
	p, err := w.profileOf(c)
	return c, p, nil, err
}

// profileOf returns the profile of a case: its own level's where that is not the campaign's, held to the same claim.
func (w *Worker) profileOf(c *testcase.Case) (*dbms.Profile, error) {
	if c.Isolation == w.profile.Isolation {
		return w.profile, nil
	}
	if w.runnerOf != nil && w.runnerOf.Isolation == c.Isolation {
		return w.runnerOf, nil // the same one, so that the runner can go on
	}
	p, err := dbms.Lookup(w.profile.DBMS, c.Isolation)
	if err != nil {
		return nil, &campaign.CaseError{Reason: err}
	}
	if w.profile.Claimed != nil {
		p = p.HeldTo(w.profile.Claimed)
	}
	return p, nil
}
