package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"txweave/campaign/casesource"
	"txweave/campaign/store"
	"txweave/finding"
)

// Worker checks cases one at a time.
type Worker interface {
	Check(ctx context.Context, job Job) (*CaseResult, error)
	Close() error
}

// Teller is a worker that says what it is at, whenever it is asked.
type Teller interface{ Doing() string }

// Config says what a campaign does.
type Config struct {
	Seed     uint64
	Source   casesource.CaseSource // which case comes next
	Duration time.Duration         // 0: no limit
	// Whole lets a worker's first case come to its end though Duration is over: what runs for a while again and again
	// would get nowhere with cases that take longer.
	Whole bool
	// Name, unless "", is part of the names of findings, so that campaigns that share a store have names of their own.
	Name string
	Once bool // no case is begun once one has shown something
	// so many cases in a row at which txweave itself fails are written down and passed over, one more ends the run; 0:
	// Endured
	Endure    int
	Workers   int
	Store     store.Store // nil keeps nothing
	NewWorker func(ctx context.Context, i int) (Worker, error)
	// Describe says what is tested and how, once the first worker is up; the number of the case is left out.
	Describe func() finding.Environment
	// NewReducer opens what makes the cases of findings smaller, when the first finding comes; nil: nothing does.
	NewReducer func(ctx context.Context) (Reducer, error)
	ReduceTime time.Duration // for each finding, and once more for all that are left at the end
	// Again lets one finding that no campaign had the time to reduce be reduced first, beside the cases.
	Again       bool
	MaxKept     int // findings of one bug whose files are kept
	Unconfirmed int // so many findings of one signature that do not come back each time are a bug; 0: three
	PauseAbove  int // share of the last cases, in percent, beyond which a cause is paused; 0: never
	// Known returns the name of the known bug that a finding is; "" if it is none.
	Known func(f *finding.Finding, sig finding.Signature) string
	// Progress is called after every case, never from two goroutines at once.
	Progress func(*Summary)
	// Report is called for every bug that this campaign meets for the first time, and again when one was unconfirmed
	// and is open now.
	Report func(ref FindingRef, f *finding.Finding, unconfirmed bool)
	// Note is called with what else there is to say, on one line.
	Note func(text string)
}

// reduceTime is what ReduceTime is called where it is set: in a campaign's file, or on a command line.
func (c *Config) reduceTime() string {
	if c.Name != "" {
		return "reduce_time"
	}
	return "--reduce-time"
}

// run is a campaign in progress.
type run struct {
	cfg     Config
	mu      sync.Mutex
	sum     *Summary
	env     finding.Environment
	pauses  *pauses
	queue   *reductions // nil: nothing is reduced
	start   time.Time
	stop    context.CancelFunc
	failure error

	ids      int             // findings named so far
	paused   map[string]bool // causes that were paused, some time
	repeated map[string]int  // findings that came back each time, by signature
	reduced  []*finding.Bug  // bugs of the summary whose cases are reduced, as they were last seen
	faults   int             // of txweave's own, since a case was checked
	texts    int             // of cases that could not be checked, kept
}

