package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"txweave/exec"
	"txweave/oracle"
)

// Worker checks cases one at a time.
type Worker interface {
	// Check runs case n of the campaign.
	Check(ctx context.Context, n int) (*CaseResult, error)
	Close() error
}

// Config says what a campaign does.
type Config struct {
	Seed      uint64
	First     int           // number of the first case
	Cases     int           // 0: no limit
	Duration  time.Duration // 0: no limit
	Workers   int
	Store     *Store // nil keeps nothing
	NewWorker func(ctx context.Context, i int) (Worker, error)
	// Describe says what is tested and how, once the first worker is up; the number of the case is left out.
	Describe func() oracle.Environment
	// Progress is called after every case, never from two goroutines at once.
	Progress func(*Summary)
	// Report is called for every new finding and every flaky difference.
	Report func(ref FindingRef, f *Found, flaky bool)
}

// run is a campaign in progress.
type run struct {
	cfg     Config
	mu      sync.Mutex
	sum     *Summary
	env     oracle.Environment
	next    int
	start   time.Time
	stop    context.CancelFunc
	failure error
}

// Run runs a campaign until its cases or its time are used up, ctx is cancelled (which is no error), or a worker
// cannot go on. The summary counts what was done in any case.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	r := &run{cfg: cfg, next: cfg.First, start: time.Now(), sum: &Summary{
		Seed: cfg.Seed, CrossEdges: map[string]int{}, Findings: []FindingRef{}, Flaky: []string{}, Skipped: map[string]int{},
	}}
	workers, err := r.open(ctx)
	if err != nil {
		return r.sum, err
	}
	r.env = cfg.Describe()
	r.sum.Target, r.sum.Version, r.sum.Isolation = r.env.DBMS, r.env.Version, r.env.Isolation
	r.start = time.Now() // speed counts from when the servers are up
	if cfg.Duration > 0 {
		ctx, r.stop = context.WithDeadline(ctx, r.start.Add(cfg.Duration))
	} else {
		ctx, r.stop = context.WithCancel(ctx)
	}
	defer r.stop()
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() { r.work(ctx, w) })
	}
	wg.Wait()
	r.clock()
	return r.sum, errors.Join(r.failure, closeAll(workers))
}

// open starts the workers, all at once.
func (r *run) open(ctx context.Context) ([]Worker, error) {
	workers := make([]Worker, max(r.cfg.Workers, 1))
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { workers[i], errs[i] = r.cfg.NewWorker(ctx, i) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		var up []Worker
		for i, w := range workers {
			if errs[i] == nil {
				up = append(up, w)
			}
		}
		return nil, errors.Join(err, closeAll(up))
	}
	return workers, nil
}

func closeAll(workers []Worker) error {
	var errs []error
	for _, w := range workers {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// take returns the next case's number.
func (r *run) take(ctx context.Context) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.cfg.Cases > 0 && r.next >= r.cfg.First+r.cfg.Cases {
		return 0, false
	}
	r.next++
	return r.next - 1, true
}

func (r *run) work(ctx context.Context, w Worker) {
	for {
		n, ok := r.take(ctx)
		if !ok {
			return
		}
		res, err := w.Check(ctx, n)
		if err != nil && ctx.Err() != nil {
			return // interrupted in the middle: what it met then means nothing
		}
		if err == nil && res.Fatal != "" {
			err = errors.New(res.Fatal)
			if res.Unavailable {
				err = fmt.Errorf("%w: %s", exec.ErrUnavailable, res.Fatal)
			}
		}
		if ferr := r.finish(res); err == nil {
			err = ferr
		}
		if err != nil {
			r.fail(err)
			return
		}
	}
}

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
	r.stop()
}

// finish counts a case and keeps its findings.
func (r *run) finish(res *CaseResult) error {
	if res == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.add(res)
	var lost error
	for i := range res.Findings {
		ref, err := r.keep(res, &res.Findings[i], false)
		lost = errors.Join(lost, err)
		r.sum.Findings = append(r.sum.Findings, ref)
	}
	for i := range res.Flaky {
		ref, err := r.keep(res, &res.Flaky[i], true)
		lost = errors.Join(lost, err)
		r.sum.Flaky = append(r.sum.Flaky, ref.ID)
	}
	r.clock()
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.sum)
	}
	return lost
}

// keep stores and reports a finding. One that cannot be stored is reported all the same, without a directory.
func (r *run) keep(res *CaseResult, f *Found, flaky bool) (ref FindingRef, err error) {
	ref = FindingRef{ID: findingID(res.Case, len(r.sum.Findings)+len(r.sum.Flaky), flaky), Class: f.Class, Oracle: f.Oracle, Signature: f.Signature}
	if r.cfg.Store != nil {
		rec := &oracle.Record{ID: ref.ID, Finding: f.Finding, Environment: r.env}
		rec.Environment.Case = res.Case
		if ref.Dir, err = r.cfg.Store.Save(rec, f.Files); err != nil {
			err = fmt.Errorf("cannot keep %s, case %d of seed %d: %w", ref.ID, res.Case, r.cfg.Seed, err)
		}
	}
	if r.cfg.Report != nil {
		r.cfg.Report(ref, f, flaky)
	}
	return ref, err
}

func (r *run) clock() {
	r.sum.ElapsedS = time.Since(r.start).Seconds()
	if r.sum.ElapsedS > 0 {
		r.sum.CasesPerMinute = float64(r.sum.CasesChecked) / r.sum.ElapsedS * 60
	}
}

// findingID is unique in a campaign and names the case.
func findingID(n, count int, flaky bool) string {
	kind := "finding"
	if flaky {
		kind = "flaky"
	}
	return fmt.Sprintf("%s-%06d-%d", kind, n, count)
}
