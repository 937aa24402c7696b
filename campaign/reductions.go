package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
	"txweave/finding"
)

// Reducer makes the cases of findings smaller.
type Reducer interface {
	// Reduce returns the smaller case that shows a finding's coarse signature, as a finding of its own; nil if there is
	// none. Its files include reduction.json.
	Reduce(ctx context.Context, f *finding.Record, text []byte) (*Reduced, error)
	Close() error
}

// Reduced is a finding on a reduced case.
type Reduced struct {
	Found
	Minimal bool // nothing more could go
}

// The files and the directory of a finding that this package knows by name.
const (
	caseFile   = "case.txw"
	ReducedDir = "reduced" // directory below a finding's, shaped like one
)

// pending is a finding that waits for being reduced; its files are in dir already, or there is none.
type pending struct {
	rec   *finding.Record
	sig   finding.Signature
	files map[string][]byte
	dir   string
}

// maxPending is how many findings wait at once. What comes while so many wait is not reduced, and placed when what
// waits has been: by then its bug is known, in the common case.
const maxPending = 32

// reductions is the worker that reduces findings while the campaign goes on.
type reductions struct {
	run     *run
	ctx     context.Context
	stop    context.CancelFunc
	in      chan pending
	waiting int       // under run.mu: in the channel or under way
	later   []pending // under run.mu: postponed
	done    sync.WaitGroup
	reducer Reducer
	faults  int // reductions in a row that failed for reasons of ours or the environment's
}

func newReductions(ctx context.Context, r *run) *reductions {
	q := &reductions{run: r, in: make(chan pending, maxPending)}
	q.ctx, q.stop = context.WithCancel(ctx)
	q.done.Go(q.serve)
	return q
}

// room says whether another finding can wait. The caller holds run.mu, as for add.
func (q *reductions) room() bool { return q.waiting < maxPending }

func (q *reductions) add(p pending) {
	q.waiting++
	q.in <- p // never blocks: waiting bounds what is in it
}

// postpone keeps a finding until a reduction of one with the same coarse signature has been placed.
func (q *reductions) postpone(p pending) {
	p.files = nil // a few of its kind are in the queue
	rec := *p.rec
	rec.Differences, rec.Log = nil, ""
	p.rec = &rec
	q.later = append(q.later, p)
}

// settle places the findings with a coarse signature that were postponed; "" stands for all. The caller holds run.mu.
func (q *reductions) settle(coarse string) error {
	var now, later []pending
	for _, p := range q.later {
		if coarse == "" || p.sig.Coarse == coarse {
			now = append(now, p)
		} else {
			later = append(later, p)
		}
	}
	q.later = later
	if len(now) == 0 {
		return nil
	}
	return q.run.place(now...)
}

// finish reduces what is left, as long as that takes at most ReduceTime, and ends the worker.
func (q *reductions) finish() {
	close(q.in)
	timer := time.AfterFunc(q.run.cfg.ReduceTime, q.stop)
	q.done.Wait()
	timer.Stop()
	q.stop()
	q.run.mu.Lock()
	defer q.run.mu.Unlock()
	q.run.lost(q.settle(""))
}

func (q *reductions) serve() {
	for p := range q.in {
		q.reduce(p)
	}
	if q.reducer != nil {
		if err := q.reducer.Close(); err != nil {
			q.run.fail(err)
		}
	}
}

// maxFaults is how many reductions in a row may fail before no more are tried.
const maxFaults = 3

// reduce reduces a finding, unless the campaign is over, and places it.
func (q *reductions) reduce(p pending) {
	var small *Reduced
	var err error
	if q.ctx.Err() == nil && q.faults < maxFaults {
		if small, err = q.try(p); err != nil && q.ctx.Err() == nil {
			q.faults++
		} else {
			q.faults = 0
		}
	}
	q.run.mu.Lock()
	defer q.run.mu.Unlock()
	q.waiting--
	if err != nil && q.ctx.Err() == nil {
		q.run.note(p.rec.ID + " is not reduced: " + err.Error())
		if q.faults == maxFaults {
			q.run.note("no more findings are reduced")
		}
	}
	if small != nil {
		p.sig = signatureOf(&small.Finding, small.Files[caseFile])
		p.sig.Minimal = small.Minimal
		if known, err := q.run.known(&small.Finding, p.sig); known || err != nil { // its features may tell now
			q.run.lost(errors.Join(err, os.RemoveAll(p.dir)))
			return
		}
		rec := *p.rec
		rec.Finding = small.Finding
		q.run.lost(WriteFinding(filepath.Join(p.dir, ReducedDir), &rec, small.Files))
	}
	q.run.lost(errors.Join(q.run.place(p), q.settle(p.sig.Coarse)))
}

func (q *reductions) try(p pending) (small *Reduced, err error) {
	if q.reducer == nil {
		if q.reducer, err = q.run.cfg.NewReducer(q.ctx); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(q.ctx, q.run.cfg.ReduceTime+q.run.cfg.ReduceTime/2) // it ends by itself before that
	defer cancel()
	return q.reducer.Reduce(ctx, p.rec, p.files[caseFile])
}
