package campaign

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"txweave/finding"
	"txweave/finding/signature"
	"txweave/reduce"
)

// Reducer makes the cases of findings smaller, on a database of its own.
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

// pending is a finding that waits for being reduced. Its files lie in the store under name, where it has one: the disk
// is the queue, and memory holds only what tells one finding from another.
type pending struct {
	rec   *finding.Record
	sig   finding.Signature
	files map[string][]byte // until it is saved
	name  string
	lost  bool // it could not be saved
}

// Of findings with one coarse signature so many wait to be reduced. Those beyond it, which are one bug in the common
// case, are placed when one of the others has been: some with their case alone, the rest as a number.
const (
	maxAlike = 32
	maxLight = 500
)

// reductions is the worker that reduces findings while the campaign goes on.
type reductions struct {
	run     *run
	ctx     context.Context
	stop    context.CancelFunc
	more    *sync.Cond      // list or closed has changed
	begins  context.Context // once it ends no reduction is begun
	last    context.CancelFunc
	done    sync.WaitGroup
	reducer Reducer  // of serve alone
	faults  int      // reductions in a row that failed for reasons of ours or the environment's
	undone  []string // findings that there was no time to reduce

	// Under run.mu:
	list   []pending      // to be reduced
	active map[string]int // coarse signature -> in list, or under way
	later  []pending      // postponed
	tried  map[string]int // coarse signature -> reductions so far
	closed bool
	end    time.Time // when the one under way has to be done, once closed
}

func newReductions(ctx context.Context, r *run) *reductions {
	q := &reductions{run: r, active: map[string]int{}, tried: map[string]int{}, more: sync.NewCond(&r.mu)}
	q.ctx, q.stop = context.WithCancel(ctx)
	q.begins, q.last = context.WithCancel(q.ctx)
	q.done.Go(q.serve)
	return q
}

// waiting is how many findings with a coarse signature wait. The caller holds run.mu, as for add.
func (q *reductions) waiting(coarse string) int {
	n := q.active[coarse]
	for i := range q.later {
		if q.later[i].sig.Coarse == coarse {
			n++
		}
	}
	return n
}