// Run runs a campaign until its cases or its time are used up, ctx is cancelled (which is no error), or a worker
// cannot go on. The summary counts what was done in any case.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	r := &run{cfg: cfg, start: time.Now(), sum: &Summary{Seed: cfg.Seed, CrossEdges: map[string]int{},
		Features: map[string]int{}, Bugs: []*BugRef{},
		Findings: []FindingRef{}, Known: map[string]int{}, Unconfirmed: []string{}, Skipped: map[string]int{}},
		paused: map[string]bool{}, repeated: map[string]int{}}
	if cfg.Source.Made != nil {
		r.sum.FromSeeds = &FromSeeds{}
	}
	keeps := cfg.Store != nil
	if !keeps {
		r.cfg.Store = &store.Memory{}
	}
	r.pauses = newPauses(cfg.PauseAbove, r.pausing)
	r.sum.Paused = r.pauses.held
	workers, err := r.open(ctx)
	if err != nil {
		return r.sum, err
	}
	r.env = cfg.Describe()
	r.sum.Target, r.sum.Version, r.sum.Isolation = r.env.DBMS, r.env.Version, r.env.Isolation
	r.start = time.Now() // speed counts from when the servers are up
	user := ctx
	if cfg.Duration > 0 {
		var end context.CancelFunc
		ctx, end = Until(ctx, r.start.Add(cfg.Duration))
		defer end()
	}
	ctx, stop := context.WithCancel(ctx)
	first, stopFirst := ctx, stop
	if cfg.Whole {
		first, stopFirst = context.WithCancel(user)
	}
	r.stop = func() { stop(); stopFirst() }
	defer r.stop()
	if cfg.NewReducer != nil && keeps {
		r.queue = newReductions(user, r)
	}
	r.mu.Lock()
	r.lost(r.adopt())
	r.mu.Unlock()
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { r.work(ctx, first, &workers[i]) })
	}
	wg.Wait()
	r.clock()
	err = closeAll(workers) // before the last reductions: they need the machine more
	if r.queue != nil {
		r.queue.finish()
	}
	r.fail(r.explain())
	r.there()
	return r.sum, errors.Join(r.failure, err, r.cfg.Store.Close())
}

// explain names at each bug of the summary those that it may be, and reports what turns out to be a bug of its own:
// what it might have been is another one by now, or settled.
func (r *run) explain() error {
	b, err := r.cfg.Store.Bugs()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ref := range r.sum.Bugs {
		g, err := b.Find(ref.ID)
		if err != nil {
			continue
		}
		ref.MayBe = g.MayBe
		if ref.untold != nil && g.Open() {
			r.report(ref.untold.ref, ref.untold.rec, false)
			ref.untold = nil
		}
	}
	return nil
}

// there takes from the summary what is not kept any more, and says so where somebody has removed the whole store.
func (r *run) there() {
	gone := func(dir *string) {
		if _, err := os.Stat(*dir); *dir != "" && errors.Is(err, fs.ErrNotExist) {
			*dir = ""
		}
	}
	if store, ok := r.cfg.Store.(interface{ Here() error }); ok {
		r.fail(store.Here())
	}
	for i := range r.sum.Findings {
		gone(&r.sum.Findings[i].Dir)
	}
	for _, b := range r.sum.Bugs {
		gone(&b.Dir)
	}
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
	if ctx.Err() != nil || r.cfg.Once && r.sum.CasesFinding > 0 {
		return 0, false
	}
	return r.cfg.Source.Next()
}

// slowCase is how long a case takes before the campaign says which one it is, and what it is at; it says so again each
// time as long has passed. A variable for tests.
var slowCase = 2 * time.Minute

// watch says what a worker is at while its case takes long, until stop is called.
func (r *run) watch(w Worker, n int) (stop func()) {
	began := time.Now()
	done := make(chan struct{})
	t := time.NewTicker(slowCase)
	go func() {
		for {
			select {
			case <-done:
				t.Stop()
				return
			case <-t.C:
			}
			text := fmt.Sprintf("case %d of seed %d has been running for %s", n, r.cfg.Seed,
				time.Since(began).Round(time.Second))
			if teller, ok := w.(Teller); ok {
				if doing := teller.Doing(); doing != "" {
					text += ": " + finding.Line(doing)
				}
			}
			r.mu.Lock()
			r.note(text)
			r.mu.Unlock()
		}
	}()
	return func() { close(done) }
}

