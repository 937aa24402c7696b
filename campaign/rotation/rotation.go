package rotation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"txweave/campaign/database"
	"txweave/exec"
)

// Turn is one cell in the rotation.
type Turn struct {
	*Part
	Cell *database.Cell

	running  bool
	end      context.CancelFunc // of the turn
	complete bool
	spent    time.Duration
	failures int64
	retryAt  time.Time
}

// Rotation runs cells in turn.
type Rotation struct {
	Turns    []*Turn
	Parallel int
	// Run runs a cell for so long, and says whether all the cases that are wanted of it are done.
	Run func(ctx context.Context, t *Turn, length time.Duration) (complete bool, err error)
	// Note is called with what there is to say, on one line; it may be called by several goroutines.
	Note func(text string)
	// Dead is called when a cell cannot be run, and how often that was so in a row.
	Dead func(t *Turn, err error, failures int64)

	mu    sync.Mutex
	ready *sync.Cond
}

// How long a cell is left alone that cannot be run: after the first failure, and at most.
const (
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
)

// backOff is how long a cell rests after so many failures in a row.
func backOff(failures int64) time.Duration {
	d := firstRetry
	for ; failures > 1 && d < lastRetry; failures-- {
		d *= 2
	}
	return min(d, lastRetry)
}

// Go runs the cells until ctx ends or every cell is complete. The error is the database's: it is the only one that ends a
// campaign.
func (r *Rotation) Go(ctx context.Context) error {
	r.ready = sync.NewCond(&r.mu)
	for _, t := range r.Turns {
		var err error
		if t.failures, t.retryAt, t.spent, err = t.Cell.Progress(ctx); err != nil {
			return err
		}
		t.retryAt = time.Time{} // somebody has begun anew: it may have been mended
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ready.Broadcast()
	})()
	var wg sync.WaitGroup
	for range max(r.Parallel, 1) {
		wg.Go(func() {
			for {
				t := r.take(ctx)
				if t == nil {
					return
				}
				if err := r.turn(ctx, t); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// EndTurns ends the turns of the cells that run now, as if their time were up: what they took of the machine is free then.
func (r *Rotation) EndTurns() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.Turns {
		if t.running && t.end != nil {
			t.end()
		}
	}
}

// take waits for a cell whose turn it is: of those that can run the one that has had the least time for its weight. nil: there
// is nothing more to do.
func (r *Rotation) take(ctx context.Context) *Turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ctx.Err() == nil {
		var best *Turn
		var wake time.Time
		left := false
		for _, t := range r.Turns {
			if t.complete || t.Weight == 0 {
				continue
			}
			left = true
			switch {
			case t.running:
			case time.Now().Before(t.retryAt):
				if wake.IsZero() || t.retryAt.Before(wake) {
					wake = t.retryAt
				}
			case best == nil || t.share() < best.share():
				best = t
			}
		}
		if best != nil {
			best.running = true
			return best
		}
		if !left {
			return nil
		}
		if !wake.IsZero() {
			timer := time.AfterFunc(time.Until(wake), func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.ready.Broadcast()
			})
			r.ready.Wait()
			timer.Stop()
			continue
		}
		r.ready.Wait()
	}
	return nil
}

// share is the time that a cell has had, by its weight.
func (t *Turn) share() float64 { return t.spent.Seconds() / t.Weight }

// turn runs a cell once.
func (r *Rotation) turn(ctx context.Context, t *Turn) error {
	live := context.WithoutCancel(ctx) // what became of it is noted in any case
	if err := t.Cell.SetState(live, database.Running, "", t.failures, time.Time{}, 0); err != nil {
		return err
	}
	begun := time.Now()
	complete, err := r.run(ctx, t)
	ran := time.Since(begun)
	state, detail := database.Waiting, ""
	retryAt := time.Time{}
	failures := int64(0)
	var lost *database.StoreError
	switch {
	case errors.As(err, &lost):
		return err
	case err != nil && ctx.Err() == nil:
		state, detail, failures = database.Failed, err.Error(), t.failures+1
		if errors.Is(err, exec.ErrUnavailable) {
			state = database.Unavailable
		}
		retryAt = time.Now().Add(backOff(failures))
		if r.Dead != nil {
			r.Dead(t, err, failures)
		}
	case complete:
		state = database.Complete
	}
	r.mu.Lock()
	t.running, t.complete, t.failures, t.retryAt = false, complete, failures, retryAt
	t.spent += max(ran, time.Millisecond)
	r.ready.Broadcast()
	r.mu.Unlock()
	return t.Cell.SetState(live, state, detail, failures, retryAt, ran)
}

// run runs a cell; a panic of ours is an error of this cell, and the others go on.
func (r *Rotation) run(ctx context.Context, t *Turn) (complete bool, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("a fault of txweave's own: %v", why)
		}
	}()
	if err := t.Cell.Resume(ctx); err != nil {
		return false, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	r.mu.Lock()
	t.end = end
	r.mu.Unlock()
	return r.Run(ctx, t, time.Duration(t.Slice))
}