// add lets a finding wait.
func (q *reductions) add(p pending) {
	p.files = nil // they are on disk
	rec := *p.rec
	rec.Differences, rec.Log = nil, ""
	p.rec = &rec
	if q.active[p.sig.Coarse] >= maxAlike || p.name == "" {
		q.later = append(q.later, p)
		return
	}
	q.active[p.sig.Coarse]++
	q.list = append(q.list, p)
	q.more.Signal()
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

// grace is how long a reduction may take that has a time to end by itself: to check once more what has become of its
// case.
func grace(reduceTime time.Duration) time.Duration { return reduceTime + reduceTime/2 }

// finish reduces what is left, as long as that takes at most ReduceTime and the grace of the last one, and ends the
// worker.
func (q *reductions) finish() {
	q.run.mu.Lock()
	q.closed, q.end = true, time.Now().Add(grace(q.run.cfg.ReduceTime))
	q.more.Signal()
	q.run.mu.Unlock()
	timers := []*time.Timer{time.AfterFunc(q.run.cfg.ReduceTime, q.last),
		time.AfterFunc(grace(q.run.cfg.ReduceTime), q.stop)}
	q.done.Wait()
	for _, t := range timers {
		t.Stop()
	}
	q.stop()
	q.run.mu.Lock()
	defer q.run.mu.Unlock()
	q.run.lost(q.settle(""))
	if n := len(q.undone); n > 0 {
		q.run.note(
			fmt.Sprintf(
				"not reduced for want of time: %d of the findings, %s first; txweave reduce does it, or a longer %s (%v)",
				n, q.undone[0], q.run.cfg.reduceTime(), q.run.cfg.ReduceTime))
	}
}

// take waits for the next finding: one of the signature that has been reduced the fewest times, so that a bug that
// shows all the time does not hide one that shows once; of several such ones one that can be none of the bugs that are
// reduced: else it would be told as one.
func (q *reductions) take() (p pending, ok bool) {
	q.run.mu.Lock()
	defer q.run.mu.Unlock()
	for len(q.list) == 0 && !q.closed {
		q.more.Wait()
	}
	if len(q.list) == 0 {
		return p, false
	}
	best := 0
	for i := range q.list {
		if q.sooner(&q.list[i], &q.list[best]) {
			best = i
		}
	}
	p = q.list[best]
	q.list = slices.Delete(q.list, best, best+1)
	q.tried[p.sig.Coarse]++
	return p, true
}

// sooner says whether one finding is reduced before another one.
func (q *reductions) sooner(a, b *pending) bool {
	if x, y := q.tried[a.sig.Coarse], q.tried[b.sig.Coarse]; x != y {
		return x < y
	}
	return q.run.own(a) && !q.run.own(b)
}

func (q *reductions) serve() {
	if q.run.cfg.Again {
		if err := q.again(); err != nil {
			q.run.fail(err)
		}
	}
	for {
		p, ok := q.take()
		if !ok {
			break
		}
		q.reduce(p)
	}
	if err := q.drop(); err != nil {
		q.run.fail(err)
	}
}

// drop ends the reducer; the next one that is needed is opened anew.
func (q *reductions) drop() error {
	if q.reducer == nil {
		return nil
	}
	err := q.reducer.Close()
	q.reducer = nil
	return err
}

// reduceTries is how often a reduction is begun that fails for reasons of ours or the environment's: a connection that
// nobody used for hours is gone, and a new reducer has a new one.
const reduceTries = 2

// reduce reduces a finding, unless the campaign is over, and places it.
func (q *reductions) reduce(p pending) {
	small, err := q.tryAgain(p)
	q.run.mu.Lock()
	defer q.run.mu.Unlock()
	if late := q.begins.Err() != nil; small == nil && (late || errors.Is(err, reduce.ErrUnchecked)) {
		err, q.undone = nil, append(q.undone, p.name)
	} else if late {
		err = nil
	}
	coarse := p.sig.Coarse
	q.active[coarse]--
	if err == nil {
		q.faults = 0
	} else if q.faults++; q.faults&(q.faults-1) == 0 { // the first, the second, the fourth … in a row
		q.run.note(fmt.Sprintf("%s is not reduced: %v", p.rec.ID, err))
	}
	if small != nil {
		p.sig = signature.OfText(&small.Finding, small.Files[finding.CaseFile])
		if small.Minimal {
			p.sig = p.sig.Reduced()
		}
		if known, err := q.run.known(&small.Finding, p.sig, p.name); known || err != nil { // its features may tell now
			q.run.lost(err)
			return
		}
		if small.Repeated > 0 && small.Confirmed == small.Repeated {
			p.rec.Unconfirmed = false // the smaller case shows it each time
		}
		rec := *p.rec
		rec.Finding = small.Finding
		q.run.lost(q.run.cfg.Store.SaveReduced(p.name, &rec, small.Files))
		p.rec.Summary, p.rec.Title = small.Summary, small.Title
	}
	q.run.lost(errors.Join(q.run.place(p), q.settle(coarse)))
}

// tryAgain reduces a finding, with a new reducer where the one there is has failed.
func (q *reductions) tryAgain(p pending) (small *Reduced, err error) {
	for range reduceTries {
		if q.begins.Err() != nil {
			return nil, nil
		}
		if small, err = q.try(p); err == nil {
			return small, nil
		}
		err = errors.Join(err, q.drop())
	}
	return nil, err
}

func (q *reductions) try(p pending) (small *Reduced, err error) {
	d, err := q.run.cfg.Store.Open(p.name)
	if err != nil {
		return nil, err
	}
	text, err := d.Read(finding.CaseFile)
	if err != nil {
		return nil, err
	}
	if q.reducer == nil {
		if q.reducer, err = q.run.cfg.NewReducer(q.ctx); err != nil {
			q.reducer = nil
			return nil, err
		}
	}
	end := time.Now().Add(grace(q.run.cfg.ReduceTime)) // it ends by itself before that
	q.run.mu.Lock()
	if q.closed && q.end.Before(end) {
		end = q.end
	}
	q.run.mu.Unlock()
	ctx, cancel := context.WithDeadline(q.ctx, end)
	defer cancel()
	defer func() {
		if why := recover(); why != nil {
			small, err = nil, &PanicError{why, string(debug.Stack())}
		}
	}()
	if small, err = q.reducer.Reduce(ctx, p.rec, text); err != nil && ctx.Err() != nil && q.ctx.Err() == nil {
		err = fmt.Errorf("%s was over before the case had shown the finding again", q.run.cfg.reduceTime())
	}
	return small, err
}