// work checks cases until the time is over; during is the context of the first one.
func (r *run) work(ctx, during context.Context, w *Worker) {
	defer func() {
		if why := recover(); why != nil { // what was kept stays so, and the others come to an end
			r.fail(&PanicError{why, string(debug.Stack())})
		}
	}()
	for {
		n, ok := r.take(during)
		if !ok {
			return
		}
		stop := r.watch(*w, n)
		var res *CaseResult
		job, err := r.job(n)
		if err == nil {
			res, err = check(during, *w, job)
		}
		if err == nil {
			r.sound(res)
		} else if during.Err() == nil {
			res, err = r.endure(during, w, job, res, err)
		}
		stop()
		if err != nil && during.Err() != nil {
			return // interrupted in the middle: what it met then means nothing
		}
		during = ctx
		res.because(err)
		if ferr := r.finish(res, job.Text); err == nil {
			err = ferr
		}
		if err != nil {
			r.fail(err)
			return
		}
	}
}

// sound notes that a worker has checked a case. One that it passed over says nothing of its health.
func (r *run) sound(res *CaseResult) {
	if res.Outcome() == finding.Unchecked {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = 0
}

// job is the case that is tried under a number. Where what makes cases from others panics it is the generator's of that
// number, with the panic.
func (r *run) job(n int) (job Job, err error) {
	job = Job{Case: n, Known: r.confirmed()}
	defer func() {
		if why := recover(); why != nil {
			err = &PanicError{why, string(debug.Stack())}
		}
	}()
	job.Text = r.cfg.Source.Text(n)
	job.Mutant = job.Text != nil
	return job, nil
}

// enoughConfirmed is how many findings with one signature are repeated as often as the first.
const enoughConfirmed = 5

// confirmed lists the signatures of which enough findings have been confirmed, sorted.
func (r *run) confirmed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for signature, n := range r.repeated {
		if n >= enoughConfirmed {
			out = append(out, signature)
		}
	}
	slices.Sort(out)
	return out
}

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost(err)
}

// maxTexts is how many cases that were made from others, and could not be checked, are kept as they are.
const maxTexts = 100

// finish counts a case and keeps its findings. text is that of a case that was made from others.
func (r *run) finish(res *CaseResult, text []byte) error {
	if res == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.add(res)
	if text != nil {
		r.sum.FromSeeds.add(res)
	}
	var causes []string
	for _, f := range slices.Concat(res.Findings, res.Unconfirmed) {
		if c := f.Signature; !slices.Contains(causes, c) {
			causes = append(causes, c)
		}
	}
	r.pauses.note(causes)
	done := &store.CaseDone{Case: res.Case, Outcome: res.Outcome(), Work: res.work(), Uses: res.Uses}
	if done.Outcome == finding.Unchecked {
		done.Unchecked = &store.Unchecked{Seed: r.cfg.Seed, Case: res.Case, Reason: cmp.Or(res.Skipped, SkippedUnknown),
			Detail: res.Detail}
		if text != nil && r.texts < maxTexts {
			r.texts++
			done.Unchecked.Text = string(text)
		}
	}
	var list []pending
	var lost error
	for i := range res.Findings {
		f := &res.Findings[i]
		if f.Confirmed > 0 && f.Confirmed == f.Repeated {
			r.repeated[f.Signature]++
		}
		lost = errors.Join(lost, r.found(res, f, i, done, &list))
	}
	for i := range res.Unconfirmed {
		lost = errors.Join(lost, r.found(res, &res.Unconfirmed[i], len(res.Findings)+i, done, &list))
	}
	counted, err := r.counted(done, list, lost)
	lost = errors.Join(lost, err)
	for i := range list {
		if counted {
			lost = errors.Join(lost, r.accept(list[i]))
		}
	}
	r.clock()
	if r.queue != nil {
		r.sum.Waiting = len(r.queue.list) + len(r.queue.later)
	}
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.sum)
	}
	return lost
}

// lost ends the campaign if something could not be written. The caller holds mu, or is alone.
func (r *run) lost(err error) {
	if err != nil && r.failure == nil {
		r.failure = err
		r.stop()
	}
}

func (r *run) clock() {
	r.sum.ElapsedS = time.Since(r.start).Seconds()
	if r.sum.ElapsedS > 0 {
		r.sum.CasesPerMinute = float64(r.sum.CasesChecked) / r.sum.ElapsedS * 60
	}
}
